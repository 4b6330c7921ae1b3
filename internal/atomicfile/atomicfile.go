// Package atomicfile writes files that appear whole or not at all, and that survive a
// loss of power once they have appeared.
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
// folder, which is forced to the disk and then renamed. If write or a step after it fails, the
// temporary file is removed and an existing file stays as it was. An error of the file system is an
// *fs.PathError that names path.
//
// A new file gets mode 0666 minus the umask. A file that is replaced keeps its mode, so a private file
// stays private. The temporary file never has a wider mode than the result.
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
		f.Close()           // a second time if all went well
		os.Remove(f.Name()) // which then no longer exists
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
	if replaces { // the umask of today must not narrow the mode of the file
		steps = slices.Insert(steps, 1, func() error { return f.Chmod(mode) })
	}
	for _, step := range steps {
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
	f, err := temporary(path, 0o600)
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

// temporary creates a file next to path, with a mode that the umask narrows.
func temporary(path string, mode fs.FileMode) (*os.File, error) {
	for {
		name := filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+"."+strconv.FormatUint(rand.Uint64(), 36))
		f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, mode)
		if !errors.Is(err, fs.ErrExist) {
			return f, about(path, err)
		}
	}
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
