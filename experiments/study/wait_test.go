package study

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mpcvm/mpcvm/experiments/internal/filelock"
	"github.com/mpcvm/mpcvm/internal/testkit/must"
)

// A study waits for another one to end, until Wait has passed or its context ends.
func TestWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, dir := example(t), t.TempDir()
		s.Systems = s.Systems[1:]
		held := must.Get(open(context.Background(), dir, "-1-of-2", 0))(t)
		s.Shard, s.Shards, s.Wait = 1, 2, 300*time.Millisecond
		if _, err := s.Run(context.Background(), dir, nil); !errors.Is(err, filelock.ErrBusy) {
			t.Error(err)
		}
		ctx, cancel := context.WithCancel(context.Background())
		s.Wait = time.Minute
		time.AfterFunc(100*time.Millisecond, cancel)
		if _, err := s.Run(ctx, dir, nil); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		closed := make(chan error)
		time.AfterFunc(300*time.Millisecond, func() { closed <- held.close() })
		if sum, err := s.Run(context.Background(), dir, nil); err != nil || sum.Done != 6 {
			t.Errorf("%+v, %v", sum, err)
		}
		if err := <-closed; err != nil {
			t.Error(err)
		}
	})
}
