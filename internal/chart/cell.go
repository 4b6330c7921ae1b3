package chart

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"strings"
)

// Host runs the program of a cell and shows its output: GoNB (cell_gonb.go) or the page that
// contains the cell (cell_js.go).
type Host interface {
	// Notebook reports whether the program belongs to a cell. If not, nothing is shown.
	Notebook() bool
	// Interactive reports whether a reader may interact with the output. It is false when a notebook
	// is executed without a reader (nbconvert), where a slider would wait forever.
	Interactive() bool
	// Charts reports whether the host provides ECharts and the functions of page.js to its pages.
	Charts() bool
	// Display shows HTML as output of the cell.
	Display(html string)
	// Update replaces the output with the given id by HTML, or adds an output.
	Update(id, html string)
	// Sync waits until everything is shown.
	Sync()
	// Kernel returns the id of the kernel on the Jupyter server.
	Kernel() string
	// Listen calls heard with the messages that pages send to an address, until the cell ends.
	Listen(address string, heard func(message string))
	// Alive returns a context that is cancelled when the host is gone.
	Alive() context.Context
	// Context returns a context that is cancelled when the reader stops the cell, or the host is
	// gone.
	Context() (context.Context, context.CancelFunc)
	// Unique returns a string that is unique in the notebook.
	Unique() string
}

// show shows HTML as output of the cell.
func show(html string) {
	Here.Display(html)
	Here.Sync()
}

// newID returns a new id for an element.
func newID() string { return "mpcvm-" + Here.Unique() }

// Readable must be deferred. It ends the cell of a notebook with the message of a panic on one line. It
// does not recover panics outside a notebook, or runtime errors such as an index out of range.
func Readable() {
	if !Here.Notebook() {
		return
	}
	switch fault := recover().(type) {
	case nil:
	case runtime.Error:
		panic(fault)
	default:
		Here.Sync()
		fmt.Fprintln(os.Stderr, strings.Join(strings.Fields(fmt.Sprint(fault)), " "))
		os.Exit(1)
	}
}
