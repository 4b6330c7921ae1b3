// Package jsondoc reads and checks the JSON documents of model files strictly: missing, repeated and unknown
// keys, null and invalid values are errors that give their position in the document.
package jsondoc

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Members are the members of a model file that belong to package tables. They are nil if absent.
type Members struct {
	Recipe *json.RawMessage `json:"recipe"`
	IDs    *json.RawMessage `json:"ids"`
	Record *json.RawMessage `json:"record"`
}

// SaveModel and LoadModel save and load a *mpcvm.Model with Members, in the given version of the format or a
// later one. Package mpcvm sets them.
var (
	SaveModel func(model any, version int, of Members, w io.Writer) error
	LoadModel func(r io.Reader) (model any, version int, of Members, err error)
)

// Key returns the JSON key of the i-th field of a struct.
func Key(v reflect.Value, i int) string {
	name, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("json"), ",")
	return name
}

// mayLack reports whether the key of a field is optional.
func mayLack(v reflect.Value, i int) bool {
	_, option, _ := strings.Cut(v.Type().Field(i).Tag.Get("json"), ",")
	return v.Field(i).Kind() == reflect.Pointer || option == "omitempty" || option == "omitzero"
}

// placed is an error at a position in the document, such as vectors[3].x[0].
type placed struct {
	place string
	err   error
}

func (p *placed) Error() string { return strings.TrimPrefix(p.place, ".") + ": " + p.err.Error() }
func (p *placed) Unwrap() error { return p.err }

// UnknownKey is the error for a key that a struct has no field for.
type UnknownKey string

func (k UnknownKey) Error() string {
	return fmt.Sprintf("unknown key %.40q: the file is damaged or from a newer program", string(k))
}

// At prepends a key, such as .bias, or an index, such as [3], to the position of the error.
func At(step string, err error) error {
	if p, ok := err.(*placed); ok {
		return &placed{step + p.place, p.err}
	}
	return &placed{step, err}
}

// Decode decodes a valid JSON value into v. An object must have the keys of all fields of a struct, except
// pointers and fields with omitempty or omitzero. If known is true, it may have other keys, which newer
// programs have written. Unlike Decode, [json.Unmarshal] accepts null, repeated keys and keys in the wrong
// case, and after an error it reads on and allocates.
func Decode(text []byte, v reflect.Value, known bool) error {
	return (&scanner{text}).decode(v, known)
}

// scanner reads valid JSON.
type scanner struct{ rest []byte }

// next skips blanks, commas and colons, and returns the first character of what follows.
func (s *scanner) next() byte {
	for s.rest[0] <= ' ' || s.rest[0] == ',' || s.rest[0] == ':' {
		s.rest = s.rest[1:]
	}
	return s.rest[0]
}

// value returns the text of the next value.
func (s *scanner) value() []byte {
	s.next()
	depth, quoted := 0, false
	for i := 0; ; i++ {
		if i == len(s.rest) || depth == 0 && !quoted && i > 0 && bytes.IndexByte(ends, s.rest[i]) >= 0 {
			text := s.rest[:i]
			s.rest = s.rest[i:]
			return text
		}
		switch c := s.rest[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '[' || c == '{':
			depth++
		case c == ']' || c == '}':
			depth--
		}
	}
}

// ends are the characters that can follow a value.
var ends = []byte(",:]} \t\r\n")

func (s *scanner) decode(v reflect.Value, known bool) error {
	switch {
	case v.Kind() == reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		return s.decode(v.Elem(), known)
	case v.Kind() == reflect.Struct:
		return s.object(v, known)
	case v.Kind() == reflect.Slice && v.Type() != reflect.TypeFor[json.RawMessage]():
		return s.list(v, known)
	}
	text := s.value()
	if v.Kind() == reflect.Float64 { // most values of a file
		if f, err := strconv.ParseFloat(string(text), 64); err == nil { // null, "1" and 1e999 are errors
			v.SetFloat(f)
			return nil
		}
	}
	if n, err := strconv.ParseInt(string(text), 10, 0); err == nil && v.Kind() == reflect.Int {
		v.SetInt(n)
		return nil
	}
	value := v.Addr().Interface() // null sets it to nil, other values are stored where it points
	err := json.Unmarshal(text, &value)
	if typ := new(json.UnmarshalTypeError); errors.As(err, &typ) {
		noun := map[reflect.Kind]string{reflect.Int: "an integer", reflect.Uint64: "an integer from 0",
			reflect.Float64: "a finite number", reflect.String: "a text", reflect.Bool: "true or false"}
		return fmt.Errorf("not %s: %.40s", noun[v.Kind()], typ.Value)
	}
	if err == nil && value == nil {
		return errors.New("null")
	}
	return err
}

// list reads an array.
func (s *scanner) list(v reflect.Value, known bool) error {
	if err := s.open('[', "an array"); err != nil {
		return err
	}
	size := 0
	if v.Type().Elem().Kind() == reflect.Float64 {
		size = 1 + bytes.Count(s.rest[:bytes.IndexByte(s.rest, ']')], []byte(","))
	}
	v.Set(reflect.MakeSlice(v.Type(), 0, size))
	for i := 0; s.next() != ']'; i++ {
		v.Grow(1)
		v.SetLen(i + 1)
		if err := s.decode(v.Index(i), known); err != nil {
			return At(fmt.Sprintf("[%d]", i), err)
		}
	}
	s.rest = s.rest[1:]
	return nil
}

// object reads an object that has the keys of a struct, each once, and no others unless known is true.
func (s *scanner) object(v reflect.Value, known bool) error {
	if err := s.open('{', "an object"); err != nil {
		return err
	}
	keys := keysOf(v)
	var seen uint64 // a bit for each field
	for s.next() != '}' {
		text := s.value()
		i := slices.IndexFunc(keys, func(key string) bool { return string(text[1:len(text)-1]) == key })
		var key string
		if i < 0 { // it may be written with escapes
			if err := json.Unmarshal(text, &key); err != nil {
				return err
			}
			i = slices.Index(keys, key)
		}
		switch {
		case i < 0 && known:
			s.value()
			continue
		case i < 0:
			return UnknownKey(key)
		case seen&(1<<i) != 0:
			return fmt.Errorf("key %q twice", keys[i])
		}
		seen |= 1 << i
		if err := s.decode(v.Field(i), known); err != nil {
			return At("."+keys[i], err)
		}
	}
	s.rest = s.rest[1:]
	for i, key := range keys {
		if seen&(1<<i) == 0 && !mayLack(v, i) {
			return fmt.Errorf("key %q is missing", key)
		}
	}
	return nil
}

// keysOf returns the JSON keys of the fields of a struct.
func keysOf(v reflect.Value) []string {
	if keys, ok := structs.Load(v.Type()); ok {
		return keys.([]string)
	}
	keys := make([]string, v.NumField())
	for i := range keys {
		keys[i] = Key(v, i)
	}
	structs.Store(v.Type(), keys)
	return keys
}

// structs contains the keys of the structs that have been decoded, by type.
var structs sync.Map

// open reads the character that begins an array or object.
func (s *scanner) open(want byte, what string) error {
	if s.next() != want {
		return fmt.Errorf("not %s", what)
	}
	s.rest = s.rest[1:]
	return nil
}
