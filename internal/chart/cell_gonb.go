//go:build !js

package chart

import (
	"context"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"github.com/janpfeifer/gonb/gonbui"
	"github.com/janpfeifer/gonb/gonbui/comms"
	"github.com/janpfeifer/gonb/gonbui/protocol"
)

var here host = gonb{}

// gonb is GoNB, the kernel of Jupyter.
type gonb struct{}

func (gonb) notebook() bool         { return gonbui.IsNotebook }
func (g gonb) interactive() bool    { return g.kernel() != "" }
func (gonb) charts() bool           { return false }
func (gonb) display(html string)    { gonbui.DisplayHTML(html) }
func (gonb) update(id, html string) { gonbui.UpdateHTML(id, html) }
func (gonb) sync()                  { gonbui.Sync() }
func (gonb) kernel() string         { return os.Getenv(protocol.GONB_JUPYTER_KERNEL_ID_ENV) }
func (gonb) unique() string         { return gonbui.UniqueId() }

func (gonb) listen(address string, heard func(string)) {
	comms.Subscribe(address, func(_, message string) { heard(message) })
}

func (g gonb) context() (context.Context, context.CancelFunc) {
	return signal.NotifyContext(g.alive(), os.Interrupt, syscall.SIGTERM)
}

func (gonb) alive() context.Context { return kernelAlive() }

// kernelAlive is a context that ends when the kernel is gone, which started this
// program. Nobody could see or stop the program then, and GoNB 0.11.4 may block it for
// ever: gonbui.Sync waits for an answer even if its question could not be sent.
var kernelAlive = sync.OnceValue(func() context.Context {
	if !gonbui.IsNotebook {
		return context.Background()
	}
	ctx, gone := context.WithCancel(context.Background())
	kernel := os.Getppid()
	go func() {
		for os.Getppid() == kernel {
			time.Sleep(time.Second)
		}
		gone()
		time.Sleep(5 * time.Second)
		os.Exit(1)
	}()
	return ctx
})
