package study

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mpcvm/mpcvm/internal/filelock"
)

// text is a file of a folder.
func text(t *testing.T, dir, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// What shards made in two folders, some of it twice, is merged into what one process makes.
func TestMerge(t *testing.T) {
	s, root := example(t), t.TempDir()
	one, a, b, merged := filepath.Join(root, "one"), filepath.Join(root, "a"), filepath.Join(root, "b"), filepath.Join(root, "merged")
	run(t, s, one)
	for i, dir := range []string{a, b, a} {
		s := s
		s.Shard, s.Shards = i+1, 3
		run(t, s, dir)
	}
	s.Systems = s.Systems[1:] // again, in the other folder
	run(t, s, b)
	torn := filepath.Join(b, "results-9-of-9.jsonl")
	if err := os.WriteFile(torn, []byte(`{"system":"pl`), 0o644); err != nil {
		t.Fatal(err)
	}

	m, err := Merge(merged, a, b)
	if err != nil || m != (Merged{24, 12, 0}) {
		t.Fatalf("%+v, %v", m, err)
	}
	if !slices.Equal(lines(t, one), lines(t, merged)) {
		t.Error("other results than those of one process")
	}
	first := text(t, merged, "results.jsonl")
	if !strings.HasPrefix(first, `{"system":"plain","dataset":"blobs","partition":2,`) || strings.Count(first, "\n") != 24 {
		t.Errorf("not in order: %s", first)
	}
	if m, err := Merge(merged, a, b); err != nil || m.Results != 24 || text(t, merged, "results.jsonl") != first {
		t.Errorf("merged again it is another: %+v, %v", m, err)
	}
	if rest, err := example(t).Plan(merged); err != nil || len(rest) != 0 {
		t.Errorf("%d runs are to be made, %v", len(rest), err)
	}
	if left, err := filepath.Glob(filepath.Join(merged, ".results*")); err != nil || len(left) != 0 {
		t.Errorf("left over: %q, %v", left, err)
	}
}

// Runs of the same name that differ are not merged, and nothing is written.
func TestMergeMismatch(t *testing.T) {
	s, root := example(t), t.TempDir()
	a, b, merged := filepath.Join(root, "a"), filepath.Join(root, "b"), filepath.Join(root, "merged")
	s.Systems, s.Only = s.Systems[1:], Testing
	run(t, s, a)
	s.Seed++
	run(t, s, b)
	if _, err := Merge(merged, a, b); !errors.Is(err, ErrMismatch) {
		t.Error(err)
	}
	if got := text(t, merged, "results.jsonl"); got != "" {
		t.Errorf("written: %s", got)
	}
	if _, err := Merge(merged, filepath.Join(root, "none")); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
}

// A failure is forgotten where the run has succeeded, in whichever folder.
func TestMergeFailures(t *testing.T) {
	root := t.TempDir()
	a, b := filepath.Join(root, "a"), filepath.Join(root, "b")
	failure := func(partition string) string {
		return `{"system":"plain","dataset":"blobs","partition":` + partition + `,"params":{"seed":1},"error":"no"}` + "\n"
	}
	for dir, lines := range map[string]string{a: failure("2") + failure("3"), b: failure("2")} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "failures.ndjson"), []byte(lines), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	result := `{"system":"plain","dataset":"blobs","partition":3,"n_train":1,"n_test":1,"err":0,"auc":null,"logloss":null,"fit_s":1,"predict_s":1,"n_basis":1,"n_weights":1,"params":{"seed":1}}` + "\n"
	if err := os.WriteFile(filepath.Join(b, "results.jsonl"), []byte(result), 0o644); err != nil {
		t.Fatal(err)
	}
	merged := filepath.Join(root, "merged")
	if m, err := Merge(merged, a, b); err != nil || m != (Merged{1, 0, 1}) {
		t.Errorf("%+v, %v", m, err)
	}
	if got := text(t, merged, "failures.ndjson"); got != failure("2") {
		t.Errorf("%s", got)
	}
	if got := text(t, merged, "results.jsonl"); got != result {
		t.Errorf("%s", got)
	}
}

// A study waits for another one's end, not beyond its patience nor its context.
func TestWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, dir := example(t), t.TempDir()
		s.Systems = s.Systems[1:]
		held, err := open(context.Background(), dir, "-1-of-2", 0)
		if err != nil {
			t.Fatal(err)
		}
		s.Shard, s.Shards, s.Wait = 1, 2, 300*time.Millisecond
		if _, err := s.Run(context.Background(), dir, nil); !errors.Is(err, filelock.ErrBusy) {
			t.Error(err)
		}
		ctx, cancel := context.WithCancel(context.Background())
		s.Wait = time.Minute
		time.AfterFunc(100*time.Millisecond, cancel)
		if _, err := s.Run(ctx, dir, nil); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		closed := make(chan error)
		time.AfterFunc(300*time.Millisecond, func() { closed <- held.close() })
		if sum, err := s.Run(context.Background(), dir, nil); err != nil || sum.Done != 6 {
			t.Errorf("%+v, %v", sum, err)
		}
		if err := <-closed; err != nil {
			t.Error(err)
		}
	})
}
