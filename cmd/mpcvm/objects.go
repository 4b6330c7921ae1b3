package main

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mpcvm/mpcvm/tables"
)

// isLines reports whether a path names a file of JSON Lines.
func isLines(path string) bool { return strings.EqualFold(filepath.Ext(path), ".jsonl") }

// csvOptions sets the options for the CSV written by objects.
func csvOptions(o tables.Options) tables.Options {
	o.Separator, o.Quote, o.Escape, o.Decimal, o.Thousands = "comma", `"`, "doubled", ".", "none"
	o.Encoding, o.Header, o.Comment, o.Skip = "utf-8", "yes", "none", 0
	return o
}

// objectsAhead is the number of objects whose keys determine the columns.
const objectsAhead = 1000

// objects converts JSON Lines to CSV: each object is a row, and each key is a column. Absent keys and null
// are empty cells.
type objects struct {
	in      *json.Decoder
	row     int // of the last object
	ahead   []map[string]string
	columns []string
	text    bytes.Buffer
}

func newObjects(in io.Reader) *objects {
	l := &objects{in: json.NewDecoder(in)}
	l.in.UseNumber()
	return l
}

func (l *objects) Read(p []byte) (int, error) {
	for l.text.Len() == 0 {
		if err := l.more(); err != nil {
			return 0, err
		}
	}
	return l.text.Read(p)
}

// more appends rows to the text.
func (l *objects) more() error {
	w := csv.NewWriter(&l.text)
	defer w.Flush()
	if l.columns == nil {
		for len(l.ahead) < objectsAhead {
			row, err := l.object(func(key string) {
				if !slices.Contains(l.columns, key) {
					l.columns = append(l.columns, key)
				}
			})
			if err == io.EOF {
				break
			}
			if err != nil {
				return err
			}
			l.ahead = append(l.ahead, row)
		}
		if l.columns == nil {
			return io.EOF
		}
		if err := w.Write(l.columns); err != nil {
			return err
		}
	}
	if len(l.ahead) == 0 {
		row, err := l.object(func(string) {})
		if err != nil {
			return err
		}
		l.ahead = append(l.ahead, row)
	}
	for _, row := range l.ahead {
		cells := make([]string, len(l.columns))
		for j, column := range l.columns {
			cells[j] = row[column]
		}
		if err := w.Write(cells); err != nil {
			return err
		}
	}
	l.ahead = l.ahead[:0]
	return nil
}

// object reads an object and returns its keys, or io.EOF after the last object.
func (l *objects) object(met func(key string)) (map[string]string, error) {
	l.row++
	fault := func(err error) (map[string]string, error) {
		return nil, fmt.Errorf("row %d is not an object such as {\"column\": value}: %w", l.row, err)
	}
	open, err := l.in.Token()
	if err == io.EOF {
		return nil, err
	}
	if err == nil && open != json.Delim('{') {
		err = fmt.Errorf("it begins with %v", open)
	}
	if err != nil {
		return fault(err)
	}
	row := map[string]string{}
	for l.in.More() {
		name, err := l.in.Token()
		var value any
		if err == nil {
			err = l.in.Decode(&value)
		}
		if err != nil {
			return fault(err)
		}
		key := fmt.Sprint(name)
		met(key)
		switch v := value.(type) {
		case nil:
		case string, json.Number, bool:
			row[key] = fmt.Sprint(v)
		default:
			return nil, fmt.Errorf("row %d, column %q: want a number, a string, true, false or null", l.row, key)
		}
	}
	if _, err := l.in.Token(); err != nil { // the closing brace
		return fault(err)
	}
	return row, nil
}
