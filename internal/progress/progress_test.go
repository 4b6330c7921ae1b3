package progress

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"github.com/mpcvm/mpcvm/internal/testkit/must"
)

// Without a terminal, only the lines of Print are written.
func TestNoTerminal(t *testing.T) {
	var b strings.Builder
	p := New(&b)
	p.Show(0.1, "one")
	p.Print("two")
	p.Clear()
	if got, want := b.String(), "two\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// On a terminal the bar is redrawn in place, with the last text, and under lines that stay.
func TestBar(t *testing.T) {
	t.Setenv("COLUMNS", "80")
	synctest.Test(t, func(t *testing.T) {
		var b strings.Builder
		p := New(&b)
		p.isBar = true
		p.Show(0.1, "never seen")
		p.Show(0.5, "one")
		time.Sleep(2 * every)
		p.Show(2, "two")
		time.Sleep(2 * every)
		p.Print("three")
		time.Sleep(2 * every)
		p.Show(1, "never seen")
		p.Clear()
		time.Sleep(2 * every)
		const two = "[████████████████████] two\r\x1b[K"
		must.Equal(t, b.String(), "[██████████··········] one\r\x1b[K"+two+"three\n"+two)
	})
}

// The line fits the terminal, whatever its width.
func TestWidth(t *testing.T) {
	text := strings.Repeat("word ", 60)
	for _, width := range []int{1, 10, 40, 80, 200} {
		got := utf8.RuneCountInString(line(0.5, text, width))
		if got > max(width-1, 4) || width >= 40 && got != width-1 {
			t.Errorf("%d characters for a width of %d", got, width)
		}
	}
	t.Setenv("COLUMNS", "40")
	must.Equal(t, Width(os.Stderr), 40)
	t.Setenv("COLUMNS", "")
	must.Equal(t, Width(new(strings.Builder)), 80)
}

// A file and a closed file are not terminals.
func TestTerminal(t *testing.T) {
	f := must.Get(os.Create(filepath.Join(t.TempDir(), "log")))(t)
	if Terminal(f) || New(f).isBar {
		t.Error("a file is a terminal")
	}
	f.Close()
	if Terminal(f) {
		t.Error("a closed file is a terminal")
	}
}
