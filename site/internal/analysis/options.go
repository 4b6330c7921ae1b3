package analysis

import (
	"cmp"
	"fmt"
	"iter"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/mpcvm/mpcvm/internal/words"
	"github.com/mpcvm/mpcvm/tables"
	"github.com/mpcvm/mpcvm/tables/table"
)

// Options are the options of package tables that the page has controls for, under the same names. The tag
// label is the label of the control, and flag is the flag of the command if it is not the name in lower case.
type Options struct {
	Separator string            `json:"separator,omitempty" label:"Separator"`
	Decimal   string            `json:"decimal,omitempty" label:"Decimal mark"`
	Encoding  string            `json:"encoding,omitempty" label:"Encoding"`
	Header    string            `json:"header,omitempty" label:"Header"`
	Sheet     string            `json:"sheet,omitempty" label:"Sheet"`
	Ragged    string            `json:"ragged,omitempty" label:"Uneven rows"`
	Limits    string            `json:"limits,omitempty" label:"Values such as <0.5"`
	Missing   []string          `json:"missing,omitempty" label:"Further texts for missing" flag:"na"`
	Kinds     map[string]string `json:"kinds,omitempty" label:"Kind" flag:"kind"` // by column
	Drop      []string          `json:"drop,omitempty" label:"Use: leave out"`
	ID        []string          `json:"id,omitempty" label:"Use: ID"`
	Group     string            `json:"group,omitempty" label:"Use: group"`
	Time      string            `json:"time,omitempty" label:"Use: time"`
	// Merge maps classes to the classes that they become. It is an option of tables.Settings.
	Merge map[string]string `json:"merge,omitempty" label:"Join" flag:"merge-labels"`
}

// all returns the options that are set, with their values.
func (o Options) all() iter.Seq2[reflect.StructField, reflect.Value] {
	return func(yield func(reflect.StructField, reflect.Value) bool) {
		for field, v := range reflect.ValueOf(o).Fields() {
			if v.Len() > 0 && !yield(field, v) {
				return
			}
		}
	}
}

// tables returns the options of package tables.
func (o Options) tables() (t tables.Options, err error) {
	to := reflect.ValueOf(&t).Elem()
	for option, v := range o.all() {
		if v.Kind() != reflect.Map {
			to.FieldByName(option.Name).Set(v)
		}
	}
	t.Kinds = make(map[string]table.Kind, len(o.Kinds))
	for name, kind := range o.Kinds {
		if t.Kinds[name], err = table.ParseKind(kind); err != nil {
			return t, err
		}
	}
	return t, nil
}

// set sets an option, or adds values to a list.
func (o *Options) set(name string, values ...string) {
	value := values[0]
	switch to := reflect.ValueOf(o).Elem().FieldByName(name).Addr().Interface().(type) {
	case *string:
		*to = value
	case *[]string:
		*to = append(slices.Clone(*to), values...)
	case *map[string]string:
		next := map[string]string{}
		maps.Copy(next, *to)
		for _, value := range values {
			i := strings.LastIndex(value, "=")
			for old, joined := range next {
				if name == "Merge" && joined == value[:i] {
					next[old] = value[i+1:]
				}
			}
			next[value[:i]] = value[i+1:]
		}
		*to = next
	}
}

// command is the line of a shell that trains the same model.
func (s *Session) command() string {
	line := []string{"mpcvm", "fit", words.Shell(s.name)}
	add := func(flag, value string) { line = append(line, flag, words.Shell(value)) }
	if s.target != "" {
		add("--target", s.target)
	}
	for option, v := range s.options.all() {
		flag := "--" + cmp.Or(option.Tag.Get("flag"), strings.ToLower(option.Name))
		switch value := v.Interface().(type) {
		case string:
			add(flag, value)
		case []string:
			add(flag, words.CommaSeparated(value))
		case map[string]string:
			for _, name := range slices.Sorted(maps.Keys(value)) {
				pair := name + "=" + value[name]
				if option.Name == "Merge" {
					pair = words.CommaSeparated([]string{pair})
				}
				add(flag, pair)
			}
		}
	}
	return strings.Join(append(line, "--report", "report.html", "--model", "model.json"), " ")
}

// literal writes the options as a Go literal.
func (s *Session) literal() string {
	var fields []string
	for option, v := range s.options.all() {
		value := fmt.Sprintf("%#v", v)
		switch option.Name {
		case "Merge":
			continue
		case "Kinds":
			var kinds []string
			for _, name := range slices.Sorted(maps.Keys(s.options.Kinds)) {
				kind := s.options.Kinds[name]
				if kind == "id" {
					kind = "ID"
				}
				kinds = append(kinds, strconv.Quote(name)+": table."+strings.ToUpper(kind[:1])+kind[1:])
			}
			value = "map[string]table.Kind{" + strings.Join(kinds, ", ") + "}"
		}
		fields = append(fields, option.Name+": "+value)
	}
	return "tables.Options{" + strings.Join(fields, ", ") + "}"
}
