// Package filelock keeps processes from writing to the same file. A lock ends with the process that
// holds it, however the process ends. Systems without file locks, such as Plan 9, return an error.
// In a browser, where a program does not share its files, a lock has no effect.
package filelock

import (
	"context"
	"errors"
	"time"
)

// ErrBusy is returned if another process holds the lock.
var ErrBusy = errors.New("another process is writing to it")

// interval is the time between attempts to get a lock.
const interval = 200 * time.Millisecond

// Wait calls lock until its error is not ErrBusy, ctx ends or the deadline has passed, but at least
// once.
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
