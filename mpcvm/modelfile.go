package mpcvm

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"unicode/utf8"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/internal/atomicfile"
	"github.com/mpcvm/mpcvm/internal/fitting"
	"github.com/mpcvm/mpcvm/internal/jsondoc"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
)

// A model file is one JSON document, described in docs/model.md. Version 2 added the recipe and the ids;
// version 3 the floor; version 4 the costs, the scores, the reach, the record, and the quantiles and counts
// of a recipe; version 5 the coefficients, and the reach of kernels that are not a function of a distance;
// version 6 the coefficients of a model with relevance vectors. A model is written in the lowest version that
// supports it, so that older programs can read it.
const (
	fileFormat  = "mpcvm-model"
	fileVersion = 6
)

// maxName is the maximum length of a name in bytes. All other lengths are limited by the size of the file,
// and the number of classes by fitting.MaxClasses.
const maxName = 1 << 16

// document is a model file in memory. Fields that are pointers are optional keys.
type document struct {
	Format      string          `json:"format"`
	Version     int             `json:"version"`
	Kernel      json.RawMessage `json:"kernel"`
	Classes     []string        `json:"classes"`
	Features    []string        `json:"features"`
	Bias        []float64       `json:"bias"`
	Scaling     *fileScaling    `json:"scaling"`
	Temperature *float64        `json:"temperature"`
	Floor       *[]float64      `json:"floor"`
	Costs       *[][]float64    `json:"costs"`
	Scores      *fitting.Scores `json:"scores"`
	Reach       *float64        `json:"reach"`
	// Coefficients of the features. With kernel.Linear, the list of vectors is then empty.
	Coefficients *[][]float64 `json:"coefficients"`
	// Recipe, IDs and Record belong to a table model, which package tables saves and loads.
	Recipe  *json.RawMessage `json:"recipe"`
	IDs     *json.RawMessage `json:"ids"`
	Record  *json.RawMessage `json:"record"`
	Vectors []fileVector     `json:"vectors"`
}

type fileScaling struct {
	Mean  []float64 `json:"mean"`
	Scale []float64 `json:"scale"`
}

type fileVector struct {
	Index   int          `json:"index"`
	Label   int          `json:"label"`
	X       []float64    `json:"x"`
	Weights []fileWeight `json:"weights"`
}

type fileWeight struct {
	Class  int     `json:"class"`
	Weight float64 `json:"weight"`
}

// Save writes the model as JSON without loss of precision; use Load to read it. Save returns an error and
// writes nothing if the model could not be loaded again: if its kernel has no name in the format
// (kernel.Func, kernel.Precomputed), if two classes or two features have the same name, or if there are more
// than 1000 classes.
func (m *Model) Save(w io.Writer) error { return saving(m.write(w)) }

// Package tables saves and loads its models with the members of a document that this package ignores.
func init() {
	jsondoc.SaveModel = func(m any, version int, of jsondoc.Members, w io.Writer) error {
		return m.(*Model).writeWith(w, version, of)
	}
	jsondoc.LoadModel = func(r io.Reader) (any, int, jsondoc.Members, error) {
		var doc document
		m, err := doc.load(r)
		return m, doc.Version, jsondoc.Members{Recipe: doc.Recipe, IDs: doc.IDs, Record: doc.Record}, err
	}
}

// SaveFile writes the model to a file; see Save. An existing file is replaced only after the new file is
// safely on disk, so a crash never leaves a partial file.
func (m *Model) SaveFile(path string) error { return saving(atomicfile.Write(path, m.write)) }

func saving(err error) error {
	if err != nil {
		return fmt.Errorf("mpcvm: saving the model: %w", err)
	}
	return nil
}

func (m *Model) write(w io.Writer) error { return m.writeWith(w, 0, jsondoc.Members{}) }

// writeWith writes the model with the members of a table model, in the given version or a later one.
func (m *Model) writeWith(w io.Writer, version int, of jsondoc.Members) error {
	doc, err := m.document()
	if err == nil {
		err = doc.check()
	}
	if err != nil {
		return err
	}
	doc.Version = max(doc.Version, version)
	doc.Recipe, doc.IDs, doc.Record = of.Recipe, of.IDs, of.Record
	return doc.write(w)
}

// Load reads a model written by Save. The model's predictions are identical to the last bit, except that the
// relevance vectors of linear models written by earlier versions become coefficients. Load validates
// the whole document: sizes, ranges, finite numbers, the sign of every weight, nulls, text after the end, and
// unknown, missing and duplicate keys, which are case-sensitive. Errors name the position, such as
// vectors[3].weights[1]. Load returns an error if the version of the document is newer than this package
// supports.
//
// Load also returns an error for a model file of package tables. Such a model takes rows of a table, which
// this package cannot encode as features. Use tables.Load instead; the Model method of its result returns the
// *Model.
//
// Load is safe for untrusted documents: it uses at most 16 times the size of the document plus 64 MiB of
// memory.
func Load(r io.Reader) (*Model, error) {
	var doc document
	m, err := doc.load(r)
	if err == nil && doc.Recipe != nil {
		err = errors.New("mpcvm: model file: this is a table model; load it with tables.Load or tables.LoadFile")
	}
	if err != nil {
		return nil, err
	}
	return m, nil
}

// load reads a document and converts it into a model.
func (doc *document) load(r io.Reader) (*Model, error) {
	err := doc.read(r)
	if err == nil {
		err = doc.check()
	}
	if err != nil {
		return nil, fmt.Errorf("mpcvm: model file: %w", err)
	}
	return doc.model(), nil
}

// LoadFile reads a model from a file; see Load.
func LoadFile(path string) (*Model, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("mpcvm: model file: %w", err)
	}
	defer f.Close()
	m, err := Load(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return m, nil
}

// write writes the document with one field or one vector per line.
func (doc *document) write(w io.Writer) error {
	var out bytes.Buffer
	line := func(prefix string, value any) error {
		text, err := json.Marshal(value)
		out.WriteString(prefix)
		out.Write(text)
		return err
	}
	out.WriteString("{\n")
	v := reflect.ValueOf(doc).Elem()
	for i := range v.NumField() - 1 { // the last are the vectors
		if f := v.Field(i); f.Kind() != reflect.Pointer || !f.IsNil() {
			if err := line(fmt.Sprintf("  %q: ", jsondoc.Key(v, i)), f.Interface()); err != nil {
				return err
			}
			out.WriteString(",\n")
		}
	}
	out.WriteString("  \"vectors\": [")
	for i := range doc.Vectors {
		if i > 0 {
			out.WriteString(",")
		}
		if err := line("\n    ", &doc.Vectors[i]); err != nil {
			return err
		}
	}
	out.WriteString("\n  ]\n}\n")
	_, err := w.Write(out.Bytes())
	return err
}

// read reads a document. Its fields are not validated yet.
func (doc *document) read(r io.Reader) error {
	dec := json.NewDecoder(r)
	var text json.RawMessage
	fault := dec.Decode(&text)
	if fault == nil {
		fault = jsondoc.Decode(text, reflect.ValueOf(doc).Elem(), false)
	}
	switch { // checked before the keys, which differ between formats and versions
	case doc.Format != "" && doc.Format != fileFormat:
		return fmt.Errorf("format: %.40q is not %q", doc.Format, fileFormat)
	case doc.Version > fileVersion:
		return fmt.Errorf("version: %d is newer than %d, the latest version that this program supports",
			doc.Version, fileVersion)
	case errors.Is(fault, io.EOF):
		return io.ErrUnexpectedEOF
	case fault != nil:
		return fault
	case doc.Version < 1:
		return fmt.Errorf("version: %d is not a valid version", doc.Version)
	}
	_, err := dec.Token()
	if syntax := new(json.SyntaxError); err == nil || errors.As(err, &syntax) {
		return errors.New("text after the end")
	}
	if err != io.EOF {
		return err
	}
	return nil
}

// document returns the content of the model file.
func (m *Model) document() (*document, error) {
	k, err := kernel.Marshal(m.kernel)
	if err != nil {
		return nil, err
	}
	doc := &document{
		Format: fileFormat, Version: 1, Kernel: k,
		Classes: m.ClassNames(), Features: m.FeatureNames(), Bias: m.bias,
	}
	if m.mean != nil {
		doc.Scaling = &fileScaling{m.mean, m.scale}
	}
	if m.calibration.Temperature != 0 {
		doc.Temperature = &m.calibration.Temperature
	}
	if m.calibration.Floor != nil {
		doc.Floor, doc.Version = &m.calibration.Floor, 3
	}
	if m.calibration.Costs != nil {
		doc.Costs, doc.Version = &m.calibration.Costs, 4
	}
	if m.calibration.Scores != nil {
		doc.Scores, doc.Version = &m.calibration.Scores, 4
	}
	if m.reach.threshold > 0 {
		doc.Reach, doc.Version = &m.reach.threshold, 4
		if m.reach.pull == nil {
			doc.Version = 5
		}
	}
	if rows := m.coefficientRows(); rows != nil && m.WeightCount() > 0 {
		doc.Coefficients, doc.Version = &rows, 5
		if len(m.index) > 0 {
			doc.Version = 6
		}
	}
	for i, n := range m.index {
		doc.Vectors = append(doc.Vectors, fileVector{Index: n, Label: m.label[i], X: m.x.RawRowView(i)})
	}
	for c, col := range m.weights {
		for j, i := range col.vector {
			if i < len(doc.Vectors) { // not a coefficient
				v := &doc.Vectors[i]
				v.Weights = append(v.Weights, fileWeight{c, col.w[j]})
			}
		}
	}
	return doc, nil
}

// model converts a validated document into a model.
func (doc *document) model() *Model {
	k, _ := kernel.Unmarshal(doc.Kernel) // checked
	m := &Model{
		kernel: k, classes: len(doc.Classes), dim: len(doc.Features), bias: doc.Bias,
		weights: make([]column, len(doc.Classes)), classNames: doc.Classes, featureNames: doc.Features,
	}
	if doc.Scaling != nil {
		m.mean, m.scale = doc.Scaling.Mean, doc.Scaling.Scale
	}
	if doc.Temperature != nil {
		m.calibration.Temperature = *doc.Temperature
	}
	if doc.Floor != nil {
		m.calibration.Floor = *doc.Floor
	}
	if doc.Costs != nil {
		m.calibration.Costs = *doc.Costs
	}
	if doc.Scores != nil {
		m.calibration.Scores = *doc.Scores
	}
	if n := len(doc.Vectors); n > 0 {
		m.x = mat.NewDense(n, m.dim, nil)
		m.vectors = prepared(m.kernel, m.x)
	}
	for i, v := range doc.Vectors {
		m.x.SetRow(i, v.X)
		m.index, m.label = append(m.index, v.Index), append(m.label, v.Label)
		for _, w := range v.Weights {
			col := &m.weights[w.Class]
			col.vector, col.w = append(col.vector, i), append(col.w, w.Weight)
		}
	}
	if doc.Reach != nil {
		if m.reach.threshold = *doc.Reach; ofDistance(k) {
			m.reach.pull = m.pull()
		}
	}
	if doc.Coefficients == nil {
		if _, ok := k.(kernel.Linear); ok && m.mean != nil && len(m.index) > 0 { // an older version has written it
			m.reachOfVectors()
		}
		m.linearise()
		return m
	}
	m.addCoefficients(*doc.Coefficients)
	return m
}

// check validates the document and returns an error that names the position. JSON cannot represent numbers
// that are not finite.
func (doc *document) check() error {
	c, d := len(doc.Classes), len(doc.Features)
	k, err := kernel.Unmarshal(doc.Kernel)
	if err == nil {
		err = kernel.CheckFeatures(k, d)
	}
	switch {
	case err != nil:
		return err
	case c < 2:
		return fmt.Errorf("classes: %d; want at least 2", c)
	case c > fitting.MaxClasses:
		return fmt.Errorf("classes: %d exceeds the limit of %d", c, fitting.MaxClasses)
	case d < 1:
		return errors.New("features: the list is empty")
	case len(doc.Bias) != c:
		return fmt.Errorf("bias: %d numbers for %d classes", len(doc.Bias), c)
	}
	if err := cmp.Or(checkNames("classes", doc.Classes), checkNames("features", doc.Features)); err != nil {
		return err
	}
	if doc.Scaling != nil {
		if err := checkScaling(doc.Scaling.Mean, doc.Scaling.Scale, d); err != nil {
			return err
		}
	}
	if doc.Temperature != nil {
		if err := checkTemperature(*doc.Temperature); err != nil {
			return err
		}
	}
	if doc.Floor != nil {
		if doc.Version < 3 {
			return fmt.Errorf("floor: not supported by version %d", doc.Version)
		}
		if err := checkFloor(*doc.Floor, c); err != nil {
			return err
		}
	}
	if err := cmp.Or(doc.checkVersion4(c, k), doc.checkCoefficients(c, d, k)); err != nil {
		return err
	}
	last := -1
	for i, v := range doc.Vectors {
		if v.Index < 0 {
			return fmt.Errorf("vectors[%d].index: %d is negative", i, v.Index)
		}
		if v.Index <= last {
			return fmt.Errorf("vectors[%d].index: %d is not greater than the preceding index %d", i, v.Index, last)
		}
		last = v.Index
		if err := v.check(c, d); err != nil {
			return fmt.Errorf("vectors[%d].%w", i, err)
		}
	}
	return nil
}

// checkVersion4 validates the keys that version 4 added, for c classes.
func (doc *document) checkVersion4(c int, k kernel.Kernel) error {
	switch {
	case doc.Costs != nil && doc.Version < 4:
		return fmt.Errorf("costs: not supported by version %d", doc.Version)
	case doc.Scores != nil && doc.Version < 4:
		return fmt.Errorf("scores: not supported by version %d", doc.Version)
	case doc.Reach != nil && doc.Version < 4:
		return fmt.Errorf("reach: not supported by version %d", doc.Version)
	case doc.Reach != nil && !(*doc.Reach > 0 && fitting.IsFinite(*doc.Reach)):
		return fmt.Errorf("reach: %v is not positive and finite", *doc.Reach)
	case doc.Reach != nil && doc.Version < 5 && !ofDistance(k):
		return fmt.Errorf("reach: not supported by version %d for the kernel %v", doc.Version, k)
	}
	if doc.Costs != nil {
		if err := checkCosts(*doc.Costs, c); err != nil {
			return err
		}
	}
	if doc.Scores != nil {
		return doc.Scores.Check(c)
	}
	return nil
}

// checkCoefficients validates the coefficients of c classes and d features.
func (doc *document) checkCoefficients(c, d int, k kernel.Kernel) error {
	_, linear := k.(kernel.Linear)
	switch {
	case doc.Coefficients == nil:
		return nil
	case doc.Version < 5:
		return fmt.Errorf("coefficients: not supported by version %d", doc.Version)
	case !linear && (doc.Version < 6 || len(doc.Vectors) == 0):
		return fmt.Errorf("coefficients: the kernel %v is not linear", k)
	case linear && len(doc.Vectors) > 0:
		return fmt.Errorf("vectors: %d in a model with coefficients; want none", len(doc.Vectors))
	case len(*doc.Coefficients) != c:
		return fmt.Errorf("coefficients: %d rows for %d classes", len(*doc.Coefficients), c)
	}
	for i, row := range *doc.Coefficients {
		if len(row) != d {
			return fmt.Errorf("coefficients[%d]: %d numbers for %d features", i, len(row), d)
		}
	}
	return nil
}

// check returns an error if a vector does not fit c classes and d features.
func (v *fileVector) check(c, d int) error {
	if v.Label < 0 || v.Label >= c {
		return fmt.Errorf("label: %d is out of range for %d classes", v.Label, c)
	}
	if len(v.X) != d {
		return fmt.Errorf("x: %d numbers for %d features", len(v.X), d)
	}
	if len(v.Weights) == 0 {
		return errors.New("weights: the list is empty")
	}
	last := -1
	for j, w := range v.Weights {
		switch {
		case w.Class < 0 || w.Class >= c:
			return fmt.Errorf("weights[%d].class: %d is out of range for %d classes", j, w.Class, c)
		case w.Class <= last:
			return fmt.Errorf("weights[%d].class: %d is not greater than the preceding class %d", j, w.Class, last)
		case w.Weight == 0:
			return fmt.Errorf("weights[%d].weight: must not be zero", j)
		case (w.Weight > 0) != (w.Class == v.Label): // eq. (truncatd_gaussian)
			return fmt.Errorf("weights[%d].weight: %v of a vector of class %d for class %d has the wrong sign",
				j, w.Weight, v.Label, w.Class)
		}
		last = w.Class
	}
	return nil
}

// checkNames returns an error for names that are invalid or not unique.
func checkNames(what string, names []string) error {
	seen := map[string]bool{} // without a capacity: an untrusted file may have many names
	for i, name := range names {
		switch {
		case !utf8.ValidString(name):
			return fmt.Errorf("%s[%d]: %.40q is not valid UTF-8", what, i, name)
		case len(name) > maxName:
			return fmt.Errorf("%s[%d]: name of %d bytes exceeds the limit of %d bytes", what, i, len(name), maxName)
		case seen[name]:
			return fmt.Errorf("%s[%d]: duplicate name %.40q", what, i, name)
		}
		seen[name] = true
	}
	return nil
}
