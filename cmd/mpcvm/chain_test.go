package main

import (
	"flag"
	"os/exec"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/mpcvm/mpcvm/internal/testkit/watch"
)

// tiny are the flags that fit one small model without a search.
var tiny = []string{"--algorithm", "mpcvm2", "--theta", "0.3", "--cv", "none"}

// TestChain holds the verbs to one another: whatever one of them says, the next does. The command on
// the last line of look runs; predict on the training file writes the classes as they are written there
// and finds the training error of fit; explain, compare, export and the reports agree with it.
//
// It fits small models unless long tests are asked for. The tables of chance are few and always the
// same; -rapid.checks 1000 -rapid.seed 0 tries many others.
func TestChain(t *testing.T) {
	for _, tool := range []string{"python3", "node"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Logf("NOT TESTED: exports for %v", err)
		}
	}
	for _, table := range pathTables() {
		t.Run(table.name, func(t *testing.T) {
			t.Parallel()
			if _, err := table.walk(t.TempDir(), !watch.Long()); err != nil {
				t.Errorf("%v\n%s", err, table)
			}
		})
	}
	t.Run("random", func(t *testing.T) {
		checks := "40"
		if watch.Long() {
			checks = "150"
		}
		rapidly(t, checks)
		dir := t.TempDir()
		tables, models := 0, 0
		rapid.Check(t, func(r *rapid.T) {
			table := randomTable(r)
			model, err := table.walk(dir, tables%10 > 0 || !watch.Long())
			if err != nil {
				r.Fatalf("%v\n%s", err, table)
			}
			if tables++; model {
				models++
			}
		})
		if t.Logf("%d of %d tables have a model", models, tables); tables >= 10 && 3*models < tables {
			t.Error("too few to test the path")
		}
	})
}

// rapidly sets the flags of package rapid that are not given.
func rapidly(t *testing.T, checks string) {
	t.Helper()
	given := map[string]bool{}
	flag.Visit(func(f *flag.Flag) { given[f.Name] = true })
	for name, value := range map[string]string{"rapid.checks": checks, "rapid.seed": "1", "rapid.nofailfile": "true"} {
		if given[name] {
			continue
		}
		old := flag.Lookup(name).Value.String()
		if err := flag.Set(name, value); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = flag.Set(name, old) })
	}
}

// shellSplit splits a command of mpcvm as a shell does, and returns its words after the first one.
func shellSplit(line string) ([]string, error) {
	out, err := exec.Command("sh", "-c", `mpcvm() { printf '%s\0' "$@"; }; `+line).Output()
	return strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00"), err
}
