// Package polled derives contexts whose Err asks the parent each time. Package context passes the end of a
// parent on by its channel, which is enough for goroutines that run in parallel. In a web page there is one
// thread: a parent learns that the user has pressed Stop only while the program waits, and a parent of
// site/internal/wire waits when its Err is called. Programs that ask ctx.Err() in their loops therefore stop
// in time if each context between them and the parent is one of these.
package polled

import (
	"context"
	"time"
)

// derived is a context that asks its parent.
type derived struct {
	context.Context
	parent context.Context
}

// Err implements context.Context.
func (d derived) Err() error {
	if err := d.parent.Err(); err != nil {
		return err
	}
	return d.Context.Err()
}

// WithCancel is context.WithCancel.
func WithCancel(parent context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(parent)
	return derived{ctx, parent}, cancel
}

// WithDeadline is context.WithDeadline.
func WithDeadline(parent context.Context, end time.Time) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithDeadline(parent, end)
	return derived{ctx, parent}, cancel
}
