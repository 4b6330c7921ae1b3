// Package progress shows the progress of long work, as a bar that is redrawn in place on a terminal.
package progress

import (
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/mpcvm/mpcvm/internal/cell"
)

// Progress writes to a terminal. It is not safe for concurrent use.
type Progress struct {
	w     io.Writer
	every time.Duration // the shortest time between two updates
	shown time.Time
	isBar bool // w is a terminal
	bar   bool // a bar is on the screen
}

// New returns a Progress that draws a bar on w, at most every 0.1 s. If w is not a terminal, it
// draws no bar and writes only the lines of Print.
func New(w io.Writer) *Progress {
	return &Progress{w: w, every: 100 * time.Millisecond, shown: time.Now(), isBar: Terminal(w)}
}

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

// Show shows the share of the work that is done, from 0 to 1, and a text on one line of the
// terminal. It writes nothing if the line was updated too recently.
func (p *Progress) Show(share float64, text string) {
	now := time.Now()
	if !p.isBar || now.Sub(p.shown) < p.every {
		return
	}
	p.shown = now
	p.Clear()
	fmt.Fprint(p.w, line(share, text, Width(p.w)))
	p.bar = true
}

// line returns a bar that takes a quarter of the width, and a text truncated to the rest. The last
// column of the terminal stays free, because some terminals wrap after it.
func line(share float64, text string, width int) string {
	bar, left := Bar(share, width/4), width-width/4-4
	return bar + " " + cell.Cut(text, max(left, 0))
}

// Print removes the bar and writes a line that stays.
func (p *Progress) Print(text string) {
	p.Clear()
	fmt.Fprintln(p.w, text)
}

// Clear removes the bar, so that other lines can follow.
func (p *Progress) Clear() {
	if p.bar {
		fmt.Fprint(p.w, "\r\x1b[K")
		p.bar = false
	}
}
