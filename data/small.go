//go:build js && small

package data

import (
	"context"
	"embed"
	"fmt"

	"github.com/mpcvm/mpcvm/data/table"
)

// The playground's engine has no room for the largest set, for partitions, and for the reader of Excel
// files. It has no files.

//go:embed iris.csv wine.csv glass.csv breast.csv overlap.csv overclass.csv
var embedded embed.FS

func readOther(info Info) ([]byte, error) {
	return nil, fmt.Errorf("data: %s: %w, and there are no files in the playground", info.Name, ErrNotEmbedded)
}

func (f file) readXLSX(context.Context, Options) (*table.Table, error) {
	return nil, fmt.Errorf("%w: Excel files are not read in the playground; save it as CSV", ErrFormat)
}
