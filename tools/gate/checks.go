package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"
)

// check is one of several checks, which all run even if some fail.
type check struct {
	name    string
	missing string // what the machine lacks for the check; it is then not run
	run     func(r run) error
}

// tailLines is the number of lines of a failed check that are printed again at the end.
const tailLines = 25

// all runs checks, in the order of the list, up to as many at a time as there are workers. It prints the
// output of each check when it has ended, and a summary. It returns an error if a check failed. With CI=true,
// a check that cannot run counts as failed.
func (r run) all(workers int, list []check) error {
	var (
		mu           sync.Mutex
		tails        bytes.Buffer
		failed, left []string
		group        sync.WaitGroup
	)
	start := time.Now()
	next := make(chan check)
	for range workers {
		group.Go(func() {
			for c := range next {
				if r.ctx.Err() != nil {
					continue
				}
				mu.Lock()
				r.printf(".. %s\n", c.name)
				mu.Unlock()
				text, err := r.buffered(c)
				mu.Lock()
				r.printf("%s", text)
				switch {
				case err != nil:
					failed = append(failed, c.name)
					lines := bytes.SplitAfter(text, []byte("\n"))
					tails.Write(bytes.Join(lines[max(0, len(lines)-tailLines-1):], nil))
				case c.missing != "" && os.Getenv("CI") == "true":
					failed = append(failed, fmt.Sprintf("%s (missing: %s)", c.name, c.missing))
				case c.missing != "":
					left = append(left, fmt.Sprintf("%s (missing: %s)", c.name, c.missing))
				}
				mu.Unlock()
			}
		})
	}
	for _, c := range list {
		next <- c
	}
	close(next)
	group.Wait()
	r.printf("%s\n== checked in %.0f s\n", &tails, time.Since(start).Seconds())
	for _, name := range left {
		r.printf("left out: %s\n", name)
	}
	for _, name := range failed {
		r.printf("FAILED: %s\n", name)
	}
	if r.ctx.Err() != nil {
		return errors.New("interrupted")
	}
	if len(failed) > 0 {
		return fmt.Errorf("failed checks: %d", len(failed))
	}
	return nil
}

// buffered runs a check and returns its output.
func (r run) buffered(c check) ([]byte, error) {
	if c.missing != "" {
		return fmt.Appendf(nil, "\n== !!! NOT CHECKED: %s (missing: %s)\n", c.name, c.missing), nil
	}
	file, err := os.CreateTemp("", "check")
	if err != nil {
		return fmt.Appendln(nil, err), err
	}
	defer os.Remove(file.Name())
	defer file.Close()
	r.out = file
	failure := r.step(c.name, c.run)
	text, err := os.ReadFile(file.Name())
	return text, errors.Join(failure, err)
}
