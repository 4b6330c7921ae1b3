package chart

import (
	"fmt"
	"os"
	"runtime"
	"strings"
)

// Readable must be deferred. It ends the cell of a notebook with the message of a panic on one line. It
// does not recover panics outside a notebook, or runtime errors such as an index out of range.
func Readable() {
	if !here.notebook() {
		return
	}
	switch fault := recover().(type) {
	case nil:
	case runtime.Error:
		panic(fault)
	default:
		here.sync()
		fmt.Fprintln(os.Stderr, strings.Join(strings.Fields(fmt.Sprint(fault)), " "))
		os.Exit(1)
	}
}
