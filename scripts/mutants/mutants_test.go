package main

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// TestList: every mutant has its place in the sources, once, and there are enough of them.
func TestList(t *testing.T) {
	found, err := places("../..", mutants)
	if err != nil {
		t.Error(err)
	}
	if len(mutants) < 101 {
		t.Errorf("%d mutants", len(mutants))
	}
	seen := map[string]bool{}
	for _, m := range found {
		if m.from == m.to {
			t.Errorf("%s: %s: no change", m.file, m.why)
		}
		if seen[m.why] || m.why == "" {
			t.Errorf("%s: %q describes two mutants or none", m.file, m.why)
		}
		seen[m.why] = true
	}
}

// TestTry: a fault is caught by the test that it breaks, one that breaks none survives, and
// what does not compile is an error.
func TestTry(t *testing.T) {
	root := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":    "module sum\n\ngo 1.26\n",
		"data/s.go": "package sum\n\nfunc Sum(a, b int) int { return a + b }\n",
		"data/s_test.go": "package sum\n\nimport \"testing\"\n\nfunc TestOther(*testing.T) {}\n\nfunc TestSum(t *testing.T) {\n\tt.Run(\"zero\", func(*testing.T) {})\n" +
			"\tt.Run(\"two\", func(t *testing.T) {\n\t\tif Sum(2, 0) != 2 {\n\t\t\tt.Fatal()\n\t\t}\n\t})\n\tt.Run(\"three\", func(t *testing.T) { t.Skip() })\n}\n",
	} {
		file := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	tester := tester{root: root, dir: t.TempDir(), limit: 10 * time.Minute, tests: map[string][]test{}}
	if err := tester.measure(context.Background(), "./data"); err != nil {
		t.Fatal(err)
	}
	for _, tree := range []string{"internal", "mpcvm"} {
		if err := os.Mkdir(filepath.Join(root, tree), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct {
		from, to, by string
		fails        bool
	}{
		{"a + b", "a * b", "TestSum/two", false},
		{"a  +\n\tb", "a - b", "", false},
		{"return a + b", "panic(a)", "TestSum/two", false},
		{"a + b", "a + ", "", true},
		{"a + c", "a", "", true},
		{"a", "b", "", true}, // occurs more than once
	} {
		found, err := places(root, []mutant{{tt.from, tt.to, "test"}})
		by := ""
		if err == nil {
			by, _, err = tester.try(context.Background(), found[0])
		}
		if by != tt.by || (err != nil) != tt.fails || err == nil && found[0].line != 3 {
			t.Errorf("%s for %s: %+v, caught by %q, error %v", tt.to, tt.from, found, by, err)
		}
	}
}

func TestBlame(t *testing.T) {
	for output, want := range map[string]string{
		"--- FAIL: TestA (0.00s)\n    --- FAIL: TestA/b (0.00s)\n        --- FAIL: TestA/b/c (0.00s)\n--- FAIL: TestD (0.00s)\nFAIL\n": "TestA/b/c",
		"panic: test timed out after 1s\n\trunning tests:\n\t\tTestA (1s)\n":                                                           "time limit",
		"panic: boom\n\ngoroutine 1 [running]:\nsum.f()\nsum.TestA(0xc000)\n":                                                          "TestA (panic)",
		"FAIL\tsum [build failed]\n":                           "",
		"fatal error: all goroutines are asleep - deadlock!\n": "fatal error",
	} {
		if got := blame(output); got != want {
			t.Errorf("%q, want %q, of\n%s", got, want, output)
		}
	}
}
