package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

func TestMain(m *testing.M) {
	if err := enterTop(); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

func TestModules(t *testing.T) {
	got, err := packages()
	if want := "./... ./experiments/... ./tools/... ./site/..."; err != nil || strings.Join(got, " ") != want {
		t.Errorf("%v, %v, want %s", got, err, want)
	}
}

// A failed check does not stop the others, and its last lines are repeated at the end.
func TestChecks(t *testing.T) {
	t.Setenv("CI", "")
	for _, ci := range []string{"", "true"} {
		t.Setenv("CI", ci)
		var out bytes.Buffer
		err := run{ctx: t.Context(), out: &out}.list(func(l *checks) {
			var lanes sync.WaitGroup
			lanes.Go(func() {
				l.check("bad", func(r run) error {
					for i := range 40 {
						r.printf("line %d\n", i)
					}
					return errors.New("broken")
				})
				l.check("good", func(r run) error { r.printf("fine\n"); return nil })
			})
			lanes.Wait()
			l.missing("pictures", "browser")
			l.leave("the rest")
		})
		want, failed := 1, "FAILED: bad\n"
		if ci == "true" {
			want, failed = 2, "FAILED: bad\nFAILED: pictures (no browser)\n"
		}
		if err == nil || !strings.HasSuffix(out.String(), failed) {
			t.Errorf("CI=%s: %v, want a different end:\n%s", ci, err, &out)
		}
		if got := strings.Count(out.String(), "FAILED: "); got != want {
			t.Errorf("CI=%s: %d failed checks, want %d", ci, got, want)
		}
		if got := strings.Count(out.String(), "line 39\n"); got != 2 {
			t.Errorf("CI=%s: the last line of the failed check occurs %d times, want 2", ci, got)
		}
		for text, n := range map[string]int{"line 2\n": 1, "fine\n": 1, "-- good: passed, ": 1,
			"-- bad: FAILED, ":     2,
			"left out: the rest\n": 1} {
			if got := strings.Count(out.String(), text); got != n {
				t.Errorf("CI=%s: %q occurs %d times, want %d", ci, text, got, n)
			}
		}
	}
	if err := (run{ctx: t.Context(), out: &bytes.Buffer{}}).list(func(l *checks) {
		l.check("good", func(run) error { return nil })
	}); err != nil {
		t.Error(err)
	}
}

// Cancelling a run stops the commands that a check has started, including their children.
func TestInterrupted(t *testing.T) {
	if !have("sh") {
		t.Skip("no sh")
	}
	ctx, cancel := context.WithCancel(t.Context())
	started := filepath.Join(t.TempDir(), "started")
	go func() {
		for !exists(started) {
			time.Sleep(time.Millisecond)
		}
		cancel()
	}()
	var out bytes.Buffer
	err := run{ctx: ctx, out: &out}.list(func(l *checks) {
		l.check("sleeps", func(r run) error { return r.do("sh", "-c", "sleep 1000 & touch "+started+"; wait") })
		l.check("later", func(run) error { t.Error("a check started after the interrupt"); return nil })
	})
	if err == nil || !strings.Contains(out.String(), "FAILED: sleeps\n") {
		t.Errorf("%v\n%s", err, &out)
	}
}

// Notebooks that are missing or too large are rejected before any cell runs.
func TestNotebookSize(t *testing.T) {
	small, large := filepath.Join(t.TempDir(), "small"), filepath.Join(t.TempDir(), "large")
	for file, size := range map[string]int{small: maxNotebook, large: maxNotebook + 1} {
		if err := os.WriteFile(file, make([]byte, size), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := smallNotebooks([]string{small}); err != nil {
		t.Error(err)
	}
	if err := smallNotebooks([]string{small, large}); err == nil || strings.Contains(err.Error(), small) {
		t.Error(err)
	}
	r := run{ctx: t.Context(), out: &bytes.Buffer{}}
	if err := notebooks(r, t.TempDir(), []string{small + ".ipynb"}); err == nil {
		t.Error("no error for a notebook that does not exist")
	}
}

// The race detector is needed for code like checks.go, which the tests of this package call concurrently.
func TestEachFile(t *testing.T) {
	needs := map[bool]int{}
	err := eachFile(run{ctx: t.Context(), out: os.Stderr}, []string{"./tools/gate"}, func(path string, text []byte) {
		if path != modulePath+"/tools/gate" {
			t.Errorf("unexpected file of %s", path)
		}
		needs[concurrent.Match(text)]++
	})
	if err != nil || needs[true] < 3 || needs[false] < 3 { // checks.go, check.go, this file
		t.Errorf("%d files with concurrent code and %d without, %v", needs[true], needs[false], err)
	}
}

func TestVerbs(t *testing.T) {
	r := run{ctx: t.Context(), out: &bytes.Buffer{}}
	for _, args := range []string{"tests", "check .", "lint .", "long", "long fault", "notebooks out",
		"tidy -x", "test tables"} {
		words := strings.Fields(args)
		if err := verb(r, words[0], words[1:]); !errors.Is(err, errUsage) {
			t.Errorf("%s: %v", args, err)
		}
	}
}
