package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"
)

// checks is a list of checks that all run even if some fail. Its methods may be called concurrently.
type checks struct {
	run
	strict bool // a check that cannot run counts as failed

	mu           sync.Mutex
	failed, left []string
	tails        [][]byte // the last lines of failed checks
}

// tailLines is the number of lines of a failed check that are printed again at the end.
const tailLines = 25

// list runs a list of checks, prints a summary and returns an error if a check failed.
func (r run) list(fill func(l *checks)) error {
	start := time.Now()
	l := &checks{run: r, strict: os.Getenv("CI") == "true"}
	fill(l)
	return l.end(time.Since(start))
}

// check runs a check as a step and prints its output when it has ended.
func (l *checks) check(name string, f func(r run) error) {
	if l.ctx.Err() != nil {
		return
	}
	l.mu.Lock()
	l.printf(".. %s\n", name)
	l.mu.Unlock()
	file, err := os.CreateTemp("", "check")
	if err != nil {
		l.fail(name, []byte(err.Error()+"\n"))
		return
	}
	defer os.Remove(file.Name())
	defer file.Close()
	r := l.run
	r.out = file
	failure := r.step(name, f)
	text, err := os.ReadFile(file.Name())
	if err != nil {
		text = fmt.Appendln(nil, err)
	}
	l.mu.Lock()
	_, err = l.out.Write(text)
	l.mu.Unlock()
	if failure != nil || err != nil {
		l.fail(name, text)
	}
}

func (l *checks) fail(name string, text []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	lines := bytes.SplitAfter(text, []byte("\n"))
	l.failed = append(l.failed, name)
	l.tails = append(l.tails, bytes.Join(lines[max(0, len(lines)-tailLines-1):], nil))
}

// leave records something that is skipped on purpose.
func (l *checks) leave(what string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.left = append(l.left, what)
}

// missing records that a check cannot run on this machine; if strict is set, the check fails.
func (l *checks) missing(name, what string) {
	l.printf("\n== !!! NOT CHECKED: %s (missing: %s)\n", name, what)
	name = fmt.Sprintf("%s (no %s)", name, what)
	if l.strict {
		l.fail(name, nil)
	} else {
		l.leave(name)
	}
}

func (l *checks) end(took time.Duration) error {
	for _, tail := range l.tails {
		l.printf("%s", tail)
	}
	l.printf("\n== checked in %.0f s\n", took.Seconds())
	for _, what := range l.left {
		l.printf("left out: %s\n", what)
	}
	for _, name := range l.failed {
		l.printf("FAILED: %s\n", name)
	}
	if err := l.ctx.Err(); err != nil {
		return errors.New("interrupted")
	}
	if len(l.failed) > 0 {
		return fmt.Errorf("failed checks: %d", len(l.failed))
	}
	return nil
}
