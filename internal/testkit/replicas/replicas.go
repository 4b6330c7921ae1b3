// Package replicas runs a function as several replicas in one program; see package share.
package replicas

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mpcvm/mpcvm/internal/share"
)

// Run runs f as a number of replicas at the same time, each with its rank and a context with its peers. It
// returns how many of them have left their peers.
func Run(t testing.TB, size int, f func(ctx context.Context, rank int)) (left int) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	defer time.AfterFunc(5*time.Minute, cancel).Stop()
	all, count := &results{of: map[string][]byte{}, changed: make(chan struct{})}, new(atomic.Int32)
	var wg sync.WaitGroup
	for rank := range size {
		wg.Go(func() {
			f(share.With(ctx, peers{all, rank, size}, func() { count.Add(1) }), rank)
		})
	}
	wg.Wait()
	return int(count.Load())
}

// results are what the replicas have sent.
type results struct {
	mu      sync.Mutex
	of      map[string][]byte
	changed chan struct{} // closed when a result comes
}

type peers struct {
	*results
	rank, size int
}

func (p peers) Rank() int { return p.rank }

func (p peers) Size() int { return p.size }

func (p peers) Send(key string, result []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if _, sent := p.of[key]; sent {
		panic(fmt.Sprintf("%s is sent twice", key))
	}
	p.of[key] = result
	close(p.changed)
	p.changed = make(chan struct{})
}

func (p peers) Receive(ctx context.Context, key string) ([]byte, error) {
	for {
		p.mu.Lock()
		result, sent := p.of[key]
		changed := p.changed
		p.mu.Unlock()
		if sent {
			return result, nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}
