package main

import (
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/mpcvm/mpcvm/internal/progress"
)

// status writes a progress line and other lines to standard error. It is safe for concurrent use.
type status struct {
	mu      sync.Mutex
	line    *progress.Progress
	share   float64
	text    string
	stopped chan struct{}
	once    sync.Once
	ended   sync.WaitGroup
}

// newStatus returns a status with an empty progress line.
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

// set updates the progress line; share is the completed fraction of the work, from 0 to 1.
func (s *status) set(share float64, format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.share, s.text = share, text
	s.show()
}

// print writes a permanent line.
func (s *status) print(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.line.Print(fmt.Sprintf(format, args...))
}

// stop removes the progress line. print may still be used.
func (s *status) stop() {
	s.once.Do(func() { close(s.stopped) })
	s.ended.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.text = ""
	s.line.Clear()
}
