// Package scoring is a Beam pipeline that applies a model to the rows of many files,
// CSV or Parquet.
//
// A file is read in batches, which go to any free worker. The predictions of each batch are
// a file, named after the input file and the number of the batch: IN.csv-000000.csv. The
// order of the names is that of the rows. A batch that is scored twice writes the same
// bytes to the same name, so lost workers and repeated work do no harm.
package scoring

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"path"
	"reflect"
	"slices"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/cluster/beam/internal/files"
	"github.com/mpcvm/mpcvm/data/parquet"
	"github.com/mpcvm/mpcvm/internal/predict"
	"github.com/mpcvm/mpcvm/internal/table"
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
	Data    string // a pattern of the files of samples; *.parquet is Parquet, others CSV
	Out     string // the folder of the predictions
	Parquet bool   // write Parquet; the default is CSV
	Proba   bool   // also write the probability of each class
}

// Batch is consecutive rows of a file.
type Batch struct {
	Name  string // of the output, without its extension
	Rows  int
	X     []byte   // Rows×D, row by row, 8 bytes a number, the features in the model's order
	Class []string // nil if no class is given
	First int64    // row, from 0
	File  string
}

// Part is a file of predictions that was written.
type Part struct {
	Path string
	Rows int
	// Given counts the rows whose class is given, Wrong those of them that are predicted
	// otherwise.
	Given, Wrong int
}

// Pipeline adds the pipeline to s and returns the Parts that it writes.
func Pipeline(s beam.Scope, o Options) beam.PCollection {
	s = s.Scope("Score")
	model := beam.SideInput{Input: files.Text(s, o.Model)}
	matched := files.Match(s, o.Data)
	batches := beam.ParDo(s, &readFn{Out: o.Out, Fixed: fixed(o.Data)}, beam.Reshuffle(s, matched), model)
	return beam.ParDo(s, &scoreFn{Parquet: o.Parquet, Proba: o.Proba}, beam.Reshuffle(s, batches), model)
}

// fixed returns the folders of a pattern before the first one with a wildcard.
func fixed(pattern string) string {
	if i := strings.IndexAny(pattern, "*?["); i >= 0 {
		pattern = pattern[:i]
	}
	return pattern[:strings.LastIndexByte(pattern, '/')+1]
}

var models = files.Cache[*mpcvm.Model]{Parse: func(text string) (*mpcvm.Model, error) {
	m, err := mpcvm.Load(strings.NewReader(text))
	if err != nil {
		return nil, fmt.Errorf("the model: %w", err)
	}
	return m, nil
}}

// readFn reads files batch by batch.
type readFn struct{ Out, Fixed string }

// ProcessElement reads a file.
func (fn *readFn) ProcessElement(ctx context.Context, name, modelText string, emit func(Batch)) error {
	model, err := models.Get(modelText)
	if err != nil {
		return err
	}
	f, size, err := files.Open(ctx, name)
	if err != nil {
		return err
	}
	defer f.Close()
	var reader table.Reader
	if strings.EqualFold(path.Ext(name), ".parquet") {
		reader, err = parquet.Open(f, size, name, model.FeatureNames())
	} else {
		reader, err = table.OpenCSV(f, name, model.FeatureNames())
	}
	if err != nil {
		return err
	}
	var (
		b     table.Batch
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
			Class: slices.Clone(b.Class),
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
type scoreFn struct{ Parquet, Proba bool }

// ProcessElement scores a batch.
func (fn *scoreFn) ProcessElement(ctx context.Context, b Batch, modelText string, emit func(Part)) error {
	model, err := models.Get(modelText)
	if err != nil {
		return err
	}
	values := make([]float64, len(b.X)/8)
	for i := range values {
		values[i] = math.Float64frombits(binary.LittleEndian.Uint64(b.X[8*i:]))
	}
	p := predict.New(model, fn.Proba)
	form, extension := p.CSV(), ".csv"
	if fn.Parquet {
		form, extension = p.Parquet(), ".parquet"
	}
	var u predict.Predictions
	p.Predict(&u, &predict.Batch{X: mat.NewDense(b.Rows, len(values)/b.Rows, values), Class: b.Class})
	if t := u.Tally; t.Unusable > 0 {
		return fmt.Errorf("%s: row %d: %s", b.File, b.First+t.First, t.Why)
	}
	var text bytes.Buffer
	if err := predict.Write(&text, form, &u); err != nil {
		return err
	}
	part := Part{Path: b.Name + extension, Rows: b.Rows, Given: int(u.Tally.Given), Wrong: int(u.Tally.Wrong)}
	if err := files.Write(ctx, part.Path, text.Bytes()); err != nil {
		return err
	}
	emit(part)
	return nil
}
