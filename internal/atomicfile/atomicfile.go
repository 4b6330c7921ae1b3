// Package atomicfile writes files atomically: a file appears complete or not at all, and once it has
// appeared it survives a power failure.
package atomicfile

import (
	"bufio"
	"errors"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"syscall"
)

// Write writes the file path. The content that write produces goes to a temporary file in the same
// folder, which is synced to disk and then renamed. If write or a later step fails, the temporary
// file is removed and an existing file is left unchanged. Errors of the file system are of type
// *fs.PathError and name path.
//
// A new file gets mode 0666 minus the umask. A replaced file keeps its mode, so a private file stays
// private. The mode of the temporary file is never wider than the final mode.
func Write(path string, write func(io.Writer) error) (err error) {
	mode := fs.FileMode(0o666)
	old, err := os.Stat(path)
	replaces := err == nil && old.Mode().IsRegular()
	if replaces {
		mode = old.Mode().Perm()
	}
	f, err := temporary(path, mode)
	if err != nil {
		return err
	}
	defer func() { // also if write panics
		f.Close()           // redundant on success
		os.Remove(f.Name()) // fails harmlessly on success
	}()
	w := bufio.NewWriterSize(f, 1<<16)
	if err := write(w); err != nil {
		return about(path, err)
	}
	steps := []func() error{
		w.Flush, f.Sync, f.Close,
		func() error { return os.Rename(f.Name(), path) },
		func() error { return SyncDir(filepath.Dir(path)) },
	}
	if replaces { // the umask must not change the mode of an existing file
		steps = slices.Insert(steps, 1, func() error { return f.Chmod(mode) })
	}
	for _, step := range steps {
		if err := step(); err != nil {
			return about(path, err)
		}
	}
	return nil
}

// Check returns the error that Write would return because of path, or nil. It does not leave a file
// behind.
func Check(path string) error {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return &fs.PathError{Op: "write", Path: path, Err: errors.New("not a regular file")}
	}
	f, err := temporary(path, 0o600)
	if err != nil {
		return err
	}
	return about(path, errors.Join(f.Close(), os.Remove(f.Name())))
}

// SyncDir syncs the entries of a folder to disk. It does nothing on systems and file systems that do
// not support this, such as Windows.
func SyncDir(dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	if err := d.Sync(); err != nil && !errors.Is(err, errors.ErrUnsupported) && !errors.Is(err, syscall.EINVAL) {
		return err
	}
	return nil
}

// temporary creates a file next to path, with a mode reduced by the umask.
func temporary(path string, mode fs.FileMode) (*os.File, error) {
	for {
		name := filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+"."+strconv.FormatUint(rand.Uint64(), 36))
		f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, mode)
		if !errors.Is(err, fs.ErrExist) {
			return f, about(path, err)
		}
	}
}

// about replaces the path in an error of the temporary file by path. Other errors are unchanged.
func about(path string, err error) error {
	var inPath *fs.PathError
	var inLink *os.LinkError
	switch {
	case errors.As(err, &inPath):
		return &fs.PathError{Op: "write", Path: path, Err: inPath.Err}
	case errors.As(err, &inLink):
		return &fs.PathError{Op: "write", Path: path, Err: inLink.Err}
	}
	return err
}
