//go:build js && wasm

// Package wire connects a Go program in a web worker with site/playground/worker.js. A program in a worker
// has one thread: messages of the page arrive only while it waits.
package wire

import (
	"context"
	"encoding/json"
	"fmt"
	"syscall/js"
	"time"
)

// Reply sends an answer to the page: a value, as JSON, and arrays from Bytes or Typed.
type Reply func(value any, arrays ...js.Value)

// Serve sets the global function play(request, bytes, reply), which answers a request by do, and waits for
// requests. An error of do, or its panic, is sent as {"error": text}.
func Serve(do func(request string, content []byte, reply Reply) error) {
	js.Global().Set("play", js.FuncOf(func(_ js.Value, args []js.Value) any {
		text, answer := args[0].String(), args[2]
		var content []byte
		if bytes := args[1]; !bytes.IsUndefined() {
			content = make([]byte, bytes.Length())
			js.CopyBytesToGo(content, bytes)
		}
		reply := func(value any, arrays ...js.Value) {
			message := []any{marshal(value)}
			for _, a := range arrays {
				message = append(message, a)
			}
			answer.Invoke(message...)
		}
		go func() {
			if err := guarded(func() error { return do(text, content, reply) }); err != nil {
				reply(map[string]string{"error": err.Error()})
			}
		}()
		return nil
	}))
	select {}
}

// guarded turns a panic of f into an error.
func guarded(f func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("fault of the engine: %v", v)
		}
	}()
	return f()
}

func marshal(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// Bytes copies bytes to a Uint8Array; nil becomes null.
func Bytes(content []byte) js.Value {
	if content == nil {
		return js.Null()
	}
	bytes := js.Global().Get("Uint8Array").New(len(content))
	js.CopyBytesToJS(bytes, content)
	return bytes
}

// slice is the time after which a program lets the worker handle its messages.
const slice = 8 * time.Millisecond

// Pause returns a function that lets the worker handle its messages if it has not done so for 8 ms. The
// global function soon(f) calls f in another task.
func Pause() func() {
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

// Polite returns a context whose Err calls pause, so that a program that asks for the error in its loops
// hears that it should stop; see internal/polled.
func Polite(ctx context.Context, pause func()) context.Context { return polite{ctx, pause} }

type polite struct {
	context.Context
	pause func()
}

// Err implements context.Context.
func (p polite) Err() error {
	p.pause()
	return p.Context.Err()
}
