// Package atomicfile writes files atomically: a file appears complete or not at all, and once it has
// appeared it survives a power failure.
package atomicfile

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"syscall"
)

// Write writes the file path. The content that write produces goes to a temporary file in the same
// folder, which is synced to disk and then renamed. If write or a later step fails, the temporary
// file is removed and an existing file is left unchanged. Errors of the file system are of type
// *fs.PathError and name path.
//
// If path is a symbolic link, the file that it leads to is written. A new file gets mode 0666 minus the umask. A
// replaced file keeps its mode, so a private file stays private; a read-only file is not replaced. The mode of
// the temporary file is never wider than the final mode. Temporary files of killed processes are removed.
func Write(path string, write func(io.Writer) error) error {
	target, mode, err := destination(path)
	if err != nil {
		return about(path, err)
	}
	f, release, err := temporary(target, cmp.Or(mode, 0o666))
	if err != nil {
		return about(path, err)
	}
	defer func() { // also if write panics
		f.Close()           // redundant on success
		os.Remove(f.Name()) // fails harmlessly on success
		release()
	}()
	w := bufio.NewWriterSize(writer{f, path}, 1<<16)
	if err := write(w); err != nil {
		return about(path, err)
	}
	for _, step := range []struct {
		name string
		do   func() error
	}{
		{"flush", w.Flush},
		{"chmod", func() error {
			if mode == 0 {
				return nil
			}
			return f.Chmod(mode) // the umask must not change the mode of an existing file
		}},
		{"sync", f.Sync}, {"close", f.Close},
		{"rename", func() error { return os.Rename(f.Name(), target) }},
		{"sync folder", func() error { return SyncDir(filepath.Dir(target)) }},
	} {
		err := fault(step.name)
		if err == nil {
			err = step.do()
		}
		if err != nil {
			return about(path, err)
		}
	}
	return nil
}

// Check returns the error that Write would return because of path, or nil. It does not leave a file
// behind.
func Check(path string) error {
	target, _, err := destination(path)
	if err != nil {
		return about(path, err)
	}
	f, release, err := temporary(target, 0o600)
	if err != nil {
		return about(path, err)
	}
	defer release()
	return about(path, errors.Join(f.Close(), os.Remove(f.Name())))
}

// destination follows symbolic links to the file that Write replaces. The mode is 0 for a new file.
func destination(path string) (target string, mode fs.FileMode, err error) {
	target = path
	for range 40 { // like Linux
		to, err := os.Readlink(target)
		if err != nil {
			break
		}
		if !filepath.IsAbs(to) {
			dir, _ := filepath.Split(target)
			to = dir + to
		}
		target = to
	}
	info, err := os.Stat(target)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return target, 0, nil
	case err != nil:
		return "", 0, err
	case !info.Mode().IsRegular():
		return "", 0, &fs.PathError{Op: "write", Path: path, Err: errors.New("not a regular file")}
	}
	f, err := os.OpenFile(target, os.O_WRONLY, 0)
	if err == nil {
		err = f.Close()
	}
	if err == nil && info.Mode()&0o222 == 0 { // root may write it
		err = &fs.PathError{Op: "write", Path: path, Err: errors.New("the file is read-only")}
	}
	return target, info.Mode().Perm(), err
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

// temporary creates a file next to target, with a mode reduced by the umask. It first removes the temporary files of
// killed processes. Until release is called, no other process removes the new one.
func temporary(target string, mode fs.FileMode) (f *os.File, release func(), err error) {
	const digits, suffix, longest = 16, ".tmp", 200
	if err := fault("create"); err != nil {
		return nil, nil, err
	}
	dir, base := filepath.Split(target)
	prefix := "." + strings.ToValidUTF8(base[:min(len(base), longest)], "") + "."
	entries, _ := os.ReadDir(cmp.Or(dir, "."))
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), prefix) && strings.HasSuffix(e.Name(), suffix) &&
			len(e.Name()) == len(prefix)+digits+len(suffix) && e.Type().IsRegular() {
			removeUnused(dir + e.Name())
		}
	}
	for {
		f, err := os.OpenFile(fmt.Sprintf("%s%s%0*x%s", dir, prefix, digits, rand.Uint64(), suffix),
			os.O_RDWR|os.O_CREATE|os.O_EXCL, mode)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return nil, nil, err
		}
		if release, ok := hold(f); ok {
			return f, release, nil
		}
		f.Close() // another process has removed it before it was held
	}
}

// writer writes to a temporary file for path.
type writer struct {
	file *os.File
	path string
}

func (w writer) Write(p []byte) (n int, err error) {
	if err = fault("write"); err == nil {
		n, err = w.file.Write(p)
	}
	return n, about(w.path, err)
}

var injected atomic.Pointer[func(call string) error]

// Inject calls f before each later call of the file system by Write and Check, until restore is called. If f
// returns an error, it is the result of the call. It is for tests.
func Inject(f func(call string) error) (restore func()) {
	before := injected.Swap(&f)
	return func() { injected.Store(before) }
}

func fault(call string) error {
	if f := injected.Load(); f != nil {
		return (*f)(call)
	}
	return nil
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
