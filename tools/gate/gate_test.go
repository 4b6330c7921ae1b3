package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/mpcvm/mpcvm/internal/testkit/must"
)

func TestMain(m *testing.M) {
	if err := enterTop(); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

func TestModules(t *testing.T) {
	got, err := packages()
	if want := "./... ./experiments/... ./tools/... ./site/..."; err != nil || strings.Join(got, " ") != want {
		t.Errorf("%v, %v, want %s", got, err, want)
	}
}

// A failed check does not stop the others, and its last lines are repeated at the end.
func TestChecks(t *testing.T) {
	good := check{name: "good", run: func(r run) error { r.printf("fine\n"); return nil }}
	bad := check{name: "bad", run: func(r run) error {
		for i := range 40 {
			r.printf("line %d\n", i)
		}
		return errors.New("broken")
	}}
	for _, ci := range []string{"", "true"} {
		t.Setenv("CI", ci)
		var out bytes.Buffer
		r := run{ctx: t.Context(), out: &out}
		if err := r.all(2, []check{good}); err != nil {
			t.Error(err)
		}
		out.Reset()
		err := r.all(2, []check{bad, {name: "pictures", missing: "browser"}, good})
		counts := map[string]int{"line 39\n": 2, "line 2\n": 1, "fine\n": 1, "-- good: passed, ": 1,
			"-- bad: FAILED, ": 2, "\nleft out: pictures (missing: browser)\n": 1, "\nFAILED: ": 1}
		if ci == "true" {
			delete(counts, "\nleft out: pictures (missing: browser)\n")
			counts["\nFAILED: "] = 2
		}
		for text, want := range counts {
			if got := strings.Count(out.String(), text); got != want || err == nil {
				t.Errorf("CI=%s, %v: %q occurs %d times, want %d in\n%s", ci, err, text, got, want, &out)
			}
		}
	}
}

// Cancelling a run stops the commands that a check has started, including their children.
func TestInterrupted(t *testing.T) {
	if !have("sh") {
		t.Skip("no sh")
	}
	ctx, cancel := context.WithCancel(t.Context())
	started := filepath.Join(t.TempDir(), "started")
	go func() {
		for !exists(started) {
			time.Sleep(time.Millisecond)
		}
		cancel()
	}()
	var out bytes.Buffer
	err := run{ctx: ctx, out: &out}.all(1, []check{
		{name: "sleeps", run: func(r run) error {
			return r.do("sh", "-c", "sleep 1000 & touch "+started+"; wait")
		}},
		{name: "later", run: func(run) error { t.Error("a check started after the interrupt"); return nil }},
	})
	if err == nil || !strings.Contains(out.String(), "FAILED: sleeps\n") {
		t.Errorf("%v\n%s", err, &out)
	}
}

// Notebooks that are missing are rejected before any cell runs.
func TestMissingNotebook(t *testing.T) {
	r := run{ctx: t.Context(), out: &bytes.Buffer{}}
	if err := notebooks(r, t.TempDir(), []string{"no.ipynb"}); err == nil {
		t.Error("no error for a notebook that does not exist")
	}
}

// The race detector is needed for code like checks.go, which the tests of this package call concurrently.
func TestEachFile(t *testing.T) {
	needs := map[bool]int{}
	r := run{ctx: t.Context(), out: os.Stderr}
	err := eachFile(r, []string{"./tools/gate"}, func(path string, text []byte) {
		if path != modulePath+"/tools/gate" {
			t.Errorf("unexpected file of %s", path)
		}
		needs[concurrent.Match(text)]++
	})
	if err != nil || needs[true] < 3 || needs[false] < 3 { // checks.go, check.go, this file
		t.Errorf("%d files with concurrent code and %d without, %v", needs[true], needs[false], err)
	}
}

func TestVerbs(t *testing.T) {
	r := run{ctx: t.Context(), out: &bytes.Buffer{}}
	for _, args := range []string{"tests", "check .", "lint .", "long", "long fault", "notebooks out",
		"tidy -x", "test tables"} {
		words := strings.Fields(args)
		if err := verb(r, words[0], words[1:]); !errors.Is(err, errUsage) {
			t.Errorf("%s: %v", args, err)
		}
	}
}

// The workflow of the night, the Makefile and the gate name the same parts of make long.
func TestParts(t *testing.T) {
	var own []string
	for _, p := range parts {
		own = append(own, p.name)
	}
	for file, pattern := range map[string]string{".github/workflows/nightly.yml": `\n +part: \[(.*)\]\n`,
		"Makefile": `\nlong: .*\(PARTS: (.*)\)\n`} {
		text := must.Get(os.ReadFile(file))(t)
		list := regexp.MustCompile(pattern).FindSubmatch(text)
		if list == nil {
			t.Errorf("%s does not list the parts", file)
		} else if got := strings.ReplaceAll(string(list[1]), ",", ""); got != strings.Join(own, " ") {
			t.Errorf("%s lists the parts %s, want %s", file, got, own)
		}
	}
}

// Lines and functions are counted, and only a number that is exceeded is an error.
func TestLines(t *testing.T) {
	dir := t.TempDir()
	source, test := filepath.Join(dir, "a.go"), filepath.Join(dir, "a_test.go")
	for file, text := range map[string]string{
		source: "package a\n\nfunc f() {" + strings.Repeat("\n", 99) + "}\n\nfunc g() {" +
			strings.Repeat("\n", 100) + "}\n",
		test: "package a\n\n// " + strings.Repeat("ä", longLine-3) + "\n// " +
			strings.Repeat("ä", longLine-2) + "\n",
	} {
		must.OK(t, os.WriteFile(file, []byte(text), 0o666))
	}
	got, err := measure([]string{source, test})
	if want := (limits{204, 4, 1, 1}); err != nil || got != want {
		t.Fatalf("%v, %v, want %v", got, err, want)
	}
	var out bytes.Buffer
	r := run{ctx: t.Context(), out: &out}
	if err := got.compare(r, got); err != nil || strings.Contains(out.String(), "lower") {
		t.Errorf("%v\n%s", err, &out)
	}
	for _, more := range []limits{{205, 4, 1, 1}, {204, 5, 1, 1}, {204, 4, 2, 1}, {204, 4, 1, 2}} {
		if got.compare(r, more) == nil {
			t.Errorf("no error for %v", more)
		}
	}
	if err := (limits{404, 4, 1, 2}).compare(r, got); err != nil || strings.Count(out.String(), "lower") != 2 {
		t.Errorf("%v\n%s", err, &out)
	}
}
