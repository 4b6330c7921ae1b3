//go:build js && wasm

// Command wasm is the program in the web workers of the page "Your table": site/internal/analysis. The tags
// excel and parquet add the readers of Excel and Parquet files.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"sync"

	"github.com/mpcvm/mpcvm/internal/share"
	"github.com/mpcvm/mpcvm/site/internal/analysis"
	"github.com/mpcvm/mpcvm/site/internal/wire"
)

func main() {
	var session analysis.Session
	var mu sync.Mutex
	stop := func() {} // ends the request that runs
	pause, peers := wire.Pause(), wire.NewPeers()
	wire.Serve(func(request string, content []byte, reply wire.Reply) error {
		q := analysis.Request{Bytes: content}
		var among struct{ Rank, Size int } // of workers that make the same fit
		if err := errors.Join(json.Unmarshal([]byte(request), &q), json.Unmarshal([]byte(request), &among)); err != nil {
			return err
		}
		if q.Op == "stop" {
			stop()
			reply(struct{}{})
			return nil
		}
		mu.Lock()
		defer mu.Unlock()
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		stop = cancel
		ctx = wire.Polite(ctx, pause)
		if among.Size > 1 {
			peers.Begin(among.Rank, among.Size)
			ctx = share.With(ctx, peers, peers.Left)
		}
		return session.Do(ctx, q, func(r analysis.Reply) {
			reply(r.Value, wire.Bytes(r.Bytes))
		})
	})
}
