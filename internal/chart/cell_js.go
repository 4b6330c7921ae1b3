package chart

import (
	"context"
	"math/rand/v2"
	"strconv"
	web "syscall/js"
)

// Here is the host of this program.
var Here Host = page{web.Global().Get("mpcvmCell")}

// page is the worker of the page that runs the program of the cell. Its functions are in
// site/notebook/program.js.
type page struct{ of web.Value }

func (p page) Notebook() bool         { return p.of.Truthy() }
func (p page) Interactive() bool      { return p.Notebook() && p.of.Get("interactive").Bool() }
func (page) Charts() bool             { return true }
func (p page) Display(html string)    { p.tell("display", html) }
func (p page) Update(id, html string) { p.tell("update", id, html) }
func (page) Sync()                    {}
func (page) Kernel() string           { return "" }
func (page) Alive() context.Context   { return context.Background() }
func (page) Unique() string           { return strconv.FormatUint(rand.Uint64(), 36) }

func (page) Context() (context.Context, context.CancelFunc) {
	return context.WithCancel(context.Background())
}

// Listen lets the page send messages. A message is received only when the program waits, because
// there is only one thread.
func (p page) Listen(address string, heard func(string)) {
	p.tell("listen", address, web.FuncOf(func(_ web.Value, message []web.Value) any {
		heard(message[0].String())
		return nil
	}))
}

func (p page) tell(what string, arguments ...any) {
	if p.Notebook() {
		p.of.Call(what, arguments...)
	}
}
