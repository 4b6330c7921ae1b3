//go:build unix

package main

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/mpcvm/mpcvm/internal/testkit/must"
	"github.com/mpcvm/mpcvm/internal/testkit/spoil"
)

// studyArgs is the environment variable that makes the test binary run the command, with these
// arguments.
const studyArgs = "MPCVM_TEST_STUDY"

// TestMain runs the command in a child process, and the tests otherwise.
func TestMain(m *testing.M) {
	if args := os.Getenv(studyArgs); args != "" {
		os.Args = append([]string{"study"}, strings.Fields(args)...)
		main()
	}
	os.Exit(m.Run())
}

// child returns the command as a separate process.
func child(args string, output *bytes.Buffer) *exec.Cmd {
	output.Reset()
	c := exec.Command(os.Args[0])
	c.Env = append(os.Environ(), studyArgs+"="+args)
	c.Stdout, c.Stderr = output, output
	return c
}

// A study that is killed at random moments and restarted each time ends with the results of an
// uninterrupted study, without losses or duplicates. The long test kills it a hundred times.
func TestConcurrentKilled(t *testing.T) {
	const args = "run --data iris --systems mpcvm2,svm --theta 0.1,0.2 --tune 0-1 --test 5-19 --jobs 3 --out "
	alone := filepath.Join(t.TempDir(), "alone")
	var output bytes.Buffer
	if err := child(args+alone, &output).Run(); err != nil {
		t.Fatalf("%v: %s", err, output.String())
	}
	want := resultLines(t, alone)
	must.Equal(t, len(want), 30)
	kills := 8
	if spoil.Long() {
		kills = 100
	}
	for killed := 0; killed < kills; {
		dir := filepath.Join(t.TempDir(), fmt.Sprint("killed", killed))
		for {
			c := child(args+dir, &output)
			more := killed % 4 // lines before it is killed
			if killed >= kills {
				more = math.MaxInt // let it finish
			}
			ended := startUntil(t, c, dir, more)
			time.Sleep(rand.N(5 * time.Millisecond))
			_ = c.Process.Kill() // SIGKILL; it may have ended already
			if <-ended == nil {
				break
			}
			if status, ok := c.ProcessState.Sys().(syscall.WaitStatus); !ok || !status.Signaled() {
				t.Fatalf("%v: %s", c.ProcessState, output.String())
			}
			killed++
		}
		if got := resultLines(t, dir); !slices.Equal(want, got) {
			t.Errorf("after %d kills:\n%s\nwant\n%s", killed, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
}

// startUntil starts a study and returns when it has written the given number of lines more, or has
// ended.
func startUntil(t *testing.T, c *exec.Cmd, dir string, more int) (ended <-chan error) {
	t.Helper()
	before := linesIn(dir)
	must.OK(t, c.Start())
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

// linesIn counts the lines in all files of a study.
func linesIn(dir string) int {
	files, _ := filepath.Glob(filepath.Join(dir, "*json*"))
	n := 0
	for _, f := range files {
		text, _ := os.ReadFile(f)
		n += bytes.Count(text, []byte("\n"))
	}
	return n
}

// A study that is interrupted keeps the finished runs and exits with status 130.
func TestStudyInterrupted(t *testing.T) {
	for _, signal := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
		dir := filepath.Join(t.TempDir(), "out")
		var output bytes.Buffer
		// It would take minutes to finish.
		c := child("run --data glass --systems mpcvm1,mpcvm2 --theta 0.1 --test 0-49 --jobs 1 --out "+dir, &output)
		ended := startUntil(t, c, dir, 2)
		must.OK(t, c.Process.Signal(signal))
		err := <-ended
		said := "stopped; the finished runs are in " + dir
		code := c.ProcessState.ExitCode()
		if code != interrupted || !strings.Contains(output.String(), said) {
			t.Errorf("%v: %s", err, output.String())
		}
		if n := linesIn(dir); n < 2 || n > 99 {
			t.Errorf("%d results", n)
		}
	}
}
