package tables

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

// The file of a table model is the JSON document of the model of the features with three more members: the
// recipe, the ids of the training rows of the relevance vectors, and the record of the fit. So files of
// earlier versions stay valid, one file serves every program, and docs/predict.py reads them. docs/model.md
// describes the format.

const (
	recipeVersion  = 2 // from which the format has recipes and ids
	profileVersion = 4 // from which a recipe may have quantiles and counts
	recordVersion  = 4 // from which the format has records
	maxID          = 1 << 16
)

// member is a member of the document as the file has it.
type member struct {
	key   string
	value json.RawMessage
}

// split returns the members of a document. It does not look into them.
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
		m := member{key: t.(string)} // the decoder refuses any other key
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

// join writes a document, a member a line.
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

// Save writes the model as JSON, exact to the last bit; [Load] reads it. A model that could not be read back
// is an error, and nothing is written: see mpcvm.Model.Save. The same holds if recipe.Check refuses the
// recipe.
func (m *Model) Save(w io.Writer) error { return saving(m.write(w)) }

// SaveFile writes the model to a file, which appears whole or not at all. An older file of that path is
// replaced only when the new one is safe on the disk.
func (m *Model) SaveFile(path string) error { return saving(atomicfile.Write(path, m.write)) }

func saving(err error) error {
	if err != nil {
		return fmt.Errorf("tables: saving the model: %w", err)
	}
	return nil
}

// part is a member of the document that a table model has beyond the model of its features.
type part struct {
	key     string
	field   any // points to the field of the model, which is nil without the member
	version int // from which the format has it
	check   func() error
}

func (m *Model) parts() []part {
	return []part{
		{"recipe", &m.recipe, recipeVersion, func() error {
			if err := m.recipe.Check(); err != nil {
				return fmt.Errorf("recipe.%w", err)
			}
			if width := m.recipe.Width(); width != m.model.Features() {
				return fmt.Errorf("recipe: %d features, the model has %d", width, m.model.Features())
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
	for _, p := range m.parts() {
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

// Load reads a model that Save or mpcvm.Model.Save wrote, also of an earlier version. The model predicts the
// same to the last bit. Load checks the whole document, as mpcvm.Load does. If the file has no recipe, each
// feature is a column of numbers. A hostile document does no harm: Load holds at most 16 times its size and
// 64 MiB.
func Load(r io.Reader) (*Model, error) {
	text, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("tables: model file: %w", err)
	}
	members, fault := split(text)
	read := &Model{}
	parts, own := read.parts(), map[string]json.RawMessage{}
	rest := slices.DeleteFunc(slices.Clone(members), func(m member) bool {
		is := slices.ContainsFunc(parts, func(p part) bool { return p.key == m.key })
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
	case err != nil: // also of a document that is not well-formed
		return nil, err
	case fault != nil:
		return nil, fmt.Errorf("tables: model file: %w", fault)
	}
	at := slices.IndexFunc(rest, func(m member) bool { return m.key == "version" })
	var version int
	if err = json.Unmarshal(rest[at].value, &version); err != nil {
		return nil, fmt.Errorf("tables: model file: version: %w", err)
	}
	for _, p := range parts {
		if value, is := own[p.key]; is {
			if err := p.read(value, version); err != nil {
				return nil, fmt.Errorf("tables: model file: %w", err)
			}
		}
	}
	return read, nil
}

// read sets the field to the value in a file of a version.
func (p *part) read(value json.RawMessage, version int) error {
	err := jsondoc.Decode(json.NewDecoder(bytes.NewReader(value)), reflect.ValueOf(p.field).Elem())
	if err != nil {
		return jsondoc.At("."+p.key, err)
	}
	if version < p.version {
		return fmt.Errorf("%s: version %d has none", p.key, version)
	}
	return p.check()
}

// LoadFile is Load of a file.
func LoadFile(path string) (*Model, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("tables: model file: %w", err)
	}
	defer f.Close()
	return Load(f)
}

// checkIDs returns an error if the ids are not texts of n relevance vectors.
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
