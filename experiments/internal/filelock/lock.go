//go:build !js

package filelock

import (
	"os"

	"github.com/gofrs/flock"
)

// Lock is a lock held by this process.
type Lock struct{ file *flock.Flock }

// Exclusive locks the file path, which it creates if necessary, for this process only. It returns
// ErrBusy at once if another process holds a lock on it.
func Exclusive(path string) (*Lock, error) { return try(path, (*flock.Flock).TryLock) }

// Shared locks the file path for all processes that lock it as shared. Otherwise it is like
// Exclusive.
func Shared(path string) (*Lock, error) { return try(path, (*flock.Flock).TryRLock) }

func try(path string, lock func(*flock.Flock) (bool, error)) (*Lock, error) {
	f := flock.New(path, flock.SetFlag(os.O_CREATE|os.O_RDWR), flock.SetPermissions(0o644))
	held, err := lock(f)
	if err == nil && !held {
		err = ErrBusy
	}
	if err != nil {
		return nil, err
	}
	return &Lock{f}, nil
}

// Release releases the lock. The file remains.
func (l *Lock) Release() error { return l.file.Unlock() }
