//go:build !js

package chart

import (
	"context"
	"encoding/gob"
	"fmt"
	"math/rand/v2"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"github.com/janpfeifer/gonb/gonbui/protocol"
)

// Here is the host of this program.
var Here Host = gonb{}

// gonb is GoNB, the Jupyter kernel for Go.
type gonb struct{}

func (gonb) Notebook() bool      { return os.Getenv(protocol.GONB_PIPE_ENV) != "" }
func (g gonb) Interactive() bool { return g.Kernel() != "" }
func (gonb) Charts() bool        { return false }
func (gonb) Kernel() string      { return os.Getenv(protocol.GONB_JUPYTER_KERNEL_ID_ENV) }
func (gonb) Unique() string      { return fmt.Sprintf("%08x", rand.Uint32()) }

func (g gonb) Display(html string) { g.Update("", html) }

func (g gonb) Update(id, html string) {
	if g.Notebook() {
		pipes().send(protocol.MIMETextHTML, html, id)
	}
}

func (g gonb) Sync() {
	if g.Notebook() {
		pipes().sync(g.Alive())
	}
}

func (gonb) Listen(address string, heard func(string)) { pipes().listen(address, heard) }

func (g gonb) Context() (context.Context, context.CancelFunc) {
	return signal.NotifyContext(g.Alive(), os.Interrupt, syscall.SIGTERM)
}

func (gonb) Alive() context.Context { return kernelAlive() }

// link connects the program of a cell to GoNB through two named pipes, with values of GoNB's package
// protocol. GoNB's own client, package gonbui, would add five modules to the dependencies.
type link struct {
	mu     sync.Mutex
	to     *gob.Encoder                    // nil after an error
	gone   chan struct{}                   // closed when GoNB stops sending
	asked  map[int]chan struct{}           // by number: closed when GoNB has answered a request of sync
	number int                             // number of the last request
	heard  map[string]func(message string) // by address
}

// pipes is the link of this program.
var pipes = sync.OnceValue(connect)

// connect opens the pipes.
func connect() *link {
	l := &link{gone: make(chan struct{}), asked: map[int]chan struct{}{}, heard: map[string]func(string){}}
	// GoNB waits for this pipe, and then for the other one
	out, err := os.OpenFile(os.Getenv(protocol.GONB_PIPE_ENV), os.O_WRONLY, 0)
	if err != nil {
		return l.fail(err)
	}
	in, err := os.Open(os.Getenv(protocol.GONB_PIPE_BACK_ENV))
	if err != nil {
		return l.fail(err)
	}
	l.to = gob.NewEncoder(out)
	go l.receive(gob.NewDecoder(in))
	return l
}

// fail closes the link after an error.
func (l *link) fail(err error) *link {
	fmt.Fprintln(os.Stderr, "nbhelpers: no connection to GoNB:", err)
	l.to = nil
	return l
}

// send sends content, for the output with the given id if it has one. It reports whether it was
// sent.
func (l *link) send(kind protocol.MIMEType, content any, id string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.to == nil {
		return false
	}
	message := &protocol.DisplayData{Data: map[protocol.MIMEType]any{kind: content}, DisplayID: id}
	if err := l.to.Encode(message); err != nil {
		l.fail(err)
		return false
	}
	return true
}

// sync waits until GoNB has shown everything sent, or is gone.
func (l *link) sync(alive context.Context) {
	answered := make(chan struct{})
	l.mu.Lock()
	l.number++
	number := l.number
	l.asked[number] = answered
	l.mu.Unlock()
	if !l.send(protocol.MIMECommValue,
		&protocol.CommValue{Address: protocol.GonbuiSyncAddress, Value: number}, "") {
		return
	}
	select {
	case <-answered:
	case <-l.gone:
	case <-alive.Done():
	}
}

// listen calls heard with the messages that pages send to an address.
func (l *link) listen(address string, heard func(message string)) {
	l.mu.Lock()
	l.heard[address] = heard
	l.mu.Unlock()
	l.send(protocol.MIMECommSubscribe, &protocol.CommSubscription{Address: address}, "")
}

// receive dispatches what GoNB sends.
func (l *link) receive(from *gob.Decoder) {
	defer close(l.gone)
	for {
		var m protocol.CommValue
		if from.Decode(&m) != nil {
			return
		}
		l.mu.Lock()
		heard := l.heard[m.Address]
		if number, ok := m.Value.(int); ok && m.Address == protocol.GonbuiSyncAckAddress &&
			l.asked[number] != nil {
			close(l.asked[number])
			delete(l.asked, number)
		}
		l.mu.Unlock()
		if message, ok := m.Value.(string); ok && heard != nil {
			heard(message)
		}
	}
}

// kernelAlive is a context that is cancelled when the kernel that started this program is gone. The
// program would then be invisible and could not be stopped, and it might wait forever to open a
// pipe.
var kernelAlive = sync.OnceValue(func() context.Context {
	if !Here.Notebook() {
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
