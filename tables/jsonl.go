package tables

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"

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
	all, err := io.ReadAll(newObjects(in, math.MaxInt))
	if err != nil {
		return nil, err
	}
	asCSV := text{file: file{t.name, int64(len(all)), bytes.NewReader(all)}}
	if in, err = asCSV.open(ctx); err == nil {
		asCSV.in, err = newReplay(in)
	}
	if err != nil {
		return nil, err
	}
	read, err := asCSV.readDelimited(ctx, objectOptions(o))
	return ofObjects(read), err
}

// objects reads JSON Lines in chunks. again opens the file again; it is nil for a pipe.
func (p *Reader) objects(in *replay, again func() (io.Reader, error)) error {
	l := newObjects(in.whole(), objectsAhead)
	l.again = again
	text, err := newReplay(l)
	if err != nil {
		return err
	}
	p.o = objectOptions(p.o)
	err = p.text(text)
	next, notes := p.next, p.notes
	p.notes = func() []table.Finding {
		if l.late.N == 0 {
			return notes()
		}
		return append(notes(), l.late)
	}
	p.next = func(ctx context.Context, rows int) (*Chunk, error) {
		c, err := next(ctx, rows)
		return &Chunk{func() (*table.Table, error) {
			t, err := c.Parse()
			return ofObjects(t), err
		}}, err
	}
	return err
}

// objectOptions returns the options for the CSV written by objects.
func objectOptions(o Options) Options {
	o.Separator, o.Quote, o.Escape, o.Decimal, o.Thousands = "comma", `"`, "doubled", ".", "none"
	o.Encoding, o.Header, o.Comment, o.Skip = "utf-8", "yes", "none", 0
	return o
}

// ofObjects removes from a table what belongs to the CSV written by objects. t may be nil.
func ofObjects(t *table.Table) *table.Table {
	if t == nil {
		return nil
	}
	t.Reading, t.Dialect = "JSON Lines", table.Dialect{}
	for i := range t.Notes {
		t.Notes[i].Line = 0 // the row is known
	}
	for j := range t.Columns {
		for i := range t.Columns[j].Faults {
			t.Columns[j].Faults[i].Line = 0
		}
	}
	return t
}

// objectsAhead is the number of objects whose keys determine the columns if JSON Lines come from a pipe.
const objectsAhead = 1000

// objects converts JSON Lines to CSV: each object is a row, and each key is a column. Absent keys and null
// are empty cells.
type objects struct {
	in      *json.Decoder
	most    int                       // number of objects whose keys determine the columns
	again   func() (io.Reader, error) // opens the text again, or nil
	late    table.Finding             // about the first key that is not a column
	row     int                       // of the last object
	ahead   []map[string]string
	columns []string
	text    bytes.Buffer
}

func newObjects(in io.Reader, most int) *objects {
	l := &objects{in: json.NewDecoder(in), most: most}
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
		for len(l.ahead) < l.most {
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
		if l.again != nil && len(l.ahead) == l.most {
			if err := l.allColumns(); err != nil {
				return err
			}
		}
		if err := w.Write(l.columns); err != nil {
			return err
		}
	}
	if len(l.ahead) == 0 {
		row, err := l.object(func(key string) {
			if l.late.N == 0 && !slices.Contains(l.columns, key) {
				l.late = table.Finding{Code: texts.LateKey, Column: key, Row: l.row, N: l.most}
			}
		})
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

// allColumns sets columns to the keys of all objects up to the first fault, which will be reported later.
func (l *objects) allColumns() error {
	in, err := l.again()
	if err != nil {
		return err
	}
	all, met := newObjects(in, 0), map[string]bool{}
	l.columns = nil
	for err == nil {
		_, err = all.object(func(key string) {
			if !met[key] {
				met[key], l.columns = true, append(l.columns, key)
			}
		})
	}
	return nil
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
