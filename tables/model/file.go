package model

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"slices"
	"unicode/utf8"

	"github.com/mpcvm/mpcvm/internal/atomicfile"
	"github.com/mpcvm/mpcvm/internal/jsondoc"
	"github.com/mpcvm/mpcvm/mpcvm"
)

// The file of a table model is the JSON document of the underlying model with three more members: the recipe,
// the ids of the training rows of the relevance vectors, and the record of the fit. docs/model.md describes
// the format.

// The first versions of the format with recipes and ids, with quantiles and counts in a recipe, and with
// records.
const (
	recipeVersion  = 2
	profileVersion = 4
	recordVersion  = 4
)

const maxID = 1 << 16 // bytes

// member is a member of the document, not decoded.
type member struct {
	key   string
	value json.RawMessage
}

// split returns the members of a document without decoding them.
func split(text []byte) ([]member, error) {
	var members []member
	dec := json.NewDecoder(bytes.NewReader(text))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return nil, errors.New("not an object")
	}
	for dec.More() {
		t, err := dec.Token()
		if err != nil {
			return nil, err
		}
		m := member{key: t.(string)} // the decoder rejects other keys
		if slices.ContainsFunc(members, func(other member) bool { return other.key == m.key }) {
			return nil, fmt.Errorf("key %q twice", m.key)
		}
		if err := dec.Decode(&m.value); err != nil {
			return nil, err
		}
		members = append(members, m)
	}
	if _, err := dec.Token(); err != nil {
		return nil, err
	}
	if _, err := dec.Token(); err != io.EOF {
		return nil, errors.New("text after the end")
	}
	return members, nil
}

// join returns a document with one member per line.
func join(members []member) []byte {
	var out bytes.Buffer
	before := "{\n"
	for _, m := range members {
		fmt.Fprintf(&out, "%s  %q: %s", before, m.key, m.value)
		before = ",\n"
	}
	out.WriteString("\n}\n")
	return out.Bytes()
}

// Save writes the model as JSON, exact to the last bit; [Load] reads it. If the model could not be loaded
// again (see mpcvm.Model.Save and recipe.Recipe.Check), Save returns an error and writes nothing.
func (m *Model) Save(w io.Writer) error { return saving(m.write(w)) }

// SaveFile writes the model to a file atomically: an existing file is replaced only after the new one has
// been written to disk completely.
func (m *Model) SaveFile(path string) error { return saving(atomicfile.Write(path, m.write)) }

func saving(err error) error {
	if err != nil {
		return fmt.Errorf("tables: saving the model: %w", err)
	}
	return nil
}

// extra is a member of the document that a table model has in addition to the underlying model.
type extra struct {
	key     string
	field   any // pointer to the field of the model, which is nil if the member is absent
	version int // the first version of the format with the member
	check   func() error
}

func (m *Model) extras() []extra {
	return []extra{
		{"recipe", &m.recipe, recipeVersion, func() error {
			if err := m.recipe.Check(); err != nil {
				return fmt.Errorf("recipe.%w", err)
			}
			if width := m.recipe.Width(); width != m.model.Features() {
				return fmt.Errorf("recipe: %d features, but the model has %d", width, m.model.Features())
			}
			return nil
		}},
		{"ids", &m.ids, recipeVersion, func() error { return checkIDs(m.ids, m.model.VectorCount()) }},
		{"record", &m.record, recordVersion, func() error {
			if err := m.record.check(m.model.Classes()); err != nil {
				return fmt.Errorf("record.%w", err)
			}
			return nil
		}},
	}
}

func (m *Model) write(w io.Writer) error {
	var text bytes.Buffer
	if err := m.model.Save(&text); err != nil {
		return errors.Unwrap(err) // without its own "saving the model"
	}
	members, err := split(text.Bytes())
	if err != nil {
		return err
	}
	last, version := len(members)-1, 0 // the vectors come last
	vectors, members := members[last], members[:last]
	for _, p := range m.extras() {
		field := reflect.ValueOf(p.field).Elem()
		if field.IsNil() {
			continue
		}
		if err := p.check(); err != nil {
			return err
		}
		value, err := json.Marshal(field.Interface())
		if err != nil {
			return fmt.Errorf("%s: %w", p.key, err)
		}
		members, version = append(members, member{p.key, value}), max(version, p.version)
	}
	if version == 0 {
		_, err := text.WriteTo(w)
		return err
	}
	if m.recipe != nil && m.recipe.Profiled() {
		version = max(version, profileVersion)
	}
	at := slices.IndexFunc(members, func(m member) bool { return m.key == "version" })
	var of int
	if err := json.Unmarshal(members[at].value, &of); err != nil {
		return err
	}
	members[at].value = fmt.Append(nil, max(of, version))
	_, err = w.Write(join(append(members, vectors)))
	return err
}

// Load reads a model written by Save or mpcvm.Model.Save, also by an earlier version. The predictions are
// identical to the last bit. If the file has no recipe, each feature is a column of numbers. Load checks the
// whole document, as mpcvm.Load does, and is safe for untrusted input: it uses at most 64 MiB plus 16 times
// the size of the document.
func Load(r io.Reader) (*Model, error) {
	text, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("tables: model file: %w", err)
	}
	members, fault := split(text)
	read := &Model{}
	extras, own := read.extras(), map[string]json.RawMessage{}
	rest := slices.DeleteFunc(slices.Clone(members), func(m member) bool {
		is := slices.ContainsFunc(extras, func(p extra) bool { return p.key == m.key })
		if is {
			own[m.key] = m.value
		}
		return is
	})
	if fault == nil && len(own) > 0 {
		text = join(rest)
	}
	read.model, err = mpcvm.Load(bytes.NewReader(text))
	switch {
	case err != nil: // this includes malformed documents
		return nil, err
	case fault != nil:
		return nil, fmt.Errorf("tables: model file: %w", fault)
	}
	at := slices.IndexFunc(rest, func(m member) bool { return m.key == "version" })
	var version int
	if err = json.Unmarshal(rest[at].value, &version); err != nil {
		return nil, fmt.Errorf("tables: model file: version: %w", err)
	}
	for _, p := range extras {
		if value, is := own[p.key]; is {
			if err := p.read(value, version); err != nil {
				return nil, fmt.Errorf("tables: model file: %w", err)
			}
		}
	}
	return read, nil
}

// read decodes the value of a file of the given version into the field.
func (p *extra) read(value json.RawMessage, version int) error {
	decode := jsondoc.Decode
	if p.key == "record" { // it does not affect predictions
		decode = jsondoc.DecodeKnown
	}
	err := decode(json.NewDecoder(bytes.NewReader(value)), reflect.ValueOf(p.field).Elem())
	if key, ok := errors.AsType[jsondoc.UnknownKey](err); ok && key == "parts" {
		return fmt.Errorf("%s: features made of parts of a date are not supported; add them to the table as "+
			"separate columns and fit the model again", p.key)
	}
	if err != nil {
		return jsondoc.At("."+p.key, err)
	}
	if version < p.version {
		return fmt.Errorf("%s: not allowed in version %d", p.key, version)
	}
	return p.check()
}

// LoadFile reads a model from a file; see [Load].
func LoadFile(path string) (*Model, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("tables: model file: %w", err)
	}
	defer f.Close()
	return Load(f)
}

// checkIDs returns an error if the ids are not n valid texts.
func checkIDs(ids []string, n int) error {
	if len(ids) != n {
		return fmt.Errorf("ids: %d for %d vectors", len(ids), n)
	}
	for i, id := range ids {
		if !utf8.ValidString(id) || len(id) > maxID {
			return fmt.Errorf("ids[%d]: %.40q is not a UTF-8 text of at most %d bytes", i, id, maxID)
		}
	}
	return nil
}
