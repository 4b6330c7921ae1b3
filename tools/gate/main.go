// Gate runs the checks of this repository, as used by make test, make check and the workflows of the forge.
// The checks are functions of checks.sh; gate runs several at a time, stops them on a signal and sums up the
// results. It needs Unix and only the standard library, so it compiles in a second.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"syscall"
)

const usage = `Usage: go run ./tools/gate VERB

  test                     a quick check: Go tests, one notebook, one page of charts
  check                    all checks but the long ones; installs missing Debian packages
  lint                     format, go vet, linters, generated files, scripts
  notebooks OUT NOTEBOOK...  execute notebooks into the folder OUT
  tidy [-diff]             tidy each go.mod; -diff prints what would change and fails if anything would
  long PART...             checks that take too long for check:
     tests     the tests called TestLong… (half an hour)
     race      the race detector on all packages below tables with concurrent code
     purego    the tests of the learners that compare with known results, without assembly
     faults    damaged files, full disks, signals, kills (6 minutes; as root: full disks)
     fuzz      each fuzz test for FUZZTIME (30s)
     cover     test coverage; fails below 90 %
     browsers  playground and notebooks of the site in Chromium and Firefox (npm; an hour)
     blanks    the blank notebooks, as handed out to a class
     beam      the Beam pipelines on Prism
     vuln      known vulnerabilities (needs the network)
`

// parts are the parts of make long.
var parts = []string{"tests", "race", "purego", "faults", "fuzz", "cover", "browsers", "blanks", "beam", "vuln"}

// errUsage is returned for invalid arguments.
var errUsage = errors.New("see the usage")

func main() {
	switch err := gate(os.Args[1:]); {
	case errors.Is(err, errUsage):
		fmt.Fprint(os.Stderr, usage)
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
		defer r.printf("left to make check: linters, races, the other notebooks, live notebooks, the site\n")
		return r.all(2, quick)
	case name == "check" && len(args) == 0:
		setup := r
		setup.tty = true
		if err := setup.step("set up", "set_up"); err != nil {
			return err
		}
		return errors.Join(r.all(3, everything), r.all(1, alone))
	case name == "lint" && len(args) == 0, name == "notebooks" && len(args) > 1,
		name == "tidy" && (len(args) == 0 || slices.Equal(args, []string{"-diff"})):
		return r.bash(name, args...)
	case name == "long" && len(args) > 0:
		var errs []error
		for _, part := range args {
			if !slices.Contains(parts, part) {
				return errUsage
			}
			errs = append(errs, r.step(part, "long_"+part))
		}
		return errors.Join(errs...)
	}
	return errUsage
}

// quick are the checks of make test, which installs nothing.
var quick = []check{
	{name: "go test", function: "tests"},
	{"the first notebook", "notebooks out/quickstart notebooks/01-quickstart.ipynb", "kernel_here",
		"Jupyter with the Go kernel; make setup installs it"},
	{"charts", "charts out/demo/report.html", "chromium_here", "Chromium"},
}

// everything are the checks of make check; the longest come first. The browser of the site's tests and
// Jupyter's kernels wait for a third of their time, so a third check fills two processors.
var everything = []check{
	{name: "notebooks and charts", function: "lessons"},
	{name: "go test of the site", function: "tests_of_the_site"},
	{name: "go test", function: "tests"},
	{name: "lint", function: "lint"},
	{"data races", "data_races", "compiler_here", "C compiler"},
	{name: "go test of the tools", function: "tests_of_the_tools"},
	{name: "go test without assembly", function: "without_assembly"},
	{"go test in WebAssembly", "in_webassembly", "node_here", "node"},
}

// alone waits for a browser and a server.
var alone = []check{
	{"a live notebook", "live_notebook", "live_here", "Chromium with Jupyter's classic notebook 6"},
}

// enterTop changes to the folder of go.work.
func enterTop() error {
	for {
		dir, err := os.Getwd()
		if err != nil || exists("go.work") {
			return err
		}
		if err := os.Chdir(".."); err != nil || dir == filepath.Dir(dir) {
			return errors.New("run this in a checkout of the repository: no go.work here or above")
		}
	}
}

func exists(file string) bool { _, err := os.Stat(file); return err == nil }
