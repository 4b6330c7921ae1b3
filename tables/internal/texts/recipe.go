package texts

import "github.com/mpcvm/mpcvm/tables/table"

// Errors of package recipe. Texts are the kind that is expected, and the cell.
var (
	WrongKind = table.Register("wrong-kind", "a {0:plain} is expected "+
		"(use {!Missing 1} for a missing value, {!Kinds column=category} for a category)")
	LimitCell = table.Register("limit-cell", "a {0:plain} is expected, but this "+
		"is a limit ({!Limits half} uses half of the limit, {!Limits missing} treats it as missing)")
	WrongLabel = table.Register("wrong-label", "a {0:plain} is expected as a "+
		"label (use {!Missing 1} for a missing value, {!Kinds column=category} if the labels are text)")
	WrongCell = table.Register("wrong-cell", "a {0:plain} is expected "+
		"(use {!Missing 1} for a missing value)")
	// The first text is another cell.
	Contradicted = table.Register("contradicted", "other cells of the column, such as {0}, do not fit the "+
		"reading of the training rows, so this one may mean something else (write the column as in the training "+
		"rows)")
	WrongValue   = table.Register("wrong-value", "a {0:plain} is expected, not {1}")
	MissingValue = table.Register("missing-value",
		"empty cell (missing value), and the model does not impute missing values")
	LackedColumns = table.Register("lacked-columns",
		"the table lacks columns of the model: {columns}; it has {texts}")
	UnknownColumn = table.Register("unknown-column", "no such column; there are {texts}")
	NotClasses    = table.Register("not-classes",
		"the column cannot be used as classes: {cause}; choose another column as the target")
)
