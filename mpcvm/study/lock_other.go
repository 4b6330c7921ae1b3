//go:build !(darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd)

package study

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// lock makes a file that must not be there yet. There is no lock here that a killed
// process gives back by itself: its file has to be removed by hand. Shared locks are
// not held.
func lock(path string, shared bool) (*os.File, error) {
	if shared {
		return nil, nil
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return nil, fmt.Errorf("%w; if it was killed, remove %s", errBusy, path)
	}
	return f, err
}

// unlock gives the lock back.
func unlock(f *os.File) error {
	if f == nil {
		return nil
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}
