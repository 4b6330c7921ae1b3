//go:build !js

package filelock

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mpcvm/mpcvm/internal/testkit/must"
)

const child = "MPCVM_TEST_LOCK"

// TestMain runs, in a child process, a process that holds a lock until it is killed.
func TestMain(m *testing.M) {
	if path := os.Getenv(child); path != "" {
		if _, err := Exclusive(path); err != nil {
			os.Exit(1)
		}
		fmt.Println("held")
		_, _ = io.Copy(io.Discard, os.Stdin) // until the parent ends, if it does not kill this process
	}
	os.Exit(m.Run())
}

func TestLock(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	must := func(l *Lock, err error) *Lock {
		t.Helper()
		must.OK(t, err)
		return l
	}
	busy := func(_ *Lock, err error) {
		t.Helper()
		if !errors.Is(err, ErrBusy) {
			t.Errorf("%v, want ErrBusy", err)
		}
	}
	first := must(Exclusive(path))
	busy(Exclusive(path))
	busy(Shared(path))
	if err := first.Release(); err != nil {
		t.Error(err)
	}
	second, third := must(Shared(path)), must(Shared(path))
	busy(Exclusive(path))
	for _, l := range []*Lock{second, third} {
		if err := l.Release(); err != nil {
			t.Error(err)
		}
	}
	if err := must(Exclusive(path)).Release(); err != nil {
		t.Error(err)
	}
	if _, err := Exclusive(filepath.Join(path, "no", "lock")); err == nil || errors.Is(err, ErrBusy) {
		t.Error(err)
	}
}

func TestWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "lock")
		lock := func() (*Lock, error) { return Exclusive(path) }
		held := must.Get(lock())(t)
		if _, err := Wait(t.Context(), time.Time{}, lock); !errors.Is(err, ErrBusy) {
			t.Error(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(10*time.Millisecond, cancel)
		if _, err := Wait(ctx, time.Now().Add(time.Minute), lock); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		time.AfterFunc(10*time.Millisecond, func() { _ = held.Release() })
		l := must.Get(Wait(t.Context(), time.Now().Add(time.Minute), lock))(t)
		if err := l.Release(); err != nil {
			t.Error(err)
		}
	})
}

// A process that is killed releases its lock.
func TestKill(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	c := exec.Command(os.Args[0])
	c.Env = append(os.Environ(), child+"="+path)
	in, errIn := c.StdinPipe()
	out, errOut := c.StdoutPipe()
	must.OK(t, errors.Join(errIn, errOut, c.Start()))
	defer in.Close()
	if said, err := bufio.NewReader(out).ReadString('\n'); said != "held\n" {
		t.Fatalf("the other process does not get the lock: %q, %v", said, err)
	}
	if _, err := Exclusive(path); !errors.Is(err, ErrBusy) {
		t.Error(err)
	}
	_ = c.Process.Kill()
	_ = c.Wait()
	l := must.Get(Exclusive(path))(t)
	_ = l.Release()
}
