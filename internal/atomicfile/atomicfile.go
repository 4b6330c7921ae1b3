// Package atomicfile writes files that appear whole or not at all, and that survive a
// loss of power once they have appeared.
package atomicfile

import (
	"bufio"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
)

// Write writes the file path with mode 0644. The content that write produces goes to a
// temporary file in the same folder, which is forced to the disk and then renamed. If
// write or a step after it fails, the temporary file is removed and an older file of that
// path stays. An error of the file system is an *fs.PathError that names path.
func Write(path string, write func(io.Writer) error) (err error) {
	f, err := temporary(path)
	if err != nil {
		return err
	}
	defer func() { // also if write panics
		f.Close()           // a second time if all went well
		os.Remove(f.Name()) // which then no longer exists
	}()
	w := bufio.NewWriterSize(f, 1<<16)
	if err := write(w); err != nil {
		return about(path, err)
	}
	if err := w.Flush(); err != nil {
		return about(path, err)
	}
	return Commit(f, path)
}

// Commit forces f to the disk, closes it and renames it to path, in the same folder. Its
// errors are as of Write; it does not remove f.
func Commit(f *os.File, path string) error {
	for _, step := range []func() error{
		func() error { return f.Chmod(0o644) }, f.Sync, f.Close,
		func() error { return os.Rename(f.Name(), path) },
		func() error { return SyncDir(filepath.Dir(path)) },
	} {
		if err := step(); err != nil {
			return about(path, err)
		}
	}
	return nil
}

// Check returns the error that Write would return because of path, or nil. It leaves no
// file behind.
func Check(path string) error {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return &fs.PathError{Op: "write", Path: path, Err: errors.New("not a regular file")}
	}
	f, err := temporary(path)
	if err != nil {
		return err
	}
	return about(path, errors.Join(f.Close(), os.Remove(f.Name())))
}

// SyncDir forces the names of the files in a folder to the disk. It does nothing on
// systems and file systems that cannot do so, such as Windows.
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

// temporary creates a file beside path.
func temporary(path string) (*os.File, error) {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	return f, about(path, err)
}

// about makes an error of a temporary file one of path. Other errors stay.
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
