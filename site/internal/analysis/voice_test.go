package analysis

import (
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/mpcvm/mpcvm/tables"
	"github.com/mpcvm/mpcvm/tables/table"
)

// TestVoice says a finding of each code. Names may look like options, flags or HTML: they stay as they are,
// and apart from them there is neither an option of Go nor a flag in the text.
func TestVoice(t *testing.T) {
	if len(table.Codes()) < 40 {
		t.Errorf("only %d codes", len(table.Codes()))
	}
	for code := range voice.Sentences {
		if !slices.Contains(table.Codes(), code) {
			t.Errorf("a sentence for %s, which is not a code", code)
		}
	}
	for _, code := range table.Codes() {
		say := func(name string) string {
			f := table.Finding{Code: code, Column: name, Columns: []string{name, name}, Row: 4, Line: 5, N: 3, Of: 9,
				Option: "Missing", Value: name, Cause: errors.New(name)}
			for range 10 {
				f.Texts = append(f.Texts, name)
			}
			return voice.Say(f)
		}
		for _, name := range []string{"as the target", "Options.Missing", "--drop", "<b>", "constructor"} {
			other := strings.Map(func(r rune) rune {
				if r == ' ' {
					return r
				}
				return 'ж'
			}, name)
			text := say(other)
			if got := say(name); got != strings.ReplaceAll(text, other, name) {
				t.Errorf("%s: %q with the name %q, %q with another one", code, got, name, text)
			}
			for _, no := range []string{"Options.", "Table.", "--", "mpcvm."} {
				if text == "" || strings.Contains(text, no) {
					t.Errorf("%s: %q", code, text)
				}
			}
		}
	}
}

// TestOptions sets all options: tables, the command and the notebook get the same ones.
func TestOptions(t *testing.T) {
	var o Options
	for field := range reflect.ValueOf(o).Fields() {
		o.set(field.Name, "a b=id")
	}
	o.set("Missing", "?")
	o.set("Kinds", "c=number")
	got, err := o.tables()
	want := tables.Options{Separator: "a b=id", Decimal: "a b=id", Encoding: "a b=id", Header: "a b=id",
		Sheet:  "a b=id",
		Ragged: "a b=id", Limits: "a b=id", Missing: []string{"a b=id", "?"}, Drop: []string{"a b=id"},
		ID: []string{"a b=id"}, Group: "a b=id", Time: "a b=id",
		Kinds: map[string]table.Kind{"a b": table.ID, "c": table.Number}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v", got, err)
	}
	o = Options{Sheet: "it's", Missing: []string{"?", "a,b"}, Kinds: map[string]string{"c": "number", "b": "id"},
		Time: "\"t\""}
	s := &Session{name: "x.xlsx", target: "y z", options: o,
		table: &table.Table{Columns: []table.Column{{Name: "b"}, {Name: "c"}}}}
	if got, want := s.command(), `mpcvm fit x.xlsx --target 'y z' --sheet 'it'\''s' --na '?,"a,b"' --kind b=id `+
		`--kind c=number --time '"t"' --report report.html --model model.json`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got, want := s.literal(), `tables.Options{Sheet: "it's", Missing: []string{"?", "a,b"}, `+
		`Kinds: map[string]table.Kind{"b": table.ID, "c": table.Number}, Time: "\"t\""}`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
