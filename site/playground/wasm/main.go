//go:build js && wasm

// Command wasm is the program in the playground's web worker: site/internal/play.
package main

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"syscall/js"
	"time"

	"github.com/mpcvm/mpcvm/site/internal/play"
	"github.com/mpcvm/mpcvm/site/internal/wire"
)

func main() {
	engine := &play.Engine{Pause: wire.Pause(), Every: 40 * time.Millisecond}
	wire.Serve(func(request string, _ []byte, reply wire.Reply) error {
		var q play.Request
		if err := json.Unmarshal([]byte(request), &q); err != nil {
			return err
		}
		return engine.Do(context.Background(), q, func(r play.Reply) {
			reply(r.Value, typed("Float32Array", r.Field), typed("Float64Array", r.Weights))
		})
	})
}

// typed copies numbers to a typed array; nil becomes null.
func typed[T float32 | float64](kind string, numbers []T) js.Value {
	if numbers == nil {
		return js.Null()
	}
	content, err := binary.Append(nil, binary.LittleEndian, numbers)
	if err != nil {
		panic(err)
	}
	return js.Global().Get(kind).New(wire.Bytes(content).Get("buffer"))
}
