//go:build unix

package main

import (
	"bytes"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// studyArgs is the environment variable by which the test binary is told to be the
// command.
const studyArgs = "MPCVM_TEST_STUDY"

// child is the command, started as a process of its own.
func child(args []string, output *bytes.Buffer) *exec.Cmd {
	c := exec.Command(os.Args[0], "-test.run=^TestStudyKilled$")
	c.Env = append(os.Environ(), studyArgs+"="+strings.Join(args, " "))
	c.Stdout, c.Stderr = output, output
	return c
}

// A study that is killed at random moments and started again each time ends with the
// results of one that was left alone: none lost, none twice.
func TestStudyKilled(t *testing.T) {
	if args := os.Getenv(studyArgs); args != "" { // in the child
		os.Args = append([]string{"mpcvm"}, strings.Fields(args)...)
		main()
	}
	dir := t.TempDir()
	args := func(out string) []string {
		return []string{"study", "run", "--data", "iris", "--systems", "mpcvm2,svm", "--theta", "0.1,0.2", "--tune", "0-1",
			"--test", "5-19", "--jobs", "3", "--out", filepath.Join(dir, out)}
	}
	var output bytes.Buffer
	if err := child(args("alone"), &output).Run(); err != nil {
		t.Fatalf("%v: %s", err, output.String())
	}

	killed := 0
	for {
		output.Reset()
		c := child(args("killed"), &output)
		more := 0 // lines until it is killed
		if killed < 8 {
			more = killed % 4
		} else {
			more = math.MaxInt // it may finish
		}
		ended := startUntil(t, c, filepath.Join(dir, "killed"), more)
		_ = c.Process.Kill() // SIGKILL; it may have ended already
		err := <-ended
		if err == nil {
			break
		}
		if status, ok := c.ProcessState.Sys().(syscall.WaitStatus); !ok || !status.Signaled() {
			t.Fatalf("%v: %s", err, output.String())
		}
		killed++
	}
	if killed == 0 {
		t.Error("it was never killed")
	}
	want, got := resultLines(t, filepath.Join(dir, "alone")), resultLines(t, filepath.Join(dir, "killed"))
	if len(want) != 30 || !slices.Equal(want, got) {
		t.Errorf("after %d kills %d results, not %d, or others:\n%s\n%s", killed, len(got), len(want), strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	t.Logf("killed %d times", killed)
}

// startUntil starts a study and returns when it has written so many lines more, or when it has ended.
func startUntil(t *testing.T, c *exec.Cmd, dir string, more int) (ended <-chan error) {
	t.Helper()
	before := linesIn(dir)
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	end := make(chan error, 1)
	go func() { end <- c.Wait() }()
	for linesIn(dir)-before < more {
		select {
		case err := <-end:
			end <- err
			return end
		case <-time.After(time.Millisecond):
		}
	}
	return end
}

// linesIn counts the lines of all files of a study.
func linesIn(dir string) int {
	files, _ := filepath.Glob(filepath.Join(dir, "*json*"))
	n := 0
	for _, f := range files {
		text, _ := os.ReadFile(f)
		n += bytes.Count(text, []byte("\n"))
	}
	return n
}

// A study that is interrupted keeps what is finished and ends with status 130.
func TestStudyInterrupted(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	var output bytes.Buffer
	// It would take minutes.
	c := child([]string{"study", "run", "--data", "glass", "--systems", "mpcvm1,mrvm1,mrvm2,mpcvm2,svm", "--theta", "0.1", "--test", "0-49", "--jobs", "1", "--out", dir}, &output)
	ended := startUntil(t, c, dir, 2)
	if err := c.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err == nil {
		t.Error("an interrupted study ended without an error")
	}
	if code := c.ProcessState.ExitCode(); code != 130 || !strings.Contains(output.String(), "stopped; what is finished is in "+dir) {
		t.Errorf("status %d: %s", code, output.String())
	}
	if n := linesIn(dir); n < 2 || n > 249 {
		t.Errorf("%d results", n)
	}
}
