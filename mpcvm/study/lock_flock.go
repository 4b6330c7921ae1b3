//go:build darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd

package study

import (
	"errors"
	"os"
	"syscall"
)

// lock takes a lock on the file of the given path, for many or for one, until the
// file is closed or the process ends, however it does. It fails at once with errBusy
// where another process has the lock.
func lock(path string, shared bool) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, err
	}
	how := syscall.LOCK_EX
	if shared {
		how = syscall.LOCK_SH
	}
	if err := syscall.Flock(int(f.Fd()), how|syscall.LOCK_NB); err != nil {
		f.Close()
		if errors.Is(err, syscall.EWOULDBLOCK) {
			return nil, errBusy
		}
		return nil, &os.PathError{Op: "lock", Path: path, Err: err}
	}
	return f, nil
}

// unlock gives the lock back.
func unlock(f *os.File) error { return f.Close() }
