package model

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"

	"github.com/mpcvm/mpcvm/internal/atomicfile"
	"github.com/mpcvm/mpcvm/internal/jsondoc"
	"github.com/mpcvm/mpcvm/mpcvm"
)

// The file of a table model is the JSON document of the underlying model with three more members: the recipe,
// the ids of the training rows of the relevance vectors, and the record of the fit. docs/model.md describes
// the format.

// The first versions of the format with recipes and ids, with quantiles and counts in a recipe, with records,
// and with the reach of all kernels.
const (
	recipeVersion  = 2
	profileVersion = 4
	recordVersion  = 4
)

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

// member is a member of the document that a table model has in addition to the underlying model.
type member struct {
	key     string
	text    **json.RawMessage
	field   any // pointer to the field of the model, which is nil if the member is absent
	version int // the first version of the format with the member
}

func (m *Model) members(of *jsondoc.Members) []member {
	return []member{{"recipe", &of.Recipe, &m.recipe, recipeVersion}, {"ids", &of.IDs, &m.ids, recipeVersion},
		{"record", &of.Record, &m.record, recordVersion}}
}

// check returns an error if the members are invalid.
func (m *Model) check() error {
	if m.recipe != nil {
		if err := m.recipe.Check(); err != nil {
			return fmt.Errorf("recipe.%w", err)
		}
		if width := m.recipe.Width(); width != m.model.Features() {
			return fmt.Errorf("recipe: %d features, but the model has %d", width, m.model.Features())
		}
	}
	if n := m.model.VectorCount(); m.ids != nil && len(m.ids) != n {
		return fmt.Errorf("ids: %d for %d vectors", len(m.ids), n)
	}
	if r := m.record; r != nil && len(r.Rows) > 0 && len(r.Rows) != m.model.Classes() {
		return fmt.Errorf("record.rows: %d counts for %d classes", len(r.Rows), m.model.Classes())
	}
	return jsondoc.Check(struct {
		IDs    []string `json:"ids" valid:"max=65536"`
		Record *Record  `json:"record"`
	}{m.ids, m.record})
}

func (m *Model) write(w io.Writer) error {
	if err := m.check(); err != nil {
		return err
	}
	var of jsondoc.Members
	version := 0
	for _, p := range m.members(&of) {
		if field := reflect.ValueOf(p.field).Elem(); !field.IsNil() {
			text, err := json.Marshal(field.Interface())
			if err != nil {
				return fmt.Errorf("%s: %w", p.key, err)
			}
			*p.text, version = (*json.RawMessage)(&text), max(version, p.version)
		}
	}
	if m.recipe != nil && m.recipe.Profiled() {
		version = profileVersion
	}
	return jsondoc.SaveModel(m.model, version, of, w)
}

// Load reads a model written by Save or mpcvm.Model.Save, also by an earlier version. The predictions are
// identical to the last bit, except for old linear models; see mpcvm.Load. If the file has no recipe, each
// feature is a column of numbers. Load checks the whole document, as mpcvm.Load does, and is safe for
// untrusted input: it uses at most 64 MiB plus 16 times the size of the document.
func Load(r io.Reader) (*Model, error) {
	of, version, members, err := jsondoc.LoadModel(r)
	if err != nil {
		return nil, err
	}
	m := (&Model{model: of.(*mpcvm.Model)}).prepare()
	for _, p := range m.members(&members) {
		if err == nil && *p.text != nil {
			err = p.read(version)
		}
	}
	// The vectors of an old linear model have ids, but become coefficients.
	if m.model.VectorCount() == 0 && m.model.WeightCount() > 0 {
		m.ids = nil
	}
	if err == nil {
		err = m.check()
	}
	if err != nil {
		return nil, fmt.Errorf("tables: model file: %w", err)
	}
	return m, nil
}

// read decodes the member of a file of the given version into the field of the model.
func (p *member) read(version int) error {
	err := jsondoc.Decode(**p.text, reflect.ValueOf(p.field).Elem(),
		p.key == "record") // a record does not affect predictions, so it may have keys of later versions
	if key, ok := errors.AsType[jsondoc.UnknownKey](err); ok && key == "parts" {
		return fmt.Errorf("%s: features made of parts of a date are not supported; add them to the table as "+
			"separate columns and fit the model again", p.key)
	}
	if err == nil && version < p.version {
		err = fmt.Errorf("not allowed in version %d", version)
	}
	if err != nil {
		return jsondoc.At("."+p.key, err)
	}
	return nil
}

// LoadFile reads a model from a file; see [Load].
func LoadFile(path string) (*Model, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("tables: model file: %w", err)
	}
	defer f.Close()
	m, err := Load(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return m, nil
}
