package tables

import (
	"context"
	"fmt"

	"github.com/mpcvm/mpcvm/tables/table"
)

// The library of Parquet is too large for a browser.

func (f file) readParquet(context.Context, Options) (*table.Table, error) {
	return nil, fmt.Errorf("%w: Parquet files are not read in a browser; save it as CSV", ErrFormat)
}

func (p *Reader) parquet(f file) error {
	_, err := f.readParquet(context.Background(), p.o)
	return err
}
