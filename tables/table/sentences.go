package table

// NoSuchColumn is the code of an option that names a column that the table lacks.
var NoSuchColumn = Register("no-such-column", "{option}: no such column; there are {columns}")

// The findings of this package and their sentences. Package texts has the sentences of other packages.
var (
	unknownKind = Register("unknown-kind", "unknown kind of column {value}; want one of {texts}")

	noTarget      = Register("no-such-target", "no column {value} for the classes; there are {columns}")
	targetUnknown = Register("target-unknown",
		"the class column could not be determined: name the target; the columns are {columns}")
	targetByName    = Register("target-by-name", "its name")
	targetOfTexts   = Register("target-of-texts", "it is the last column and contains text")
	targetOfTwo     = Register("target-of-two", "it is the last column and has two values")
	targetOfNumbers = Register("target-of-numbers", "it is the last column and has {n} distinct values")

	// Reasons why a column cannot be used as classes.
	classesMissing    = Register("classes-missing", "it has no value in any usable row")
	classesAreOne     = Register("classes-are-one", "it has only one value")
	classesAreDates   = Register("classes-are-dates", "it has dates, which need regression")
	classesAreNumbers = Register("classes-are-numbers",
		"it has continuous numbers ({n:different value} in {of:row}), which need regression")
	classesAreIDs = Register("classes-are-ids",
		"it has {n:different value} in {of:row}, so it seems to identify the rows")

	noClass = Register("no-such-class", "no class {value}; there are {texts}")

	splitByGroup = Register("split-by-group", "by column {column}: {n:value} in {of:row}")
	splitByID    = Register("split-by-id",
		"by the id in {columns?column|columns} {columns}, which repeats: {n:value} in {of:row}")
	splitByTime = Register("split-by-time",
		"by the time in column {column}: a model learns from earlier rows and predicts later ones")
	timeOfKind = Register("time-of-kind",
		"a time needs numbers or dates, and {0} is neither; add a column of dates such as 2019-01-31, or of numbers "+
			"in the order of time")
	noTime       = Register("no-time", "the row has no time: fill it in or remove the row")
	weightOfKind = Register("weight-of-kind", "weights need numbers, not a {0:plain}")
	noWeight     = Register("no-weight", "the row has no valid weight: use a number, or 0 to skip the row")
)
