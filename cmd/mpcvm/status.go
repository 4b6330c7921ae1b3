package main

import (
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/mpcvm/mpcvm/internal/progress"
)

// status is the line that shows the progress of a command, and all other lines that the command
// writes to standard error meanwhile. Several goroutines may use it.
type status struct {
	mu      sync.Mutex
	line    *progress.Progress
	share   float64
	text    string
	stopped chan struct{}
	once    sync.Once
	ended   sync.WaitGroup
}

// newStatus starts a line, which is empty until set.
func newStatus(errOut io.Writer) *status {
	s := &status{line: progress.New(errOut), stopped: make(chan struct{})}
	s.ended.Go(func() {
		tick := time.NewTicker(200 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-s.stopped:
				return
			case <-tick.C:
				s.mu.Lock()
				s.show()
				s.mu.Unlock()
			}
		}
	})
	return s
}

func (s *status) show() {
	if s.text != "" {
		s.line.Show(s.share, s.text)
	}
}

// set shows what is going on, and the share of the work that is done, from 0 to 1.
func (s *status) set(share float64, format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.share, s.text = share, text
	s.show()
}

// print writes a line that stays.
func (s *status) print(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.line.Print(fmt.Sprintf(format, args...))
}

// stop removes the line. print may still be used.
func (s *status) stop() {
	s.once.Do(func() { close(s.stopped) })
	s.ended.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.text = ""
	s.line.Clear()
}
