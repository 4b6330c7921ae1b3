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
	for {
		f := flock.New(path, flock.SetFlag(os.O_CREATE|os.O_RDWR), flock.SetPermissions(0o644))
		held, err := lock(f)
		if err != nil {
			return nil, err
		}
		if !held {
			return nil, ErrBusy
		}
		// Another process may have removed the file between its opening and its locking.
		locked, err := f.Stat()
		if there, errThere := os.Stat(path); err == nil && errThere == nil && os.SameFile(locked, there) {
			return &Lock{f}, nil
		}
		if err := f.Unlock(); err != nil {
			return nil, err
		}
	}
}

// Release releases the lock. The file remains.
func (l *Lock) Release() error { return l.file.Unlock() }

// Remove removes the file and releases the lock. On systems that do not remove open files, such as
// Windows, the file may remain.
func (l *Lock) Remove() error {
	err := os.Remove(l.file.Path())
	unlockErr := l.file.Unlock()
	if err != nil {
		_ = os.Remove(l.file.Path()) // another process may have opened it since
	}
	return unlockErr
}
