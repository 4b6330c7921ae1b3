package recipe

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/mpcvm/mpcvm/data/internal/columns"
	"github.com/mpcvm/mpcvm/data/table"
	"github.com/mpcvm/mpcvm/internal/cell"
)

// Texts encodes rows whose cells are texts, as a CSV file has them. It is what Encode is for
// tables, for a file that is read piece by piece. It is safe for concurrent use.
type Texts struct {
	columns []textColumn
	any     *columns.Cells
}

type textColumn struct {
	*Column
	cells *columns.Cells
	at    int // the first feature
	// Of a category: its levels, and what a number means. They are nil for a single cell.
	levels map[string]int
	number func(v float64) feature
	point  bool
}

// Texts returns the encoder of texts. number parses a number as the file writes it. missing are
// further texts that mean a missing value, beside those of the recipe. sample has some cells of
// each of Columns. They tell how numbers and dates are written where number and Layout do not.
func (r *Recipe) Texts(number func(text string) (v float64, ok bool), missing []string, sample [][]string) *Texts {
	o := columns.Options{Number: number, Missing: slices.Concat(r.Missing, missing)}
	t := &Texts{columns: make([]textColumn, len(r.Columns)), any: columns.NewCells(table.Category, "", "", nil, o)}
	at := 0
	for i := range r.Columns {
		c := &r.Columns[i]
		kind := c.readAs()
		t.columns[i] = textColumn{Column: c, cells: columns.NewCells(kind, c.Layout, c.Unit, sample[i], o), at: at}
		if c.Kind == table.Number.String() {
			t.columns[i].point = t.columns[i].cells.Point()
		}
		if kind == table.Category {
			t.columns[i].levels = map[string]int{}
			for k, level := range c.Levels {
				t.columns[i].levels[level] = k
			}
			t.columns[i].number = c.byNumber()
		}
		at += c.width()
	}
	return t
}

// Point returns the index of the feature of column i of Columns if the column has numbers and
// plain ones such as -1.5e3 mean themselves; else −1. Such a feature can be set without Encode.
func (t *Texts) Point(i int) int {
	if t.columns[i].point {
		return t.columns[i].at
	}
	return -1
}

// Encode sets the features of column i of Columns in x, the D features of a row, which were 0.
// found says that the cell has a value. The error is ErrNotKind, or ErrMissing as of
// Recipe.Encode.
func (t *Texts) Encode(x []float64, i int, text []byte) (found bool, err error) {
	c := &t.columns[i]
	f, s, missing := c.read(text)
	switch {
	case f.ok:
		x[c.at+f.place] = f.value
		return true, nil
	case !missing:
		return false, &cell.Error{Header: c.Name, Value: strings.Clone(s), Err: fmt.Errorf("%w: a %s is expected (if it means a missing value: --na)", ErrNotKind, c.wanted())}
	}
	if err := c.missing(x[c.at : c.at+c.width()]); err != nil {
		return false, &cell.Error{Header: c.Name, Err: err}
	}
	return false, nil
}

// read reads a cell. s is its text without blanks around it.
func (c *textColumn) read(text []byte) (f feature, s string, missing bool) {
	s, v, missing, ok := c.cells.Read(text)
	switch {
	case missing:
	case c.Kind == category:
		f = c.category(s)
	case c.Kind == boolean:
		if f = c.parse(s); !f.ok && ok {
			f = c.byNumber()(v)
		}
		missing = !f.ok && cell.NoValue(s)
	default:
		f = feature{0, v, ok && !math.IsInf(v, 0)}
	}
	return f, s, missing
}

// category reads a level. A number such as 1.0 is the level 1.
func (c *textColumn) category(text string) feature {
	if place, known := c.place(text); known {
		return feature{place, 1, true}
	}
	if !utf8.ValidString(text) { // the file is of Latin-1 after all
		if place, known := c.place(latin(text)); known {
			return feature{place, 1, true}
		}
	}
	if v, ok := columns.Number(text); ok && c.number != nil {
		return c.number(v)
	} else if ok {
		return c.byNumber()(v)
	}
	return feature{len(c.Levels), 1, true}
}

// place returns the place of a level.
func (c *textColumn) place(text string) (place int, known bool) {
	if c.levels == nil {
		place = slices.Index(c.Levels, text)
		return place, place >= 0
	}
	place, known = c.levels[text]
	return place, known
}

// latin reads the bytes of a text as Latin-1.
func latin(text string) string {
	runes := make([]rune, len(text))
	for i := range len(text) {
		runes[i] = rune(text[i])
	}
	return string(runes)
}

// Missing reports whether a cell of any column means a missing value.
func (t *Texts) Missing(text []byte) bool {
	_, _, missing, _ := t.any.Read(text)
	return missing
}
