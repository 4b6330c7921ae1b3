// Package tables reads tables from files and trains models on them. [Open] reads delimited text, JSON Lines,
// ARFF, LIBSVM, Excel and Parquet files, and detects the format of the file and the kinds of its columns.
// [Train] trains a model on a table and evaluates it, and [Model.Predict] predicts the rows of other tables.
//
// Package table holds a table in memory. Package recipe turns its columns into the features of a model, and
// package model contains the model itself, without the readers of files.
package tables

import (
	"context"
	"io"

	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/tables/model"
	"github.com/mpcvm/mpcvm/tables/table"
)

// Model predicts the rows of tables; see [model.Model].
type Model = model.Model

// Fit trains a model on the rows of a table that have a label; see [model.Fit].
func Fit(ctx context.Context, t *table.Table, target string, l mpcvm.Learner,
	observers ...mpcvm.Observer) (*Model, mpcvm.Result, error) {
	return model.Fit(ctx, t, target, l, observers...)
}

// Load reads a model; see [model.Load].
func Load(r io.Reader) (*Model, error) { return model.Load(r) }

// LoadFile reads a model from a file; see [model.LoadFile].
func LoadFile(path string) (*Model, error) { return model.LoadFile(path) }
