package progress

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// Elsewhere than on a terminal lines are rare.
func TestLines(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var b strings.Builder
		p := New(&b)
		p.Show(0.1, "one")
		time.Sleep(5 * time.Second)
		p.Show(0.2, "two")
		p.Show(0.3, "three")
		p.Clear()
		if got, want := b.String(), "two\n"; got != want {
			t.Errorf("%q, want %q", got, want)
		}
	})
}

// On a terminal the bar is renewed in place.
func TestBar(t *testing.T) {
	var b strings.Builder
	p := New(&b)
	p.isBar, p.every = true, 0
	p.Show(0.5, "one")
	p.Show(2, "two")
	p.Print("three")
	p.Clear()
	want := "[██████████··········] one\r\x1b[K[████████████████████] two\r\x1b[Kthree\n"
	if got := b.String(); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// A file and a closed file are no terminals.
func TestTerminal(t *testing.T) {
	f, err := os.Create(filepath.Join(t.TempDir(), "log"))
	if err != nil {
		t.Fatal(err)
	}
	if Terminal(f) || New(f).isBar {
		t.Error("a file is a terminal")
	}
	f.Close()
	if Terminal(f) {
		t.Error("a closed file is a terminal")
	}
}
