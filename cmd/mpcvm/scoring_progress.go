package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/mpcvm/mpcvm/data"
)

// scoringProgress shows how far a prediction is: on a terminal a bar that is renewed in
// place, elsewhere a plain line every five seconds.
type scoringProgress struct {
	w            io.Writer
	in           *source
	terminal     bool
	bar          bool // one is on the screen
	start, shown time.Time
	rows         int64 // at the start
	share        float64
}

func newScoringProgress(w io.Writer, in *source) *scoringProgress {
	p := &scoringProgress{w: w, in: in, start: time.Now(), shown: time.Now()}
	if f, ok := w.(*os.File); ok {
		info, err := f.Stat()
		p.terminal = err == nil && info.Mode()&os.ModeCharDevice != 0
	}
	return p
}

// from tells where the work begins.
func (p *scoringProgress) from(rows int64, at data.Position) { p.rows, p.share = rows, p.in.share(at) }

// show shows that so many rows are done, which end at a position.
func (p *scoringProgress) show(rows int64, at data.Position) {
	every := 5 * time.Second
	if p.terminal {
		every = 200 * time.Millisecond
	}
	now := time.Now()
	if now.Sub(p.shown) < every {
		return
	}
	p.shown = now
	elapsed, share := now.Sub(p.start), p.in.share(at)
	line := fmt.Sprintf("%d rows, %.0f a second", rows, float64(rows-p.rows)/elapsed.Seconds())
	if share > p.share && share < 1 {
		left := time.Duration(float64(elapsed) * (1 - share) / (share - p.share))
		line += fmt.Sprintf(", about %v left", left.Round(time.Second))
	}
	if !p.terminal {
		fmt.Fprintln(p.w, line)
		return
	}
	const cells = 20
	full := int(cells * share)
	fmt.Fprintf(p.w, "\r\x1b[K[%s%s] %s", strings.Repeat("█", full), strings.Repeat("·", cells-full), line)
	p.bar = true
}

// end removes the bar.
func (p *scoringProgress) end() {
	if p.bar {
		fmt.Fprint(p.w, "\r\x1b[K")
		p.bar = false
	}
}
