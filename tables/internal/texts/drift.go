package texts

import "github.com/mpcvm/mpcvm/tables/table"

// Differences between new rows and the training rows of a model.
var (
	UnknownLevels = table.Register("unknown-levels", "column {column}: {n:cell} {n?has|have} a level that does "+
		"not occur in the training rows: {texts}")
	// Texts are the range of the training rows, and the smallest and the largest of the other values.
	BeyondRange = table.Register("beyond-range", "column {column}: {n:cell} {n?is|are} beyond the range of the "+
		"training rows, {0:plain} to {1:plain} (smallest {2:plain}, largest {3:plain})")
	MoreMissing = table.Register("more-missing", "column {column}: {share} of the cells are missing, compared "+
		"with {0:plain} in the training rows")
)
