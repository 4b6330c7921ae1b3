package nbhelpers

import (
	"context"
	"os"
	"os/signal"
	"syscall"
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
// After a stop the kernel waits some seconds until the cell has ended.
func Context() (context.Context, context.CancelFunc) {
	return signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
}

// Interactive reports whether a reader may use the notebook. It is false when a notebook
// is executed without a browser (nbconvert), where a slider would wait for ever.
func Interactive() bool { return os.Getenv("GONB_JUPYTER_KERNEL_ID") != "" }
