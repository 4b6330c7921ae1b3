//go:build unix

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// A command that waits for a pipe that nobody writes to ends with its context.
func TestCancelledReading(t *testing.T) {
	dir, csvFile, modelFile, _ := iris(t)
	pipe := filepath.Join(dir, "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Skip(err)
	}
	for _, line := range []string{
		"predict --model MODEL --data PIPE", "predict --model PIPE --data DATA", "explain --model MODEL --data PIPE --row 1",
		"fit --data PIPE --model OUT", "fit PIPE", "predict PIPE --model MODEL", "fit --data DATA --test PIPE --model OUT",
	} {
		args := strings.Fields(strings.NewReplacer("MODEL", modelFile, "PIPE", pipe, "DATA", csvFile, "OUT", filepath.Join(dir, "m.json")).Replace(line))
		ctx, cancel := context.WithCancel(t.Context())
		writer := make(chan *os.File)
		go func() {
			w, err := os.OpenFile(pipe, os.O_WRONLY, 0) // until the command reads
			if err != nil {
				t.Error(err)
			}
			cancel()
			writer <- w
		}()
		var o, e bytes.Buffer
		if code := run(ctx, args, &o, &e); code != 130 || o.Len() > 0 || !strings.Contains(e.String(), "context") {
			t.Errorf("%s: status %d, %s%s", line, code, o.String(), e.String())
		}
		(<-writer).Close()
	}
}

// A file is read once, so that a pipe will do, although its first rows look like another kind of
// column than that of the model.
func TestReadOnce(t *testing.T) {
	_, _, modelFile, _ := iris(t, "--theta", "0.1")
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	_, err = w.WriteString("sepal_length,sepal_width,petal_length,petal_width\n1,0,1,0\n0,1,0,1\n")
	if err = errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	out, _ := good(t, "explain", fmt.Sprintf("/dev/fd/%d", r.Fd()), "--model", modelFile, "--row", "2")
	if !strings.Contains(out, "row 2: setosa with probability") {
		t.Error(out)
	}
}

// A command that is cancelled writes nothing.
func TestCancelledWriting(t *testing.T) {
	_, csvFile, modelFile, _ := iris(t)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, args := range [][]string{
		{"data", "list"}, {"data", "list", "--json"}, {"data", "show", "iris"},
		{"predict", "--model", modelFile, "--data", csvFile}, {"explain", "--model", modelFile, "--data", csvFile, "--row", "1"},
	} {
		var o, e bytes.Buffer
		if code := run(ctx, args, &o, &e); code != 130 || o.Len() > 0 || !strings.Contains(e.String(), "canceled") {
			t.Errorf("%q: status %d, %s%s", args, code, o.String(), e.String())
		}
	}
}

// The command itself ends by a signal, with status 130.
func TestInterrupt(t *testing.T) {
	if pipe := os.Getenv("MPCVM_TEST_PIPE"); pipe != "" { // in the child
		os.Args = []string{"mpcvm", "fit", "--data", pipe, "--model", pipe + ".json"}
		main()
	}
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Skip(err)
	}
	child := exec.Command(os.Args[0], "-test.run=^TestInterrupt$")
	child.Env = append(os.Environ(), "MPCVM_TEST_PIPE="+pipe)
	var e bytes.Buffer
	child.Stderr = &e
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	w, err := os.OpenFile(pipe, os.O_WRONLY, 0) // until the child reads
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if err := child.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	_ = child.Wait()
	if code := child.ProcessState.ExitCode(); code != 130 || !strings.Contains(e.String(), "context canceled") {
		t.Errorf("status %d: %s", code, e.String())
	}
}
