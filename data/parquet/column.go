package parquet

import (
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	pq "github.com/parquet-go/parquet-go"

	"github.com/mpcvm/mpcvm/data"
)

// column is a column being read. It goes through the row groups by itself.
type column struct {
	name   string
	place  int // in the file, from 1
	leaf   int // of the chunks of a row group
	number func(pq.Value) (float64, error)
	text   func([]byte, pq.Value) []byte // of a class

	group  int   // that comes next
	left   int64 // rows of the one being read
	pages  pq.Pages
	page   pq.Page
	values pq.ValueReader
	buffer []pq.Value
	bytes  []byte
}

// findColumns finds the features and the class among the columns of the file, which
// must have no others.
func (f *Reader) findColumns(file *pq.File, features []string) error {
	var names []string
	found := map[string]*column{}
	for i, field := range file.Root().Columns() {
		name := field.Name()
		fail := func(err error) error {
			return &data.ReadError{Name: f.name, Column: i + 1, Value: name, Err: err}
		}
		switch {
		case !utf8.ValidString(name):
			return fail(data.ErrNotUTF8)
		case clean(name) == "":
			return fail(data.ErrBlankHeader)
		case clean(name) != name:
			return fail(fmt.Errorf("spaces around a name"))
		case strings.ContainsAny(name, "\r\n"):
			return fail(data.ErrLineBreak)
		case found[name] != nil:
			return fail(data.ErrDuplicateHeader)
		case !field.Leaf() || field.Repeated():
			return fail(fmt.Errorf("%w: a nested column", data.ErrNotNumber))
		}
		found[name] = &column{name: name, place: i + 1, leaf: field.Index(), buffer: make([]pq.Value, 1024)}
		names = append(names, name)
	}
	given := features != nil
	for _, name := range names {
		switch {
		case given && contains(features, name):
		case name == classColumn:
			f.class = true
		case !given:
			features = append(features, name)
		default:
			return &data.ReadError{Name: f.name, Column: found[name].place, Value: name,
				Err: fmt.Errorf("%w: want only %s", data.ErrHeader, shorten(strings.Join(features, ", ")))}
		}
	}
	if len(features) == 0 {
		return f.fail(data.ErrNoFeatures)
	}
	f.features = features
	want := features
	if f.class {
		want = append(want[:len(want):len(want)], classColumn)
	}
	for j, name := range want {
		c := found[name]
		if c == nil {
			return f.fail(fmt.Errorf("%w: no column %q", data.ErrHeader, shorten(name)))
		}
		node := file.Root().Column(name)
		isClass := j == len(features)
		if isClass {
			c.text = texts(node)
		} else {
			c.number = numbers(node)
		}
		if c.number == nil && c.text == nil {
			err := data.ErrNotNumber
			if isClass {
				err = fmt.Errorf("neither a string nor an integer")
			}
			return &data.ReadError{Name: f.name, Column: c.place, Header: name, Err: fmt.Errorf("%w: its type is %v", err, node.Type())}
		}
		f.columns = append(f.columns, c)
	}
	return nil
}

// read passes the next n values on until one fails, and returns its index.
func (c *column) read(f *Reader, n int, took func(i int, v pq.Value) error) (int, error) {
	for i := 0; i < n; {
		values, err := c.some(f, n-i)
		if err != nil {
			return i, err
		}
		for _, v := range values {
			if err := took(i, v); err != nil {
				return i, err
			}
			i++
		}
	}
	return n, nil
}

// skip leaves the next n values out.
func (c *column) skip(f *Reader, n int64) (int, error) {
	for n > 0 {
		values, err := c.some(f, int(min(n, int64(len(c.buffer)))))
		if err != nil {
			return 0, err
		}
		n -= int64(len(values))
	}
	return 0, nil
}

// some returns at least one and at most n of the next values, which hold until the
// next call.
func (c *column) some(f *Reader, n int) ([]pq.Value, error) {
	for {
		if err := c.nextPage(f); err != nil {
			return nil, err
		}
		k, err := c.values.ReadValues(c.buffer[:min(int64(n), c.left, int64(len(c.buffer)))])
		if err != nil && err != io.EOF {
			return nil, err
		}
		if k > 0 {
			c.left -= int64(k)
			return c.buffer[:k], nil
		}
		if err == nil {
			return nil, io.ErrNoProgress
		}
		pq.Release(c.page)
		c.page, c.values = nil, nil
	}
}

// nextPage makes sure that there is a page being read.
func (c *column) nextPage(f *Reader) error {
	for c.left == 0 { // the group is done
		c.close()
		if c.group >= len(f.groups) {
			return io.ErrUnexpectedEOF
		}
		g := f.groups[c.group]
		c.left = g.NumRows()
		c.group++
		if c.left > 0 {
			chunk, ok := g.ColumnChunks()[c.leaf].(*pq.FileColumnChunk)
			if !ok {
				return errDamaged
			}
			c.pages = chunk.Pages()
		}
	}
	if c.page != nil {
		return nil
	}
	page, err := c.pages.ReadPage()
	if err == io.EOF {
		err = fmt.Errorf("%w: a column chunk ends early", errDamaged)
	}
	if err != nil {
		return err
	}
	c.page, c.values = page, page.Values()
	return nil
}

func (c *column) close() {
	if c.page != nil {
		pq.Release(c.page)
	}
	if c.pages != nil {
		c.pages.Close()
	}
	c.page, c.values, c.pages = nil, nil, nil
}

// readClass sets the class of row i.
func (c *column) readClass(b *data.Batch, i int, v pq.Value) error {
	if v.IsNull() {
		b.Class[i] = ""
		return nil
	}
	c.bytes = c.text(c.bytes[:0], v)
	b.Class[i] = b.Text(cleanBytes(c.bytes))
	return nil
}

func contains(names []string, name string) bool {
	for _, n := range names {
		if n == name {
			return true
		}
	}
	return false
}

// clean drops what the CSV reader drops around a cell, so that names agree.
func clean(s string) string { return strings.TrimFunc(s, isSpace) }

func isSpace(r rune) bool { return unicode.IsSpace(r) || r == '\uFEFF' }

// shorten keeps a message on one line of reasonable length.
func shorten(s string) string {
	const most = 60
	if r := []rune(s); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return s
}
