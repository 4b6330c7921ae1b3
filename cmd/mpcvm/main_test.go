package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/mpcvm/mpcvm/internal/memory"
)

// try runs the command and returns its exit status and what it wrote.
func try(t *testing.T, args ...string) (code int, out, errOut string) {
	t.Helper()
	var o, e bytes.Buffer
	code = run(context.Background(), args, &o, &e)
	return code, o.String(), e.String()
}

func TestDemo(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "made", "for it")
	code, out, errOut := try(t, "demo", "--out", dir)
	if code != 0 {
		t.Fatalf("status %d: %s", code, errOut)
	}
	for _, want := range []string{"Iris", "Overlap", "mPCVM₁", "mPCVM₂", "setosa", "converged", "report.html"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	page, err := os.ReadFile(filepath.Join(dir, "report.html"))
	if err != nil {
		t.Fatal(err)
	}
	if n := bytes.Count(page, []byte(`class="mpcvm-chart"`)); n != 14 {
		t.Errorf("%d charts in the report", n)
	}
	for _, load := range []string{`src="http`, `href="http`, "@import", "file://"} {
		if bytes.Contains(page, []byte(load)) {
			t.Errorf("the report has %s", load)
		}
	}
	left, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(left) != 1 {
		t.Errorf("left behind: %v", left)
	}
}

func TestDemoJSON(t *testing.T) {
	code, out, errOut := try(t, "demo", "--json", "--seed", "2", "--out", t.TempDir())
	if code != 0 {
		t.Fatalf("status %d: %s", code, errOut)
	}
	var outcomes []outcome
	if err := json.Unmarshal([]byte(out), &outcomes); err != nil {
		t.Fatal(err)
	}
	if len(outcomes) != 4 {
		t.Fatalf("%d outcomes", len(outcomes))
	}
	for _, o := range outcomes {
		if o.Err > 0.2 || o.AUC < 0.9 || o.Vectors == 0 || len(o.Weights) != 3 || o.Test == 0 {
			t.Errorf("%+v", o)
		}
	}
	_, again, _ := try(t, "demo", "--json", "--seed", "2", "--out", t.TempDir())
	if strip(out) != strip(again) {
		t.Error("the same seed gave other figures")
	}
}

// strip removes the lines that tell the time.
func strip(s string) string {
	var kept []string
	for line := range strings.Lines(s) {
		if !strings.Contains(line, "fit_s") {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, "")
}

func TestData(t *testing.T) {
	code, out, _ := try(t, "data", "list")
	if code != 0 || !strings.Contains(out, "iris") || !strings.Contains(out, "10.24432/C56C76") || !strings.Contains(out, "vowel") {
		t.Errorf("status %d:\n%s", code, out)
	}
	code, out, _ = try(t, "data", "list", "--json")
	var infos []map[string]any
	if err := json.Unmarshal([]byte(out), &infos); code != 0 || err != nil || len(infos) < 10 {
		t.Errorf("status %d, %d sets, %v", code, len(infos), err)
	}
	for _, key := range []string{"name", "rows", "features", "classes", "description", "source", "doi", "licence", "sha256", "embedded", "partitioned", "present"} {
		if _, there := infos[0][key]; !there || len(infos[0]) != 12 {
			t.Errorf("no key %q in %v", key, infos[0])
		}
	}
	code, out, _ = try(t, "data", "show", "iris")
	if code != 0 || !strings.HasPrefix(out, "sepal_length,") || strings.Count(out, "\n") != 151 {
		t.Errorf("status %d:\n%.100s", code, out)
	}
}

func TestMisuse(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		args []string
		code int
		say  string
	}{
		{nil, 2, "usage"},
		{[]string{"dance"}, 2, `unknown command "dance"`},
		{[]string{"demo", "--loud"}, 2, "usage: mpcvm demo"},
		{[]string{"demo", "now"}, 2, `unknown argument "now"`},
		{[]string{"demo", "--seed", "-1"}, 2, "usage"},
		{[]string{"demo", "--out", filepath.Join(file, "below")}, 1, "not a directory"},
		{[]string{"data"}, 2, "usage: mpcvm data"},
		{[]string{"data", "shown", "iris"}, 2, "usage"},
		{[]string{"data", "show", "irish"}, 1, "irish"},
		{[]string{"help"}, 0, ""},
		{[]string{"demo", "-h"}, 0, ""},
	} {
		code, out, errOut := try(t, tt.args...)
		if code != tt.code || !strings.Contains(errOut, tt.say) {
			t.Errorf("%q: status %d, %s", tt.args, code, errOut)
		}
		if code == 0 && !strings.Contains(out, "usage") {
			t.Errorf("%q: %s", tt.args, out)
		}
	}
}

// Every flag of every command is explained.
func TestHelp(t *testing.T) {
	for _, cmd := range commands {
		for _, flag := range []string{"-h", "--help"} {
			out, _ := good(t, cmd.name, flag)
			_, flags, _ := strings.Cut(out, "flags:\n")
			lines := strings.Split(strings.TrimSuffix(flags, "\n"), "\n")
			for i, line := range lines {
				if i%2 == 0 && !strings.HasPrefix(line, "  --") || i%2 == 1 && len(line) < 15 || len(lines)%2 == 1 {
					t.Errorf("%s: %q", cmd.name, line)
				}
			}
		}
	}
	out, _ := good(t, "fit", "-h")
	for _, want := range []string{"standardised by the training data", "--theta T\n", "(default auto)", "(default rbf)", "--data FILE\n", "--calibrate\n"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
}

func TestCancelledDemo(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	var o, e bytes.Buffer
	if code := run(ctx, []string{"demo", "--out", t.TempDir()}, &o, &e); code != 1 || !strings.Contains(e.String(), "canceled") {
		t.Errorf("status %d: %s", code, e.String())
	}
}

// The command leaves a tenth of the memory to others, unless its user decides.
func TestLimitMemory(t *testing.T) {
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(-1))
	defer memory.Pretend(1 << 40)()
	t.Setenv("GOMEMLIMIT", "")
	limitMemory()
	const want = 1 << 40 / 10 * 9
	if got := debug.SetMemoryLimit(-1); got < want || got > want+10 {
		t.Errorf("a limit of %d bytes", got)
	}
	defer memory.Pretend(1 << 41)()
	t.Setenv("GOMEMLIMIT", "1TiB")
	limitMemory()
	if got := debug.SetMemoryLimit(-1); got > want+10 {
		t.Errorf("a limit of %d bytes in spite of GOMEMLIMIT", got)
	}
}
