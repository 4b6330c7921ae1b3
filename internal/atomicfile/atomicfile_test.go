package atomicfile

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mpcvm/mpcvm/internal/testkit/must"
)

func write(text string) func(io.Writer) error {
	return func(w io.Writer) error { _, err := io.WriteString(w, text); return err }
}

// only fails unless the folder holds exactly one file, with the given text.
func only(t *testing.T, path, text string) {
	t.Helper()
	files := must.Get(os.ReadDir(filepath.Dir(path)))(t)
	if got, err := os.ReadFile(path); err != nil || string(got) != text || len(files) != 1 {
		t.Errorf("%q, %v in a folder of %d files, want %q", got, err, len(files), text)
	}
}

func TestWrite(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.txt")
	long := strings.Repeat("first", 1<<15) // more than the buffer
	must.OK(t, Write(path, write(long)))
	only(t, path, long)
	if info, err := os.Stat(path); err != nil || info.Mode().Perm()&0o700 != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	must.OK(t, Write(path, write("second")))
	only(t, path, "second")

	// A failed write leaves the old file and nothing else.
	errWrite := errors.New("write failed")
	err := Write(path, func(w io.Writer) error { _ = write(long)(w); return errWrite })
	if err != errWrite {
		t.Errorf("%v, want the error of the writer", err)
	}
	only(t, path, "second")
	func() {
		defer func() { _ = recover() }()
		_ = Write(path, func(io.Writer) error { panic("half") })
	}()
	only(t, path, "second")
	if err := Check(path); err != nil {
		t.Error(err)
	}
	only(t, path, "second")
}

// Errors name the requested path, not the temporary file.
func TestErrors(t *testing.T) {
	dir := t.TempDir()
	absent, folder := filepath.Join(dir, "no", "x"), filepath.Join(dir, "folder")
	must.OK(t, os.MkdirAll(filepath.Join(folder, "in it"), 0o755))
	for path, errs := range map[string][]error{
		absent: {Write(absent, write("")), Check(absent)},
		folder: {Write(folder, write("")), Check(folder)},
	} {
		for i, err := range errs {
			var e *fs.PathError
			if !errors.As(err, &e) || e.Path != path {
				t.Errorf("%s, %d: %v", path, i, err)
			}
		}
	}
	if files, err := os.ReadDir(dir); err != nil || len(files) != 1 {
		t.Errorf("left behind: %v, %v", files, err)
	}
	if err := SyncDir(dir); err != nil {
		t.Error(err)
	}
	if err := SyncDir(filepath.Join(dir, "no")); err == nil {
		t.Error("no error for a folder that does not exist")
	}
}
