//go:build js && small

package tables

import (
	"context"
	"fmt"

	"github.com/mpcvm/mpcvm/tables/table"
)

// The engine of the playground omits the Excel reader to stay small.

func (f file) readXLSX(context.Context, Options) (*table.Table, error) {
	return nil, fmt.Errorf("%w: the playground cannot read Excel files; save it as CSV", ErrFormat)
}
