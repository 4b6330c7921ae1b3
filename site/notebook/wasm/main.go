//go:build js && wasm

// Command wasm makes package internal/compose available to a page. mpcvmCompose(operation, value) takes
// a value in JSON and returns {"value": ...} or {"error": ...}, also in JSON.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"syscall/js"

	"github.com/mpcvm/mpcvm/internal/compose"
)

// packages is set once, by the operation "packages".
var packages compose.Packages

var operations = map[string]func(text []byte) (any, error){
	"packages": func(text []byte) (any, error) { return nil, json.Unmarshal(text, &packages) },
	"compose": func(text []byte) (any, error) {
		var r struct {
			State        *compose.State
			Cell, Source string
		}
		if err := json.Unmarshal(text, &r); err != nil {
			return nil, err
		}
		if r.State == nil {
			r.State = &compose.State{}
		}
		p, err := compose.Compose(*r.State, r.Cell, r.Source, packages)
		if faults := (compose.Errors)(nil); errors.As(err, &faults) {
			return map[string]any{"errors": faults}, nil
		}
		return p, err
	},
	"explain": func(text []byte) (any, error) {
		var r struct{ Said, Cell string }
		err := json.Unmarshal(text, &r)
		return compose.Explain(r.Said, r.Cell), err
	},
	"trace": func(text []byte) (any, error) {
		var said string
		err := json.Unmarshal(text, &said)
		return compose.Trace(said), err
	},
	"format": func(text []byte) (any, error) {
		var source string
		if err := json.Unmarshal(text, &source); err != nil {
			return nil, err
		}
		return compose.Format(source)
	},
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
