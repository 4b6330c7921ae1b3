//go:build linux

package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/mpcvm/mpcvm/internal/testkit/must"
)

// disk mounts a file system of the given size in bytes until the test ends. It returns its folder,
// and a function that fills it up to a number of bytes. The test is skipped if mounting is not
// allowed.
func disk(t *testing.T, size int) (dir string, fill func(but int)) {
	t.Helper()
	dir = t.TempDir()
	if err := syscall.Mount("none", dir, "tmpfs", 0, fmt.Sprintf("size=%d", size)); err != nil {
		t.Skipf("NOT TESTED: mounting a file system requires root: %v", err)
	}
	t.Cleanup(func() { must.OK(t, syscall.Unmount(dir, syscall.MNT_DETACH)) })
	return dir, func(but int) {
		path := filepath.Join(dir, "full")
		_ = os.Remove(path)
		var s syscall.Statfs_t
		must.OK(t, syscall.Statfs(dir, &s))
		must.OK(t, os.WriteFile(path, make([]byte, int(s.Bavail)*int(s.Bsize)-but), 0o600))
	}
}

// A study on a full disk ends with an error, keeps the lines written before, and continues when
// there is space again.
func TestFullDisk(t *testing.T) {
	dir, fill := disk(t, 1<<20)
	const args = "run --data iris --systems mpcvm2 --theta 0.1,0.2 --tune 0-4 --test 5-19 --jobs 2 --out"
	alone, out := filepath.Join(t.TempDir(), "alone"), filepath.Join(dir, "out")
	good(t, args, alone)
	must.OK(t, os.Mkdir(out, 0o755))
	stops := 0
	for room := 0; ; room += 4096 {
		fill(room)
		code, _, errOut := try(t, args, out)
		if code == 0 {
			break
		}
		if stops++; code != failed || !strings.Contains(errOut, "no space left") || stops > 20 {
			t.Fatalf("status %d after %d stops: %s", code, stops, errOut)
		}
		if code, _, errOut := try(t, "tables --from", out); code == misused || strings.Contains(errOut, "line") {
			t.Errorf("no tables of the finished runs: %s", errOut)
		}
	}
	if stops < 2 {
		t.Errorf("the disk was full only %d times", stops)
	}
	if got, want := resultLines(t, out), resultLines(t, alone); !slices.Equal(got, want) {
		t.Errorf("after %d stops:\n%s\nwant\n%s", stops, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// full simulates standard output on a full disk.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, syscall.ENOSPC }

// A command that cannot print its result fails.
func TestFullOutput(t *testing.T) {
	results := t.TempDir()
	study := "run --data iris --whole --theta 1 --systems mpcvm2 --out " + results
	good(t, study)
	for _, args := range []string{
		study, study + " --dry-run", "tables --from " + results,
	} {
		var errOut bytes.Buffer
		code := run(t.Context(), strings.Fields(args), full{}, &errOut)
		if code != failed || !strings.Contains(errOut.String(), "no space left") {
			t.Errorf("%s: status %d, %s", args, code, errOut.String())
		}
		if code := run(t.Context(), strings.Fields(args), io.Discard, full{}); code != 0 {
			t.Errorf("%s: status %d if its progress cannot be written", args, code)
		}
	}
}
