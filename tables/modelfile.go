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
	"github.com/mpcvm/mpcvm/tables/recipe"
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

func (m *Model) write(w io.Writer) error {
	var text bytes.Buffer
	if err := m.model.Save(&text); err != nil {
		return errors.Unwrap(err) // without its own "saving the model"
	}
	if m.recipe == nil && m.ids == nil && m.record == nil {
		_, err := text.WriteTo(w)
		return err
	}
	members, err := split(text.Bytes())
	if err != nil {
		return err
	}
	version := recipeVersion
	if m.recipe != nil && m.recipe.Profiled() {
		version = profileVersion
	}
	if m.record != nil {
		version = max(version, recordVersion)
	}
	at := slices.IndexFunc(members, func(m member) bool { return m.key == "version" })
	var of int
	if err := json.Unmarshal(members[at].value, &of); err != nil {
		return err
	}
	members[at].value = fmt.Append(nil, max(of, version))
	last := len(members) - 1 // the vectors, which come last
	vectors := members[last]
	members = members[:last]
	if m.recipe != nil {
		if err := m.recipe.Check(); err != nil {
			return fmt.Errorf("recipe.%w", err)
		}
		value, err := json.Marshal(m.recipe)
		if err != nil {
			return err
		}
		members = append(members, member{"recipe", value})
	}
	if m.ids != nil {
		if err := checkIDs(m.ids, len(m.ids)); err != nil {
			return err
		}
		value, err := json.Marshal(m.ids)
		if err != nil {
			return err
		}
		members = append(members, member{"ids", value})
	}
	if m.record != nil {
		if err := m.record.check(m.model.Classes()); err != nil {
			return fmt.Errorf("record.%w", err)
		}
		value, err := json.Marshal(m.record)
		if err != nil {
			return fmt.Errorf("record: %w", err)
		}
		members = append(members, member{"record", value})
	}
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
	var own document
	rest := slices.DeleteFunc(slices.Clone(members), func(m member) bool {
		switch m.key {
		case "recipe":
			own.recipe = m.value
		case "ids":
			own.ids = m.value
		case "record":
			own.record = m.value
		default:
			return false
		}
		return true
	})
	if fault == nil && len(rest) < len(members) {
		text = join(rest)
	}
	m, err := mpcvm.Load(bytes.NewReader(text))
	switch {
	case err != nil: // also of a document that is not well-formed
		return nil, err
	case fault != nil:
		return nil, fmt.Errorf("tables: model file: %w", fault)
	}
	at := slices.IndexFunc(rest, func(m member) bool { return m.key == "version" })
	if err := json.Unmarshal(rest[at].value, &own.version); err != nil {
		return nil, fmt.Errorf("tables: model file: version: %w", err)
	}
	read, err := own.model(m)
	if err != nil {
		return nil, fmt.Errorf("tables: model file: %w", err)
	}
	return read, nil
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

// document is what a file has beyond the model of the features.
type document struct {
	version             int
	recipe, ids, record json.RawMessage // nil without
}

// model returns the table model of a model of features.
func (doc *document) model(of *mpcvm.Model) (*Model, error) {
	m := &Model{model: of}
	if doc.recipe != nil {
		m.recipe = new(recipe.Recipe)
		err := jsondoc.Decode(json.NewDecoder(bytes.NewReader(doc.recipe)), reflect.ValueOf(m.recipe).Elem())
		if err != nil {
			return nil, jsondoc.At(".recipe", err)
		}
		switch err := m.recipe.Check(); {
		case doc.version < recipeVersion:
			return nil, fmt.Errorf("recipe: version %d has none", doc.version)
		case err != nil:
			return nil, fmt.Errorf("recipe.%w", err)
		case m.recipe.Width() != of.Features():
			return nil, fmt.Errorf("recipe: %d features, the model has %d", m.recipe.Width(), of.Features())
		}
	}
	if doc.record != nil {
		m.record = new(Record)
		err := jsondoc.Decode(json.NewDecoder(bytes.NewReader(doc.record)), reflect.ValueOf(m.record).Elem())
		if err != nil {
			return nil, jsondoc.At(".record", err)
		}
		switch err := m.record.check(of.Classes()); {
		case doc.version < recordVersion:
			return nil, fmt.Errorf("record: version %d has none", doc.version)
		case err != nil:
			return nil, fmt.Errorf("record.%w", err)
		}
	}
	if doc.ids == nil {
		return m, nil
	}
	err := jsondoc.Decode(json.NewDecoder(bytes.NewReader(doc.ids)), reflect.ValueOf(&m.ids).Elem())
	if err != nil {
		return nil, jsondoc.At(".ids", err)
	}
	if doc.version < recipeVersion {
		return nil, fmt.Errorf("ids: version %d has none", doc.version)
	}
	return m, checkIDs(m.ids, of.VectorCount())
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
