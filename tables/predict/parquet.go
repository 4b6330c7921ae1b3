//go:build !js || parquet

package predict

import (
	"io"
	"strings"

	"github.com/mpcvm/mpcvm/tables/parquet"
	"github.com/mpcvm/mpcvm/tables/table"
)

func init() { parquetOf = (*Predictor).Parquet }

// Parquet returns a format with the same columns as CSV. Probabilities that are empty in CSV are NaN.
func (p *Predictor) Parquet() Format {
	return parquetFormat{p.names, parquet.Layout{Before: p.keep, Text: table.ClassColumn, Numbers: p.columns(),
		After: p.after()}}
}

// parquetFormat writes a row group for each batch, with the columns of CSV.
type parquetFormat struct {
	names  []string // of the classes
	layout parquet.Layout
}

// Encode does nothing, because the sink encodes the data.
func (parquetFormat) Encode(*Predictions) error { return nil }

func (f parquetFormat) Open(w io.Writer) (Sink, error) {
	return parquetSink{f, parquet.NewWriter(w, f.layout)}, nil
}

// parquetSink is an open Parquet file.
type parquetSink struct {
	parquetFormat
	w *parquet.Writer
}

func (s parquetSink) Write(u *Predictions) error {
	further := make([][]string, 0, len(s.layout.Before)+len(s.layout.After))
	for k := range s.layout.Before {
		column := make([]string, len(u.Labels))
		for i := range column {
			column[i] = strings.ToValidUTF8(u.kept[k].Source(i), "�")
		}
		further = append(further, column)
	}
	if u.Sets != nil {
		sets := make([]string, len(u.Labels))
		for i := range sets {
			sets[i] = set(s.names, u.Sets[i])
		}
		further = append(further, sets)
	}
	return s.w.Write(u.Values, u.Classes, append(further, u.Problems)...)
}

// Close ends the file.
func (s parquetSink) Close([]table.Finding) error { return s.w.Close() }
