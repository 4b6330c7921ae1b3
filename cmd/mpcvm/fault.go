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
	"github.com/mpcvm/mpcvm/tables/table"
)

// fault is a panic, which no user's data should ever cause, as an error.
type fault struct {
	value any
	stack []byte // of the goroutine that panicked
}

func (f *fault) Error() string { return fmt.Sprint(f.value) }

// guarded returns what f returns, or a *fault if f panics. Every goroutine of the command runs
// in one, so that the files which f was writing are removed.
func guarded(f func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = &fault{v, debug.Stack()}
		}
	}()
	return f()
}

// report writes one line about a fault, and the stack to a file that the line names. version,
// verb and shape are where it happened.
func (f *fault) report(errOut io.Writer, verb, shape string) {
	what, _, _ := strings.Cut(f.Error(), "\n")
	stack := fmt.Sprintf("%s\n%s: %s\n%s\n\n%s", mpcvm.Version(), verb, shape, f.Error(), f.stack)
	where := "the stack could not be saved"
	if file, err := os.CreateTemp("", "mpcvm-fault-*.txt"); err == nil {
		_, err = file.WriteString(stack)
		if errors.Join(err, file.Close()) == nil {
			where = "the stack is in " + file.Name()
		}
	}
	fmt.Fprintf(errOut, "%s: this is a fault of mpcvm, please report it: %s (version %s; %s; %s)\n", verb, what,
		mpcvm.Version(), shape, where)
}

// shape is the shape of the table that a command read last, for the report of a fault.
type shape struct{ atomic.Pointer[string] }

type shapeKey struct{}

// noted is waiting for a function that reads a table. It keeps the shape of the table in the
// shape of ctx, if that has one. Notes of the table name flags instead of options.
func noted(ctx context.Context, read func() (*table.Table, error)) (*table.Table, error) {
	t, err := waiting(ctx, read)
	err = withoutPackage(err)
	if err != nil {
		return nil, err
	}
	for i, note := range t.Notes {
		t.Notes[i] = inFlags(note)
	}
	if s, ok := ctx.Value(shapeKey{}).(*shape); ok {
		text := fmt.Sprintf("table of %d rows and %d columns", t.Rows, len(t.Columns))
		s.Store(&text)
	}
	return t, err
}

func (s *shape) String() string {
	none := "no table was read"
	return *cmp.Or(s.Load(), &none)
}
