package data

import (
	"fmt"

	"github.com/mpcvm/mpcvm/internal/cell"
)

// Causes of errors of ReadSet, for use with errors.Is.
var (
	ErrEmpty          = cell.ErrEmpty
	ErrRagged         = cell.ErrRagged
	ErrMissing        = cell.ErrMissing
	ErrNotNumber      = cell.ErrNotNumber
	errTooManyClasses = fmt.Errorf("more than %d classes", cell.MaxClasses)
)
