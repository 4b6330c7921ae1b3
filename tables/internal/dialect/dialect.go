// Package dialect detects the format of a delimited text and splits it into records and cells.
//
// [Detect] examines the first bytes of a text and returns its [Dialect]: encoding, separator, quote,
// decimal mark, header and lines before the table. A [Reader] returns the cells of the records in UTF-8.
//
// # Detecting the separator and the quote
//
// The method is based on García, "Detecting CSV file dialects by table uniformity measurement and data type
// inference", Data Science 7(2), 2024, doi 10.3233/DS-240062. The sample is split with each candidate. The
// score of a candidate is the product of two factors: how consistent the number of cells per record is, and
// the share of cells with a recognized type, such as numbers, dates and words. This package differs from
// the paper in three points:
//
//   - Consistency is measured between neighbouring records as well as with the most frequent width, so
//     that titles, footers and several tables in one text have little effect.
//   - A cell that contains another separator or unbalanced brackets or quotes counts against the candidate.
//   - A quote that opens or closes within a cell counts against the candidate's quote.
package dialect

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Dialect describes the format of a text.
type Dialect struct {
	Separator rune   // between cells; ' ' means runs of blanks and tabs
	Quote     rune   // '"', '\'', or 0 if quotes are text
	Escape    rune   // Quote if quotes within quotes are doubled, '\\', or 0
	Decimal   rune   // '.' or ','
	Thousands rune   // '.', ',', '\'', ' ' (including no-break spaces), or 0 for none
	Encoding  string // "utf-8", "latin-1", which is read as Windows-1252, or a name such as "gbk"
	LineEnd   string // "lf", "crlf" or "cr"
	Header    bool   // whether the first record contains the column names
	RowNames  bool   // whether the first column contains row names, as written by R
	Trailing  bool   // whether records end with a separator; [Reader] drops the empty cell after it
	Comment   string // prefix of comment lines; empty if there are none
	Skip      int    // number of lines before the table
	Below     int    // number of records with units or types below the header
	Wrapped   bool   // whether each line is quoted as a whole; [Reader] removes these quotes

	late    bool   // the sample is ASCII; the encoding is detected later
	guessed bool   // the encoding is guessed from the characters
	second  string // another plausible encoding, or ""
	cells   int
}

// Cells returns the most frequent number of cells per record in the sample.
func (d Dialect) Cells() int { return d.cells }

var separatorNames = map[rune]string{',': "comma", ';': "semicolon", '\t': "tab", '|': "pipe", ' ': "blanks"}

var thousandsNames = map[rune]string{',': "comma", '.': "point", '\'': "apostrophe", ' ': "space"}

var encodingNames = map[string]string{
	"utf-16le": "UTF-16 (little-endian)", "utf-16be": "UTF-16 (big-endian)", "latin-1": "Latin-1",
	"utf-8": "UTF-8", "gbk": "GBK", "gb18030": "GB18030", "big5": "Big5", "shift_jis": "Shift JIS",
	"euc-jp": "EUC-JP", "euc-kr": "EUC-KR", "koi8-r": "KOI8-R", "windows-1250": "Windows-1250",
	"windows-1251": "Windows-1251", "windows-1253": "Windows-1253", "windows-1254": "Windows-1254",
	"windows-1255": "Windows-1255", "windows-1256": "Windows-1256", "windows-1257": "Windows-1257",
	"macintosh": "Mac Roman",
}

// String describes the separator and everything that differs from plain CSV, for example "semicolon,
// decimal comma, Latin-1".
func (d Dialect) String() string {
	name := separatorNames[d.Separator]
	if name == "" {
		name = strconv.QuoteRune(d.Separator)
	}
	parts := []string{name}
	add := func(differs bool, text string) {
		if differs {
			parts = append(parts, text)
		}
	}
	add(d.Quote == '\'', "single quotes")
	add(d.Quote == 0, "no quotes")
	add(d.Escape == '\\', "backslash escapes")
	add(d.Decimal == ',', "decimal comma")
	add(d.Thousands != 0, "thousands "+thousandsNames[d.Thousands])
	add(d.Encoding != "utf-8" && d.Encoding != "", Displayed(d.Encoding))
	add(d.LineEnd == "cr", "CR line ends")
	add(!d.Header, "no header")
	add(d.RowNames, "row names")
	add(d.Trailing, "trailing separators")
	add(d.Comment != "", "comments after "+d.Comment)
	add(d.Wrapped, "each line in quotes")
	add(d.Below > 0, "units or types below the header")
	add(d.Skip == 1, "1 line skipped")
	add(d.Skip > 1, fmt.Sprintf("%d lines skipped", d.Skip))
	return strings.Join(parts, ", ")
}

// Number parses a number with the decimal and thousands marks of d. Surrounding blanks are ignored. Percent
// signs, currencies, underscores, hexadecimal digits, inf and nan are not accepted, nor are numbers beyond
// the range of float64.
func (d Dialect) Number(text string) (v float64, ok bool) {
	text = strings.TrimSpace(text)
	var array [64]byte
	plain := array[:0]
	digits, group := 0, -1 // of the mantissa; since the last thousands mark, −1 without one
	const integer, fraction, exponent = 0, 1, 2
	part := integer
	for i, r := range text {
		switch {
		case '0' <= r && r <= '9':
			plain = append(plain, byte(r))
			if part != exponent {
				digits++
			}
			if part == integer && group >= 0 {
				group++
			}
			continue
		case r == '+' || r == '-':
			if i > 0 && text[i-1]|0x20 != 'e' {
				return 0, false
			}
		case part == integer && (r == d.Decimal || r == '.' && d.Decimal == 0):
			part, r = fraction, '.'
		case part == integer && d.isThousands(r):
			if digits == 0 || group < 0 && digits > 3 || group >= 0 && group != 3 {
				return 0, false
			}
			group = 0
			continue
		case (r == 'e' || r == 'E') && part != exponent && digits > 0:
			part = exponent
		default:
			return 0, false
		}
		if group >= 0 && group != 3 {
			return 0, false
		}
		plain = append(plain, byte(r))
	}
	if digits == 0 || part == integer && group >= 0 && group != 3 {
		return 0, false
	}
	v, err := strconv.ParseFloat(string(plain), 64)
	return v, err == nil
}

func (d Dialect) isThousands(r rune) bool {
	return d.Thousands != 0 && (r == d.Thousands || d.Thousands == ' ' &&
		(r == '\u00a0' || r == '\u202f' || r == '\u2009'))
}

// Options override the detection. Fields that are empty or 0 are detected.
type Options struct {
	Separator string // "comma", "semicolon", "tab", "pipe", "blanks" or one character
	Quote     string // `"`, `'` or "none"
	Escape    string // "doubled", "backslash" or "none"
	Decimal   string // "." or ","
	Thousands string // ",", ".", "'", "space" or "none"
	Encoding  string // "utf-8", "utf-16le", "latin-1" or another name that the web or IANA uses, such as "gbk"
	Header    string // "yes" or "none"
	Comment   string // the prefix of comment lines, or "none"
	Skip      int    // number of lines before the table
}

// choice maps the words for the values of an option to the values.
type choice map[string]rune

var (
	separators = choice{"comma": ',', "semicolon": ';', "tab": '\t', "pipe": '|', "blanks": ' ', `\t`: '\t',
		"space": ' '}
	quotes    = choice{`"`: '"', "'": '\'', "none": 0, "double": '"', "single": '\''}
	escapes   = choice{"doubled": '"', "backslash": '\\', `\`: '\\', "none": 0}
	decimals  = choice{".": '.', ",": ',', "point": '.', "comma": ','}
	thousands = choice{".": '.', ",": ',', "'": '\'', " ": ' ', "space": ' ', "none": 0}
	headers   = choice{"yes": 1, "none": 0}
	encodings = map[string]string{
		"utf-8": "utf-8", "utf8": "utf-8", "ascii": "utf-8", "utf-16le": "utf-16le", "utf-16be": "utf-16be",
		"utf-16": "utf-16le", "latin-1": "latin-1", "latin1": "latin-1", "iso-8859-1": "latin-1",
		"windows-1252": "latin-1", "cp1252": "latin-1", "macroman": "macintosh", "mac-roman": "macintosh",
		"mac roman": "macintosh", "cp932": "shift_jis", "ms932": "shift_jis", "cp936": "gbk",
		"cp949": "euc-kr", "uhc": "euc-kr", "cp950": "big5", "utf-8-sig": "utf-8",
	}
)

// Check returns an error if an option has an invalid value; it names the option and the valid values.
func (o Options) Check() error {
	if _, err := o.separator(); err != nil {
		return err
	}
	for _, c := range []struct {
		option, value, want string
		values              choice
	}{
		{"Quote", o.Quote, `", ' or none`, quotes},
		{"Escape", o.Escape, "doubled, backslash or none", escapes},
		{"Decimal", o.Decimal, `"." or ","`, decimals},
		{"Thousands", o.Thousands, `",", ".", "'", space or none`, thousands},
		{"Header", o.Header, "yes or none", headers},
	} {
		if _, ok := c.values[c.value]; !ok && c.value != "" {
			return fmt.Errorf("Options.%s %q: want %s", c.option, c.value, c.want) //nolint:staticcheck // the name of an option
		}
	}
	if o.Encoding != "" && encodingOf(o.Encoding) == "" {
		return fmt.Errorf("Options.Encoding %q: want utf-8, utf-16le, utf-16be, latin-1 or a name such as gbk, "+
			"big5, shift_jis, euc-kr, windows-1251, koi8-r or macintosh", o.Encoding)
	}
	if o.Decimal != "" && o.Thousands != "" && decimals[o.Decimal] == thousands[o.Thousands] {
		return fmt.Errorf("Options.Thousands %q: it is also the decimal mark", o.Thousands)
	}
	if strings.ContainsAny(o.Comment, "\r\n") || o.Comment != "" && strings.TrimSpace(o.Comment) == "" {
		return fmt.Errorf("Options.Comment %q: want the prefix of the comment lines, such as #, or none", o.Comment)
	}
	if o.Skip < 0 {
		return fmt.Errorf("Options.Skip %d: want the number of lines before the table", o.Skip)
	}
	return nil
}

// separator returns the separator set by the options, or 0 if it is to be detected.
func (o Options) separator() (rune, error) {
	if r, ok := separators[o.Separator]; ok || o.Separator == "" {
		return r, nil
	}
	r, size := utf8.DecodeRuneInString(o.Separator)
	if size < len(o.Separator) || r == utf8.RuneError || unicode.IsLetter(r) || unicode.IsDigit(r) ||
		strings.ContainsRune("\"'\\\r\n", r) {
		return 0, fmt.Errorf("Options.Separator %q: want comma, semicolon, tab, pipe, blanks or one character "+
			"except letters, digits, quotes and backslash", o.Separator)
	}
	return r, nil
}

// Ambiguous is the error for a text with two equally plausible readings.
type Ambiguous struct {
	Option   string   // the field of Options that resolves the ambiguity, such as "Decimal"
	Readings []string // the meaning of each value of the option, such as `"." (1,234 is 1234)`
}

// Error lists the possible readings and names the option to set.
func (a *Ambiguous) Error() string {
	option := "Options." + a.Option + " "
	return "two readings are equally good; choose with " + option + strings.Join(a.Readings, " or "+option)
}

// Guess returns the option value of the first reading, which Detect returns together with the error.
func (a *Ambiguous) Guess() string {
	value, _, _ := strings.Cut(a.Readings[0], " ")
	return strings.Trim(value, `"`)
}

// ErrNotText is returned for bytes that are not text in any known encoding.
var ErrNotText = errors.New("not a text file: it contains bytes that do not occur in text")
