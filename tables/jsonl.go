package tables

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/mpcvm/mpcvm/tables/internal/detect"
	"github.com/mpcvm/mpcvm/tables/internal/dialect"
	"github.com/mpcvm/mpcvm/tables/internal/texts"
	"github.com/mpcvm/mpcvm/tables/table"
)

func isObjects(start []byte, whole bool) bool {
	return bytes.HasPrefix(start, []byte("{")) && isJSON(start, whole)
}

func (t *text) readObjects(ctx context.Context, o Options) (*table.Table, error) {
	in, err := t.open(ctx)
	if err != nil {
		return nil, err
	}
	keys := newObjects(in)
	switch err = keys.scan(math.MaxInt, nil); {
	case err != io.EOF:
		return nil, err
	case keys.columns == nil:
		return nil, ErrEmpty
	}
	names, notes := dialect.UniqueNames(keys.columns)
	plan, err := detect.New(detect.Source{File: t.name, Columns: names}, o)
	if err != nil {
		return nil, err
	}
	read, err := plan.Read(func() (detect.Rows, error) {
		in, err := t.open(ctx)
		rows := newObjects(in)
		rows.columns = keys.columns
		return rows, err
	}, o.Lenient)
	if err != nil {
		return nil, err
	}
	read.Reading, read.Notes = "JSON Lines", append(notes, read.Notes...)
	return read, nil
}

// objects reads JSON Lines in chunks. again opens the file again; it is nil for a pipe.
func (p *Reader) objects(in *replay, again func() (io.Reader, error)) error {
	x := newObjects(in.whole())
	err := x.scan(objectsAhead, &x.ahead)
	if err == nil && again != nil {
		var all io.Reader
		if all, err = again(); err == nil {
			keys := newObjects(all)
			_ = keys.scan(math.MaxInt, nil) // a fault will be reported later
			x.columns = keys.columns
		}
	}
	switch {
	case err != nil && err != io.EOF:
		return err
	case x.columns == nil:
		return ErrEmpty
	}
	p.names, _ = dialect.UniqueNames(x.columns)
	p.notes = func() []table.Finding {
		if x.late.N == 0 {
			return nil
		}
		return []table.Finding{x.late}
	}
	var plan *detect.Plan
	var end error // why the rows ended
	p.next = func(ctx context.Context, most int) (parse, error) {
		var rows listed
		for size := 0; end == nil && len(rows) < most && size < chunkText; {
			var cells [][]byte
			if cells, _, end = x.Next(); end == nil {
				rows = append(rows, cells)
				for _, c := range cells {
					size += len(c)
				}
			}
		}
		err := ctx.Err()
		if len(rows) == 0 {
			err = end
		}
		if err == nil && plan == nil {
			sample := rows
			plan, err = p.plan(nil, &sample)
		}
		return func() (*table.Table, error) { return plan.Parse(&rows) }, err
	}
	return nil
}

// listed are rows in memory. It implements detect.Rows.
type listed [][][]byte

// Next returns the cells of the next row; see detect.Rows.
func (l *listed) Next() ([][]byte, int, error) {
	if len(*l) == 0 {
		return nil, 0, io.EOF
	}
	cells := (*l)[0]
	*l = (*l)[1:]
	return cells, 0, nil
}

// Estimate returns the number of rows.
func (l *listed) Estimate() int { return len(*l) }

// objectsAhead is the number of objects whose keys determine the columns if JSON Lines come from a pipe.
const objectsAhead = 1000

// objects reads JSON Lines: each object is a row, and each key is a column (see members). Absent keys and
// null are empty cells. It implements detect.Rows.
type objects struct {
	in      *json.Decoder
	columns []string
	ahead   []map[string]string // objects that scan has read
	late    table.Finding       // about the first key that is not a column
	row     int                 // of the last object
}

func newObjects(in io.Reader) *objects {
	l := &objects{in: json.NewDecoder(in)}
	l.in.UseNumber()
	return l
}

// scan adds the keys of the next objects, at most the given number, to the columns, and the objects to list
// if it is not nil. The error is io.EOF if there are fewer.
func (l *objects) scan(most int, list *[]map[string]string) error {
	met := map[string]bool{}
	for range most {
		row, err := l.object(func(key string) {
			if !met[key] {
				met[key], l.columns = true, append(l.columns, key)
			}
		})
		if err != nil {
			return err
		}
		if list != nil {
			*list = append(*list, row)
		}
	}
	return nil
}

// Next returns the cells of the next row; see detect.Rows.
func (l *objects) Next() ([][]byte, int, error) {
	var row map[string]string
	if len(l.ahead) > 0 {
		row, l.ahead = l.ahead[0], l.ahead[1:]
	} else {
		var err error
		if row, err = l.object(func(key string) {
			if l.late.N == 0 && !slices.Contains(l.columns, key) {
				l.late = table.Finding{Code: texts.LateKey, Column: key, Row: l.row, N: objectsAhead}
			}
		}); err != nil {
			return nil, 0, err
		}
	}
	cells := make([][]byte, len(l.columns))
	for j, column := range l.columns {
		cells[j] = []byte(row[column])
	}
	return cells, 0, nil
}

// object reads an object and returns its keys, or io.EOF after the last object.
func (l *objects) object(met func(key string)) (map[string]string, error) {
	l.row++
	fault := func(err error) (map[string]string, error) {
		return nil, table.Finding{Code: texts.NotObject, Row: l.row, Cause: err}
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
	if err := l.members("", row, met); err != nil {
		var f table.Finding
		if errors.As(err, &f) {
			return nil, f
		}
		return fault(err)
	}
	return row, nil
}

// deepest is the largest number of objects around a value.
const deepest = 8

// members reads the members of an object, whose name is the prefix, up to its closing brace. A member of an
// object in it has the name of both, as in proba.yes. The values of a list are joined as prediction sets are.
func (l *objects) members(prefix string, row map[string]string, met func(key string)) error {
	for l.in.More() {
		name, err := l.in.Token()
		var value json.Token
		if err == nil {
			value, err = l.in.Token()
		}
		if err != nil {
			return err
		}
		key := prefix + fmt.Sprint(name)
		if value == json.Delim('{') && strings.Count(key, ".") < deepest {
			if err := l.members(key+".", row, met); err != nil {
				return err
			}
			continue
		}
		met(key)
		if _, twice := row[key]; twice {
			return table.Finding{Code: texts.TwoValues, Row: l.row, Column: key}
		}
		values := []json.Token{value}
		if value == json.Delim('[') {
			if values, err = l.list(); err != nil {
				return err
			}
		}
		var cells []string
		for _, v := range values {
			if _, nested := v.(json.Delim); nested {
				return table.Finding{Code: texts.NotValue, Row: l.row, Column: key}
			}
			if v != nil {
				cells = append(cells, fmt.Sprint(v))
			}
		}
		row[key] = strings.Join(cells, " | ")
	}
	_, err := l.in.Token()
	return err
}

// list reads the values of a list up to its end, or up to an object or a list in it.
func (l *objects) list() (values []json.Token, err error) {
	for l.in.More() {
		v, err := l.in.Token()
		if err != nil {
			return nil, err
		}
		values = append(values, v)
		if _, nested := v.(json.Delim); nested {
			return values, nil
		}
	}
	_, err = l.in.Token()
	return values, err
}
