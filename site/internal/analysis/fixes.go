package analysis

import (
	"encoding/csv"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/mpcvm/mpcvm/internal/cell"
	"github.com/mpcvm/mpcvm/internal/words"
	"github.com/mpcvm/mpcvm/tables/look"
	"github.com/mpcvm/mpcvm/tables/table"
)

// Fix sets an option of the page, which settles a finding. The value of a list is a record of CSV.
type Fix struct {
	Option string `json:"option"`
	Value  string `json:"value"`
	Label  string `json:"label"` // of the button
}

// fixes returns the options that the sentence of a finding offers and that the page can set. The first one
// may join classes.
func (s *Session) fixes(f table.Finding) []Fix {
	offered := []Fix{}
	joined := slices.Collect(maps.Values(s.options.Merge))
	if f.Code == "few" && f.N == 1 && slices.Contains(joined, f.Texts[0]) {
		return offered // the file does not contain the name
	}
	if pairs, label := s.joined(f); len(pairs) > 0 {
		offered = append(offered, Fix{"Merge", words.CommaSeparated(pairs), label})
	}
	(&table.Voice{Sentences: voice.Sentences, Option: func(name, value string) string {
		field, ok := reflect.TypeFor[Options]().FieldByName(name)
		if ok && value != "" && (field.Type.Kind() != reflect.Map || strings.Contains(value, "=")) {
			offered = append(offered, Fix{name, value, action(name, field.Tag.Get("label"), value)})
		}
		return ""
	}}).Say(f)
	return offered
}

// joined returns pairs OLD=NEW that join the classes of a finding, with the label of the button: several
// rare classes become "other", and classes that differ only in case or blanks the most frequent one of
// them.
func (s *Session) joined(f table.Finding) (pairs []string, label string) {
	if s.found.Target == nil || f.Column != *s.found.Target {
		return nil, ""
	}
	add := func(old, name string) {
		if old != name && !strings.Contains(old+name, "=") {
			pairs = append(pairs, old+"="+name)
		}
	}
	switch {
	case f.Code == "alike":
		for _, old := range f.Texts {
			best := look.Class{}
			for _, c := range s.found.Classes {
				if words.Folded(c.Name) == words.Folded(old) && c.Rows > best.Rows {
					best = c
				}
			}
			add(old, best.Name)
		}
		label = "Join " + cell.Cut(words.List(f.Texts, 4), 60)
	case f.Code == "few" && f.N > 1:
		for _, old := range f.Texts {
			add(old, "other")
		}
		label = fmt.Sprintf("Join the %d rare classes as other", f.N)
	}
	return pairs, label
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
		v, _ := reflect.TypeFor[Options]().FieldByName(f.Option)
		if v.Type.Kind() == reflect.Slice || f.Option == "Merge" {
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
			chosen = append(chosen, s.fixes(w)[0])
		}
	}
	return chosen
}
