package nbhelpers

import (
	"context"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"github.com/janpfeifer/gonb/gonbui"
	"github.com/janpfeifer/gonb/gonbui/protocol"
)

// Context returns a context that ends when the notebook's Stop button is pressed (the
// kernel gets SIGINT), or with Ctrl-C on a terminal. Call the function that it returns
// when the work is done.
//
// A fit that is stopped returns the model so far, with an error that wraps
// context.Canceled. Variables do not outlive their cell, so keep the model in a file for
// later cells:
//
//	ctx, stop := nbhelpers.Context()
//	defer stop()
//	model, result, err := learner.Fit(ctx, x, set.T, progress.Observe)
//	progress.Done(result)
//	if err != nil && !errors.Is(err, context.Canceled) || model == nil {
//		panic(err) // bad data, or stopped before there was a model
//	}
//	err = model.SaveFile("model.json") // and later mpcvm.LoadFile
//
// After a stop the kernel waits some seconds until the cell has ended. The context also
// ends when the kernel is gone; five seconds later the program of the cell exits.
func Context() (context.Context, context.CancelFunc) {
	return signal.NotifyContext(kernelAlive(), os.Interrupt, syscall.SIGTERM)
}

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

// interactive reports whether a reader may use the notebook. It is false when a notebook
// is executed without a browser (nbconvert), where a slider would wait for ever.
func interactive() bool { return os.Getenv(protocol.GONB_JUPYTER_KERNEL_ID_ENV) != "" }
