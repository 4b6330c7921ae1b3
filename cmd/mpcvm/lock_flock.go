//go:build darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd

package main

import (
	"errors"
	"os"
	"syscall"
)

var errBusy = errors.New("another process is writing it")

// openLocked opens a file, which it makes if need be, for this process alone until the
// file is closed or the process ends, however it does.
func openLocked(path string) (*os.File, error) {
	for {
		f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
		if err != nil {
			return nil, err
		}
		if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
			f.Close()
			if errors.Is(err, syscall.EWOULDBLOCK) {
				return nil, errBusy
			}
			return nil, &os.PathError{Op: "lock", Path: path, Err: err}
		}
		// Another process may have renamed or removed it since.
		here, err := f.Stat()
		if there, errThere := os.Stat(path); err == nil && errThere == nil && os.SameFile(here, there) {
			return f, nil
		}
		f.Close()
	}
}
