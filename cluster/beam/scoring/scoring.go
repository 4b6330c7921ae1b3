// Package scoring is a Beam pipeline that applies a model to the rows of many files,
// CSV or Parquet.
//
// A file is read in the batches of data.BatchReader; batches go to whichever worker is
// free, and each becomes a file of its own with the predictions of its rows, named
// after the file it is from and its number there: IN.csv-000000.csv. In the order of
// their names they are in the order of the rows. A batch that is scored twice writes
// the same bytes to the same name, so that lost workers and repeated work do no harm.
package scoring

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"path"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/cluster/beam/internal/files"
	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/data/parquet"
	"github.com/mpcvm/mpcvm/mpcvm"
)

func init() {
	beam.RegisterType(reflect.TypeFor[Batch]())
	beam.RegisterType(reflect.TypeFor[Part]())
	beam.RegisterDoFn(&readFn{})
	beam.RegisterDoFn(&scoreFn{})
}

// Options of the pipeline. Paths are local, gs:// or s3://.
type Options struct {
	Model   string // the model, a JSON file
	Data    string // a pattern of the files of samples; *.parquet is Parquet, all else CSV
	Out     string // the folder of the predictions
	Parquet bool   // write Parquet; the default is CSV
	Proba   bool   // write the probability of each class too
}

// Batch is some consecutive rows of a file.
type Batch struct {
	Name       string // of the output, without its extension
	Rows       int
	X          []byte // Rows×D, row by row, 8 bytes a number, the features in the model's order
	Class      []string
	ClassKnown bool
	First      int64 // row, from 0
	File       string
}

// Part is a file of predictions that was written.
type Part struct {
	Path string
	Rows int
	// Given counts the rows whose class was given, Wrong those of them that were
	// predicted otherwise.
	Given, Wrong int
}

// Pipeline adds the pipeline and returns the Parts that it wrote.
func Pipeline(s beam.Scope, o Options) beam.PCollection {
	s = s.Scope("Score")
	model := beam.SideInput{Input: files.Text(s, o.Model)}
	matched := files.Match(s, o.Data)
	batches := beam.ParDo(s, &readFn{Out: o.Out, Fixed: fixed(o.Data)}, beam.Reshuffle(s, matched), model)
	return beam.ParDo(s, &scoreFn{Parquet: o.Parquet, Proba: o.Proba}, beam.Reshuffle(s, batches), model)
}

// fixed is the folders of a pattern before the first one with a wildcard.
func fixed(pattern string) string {
	if i := strings.IndexAny(pattern, "*?["); i >= 0 {
		pattern = pattern[:i]
	}
	return pattern[:strings.LastIndexByte(pattern, '/')+1]
}

// models are those that this process has read, by the hash of their text.
var models sync.Map

func loadModel(text string) (*mpcvm.Model, error) {
	hash := sha256.Sum256([]byte(text))
	if m, ok := models.Load(hash); ok {
		return m.(*mpcvm.Model), nil
	}
	m, err := mpcvm.Load(strings.NewReader(text))
	if err != nil {
		return nil, fmt.Errorf("the model: %w", err)
	}
	models.Store(hash, m)
	return m, nil
}

// readFn reads files batch by batch.
type readFn struct {
	Out, Fixed string
	model      *mpcvm.Model
}

// ProcessElement reads a file.
func (fn *readFn) ProcessElement(ctx context.Context, name, modelText string, emit func(Batch)) (err error) {
	if fn.model == nil {
		if fn.model, err = loadModel(modelText); err != nil {
			return err
		}
	}
	f, size, err := files.Open(ctx, name)
	if err != nil {
		return err
	}
	defer f.Close()
	var reader data.BatchReader
	if strings.EqualFold(path.Ext(name), ".parquet") {
		reader, err = parquet.Open(f, size, name, fn.model.FeatureNames())
	} else {
		reader, err = data.OpenCSV(f, name, fn.model.FeatureNames())
	}
	if err != nil {
		return err
	}
	var (
		b     data.Batch
		first int64
	)
	for i := 0; ; i++ {
		err := reader.Read(&b)
		if err == io.EOF {
			return nil
		}
		if err == nil {
			err = b.Parse()
		}
		if err != nil {
			return err
		}
		n, d := b.X.Dims()
		if n == 0 {
			i--
			continue
		}
		out := Batch{
			Name: fmt.Sprintf("%s/%s-%06d", strings.TrimSuffix(fn.Out, "/"), strings.TrimPrefix(name, fn.Fixed), i),
			Rows: n, X: make([]byte, 0, 8*n*d), File: name, First: first,
			Class: slices.Clone(b.Class), ClassKnown: b.Class != nil,
		}
		for row := range n {
			for _, v := range b.X.RawRowView(row) {
				out.X = binary.LittleEndian.AppendUint64(out.X, math.Float64bits(v))
			}
		}
		first += int64(n)
		emit(out)
	}
}

// scoreFn scores batches and writes their predictions.
type scoreFn struct {
	Parquet, Proba bool
	model          *mpcvm.Model
}

// ProcessElement scores a batch.
func (fn *scoreFn) ProcessElement(ctx context.Context, b Batch, modelText string, emit func(Part)) (err error) {
	if fn.model == nil {
		if fn.model, err = loadModel(modelText); err != nil {
			return err
		}
	}
	values := make([]float64, len(b.X)/8)
	for i := range values {
		values[i] = math.Float64frombits(binary.LittleEndian.Uint64(b.X[8*i:]))
	}
	x := mat.NewDense(b.Rows, len(values)/b.Rows, values)
	var p, y *mat.Dense // probabilities, and what is largest where the label is
	if fn.Proba {
		p = fn.model.Proba(nil, x)
		y = p
	} else { // a third of the work
		y = fn.model.Potentials(nil, x)
	}
	names := fn.model.ClassNames()
	part := Part{Rows: b.Rows}
	classes := make([]string, b.Rows)
	for i := range classes {
		row := y.RawRowView(i)
		if label := slices.Index(row, slices.Max(row)); label >= 0 && !math.IsInf(row[label], 0) {
			classes[i] = names[label]
		} else {
			return fmt.Errorf("%s: row %d, counted from 0: its features are too large for the model", b.File, b.First+int64(i))
		}
		if b.ClassKnown && b.Class[i] != "" {
			part.Given++
			if b.Class[i] != classes[i] {
				part.Wrong++
			}
		}
	}
	var text []byte
	if fn.Parquet {
		part.Path = b.Name + ".parquet"
		text, err = encodeParquet(names, classes, p)
	} else {
		part.Path = b.Name + ".csv"
		text, err = encodeCSV(names, classes, p)
	}
	if err != nil {
		return err
	}
	if err := files.Write(ctx, part.Path, text); err != nil {
		return err
	}
	emit(part)
	return nil
}

// columns are the names of the probabilities.
func columns(names []string) []string {
	all := make([]string, len(names))
	for c, name := range names {
		all[c] = "p(" + name + ")"
	}
	return all
}

// encodeCSV writes the table that mpcvm predict writes. Without p it has the classes
// alone.
func encodeCSV(names, classes []string, p *mat.Dense) ([]byte, error) {
	var text bytes.Buffer
	w := csv.NewWriter(&text)
	row := []string{"class"}
	if p != nil {
		row = append(row, columns(names)...)
	}
	if err := w.Write(row); err != nil {
		return nil, err
	}
	for i, class := range classes {
		row[0] = class
		for c := range row[1:] {
			row[c+1] = strconv.FormatFloat(p.At(i, c), 'g', -1, 64)
		}
		if err := w.Write(row); err != nil {
			return nil, err
		}
	}
	w.Flush()
	return text.Bytes(), w.Error()
}

func encodeParquet(names, classes []string, p *mat.Dense) ([]byte, error) {
	layout := parquet.Layout{Text: "class"}
	if p != nil {
		layout.Numbers = columns(names)
	}
	var text bytes.Buffer
	w, err := parquet.NewWriter(&text, layout)
	if err != nil {
		return nil, err
	}
	group, err := layout.Encode(parquet.Group{}, p, classes)
	if err != nil {
		return nil, err
	}
	if err := w.Append(group); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return text.Bytes(), nil
}
