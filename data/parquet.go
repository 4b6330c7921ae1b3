//go:build !js

package data

import (
	"context"
	"io"

	"github.com/mpcvm/mpcvm/data/parquet"
	"github.com/mpcvm/mpcvm/data/table"
)

// ReadParquet reads labelled samples for training from a Parquet file of size bytes, as
// [ReadCSV] does: there must be a column "class". Labels are in the order of the sorted
// classes.
func ReadParquet(r io.ReaderAt, size int64, name string) (*Set, error) {
	s, err := parquet.ReadSet(r, size, name)
	return (*Set)(s), err
}

// ReadParquetLike reads test data for a model that was trained on like, as [ReadCSVLike] does.
func ReadParquetLike(r io.ReaderAt, size int64, name string, like *Set) (*Set, error) {
	s, err := parquet.ReadSetLike(r, size, name, (*parquet.Set)(like))
	return (*Set)(s), err
}

func (f file) readParquet(ctx context.Context, o Options) (*table.Table, error) {
	return parquet.ReadTable(ctx, f.at, f.size, f.name, parquet.TableOptions{
		Missing: o.Missing, Kinds: o.Kinds, Expect: o.Expect, Units: o.Units, Drop: o.Drop, ID: o.ID, Group: o.Group, Time: o.Time})
}
