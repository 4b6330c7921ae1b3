package nbhelpers

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// Context returns a context that ends when the notebook's Stop button is
// pressed (an interrupt of the kernel, SIGINT), or with Ctrl-C on a terminal. A
// fit then returns the model so far. Call the function it returns when done.
func Context() (context.Context, context.CancelFunc) {
	return signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
}

// Interactive reports whether a reader may be at the other end of a notebook.
// It is false when a notebook is executed without a browser (nbconvert), where
// sliders and buttons would wait for ever.
func Interactive() bool { return os.Getenv("GONB_JUPYTER_KERNEL_ID") != "" }
