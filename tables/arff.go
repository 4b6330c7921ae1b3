package tables

import (
	"bytes"
	"context"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mpcvm/mpcvm/internal/cell"
	"github.com/mpcvm/mpcvm/tables/internal/celltext"
	"github.com/mpcvm/mpcvm/tables/internal/detect"
	"github.com/mpcvm/mpcvm/tables/internal/dialect"
	"github.com/mpcvm/mpcvm/tables/internal/texts"
	"github.com/mpcvm/mpcvm/tables/table"
)

// arff is a file in Weka's format, whose header declares the attributes:
//
//	@relation weather
//	@attribute outlook {sunny, rainy}
//	@attribute temperature numeric
//	@data
//	sunny, 30
type arff struct {
	*text
	in, end    *textLines // while the rows are read, and after the last one
	attributes []attribute
	cells      [][]byte
	weights    int // number of rows with a weight, which is ignored
}

type attribute struct {
	name   string
	kind   table.Kind
	levels map[string]bool // of a nominal attribute
	first  string          // the first level, which sparse rows omit
	layout string          // of a date
	text   bool            // of type string
}

func isARFF(start []byte, _ bool) bool {
	for line := range bytes.Lines(start) {
		line = bytes.TrimSpace(line)
		if len(line) == 0 || line[0] == '%' {
			continue
		}
		word, _, _ := bytes.Cut(bytes.ReplaceAll(line, []byte{'\t'}, []byte{' '}), []byte{' '})
		return strings.EqualFold(string(word), "@relation") || strings.EqualFold(string(word), "@attribute")
	}
	return false
}

func isWordByte(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' }

func (t *text) readARFF(ctx context.Context, o Options) (*table.Table, error) {
	x := &arff{text: t}
	if err := x.begin(ctx); err != nil {
		return nil, err
	}
	names := make([]string, len(x.attributes))
	for i, a := range x.attributes {
		names[i] = a.name
	}
	names, notes := dialect.UniqueNames(names)
	plan, err := detect.New(detect.Source{File: x.name, Columns: names}, o)
	if err != nil {
		return nil, err
	}
	for i, a := range x.attributes {
		switch {
		case a.layout != "":
			plan.Declare(i, table.Date)
		case a.levels != nil && !truth(a.levels):
			plan.Declare(i, table.Category)
		}
	}
	read, err := plan.Read(func() (detect.Rows, error) {
		if x.in == nil {
			return x, x.begin(ctx)
		}
		return x, nil
	}, o.Lenient)
	if err != nil {
		return nil, err
	}
	if x.weights > 0 {
		notes = append(notes, table.Finding{Code: texts.WeightsIgnored, N: x.weights})
	}
	read.Notes = slices.Concat(notes, read.Notes)
	x.end.describe(read, "ARFF")
	return read, nil
}

func (x *arff) begin(ctx context.Context) (err error) {
	if x.in, err = x.lines(ctx, '%'); err == nil {
		x.attributes, x.weights = nil, 0
		err = x.header(x.in)
		x.cells = make([][]byte, len(x.attributes))
	}
	return err
}

func truth(levels map[string]bool) bool {
	for level := range levels {
		if _, known := celltext.Truth(level); !known {
			return false
		}
	}
	return len(levels) == 2
}

// header reads the lines up to @data.
func (x *arff) header(s *textLines) error {
	fail := func(value string, err error) error {
		return &cell.Error{Name: x.name, Line: s.line, Value: value, Err: err}
	}
	for {
		line, err := s.next()
		if err == io.EOF {
			return table.Finding{Code: texts.NoData, Cause: ErrFormat}
		}
		if err != nil {
			return err
		}
		word, rest, _ := strings.Cut(strings.ReplaceAll(string(line), "\t", " "), " ")
		switch strings.ToLower(word) {
		case "@relation":
		case "@attribute":
			a, err := parseAttribute(strings.TrimSpace(rest))
			if err != nil {
				return fail("", err)
			}
			if x.attributes = append(x.attributes, a); len(x.attributes) > cell.MaxCells {
				return fail("", ErrTooWide)
			}
		case "@data":
			if len(x.attributes) == 0 {
				return fail("", table.Finding{Code: texts.NoAttribute})
			}
			return nil
		default:
			return fail(string(line), table.Finding{Code: texts.NotAttribute})
		}
	}
}

func parseAttribute(text string) (a attribute, err error) {
	name, rest, ok := token([]byte(text), " \t{")
	if a.name = string(name); !ok || a.name == "" {
		return a, table.Finding{Code: texts.AttributeOpen}
	}
	kind := strings.TrimSpace(string(rest))
	kind = strings.ReplaceAll(kind, "\t", " ")
	if strings.HasPrefix(kind, "{") {
		end := strings.LastIndexByte(kind, '}')
		if end < 0 {
			return a, table.Finding{Code: texts.OpenBrace}
		}
		a.kind, a.levels = table.Category, map[string]bool{}
		inside := []byte(strings.TrimSpace(kind[1:end]))
		for len(inside) > 0 {
			level, rest, ok := token(inside, ",")
			if !ok {
				return a, table.Finding{Code: texts.OpenString}
			}
			if len(a.levels) == 0 {
				a.first = string(level)
			}
			a.levels[string(level)] = true
			inside = bytes.TrimPrefix(bytes.TrimSpace(rest), []byte(","))
		}
		return a, nil
	}
	word, format, _ := strings.Cut(kind, " ")
	switch strings.ToLower(word) {
	case "numeric", "real", "integer":
		a.kind = table.Number
	case "string":
		a.text = true
	case "date":
		a.kind, a.layout = table.Date, "2006-01-02T15:04:05"
		if format = strings.Trim(strings.TrimSpace(format), `"'`); format != "" {
			a.layout, err = dateLayout(format)
		}
	default:
		err = table.Finding{Code: texts.AttributeType, Texts: []string{a.name, word}}
	}
	return a, err
}

// dateLayout translates a pattern of Java's SimpleDateFormat to a layout of package time.
func dateLayout(pattern string) (string, error) {
	parts := map[string]string{"yyyy": "2006", "yy": "06", "MM": "01", "M": "1", "MMM": "Jan", "MMMM": "January",
		"dd": "02", "d": "2", "HH": "15", "H": "15", "hh": "03", "h": "3", "mm": "04", "m": "4", "ss": "05",
		"s": "5", "SSS": "000", "a": "PM", "z": "MST", "Z": "-0700", "X": "Z07",
		"XX": "Z0700", "XXX": "Z07:00", "EEE": "Mon", "EEEE": "Monday", "uuuu": "2006"}
	var b strings.Builder
	quoted := false
	for i := 0; i < len(pattern); {
		c := pattern[i]
		switch {
		case c == '\'':
			quoted = !quoted
			i++
		case quoted || !isWordByte(c):
			b.WriteByte(c)
			i++
		default:
			n := 1
			for i+n < len(pattern) && pattern[i+n] == c {
				n++
			}
			part, ok := parts[pattern[i:i+n]]
			if !ok {
				return "", table.Finding{Code: texts.AttributeDate, Texts: []string{pattern[i : i+n], pattern}}
			}
			b.WriteString(part)
			i += n
		}
	}
	return b.String(), nil
}

// token splits off the first token of a text, which is either quoted or ends before one of the bytes in ends.
// ok is false if a quote is not closed. The token may share the memory of text, and unquoting modifies text.
func token(text []byte, ends string) (token, rest []byte, ok bool) {
	text = bytes.TrimLeft(text, " \t")
	if len(text) == 0 || text[0] != '\'' && text[0] != '"' {
		i := bytes.IndexAny(text, ends)
		if i < 0 {
			i = len(text)
		}
		return bytes.TrimSpace(text[:i]), text[i:], true
	}
	n := 0
	for i := 1; i < len(text); i++ {
		c := text[i]
		switch {
		case c == text[0]:
			return bytes.Clone(text[1 : 1+n]), text[i+1:], true
		case c == '\\' && i+1 < len(text):
			i++
			if c = text[i]; c == 'n' {
				c = '\n'
			} else if c == 't' {
				c = '\t'
			}
		}
		text[1+n] = c
		n++
	}
	return nil, nil, false
}

// Next returns the cells of the next row; see detect.Rows.
func (x *arff) Next() ([][]byte, int, error) {
	line, err := x.in.next()
	if err == io.EOF {
		x.end, x.in = x.in, nil
		return nil, 0, err
	}
	if err == nil {
		err = x.row(line)
	}
	if e, ok := errors.AsType[*cell.Error](err); ok {
		e.Name, e.Line = x.name, x.in.line
	}
	return x.cells, x.in.line, err
}

func (x *arff) row(line []byte) error {
	if line[0] == '{' {
		return x.sparse(line)
	}
	n := 0
	for rest, more := line, true; more; n++ {
		if rest = bytes.TrimLeft(rest, " \t"); n == len(x.attributes) && len(rest) > 0 && rest[0] == '{' {
			x.weights++ // {5} after the last comma
			break
		}
		value, after, ok := token(rest, ",\t")
		if !ok {
			return &cell.Error{Column: n + 1, Err: table.Finding{Code: texts.OpenString}}
		}
		tab := len(after) > 0 && after[0] == '\t'
		if after = bytes.TrimSpace(after); len(after) > 0 && after[0] != ',' && after[0] != '{' && !tab &&
			(rest[0] == '\'' || rest[0] == '"') {
			return &cell.Error{Column: n + 1, Value: string(after), Err: table.Finding{Code: texts.NoComma}}
		}
		if n < len(x.attributes) {
			if err := x.check(n, value); err != nil {
				return err
			}
		}
		more = len(after) > 0
		rest = bytes.TrimPrefix(after, []byte(","))
	}
	if n != len(x.attributes) {
		return &cell.Error{Err: table.Finding{Code: texts.RaggedRow, N: n, Of: len(x.attributes), Cause: ErrRagged}}
	}
	return nil
}

// sparse reads a row such as {1 5.0, 3 'x'}: omitted values are 0 or the first level.
func (x *arff) sparse(line []byte) error {
	end := bytes.LastIndexByte(line, '}')
	if open := bytes.LastIndexByte(line, '{'); open > 0 && bytes.IndexByte(line, '}') < open { // {..}, {5}
		x.weights++
		end = bytes.LastIndexByte(line[:open], '}')
	}
	if end < 0 {
		return &cell.Error{Err: table.Finding{Code: texts.OpenBrace}}
	}
	for i, a := range x.attributes {
		x.cells[i] = []byte("0")
		if a.levels != nil {
			x.cells[i] = []byte(a.first)
		} else if a.text {
			x.cells[i] = nil
		}
	}
	inside := bytes.TrimSpace(line[1:end])
	for len(inside) > 0 {
		number, rest, _ := token(inside, " \t")
		i, err := strconv.Atoi(string(number))
		if err != nil || i < 0 || i >= len(x.attributes) {
			return &cell.Error{Value: string(number), Err: table.Finding{Code: texts.AttributeIndex,
				N: len(x.attributes) - 1}}
		}
		value, rest, ok := token(rest, ",")
		if !ok {
			return &cell.Error{Column: i + 1, Err: table.Finding{Code: texts.OpenString}}
		}
		if err := x.check(i, value); err != nil {
			return err
		}
		inside = bytes.TrimSpace(bytes.TrimPrefix(bytes.TrimSpace(rest), []byte(",")))
	}
	return nil
}

// check sets the i-th cell of the row. It returns an error if the cell is not of the type of the attribute.
func (x *arff) check(i int, text []byte) error {
	a := &x.attributes[i]
	x.cells[i] = text
	if len(text) == 0 || len(text) == 1 && text[0] == '?' {
		x.cells[i] = nil
		return nil
	}
	fail := func(code table.Code) error {
		return &cell.Error{Column: i + 1, Header: a.name, Value: string(text), Err: table.Finding{Code: code}}
	}
	switch {
	case a.levels != nil && !a.levels[string(text)]:
		return fail(texts.NotALevel)
	case a.layout != "":
		when, err := time.Parse(a.layout, string(text))
		if err != nil {
			return fail(texts.NotInLayout)
		}
		x.cells[i] = when.UTC().AppendFormat(nil, "2006-01-02T15:04:05")
	}
	return nil
}
