// Package progress shows the progress of long work, as a bar that is redrawn in place on a terminal.
package progress

import (
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/mpcvm/mpcvm/internal/cell"
)

// Progress writes to a terminal. It is safe for concurrent use.
type Progress struct {
	w     io.Writer
	isBar bool // w is a terminal

	mu    sync.Mutex
	text  string // of the bar; "" if there is none
	share float64
	drawn bool // a bar is on the screen
	due   bool // the bar will be drawn
}

// every is the time between two updates of the bar.
const every = 100 * time.Millisecond

// New returns a Progress that draws a bar on w every 0.1 s. If w is not a terminal, it draws no bar and
// writes only the lines of Print.
func New(w io.Writer) *Progress { return &Progress{w: w, isBar: Terminal(w)} }

// Terminal reports whether w is a terminal.
func Terminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// Width returns the number of columns of the terminal w. The environment variable COLUMNS overrides
// it. The default is 80.
func Width(w io.Writer) int {
	if n, err := strconv.Atoi(os.Getenv("COLUMNS")); err == nil && n > 0 {
		return n
	}
	if f, ok := w.(*os.File); ok {
		if n := columns(f); n > 0 {
			return n
		}
	}
	return 80
}

// Bar returns a bar of the given number of cells for a share of the work, from 0 to 1.
func Bar(share float64, cells int) string {
	full := int(float64(cells) * min(max(share, 0), 1))
	return "[" + strings.Repeat("█", full) + strings.Repeat("·", cells-full) + "]"
}

// Show shows the share of the work that is done, from 0 to 1, and a text on one line of the terminal, after
// at most 0.1 s.
func (p *Progress) Show(share float64, format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.share, p.text = share, text
	p.schedule()
}

// schedule draws the bar after a while.
func (p *Progress) schedule() {
	if !p.isBar || p.due {
		return
	}
	p.due = true
	time.AfterFunc(every, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.due = false; p.text != "" {
			p.erase()
			fmt.Fprint(p.w, line(p.share, p.text, Width(p.w)))
			p.drawn = true
		}
	})
}

// line returns a bar that takes a quarter of the width, and a text truncated to the rest. The last
// column of the terminal stays free, because some terminals wrap after it.
func line(share float64, text string, width int) string {
	bar, left := Bar(share, width/4), width-width/4-4
	return bar + " " + cell.Cut(text, max(left, 0))
}

// Print writes a line that stays, above the bar.
func (p *Progress) Print(format string, args ...any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.erase()
	fmt.Fprintf(p.w, format+"\n", args...)
	p.schedule()
}

// Clear removes the bar, so that other lines can follow.
func (p *Progress) Clear() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.text = ""
	p.erase()
}

func (p *Progress) erase() {
	if p.drawn {
		fmt.Fprint(p.w, "\r\x1b[K")
		p.drawn = false
	}
}
