//go:build linux

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/mpcvm/mpcvm/internal/testkit/must"
)

// A command that waits for a pipe without a writer ends with its context.
func TestCancelledReading(t *testing.T) {
	dir, csvFile, modelFile, _ := iris(t)
	pipe := filepath.Join(dir, "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Skip(err)
	}
	for _, line := range []string{
		"predict --model MODEL --data PIPE", "predict --model PIPE --data DATA", "explain --model MODEL --data " +
			"PIPE --row 1",
		"fit --data PIPE --model OUT", "fit PIPE", "predict PIPE --model MODEL", "fit --data DATA --test PIPE " +
			"--model OUT",
	} {
		args := strings.Fields(strings.NewReplacer("MODEL", modelFile, "PIPE", pipe, "DATA", csvFile, "OUT",
			filepath.Join(dir, "m.json")).Replace(line))
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

// A file is read once, so a pipe works even if its first rows look like a column of another kind than in the
// model.
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
	dir, csvFile, modelFile, _ := iris(t)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	before := tree(t, dir)
	for _, args := range [][]string{
		{"fit", csvFile, "--model", filepath.Join(dir, "m.json")}, {"demo", "--out", dir}, {"look", csvFile},
		{"compare", csvFile},
		{"data", "list"}, {"data", "list", "--json"}, {"data", "show", "iris"},
		{"predict", "--model", modelFile, "--data", csvFile}, {"explain", "--model", modelFile, "--data", csvFile,
			"--row", "1"},
	} {
		var o, e bytes.Buffer
		if code := run(ctx, args, &o, &e); code != 130 || o.Len() > 0 || !strings.Contains(e.String(), "canceled") {
			t.Errorf("%q: status %d, %s%s", args, code, o.String(), e.String())
		}
	}
	if after := tree(t, dir); !maps.Equal(after, before) {
		t.Errorf("%v, before %v", after, before)
	}
}

// Each termination signal stops a fit, which saves the best model so far, and a prediction, which does not
// leave an incomplete file.
func TestStop(t *testing.T) {
	dir, csvFile, modelFile, _ := iris(t)
	text, _ := good(t, "data", "show", "letter")
	train := write(t, dir, "train.csv", strings.Join(strings.SplitAfter(text, "\n")[:301], ""))
	rows := must.Get(os.ReadFile(csvFile))(t)
	// start runs a command that reads a pipe given as PIPE. It returns when the command has printed text or, if
	// text is empty, when the command has opened the pipe, whose other end is w.
	start := func(t *testing.T, shell, said string, args ...string) (c *exec.Cmd, errOut *bytes.Buffer,
		w *os.File) {
		t.Helper()
		pipe := filepath.Join(t.TempDir(), "pipe")
		if err := syscall.Mkfifo(pipe, 0o600); err != nil {
			t.Skip(err)
		}
		for i := range args {
			args[i] = strings.Replace(args[i], "PIPE", pipe, 1)
		}
		c, _, errOut = process(args)
		c.Args, c.Path, c.Stderr = []string{"sh", "-c", shell + `exec "$0"`, os.Args[0]}, "/bin/sh", nil
		from, err := c.StderrPipe()
		if err == nil {
			err = c.Start()
		}
		if err != nil {
			t.Fatal(err)
		}
		if said == "" {
			if w, err = os.OpenFile(pipe, os.O_WRONLY, 0); err != nil {
				t.Fatal(err)
			}
		}
		for buffer := make([]byte, 4096); !strings.Contains(errOut.String(), said); {
			n, err := from.Read(buffer)
			if errOut.Write(buffer[:n]); err != nil {
				t.Fatalf("%v: %s", err, errOut)
			}
		}
		t.Cleanup(func() { w.Close() })
		return c, errOut, w
	}
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		t.Run(sig.String(), func(t *testing.T) {
			if signal.Ignored(sig) {
				t.Skipf("this process ignores %v, as under nohup, and its children inherit that", sig)
			}
			model, out := filepath.Join(t.TempDir(), "m.json"), filepath.Join(t.TempDir(), "p.csv")
			c, errOut, _ := start(t, "", "best so far", "fit", train, "--model", model)
			_ = c.Process.Signal(sig)
			if _ = c.Wait(); c.ProcessState.ExitCode() != interrupted {
				t.Errorf("fit: %v, %s", c.ProcessState, errOut)
			}
			good(t, "predict", train, "--model", model)

			c, errOut, _ = start(t, "", "", "predict", "PIPE", "--model", modelFile, "--out", out)
			_ = c.Process.Signal(sig)
			if _ = c.Wait(); c.ProcessState.ExitCode() != interrupted || len(left(t, filepath.Dir(out))) > 0 {
				t.Errorf("predict: %v, %s, %q", c.ProcessState, errOut, left(t, filepath.Dir(out)))
			}

			if sig == syscall.SIGTERM {
				return // Go does not detect that it is ignored
			}
			// Signals that are ignored, such as SIGHUP under nohup, have no effect.
			number := strings.TrimPrefix(unix.SignalName(sig), "SIG")
			c, errOut, w := start(t, "trap '' "+number+"; ", "", "predict", "PIPE", "--model", modelFile, "--out", out)
			_ = c.Process.Signal(sig)
			_, err := w.Write(rows)
			if err = errors.Join(err, w.Close(), c.Wait()); err != nil || len(left(t, filepath.Dir(out))) != 1 {
				t.Errorf("ignored: %v, %s", err, errOut)
			}
		})
	}
}

// A command whose standard output is closed, or is /dev/null opened for reading and writing as by other programs,
// warns that its result is lost, unless it is written to a file.
func TestClosedOutput(t *testing.T) {
	dir, csvFile, modelFile, _ := iris(t)
	in := func(name string) string { return filepath.Join(dir, name) }
	for line, lost := range map[string]bool{
		"predict DATA --model MODEL": true, "data show iris": true, "look DATA": true, "completion bash": true,
		"explain DATA --row 1 --model MODEL": true, "export --to javascript --model MODEL": true,
		"predict DATA --model MODEL --out " + in("p.csv"): false, "--version": false, "fit --help": false,
		"fit DATA --cv none --theta 0.3 --model " + in("m.json"): false, "data fetch iris --to " + dir: false,
	} {
		args := strings.Fields(strings.NewReplacer("DATA", csvFile, "MODEL", modelFile).Replace(line))
		for redirect, lost := range map[string]bool{">&-": lost, "1<>/dev/null": lost, ">/dev/null": false} {
			c, _, errOut := process(args)
			c.Args, c.Path = []string{"sh", "-c", `exec "$0" ` + redirect, os.Args[0]}, "/bin/sh"
			if err := c.Run(); err != nil || strings.Contains(errOut.String(), "output is closed") != lost {
				t.Errorf("%s %s: %v, %s", line, redirect, err, errOut)
			}
		}
	}
}
