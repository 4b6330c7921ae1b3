package look

import (
	"errors"
	"slices"

	"github.com/mpcvm/mpcvm/tables"
	"github.com/mpcvm/mpcvm/tables/internal/texts"
	"github.com/mpcvm/mpcvm/tables/table"
)

// Open opens a table for inspection. read opens it with the given options, for example by tables.Open. If the
// options are not sufficient for a fit, because the file can be read in two ways or its records differ in
// length, Open sets an option, calls read again and returns a finding that describes the problem, with the
// option and its value. A table without rows is not an error.
func Open(o *tables.Options, read func(tables.Options) (*table.Table, error)) (*table.Table, []table.Finding,
	error) {
	var needs []table.Finding
	for {
		t, err := read(*o)
		if err == nil {
			return t, needs, nil
		}
		var option *string
		var need table.Finding
		a, unclear := errors.AsType[*tables.Ambiguous](err)
		switch {
		case unclear:
			option = map[string]*string{"Separator": &o.Separator, "Decimal": &o.Decimal, "Header": &o.Header}[a.Option]
			need = a.Finding
		case errors.Is(err, tables.ErrRagged):
			option, need = &o.Ragged, table.Finding{Code: texts.RaggedRows, Option: "Ragged", Value: "pad"}
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

// forFit lists the codes of the warnings that matter for a fit, and noted lists codes of other warnings that
// are notes in a report on a fit.
var (
	forFit = []table.Code{texts.Unlabelled, texts.Alike, texts.NamedMissing, texts.Few, texts.Imbalance,
		texts.Leak, texts.Groups, texts.Filled, texts.RepeatedID, texts.IDOverTime, texts.Duplicates,
		texts.Conflicts, texts.Sentinel, texts.Outlier, texts.Spelling, texts.OddCells, texts.Wide}
	noted = []table.Code{texts.Dates, texts.Levels, texts.Constant, texts.Empty}
)

// ForFit returns the warnings that matter for a fit, and others as notes. A report on a fit includes both.
func (f *Findings) ForFit() (warnings, notes []table.Finding) {
	for _, w := range f.Warnings {
		switch {
		case slices.Contains(forFit, w.Code):
			warnings = append(warnings, w)
		case slices.Contains(noted, w.Code):
			notes = append(notes, w)
		}
	}
	return warnings, notes
}
