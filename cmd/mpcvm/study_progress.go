package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/mpcvm/mpcvm/mpcvm/study"
)

// studyProgress shows how a study goes: on a terminal a bar that is renewed in place,
// elsewhere a plain line every five seconds at most. Failures have lines of their own.
type studyProgress struct {
	w        io.Writer
	terminal bool
	shown    time.Time
	bar      bool // one is on the screen
}

func newStudyProgress(w io.Writer) *studyProgress {
	p := &studyProgress{w: w, shown: time.Now()}
	if f, ok := w.(*os.File); ok {
		info, err := f.Stat()
		p.terminal = err == nil && info.Mode()&os.ModeCharDevice != 0
	}
	return p
}

// observe shows a run that ended.
func (p *studyProgress) observe(s study.Progress) {
	run := fmt.Sprintf("%s on %s, partition %d", s.Run.System, s.Run.Dataset, s.Run.Partition)
	if s.Run.Tuning {
		run += " (tuning)"
	}
	if s.Err != nil {
		p.clear()
		fmt.Fprintf(p.w, "%s failed: %v\n", run, s.Err)
	}
	every := 5 * time.Second
	if p.terminal {
		every = 100 * time.Millisecond
	}
	if now := time.Now(); s.Done == s.Total || now.Sub(p.shown) >= every {
		p.shown = now
	} else {
		return
	}
	text := fmt.Sprintf("%d/%d runs", s.Done, s.Total)
	if s.Failed > 0 {
		text += fmt.Sprintf(", %d failed", s.Failed)
	}
	text += ", " + inSeconds(s.Elapsed)
	if s.Left > 0 && s.Done < s.Total {
		text += ", about " + inSeconds(s.Left) + " left"
	}
	if !p.terminal {
		fmt.Fprintf(p.w, "%s; last %s\n", text, run)
		return
	}
	const cells = 20
	full := cells * s.Done / s.Total
	fmt.Fprintf(p.w, "\r\x1b[K[%s%s] %s  %s", strings.Repeat("█", full), strings.Repeat("·", cells-full), text, run)
	p.bar = true
}

// clear removes the bar.
func (p *studyProgress) clear() {
	if p.bar {
		fmt.Fprint(p.w, "\r\x1b[K")
		p.bar = false
	}
}

// end leaves the bar where it is and begins a new line.
func (p *studyProgress) end() {
	if p.bar {
		fmt.Fprintln(p.w)
		p.bar = false
	}
}

func inSeconds(d time.Duration) string { return d.Round(time.Second).String() }
