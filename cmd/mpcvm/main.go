// Command mpcvm trains and shows multi-class probabilistic classification vector
// machines. Run it without arguments for its verbs.
//
// The exit status is 0, 1 if the work failed, 2 if the arguments are wrong, or 130 if an
// interrupt (SIGINT) or a request to end (SIGTERM) ended the work. It is 70 if mpcvm itself has a
// fault; a file then has the stack. The finished runs of a
// study and the finished part of a prediction stay; all other files are whole.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	"github.com/mpcvm/mpcvm/internal/memory"
)

func main() {
	limitMemory()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal kills
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// limitMemory has the runtime collect garbage before it takes the last tenth of the memory
// that is available, unless the user has set GOMEMLIMIT.
func limitMemory() {
	if bytes := memory.Available(); !math.IsInf(bytes, 1) && os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(int64(0.9 * bytes))
	}
}

// misuse is an error in the arguments.
type misuse struct{ error }

func (m misuse) Unwrap() error { return m.error }

// output is standard output. It keeps the first error of writing to it.
type output struct {
	io.Writer
	err error
}

func (o *output) Write(p []byte) (int, error) {
	n, err := o.Writer.Write(p)
	if o.err == nil {
		o.err = err
	}
	return n, err
}

// The exit statuses other than 0.
const (
	failed      = 1
	misused     = 2
	faulty      = 70
	interrupted = 130
)

// argsKey is the key of a context for the arguments of the command line.
type argsKey struct{}

// run executes the command line args and returns the exit status. Output that could not be
// written is a failure: a reader would take a part for the whole.
func run(ctx context.Context, args []string, out, errOut io.Writer) int {
	o := &output{Writer: out}
	root := newRoot(o, errOut)
	root.SetArgs(append([]string{}, args...)) // of nil, cobra would take those of the process
	read, cmd := new(shape), root
	err := guarded(func() (err error) {
		cmd, err = root.ExecuteContextC(context.WithValue(context.WithValue(ctx, shapeKey{}, read), argsKey{}, args))
		return err
	})
	if err == nil {
		err = o.err
	}
	if f, ok := errors.AsType[*fault](err); ok {
		if verb, _, err := root.Find(args); err == nil {
			cmd = verb
		}
		f.report(errOut, cmd.CommandPath(), read.String())
		return faulty
	}
	switch {
	case err == nil:
		return 0
	case errors.Is(err, errNoVerb):
		return misused
	case errors.As(err, new(misuse)):
		fmt.Fprintf(errOut, "%s: %v (run '%s --help')\n", cmd.CommandPath(), err, cmd.CommandPath())
		return misused
	}
	code := failed
	if ctx.Err() != nil {
		code, err = interrupted, fmt.Errorf("interrupted: %w", err)
	}
	fmt.Fprintf(errOut, "%s: %v\n", cmd.CommandPath(), err)
	return code
}
