//go:build !js

package data

import (
	"context"

	"github.com/mpcvm/mpcvm/data/parquet"
	"github.com/mpcvm/mpcvm/data/table"
)

func (f file) readParquet(ctx context.Context, o Options) (*table.Table, error) {
	return parquet.ReadTable(ctx, f.at, f.size, f.name, o.columns())
}
