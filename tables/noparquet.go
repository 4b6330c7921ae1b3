//go:build js && !parquet

package tables

import (
	"context"

	"github.com/mpcvm/mpcvm/tables/table"
)

// The Parquet library is too large for the browser.

func (f file) readParquet(context.Context, Options) (*table.Table, error) {
	return nil, refused(parquetFile, ".csv")
}

func (p *Reader) parquet(f file) error {
	_, err := f.readParquet(context.Background(), p.o)
	return err
}
