package chart

import (
	"fmt"
	"os"
	"runtime"
	"strings"
)

// Readable ends the cell of a notebook with the message of a panic as one line. Helpers defer it. Outside
// of a notebook a panic stays a panic, and so does a fault of the program, such as an index out of range.
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
