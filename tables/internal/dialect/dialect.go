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
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mpcvm/mpcvm/tables/internal/celltext"
	"github.com/mpcvm/mpcvm/tables/internal/texts"
	"github.com/mpcvm/mpcvm/tables/table"
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
	Cells     int    // the most frequent number of cells per record in the sample

	late    bool   // the sample is ASCII; the encoding is detected later
	guessed bool   // the encoding is guessed from the characters
	second  string // another plausible encoding, or ""
}

var thousandsNames = map[rune]string{',': "comma", '.': "point", '\'': "apostrophe", ' ': "space"}

var encodingNames = map[string]string{
	"utf-16le": "UTF-16 (little-endian)", "utf-16be": "UTF-16 (big-endian)", "latin-1": "Latin-1",
	"utf-8": "UTF-8", "gbk": "GBK", "gb18030": "GB18030", "big5": "Big5", "shift_jis": "Shift JIS",
	"euc-jp": "EUC-JP", "euc-kr": "EUC-KR", "koi8-r": "KOI8-R", "windows-1250": "Windows-1250",
	"windows-1251": "Windows-1251", "windows-1253": "Windows-1253", "windows-1254": "Windows-1254",
	"windows-1255": "Windows-1255", "windows-1256": "Windows-1256", "windows-1257": "Windows-1257",
	"macintosh": "Mac Roman",
}

// String describes the separator and everything that differs from plain CSV, such as "semicolon, Latin-1".
func (d Dialect) String() string {
	name := separators.name(d.Separator)
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
	end := strings.IndexFunc(text, func(r rune) bool { return d.isDecimal(r) || r|0x20 == 'e' })
	if end < 0 {
		end = len(text)
	}
	whole, rest := text[:end], text[end:]
	if r, size := utf8.DecodeRuneInString(rest); d.isDecimal(r) {
		rest = "." + rest[size:]
	}
	if d.Thousands != 0 {
		unsigned := strings.TrimLeft(whole, "+-")
		groups, last := strings.FieldsFunc(unsigned, func(r rune) bool {
			return r == d.Thousands || d.Thousands == ' ' && strings.ContainsRune("\u00a0\u202f\u2009", r)
		}), 0
		for i, group := range groups {
			if last = len(group); len(groups) > 1 && (last > 3 || i > 0 && last < 3) {
				return 0, false
			}
		}
		digits := strings.Join(groups, "")
		if n := utf8.RuneCountInString(unsigned); n > 0 && n != len(digits)+len(groups)-1 { // a mark at the end
			return 0, false
		}
		whole = whole[:len(whole)-len(unsigned)] + digits
	}
	if strings.Trim(whole, "0123456789+-") != "" || strings.Trim(rest, "0123456789+-.eE") != "" {
		return 0, false
	}
	v, err := strconv.ParseFloat(whole+rest, 64)
	return v, err == nil
}

func (d Dialect) isDecimal(r rune) bool { return r == d.Decimal || r == '.' && d.Decimal == 0 }

// choices are the names of the values of an option. The first name of a value is the one in messages.
type choices []choice

type choice struct {
	name  string
	value rune
}

var (
	separators = choices{{"comma", ','}, {"semicolon", ';'}, {"tab", '\t'}, {"pipe", '|'}, {"blanks", ' '},
		{`\t`, '\t'}, {"space", ' '}}
	quotes    = choices{{`"`, '"'}, {"'", '\''}, {"none", 0}, {"double", '"'}, {"single", '\''}}
	escapes   = choices{{"doubled", '"'}, {"backslash", '\\'}, {"none", 0}, {`\`, '\\'}}
	decimals  = choices{{".", '.'}, {",", ','}, {"point", '.'}, {"comma", ','}}
	thousands = choices{{",", ','}, {".", '.'}, {"'", '\''}, {"space", ' '}, {"none", 0}, {" ", ' '}}
	headers   = choices{{"yes", 1}, {"none", 0}}
	encodings = map[string]string{
		"utf-8": "utf-8", "utf8": "utf-8", "ascii": "utf-8", "utf-16le": "utf-16le", "utf-16be": "utf-16be",
		"utf-16": "utf-16le", "latin-1": "latin-1", "latin1": "latin-1", "iso-8859-1": "latin-1",
		"windows-1252": "latin-1", "cp1252": "latin-1", "macroman": "macintosh", "mac-roman": "macintosh",
		"mac roman": "macintosh", "cp932": "shift_jis", "ms932": "shift_jis", "cp936": "gbk",
		"cp949": "euc-kr", "uhc": "euc-kr", "cp950": "big5", "utf-8-sig": "utf-8",
	}
)

func (c choices) of(name string) (value rune, ok bool) {
	i := slices.IndexFunc(c, func(one choice) bool { return one.name == name })
	if i < 0 {
		return 0, false
	}
	return c[i].value, true
}

// value returns the value with a name, which has been checked.
func (c choices) value(name string) rune {
	value, _ := c.of(name)
	return value
}

// name returns the name of a value, or "" if it has none.
func (c choices) name(value rune) string {
	i := slices.IndexFunc(c, func(one choice) bool { return one.value == value })
	if i < 0 {
		return ""
	}
	return c[i].name
}

func (c choices) names() (names []string) {
	for _, one := range c {
		if c.name(one.value) == one.name {
			names = append(names, one.name)
		}
	}
	return names
}

// Check returns an error if an option of text files has an invalid value; it names the valid ones.
func Check(o table.Options) error {
	fail := func(code table.Code, option, value string, names []string) error {
		return table.Finding{Code: code, Option: option, Value: value, Texts: names}
	}
	if _, ok := separatorOf(o.Separator); !ok {
		return fail(texts.InvalidSeparator, "Separator", o.Separator, separators.names())
	}
	for _, c := range []struct {
		option, value string
		valid         choices
	}{
		{"Quote", o.Quote, quotes}, {"Escape", o.Escape, escapes}, {"Decimal", o.Decimal, decimals},
		{"Thousands", o.Thousands, thousands}, {"Header", o.Header, headers},
	} {
		if _, ok := c.valid.of(c.value); !ok && c.value != "" {
			return fail(texts.InvalidValue, c.option, c.value, c.valid.names())
		}
	}
	switch {
	case o.Encoding != "" && encodingOf(o.Encoding) == "":
		return fail(texts.InvalidEncoding, "Encoding", o.Encoding, nil)
	case o.Decimal != "" && o.Thousands != "" && decimals.value(o.Decimal) == thousands.value(o.Thousands):
		return fail(texts.EqualMarks, "Thousands", o.Thousands, nil)
	case strings.ContainsAny(o.Comment, "\r\n") || o.Comment != "" && strings.TrimSpace(o.Comment) == "":
		return fail(texts.InvalidComment, "Comment", o.Comment, nil)
	case o.Skip < 0:
		return fail(texts.InvalidSkip, "Skip", strconv.Itoa(o.Skip), nil)
	}
	return nil
}

// separatorOf returns the separator with a name, or 0 for an empty name. ok is false if the name is neither
// in separators nor a character that can separate cells.
func separatorOf(name string) (r rune, ok bool) {
	if r, ok := separators.of(name); ok || name == "" {
		return r, true
	}
	r, size := utf8.DecodeRuneInString(name)
	return r, size == len(name) && r != utf8.RuneError && !unicode.IsLetter(r) && !unicode.IsDigit(r) &&
		!strings.ContainsRune("\"'\\\r\n", r)
}

// Ambiguous is the error for a text with two equally plausible readings. Option is the field of the options
// that decides between them, and Value is its value in the better reading, which Detect returns as well.
// Texts has the values of both readings, followed by an example if there is one.
type Ambiguous struct{ table.Finding }

// Unwrap returns the finding.
func (a *Ambiguous) Unwrap() error { return a.Finding }

func ambiguous(code table.Code, option, better, other string, example ...string) *Ambiguous {
	return &Ambiguous{table.Finding{Code: code, Option: option, Value: better,
		Texts: append([]string{better, other}, example...)}}
}

// ErrNotText is returned for bytes that are not text in any known encoding.
var ErrNotText = errors.New("not a text file: it contains bytes that do not occur in text")

// Names returns unique names for the columns of a text, given its first two records; second is nil if there
// is only one. Without a header, they are x1, x2 and so on. The notes report names that are not in the
// header.
func (d Dialect) Names(first, second []string) (names []string, notes []table.Finding) {
	if !d.Header {
		n := len(first)
		if second != nil { // one of the records may end with a separator
			n = max(min(len(first), len(second)), Width(first), Width(second))
		}
		return Numbered(n)
	}
	names = slices.Clone(first)
	if second != nil {
		if least := max(Width(second), Width(names)); len(names) > len(second) && least <= len(second) {
			names = names[:len(second)] // the header ends with a separator
		} else if d.RowNames && len(second) == len(names)+1 {
			names = slices.Insert(names, 0, "row")
		} else if len(names) > least {
			// Both end with a separator, which makes a column without name and values.
			if last := len(names) - 1; strings.TrimSpace(names[last]) == "" && d.Trailing {
				names = names[:last]
			}
		}
	}
	if d.RowNames && len(names) > 0 && strings.TrimSpace(names[0]) == "" {
		names[0] = "row"
	}
	return UniqueNames(names)
}

// Numbered returns names for n columns without a header.
func Numbered(n int) (names []string, notes []table.Finding) {
	for i := range n {
		names = append(names, fmt.Sprintf("x%d", i+1))
	}
	return names, []table.Finding{{Code: texts.NoHeader, N: n}}
}

// Width returns the number of cells up to the last non-blank one.
func Width(cells []string) int {
	n := len(cells)
	for n > 0 && strings.TrimSpace(cells[n-1]) == "" {
		n--
	}
	return n
}

// UniqueNames normalizes names (celltext.Normal), names unnamed columns x1, x2, …, and makes repeated names
// unique. The notes report these changes.
func UniqueNames(names []string) (unique []string, notes []table.Finding) {
	taken := map[string]bool{}
	for _, name := range names {
		taken[strings.Join(strings.Fields(celltext.Normal(name)), " ")] = true
	}
	used := map[string]bool{}
	for i, name := range names {
		name = strings.ToValidUTF8(strings.Join(strings.Fields(celltext.Normal(name)), " "), "�")
		switch {
		case name == "":
			name = fmt.Sprintf("x%d", i+1)
			for k := 2; taken[name]; k++ {
				name = fmt.Sprintf("x%d %d", i+1, k)
			}
			taken[name] = true
			notes = append(notes, table.Finding{Code: texts.NoName, Column: name, N: i + 1})
		case used[name]:
			first := name
			for k := 2; taken[name]; k++ {
				name = fmt.Sprintf("%s %d", first, k)
			}
			taken[name] = true
			notes = append(notes, table.Finding{Code: texts.NameTwice, Column: name, N: i + 1, Texts: []string{first}})
		}
		used[name] = true
		unique = append(unique, name)
	}
	return unique, notes
}

// Headings are the records of the header. The same record further down starts an appended table.
type Headings [][]string

// NewHeadings returns the headings of a header, or nil if it contains a number, because rows could be equal
// to it.
func NewHeadings(header []string) Headings {
	if slices.ContainsFunc(header, func(name string) bool { return kindOf([]byte(name), false) == numeric }) {
		return nil
	}
	return Headings{header}
}

// Has reports whether a record is a heading.
func (h Headings) Has(cells [][]byte) bool {
	return slices.ContainsFunc(h, func(head []string) bool {
		return len(head) > 1 && slices.EqualFunc(head, cells,
			func(a string, b []byte) bool { return a == string(b) })
	})
}
