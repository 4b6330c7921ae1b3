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

	"github.com/mpcvm/mpcvm/internal/testkit/must"
)

// broken is a writer that panics, like an internal error of the command.
type broken struct{}

func (broken) Write([]byte) (int, error) { panic("broken output\nof two lines") }

// A panic results in one line, a file with the stack, and a separate exit status.
func TestFault(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	path := filepath.Join(dir, "t.csv")
	must.OK(t, os.WriteFile(path, []byte("x,class\n1,a\n2,b\n3,a\n4,b\n"), 0o644))
	var errOut bytes.Buffer
	if code := run(t.Context(), []string{"look", path}, broken{}, &errOut); code != 70 {
		t.Errorf("exit status %d", code)
	}
	said := errOut.String()
	for _, want := range []string{"mpcvm look: internal error, please report it: broken output (",
		"table of 4 rows and 2 columns", "version"} {
		if !strings.Contains(said, want) {
			t.Errorf("no %q in %q", want, said)
		}
	}
	if strings.Count(said, "\n") != 1 {
		t.Errorf("not one line: %q", said)
	}
	name := regexp.MustCompile(`the stack is in (\S+)\)`).FindStringSubmatch(said)
	if name == nil {
		t.Fatal(said)
	}
	if stack, err := os.ReadFile(name[1]); err != nil || !strings.Contains(string(stack), "of two lines") ||
		!strings.Contains(string(stack), "fault_test.go") {
		t.Errorf("%v\n%s", err, stack)
	}
	errOut.Reset()
	run(t.Context(), []string{"--help"}, broken{}, &errOut)
	if !strings.Contains(errOut.String(), "mpcvm: internal error") || !strings.Contains(errOut.String(),
		"no table was read") {
		t.Error(errOut.String())
	}
}

// A panic in another goroutine does not end the process.
func TestFaultWhileWaiting(t *testing.T) {
	_, err := waiting(context.Background(), func() (int, error) { panic("broken") })
	if f, ok := errors.AsType[*fault](err); !ok || f.value != "broken" {
		t.Error(err)
	}
}
