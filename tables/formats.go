package tables

import (
	"bytes"
	"context"
	"errors"
	"strings"

	"github.com/mpcvm/mpcvm/tables/internal/texts"
	"github.com/mpcvm/mpcvm/tables/table"
)

// ErrFormat is the error of Open for a file in an unsupported format.
var ErrFormat = errors.New("unsupported file format; supported: CSV, TSV, ARFF, LIBSVM, JSON Lines, Excel, Parquet")

// fileFormat is a format that is recognized by its first bytes.
type fileFormat struct {
	magic, name string
	read        func(f file, ctx context.Context, o Options) (*table.Table, error) // nil if it cannot be read
	saveAs      string                                                             // or "" for an archive
}

// The formats that the readers know by name.
const (
	excelFile   = "an Excel file"
	parquetFile = "a Parquet file"
	gzipFile    = "compressed by gzip"
)

var binaries = []fileFormat{
	{"PK\x03\x04", excelFile, file.readXLSX, ""},
	{"PAR1", parquetFile, file.readParquet, ""},
	{"\x1f\x8b", gzipFile, nil, ""},
	{"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an old or a protected Excel file", nil, ".xlsx without a password"},
	{"BZh", "compressed by bzip2", nil, ""},
	{"\x28\xb5\x2f\xfd", "compressed by zstd", nil, ""},
	{"\xfd7zXZ", "compressed by xz", nil, ""},
	{"7z\xbc\xaf", "a 7z archive", nil, ""},
	{"%PDF", "a PDF file", nil, ".csv"},
	{"SQLite format 3\x00", "an SQLite database", nil, ".csv"},
	{"ARROW1", "an Arrow file", nil, ".parquet"},
	{"\x89HDF", "an HDF5 file", nil, ".parquet or .csv"},
}

// binaryFormat returns the format with the first bytes of a file, or the zero value for a text.
func binaryFormat(head []byte) fileFormat {
	for _, b := range binaries {
		if bytes.HasPrefix(head, []byte(b.magic)) {
			return b
		}
	}
	return fileFormat{}
}

// refuse returns the error for a format that cannot be read, or not within a compressed file.
func (b fileFormat) refuse() error { return refused(b.name, b.saveAs) }

func refused(name, saveAs string) error {
	if saveAs == "" {
		return table.Finding{Code: texts.Unpack, Texts: []string{name}, Cause: ErrFormat}
	}
	return table.Finding{Code: texts.SaveAs, Texts: []string{name, saveAs}, Cause: ErrFormat}
}

type textFormat struct {
	is   func(start []byte, whole bool) bool // start is in UTF-8, without blanks around it
	read func(t *text, ctx context.Context, o Options) (*table.Table, error)
}

// textFormats are tried in this order. The last one, delimited text, accepts every text.
var textFormats = []textFormat{
	{isWebPage, refusing(table.Finding{Code: texts.WebPage, Cause: ErrFormat})},
	{isObjects, (*text).readObjects},
	{isJSON, refusing(refused("JSON", ".csv"))},
	{isARFF, (*text).readARFF},
	{isLIBSVM, (*text).readLIBSVM},
	{func([]byte, bool) bool { return true }, (*text).readDelimited},
}

func refusing(err error) func(*text, context.Context, Options) (*table.Table, error) {
	return func(*text, context.Context, Options) (*table.Table, error) { return nil, err }
}

func formatOf(start []byte, whole bool) int {
	i := 0
	for !textFormats[i].is(start, whole) {
		i++
	}
	return i
}

func isWebPage(start []byte, _ bool) bool {
	low := strings.ToLower(string(start[:min(len(start), 16)]))
	return strings.HasPrefix(low, "<!doctype") || strings.HasPrefix(low, "<html") || strings.HasPrefix(low,
		"<?xml")
}

// isJSON reports whether a text begins like a JSON object or an array of objects.
func isJSON(start []byte, _ bool) bool {
	inside := bytes.TrimSpace(bytes.TrimPrefix(start, []byte("[")))
	return len(inside) > 1 && inside[0] == '{' && bytes.HasPrefix(bytes.TrimSpace(inside[1:]), []byte(`"`))
}
