package data

import (
	"context"
	"embed"
	"fmt"

	"github.com/mpcvm/mpcvm/data/table"
)

// A browser has no room for the largest set, for partitions, and for the libraries of Parquet
// and Excel. It has no files and cannot fetch from the archive of the sets: Fetcher is not there.

//go:embed iris.csv wine.csv glass.csv breast.csv overlap.csv overclass.csv
var embedded embed.FS

func readOther(info Info) ([]byte, error) {
	return nil, fmt.Errorf("data: %s: %w, and there are no files in a browser", info.Name, ErrNotEmbedded)
}

func (f file) readParquet(context.Context, Options) (*table.Table, error) {
	return nil, fmt.Errorf("%w: Parquet files are not read in a browser", ErrFormat)
}

func (p *Reader) parquet(f file) error {
	_, err := f.readParquet(context.Background(), p.o)
	return err
}

func (f file) readXLSX(context.Context, Options) (*table.Table, error) {
	return nil, fmt.Errorf("%w: Excel files are not read in a browser; save it as CSV", ErrFormat)
}
