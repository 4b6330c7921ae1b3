package tables

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/mpcvm/mpcvm/tables/internal/detect"
	"github.com/mpcvm/mpcvm/tables/internal/dialect"
	"github.com/mpcvm/mpcvm/tables/internal/texts"
	"github.com/mpcvm/mpcvm/tables/table"
)

// isObjects reports whether a text begins like JSON Lines.
func isObjects(start []byte, whole bool) bool {
	return bytes.HasPrefix(start, []byte("{")) && isJSON(start, whole)
}

// readObjects reads JSON Lines.
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
	var end error // why there are no more rows
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

// objects reads JSON Lines: each object is a row, and each key is a column. Absent keys and null are empty
// cells. It implements detect.Rows.
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

// Estimate returns 0, since the number of rows is unknown.
func (l *objects) Estimate() int { return 0 }

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
			return nil, table.Finding{Code: texts.NotValue, Row: l.row, Column: key}
		}
	}
	if _, err := l.in.Token(); err != nil { // the closing brace
		return fault(err)
	}
	return row, nil
}
