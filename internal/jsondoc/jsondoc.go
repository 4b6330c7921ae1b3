// Package jsondoc reads and checks the JSON documents of model files strictly: missing, repeated and unknown
// keys, null and invalid values are errors that give their position in the document.
package jsondoc

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
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

// Decode reads the next value into v, token by token. An object must have the keys of all fields of
// a struct, except pointers and fields with omitempty or omitzero. If known is true, it may have other keys,
// which newer programs have written. Unlike Decode, [json.Unmarshal] accepts null, repeated keys and keys in
// the wrong case, and after an error it reads on and allocates.
func Decode(dec *json.Decoder, v reflect.Value, known bool) error {
	switch {
	case v.Kind() == reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		return Decode(dec, v.Elem(), known)
	case v.Kind() == reflect.Struct:
		return decodeObject(dec, v, known)
	case v.Kind() == reflect.Slice && v.Type() != reflect.TypeFor[json.RawMessage]():
		return decodeList(dec, v, known)
	}
	value := v.Addr().Interface() // null sets it to nil, other values are stored where it points
	err := dec.Decode(&value)
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

// decodeList reads an array.
func decodeList(dec *json.Decoder, v reflect.Value, known bool) error {
	if err := open(dec, '[', "an array"); err != nil {
		return err
	}
	v.Set(reflect.MakeSlice(v.Type(), 0, 0))
	for i := 0; dec.More(); i++ {
		v.Grow(1)
		v.SetLen(i + 1)
		if err := Decode(dec, v.Index(i), known); err != nil {
			return At(fmt.Sprintf("[%d]", i), err)
		}
	}
	_, err := dec.Token() // the end
	return err
}

// decodeObject reads an object that has the keys of a struct, each once, and no others unless known is true.
func decodeObject(dec *json.Decoder, v reflect.Value, known bool) error {
	if err := open(dec, '{', "an object"); err != nil {
		return err
	}
	seen := make([]bool, v.NumField())
	for dec.More() {
		t, err := dec.Token()
		if err != nil {
			return err
		}
		i := 0
		for i < len(seen) && Key(v, i) != t {
			i++
		}
		if i == len(seen) && known {
			var skipped json.RawMessage
			if err := dec.Decode(&skipped); err != nil {
				return err
			}
			continue
		}
		if i == len(seen) {
			return UnknownKey(fmt.Sprint(t))
		}
		if seen[i] {
			return fmt.Errorf("key %q twice", t)
		}
		seen[i] = true
		if err := Decode(dec, v.Field(i), known); err != nil {
			return At("."+Key(v, i), err)
		}
	}
	if _, err := dec.Token(); err != nil { // the end
		return err
	}
	for i, seen := range seen {
		if !seen && !mayLack(v, i) {
			return fmt.Errorf("key %q is missing", Key(v, i))
		}
	}
	return nil
}

// open reads the token that begins an array or object.
func open(dec *json.Decoder, want json.Delim, what string) error {
	t, err := dec.Token()
	if err == nil && t != want {
		err = fmt.Errorf("not %s", what)
	}
	return err
}
