package chart

import (
	"context"
	"math/rand/v2"
	"strconv"
	web "syscall/js"
)

var here host = page{web.Global().Get("mpcvmCell")}

// page is the worker of the page that runs the program of the cell. Its functions are in
// site/notebook/program.js.
type page struct{ of web.Value }

func (p page) notebook() bool         { return p.of.Truthy() }
func (p page) interactive() bool      { return p.notebook() && p.of.Get("interactive").Bool() }
func (page) charts() bool             { return true }
func (p page) display(html string)    { p.tell("display", html) }
func (p page) update(id, html string) { p.tell("update", id, html) }
func (page) sync()                    {}
func (page) kernel() string           { return "" }
func (page) alive() context.Context   { return context.Background() }
func (page) unique() string           { return strconv.FormatUint(rand.Uint64(), 36) }

func (page) context() (context.Context, context.CancelFunc) {
	return context.WithCancel(context.Background())
}

// listen lets the page send messages. A message is received only when the program waits, because
// there is only one thread.
func (p page) listen(address string, heard func(string)) {
	p.tell("listen", address, web.FuncOf(func(_ web.Value, message []web.Value) any {
		heard(message[0].String())
		return nil
	}))
}

func (p page) tell(what string, arguments ...any) {
	if p.notebook() {
		p.of.Call(what, arguments...)
	}
}
