package texts

import "github.com/mpcvm/mpcvm/tables/table"

// Findings about JSON Lines.
var (
	NotObject = table.Register("not-object",
		"{place}: not an object of JSON with a value for each column: {cause}")
	LateKey = table.Register("late-key", "key {column} in {place} is ignored, as are other keys that the first "+
		"{n:row} lack: save the input to a file to read all keys")
	NotValue = table.Register("not-value",
		"{place}, column {column}: want a number, a string, true, false, null, or a list or an object of these")
)
