package look

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/mpcvm/mpcvm/tables"
	"github.com/mpcvm/mpcvm/tables/table"
)

// Open opens a table for a look: read calls a function such as tables.Open with options. Where these options
// are not enough for a fit, because two readings of the file are equally good or its records differ in
// length, Open sets an option, calls read again and reports the option as a Need; a note of the table says
// what is ambiguous. A table without rows is not an error.
func Open(o *tables.Options, read func(tables.Options) (*table.Table, error)) (*table.Table, []Need, error) {
	var notes []string
	var needs []Need
	for {
		t, err := read(*o)
		if err == nil {
			t.Notes = slices.Concat(notes, t.Notes)
			return t, needs, nil
		}
		var option *string
		var need Need
		a, unclear := errors.AsType[*tables.Ambiguous](err)
		switch {
		case unclear:
			option = map[string]*string{"Separator": &o.Separator, "Decimal": &o.Decimal, "Header": &o.Header}[a.Option]
			need = Need{Option: a.Option, Value: a.Guess()}
			name := "Options." + a.Option
			notes = append(notes, fmt.Sprintf("two readings are equally plausible: %s %s; a fit requires one of them; "+
				"this look used %[1]s %[3]s",
				name, strings.Join(a.Readings, " or "+name+" "), need.Value))
		case errors.Is(err, tables.ErrRagged):
			option, need = &o.Ragged, Need{Option: "Ragged", Value: "pad"}
			notes = append(notes, "some records have more or fewer cells than the header; a fit requires "+
				"Options.Ragged pad, which pads or truncates them as here, or Options.Ragged drop")
		case errors.Is(err, tables.ErrEmpty) && !o.Lenient:
			o.Lenient = true
			continue
		}
		if option == nil || *option != "" {
			return nil, nil, err
		}
		*option = need.Value
		needs = append(needs, need)
	}
}

// codes of warnings that matter for a fit, and of those that one sentence of theirs is enough for.
var (
	forFit = []string{"unlabelled", "alike", "named-missing", "few", "imbalance", "leak", "filled",
		"repeated-id", "duplicates", "conflicts", "sentinel", "outlier", "spelling", "odd-cells", "wide"}
	inShort = []string{"date", "levels", "constant", "empty"}
)

// ForFit returns the warnings that a report on a fit repeats, and notes: the first sentences of others.
func (f *Findings) ForFit() (warnings []Warning, notes []string) {
	for _, w := range f.Warnings {
		switch {
		case slices.Contains(forFit, w.Code):
			warnings = append(warnings, w)
		case slices.Contains(inShort, w.Code):
			notes = append(notes, w.Text)
		}
	}
	return warnings, notes
}
