package analysis

import (
	"encoding/csv"
	"reflect"
	"slices"
	"strings"

	"github.com/mpcvm/mpcvm/internal/cell"
	"github.com/mpcvm/mpcvm/tables/table"
)

// Fix sets an option of the page, which settles a finding. The value of a list is a record of CSV.
type Fix struct {
	Option string `json:"option"`
	Value  string `json:"value"`
	Label  string `json:"label"` // of the button
}

// fixes returns the options that the sentence of a finding offers and that the page can set.
func fixes(f table.Finding) []Fix {
	offered := []Fix{}
	(&table.Voice{Sentences: voice.Sentences, Option: func(name, value string) string {
		field, ok := reflect.TypeFor[Options]().FieldByName(name)
		if ok && value != "" && (field.Type.Kind() != reflect.Map || strings.Contains(value, "=")) {
			offered = append(offered, Fix{name, value, action(name, field.Tag.Get("label"), value)})
		}
		return ""
	}}).Say(f)
	return offered
}

// action is the label of a button that sets an option.
func action(name, label, value string) string {
	short := cell.Cut(value, 40)
	switch name {
	case "Drop":
		return "Leave out " + short
	case "ID":
		return "Use " + short + " as ID"
	case "Group":
		return "Group by " + short
	case "Missing":
		return "Read " + short + " as missing"
	case "Kinds":
		i := strings.LastIndex(value, "=")
		return "Read " + cell.Cut(value[:i], 40) + " as " + value[i+1:]
	}
	return label + ": " + short
}

// list returns the values of a record of CSV, at least one.
func list(value string) []string {
	values, err := csv.NewReader(strings.NewReader(value)).Read()
	if err != nil {
		return []string{value}
	}
	return values
}

// apply sets the options.
func (o *Options) apply(fixes []Fix) {
	for _, f := range fixes {
		values := []string{f.Value}
		if v, _ := reflect.TypeFor[Options]().FieldByName(f.Option); v.Type.Kind() == reflect.Slice {
			values = list(f.Value)
		}
		o.set(f.Option, values...)
	}
}

// certain returns what the page sets without being asked: columns without information are left out, and rows
// that belong together without doubt are grouped.
func (s *Session) certain() (chosen []Fix) {
	for _, w := range s.found.Warnings {
		if w.Option == "Group" || slices.Contains([]table.Code{"empty", "constant"}, w.Code) {
			chosen = append(chosen, fixes(w)[0])
		}
	}
	return chosen
}
