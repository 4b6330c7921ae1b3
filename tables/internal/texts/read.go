// Package texts has the sentences for the findings of all packages of tables, each with its code. The files
// are named after the packages. An option in a sentence is written as {!Name value}, and the front end spells
// it; see table.Register.
package texts

import (
	"github.com/mpcvm/mpcvm/tables/table"
)

// Parts of the sentences about cells.
const (
	someCells = "column {column}: {n:cell} ({n?|the first }{0} in {place}) {n?is|are} "
	readAs    = "; the first is read as {1:plain}: use {!Missing 0} if that means missing"
	orText    = ", or {!Kinds column=category}"
	noFormat  = "unsupported file format: this is "
)

// Options with values that do not fit.
var (
	InvalidValue     = table.Register("invalid-value", "{option}: want one of {texts}")
	InvalidSeparator = table.Register("invalid-separator",
		"{option}: want {texts} or one character except letters, digits, quotes and backslash")
	InvalidEncoding = table.Register("invalid-encoding", "{option}: want utf-8, utf-16le, utf-16be, latin-1 or "+
		"a name such as gbk, big5, shift_jis, euc-kr, windows-1251, koi8-r or macintosh")
	InvalidComment = table.Register("invalid-comment",
		"{option}: want the prefix of the comment lines, such as #, or none")
	InvalidSkip   = table.Register("invalid-skip", "{option}: want the number of lines before the table")
	EqualMarks    = table.Register("equal-marks", "{option}: it is also the decimal mark")
	SheetOfText   = table.Register("sheet-of-text", "{option} is for .xlsx files only; leave it out")
	NoSuchSheet   = table.Register("no-such-sheet", "{option}: no such sheet; the file has {texts}")
	ColumnDropped = table.Register("column-dropped", "{option} names a column that {!Drop} leaves out")
	NotBoolean    = table.Register("not-boolean",
		"{!Kinds column=boolean}: the column has neither two different texts nor the numbers 0 and 1")
)

// Files that are not tables, damaged or too large.
var (
	SaveAs  = table.Register("save-as", noFormat+"{0:plain}; save it as {1:plain}")
	Unpack  = table.Register("unpack", noFormat+"{0:plain}; unpack it first")
	WebPage = table.Register("web-page", noFormat+"HTML or XML, perhaps an error page instead of the file")
	NotText = table.Register("not-text", noFormat+"neither a table nor text")
	NoExcel = table.Register("no-excel", noFormat+"an Excel file, which this program cannot read; save it as "+
		"CSV")

	CutGzip     = table.Register("cut-gzip", "the gzip file is truncated: copy or download it again")
	DamagedGzip = table.Register("damaged-gzip", "the gzip file is damaged: copy or download it again")

	LargePipe = table.Register("large-pipe",
		"exceeds the limit of {n} MiB for input that is not a file: save it to a file first")
	LargeUnpacked = table.Register("large-unpacked",
		"the file expands to more than {n} times its size; if this is intended, decompress it or save it as CSV "+
			"first")
	LargeBook = table.Register("large-book",
		"more than {n} shared strings in an Excel file; if this is intended, save it as CSV")
	LargeMerges = table.Register("large-merges", "sheet {0} has more than {n} merged ranges; save it as CSV")
	LargeSparse = table.Register("large-sparse", "{n:row} with features up to {of}; they become dense columns, "+
		"with a maximum of {0:plain} columns and {1:plain} cells")
	NoMemory = table.Register("no-memory", "more than {n:row} need {0:plain} MiB of memory, and {1:plain} "+
		"MiB are available: take fewer rows, or leave columns out with {!Drop}")
	TooManyTexts = table.Register("too-many-texts", "more than {n} different texts")
	LongLine     = table.Register("long-line", "{place} has more than {n} MiB")
	LongRecord   = table.Register("long-record",
		"a record of more than {n} MiB starts here; a quote in it may be unclosed"+openQuote)
	OpenQuote = table.Register("open-quote", "a quote in the record that starts here is never closed"+openQuote)
)

const openQuote = " (use {!Quote none} if quotes are ordinary characters)"

// How a text is written.
var (
	AmbiguousSeparator = table.Register("ambiguous-separator", choose+"{!Separator 0} or {!Separator 1}")
	AmbiguousDecimal   = table.Register("ambiguous-decimal",
		choose+"{!Decimal 0} ({2:plain} is {3:plain}) or {!Decimal 1} ({2:plain} is {4:plain})")
	AmbiguousHeader = table.Register("ambiguous-header",
		choose+"{!Header 0} (the first record has the names of the columns) or {!Header 1} (it is data)")
	EncodingUnlikely = table.Register("encoding-unlikely", "the text is read as {0:plain}, but its characters "+
		"look like {1:plain}: use {option}, or {!Encoding latin-1} to confirm")
	EncodingOfTwo = table.Register("encoding-of-two",
		"the encoding {0:plain} is a guess; it could also be {1:plain}: {option}")
	EncodingGuessed = table.Register("encoding-guessed",
		"the encoding {0:plain} is a guess: set {!Encoding} if it is wrong")
	InvalidBytes = table.Register("invalid-bytes",
		"{n:byte} {n?is|are} invalid in {0:plain} (first in {place}) "+
			"and replaced by U+FFFD (use {!Encoding latin-1} if the text is in Latin-1)")
	NoHeader = table.Register("no-header", "no header found; the columns are named x1{n?|, x2 and so on}: use "+
		"{!Header yes} if the first row contains their names")
	NoName    = table.Register("no-name", "column {n} has no name and is named {column}")
	NameTwice = table.Register("name-twice", "the name {0} is used twice; column {n} is named {column}")
	UnitsRow  = table.Register("units-row", "{place} is skipped because it seems to contain units or types "+
		"({0:plain}): {option} if the table begins in {place}")
	SkippedHeadings = table.Register("skipped-headings",
		"{n:line} below the header skipped: units, types or a repeated header")
	RepeatedHeader = table.Register("repeated-header",
		"{n:line} {n?repeats|repeat} the header and {n?is|are} skipped ({n?|the first is }{place})")
	Footer = table.Register("footer",
		"{n:line} from {place} on {n?has|have} too few cells and {n?is|are} skipped as a footer")
	Ragged = table.Register("ragged", "wrong number of cells: {n}, but the first record has {of} (read as "+
		"{0:plain}): {!Separator}, {!Quote}, {!Skip} or {!Comment} may help, or {!Ragged drop} or {!Ragged pad}")
	RaggedRow    = table.Register("ragged-row", "wrong number of cells: {n}, but there are {of:column}")
	RaggedPadded = table.Register("ragged-padded", uneven+
		"padded with missing values or truncated: {!Ragged drop} skips them")
	RaggedDropped = table.Register("ragged-dropped", uneven+"skipped")
)

const (
	choose = "two readings are equally good; choose with "
	uneven = "{n:record} {n?has|have} more or fewer cells than the header, the first in {place}; they are "
)

// Lines of ARFF and LIBSVM files.
var (
	NoData        = table.Register("no-data", noFormat+"an ARFF file without a @data line")
	NoAttribute   = table.Register("no-attribute", "no @attribute line before @data")
	NotAttribute  = table.Register("not-attribute", "want @attribute or @data")
	AttributeOpen = table.Register("attribute-open", "@attribute needs a name and a type")
	AttributeType = table.Register("attribute-type", "attribute {0} has the unsupported type {1}; supported: "+
		"numeric, integer, real, string, date, levels in braces")
	AttributeDate  = table.Register("attribute-date", "unsupported {0} in the date format {1}")
	AttributeIndex = table.Register("attribute-index", "want the index of an attribute, 0 to {n}")
	OpenBrace      = table.Register("open-brace", "no closing brace")
	OpenString     = table.Register("open-string", "unclosed quote")
	NoComma        = table.Register("no-comma", "want a comma after the quote")
	NotALevel      = table.Register("not-a-level", "not a level of the attribute")
	NotInLayout    = table.Register("not-in-layout", "not a date in the format of the attribute")
	WeightsIgnored = table.Register("weights-ignored", "the weights of {n:row} are ignored")
	SparseField    = table.Register("sparse-field", "LIBSVM: want NUMBER:VALUE with a number as the value")
	SparseOrder    = table.Register("sparse-order",
		"LIBSVM: the features of a row must be in ascending order")
)

// Sheets and Parquet files.
var (
	SheetChosen = table.Register("sheet-chosen",
		"sheet {0} is read, the first of {n} that looks like a table ({texts}): {!Sheet} selects another")
	TableBelow = table.Register("table-below",
		"the table begins in {place} of the sheet, as with {option}: set it if that is wrong")
	MergedCells = table.Register("merged-cells",
		"{n:blank} of merged cells {n?is|are} filled with the value of the top left cell")
	OutsideCells = table.Register("outside-cells",
		"{n:cell} outside the table ({n?|the first }{0} in {place} of the sheet) "+
			"{n?is|are} ignored: a column needs a name to be read")
	OutsideTable = table.Register("outside-table",
		"{n:cell} from here on {n?is|are} outside the table, which spans "+
			"columns {0:plain} to {1:plain} of sheet {2}")
	SkippedNested = table.Register("skipped-nested", "column {column} is skipped because it is nested")
	SkippedList   = table.Register("skipped-list", "column {column} is skipped because it is a list")
	SkippedType   = table.Register("skipped-type",
		"column {column} is skipped because its type {0:plain} is not supported")
)

// Kinds of columns.
var (
	ReadAsCodes = table.Register("read-as-codes", "column {column}: the cells are codes, because {n:cell} "+
		"({n?|the first }{0} in {place}) {n?looks|look} like codes: use {!Kinds column=number} if they are numbers")
	SeveralUnits = table.Register("several-units", "column {column}: numbers with different units are not used "+
		"as a feature ({texts}): write them in one unit, or use {!Kinds column=category}")
	UnclearNumbers = table.Register("unclear-numbers",
		"column {column}: cells such as {0} in {place} look like "+
			"numbers, but their notation is ambiguous, so the column is not used as a feature: write them as 1234.5"+orText)
	NearlyID = table.Register("nearly-id", "column {column} looks like an id, but {0} in {place} repeats "+
		"an earlier cell, so it is a feature: use {!ID column} if it identifies the rows")
	NearlyIDMissing = table.Register("nearly-id-missing", "column {column} looks like an id, but the cell in "+
		"{place} is missing, so it is a feature: use {!ID column} if it identifies the rows")
	NearlyBoolean = table.Register("nearly-boolean", someCells+
		"neither 0 nor 1, so the column is not a boolean: use {!Missing 0} if that means missing")
	MissingLevel = table.Register("missing-level", "column {column}: {n:cell} {0} (the first in {place}) "+
		"{n?is|are} read as missing, but the other values look alike: {rest}; if {0} is a value such as a "+
		"region or a country, use {!Missing not:NA}")
	SpellingsOfTruth = table.Register("spellings-of-truth",
		"column {column} has {n} spellings of its two values, which are read as {0} and {1}")
	ClockTimes = table.Register("clock-times",
		"column {column}: times such as 12:28 or 6:28 PM are read as numbers in the smaller unit, here 748 and "+
			"1108, and numbers without a colon as they are")
	UnitOfMost = table.Register("unit-of-most",
		"column {column}: the numbers are in {0:plain}; {n} without a unit are read as {0:plain}")
	UnitDropped = table.Register("unit-dropped",
		"column {column}: the numbers are in {0:plain}; the unit is dropped except in class names")
	DayFirst    = table.Register("day-first", dayOrMonth+"the day is assumed to come first")
	MonthFirst  = table.Register("month-first", dayOrMonth+"the month is assumed to come first")
	MonthOfYear = table.Register("month-of-year", "column {column}: cells such as {0} are read as the first "+
		"day of a month: use {!Kinds column=category} if they are not, since spreadsheets turn 1-20 into Jan-20")
	SpreadsheetDates = table.Register("spreadsheet-dates", "column {column}: {n:cell} ({n?|the first }{0} in "+
		"{place}) {n?looks like a date|look like dates} among ranges such as {1}. If a spreadsheet has changed "+
		"{n?it|them}, correct the file")
	SeveralLayouts = table.Register("several-layouts",
		"column {column}: the dates are written in {n} formats: {texts}")
	PartlyDates = table.Register("partly-dates",
		"column {column}: {n:cell} of {of} {n?is not a date|are not dates} "+
			"(the first is {0} in {place}), so the column is not read as dates: use a single format such as "+
			"2006-01-02, or {!Kinds column=date}")
)

const dayOrMonth = "column {column}: days and months cannot be told apart in dates such as {0}; "

// Weights of the rows. The text is their mean.
var (
	MeanWeight = table.Register("mean-weight",
		"the mean weight in column {column} is {0:plain}, so a row counts "+
			"as that many cases on average; if it does not stand for that many, divide the weights by their mean")
	WeightsScaled = table.Register("weights-scaled",
		"the mean weight in column {column} is {0:plain}: the weights "+
			"are divided by it, so that a row counts as one case on average")
)

// Cells of a column.
var (
	LimitsRead      = table.Register("limits-read", someCells+"{n?a limit|limits}: {option}")
	WrittenLikeCode = table.Register("written-like-code",
		someCells+"written like {n?a code|codes}"+readAs+orText)
	UnitOfFew = table.Register("unit-of-few", "column {column}: {n:cell} ({n?|the first }{0} in {place}) "+
		"{n?has|have} a unit, though the others have none"+readAs)
	ReadAsNumber = table.Register("read-as-number",
		"column {column}: cells such as {0} are read as numbers, here {1:plain}: use {!Kinds column=category} "+
			"if they are not")
	OddCharacters = table.Register("odd-characters",
		"column {column}: {n:cell} ({n?|the first }{0} in {place}) "+
			"{n?has|have} invisible or ambiguous characters; the first is read as {1}")
)

// Findings about JSON Lines.
var (
	NotObject = table.Register("not-object",
		"{place}: not an object of JSON with a value for each column: {cause}")
	LateKey = table.Register("late-key", "key {column} in {place} is ignored, as are other keys that the first "+
		"{n:row} lack: save the input to a file to read all keys")
	NotValue = table.Register("not-value",
		"{place}, column {column}: want a number, a string, true, false, null, or a list or an object of these")
	TwoValues = table.Register("two-values", "{place}: the object has two values for column {column}")
)
