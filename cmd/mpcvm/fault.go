package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"strings"
	"sync/atomic"

	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/tables"
	"github.com/mpcvm/mpcvm/tables/table"
)

// fault is a panic as an error. User data should never cause one.
type fault struct {
	value any
	stack []byte // of the goroutine that panicked
}

func (f *fault) Error() string { return fmt.Sprint(f.value) }

// guarded calls f and returns its error, or a *fault if f panics. Every goroutine of the command runs in
// guarded, so that unfinished files are removed.
func guarded(f func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = &fault{v, debug.Stack()}
		}
	}()
	return f()
}

// report writes one line about a fault of a verb, with the name of a file that contains the stack.
func (f *fault) report(errOut io.Writer, verb string) {
	none := "no table was read"
	shape := *cmp.Or(shape.Load(), &none)
	what, _, _ := strings.Cut(f.Error(), "\n")
	stack := fmt.Sprintf("%s\n%s: %s\n%s\n\n%s", mpcvm.Version(), verb, shape, f.Error(), f.stack)
	where := "the stack could not be saved"
	if file, err := os.CreateTemp("", "mpcvm-fault-*.txt"); err == nil {
		_, err = file.WriteString(stack)
		if errors.Join(err, file.Close()) == nil {
			where = "the stack is in " + file.Name()
		}
	}
	fmt.Fprintf(errOut, "%s: internal error, please report it: %s (version %s; %s; %s)\n", verb, what,
		mpcvm.Version(), shape, where)
}

// shape describes the last table read, for the report of a fault.
var shape atomic.Pointer[string]

// readTable reads a table and stores its shape.
func readTable(ctx context.Context, r io.Reader, name string, o tables.Options) (*table.Table, error) {
	t, err := tables.Read(ctx, r, name, o)
	if err == nil {
		text := fmt.Sprintf("table of %d rows and %d columns", t.Rows, len(t.Columns))
		shape.Store(&text)
	}
	return t, err
}
