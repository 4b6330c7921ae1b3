package dialect

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"

	where "github.com/mpcvm/mpcvm/internal/cell"
	"github.com/mpcvm/mpcvm/tables/internal/texts"
	"github.com/mpcvm/mpcvm/tables/table"
)

const iris = "sepal_length,sepal_width,species\n5.1,3.5,setosa\n4.9,3.0,setosa\n6.3,3.3,virginica\n5.8,2.7,virginica\n"

// utf16 encodes a text as UTF-16.
func utf16(text string, e unicode.Endianness, bom unicode.BOMPolicy) string {
	s, err := unicode.UTF16(e, bom).NewEncoder().String(text)
	if err != nil {
		panic(err)
	}
	return s
}

func latin1(text string) string {
	s, err := charmap.Windows1252.NewEncoder().String(text)
	if err != nil {
		panic(err)
	}
	return s
}

// Each text with the dialect that Detect returns, and one of its records; records are counted from 0,
// including the header.
var samples = []struct {
	name, text, want string
	number           int
	record           []string
}{
	// Separators.
	{"comma", iris, "comma", 1, []string{"5.1", "3.5", "setosa"}},
	{"semicolon", strings.ReplaceAll(iris, ",", ";"), "semicolon", 1, []string{"5.1", "3.5", "setosa"}},
	{"tab", strings.ReplaceAll(iris, ",", "\t"), "tab", 1, []string{"5.1", "3.5", "setosa"}},
	{"pipe", strings.ReplaceAll(iris, ",", "|"), "pipe", 1, []string{"5.1", "3.5", "setosa"}},
	{"caret", strings.ReplaceAll(iris, ",", "^"), "'^'", 1, []string{"5.1", "3.5", "setosa"}},
	{"tilde", strings.ReplaceAll(iris, ",", "~"), "'~'", 1, []string{"5.1", "3.5", "setosa"}},
	{"unit separator", strings.ReplaceAll(iris, ",", "\x1f"), `'\x1f'`, 1, []string{"5.1", "3.5", "setosa"}},
	{"blanks", "x    y  class\n1.0  2   a\n10.5 20  b\n  7 300  a\n", "blanks", 3, []string{"7", "300", "a"}},
	{"blanks and tabs, at the ends of lines too", " 1.5 \t 2.5  3\n 4.0 5.0  6 \n-1e3 0 2\n",
		"blanks, no header", 1, []string{"4.0", "5.0", "6"}},
	{"colon", "user:uid:shell\nroot:0:/bin/sh\ndaemon:1:/bin/false\nbin:2:/bin/false\n", "':'", 1,
		[]string{"root", "0", "/bin/sh"}},
	{"times are not columns", "time,value\n12:30:01,5\n12:30:02,6\n12:30:03,8\n", "comma", 1,
		[]string{"12:30:01", "5"}},
	{"a column of times", "time\n12:30:01\n12:30:02\n12:30:03\n", "comma", 1, []string{"12:30:01"}},
	{"numbers in columns of blanks, a tab before a name", "18.0   8   307.0      12.0   70\t\"chevelle " +
		"malibu\"\n15.0   8   350.0      11.5   70\t\"skylark 320\"\n18.0   8   318.0      11.0   " +
		"71\t\"satellite\"\n", "blanks, no header", 1, []string{"15.0", "8", "350.0", "11.5", "70", "skylark 320"}},
	{"times with blanks around", "ts value\n2020-01-01T00:00:00 1.5\n2020-01-01T00:01:00 2.5\n", "blanks", 1,
		[]string{"2020-01-01T00:00:00", "1.5"}},
	{"telephone numbers", "email;phone\na@b.c;020 7215 5000\nd@e.f;030 1234 999\n", "semicolon", 1,
		[]string{"a@b.c", "020 7215 5000"}},
	{"one long record and short ones", "a,b,c\n1,2,3\n4,5\n6,7,8,9\n1,2,3\n", "comma", 3,
		[]string{"6", "7", "8", "9"}},
	{"a column of dates with times", "2024-01-02 12:00\n2024-01-03 12:30\n2024-01-04 13:00\n",
		"comma, no header", 0, []string{"2024-01-02 12:00"}},
	{"a column of numbers", "weight\n1.5\n2.5\n1000\n", "comma", 3, []string{"1000"}},
	{"a column of words", "species\nsetosa\nvirginica\nsetosa\n", "comma", 1, []string{"setosa"}},
	{"a column of sentences with commas", "Well, this is one.\nThis one has, as you see, three commas, in " +
		"all.\nNone here.\nAnd this: one, or two?\nNo\n", "semicolon", 1, []string{"This one has, as you see, " +
		"three commas, in all."}},
	{"names with blanks", "name,town\nAda Lovelace,London\nCarl Gauss,Goettingen\nEmmy Noether,Erlangen\n",
		"comma", 1, []string{"Ada Lovelace", "London"}},
	{"lists in cells", "id;tags\n1;a,b,c\n2;d,e,f\n3;g,h,i\n", "semicolon", 1, []string{"1", "a,b,c"}},
	{"pipes in cells", "id,tags,n\n1,a|b,2\n2,c|d|e,5\n3,f,7\n", "comma", 2, []string{"2", "c|d|e", "5"}},
	{"empty cells", "a,b,c\n1,,\n,,3\n,2,\n", "comma", 2, []string{"", "", "3"}},
	{"comma and blank", "a, b, c\n1, 2, x\n3, 4, y\n", "comma", 1, []string{"1", " 2", " x"}},
	{"Excel's sep=", "sep=;\na;b\n1,5;x\n2,5;y\n", "semicolon, decimal comma, 1 line skipped", 1,
		[]string{"1,5", "x"}},
	{"prices", "item;price\nhat;€ 3,50\ncoat;€ 120,00\nshoe;€ 12,95\n", "semicolon, decimal comma", 1,
		[]string{"hat", "€ 3,50"}},

	// Quotes.
	{"quoted separators", "name,n\n\"Smith, J.\",1\n\"Gauss, C.\",2\n", "comma", 1, []string{"Smith, J.", "1"}},
	{"doubled quotes", "name,n\n\"say \"\"hi\"\"\",1\n\"a, \"\"b\"\"\",2\n", "comma", 2,
		[]string{`a, "b"`, "2"}},
	{"backslash", "name,n\n\"say \\\"hi\\\", now\",1\n\"back\\\\slash\",2\n\"x\\y\",3\n",
		"comma, backslash escapes", 1, []string{`say "hi", now`, "1"}},
	{"backslash of a backslash", "name,n\n\"say \\\"hi\\\", now\",1\n\"back\\\\slash\",2\n\"x\\y\",3\n",
		"comma, backslash escapes", 2, []string{`back\slash`, "2"}},
	{"backslash of a path", "name,n\n\"say \\\"hi\\\", now\",1\n\"back\\\\slash\",2\n\"x\\y\",3\n",
		"comma, backslash escapes", 3, []string{`x\y`, "3"}},
	{"single quotes", "name,n\n'Smith, J.',1\n'it''s, now',2\n", "comma, single quotes", 2,
		[]string{"it's, now", "2"}},
	{"double quotes within single", "name;n\n'a \"b\" c';1\n'x;y';2\n", "semicolon, single quotes", 1,
		[]string{`a "b" c`, "1"}},
	{"apostrophes", "name,n\nO'Neill,1\nD'Arcy,2\nL'Hospital,3\n", "comma", 1, []string{"O'Neill", "1"}},
	{"inches", "size\tn\n5\" pipe\t1\n7\" pipe, long\t2\n", "tab", 2, []string{`7" pipe, long`, "2"}},
	{"a quote that is never closed", "a,b\n\"x,1\ny,2\nz,3\nu,4\nv,5\n", "comma, no quotes", 1,
		[]string{`"x`, "1"}},
	{"a quote in one of 9001 records", "a;b\n" + strings.Repeat("1;x\n", 5000) + "1;'x;y'\n" +
		strings.Repeat("1;x\n", 4000), "semicolon, single quotes", 5001, []string{"1", "x;y"}},
	{"lines in quotes", "id,note\n1,\"two\nlines, here\"\n2,\"a|b|c\nd|e|f\n\"\n3,x\n", "comma", 1,
		[]string{"1", "two\nlines, here"}},
	{"blanks around quotes", "a, b\n\"1, 2\" , \"x\"\n\"3\", \"y, z\"\n", "comma", 1, []string{"1, 2", "x"}},
	{"everything quoted", "\"a\";\"b\"\n\"1,5\";\"x\"\n\"2,25\";\"y\"\n", "semicolon, decimal comma", 2,
		[]string{"2,25", "y"}},
	{"JSON in cells", "id,doc\n1,\"{\"\"a\"\": 1, \"\"b\"\": [2, 3]}\"\n2,\"{\"\"a\"\": 4, \"\"b\"\": []}\"\n",
		"comma", 1, []string{"1", `{"a": 1, "b": [2, 3]}`}},
	{"CR and LF in a cell", "id,note\r\n1,\"two\r\nlines\"\r\n2,x\r\n", "comma", 1, []string{"1", "two\nlines"}},

	// Encodings and line ends.
	{"BOM", "\ufeff" + iris, "comma", 0, []string{"sepal_length", "sepal_width", "species"}},
	{"Latin-1", latin1("größe;farbe\n1;grün\n2;weiß\n"), "semicolon, Latin-1", 1, []string{"1", "grün"}},
	{"Windows-1252", latin1("name;price\nhat;5 €\ncoat;7 €\n"), "semicolon, Latin-1", 1, []string{"hat", "5 €"}},
	{"UTF-16", utf16(iris, unicode.LittleEndian, unicode.UseBOM), "comma, UTF-16 (little-endian)", 1,
		[]string{"5.1", "3.5", "setosa"}},
	{"UTF-16, high byte first", utf16(iris, unicode.BigEndian, unicode.UseBOM), "comma, UTF-16 (big-endian)", 1,
		[]string{"5.1", "3.5", "setosa"}},
	{"UTF-16 without BOM", utf16(iris, unicode.LittleEndian, unicode.IgnoreBOM), "comma, UTF-16 (little-endian)",
		0, []string{"sepal_length", "sepal_width", "species"}},
	{"UTF-16 without BOM, high byte first", utf16(iris, unicode.BigEndian, unicode.IgnoreBOM),
		"comma, UTF-16 (big-endian)", 0, []string{"sepal_length", "sepal_width", "species"}},
	{"a broken character in UTF-8", "name,n\nJosé,1\nRené,2\nZoé,3\nChloé,4\nAndr\xe9,5\n", "comma", 1,
		[]string{"José", "1"}},
	{"CRLF", strings.ReplaceAll(iris, "\n", "\r\n"), "comma", 1, []string{"5.1", "3.5", "setosa"}},
	{"CR", strings.ReplaceAll(iris, "\n", "\r"), "comma, CR line ends", 1, []string{"5.1", "3.5", "setosa"}},
	{"no line end at the end", strings.TrimSuffix(iris, "\n"), "comma", 4, []string{"5.8", "2.7", "virginica"}},

	// Decimal and thousands marks.
	{"decimal comma", "x;y\n1,5;2\n3,25;4\n", "semicolon, decimal comma", 1, []string{"1,5", "2"}},
	{"decimal comma in quotes", "x,y\n\"1,5\",2\n\"3,25\",4\n", "comma, decimal comma", 1, []string{"1,5", "2"}},
	{"decimal comma with tabs", "x\ty\n1,5\t2\n3,25\t4\n", "tab, decimal comma", 1, []string{"1,5", "2"}},
	{"decimal comma, thousands point", "x;y\n1.234,5;2\n3,25;4\n", "semicolon, decimal comma, thousands point",
		1, []string{"1.234,5", "2"}},
	{"thousands comma", "x,y\n\"1,234.5\",2\n\"1,000\",4\n", "comma, thousands comma", 1,
		[]string{"1,234.5", "2"}},
	{"thousands comma twice", "x;y\n1,234,567;2\n1,000;4\n", "semicolon, thousands comma", 2,
		[]string{"1,000", "4"}},
	{"thousands comma of large numbers only", "x;y\n1,234;2\n17;4\n2,000;5\n", "semicolon, thousands comma", 2,
		[]string{"17", "4"}},
	{"thousands space", "x;y\n1 234,5;2\n12 345,25;4\n", "semicolon, decimal comma, thousands space", 1,
		[]string{"1 234,5", "2"}},
	{"thousands no-break space", "x;y\n1\u00a0234,5;2\n12\u202f345,25;4\n", "semicolon, decimal comma, " +
		"thousands space", 1, []string{"1\u00a0234,5", "2"}},
	{"thousands apostrophe", "x;y\n1'234.50;2\n12'345.25;4\n", "semicolon, thousands apostrophe", 1,
		[]string{"1'234.50", "2"}},
	{"leading zero", "x;y\n0,125;2\n0,250;4\n", "semicolon, decimal comma", 1, []string{"0,125", "2"}},
	{"another column tells", "x;y\n1,125;0,5\n2,250;4,5\n", "semicolon, decimal comma", 1,
		[]string{"1,125", "0,5"}},
	{"colours are not numbers", "file\tcolour\na.jpg\t51,47,45\nb.jpg\t102,100,107\nc.jpg\t7,8,9\n", "tab", 1,
		[]string{"a.jpg", "51,47,45"}},

	// Headers.
	{"no header", "1,2,a\n3,4,b\n5,6,a\n", "comma, no header", 0, []string{"1", "2", "a"}},
	{"text with header", "name,town\nada,london\ncarl,berlin\nemmy,berlin\n", "comma", 0,
		[]string{"name", "town"}},
	{"text without header", "red,round\nblue,square\nred,square\ngreen,round\nblue,round\n", "comma, no header",
		0, []string{"red", "round"}},
	{"header alone", "a,b,c\n", "comma", 0, []string{"a", "b", "c"}},
	{"numbers alone", "1,2,3\n", "comma, no header", 0, []string{"1", "2", "3"}},
	{"years", "country,2019,2020,2021\nAustria,1.5,2,3\nBelgium,4,5,6.5\n", "comma", 0,
		[]string{"country", "2019", "2020", "2021"}},
	{"columns that are numbered", "0,1,2,3\n1.5,2,7,a\n4,5,6.5,b\n8,8,9,a\n", "comma", 0,
		[]string{"0", "1", "2", "3"}},
	{"numbers that go on", "1,2,3\n4,5,6\n7,8,9\n", "comma, no header", 0, []string{"1", "2", "3"}},
	{"missing in the first record", "NA,1\n5,2\n6,3\n", "comma, no header", 0, []string{"NA", "1"}},
	{"dates", "day,n\n2024-01-02,1\n2024-01-03,2\n", "comma", 1, []string{"2024-01-02", "1"}},
	{"two headers alike", "a,b\na,b\nx,1\ny,2\n", "comma", 2, []string{"x", "1"}},
	{"R, one cell more", "mpg cyl\n\"Mazda RX4\" 21 6\n\"Datsun 710\" 22.8 4\n\"Hornet 4\" 21.4 6\n",
		"blanks, row names", 1, []string{"Mazda RX4", "21", "6"}},
	{"R, write.csv", "\"\",\"x\",\"y\"\n\"1\",2,\"a\"\n\"2\",5,\"b\"\n\"3\",5,\"b\"\n", "comma, row names", 1,
		[]string{"1", "2", "a"}},
	{"a first column that repeats names no rows", ",x\na,2\na,3\nb,4\n", "comma", 1, []string{"a", "2"}},

	// Text around the table.
	{"trailing separators", "a;b;\n1;x;\n2;y;\n", "semicolon, trailing separators", 1, []string{"1", "x"}},
	{"trailing separators, but not of the header", "a;b\n1;x;\n2;y;\n", "semicolon, trailing separators", 1,
		[]string{"1", "x"}},
	{"trailing separators, but not of the footer", "a;b;\n1;x;\n2;y;\nSource: the office\n",
		"semicolon, trailing separators", 3, []string{"Source: the office"}},
	{"an empty last column with a name", "a;b\n1;\n2;\n", "semicolon", 1, []string{"1", ""}},
	{"title", "Sales of 2023\n\nitem,n,price\nhat,1,3.5\ncoat,5,120\n", "comma, 2 lines skipped", 0,
		[]string{"item", "n", "price"}},
	{"title with separators", "Sales of 2023,,\n,,\nitem,n,price\nhat,1,3.5\ncoat,5,120\n",
		"comma, 2 lines skipped", 0, []string{"item", "n", "price"}},
	{"settings above the table", "instrument: X1\ndate: 2023-05-01\na;b;c\n1;2;3\n4;5;6\n7;8;9\n",
		"semicolon, 2 lines skipped", 0, []string{"a", "b", "c"}},
	{"footer", "a,b\n1,2\n3,4\n5,6\nSource: the office\n", "comma", 4, []string{"Source: the office"}},
	{"comments", "# made by hand\n# in 2023, in May\na,b\n1,2\n# the next are doubtful, all, of, " +
		"them\n3,4\n5,6\n7,8\n", "comma, comments after #", 2, []string{"3", "4"}},
	{"comments after %", "% made by hand; in May\na;b\n1;2\n3;4\n", "semicolon, comments after %", 1,
		[]string{"1", "2"}},
	{"a header without the first name", ";a;b\n0;1;x\n1;3;y\n2;5;z\n", "semicolon, row names", 1,
		[]string{"0", "1", "x"}},
	{"a header that begins like a comment", "%fat,name\n1,x\n3,y\n5,z\n", "comma", 1, []string{"1", "x"}},
	{"comments after //", "// made by hand\nx y\n1 2\n3 4\n", "blanks, comments after //", 1,
		[]string{"1", "2"}},
	{"two hashes above, one before the header",
		"##fileformat=VCFv4\n##source=x\n#CHROM\tPOS\tREF\n20\t14370\tG\n20\t17330\tT\n20\t1110696\tA\n20\t1230237\tT\n20\t1234567\tG\n", "tab, 2 lines skipped", 0, []string{"#CHROM", "POS", "REF"}},
	{"header after #", "#a,b\n1,2\n3,4\n", "comma", 0, []string{"#a", "b"}},
	{"header in the last comment", "# made by hand\n# a,b\n1,2\n3,4\n5,6\n7,8\n9,10\n", "comma, 1 line skipped",
		0, []string{"# a", "b"}},
	{"numbers after # are cells", "name,n\n#1 hit,5\n#2 hit,7\nother,8\nand more,9\nlast,1\n", "comma", 1,
		[]string{"#1 hit", "5"}},
	{"two tables", "a,b\n1,2\n3,4\n\nx,y,z\n5,6,7\n8,9,1\n", "comma", 0, []string{"a", "b"}},
	{"blank lines", "\n\na,b\n\n1,2\n   \n3,4\n", "comma", 2, []string{"3", "4"}},
}

// read returns the records of a text in a dialect.
func read(t *testing.T, text string, d Dialect) [][]string {
	t.Helper()
	records, err := all(NewReader(strings.NewReader(text), "", d))
	if err != nil {
		t.Fatalf("%s: %v", d, err)
	}
	return records
}

// all returns the records before the first error.
func all(r *Reader) (records [][]string, err error) {
	for {
		cells, _, err := r.Next()
		if err == io.EOF {
			return records, nil
		}
		if err != nil {
			return records, err
		}
		var record []string
		for _, c := range cells {
			record = append(record, string(c))
		}
		records = append(records, record)
	}
}

func TestTexts(t *testing.T) {
	for _, c := range samples {
		t.Run(c.name, func(t *testing.T) {
			d, err := Detect([]byte(c.text), true, table.Options{})
			if err != nil {
				t.Errorf("%v", err)
			}
			if d.String() != c.want {
				t.Errorf("detected %s, want %s", d, c.want)
			}
			records := read(t, c.text, d)
			if c.number >= len(records) || !slices.Equal(records[c.number], c.record) {
				t.Errorf("records %q, want %q as record %d", records, c.record, c.number)
			}
		})
	}
}

// Records do not depend on how the underlying reader splits the text: single bytes, halves, or errors with
// data.
func TestReaderPieces(t *testing.T) {
	for _, c := range samples {
		d, _ := Detect([]byte(c.text), true, table.Options{})
		want := read(t, c.text, d)
		for name, r := range map[string]io.Reader{
			"one byte": iotest.OneByteReader(strings.NewReader(c.text)),
			"half":     iotest.HalfReader(strings.NewReader(c.text)),
			"data":     iotest.DataErrReader(strings.NewReader(c.text)),
		} {
			if got, err := all(NewReader(r, "", d)); err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("%s, %s: read %q, %v; want %q", c.name, name, got, err, want)
			}
		}
	}
}

// A record has the line number at which it starts.
func TestLineNumbers(t *testing.T) {
	for _, c := range []struct{ name, text string }{
		{"titles and comments", "Title\n\n# comment\na;b\n1;2\n# comment; here\n\n3;4\n5;bad\n"},
		{"lines in quotes", "a;b\n\"x\ny\nz\";2\n\n\n3;4\n5;6\n5;bad\n"},
		{"CR", "a;b\r1;2\r\r3;4\r4;\"x\ry\"\r5;6\r7;8\r5;bad\r"},
		{"CRLF", "a;b\r\n1;2\r\n  \r\n3;4\r\n4;\"x\r\ny\"\r\n5;6\r\n7;8\r\n5;bad\r\n"},
	} {
		d, err := Detect([]byte(c.text), true, table.Options{})
		if err != nil || d.Separator != ';' {
			t.Fatalf("%s: %s, %v", c.name, d, err)
		}
		for r := NewReader(strings.NewReader(c.text), "", d); ; {
			record, line, err := r.Next()
			if err != nil {
				t.Fatalf("%s: no bad cell: %v", c.name, err)
			}
			if len(record) < 2 || string(record[1]) != "bad" {
				continue
			}
			if line != 9 {
				t.Errorf("%s: the bad cell is reported in line %d, want 9", c.name, line)
			}
			break
		}
	}
}

func TestReaderErrors(t *testing.T) {
	d := Dialect{Separator: ',', Quote: '"', Escape: '"', Encoding: "utf-8", LineEnd: "lf"}
	for _, c := range []struct {
		text string
		line int
		code table.Code
	}{
		{"a,b\n1,2\n3,\"x\n4,5\n", 3, texts.OpenQuote},
		{"a,b\n1,\"" + strings.Repeat("x\n", maxRecord/2+1) + "\"\n", 2, texts.LongRecord},
	} {
		_, err := all(NewReader(strings.NewReader(c.text), "t.csv", d))
		if e, ok := errors.AsType[*where.Error](err); !ok || e.Line != c.line ||
			e.Err.(table.Finding).Code != c.code {
			t.Errorf("%v, want %s", err, c.code)
		}
	}
	broken := errors.New("broken")
	if out, err := all(NewReader(io.MultiReader(strings.NewReader("a,b\n1,2"), iotest.ErrReader(broken)), "",
		d)); err != broken || !reflect.DeepEqual(out, [][]string{{"a", "b"}}) {
		t.Errorf("read %q, %v; want the error of the reader", out, err)
	}
	if _, err := all(NewReader(stuck{}, "", d)); err != io.ErrNoProgress {
		t.Errorf("a reader that gives nothing: %v", err)
	}
}

type stuck struct{}

func (stuck) Read([]byte) (int, error) { return 0, nil }

// Skipped lines are not buffered, and a reader does not keep the text in memory.
func TestReaderMemory(t *testing.T) {
	d := Dialect{Separator: ';', Quote: '"', Escape: '"', Encoding: "utf-8", LineEnd: "lf", Skip: 1}
	line := bytes.Repeat([]byte("x"), 64<<10)
	parts := []io.Reader{}
	for range 64 {
		parts = append(parts, bytes.NewReader(line))
	}
	text := []byte(strings.Repeat("1;2,5\n", 10000))
	parts = append(parts, strings.NewReader("\n"))
	for range 64 {
		parts = append(parts, bytes.NewReader(text))
	}
	r := NewReader(io.MultiReader(parts...), "", d)
	rows := 0
	for {
		_, _, err := r.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if rows++; cap(r.rest) > 1<<20 || cap(r.block.text) > 4<<20 {
			t.Fatalf("buffers of %d and %d bytes", cap(r.rest), cap(r.block.text))
		}
	}
	if rows != 64*10000 || r.Used() != int64(64*len(text)) {
		t.Errorf("%d records of %d bytes", rows, r.Used())
	}
}

// Samples cut within a record, a character or a quote have the dialect of the whole text.
func TestCutSample(t *testing.T) {
	var b strings.Builder
	b.WriteString("größe;note;wert\n")
	for i := range 300 {
		fmt.Fprintf(&b, "%d;\"erste, Zeile\nzweite; größere Zeile\";%d,5\n", i, i)
	}
	for name, text := range map[string]string{"utf-8": b.String(), "utf-16le": utf16(b.String(),
		unicode.LittleEndian, unicode.UseBOM), "latin-1": latin1(b.String())} {
		whole, err := Detect([]byte(text), true, table.Options{})
		if err != nil || whole.String() != (Dialect{Separator: ';', Quote: '"', Escape: '"', Decimal: ',',
			Encoding: name, Header: true}).String() {
			t.Errorf("%s: %s, %v", name, whole, err)
		}
		for cut := 400; cut < 700; cut += 3 {
			if d, err := Detect([]byte(text[:cut]), false, table.Options{}); err != nil || d != whole {
				t.Fatalf("%s: cut at byte %d: %s, %v; want %s", name, cut, d, err, whole)
			}
		}
	}
	// A record longer than the sample.
	long := strings.Repeat("1.5;2.5;", 100)
	if d, err := Detect([]byte(long), false, table.Options{}); err != nil || d.Separator != ';' || d.Header {
		t.Errorf("one record: %s, %v", d, err)
	}
}

func TestAmbiguous(t *testing.T) {
	for _, c := range []struct {
		name, text, flag string
		options          table.Options
		want             string
	}{
		{"thousands or decimals", "x;y\n1,234;5\n2,345;6\n", "Decimal", table.Options{Decimal: ","},
			"semicolon, decimal comma"},
		{"decimals or thousands", "x;y\n1,234;5\n2,345;6\n", "Decimal", table.Options{Decimal: "."},
			"semicolon, thousands comma"},
		{"in quotes", "x,y\n\"1,234\",5\n\"2,345\",6\n", "Decimal", table.Options{Decimal: ","},
			"comma, decimal comma"},
		{"thousands given", "x;y\n1,234;5\n2,345;6\n", "Decimal", table.Options{Thousands: ","},
			"semicolon, thousands comma"},
		{"header or none", "5,abc\nx,1\ny,2\n", "", table.Options{Header: "yes"}, "comma"},
		{"names or values", "true,n\nfalse,x\ntrue,y\nfalse,x\nfalse,y\n", "Header", table.Options{Header: "none"},
			"comma, no header"},
		{"comma or semicolon", "a;b,c\n", "Separator", table.Options{Separator: "semicolon"}, "semicolon"},
	} {
		guess, err := Detect([]byte(c.text), true, table.Options{})
		var a *Ambiguous
		if c.flag != "" && (!errors.As(err, &a) || a.Option != c.flag || a.Texts[0] != a.Value ||
			a.Texts[1] == a.Value) {
			t.Errorf("%s: %v, want the flag %s", c.name, err, c.flag)
		}
		if a != nil {
			o := map[string]table.Options{"Decimal": {Decimal: a.Value}, "Header": {Header: a.Value},
				"Separator": {Separator: a.Value}}[a.Option]
			if d, err := Detect([]byte(c.text), true, o); err != nil || d.String() != guess.String() {
				t.Errorf("%s: %s %s reads it as %s (%v), the guess is %s", c.name, a.Option, a.Value, d, err, guess)
			}
		}
		if guess.Separator == 0 || guess.Encoding == "" {
			t.Errorf("%s: no guess returned with the error", c.name)
		}
		if d, err := Detect([]byte(c.text), true, c.options); err != nil || d.String() != c.want {
			t.Errorf("%s, %+v: %s, %v; want %s", c.name, c.options, d, err, c.want)
		}
	}
}

// Options override the detection.
func TestOptions(t *testing.T) {
	for _, c := range []struct {
		text    string
		options table.Options
		want    string
		first   []string
	}{
		{iris, table.Options{Separator: "semicolon"}, "semicolon", []string{"sepal_length,sepal_width,species"}},
		{"a,b;c\n1,5;2\n", table.Options{Separator: "comma"}, "comma", []string{"a", "b;c"}},
		{"a§b\n1§2\n", table.Options{Separator: "§"}, "'§'", []string{"a", "b"}},
		{"aéb;c\n1é2;3\n", table.Options{Separator: `\t`}, "tab", []string{"aéb;c"}},
		{"a b\n1  2\n", table.Options{Separator: "blanks"}, "blanks", []string{"a", "b"}},
		{"'a','b'\n1,2\n", table.Options{Quote: "none"}, "comma, no quotes", []string{"'a'", "'b'"}},
		{"'a','b'\n1,2\n", table.Options{Quote: `"`}, "comma", []string{"'a'", "'b'"}},
		{"a\\,b,c\n1,2\n", table.Options{Quote: "none", Escape: "backslash"}, "comma, no quotes, backslash escapes",
			[]string{"a,b", "c"}},
		{"\"a\\b\",c\n\"1\",2\n", table.Options{Escape: "none"}, "comma", []string{`a\b`, "c"}},
		{"\"a\\\",b\n\"1\\\",2\n", table.Options{Escape: "doubled"}, "comma", []string{`a\`, "b"}},
		{iris, table.Options{Header: "none"}, "comma, no header", []string{"sepal_length", "sepal_width",
			"species"}},
		{"1,2\n3,4\n", table.Options{Header: "yes"}, "comma", []string{"1", "2"}},
		{"# a,b\n1,2\n3,4\n5,6\n", table.Options{Comment: "none"}, "comma", []string{"# a", "b"}},
		{"$ a,b\n1,2\n3,4\n5,6\n", table.Options{Comment: "$"}, "comma, no header, comments after $", []string{"1",
			"2"}},
		{"x,y\n\na,b\n1,2\n", table.Options{Skip: 2}, "comma, 2 lines skipped", []string{"a", "b"}},
		{"sep=;\na;b\n1;2\n", table.Options{Skip: 1}, "semicolon, 1 line skipped", []string{"a", "b"}},
		{"sep=,\na;b\n1;2\n", table.Options{Separator: "semicolon"}, "semicolon, 1 line skipped", []string{"a",
			"b"}},
		{latin1("é,b\n1,2\n"), table.Options{Encoding: "windows-1252"}, "comma, Latin-1", []string{"é", "b"}},
		{"é,b\n1,2\n", table.Options{Encoding: "latin1"}, "comma, Latin-1", []string{"Ã©", "b"}},
		{"a;b\n1,5;2\n", table.Options{Decimal: "."}, "semicolon", []string{"a", "b"}},
		{"a;b\n1 234;2\n", table.Options{Thousands: "none"}, "semicolon", []string{"a", "b"}},
	} {
		d, err := Detect([]byte(c.text), true, c.options)
		if err != nil || d.String() != c.want {
			t.Errorf("%q, %+v: %s, %v; want %s", c.text, c.options, d, err, c.want)
		} else if records := read(t, c.text, d); !slices.Equal(records[0], c.first) {
			t.Errorf("%q, %+v: first record %q, want %q", c.text, c.options, records[0], c.first)
		}
	}
}

func TestCheck(t *testing.T) {
	for _, o := range []table.Options{
		{}, {Separator: "comma"}, {Separator: "§"}, {Separator: "|"}, {Quote: "none"}, {Escape: "backslash"}, {
			Decimal: ","}, {Thousands: "space"},
		{Encoding: "UTF-8"}, {Header: "yes"}, {Comment: "#"}, {Comment: "none"}, {Skip: 3}, {Decimal: ",",
			Thousands: "."},
	} {
		if err := Check(o); err != nil {
			t.Errorf("%+v: %v", o, err)
		}
	}
	for _, c := range []struct {
		option string
		o      table.Options
	}{
		{"Separator", table.Options{Separator: "comme"}}, {"Separator", table.Options{Separator: "x"}},
		{"Separator", table.Options{Separator: "\xff"}}, {"Separator", table.Options{Separator: "\n"}},
		{"Quote", table.Options{Quote: "`"}}, {"Escape", table.Options{Escape: "/"}},
		{"Decimal", table.Options{Decimal: ";"}}, {"Thousands", table.Options{Thousands: ";"}},
		{"Thousands", table.Options{Decimal: ",", Thousands: ","}}, {"Encoding", table.Options{Encoding: "ebcdic"}},
		{"Header", table.Options{Header: "no"}}, {"Comment", table.Options{Comment: " "}},
		{"Comment", table.Options{Comment: "a\nb"}}, {"Skip", table.Options{Skip: -1}},
	} {
		_, err := Detect([]byte(iris), true, c.o)
		if f, ok := errors.AsType[table.Finding](err); !ok || f.Option != c.option {
			t.Errorf("%+v: %v, want %s", c.o, err, c.option)
		}
	}
	if text := Check(table.Options{Escape: "/"}).Error(); text !=
		`Options.Escape /: want one of "doubled", "backslash", "none"` {
		t.Error(text)
	}
}

func TestNotText(t *testing.T) {
	for name, sample := range map[string]string{
		"zip":    "PK\x03\x04\x14\x00\x06\x00\x08\x00\x00\x00!\x00\x8c\xa4\x04\x00\x02\x10",
		"zeros":  strings.Repeat("\x00", 1000),
		"UTF-32": "\xff\xfe\x00\x00a\x00\x00\x00,\x00\x00\x00",
	} {
		if _, err := Detect([]byte(sample), true, table.Options{}); !errors.Is(err, ErrNotText) {
			t.Errorf("%s: %v, want ErrNotText", name, err)
		}
	}
	for _, sample := range []string{"", "\n", " ", "\r", "\"", "\ufeff", ",", "'", "\\"} {
		d, err := Detect([]byte(sample), true, table.Options{})
		if err != nil || d.Separator == 0 {
			t.Errorf("%q: %s, %v", sample, d, err)
		}
	}
}

func TestNumber(t *testing.T) {
	plain := Dialect{Decimal: '.'}
	for _, c := range []struct {
		d    Dialect
		text string
		want float64 // NaN if it is not a number
	}{
		{plain, "1.5", 1.5}, {plain, " -2e3 ", -2000}, {plain, "+.5", 0.5}, {plain, "5.", 5}, {plain, "1E-2",
			0.01}, {Dialect{}, "1.5", 1.5},
		{plain, "0", 0}, {plain, "17", 17}, {plain, "12345678901234567890", 12345678901234567890}, {plain, "1e-400",
			0},
		{plain, "", math.NaN()}, {plain, "-", math.NaN()}, {plain, ".", math.NaN()}, {plain, "1,5",
			math.NaN()}, {plain, "1_000", math.NaN()},
		{plain, "0x10", math.NaN()}, {plain, "inf", math.NaN()}, {plain, "NaN", math.NaN()}, {plain, "12 %",
			math.NaN()}, {plain, "$5", math.NaN()},
		{plain, "1e", math.NaN()}, {plain, "e5", math.NaN()}, {plain, "1e400", math.NaN()}, {plain, "1.2.3",
			math.NaN()}, {plain, "1-2", math.NaN()},
		{plain, "1e5.5", math.NaN()}, {plain, "--1", math.NaN()}, {plain, "1 2", math.NaN()}, {plain, "1e+-2",
			math.NaN()}, {plain, "\u0661", math.NaN()},
		{Dialect{Decimal: ','}, "1,5", 1.5}, {Dialect{Decimal: ','}, "1.5", math.NaN()}, {Dialect{Decimal: ','},
			"-0,25e1", -2.5},
		{Dialect{Decimal: ',', Thousands: '.'}, "1.234,5", 1234.5}, {Dialect{Decimal: ',', Thousands: '.'},
			"1.234.567", 1234567},
		{Dialect{Decimal: ',', Thousands: '.'}, "1234,5", 1234.5}, {Dialect{Decimal: ',', Thousands: '.'}, "1.23",
			math.NaN()},
		{Dialect{Decimal: '.', Thousands: ','}, "1,234.5", 1234.5}, {Dialect{Decimal: '.', Thousands: ','}, "12,34",
			math.NaN()},
		{Dialect{Decimal: '.', Thousands: ','}, "1234,567", math.NaN()}, {Dialect{Decimal: '.', Thousands: ','},
			",123", math.NaN()},
		{Dialect{Decimal: '.', Thousands: ','}, "1,234e2", 123400}, {Dialect{Decimal: '.', Thousands: ','},
			"1.5,000", math.NaN()},
		{Dialect{Decimal: '.', Thousands: ','}, "1,23.5", math.NaN()}, {Dialect{Decimal: '.', Thousands: ','},
			"-1,000,000", -1e6},
		{Dialect{Decimal: ',', Thousands: ' '}, "1 234,5", 1234.5}, {Dialect{Decimal: ',', Thousands: ' '},
			"1\u00a0234\u202f567", 1234567},
		{Dialect{Decimal: '.', Thousands: '\''}, "1'234.5", 1234.5},
	} {
		v, ok := c.d.Number(c.text)
		if ok == math.IsNaN(c.want) || ok && v != c.want {
			t.Errorf("decimal %q, thousands %q: Number(%q) = %v, %v; want %v", c.d.Decimal, c.d.Thousands, c.text, v,
				ok, c.want)
		}
	}
}

// write writes records in a dialect, quoting cells where necessary or everywhere.
func write(records [][]string, d Dialect, everywhere bool) string {
	var b strings.Builder
	if d.Skip > 0 {
		b.WriteString(strings.Repeat("title\n", d.Skip))
	}
	for _, record := range records {
		for i, c := range record {
			if i > 0 {
				b.WriteRune(d.Separator)
				if d.Separator == ' ' {
					b.WriteString(strings.Repeat(" ", len(c)%3))
				}
			}
			if everywhere || c == "" && d.Separator == ' ' || strings.ContainsAny(c, " \"'\n\\"+string(d.Separator)) {
				if d.Escape == '\\' {
					c = strings.ReplaceAll(c, `\`, `\\`)
				}
				c = string(d.Quote) + strings.ReplaceAll(c, string(d.Quote), string(d.Escape)+string(d.Quote)) +
					string(d.Quote)
			}
			b.WriteString(c)
		}
		if d.Trailing {
			b.WriteRune(d.Separator)
		}
		b.WriteByte('\n')
	}
	text := strings.ReplaceAll(b.String(), "\n", map[string]string{"lf": "\n", "crlf": "\r\n",
		"cr": "\r"}[d.LineEnd])
	switch d.Encoding {
	case "utf-16le":
		text = utf16(text, unicode.LittleEndian, unicode.IgnoreBOM)
	case "utf-16be":
		text = utf16(text, unicode.BigEndian, unicode.IgnoreBOM)
	case "latin-1":
		text = latin1(text)
	}
	return text
}

// The dialect of a written table is detected, and its cells are read back.
func TestRoundTrip(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	words := []string{"red", "größer", "blue sky", "it's", "say \"hi\" now", "a, b; c", "two\nlines", `C:\dir`,
		"x|y", "", "NA"}
	for i := range 400 {
		d := Dialect{
			Separator: []rune(",;\t|^ ")[i%6],
			Quote:     []rune("\"\"'")[rng.IntN(3)],
			Decimal:   []rune(".,")[rng.IntN(2)],
			Encoding:  []string{"utf-8", "utf-8", "latin-1", "utf-16le", "utf-16be"}[rng.IntN(5)],
			LineEnd:   []string{"lf", "crlf", "cr"}[rng.IntN(3)],
			Header:    rng.IntN(3) > 0,
			Trailing:  i%6 != 5 && rng.IntN(4) == 0,
			Skip:      rng.IntN(2) * rng.IntN(3),
		}
		d.Escape = d.Quote
		if rng.IntN(3) == 0 {
			d.Escape = '\\'
		}
		var records [][]string
		if d.Header {
			records = append(records, []string{"n", "wert", "größe", "tag", "note"})
		}
		for r := range 8 + rng.IntN(20) {
			number := strings.Replace(fmt.Sprintf("%.2f", 100*rng.NormFloat64()), ".", string(d.Decimal), 1)
			records = append(records, []string{fmt.Sprint(r), number, words[rng.IntN(3)], fmt.Sprintf("2024-01-%02d",
				1+rng.IntN(28)), words[rng.IntN(len(words))]})
		}
		// Rows that distinguish Quote and Escape from their alternatives.
		records = append(records, []string{"99", "1" + string(d.Decimal) + "5", "say " + string(d.Quote) + "hi" +
			string(d.Quote) + ", then", "2024-02-01", "größer, " + string(d.Quote)})
		text := write(records, d, i%2 == 0)
		got, err := Detect([]byte(text), true, table.Options{})
		got.late, got.guessed, got.Cells = d.late, d.guessed, d.Cells // these are not part of d
		if err != nil || got != d {
			t.Errorf("%d: %s, %v; want %s\n%+v\n%+v\n%.300q", i, got, err, d, got, d, text)
			continue
		}
		cells := read(t, text, got)
		if !reflect.DeepEqual(cells, records) {
			t.Errorf("%d: %s: read %q, want %q", i, d, cells, records)
		}
	}
}

// tedious returns texts of a given number of bytes that repeat a single pattern.
func tedious(size int) map[string][]byte {
	texts := map[string][]byte{}
	for _, part := range []string{",", "\"", "'", " ", "a", "a ", "\" ", "\",", ",\n", ";,|\t", "\\\"", "\"\n",
		"#\n", "(", "1.", "é", "\x00a"} {
		texts[part] = bytes.Repeat([]byte(part), size/len(part))
	}
	return texts
}

// Texts that repeat a pattern many times are read or rejected. BenchmarkTedious shows that the time is not
// quadratic in their length.
func TestTedious(t *testing.T) {
	for part, text := range tedious(64 << 10) {
		d, err := Detect(text, false, table.Options{})
		var ambiguous *Ambiguous
		if err != nil && !errors.As(err, &ambiguous) && !errors.Is(err, ErrNotText) {
			t.Errorf("%q…: %v", part, err)
		}
		_, _ = all(NewReader(bytes.NewReader(text), "", d)) // an unclosed quote is an error
	}
}

func FuzzDetect(f *testing.F) {
	for _, c := range samples {
		f.Add([]byte(c.text), true)
	}
	f.Fuzz(func(t *testing.T, text []byte, whole bool) {
		if len(text) > 4<<10 {
			return
		}
		d, err := Detect(text, whole, table.Options{})
		var ambiguous *Ambiguous
		if err != nil && !errors.As(err, &ambiguous) {
			if !errors.Is(err, ErrNotText) {
				t.Fatalf("%q: %v", text, err)
			}
			return
		}
		records, err := all(NewReader(bytes.NewReader(text), "", d))
		if err != nil {
			if f, ok := errors.AsType[table.Finding](err); !ok || f.Code != texts.OpenQuote {
				t.Fatalf("%q: %s: %v", text, d, err)
			}
			return
		}
		if pieces, err := all(NewReader(iotest.OneByteReader(bytes.NewReader(text)), "", d)); err != nil ||
			!reflect.DeepEqual(pieces, records) {
			t.Fatalf("%q: %s: in pieces %q, %v; want %q", text, d, pieces, err, records)
		}
	})
}
