package tables

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/mpcvm/mpcvm/tables/look"
	"github.com/mpcvm/mpcvm/tables/table"
)

// Inspect opens a table for inspection. read opens it with the given options, for example by [Open]. If the
// options are not sufficient for a fit, because the file can be read in two ways or its records differ in
// length, Inspect sets an option, calls read again and returns the option as a Need. A note of the table
// describes the problem. A table without rows is not an error.
func Inspect(o *Options, read func(Options) (*table.Table, error)) (*table.Table, []look.Need, error) {
	var notes []string
	var needs []look.Need
	for {
		t, err := read(*o)
		if err == nil {
			t.Notes = slices.Concat(notes, t.Notes)
			return t, needs, nil
		}
		var option *string
		var need look.Need
		a, unclear := errors.AsType[*Ambiguous](err)
		switch {
		case unclear:
			option = map[string]*string{"Separator": &o.Separator, "Decimal": &o.Decimal, "Header": &o.Header}[a.Option]
			need = look.Need{Option: a.Option, Value: a.Guess()}
			name := "Options." + a.Option
			notes = append(notes, fmt.Sprintf("two readings are equally plausible: %s %s; a fit requires one of them; "+
				"this look used %[1]s %[3]s",
				name, strings.Join(a.Readings, " or "+name+" "), need.Value))
		case errors.Is(err, ErrRagged):
			option, need = &o.Ragged, look.Need{Option: "Ragged", Value: "pad"}
			notes = append(notes, "some records have more or fewer cells than the header; a fit requires "+
				"Options.Ragged pad, which pads or truncates them as here, or Options.Ragged drop")
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
