package table

// Options control how tables.Open reads a file. Empty fields are detected.
type Options struct {
	// Separator separates the cells of a text file: "comma", "semicolon", "tab", "pipe", "blanks" (any number of
	// blanks) or a single character.
	Separator string
	// Quote is `"`, `'` or "none".
	Quote string
	// Escape is "doubled", "backslash" or "none".
	Escape string
	// Decimal is the decimal mark, "." or ",".
	Decimal string
	// Thousands is ",", ".", "'", "space" or "none".
	Thousands string
	// Encoding is "utf-8", "utf-16le", "utf-16be", "latin-1" (which is read as Windows-1252) or another
	// name that the web or IANA uses, such as "gbk", "shift_jis", "windows-1251" or "macintosh". If it is
	// empty, the encoding is detected, and a note is added if it had to be guessed. Invalid bytes become
	// U+FFFD; a note gives the first line that contains one.
	Encoding string
	// Header is "yes" or "none".
	Header string
	// Comment is the prefix of comment lines, or "none".
	Comment string
	// Skip is the number of lines before the table.
	Skip int
	// Ragged controls how a record with more or fewer cells than the header is read: "drop" skips it, and
	// "pad" fills it with missing values or truncates it. If it is empty, such a record is an error, except
	// that up to three short records at the end are skipped as a footer.
	Ragged string
	// Lenient is for inspecting a file. If it is set, an ambiguous text file is not an error, an empty Ragged
	// means "pad", and a table may have no rows. Notes report each of these cases.
	Lenient bool
	// Sheet is the name of a sheet of an .xlsx file. If it is empty, Open reads the first sheet with at
	// least three rows and two columns, and a note lists the sheets. It must be empty for other files.
	Sheet string
	// Missing lists additional strings that mean a missing value. A number such as -999 also matches -999.0, and
	// a date such as 9999-12-31 also matches 31.12.9999. An empty cell is always missing, as are NA, n.a., ?, .,
	// NaN, null and \N, in any case. The prefix not: keeps a text as a value, as in not:NA for a region.
	Missing []string
	// Limits controls how a cell such as <0.5 or >100 is read in a column of numbers: "half" reads them as
	// 0.25 and 100, "limit" as 0.5 and 100, and "missing" as missing values. If it is empty, such a cell
	// is a fault of its column; see [Fault].
	Limits string
	// Kinds sets the kinds of columns by name.
	Kinds map[string]Kind
	// Like lists columns that the file is expected to have, such as the columns of a recipe
	// (recipe.Recipe.Like). A column with the same name gets the same kind, the same unit if it has numbers,
	// and the same layout if it has dates. A boolean may get another kind. Kinds and ID take precedence.
	Like []Column
	// Drop names the columns to leave out, and ID the columns that identify a row.
	Drop, ID []string
	// Group and Time are the names of the columns that determine the folds of a cross-validation; see
	// [Table]. They are not used as features unless Kinds names them.
	Group, Time string
	// Weight is the name of the column with the weights of the rows; see [Table]. It is not used as a
	// feature unless Kinds names it.
	Weight string
}
