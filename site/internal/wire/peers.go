//go:build js && wasm

package wire

import (
	"context"
	"errors"
	"sync"
	"syscall/js"
	"time"
)

// Peers are the other workers of a page that run the same computation; see internal/share. The page passes
// the results on: the global function tell(key, bytes) sends one, and hear(key, bytes), which Peers sets,
// receives one. An empty key ends the connection.
type Peers struct {
	rank, size int

	mu   sync.Mutex
	got  map[string][]byte
	lost bool
	news chan struct{} // holds a token if something has arrived
}

// NewPeers returns peers that hear from now on. Begin connects them.
func NewPeers() *Peers {
	p := &Peers{got: map[string][]byte{}, news: make(chan struct{}, 1)}
	js.Global().Set("hear", js.FuncOf(func(_ js.Value, args []js.Value) any {
		p.mu.Lock()
		if key := args[0].String(); key == "" {
			p.lost = true
		} else {
			content := make([]byte, args[1].Length())
			js.CopyBytesToGo(content, args[1])
			p.got[key] = content
		}
		p.mu.Unlock()
		select {
		case p.news <- struct{}{}:
		default:
		}
		return nil
	}))
	return p
}

// Begin makes this worker one of several that begin a computation. A worker other than the first of them makes
// one computation only, so that what it has heard belongs to that.
func (p *Peers) Begin(rank, size int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.rank, p.size = rank, size; rank == 0 {
		p.got, p.lost = map[string][]byte{}, false
	}
}

// Rank implements share.Peers.
func (p *Peers) Rank() int { return p.rank }

// Size implements share.Peers.
func (p *Peers) Size() int { return p.size }

// Send implements share.Peers.
func (p *Peers) Send(key string, result []byte) {
	if result == nil {
		result = []byte{}
	}
	js.Global().Call("tell", key, Bytes(result))
}

// Left tells the page that this worker goes on alone.
func (p *Peers) Left() { js.Global().Call("tell", "", js.Null()) }

// Receive implements share.Peers.
func (p *Peers) Receive(ctx context.Context, key string) ([]byte, error) {
	for {
		p.mu.Lock()
		result, there := p.got[key]
		delete(p.got, key)
		lost := p.lost
		p.mu.Unlock()
		switch {
		case there:
			return result, nil
		case lost:
			return nil, errors.New("the other workers have ended")
		case ctx.Err() != nil:
			return nil, ctx.Err()
		}
		select {
		case <-p.news:
		case <-time.After(50 * time.Millisecond): // to ask for the error of ctx
		}
	}
}
