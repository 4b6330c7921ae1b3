// Package scoring is a Beam pipeline that applies a model to the rows of many files, like mpcvm
// predict. It accepts the same model files and files of samples.
//
// A file is read in batches, which go to any free worker. The predictions of each batch are written
// to a file named after the input file and the number of the batch: IN.csv-000000.csv. The order of
// the names is the order of the rows. A batch that is scored twice writes the same bytes to the same
// file, so lost workers and repeated work do no harm.
package scoring

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/log"
	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/experiments/beam/internal/files"
	"github.com/mpcvm/mpcvm/tables"
	"github.com/mpcvm/mpcvm/tables/drift"
	"github.com/mpcvm/mpcvm/tables/predict"
	"github.com/mpcvm/mpcvm/tables/recipe"
	"github.com/mpcvm/mpcvm/tables/table"
)

func init() {
	beam.RegisterType(reflect.TypeFor[Batch]())
	beam.RegisterType(reflect.TypeFor[Part]())
	beam.RegisterDoFn(&readFn{})
	beam.RegisterDoFn(&scoreFn{})
	beam.RegisterFunction(byFile)
	beam.RegisterFunction(sumUp)
}

// Options of the pipeline. Paths are local, gs:// or s3://.
type Options struct {
	Model   string // the model, a JSON file
	Data    string // a pattern of the files of samples, whose types are detected from their content
	Out     string // the folder of the predictions
	Parquet bool   // write Parquet; the default is CSV
	Proba   bool   // also write the probability of each class
}

// Batch is a range of consecutive rows of a file.
type Batch struct {
	Name     string // name of the output, without its extension
	Number   int    // number of the batch, from 0
	Rows     int
	X        []float64     // Rows×D, row by row, the features in the model's order
	Class    []string      // nil if the file has no class column
	Problems []string      // why a row cannot be used, or ""; nil if all can be used
	Unlike   []drift.Cells // per column of the model
	Novelty  []recipe.Novelty
	File     string
}

// Part is a file of predictions that has been written.
type Part struct {
	File   string // file of the samples
	Number int    // number of the batch, from 0
	Path   string
	Tally  predict.Tally
}

// Pipeline adds the pipeline to s and returns the Parts that it writes. If no row of a file can be
// used, it fails after all parts are written.
func Pipeline(s beam.Scope, o Options) beam.PCollection {
	s = s.Scope("Score")
	model := beam.SideInput{Input: files.Text(s, o.Model)}
	matched := files.Match(s, o.Data)
	batches := beam.ParDo(s, &readFn{Out: o.Out, Fixed: fixed(o.Data)}, beam.Reshuffle(s, matched), model)
	parts := beam.ParDo(s, &scoreFn{Parquet: o.Parquet, Proba: o.Proba}, beam.Reshuffle(s, batches), model)
	beam.ParDo0(s, sumUp, beam.GroupByKey(s, beam.ParDo(s, byFile, parts)), model)
	return parts
}

// fixed returns the folders of a pattern before the first one with a wildcard.
func fixed(pattern string) string {
	if i := strings.IndexAny(pattern, "*?["); i >= 0 {
		pattern = pattern[:i]
	}
	return pattern[:strings.LastIndexByte(pattern, '/')+1]
}

var models = files.Cache[*tables.Model]{Parse: func(text string) (*tables.Model, error) {
	m, err := tables.Load(strings.NewReader(text))
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
	f, err := files.Open(ctx, name)
	if err != nil {
		return err
	}
	defer f.Close()
	in, err := tables.OpenSource(ctx, f, name, model, tables.Options{}, tables.Layout{})
	if err != nil {
		return err
	}
	for i := 0; ; {
		parse, err := in.Next(ctx)
		if err == io.EOF && i == 0 {
			return &tables.CellError{Name: name, Err: tables.ErrEmpty}
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		b, err := parse()
		if err != nil {
			return err
		}
		if n := b.Rows(); n > 0 { // not only blank lines
			out := Batch{
				Name:   fmt.Sprintf("%s/%s-%06d", strings.TrimSuffix(fn.Out, "/"), strings.TrimPrefix(name, fn.Fixed), i),
				Number: i, Rows: n, File: name, Class: slices.Clone(b.Class), Unlike: b.Unlike,
				Novelty: b.Novelty,
			}
			for row := range n {
				out.X = append(out.X, b.X.RawRowView(row)...)
			}
			for _, problem := range b.Problems {
				text := ""
				if problem != nil {
					text = predict.Reason(problem, table.Go)
				}
				out.Problems = append(out.Problems, text)
			}
			emit(out)
			i++
		}
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
	in := predict.Batch{X: mat.NewDense(b.Rows, len(b.X)/b.Rows, b.X), Class: b.Class, Unlike: b.Unlike,
		Novelty: b.Novelty}
	if b.Problems != nil {
		in.Problems = make([]error, b.Rows)
		for i, text := range b.Problems {
			if text != "" {
				in.Problems[i] = errors.New(text)
			}
		}
	}
	p := predict.New(model, fn.Proba)
	form, extension := p.CSV(), ".csv"
	if fn.Parquet {
		form, extension = p.Parquet(), ".parquet"
	}
	var u predict.Predictions
	p.Predict(&u, &in)
	var text bytes.Buffer
	if err := predict.Write(&text, form, &u); err != nil {
		return err
	}
	part := Part{File: b.File, Number: b.Number, Path: b.Name + extension, Tally: u.Tally}
	if err := files.Write(ctx, part.Path, text.Bytes()); err != nil {
		return err
	}
	emit(part)
	return nil
}

func byFile(p Part) (string, Part) { return p.File, p }

// sumUp logs which cells of a file differ from the training rows. It fails if no row of the file
// could be used.
func sumUp(ctx context.Context, file string, next func(*Part) bool, modelText string) error {
	model, err := models.Get(modelText)
	if err != nil {
		return err
	}
	var parts []Part
	for p := (Part{}); next(&p); p = (Part{}) {
		parts = append(parts, p)
	}
	slices.SortFunc(parts, func(a, b Part) int { return cmp.Compare(a.Number, b.Number) })
	var total predict.Tally
	for _, p := range parts {
		total.Add(p.Tally)
	}
	for _, w := range predict.New(model, false).Warnings(total) {
		log.Warnf(ctx, "%s: %v", file, w)
	}
	return total.Failure(file)
}
