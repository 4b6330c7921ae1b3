package main

import (
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"github.com/mpcvm/mpcvm/tables/table"
)

// TestVoice says every finding about columns, cells and classes with hostile names. Each option is spelled as
// a flag of a verb, and only the names contain the names of options.
func TestVoice(t *testing.T) {
	flags := map[string]bool{}
	for _, verb := range newRoot(io.Discard, io.Discard).Commands() {
		verb.Flags().VisitAll(func(f *pflag.Flag) { flags["--"+f.Name] = true })
	}
	spelled := regexp.MustCompile(`(?:^|[ (])(--[a-z-]+)`)
	for _, name := range []string{"as the target", "Options.Missing", "--drop", "<b>", "constructor", "it's"} {
		texts := make([]string, 10)
		for i := range texts {
			texts[i] = name
		}
		for _, code := range table.Codes() {
			f := table.Finding{Code: code, Column: name, Columns: []string{name, name}, Row: 3, Line: 4, N: 2, Of: 5,
				Texts: texts, Value: name, Option: "Drop", Cause: errors.New("cause")}
			text := voice.Explain(fmt.Errorf("%w", f))
			if text == "" || strings.Contains(text, "{") {
				t.Errorf("%s: %q", code, text)
			}
			own := strings.NewReplacer("'"+name+"'", "NAME", "\""+name+"\"", "NAME", name, "NAME").Replace(text)
			if strings.Contains(own, "Options.") {
				t.Errorf("%s: %q", code, text)
			}
			for _, found := range spelled.FindAllStringSubmatch(own, -1) {
				if !flags[found[1]] {
					t.Errorf("%s: %s is not a flag: %q", code, found[1], text)
				}
			}
		}
	}
	if got := flagFor("Drop", "as the target"); got != "--drop 'as the target'" {
		t.Error(got)
	}
}
