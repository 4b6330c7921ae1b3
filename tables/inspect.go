package tables

import (
	"errors"

	"github.com/mpcvm/mpcvm/tables/internal/texts"
	"github.com/mpcvm/mpcvm/tables/table"
)

// Inspect opens a table for inspection. read opens it with the given options, for example by [Open]. If the
// options are not sufficient for a fit, because the file can be read in two ways or its records differ in
// length, Inspect sets an option, calls read again and returns a finding that describes the problem, with the
// option and its value. A table without rows is not an error.
func Inspect(o *Options, read func(Options) (*table.Table, error)) (*table.Table, []table.Finding,
	error) {
	var needs []table.Finding
	for {
		t, err := read(*o)
		if err == nil {
			return t, needs, nil
		}
		var option *string
		var need table.Finding
		a, unclear := errors.AsType[*Ambiguous](err)
		switch {
		case unclear:
			option = map[string]*string{"Separator": &o.Separator, "Decimal": &o.Decimal,
				"Header": &o.Header}[a.Option]
			need = a.Finding
		case errors.Is(err, ErrRagged):
			option, need = &o.Ragged, table.Finding{Code: texts.RaggedRows, Option: "Ragged", Value: "pad"}
		case errors.Is(err, ErrEmpty) && !o.Lenient:
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
