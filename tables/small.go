//go:build js && small

package tables

import (
	"context"
	"fmt"

	"github.com/mpcvm/mpcvm/tables/table"
)

// The playground's engine omits the reader of Excel files to stay small.

func (f file) readXLSX(context.Context, Options) (*table.Table, error) {
	return nil, fmt.Errorf("%w: Excel files are not read in the playground; save it as CSV", ErrFormat)
}
