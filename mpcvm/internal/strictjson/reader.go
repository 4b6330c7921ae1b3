// Package strictjson reads a JSON document whose shape is known, token by token.
// Unlike encoding/json it refuses unknown and repeated keys, missing ones, null
// and anything after the document, and says where each fault is. What it holds
// in memory is what its caller keeps: nothing is allocated before the data are there,
// and nothing is nested deeper than the caller asks for.
package strictjson

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
)

// Reader walks through a document. The first error stays; all further calls then
// do nothing and return zeros, so it is enough to ask for it at the end.
type Reader struct {
	dec  *json.Decoder
	path []step
	err  error
}

// step is a key of an object or, if the key is empty, an index of an array.
type step struct {
	key   string
	index int
}

// Field is a key of an object and what reads its value.
type Field struct {
	Key      string
	Optional bool
	Read     func()
}

// MaxToken is about the length in bytes at which a text, a number or white space between
// them is refused, as it is written; it may be twice that.
const MaxToken = 1 << 20

// New returns a Reader of r.
func New(r io.Reader) *Reader {
	in := &limited{r: r}
	in.dec = json.NewDecoder(in)
	in.dec.UseNumber()
	return &Reader{dec: in.dec}
}

// limited ends a document with a token so long that the decoder, which holds it whole,
// would take memory without end.
type limited struct {
	r    io.Reader
	dec  *json.Decoder
	read int64
}

func (l *limited) Read(p []byte) (int, error) {
	if l.read-l.dec.InputOffset() > MaxToken {
		return 0, fmt.Errorf("a text, number or space is longer than %d bytes", MaxToken)
	}
	n, err := l.r.Read(p)
	l.read += int64(n)
	return n, err
}

// Err returns the first error.
func (r *Reader) Err() error { return r.err }

// Failf sets the error, unless there is one already; the place of the value being
// read, such as vectors[3].x[0], is put before it.
func (r *Reader) Failf(format string, args ...any) {
	if r.err != nil {
		return
	}
	r.err = fmt.Errorf(format, args...)
	if place := r.place(); place != "" {
		r.err = fmt.Errorf("%s: %w", place, r.err)
	}
}

// Object reads an object whose keys are those of the fields, in any order.
func (r *Reader) Object(fields ...Field) {
	if !r.open('{', "an object") {
		return
	}
	seen := make([]bool, len(fields))
	for r.more() {
		key, _ := r.token().(string) // a key that is no text is a syntax error
		i := 0
		for i < len(fields) && fields[i].Key != key {
			i++
		}
		switch {
		case r.err != nil:
			return
		case i == len(fields):
			r.Failf("unknown key %s", short(strconv.Quote(key)))
			return
		case seen[i]:
			r.Failf("key %q twice", key)
			return
		}
		seen[i] = true
		r.path = append(r.path, step{key: key})
		fields[i].Read()
		r.path = r.path[:len(r.path)-1]
	}
	r.token()
	for i, f := range fields {
		if !seen[i] && !f.Optional {
			r.Failf("key %q is missing", f.Key)
		}
	}
}

// Array reads an array, calling each before every element to read it.
func (r *Reader) Array(each func(i int)) {
	if !r.open('[', "an array") {
		return
	}
	r.path = append(r.path, step{})
	for i := 0; r.more(); i++ {
		r.path[len(r.path)-1].index = i
		each(i)
	}
	r.path = r.path[:len(r.path)-1]
	r.token()
}

// Number reads a number that float64 can hold.
func (r *Reader) Number() float64 {
	n, ok := r.token().(json.Number)
	if !ok {
		r.Failf("not a number")
		return 0
	}
	v, err := strconv.ParseFloat(string(n), 64)
	if err != nil || math.IsInf(v, 0) {
		r.Failf("number out of range: %s", short(string(n)))
		return 0
	}
	return v
}

// Int reads a number written as an integer.
func (r *Reader) Int() int {
	n, _ := r.token().(json.Number)
	v, err := strconv.Atoi(string(n))
	if err != nil {
		r.Failf("not an integer: %s", short(string(n)))
		return 0
	}
	return v
}

// Text reads a text.
func (r *Reader) Text() string {
	s, ok := r.token().(string)
	if !ok {
		r.Failf("not a text")
	}
	return s
}

// End makes sure that nothing but white space is left.
func (r *Reader) End() {
	if r.err != nil {
		return
	}
	switch t, err := r.dec.Token(); {
	case err == nil:
		r.Failf("something after the end: %s", short(fmt.Sprint(t)))
	case !errors.Is(err, io.EOF):
		r.Failf("something after the end: %w", err)
	}
}

// open reads the delimiter that begins an object or an array.
func (r *Reader) open(delimiter json.Delim, what string) bool {
	if t := r.token(); r.err == nil && t != delimiter {
		r.Failf("not %s", what)
	}
	return r.err == nil
}

// more reports whether the object or array goes on.
func (r *Reader) more() bool { return r.err == nil && r.dec.More() }

// token returns the next token; nil after an error, and for null.
func (r *Reader) token() json.Token {
	if r.err != nil {
		return nil
	}
	t, err := r.dec.Token()
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		r.Failf("%w", err)
		return nil
	}
	return t
}

// place writes the path.
func (r *Reader) place() string {
	var b strings.Builder
	for i, s := range r.path {
		switch {
		case s.key == "":
			fmt.Fprintf(&b, "[%d]", s.index)
		case i > 0:
			b.WriteString("." + s.key)
		default:
			b.WriteString(s.key)
		}
	}
	return b.String()
}

// short cuts a text that a hostile document made long.
func short(s string) string {
	const most = 40
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}
