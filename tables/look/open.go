package look

import (
	"errors"
	"slices"

	"github.com/mpcvm/mpcvm/tables"
	sentences "github.com/mpcvm/mpcvm/tables/internal/texts"
	"github.com/mpcvm/mpcvm/tables/table"
)

// Open opens a table for inspection. read opens it with the given options, for example by tables.Open. If the
// options are not sufficient for a fit, because the file can be read in two ways or its records differ in
// length, Open sets an option, calls read again and returns the option as a Need. A note of the table
// describes the problem. A table without rows is not an error.
func Open(o *tables.Options, read func(tables.Options) (*table.Table, error)) (*table.Table, []Need, error) {
	var notes []table.Finding
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
			need = Need{Option: a.Option, Value: a.Value}
			notes = append(notes, a.Finding)
		case errors.Is(err, tables.ErrRagged):
			option, need = &o.Ragged, Need{Option: "Ragged", Value: "pad"}
			notes = append(notes, table.Finding{Code: sentences.NeedsRagged})
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

// forFit lists the codes of the warnings that matter for a fit, and inShort those whose first text is enough.
var (
	forFit = []string{"unlabelled", "alike", "named-missing", "few", "imbalance", "leak", "filled",
		"repeated-id", "duplicates", "conflicts", "sentinel", "outlier", "spelling", "odd-cells", "wide"}
	inShort = []string{"date", "levels", "constant", "empty"}
)

// ForFit returns the warnings that matter for a fit, and the texts of others as notes, without advice. A
// report on a fit includes both.
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
