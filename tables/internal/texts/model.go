package texts

import "github.com/mpcvm/mpcvm/tables/table"

// Findings of tables.Train.
var (
	UnknownClass = table.Register("not-a-class", "{option}: unknown class; the classes are {texts}")
	ClassWeight  = table.Register("class-weight",
		"{option}: the weight of {0} must be a number above 0, such as 5")
	NoModelInTime = table.Register("no-model-in-time", "no model was found in the time of {option}")
)
