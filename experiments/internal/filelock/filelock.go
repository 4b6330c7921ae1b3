// Package filelock keeps processes from writing the same file. A lock ends with the
// process that holds it, however the process ends. Systems without file locks, such as
// Plan 9, get an error. In a browser a program is alone with its files, and a lock does nothing.
package filelock

import (
	"context"
	"errors"
	"time"
)

// ErrBusy is the error of a lock that another process holds.
var ErrBusy = errors.New("another process is writing to it")

// interval is the time between attempts to get a lock.
const interval = 200 * time.Millisecond

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
