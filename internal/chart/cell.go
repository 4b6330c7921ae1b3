package chart

import "context"

// host is what runs the program of a cell and shows its output: GoNB (cell_gonb.go), or the page that has
// the cell (cell_js.go).
type host interface {
	// notebook reports whether the program belongs to a cell. If not, nothing is shown.
	notebook() bool
	// interactive reports whether a reader may use what is shown. It is false when a notebook is executed
	// without one (nbconvert), where a slider would wait for ever.
	interactive() bool
	// charts reports whether pages have ECharts, and the functions of page.js, from the host.
	charts() bool
	// display shows HTML as output of the cell.
	display(html string)
	// update replaces the output with that id by HTML, or adds an output.
	update(id, html string)
	// sync waits until all is shown.
	sync()
	// kernel is the kernel's id on Jupyter's server.
	kernel() string
	// listen has heard called with what pages send to an address, for as long as the cell runs.
	listen(address string, heard func(message string))
	// alive is a context that ends when the host is gone.
	alive() context.Context
	// context ends when the reader stops the cell, or the host is gone.
	context() (context.Context, context.CancelFunc)
	// unique is a text that no other program of the notebook has, nor this one twice.
	unique() string
}

// show shows HTML as output of the cell.
func show(html string) {
	here.display(html)
	here.sync()
}

// newID is the id of an element.
func newID() string { return "mpcvm-" + here.unique() }

// Context is nbhelpers.Context.
func Context() (context.Context, context.CancelFunc) { return here.context() }

// Notebook reports whether the program belongs to a cell of a notebook.
func Notebook() bool { return here.notebook() }

// HostAlive is a context that ends when the kernel of the notebook is gone.
func HostAlive() context.Context { return here.alive() }

// Update replaces the output with that id by HTML, or adds an output.
func Update(id, html string) { here.update(id, html) }

// Unique is a text that no other program of the notebook has, nor this one twice.
func Unique() string { return here.unique() }

// Synced waits until all is shown.
func Synced() { here.sync() }
