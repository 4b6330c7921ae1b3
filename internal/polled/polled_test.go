package polled

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/mpcvm/mpcvm/internal/testkit/must"
)

// asked is a context that ends at a call of Err, without a word on its channel.
type asked struct {
	context.Context
	calls, most int
}

func (a *asked) Err() error {
	if a.calls++; a.calls > a.most {
		return context.Canceled
	}
	return nil
}

// TestAsksParent: a context learns from its parent's Err that the parent has ended.
func TestAsksParent(t *testing.T) {
	parent := &asked{Context: context.Background(), most: 2}
	child, cancel := WithCancel(parent)
	defer cancel()
	grandchild, stop := WithDeadline(child, time.Now().Add(time.Hour))
	defer stop()
	must.OK(t, grandchild.Err())
	must.OK(t, child.Err())
	if err := grandchild.Err(); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v after the parent has ended", err)
	}
}

// TestEnds: the contexts end on their own, too, and cancel what is derived from them by package context.
func TestEnds(t *testing.T) {
	ctx, cancel := WithCancel(context.Background())
	below, stop := context.WithCancel(ctx)
	defer stop()
	cancel()
	<-below.Done()
	if ctx.Err() != context.Canceled || below.Err() != context.Canceled {
		t.Errorf("errors %v and %v after a cancel", ctx.Err(), below.Err())
	}
	late, stop := WithDeadline(context.Background(), time.Unix(0, 0))
	defer stop()
	if <-late.Done(); late.Err() != context.DeadlineExceeded {
		t.Errorf("error %v after the deadline", late.Err())
	}
	if end, ok := late.Deadline(); !ok || !end.Equal(time.Unix(0, 0)) {
		t.Errorf("deadline %v", end)
	}
}
