package texts

import "github.com/mpcvm/mpcvm/tables/table"

// Notes of package look.
var (
	NoTarget = table.Register("no-target", "The class column could not be determined; choose the target.")
	SomeRows = table.Register("some-rows", "Quartiles, distinct values, histograms and duplicates are computed "+
		"from {n:row} drawn at random.")
	ManyClasses = table.Register("many-classes",
		"There are more than {n} classes, so columns are not compared with the classes.")
	RaggedRows = table.Register("ragged-rows", "Some records have more or fewer cells than the header; a fit "+
		"requires {!Ragged pad}, which pads or truncates them as here, or {!Ragged drop}.")
)

// Warnings about a table and its classes.
var (
	NoRows     = table.Register("no-rows", "The table has no rows. Is the file complete?")
	NoFeatures = table.Register("no-features", "No column can be used as a feature. Use {!Kinds} to make a "+
		"feature from an id or a free text, or collect numbers, categories or dates.")
	Refused = table.Register("refused", "Column {column} cannot be used as classes: {cause}. Choose another "+
		"column as the target, or convert numbers into groups first, such as low and high.")
	Unlabelled = table.Register("unlabelled", "{n:row} ({share}) {n?has|have} no class in column {column}. "+
		"{n?It is|They are} not used for training. If NA is a class, use {!Missing not:NA}; if an empty cell is one, "+
		"write its name into the file.")
	// Texts are names that follow each other in groups.
	Alike = table.Register("alike", "Some values of column {column} differ only in case or blanks: {texts}. "+
		"They are treated as different; if they are the same, correct the file.")
	NamedMissing = table.Register("named-missing",
		"{n:class} of column {column} {n?has a name|have names} that "+
			"{n?suggests|suggest} a missing value: {texts}. If so, use {!Missing texts} to skip these rows.")
	// Of is the number of rows that is enough.
	Few = table.Register("few", "{n:class} of column {column} {n?has|have} fewer than {of:row}: {texts} "+
		"(the first in {place}). If this is a mistake, correct the file, or use {!Missing texts} to skip the "+
		"rows; merge classes that belong together. Cross-validation needs some rows of each class in each fold.")
	// Texts are the largest class, the smallest one, and the share of the rows that are not of the largest.
	Imbalance = table.Register("imbalance", "Class {0} of column {column} has {of:row}, class {1} only "+
		"{n}. Evaluate a model by recall and AUC: always predicting {0} has an error of {2:plain}. Use "+
		"{!Costs} to give errors on rare classes more weight.")
	Spelling = table.Register("spelling", "Different spellings of a number are the same class of column "+
		"{column}: {texts}. If they are different classes, use {!Kinds column=category}.")
	// Texts are the smallest and the largest class.
	Order = table.Register("order", "The classes of column {column} are numbers from {0:plain} to "+
		"{1:plain} whose order seems to matter. Classification ignores the order: a prediction that is wrong by "+
		"1 counts as much as any other error. Use a regression instead, or join the numbers into groups such as "+
		"low and high.")
	RepeatedID = table.Register("repeated-id", "Rows with the same id in {columns} are kept together in the "+
		"folds of a cross-validation ({n:group} in {of:row}), so the figures apply to new ids. If these rows do "+
		"not belong together, use {!Drop columns} instead of {!ID}.")
	IDOverTime = table.Register("id-over-time",
		"The folds are split by the time in column {0}, so rows with the "+
			"same id in {columns} may be in both the training set and the test set. If new rows will have new ids, "+
			"use {!Group} instead of {!Time}.")
	Duplicates = table.Register("duplicates",
		"{n} of {of:row} {n?repeats|repeat} an earlier row in all features "+
			"and the class ({place} repeats row {0:plain}). If they are copies, remove them: a copy of a training "+
			"row in the test set makes the figures optimistic.")
	NearCopies = table.Register("near-copies", "{n} of {of:row} are nearly equal to another row of their class "+
		"in all features, such as rows {0:plain} and {1:plain}. If they are copies with noise, such as replicates "+
		"or oversampled rows, keep one of each: a fold contains all of them where possible, but a model counts "+
		"each of them.")
	Conflicts = table.Register("conflicts",
		"{n} of {of:row} equal a row of another class in all features, such "+
			"as rows {0:plain} and {1:plain}. Check their classes; no model can tell them apart.")
	Rows = table.Register("rows", "The table has {n:row}, and the cost of training is quadratic in the "+
		"number of rows. With more than {of:row}, learners use a subset of the rows as candidates unless "+
		"{!Candidates all} is set.")
	Wide = table.Register("wide", "The columns make {n:feature}, more than the {of:row}. Some features "+
		"will match the classes by chance: rely only on cross-validated figures, and exclude irrelevant columns "+
		"with {!Drop}.")
)

// Warnings about cells. Texts are cells, and the position is where the first one is.
var (
	Limits = table.Register("limits", "{n:cell} of column {column} {n?gives|give} only an upper or lower "+
		"limit, the first {0} in {place}. Use {!Limits half} to read an upper limit as half of it and a lower "+
		"limit as the limit, {!Limits limit} to use the limits, or {!Limits missing}.")
	Faults = table.Register("faults", "{n:cell} of column {column} cannot be read like the others, the "+
		"first {0} in {place}. Use {!Missing texts} if {n?it stands|they stand} for a missing value, or {!Kinds "+
		"column=category}.")
	Sentinel = table.Register("sentinel", "Column {column} has the value {0:plain} in {n:row}, far from all "+
		"others. If it stands for a missing value, use {!Missing 0}.")
	Outlier = table.Register("outlier", "Column {column} has the value {0:plain} in {place}, whose "+
		"distance from the others is more than a thousand times their range. After scaling, the others are "+
		"nearly equal. If it is a mistake or stands for a missing value, use {!Missing 0}.")
	OddCells = table.Register("odd-cells", "Column {column} is a category instead of a boolean because of "+
		"{n:cell}: {texts}, the first in {place}. Correct the file, or use {!Missing texts} if "+
		"{n?it stands|they stand} for missing values.")
)

// Columns of a study that are not properties of a case.
var (
	// Texts are the columns.
	RowWeights = table.Register("row-weights", "{columns?Column|Columns} {columns} {columns?seems|seem} to "+
		"contain weights of the rows. Use {!Weight 0}, or exclude {columns?it|them} with {!Drop columns}; as "+
		"{columns?a feature, it is|features, they are} not known for new rows.")
	Split = table.Register("split", "{columns?Column|Columns} {columns} {columns?divides|divide} the rows into "+
		"training and test rows or folds, which is not a property of a case. Exclude {columns?it|them} with "+
		"{!Drop columns}.")
	Predicted = table.Register("predicted", "{columns?Column|Columns} {columns} {columns?seems|seem} to "+
		"contain the predictions of a model, which a new model would only repeat. Exclude {columns?it|them} "+
		"with {!Drop columns}.")
	Counter = table.Register("counter", "{columns?Column|Columns} {columns} {columns?counts|count} the "+
		"rows of each class from the first to the last, so large numbers occur only in large classes. A new row "+
		"has no such number: exclude {columns?it|them} with {!Drop columns}.")
	Indicator = table.Register("indicator", "{columns?Column|Columns} {columns} {columns?marks|mark} the "+
		"rows of a class, like a table with one column per class. Exclude {columns?it|them} with {!Drop "+
		"columns}; if the target is one of these columns, write the classes into a single column first.")
	OwnOutput = table.Register("own-output", "The table looks like the output of a prediction: each row "+
		"has either a value in column {column} or one in {columns}. If {column} was predicted, a model trained "+
		"on it learns to repeat the predictions. Use a table with known classes.")
)

// Warnings about columns.
var (
	// N of Of rows is the lowest share of the columns.
	Leak = table.Register("leak", "{columns?Column|Each of the columns} {columns} alone predicts the class of "+
		"{columns?|at least }{n} of {of:row} that have a value. If the value is not known before the class, "+
		"exclude the {columns?column|columns} with {!Drop columns}.")
	Groups = table.Register("groups", "The values of column {column} may be groups, such as patients. If rows "+
		"with the same value belong together, use {!Group column}.")
	Group = table.Register("group", "The values of column {column} may be groups, such as patients: there are "+
		"{n:value} in {of:row}. If rows with the same value belong together, use {!Group column}; otherwise the "+
		"figures are too good for rows of new groups.")
	// Texts are the class with N of Of rows, and the share of the other rows.
	Filled = table.Register("filled", "Whether column {column} has a value depends on the class: it has one in "+
		"{n} of {of:row} of class {0}, and in {1:plain} of the other rows. If the column is filled in depending "+
		"on the class, exclude it with {!Drop column}.")
	ID = table.Register("id", "{columns?Column|Columns} {columns} {columns?has|have} a different value in each "+
		"row, like an id. If {columns?it only identifies|they only identify} a row, use {!ID columns}.")
	// Texts are pairs of a column and its kind.
	DroppedID = table.Register("dropped-id",
		"{columns?Column|Columns} {columns} {columns?is|are} taken for "+
			"{columns?an id|ids} and not used as {columns?a feature|features}. To use {columns?it|the first}, set {!Kinds 0}.")
	FreeText = table.Register("text", "{columns?Column|Columns} {columns} {columns?has|have} free text and "+
		"{columns?is|are} not used as {columns?a feature|features}. If the texts repeat, use "+
		"{!Kinds 0=category}.")
	Empty = table.Register("empty", "{columns?Column|Columns} {columns} {columns?has|have} no value and "+
		"{columns?is|are} not used as {columns?a feature|features}. Exclude {columns?it|them} with "+
		"{!Drop columns}.")
	Constant = table.Register("constant", "{columns?Column|Columns} {columns} {columns?has|have} only one "+
		"value, which is not informative. Exclude {columns?it|them} with {!Drop columns}.")
	Dates = table.Register("date", "{columns?Column|Columns} {columns} {columns?has|have} dates, which are "+
		"features as seconds since 1970. New rows lie beyond the range of the training rows. If the season or the "+
		"weekday matters, add a column for the month or the weekday to the file, and leave the dates out with "+
		"{!Drop columns}.")
	Levels = table.Register("levels", "{columns?Column|Columns} {columns} {columns?has|have} more than {n} "+
		"levels. The {n} most frequent become features and the rest \"other\"; join levels that mean the same, "+
		"or use {!Drop columns}.")
	// Texts are columns to exclude.
	Collinear = table.Register("collinear", "{n:pair} of the columns {columns} {n?is|are} almost perfectly "+
		"correlated, computed from {of:row}. Exclude one of each pair, for example with {!Drop texts}.")
)
