// Package progress shows how far long work has come: on a terminal as a bar that is
// renewed in place, elsewhere as plain lines.
package progress

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"
)

// Progress writes to a terminal or a file. It is not for concurrent use.
type Progress struct {
	w     io.Writer
	every time.Duration // the least time between two lines
	shown time.Time
	isBar bool // w is a terminal
	bar   bool // a bar is on the screen
}

// New returns a Progress that writes to w: on a terminal every 0.1 s, elsewhere every 5 s
// at most.
func New(w io.Writer) *Progress {
	p := &Progress{w: w, every: 5 * time.Second, shown: time.Now()}
	if Terminal(w) {
		p.isBar, p.every = true, 100*time.Millisecond
	}
	return p
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

// Bar draws a share of the work, from 0 to 1.
func Bar(share float64) string {
	const cells = 20
	full := int(cells * min(max(share, 0), 1))
	return "[" + strings.Repeat("█", full) + strings.Repeat("·", cells-full) + "]"
}

// Show shows the share of the work that is done, from 0 to 1, and a text. It writes nothing if the last line was written too recently.
func (p *Progress) Show(share float64, text string) {
	now := time.Now()
	if now.Sub(p.shown) < p.every {
		return
	}
	p.shown = now
	if !p.isBar {
		fmt.Fprintln(p.w, text)
		return
	}
	p.Clear()
	fmt.Fprint(p.w, Bar(share), " ", text)
	p.bar = true
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
