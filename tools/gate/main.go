// Gate runs the checks of this repository, as used by make test, make check and the workflows of the forge.
// It needs Unix and only the standard library, so it compiles in a second.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
)

const usage = `Usage: go run ./tools/gate VERB

  test                     a quick check: Go tests, one notebook, one page of charts
  check                    all checks but the long ones; installs missing Debian packages
  lint                     format, go vet, linters, generated files, scripts
  notebooks OUT NOTEBOOK...  execute notebooks into the folder OUT
  tidy [-diff]             tidy each go.mod; -diff prints what would change and fails if anything would
  long PART...             checks that take too long for check:
`

// errUsage is returned for invalid arguments.
var errUsage = errors.New("see the usage")

func main() {
	switch err := gate(os.Args[1:]); {
	case errors.Is(err, errUsage):
		fmt.Fprint(os.Stderr, usage)
		for _, p := range parts {
			fmt.Fprintf(os.Stderr, "     %-9s %s\n", p.name, p.about)
		}
		os.Exit(2)
	case err != nil:
		fmt.Fprintln(os.Stderr, "gate:", err)
		os.Exit(1)
	}
}

func gate(args []string) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := enterTop(); err != nil {
		return err
	}
	if len(args) == 0 {
		return errUsage
	}
	return verb(run{ctx: ctx, out: os.Stdout}, args[0], args[1:])
}

// verb runs a verb of the usage.
func verb(r run, name string, args []string) error {
	switch {
	case name == "test" && len(args) == 0:
		return newcomer(r)
	case name == "check" && len(args) == 0:
		return everything(r)
	case name == "lint" && len(args) == 0:
		return lint(r)
	case name == "long" && len(args) > 0:
		return long(r, args)
	case name == "notebooks" && len(args) > 1:
		return notebooks(r, args[0], args[1:])
	case name == "tidy" && (len(args) == 0 || len(args) == 1 && args[0] == "-diff"):
		return tidy(r, args...)
	}
	return errUsage
}

// enterTop changes to the folder of go.work and puts the pinned tools of the repository first in PATH.
func enterTop() error {
	dir, err := os.Getwd()
	if err != nil {
		return err
	}
	for !exists(filepath.Join(dir, "go.work")) {
		parent := filepath.Dir(dir)
		if parent == dir {
			return errors.New("run this in a checkout of the repository: no go.work here or above")
		}
		dir = parent
	}
	bin := filepath.Join(dir, ".tools", "bin")
	return errors.Join(os.Chdir(dir), os.Setenv("GOBIN", bin),
		os.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH")))
}
