// Package must holds steps of tests that end the test if they fail.
package must

import (
	"fmt"
	"strings"
	"testing"

	"github.com/mpcvm/mpcvm/data"
)

// Load returns a known data set.
func Load(t testing.TB, name string) *data.Set {
	t.Helper()
	set, err := data.Load(name)
	OK(t, err)
	return set
}

// Get returns the result of a function, as in must.Get(os.ReadFile(name))(t), and ends the test if there is
// an error.
func Get[T any](v T, err error) func(t testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		OK(t, err)
		return v
	}
}

// OK ends the test if err is not nil.
func OK(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Equal ends the test if a result is not the wanted one.
func Equal[T comparable](t testing.TB, got, want T) {
	t.Helper()
	if got != want {
		t.Fatalf("%v, want %v", got, want)
	}
}

// Contain fails the test for each part that a text lacks.
func Contain(t testing.TB, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("%q is missing in %s", part, text)
		}
	}
}

// Panic fails the test if f, which about describes, does not panic.
func Panic(t testing.TB, about string, f func()) {
	t.Helper()
	PanicWith(t, about, "", f)
}

// PanicWith fails the test if f, which about describes, does not panic with a text that contains said.
func PanicWith(t testing.TB, about, said string, f func()) {
	t.Helper()
	defer func() {
		t.Helper()
		if fault := recover(); fault == nil || !strings.Contains(fmt.Sprint(fault), said) {
			t.Errorf("%s: the panic is %q, want %q", about, fmt.Sprint(fault), said)
		}
	}()
	f()
}
