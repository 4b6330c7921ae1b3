package chart

import "context"

// host runs the program of a cell and shows its output: GoNB (cell_gonb.go) or the page that
// contains the cell (cell_js.go).
type host interface {
	// notebook reports whether the program belongs to a cell. If not, nothing is shown.
	notebook() bool
	// interactive reports whether a reader may interact with the output. It is false when a notebook
	// is executed without a reader (nbconvert), where a slider would wait forever.
	interactive() bool
	// charts reports whether the host provides ECharts and the functions of page.js to its pages.
	charts() bool
	// display shows HTML as output of the cell.
	display(html string)
	// update replaces the output with the given id by HTML, or adds an output.
	update(id, html string)
	// sync waits until everything is shown.
	sync()
	// kernel returns the id of the kernel on the Jupyter server.
	kernel() string
	// listen calls heard with the messages that pages send to an address, until the cell ends.
	listen(address string, heard func(message string))
	// alive returns a context that is cancelled when the host is gone.
	alive() context.Context
	// context returns a context that is cancelled when the reader stops the cell, or the host is
	// gone.
	context() (context.Context, context.CancelFunc)
	// unique returns a string that is unique in the notebook.
	unique() string
}

// show shows HTML as output of the cell.
func show(html string) {
	here.display(html)
	here.sync()
}

// newID returns a new id for an element.
func newID() string { return "mpcvm-" + here.unique() }

// Context implements nbhelpers.Context.
func Context() (context.Context, context.CancelFunc) { return here.context() }

// Notebook reports whether the program belongs to a cell of a notebook.
func Notebook() bool { return here.notebook() }

// HostAlive returns a context that is cancelled when the kernel of the notebook is gone.
func HostAlive() context.Context { return here.alive() }

// Update replaces the output with the given id by HTML, or adds an output.
func Update(id, html string) { here.update(id, html) }

// Unique returns a string that is unique in the notebook.
func Unique() string { return here.unique() }

// Synced waits until everything is shown.
func Synced() { here.sync() }
