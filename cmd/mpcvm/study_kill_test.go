//go:build unix

package main

import (
	"bytes"
	"math/rand/v2"
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
	start := time.Now()
	if err := child(args("alone"), &output).Run(); err != nil {
		t.Fatalf("%v: %s", err, output.String())
	}
	whole := time.Since(start)

	killed, rng := 0, rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 0))
	for {
		output.Reset()
		c := child(args("killed"), &output)
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		if killed < 8 { // then it may finish
			time.Sleep(time.Duration(rng.Float64() * float64(whole) / 4))
			_ = c.Process.Kill() // SIGKILL; it may have ended already
		}
		err := c.Wait()
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

// A study that is interrupted keeps what is finished and ends with status 130.
func TestStudyInterrupted(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	var output bytes.Buffer
	c := child([]string{"study", "run", "--data", "glass", "--systems", "mpcvm2", "--theta", "0.1", "--test", "0-49", "--jobs", "1", "--out", dir}, &output)
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	results := func() int {
		text, _ := os.ReadFile(filepath.Join(dir, "results.jsonl"))
		return bytes.Count(text, []byte("\n"))
	}
	for deadline := time.Now().Add(30 * time.Second); results() < 2; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("no results")
		}
	}
	if err := c.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	_ = c.Wait()
	if code := c.ProcessState.ExitCode(); code != 130 || !strings.Contains(output.String(), "stopped; what is finished is in "+dir) {
		t.Errorf("status %d: %s", code, output.String())
	}
	if n := results(); n < 2 || n > 49 {
		t.Errorf("%d results", n)
	}
}
