package table

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/mpcvm/mpcvm/internal/cell"
	"github.com/mpcvm/mpcvm/internal/words"
	"github.com/mpcvm/mpcvm/tables/internal/celltext"
)

// Code identifies a kind of finding, such as "not-number". Codes are stable: programs may compare them.
type Code string

// Finding is something about a table that its user may want to know or change: what a reader has guessed, a
// cell that is not of the kind of its column, a column that repeats another one. It contains the facts; a
// [Voice] puts them into words. As an error, it has the words of [Go].
type Finding struct {
	Code Code `json:"code"`
	// Column is the name of the column concerned, and Columns are the names if there are several; both are
	// empty if the finding is about the table.
	Column  string   `json:"column,omitempty"`
	Columns []string `json:"columns,omitempty"`
	// Row counts from 1, without the header, and Line is the line of a text file; 0 means none.
	Row  int `json:"row,omitempty"`
	Line int `json:"line,omitempty"`
	// N is the number of cells, rows or columns concerned, out of Of.
	N  int `json:"n,omitempty"`
	Of int `json:"of,omitempty"`
	// Texts are cells, names, units and figures; what they mean depends on the code.
	Texts []string `json:"texts,omitempty"`
	// Option is the field of an options struct that helps, such as Missing, and Value the value to give it.
	Option string `json:"option,omitempty"`
	Value  string `json:"value,omitempty"`
	// Cause is the error to compare with errors.Is if the finding is an error.
	Cause error `json:"-"`
}

// Error returns the finding in the words of Go.
func (f Finding) Error() string { return Go.Say(f) }

// Unwrap returns Cause.
func (f Finding) Unwrap() error { return f.Cause }

// sentences maps codes to templates; see Register.
var sentences = map[Code]string{}

// Register sets the template of the sentences of a code, and returns the code. It panics if the code has one
// already, or if the template is malformed. Braces in a template stand for the facts of a finding:
//
//	{column} {columns}       the name of the column, or the names of the columns, in quotation marks
//	{n} {of} {share}         N, Of, and N/Of as a percentage
//	{n:row} {of:row}         "1 row", "1,234 rows"
//	{n?is|are}               the first text if N is 1, otherwise the second
//	{columns?is|are}         the first text if there is one column, otherwise the second
//	{0} {0:plain} {texts}    the first text in quotation marks, without them, or all texts
//	{value}                  Value in quotation marks
//	{rest}                   all texts except the first
//	{place}                  "line 5", or "row 4" if the line is unknown
//	{option}                 Option with Value, as the front end spells it
//	{cause}                  Cause, which may be a finding
//	{!Missing 0}             another option with a value: the first text; also column, columns, or any
//	{!Kinds column=date}     other text as it stands
func Register(code Code, template string) Code {
	if sentences[code] != "" {
		panic("table: two templates for " + string(code))
	}
	sentences[code] = template
	if _, err := Go.fill(template, Finding{Texts: make([]string, 10)}); err != nil {
		panic(fmt.Sprintf("table: template of %s: %v", code, err))
	}
	return code
}

// Codes returns all codes in the order of strings.Compare.
func Codes() []Code { return slices.Sorted(maps.Keys(sentences)) }

// Voice puts findings into the words of a front end. It is how a front end spells options, and the sentences
// that it has instead of the general ones.
type Voice struct {
	// Option spells an option with a value, which may be empty.
	Option func(name, value string) string
	// Sentences replaces the templates of some codes; see [Register].
	Sentences map[Code]string
}

// Go names options as Go programs do.
var Go = &Voice{Option: func(name, value string) string {
	return strings.TrimSpace("Options." + name + " " + value)
}}

// Say returns the sentences of a finding, which are "" for the zero Finding. If its code has none, they are
// the code and the texts.
func (v *Voice) Say(f Finding) string {
	if f.Code == "" {
		return ""
	}
	template, ok := v.Sentences[f.Code]
	if !ok {
		template, ok = sentences[f.Code]
	}
	if !ok {
		template = string(f.Code) + " {texts}"
	}
	text, err := v.fill(template, f)
	if err != nil {
		panic(fmt.Sprintf("table: %s: %v", f.Code, err)) // a text that the finding lacks
	}
	return text
}

// SayAll returns the sentences of findings.
func (v *Voice) SayAll(list []Finding) []string {
	all := make([]string, len(list))
	for i, f := range list {
		all[i] = v.Say(f)
	}
	return all
}

// Said is a finding with its sentences, for JSON.
type Said struct {
	Finding
	Text string `json:"text"`
}

// Said returns findings with their sentences. Columns contains Column, too.
func (v *Voice) Said(list []Finding) []Said {
	said := make([]Said, len(list))
	for i, f := range list {
		if said[i] = (Said{f, v.Say(f)}); f.Columns == nil && f.Column != "" {
			said[i].Columns = []string{f.Column}
		}
	}
	return said
}

// Explain returns the message of an error without the name of a package, and with a finding in it in the
// words of v.
func (v *Voice) Explain(err error) string {
	text := strings.TrimPrefix(strings.TrimPrefix(err.Error(), "tables: "), "mpcvm: ")
	if f, ok := errors.AsType[Finding](err); ok {
		text = strings.Replace(text, f.Error(), v.Say(f), 1)
	}
	return text
}

var slots = regexp.MustCompile(`\{[^}]*\}?`)

// fill replaces the braces of a template.
func (v *Voice) fill(template string, f Finding) (text string, err error) {
	text = slots.ReplaceAllStringFunc(template, func(slot string) string {
		value, fault := v.slot(strings.Trim(slot, "{}"), f)
		if fault != nil || slot[len(slot)-1] != '}' {
			err = fmt.Errorf("%s: %w", slot, cmp.Or(fault, errors.New("no closing brace")))
		}
		return value
	})
	return text, err
}

// slot returns the text for a pair of braces.
func (v *Voice) slot(slot string, f Finding) (string, error) {
	if option, ok := strings.CutPrefix(slot, "!"); ok {
		name, value, _ := strings.Cut(option, " ")
		return v.Option(name, f.value(value, name == "Missing" || name == "Drop" || name == "ID")), nil
	}
	if of, either, ok := strings.Cut(slot, "?"); ok {
		one, more, _ := strings.Cut(either, "|")
		n := f.N
		if of == "columns" {
			n = len(f.Columns)
		}
		if n == 1 {
			return one, nil
		}
		return more, nil
	}
	name, how, _ := strings.Cut(slot, ":")
	switch name {
	case "column":
		return celltext.Quote(f.Column), nil
	case "columns":
		return quotedList(f.Columns, 10), nil
	case "n", "of":
		n := f.N
		if name == "of" {
			n = f.Of
		}
		if how != "" {
			return words.CountOf(n, how), nil
		}
		return words.Count(n), nil
	case "share":
		return words.Share(f.N, f.Of), nil
	case "texts":
		return quotedList(f.Texts, 5), nil
	case "value":
		return celltext.Quote(f.Value), nil
	case "rest":
		return quotedList(f.Texts[min(1, len(f.Texts)):], 5), nil
	case "place":
		if f.Line > 0 {
			return "line " + strconv.Itoa(f.Line), nil
		}
		return "row " + strconv.Itoa(f.Row), nil
	case "option":
		return v.Option(f.Option, f.Value), nil
	case "cause":
		if f.Cause == nil {
			return "", nil
		}
		return v.Explain(f.Cause), nil
	}
	i, err := strconv.Atoi(name)
	switch {
	case err != nil || i < 0:
		return "", errors.New("unknown slot")
	case i >= len(f.Texts):
		return "", fmt.Errorf("there are %d texts", len(f.Texts))
	case how == "plain":
		return words.OneLine(f.Texts[i]), nil
	}
	return celltext.Quote(f.Texts[i]), nil
}

// value returns the value of an option in a template. If the option is a list, it is a record of CSV.
func (f Finding) value(of string, list bool) string {
	name, kind, paired := strings.Cut(of, "=")
	switch i, err := strconv.Atoi(name); {
	case err == nil && i < len(f.Texts):
		name = item(f.Texts[i], list)
	case name == "column":
		name = item(f.Column, list)
	case name == "columns":
		name = words.CommaSeparated(f.Columns)
	case name == "texts":
		name = words.CommaSeparated(f.Texts)
	}
	if paired {
		return name + "=" + kind
	}
	return name
}

// item returns a text as a value, or as the only one of a list of values.
func item(text string, list bool) string {
	if list {
		return words.CommaSeparated([]string{text})
	}
	return text
}

// quotedList joins up to most texts, or most+1 if these are all.
func quotedList(all []string, most int) string {
	more := ""
	if n := len(all); n > most+1 {
		all, more = all[:most], fmt.Sprintf(" and %d more", n-most)
	}
	quoted := make([]string, len(all))
	for i, text := range all {
		quoted[i] = celltext.Quote(text)
	}
	return strings.Join(quoted, ", ") + more
}

// Fault returns an error about a cell of a table, or about a column or the whole table if row or column is 0.
// Both count from 1. The line is the line of the finding.
func (t *Table) Fault(row, column int, value string, f Finding) error {
	e := &cell.Error{Name: t.Name, Row: int64(row), Line: f.Line, Column: column, Err: f}
	if value != "" {
		e.Value = value
	}
	if column > 0 {
		e.Header = t.Columns[column-1].Name
	}
	return e
}
