package nbhelpers

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// Context returns a context that ends when the notebook's Stop button is
// pressed (an interrupt of the kernel, SIGINT), or with Ctrl-C on a terminal. Call
// the function it returns when done.
//
// A fit that is stopped returns the model so far together with an error that wraps
// context.Canceled. The cell goes on with it, and as variables do not outlive their
// cell, keeps it in a file if a later cell shall have it:
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
// After a stop the kernel waits some seconds for the cell to end by itself.
func Context() (context.Context, context.CancelFunc) {
	return signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
}

// Interactive reports whether a reader may be at the other end of a notebook.
// It is false when a notebook is executed without a browser (nbconvert), where
// sliders and buttons would wait for ever.
func Interactive() bool { return os.Getenv("GONB_JUPYTER_KERNEL_ID") != "" }
