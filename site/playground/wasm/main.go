//go:build js && wasm

// Command wasm is the program in the playground's web worker. It makes site/internal/play available to JavaScript
// as the global function play(request, bytes, reply).
package main

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"syscall/js"
	"time"

	"github.com/mpcvm/mpcvm/site/internal/play"
)

// slice is the interval at which a fit lets the worker handle messages.
const slice = 8 * time.Millisecond

func main() {
	engine := &play.Engine{Pause: pause(), Every: 40 * time.Millisecond}
	js.Global().Set("play", js.FuncOf(func(_ js.Value, args []js.Value) any {
		text, reply := args[0].String(), args[2]
		var content []byte
		if bytes := args[1]; !bytes.IsUndefined() {
			content = make([]byte, bytes.Length())
			js.CopyBytesToGo(content, bytes)
		}
		go func() {
			if err := do(engine, text, content, reply); err != nil {
				reply.Invoke(marshal(map[string]string{"error": err.Error()}))
			}
		}()
		return nil
	}))
	select {}
}

// do answers a request. reply(json, field, weights) is called for each answer.
func do(engine *play.Engine, text string, content []byte, reply js.Value) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("internal error of the engine: %v", v)
		}
	}()
	q := play.Request{Bytes: content}
	if err := json.Unmarshal([]byte(text), &q); err != nil {
		return err
	}
	return engine.Do(context.Background(), q, func(r play.Reply) {
		reply.Invoke(marshal(r.Value), typed("Float32Array", r.Field), typed("Float64Array", r.Weights))
	})
}

func marshal(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(text)
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
	bytes := js.Global().Get("Uint8Array").New(len(content))
	js.CopyBytesToJS(bytes, content)
	return js.Global().Get(kind).New(bytes.Get("buffer"))
}

// pause returns a function that yields to the worker's event loop if it has not done so for the time of a slice.
// The global function soon(f) calls f in another task.
func pause() func() {
	last := time.Now()
	return func() {
		if time.Since(last) < slice {
			return
		}
		done := make(chan struct{})
		f := js.FuncOf(func(js.Value, []js.Value) any {
			close(done)
			return nil
		})
		js.Global().Call("soon", f)
		<-done
		f.Release()
		last = time.Now()
	}
}
