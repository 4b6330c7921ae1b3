package texts

import "github.com/mpcvm/mpcvm/tables/table"

// Findings of package predict, and of tables.Score about the columns of a file.
var (
	UnlikeRows = table.Register("unlike-rows", "{n} of {of} rows {n?is|are} unlike all training rows (first: "+
		"{place}); about 1 % of rows from the same distribution would be")
	NoUsableRows = table.Register("no-usable-rows", "no usable rows ({n} read); the first error: {cause}")

	LackingColumns = table.Register("lacking-columns",
		"the table lacks columns of the model: {columns}; it has {texts}")
	LackingKept  = table.Register("lacking-kept", "columns to keep not found: {columns}; it has {texts}")
	RenamedTwice = table.Register("renamed-twice",
		"two columns of the model would be read from column {column} of the file")
	RenamedAbsent = table.Register("renamed-absent", "column {column} is both renamed and declared missing")
	AbsentPresent = table.Register("absent-present", "column {column} is declared missing, but the file has it")
	NotOfModel    = table.Register("not-of-model", "the model has no column {column}; it has {texts}")
)
