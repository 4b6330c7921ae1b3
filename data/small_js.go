package data

import (
	"context"
	"fmt"

	"github.com/mpcvm/mpcvm/data/table"
)

// A browser has no room for the libraries of these formats.

func (f file) readParquet(context.Context, Options) (*table.Table, error) {
	return nil, fmt.Errorf("%w: Parquet files are not read in a browser", ErrFormat)
}

func (f file) readXLSX(context.Context, Options) (*table.Table, error) {
	return nil, fmt.Errorf("%w: Excel files are not read in a browser; save it as CSV", ErrFormat)
}
