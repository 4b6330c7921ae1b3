package mpcvm

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"gonum.org/v1/gonum/mat"
)

// A model file is one JSON document:
//
//	format       "mpcvm-model"
//	version      1
//	kernel       its name and parameters, see kernelFile
//	classes      names of the C classes
//	features     names of the D features
//	bias         C numbers b_c
//	scaling      mean and scale, D numbers each; absent if the model does not scale
//	temperature  absent if it was not set
//	vectors      the relevance vectors, ascending by index:
//	    index    row in the training data
//	    label    class, 0 to C−1
//	    x        D numbers, standardised if the model scales
//	    weights  the weights that are not zero, ascending by class:
//	        class, weight
//
// Numbers are written with as many digits as it takes to read the same bits back.
const (
	fileFormat  = "mpcvm-model"
	fileVersion = 1
)

// document is a model file in memory.
type document struct {
	kernel            kernelFile
	classes, features []string
	bias              []float64
	mean, scale       []float64
	temperature       float64 // 0 if absent
	vectors           []fileVector
	x                 []float64    // of all vectors
	width             int          // and how many are of each
	weights           []fileWeight // of all vectors
}

type fileVector struct {
	Index   int          `json:"index"`
	Label   int          `json:"label"`
	X       []float64    `json:"x"` // only to write; see document.x
	Weights []fileWeight `json:"weights"`
}

type fileWeight struct {
	Class  int     `json:"class"`
	Weight float64 `json:"weight"`
}

// Save writes the model as JSON, exact to the last bit; [Load] reads it. A model
// that could not be read back is an error, and nothing is written: one with
// a kernel that has no name in the format, such as [kernel.Func] and
// [kernel.Precomputed], or with the same name for two classes or two features.
func (m *Model) Save(w io.Writer) error {
	doc, err := m.document()
	if err == nil {
		err = doc.check()
	}
	if err == nil {
		err = doc.write(w)
	}
	if err != nil {
		return fmt.Errorf("mpcvm: saving the model: %w", err)
	}
	return nil
}

// SaveFile writes the model to a file, which appears whole or not at all: a file
// that is there already is replaced only when the new one is safe on disk.
func (m *Model) SaveFile(path string) (err error) {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return fmt.Errorf("mpcvm: saving the model: %w", err)
	}
	defer func() {
		if err != nil {
			f.Close()
			os.Remove(f.Name())
		}
	}()
	if err = m.Save(f); err != nil {
		return err
	}
	for _, step := range []func() error{
		func() error { return f.Chmod(0o644) }, f.Sync, f.Close,
		func() error { return os.Rename(f.Name(), path) },
	} {
		if err = step(); err != nil {
			return fmt.Errorf("mpcvm: saving the model: %w", err)
		}
	}
	return nil
}

// Load reads a model that Save wrote; it predicts the same to the last bit. The
// whole document is checked: sizes, ranges, finite numbers, the sign of every
// weight, unknown, missing and repeated keys, text after the end. The error names
// the place, such as vectors[3].weights[1]. Documents of a version later than
// this package knows are refused.
//
// A document from elsewhere does no harm: memory is never set aside on its word, and what
// is held at a time stays below 4 times its size and 64 MiB. To that end the document is
// read twice, the first time to count. A reader that cannot seek, such as a pipe, has to
// be held in memory for that, which takes up to 2.3 times the size more. The first
// prediction makes a copy of the relevance vectors.
func Load(r io.Reader) (*Model, error) {
	doc, err := load(r)
	if err != nil {
		return nil, fmt.Errorf("mpcvm: model file: %w", err)
	}
	return doc.model(), nil
}

// load reads and checks a document.
func load(r io.Reader) (*document, error) {
	again, ok := r.(io.ReadSeeker)
	start := int64(0)
	if ok {
		var err error
		start, err = again.Seek(0, io.SeekCurrent)
		ok = err == nil
	}
	if !ok {
		text, err := io.ReadAll(r)
		if err != nil {
			return nil, err
		}
		again = bytes.NewReader(text)
	}
	var count tally
	if _, err := readDocument(again, &count, false); err != nil {
		return nil, err
	}
	if _, err := again.Seek(start, io.SeekStart); err != nil {
		return nil, err
	}
	doc, err := readDocument(again, &count, true)
	if err != nil {
		return nil, err
	}
	return doc, doc.check()
}

// LoadFile is Load of a file.
func LoadFile(path string) (*Model, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("mpcvm: model file: %w", err)
	}
	defer f.Close()
	return Load(f)
}

// document gathers what the file holds.
func (m *Model) document() (*document, error) {
	k, err := newKernelFile(m.kernel)
	if err != nil {
		return nil, err
	}
	doc := &document{
		kernel: k, classes: m.ClassNames(), features: m.FeatureNames(),
		bias: m.bias, mean: m.mean, scale: m.scale, temperature: m.temperature, width: m.dim,
	}
	for i, n := range m.index {
		x := m.x.RawRowView(i)
		doc.x = append(doc.x, x...)
		doc.vectors = append(doc.vectors, fileVector{Index: n, Label: m.label[i], X: x})
	}
	for c, col := range m.weights {
		for j, i := range col.vector {
			v := &doc.vectors[i]
			v.Weights = append(v.Weights, fileWeight{c, col.w[j]})
		}
	}
	return doc, nil
}

// model turns a checked document into a model.
func (doc *document) model() *Model {
	k, _ := doc.kernel.kernel() // checked
	m := &Model{
		kernel: k, classes: len(doc.classes), dim: len(doc.features), bias: doc.bias,
		weights: make([]column, len(doc.classes)), classNames: doc.classes, featureNames: doc.features,
		mean: doc.mean, scale: doc.scale, temperature: doc.temperature,
	}
	if len(doc.vectors) > 0 {
		m.x = mat.NewDense(len(doc.vectors), m.dim, doc.x)
		m.vectors = prepared(m.kernel, m.x)
	}
	m.index, m.label = make([]int, 0, len(doc.vectors)), make([]int, 0, len(doc.vectors))
	count := make([]int, m.classes)
	for _, v := range doc.vectors {
		for _, w := range v.Weights {
			count[w.Class]++
		}
	}
	for c, n := range count {
		if n > 0 {
			m.weights[c] = column{make([]int, 0, n), make([]float64, 0, n)}
		}
	}
	for i, v := range doc.vectors {
		m.index, m.label = append(m.index, v.Index), append(m.label, v.Label)
		for _, w := range v.Weights {
			col := &m.weights[w.Class]
			col.vector, col.w = append(col.vector, i), append(col.w, w.Weight)
		}
	}
	return m
}
