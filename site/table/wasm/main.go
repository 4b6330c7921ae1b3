//go:build js && wasm

// Command wasm is the program in the web workers of the page "Your table": site/internal/analysis. The tags
// excel and parquet add the readers of Excel and Parquet files.
package main

import (
	"context"
	"encoding/json"
	"sync"

	"github.com/mpcvm/mpcvm/site/internal/analysis"
	"github.com/mpcvm/mpcvm/site/internal/wire"
)

func main() {
	var session analysis.Session
	var mu sync.Mutex
	stop := func() {} // ends the request that runs
	pause := wire.Pause()
	wire.Serve(func(request string, content []byte, reply wire.Reply) error {
		q := analysis.Request{Bytes: content}
		if err := json.Unmarshal([]byte(request), &q); err != nil {
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
		return session.Do(wire.Polite(ctx, pause), q, func(r analysis.Reply) {
			reply(r.Value, wire.Bytes(r.Bytes))
		})
	})
}
