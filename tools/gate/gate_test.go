package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
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

// A failed check does not stop the others, and its last lines are repeated at the end.
func TestChecks(t *testing.T) {
	good := check{name: "good", function: "echo fine"}
	script := filepath.Join(t.TempDir(), "script")
	const lines = "#!/bin/sh\nfor i in $(seq 0 39); do echo line $i; done; exit 3"
	must.OK(t, os.WriteFile(script, []byte(lines), 0o777))
	bad := check{name: "bad", function: "try " + script}
	for _, ci := range []string{"", "true"} {
		t.Setenv("CI", ci)
		var out bytes.Buffer
		r := run{ctx: t.Context(), out: &out}
		if err := r.all(2, []check{good}); err != nil {
			t.Error(err)
		}
		out.Reset()
		err := r.all(2, []check{bad, {"pictures", "echo", "false", "browser"}, good})
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
	ctx, cancel := context.WithCancel(t.Context())
	started := filepath.Join(t.TempDir(), "started")
	go func() {
		for !exists(started) {
			time.Sleep(time.Millisecond)
		}
		cancel()
	}()
	script, later := filepath.Join(t.TempDir(), "script"), filepath.Join(t.TempDir(), "later")
	must.OK(t, os.WriteFile(script, []byte("#!/bin/sh\nsleep 1000 & touch "+started+"; wait"), 0o777))
	var out bytes.Buffer
	err := run{ctx: ctx, out: &out}.all(1, []check{{name: "sleeps", function: script},
		{name: "later", function: "touch " + later}})
	if exists(later) {
		t.Error("a check started after the interrupt")
	}
	if err == nil || !strings.Contains(out.String(), "FAILED: sleeps\n") {
		t.Errorf("%v\n%s", err, &out)
	}
}

// Notebooks that are missing are rejected before any cell runs.
func TestMissingNotebook(t *testing.T) {
	r := run{ctx: t.Context(), out: &bytes.Buffer{}}
	if err := verb(r, "notebooks", []string{t.TempDir(), "no.ipynb"}); err == nil {
		t.Error("no error for a notebook that does not exist")
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

// The workflow of the night, the Makefile and the gate name the same parts of make long, and each function of
// checks.sh that they need exists.
func TestParts(t *testing.T) {
	functions := []string{"set_up", "lint", "notebooks", "tidy"}
	for _, part := range parts {
		functions = append(functions, "long_"+part)
		if !strings.Contains(usage, "\n     "+part+" ") {
			t.Errorf("the usage does not describe %s", part)
		}
	}
	for _, c := range slices.Concat(quick, everything, alone) {
		functions = append(functions, strings.Fields(c.function+" "+c.needs)...)
	}
	script := must.Get(os.ReadFile("tools/gate/checks.sh"))(t)
	for _, name := range functions {
		if !strings.ContainsAny(name, "./") && !bytes.Contains(script, []byte("\n"+name+"() {")) {
			t.Errorf("checks.sh has no function %s", name)
		}
	}
	for file, pattern := range map[string]string{".github/workflows/nightly.yml": `\n +part: \[(.*)\]\n`,
		"Makefile": `\nlong: .*\(PARTS: (.*)\)\n`} {
		text := must.Get(os.ReadFile(file))(t)
		list := regexp.MustCompile(pattern).FindSubmatch(text)
		if list == nil {
			t.Errorf("%s does not list the parts", file)
		} else if got := strings.ReplaceAll(string(list[1]), ",", ""); got != strings.Join(parts, " ") {
			t.Errorf("%s lists the parts %s, want %s", file, got, parts)
		}
	}
}
