package predict

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/internal/cell"
	"github.com/mpcvm/mpcvm/tables/drift"
	"github.com/mpcvm/mpcvm/tables/table"
)

// Batch is a batch of consecutive rows of a file.
type Batch struct {
	X        *mat.Dense      // one sample per row; NaN in rows that cannot be used
	Class    []string        // of each row, as named by the model; empty if missing, nil without a class column
	Problems []error         // for each row, why it cannot be used; nil if all rows can be used
	Kept     []*table.Column // columns to pass through
	Unlike   []drift.Cells   // for each column of the recipe; nil if no row can be used
}

// Rows returns the number of rows.
func (b *Batch) Rows() int {
	if b.X == nil {
		return 0
	}
	n, _ := b.X.Dims()
	return n
}

// Reason describes why a row cannot be used in the words of v, without the name of the file and the row
// number.
func Reason(err error, v *table.Voice) string {
	e, ok := errors.AsType[*cell.Error](err)
	if !ok {
		return v.Explain(err)
	}
	text := v.Explain(e.Err)
	if e.Header != "" {
		text = fmt.Sprintf("column %s: %s", cell.Shorten(e.Header), text)
	}
	if v, _ := e.Value.(string); v != "" {
		text += fmt.Sprintf(": %q", cell.Shorten(v))
	}
	return text
}

func setNaN(row []float64) {
	for j := range row {
		row[j] = math.NaN()
	}
}
