//go:build js && wasm

// Command wasm makes packages internal/compose and site/internal/complete available to a page.
// mpcvmCompose(operation, value) takes a value in JSON and returns {"value": ...} or {"error": ...}, also
// in JSON.
package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"syscall/js"

	"github.com/mpcvm/mpcvm/internal/compose"
	"github.com/mpcvm/mpcvm/site/internal/complete"
)

// completer reads the archives of packages from the page: mpcvmArchive(path) returns a Uint8Array or null. The
// operation "packages" sets its packages once.
var completer = complete.New(func(path string) (io.ReadCloser, error) {
	archive := js.Global().Call("mpcvmArchive", path)
	if archive.IsNull() {
		return nil, fmt.Errorf("no package %s", path)
	}
	content := make([]byte, archive.Length())
	js.CopyBytesToGo(content, archive)
	return io.NopCloser(bytes.NewReader(content)), nil
})

var operations = map[string]func(text []byte) (any, error){
	"packages": func(text []byte) (any, error) { return nil, json.Unmarshal(text, &completer.Packages) },
	"compose": operation(func(r struct {
		State        *compose.State
		Cell, Source string
	}) (any, error) {
		if r.State == nil {
			r.State = &compose.State{}
		}
		p, err := compose.Compose(*r.State, r.Cell, r.Source, completer.Packages)
		if faults := (compose.Errors)(nil); errors.As(err, &faults) {
			return map[string]any{"errors": faults}, nil
		}
		return p, err
	}),
	"explain": operation(func(r struct{ Said, Cell string }) (any, error) {
		return compose.Explain(r.Said, r.Cell), nil
	}),
	"trace":  operation(func(said string) (any, error) { return compose.Trace(said), nil }),
	"items":  operation(func(source string) (any, error) { return completer.Items(source), nil }),
	"format": operation(func(source string) (any, error) { return compose.Format(source) }),
	"digest": operation(func(text string) (any, error) {
		return fmt.Sprintf("%x", sha256.Sum256([]byte(text))), nil
	}),
}

// operation returns an operation on the value that its argument encodes.
func operation[T any](do func(T) (any, error)) func([]byte) (any, error) {
	return func(text []byte) (any, error) {
		var value T
		if err := json.Unmarshal(text, &value); err != nil {
			return nil, err
		}
		return do(value)
	}
}

func main() {
	js.Global().Set("mpcvmCompose", js.FuncOf(func(_ js.Value, a []js.Value) any {
		answer := map[string]any{}
		do := operations[a[0].String()]
		if do == nil {
			answer["error"] = fmt.Sprintf("unknown operation %q", a[0].String())
		} else if value, err := do([]byte(a[1].String())); err != nil {
			answer["error"] = err.Error()
		} else {
			answer["value"] = value
		}
		text, err := json.Marshal(answer)
		if err != nil {
			panic(err) // cannot happen: all values are made here
		}
		return string(text)
	}))
	select {}
}
