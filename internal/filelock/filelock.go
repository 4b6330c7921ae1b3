// Package filelock keeps processes from writing the same file. A lock ends with the
// process that holds it, however the process ends. Systems without file locks, such as
// Plan 9, get an error.
package filelock

import (
	"context"
	"errors"
	"os"
	"time"

	"github.com/gofrs/flock"
)

// ErrBusy is the error of a lock that another process holds.
var ErrBusy = errors.New("another process is writing to it")

// interval is the time between attempts to get a lock.
const interval = 200 * time.Millisecond

// Lock is a lock that this process holds.
type Lock struct{ file *flock.Flock }

// Exclusive locks the file path, which it creates if necessary, for this process alone.
// It returns ErrBusy at once if another process holds a lock on it.
func Exclusive(path string) (*Lock, error) { return try(path, (*flock.Flock).TryLock) }

// Shared locks the file path for all processes that lock it as shared. Otherwise it is
// as Exclusive.
func Shared(path string) (*Lock, error) { return try(path, (*flock.Flock).TryRLock) }

// Wait calls lock until its error is not ErrBusy, ctx ends or the deadline has passed, but
// at least once.
func Wait(ctx context.Context, deadline time.Time, lock func() (*Lock, error)) (*Lock, error) {
	for {
		l, err := lock()
		if !errors.Is(err, ErrBusy) || time.Until(deadline) <= 0 {
			return l, err
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(interval):
		}
	}
}

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

// Release gives the lock back. The file stays.
func (l *Lock) Release() error { return l.file.Unlock() }

// Remove removes the file and gives the lock back. If the system does not remove open
// files, as Windows, the file may stay.
func (l *Lock) Remove() error {
	err := os.Remove(l.file.Path())
	unlockErr := l.file.Unlock()
	if err != nil {
		_ = os.Remove(l.file.Path()) // another process may have opened it since
	}
	return unlockErr
}
