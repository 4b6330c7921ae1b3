package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"
)

// run is how checks are run: their context and output.
type run struct {
	ctx context.Context
	out io.Writer // if possible a file, so that remaining child processes do not block its reader
	tty bool      // whether to stay in the foreground group, so that sudo can ask for a password
}

func (r run) printf(format string, args ...any) { fmt.Fprintf(r.out, format, args...) }

// bash runs a function of checks.sh.
func (r run) bash(function string, args ...string) error {
	_, err := r.timed(function, args...)
	return err
}

// timed runs a function of checks.sh, and returns the time of the processors.
func (r run) timed(function string, args ...string) (processors time.Duration, err error) {
	cmd := exec.CommandContext(r.ctx, "bash", append([]string{"-c",
		`. tools/gate/checks.sh && "$@" && exit $failed`, "bash", function}, args...)...)
	cmd.Stdout, cmd.Stderr = r.out, r.out
	if !r.tty {
		cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // a group of its own, which is stopped as a whole
		cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }
	}
	cmd.WaitDelay = 10 * time.Second
	err = cmd.Run()
	if s := cmd.ProcessState; s != nil {
		processors = s.UserTime() + s.SystemTime()
	}
	if err != nil {
		err = fmt.Errorf("%s: %w", function, err)
	}
	return processors, err
}

// step prints a name, runs a function with its arguments, and prints whether it passed, with its elapsed time
// and processor time.
func (r run) step(name, function string) error {
	start, verdict := time.Now(), "passed"
	r.printf("\n== %s\n", name)
	words := strings.Fields(function)
	processors, err := r.timed(words[0], words[1:]...)
	if err != nil {
		r.printf("%v\n", err)
		verdict = "FAILED"
	}
	r.printf("-- %s: %s, %.0f s (processors: %.0f s)\n", name, verdict, time.Since(start).Seconds(),
		processors.Seconds())
	return err
}

// check is one of several checks, which all run even if some fail.
type check struct {
	name     string
	function string // of checks.sh, with its arguments
	needs    string // a function that fails on a machine without what is missing; the check is then not run
	missing  string
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
				text, missing, err := r.buffered(c)
				mu.Lock()
				r.printf("%s", text)
				switch name := fmt.Sprintf("%s (missing: %s)", c.name, c.missing); {
				case missing && os.Getenv("CI") == "true":
					failed = append(failed, name)
				case missing:
					left = append(left, name)
				case err != nil:
					failed = append(failed, c.name)
					lines := bytes.SplitAfter(text, []byte("\n"))
					tails.Write(bytes.Join(lines[max(0, len(lines)-tailLines-1):], nil))
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

// buffered runs a check, unless the machine lacks what it needs, and returns its output.
func (r run) buffered(c check) (text []byte, missing bool, err error) {
	file, err := os.CreateTemp("", "check")
	if err != nil {
		return fmt.Appendln(nil, err), false, err
	}
	defer os.Remove(file.Name())
	defer file.Close()
	r.out = file
	if c.needs != "" && r.bash(c.needs) != nil {
		return fmt.Appendf(nil, "\n== !!! NOT CHECKED: %s (missing: %s)\n", c.name, c.missing), true, nil
	}
	failure := r.step(c.name, c.function)
	text, err = os.ReadFile(file.Name())
	return text, false, errors.Join(failure, err)
}
