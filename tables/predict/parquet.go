//go:build !js || parquet

package predict

import (
	"io"
	"slices"
	"strings"

	"github.com/mpcvm/mpcvm/tables/parquet"
	"github.com/mpcvm/mpcvm/tables/table"
)

func init() { parquetOf = (*Predictor).Parquet }

// Parquet returns a format with the same columns as CSV. Probabilities that are empty in CSV are NaN.
func (p *Predictor) Parquet() Format {
	return parquetFormat{p, parquet.Layout{Before: append(slices.Clone(p.keep), table.ClassColumn),
		Numbers: p.columns(), After: p.after()}, nil}
}

// parquetFormat writes a row group for each batch, with the columns of CSV. It is also its own Sink.
type parquetFormat struct {
	*Predictor
	layout parquet.Layout
	w      *parquet.Writer
}

// Encode does nothing, because Write encodes the data.
func (parquetFormat) Encode(*Predictions) error { return nil }

func (f parquetFormat) Open(w io.Writer) Sink {
	f.w = parquet.NewWriter(w, f.layout)
	return f
}

func (f parquetFormat) Write(u *Predictions) error {
	column := func(cell func(i int) string) []string {
		cells := make([]string, len(u.Labels))
		for i := range cells {
			cells[i] = cell(i)
		}
		return cells
	}
	var texts [][]string
	for _, c := range u.kept {
		texts = append(texts, column(func(i int) string { return strings.ToValidUTF8(c.Source(i), "�") }))
	}
	texts = append(texts, u.Classes)
	after := make([][]string, len(f.layout.After))
	for i := range u.Labels {
		for k, cell := range f.cells(u, i) {
			after[k] = append(after[k], cell)
		}
	}
	return f.w.Write(u.Values, append(texts, after...)...)
}

// Close ends the file.
func (f parquetFormat) Close([]table.Finding) error { return f.w.Close() }
