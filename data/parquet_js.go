package data

import (
	"context"
	"fmt"

	"github.com/mpcvm/mpcvm/data/table"
)

// The library of Parquet has no room in a browser. A program there cannot
// fetch from the archive of the sets: Fetcher is not there.

func (f file) readParquet(context.Context, Options) (*table.Table, error) {
	return nil, fmt.Errorf("%w: Parquet files are not read in a browser; save it as CSV", ErrFormat)
}

func (p *Reader) parquet(f file) error {
	_, err := f.readParquet(context.Background(), p.o)
	return err
}
