package table

import (
	"errors"
	"io"
	"testing"
)

// Names and cells that look like options, flags, markup or placeholders are printed as they are.
func TestVoice(t *testing.T) {
	code := Register("test-voice", "column {column}: {n:cell} of {of} ({share}) in {place} {n?is|are} {0}, {1:plain}; "+
		"use {option} or {!Kinds column=date}; {columns?one|more}: {columns}; {!Missing 0}; {!Limits half}")
	shell := &Voice{Option: func(name, value string) string { return "--" + name + "=" + value }}
	for _, name := range []string{"as the target", "Options.Missing", "--drop", "<b>", "constructor", "{n}",
		"{column"} {
		f := Finding{Code: code, Column: name, Columns: []string{name, "b"}, Row: 3, N: 1, Of: 3000,
			Texts: []string{name,
				"x  y"}, Option: "Drop", Value: name}
		want := `column "` + name + `": 1 cell of 3,000 (under 0.1 %) in row 3 is "` + name +
			`", x y; use --Drop=` + name +
			` or --Kinds=` + name + `=date; more: "` + name + `", "b"; --Missing=` + name + `; --Limits=half`
		if got := shell.Say(f); got != want {
			t.Errorf("%s\nwant %s", got, want)
		}
	}
	own := &Voice{Option: shell.Option, Sentences: map[Code]string{code: "own {n}"}}
	if got := own.Say(Finding{Code: code, N: 1234}); got != "own 1,234" {
		t.Error(got)
	}
}

func TestFindingAsError(t *testing.T) {
	code := Register("test-error", "{0} is odd: use {!Missing 0}")
	tb := &Table{Name: "t.csv", Columns: []Column{{Name: "a"}}}
	err := tb.Fault(2, 1, "", Finding{Code: code, Texts: []string{"?"}, Cause: io.EOF})
	if want := `tables: t.csv: row 2, column 1 (a): "?" is odd: use Options.Missing ?`; err.Error() != want ||
		!errors.Is(err, io.EOF) {
		t.Errorf("%v, want %s", err, want)
	}
	shell := &Voice{Option: func(name, value string) string { return "--na '" + value + "'" }}
	if got := shell.Explain(err); got != `t.csv: row 2, column 1 (a): "?" is odd: use --na '?'` {
		t.Error(got)
	}
}

// A cause is in the words of the same voice, and a value of a list is written as a record of CSV.
func TestCauseAndLists(t *testing.T) {
	inner := Register("test-inner", "use {!Missing 0} or {!Group column}")
	code := Register("test-outer", "no: {cause}")
	shell := &Voice{Option: func(name, value string) string { return "--" + name + " " + value }}
	for _, tt := range []struct {
		cause error
		want  string
	}{{Finding{Code: inner, Column: "a,b", Texts: []string{`1,5`}}, `no: use --Missing "1,5" or --Group a,b`},
		{io.EOF, "no: EOF"}, {nil, "no: "}} {
		if got := shell.Say(Finding{Code: code, Cause: tt.cause}); got != tt.want {
			t.Errorf("%s, want %s", got, tt.want)
		}
	}
}

func TestRegisterRefuses(t *testing.T) {
	for _, template := range []string{"{open", "{unknown}", "{11}"} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s is accepted", template)
				}
				delete(sentences, "test-bad")
			}()
			Register("test-bad", template)
		}()
	}
}
