package dialect

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
)

const iris = "sepal_length,sepal_width,species\n5.1,3.5,setosa\n4.9,3.0,setosa\n6.3,3.3,virginica\n5.8,2.7,virginica\n"

// utf16 returns a text in UTF-16.
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

// Each text, what Detect says of it, and a record as it is read, the number of which counts
// from 0 with the header.
var texts = []struct {
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
	{"blanks and tabs, at the ends of lines too", " 1.5 \t 2.5  3\n 4.0 5.0  6 \n-1e3 0 2\n", "blanks, no header", 1, []string{"4.0", "5.0", "6"}},
	{"colon", "user:uid:shell\nroot:0:/bin/sh\ndaemon:1:/bin/false\nbin:2:/bin/false\n", "':'", 1, []string{"root", "0", "/bin/sh"}},
	{"times are no columns", "time,value\n12:30:01,5\n12:30:02,6\n12:30:03,8\n", "comma", 1, []string{"12:30:01", "5"}},
	{"a column of times", "time\n12:30:01\n12:30:02\n12:30:03\n", "comma", 1, []string{"12:30:01"}},
	{"a column of dates with times", "2024-01-02 12:00\n2024-01-03 12:30\n2024-01-04 13:00\n", "comma, no header", 0, []string{"2024-01-02 12:00"}},
	{"a column of numbers", "weight\n1.5\n2.5\n1000\n", "comma", 3, []string{"1000"}},
	{"a column of words", "species\nsetosa\nvirginica\nsetosa\n", "comma", 1, []string{"setosa"}},
	{"a column of sentences with commas", "Well, this is one.\nThis one has, as you see, three commas, in all.\nNone here.\nAnd this: one, or two?\nNo\n", "semicolon", 1, []string{"This one has, as you see, three commas, in all."}},
	{"names with blanks", "name,town\nAda Lovelace,London\nCarl Gauss,Goettingen\nEmmy Noether,Erlangen\n", "comma", 1, []string{"Ada Lovelace", "London"}},
	{"lists in cells", "id;tags\n1;a,b,c\n2;d,e,f\n3;g,h,i\n", "semicolon", 1, []string{"1", "a,b,c"}},
	{"pipes in cells", "id,tags,n\n1,a|b,2\n2,c|d|e,5\n3,f,7\n", "comma", 2, []string{"2", "c|d|e", "5"}},
	{"empty cells", "a,b,c\n1,,\n,,3\n,2,\n", "comma", 2, []string{"", "", "3"}},
	{"comma and blank", "a, b, c\n1, 2, x\n3, 4, y\n", "comma", 1, []string{"1", " 2", " x"}},
	{"Excel's sep=", "sep=;\na;b\n1,5;x\n2,5;y\n", "semicolon, decimal comma, 1 line skipped", 1, []string{"1,5", "x"}},
	{"prices", "item;price\nhat;€ 3,50\ncoat;€ 120,00\nshoe;€ 12,95\n", "semicolon, decimal comma", 1, []string{"hat", "€ 3,50"}},

	// Quotes.
	{"quoted separators", "name,n\n\"Smith, J.\",1\n\"Gauss, C.\",2\n", "comma", 1, []string{"Smith, J.", "1"}},
	{"doubled quotes", "name,n\n\"say \"\"hi\"\"\",1\n\"a, \"\"b\"\"\",2\n", "comma", 2, []string{`a, "b"`, "2"}},
	{"backslash", "name,n\n\"say \\\"hi\\\", now\",1\n\"back\\\\slash\",2\n\"x\\y\",3\n", "comma, backslash escapes", 1, []string{`say "hi", now`, "1"}},
	{"backslash of a backslash", "name,n\n\"say \\\"hi\\\", now\",1\n\"back\\\\slash\",2\n\"x\\y\",3\n", "comma, backslash escapes", 2, []string{`back\slash`, "2"}},
	{"backslash of a path", "name,n\n\"say \\\"hi\\\", now\",1\n\"back\\\\slash\",2\n\"x\\y\",3\n", "comma, backslash escapes", 3, []string{`x\y`, "3"}},
	{"single quotes", "name,n\n'Smith, J.',1\n'it''s, now',2\n", "comma, single quotes", 2, []string{"it's, now", "2"}},
	{"double quotes within single", "name;n\n'a \"b\" c';1\n'x;y';2\n", "semicolon, single quotes", 1, []string{`a "b" c`, "1"}},
	{"apostrophes", "name,n\nO'Neill,1\nD'Arcy,2\nL'Hospital,3\n", "comma", 1, []string{"O'Neill", "1"}},
	{"inches", "size\tn\n5\" pipe\t1\n7\" pipe, long\t2\n", "tab", 2, []string{`7" pipe, long`, "2"}},
	{"a quote that is never closed", "a,b\n\"x,1\ny,2\nz,3\nu,4\nv,5\n", "comma, no quotes", 1, []string{`"x`, "1"}},
	{"lines in quotes", "id,note\n1,\"two\nlines, here\"\n2,\"a|b|c\nd|e|f\n\"\n3,x\n", "comma", 1, []string{"1", "two\nlines, here"}},
	{"blanks around quotes", "a, b\n\"1, 2\" , \"x\"\n\"3\", \"y, z\"\n", "comma", 1, []string{"1, 2", "x"}},
	{"everything quoted", "\"a\";\"b\"\n\"1,5\";\"x\"\n\"2,25\";\"y\"\n", "semicolon, decimal comma", 2, []string{"2,25", "y"}},
	{"JSON in cells", "id,doc\n1,\"{\"\"a\"\": 1, \"\"b\"\": [2, 3]}\"\n2,\"{\"\"a\"\": 4, \"\"b\"\": []}\"\n", "comma", 1, []string{"1", `{"a": 1, "b": [2, 3]}`}},
	{"CR and LF in a cell", "id,note\r\n1,\"two\r\nlines\"\r\n2,x\r\n", "comma", 1, []string{"1", "two\nlines"}},

	// Encodings and line ends.
	{"BOM", "\ufeff" + iris, "comma", 0, []string{"sepal_length", "sepal_width", "species"}},
	{"Latin-1", latin1("größe;farbe\n1;grün\n2;weiß\n"), "semicolon, Latin-1", 1, []string{"1", "grün"}},
	{"Windows-1252", latin1("name;price\nhat;5 €\ncoat;7 €\n"), "semicolon, Latin-1", 1, []string{"hat", "5 €"}},
	{"UTF-16", utf16(iris, unicode.LittleEndian, unicode.UseBOM), "comma, UTF-16 (little-endian)", 1, []string{"5.1", "3.5", "setosa"}},
	{"UTF-16, high byte first", utf16(iris, unicode.BigEndian, unicode.UseBOM), "comma, UTF-16 (big-endian)", 1, []string{"5.1", "3.5", "setosa"}},
	{"UTF-16 without BOM", utf16(iris, unicode.LittleEndian, unicode.IgnoreBOM), "comma, UTF-16 (little-endian)", 0, []string{"sepal_length", "sepal_width", "species"}},
	{"UTF-16 without BOM, high byte first", utf16(iris, unicode.BigEndian, unicode.IgnoreBOM), "comma, UTF-16 (big-endian)", 0, []string{"sepal_length", "sepal_width", "species"}},
	{"a broken character in UTF-8", "name,n\nJosé,1\nRené,2\nZoé,3\nChloé,4\nAndr\xe9,5\n", "comma", 1, []string{"José", "1"}},
	{"CRLF", strings.ReplaceAll(iris, "\n", "\r\n"), "comma", 1, []string{"5.1", "3.5", "setosa"}},
	{"CR", strings.ReplaceAll(iris, "\n", "\r"), "comma, CR line ends", 1, []string{"5.1", "3.5", "setosa"}},
	{"no line end at the end", strings.TrimSuffix(iris, "\n"), "comma", 4, []string{"5.8", "2.7", "virginica"}},

	// Decimal and thousands marks.
	{"decimal comma", "x;y\n1,5;2\n3,25;4\n", "semicolon, decimal comma", 1, []string{"1,5", "2"}},
	{"decimal comma in quotes", "x,y\n\"1,5\",2\n\"3,25\",4\n", "comma, decimal comma", 1, []string{"1,5", "2"}},
	{"decimal comma with tabs", "x\ty\n1,5\t2\n3,25\t4\n", "tab, decimal comma", 1, []string{"1,5", "2"}},
	{"decimal comma, thousands point", "x;y\n1.234,5;2\n3,25;4\n", "semicolon, decimal comma, thousands point", 1, []string{"1.234,5", "2"}},
	{"thousands comma", "x,y\n\"1,234.5\",2\n\"1,000\",4\n", "comma, thousands comma", 1, []string{"1,234.5", "2"}},
	{"thousands comma twice", "x;y\n1,234,567;2\n1,000;4\n", "semicolon, thousands comma", 2, []string{"1,000", "4"}},
	{"thousands comma of large numbers only", "x;y\n1,234;2\n17;4\n2,000;5\n", "semicolon, thousands comma", 2, []string{"17", "4"}},
	{"thousands space", "x;y\n1 234,5;2\n12 345,25;4\n", "semicolon, decimal comma, thousands space", 1, []string{"1 234,5", "2"}},
	{"thousands no-break space", "x;y\n1\u00a0234,5;2\n12\u202f345,25;4\n", "semicolon, decimal comma, thousands space", 1, []string{"1\u00a0234,5", "2"}},
	{"thousands apostrophe", "x;y\n1'234.50;2\n12'345.25;4\n", "semicolon, thousands apostrophe", 1, []string{"1'234.50", "2"}},
	{"leading zero", "x;y\n0,125;2\n0,250;4\n", "semicolon, decimal comma", 1, []string{"0,125", "2"}},
	{"another column tells", "x;y\n1,125;0,5\n2,250;4,5\n", "semicolon, decimal comma", 1, []string{"1,125", "0,5"}},
	{"colours are no numbers", "file\tcolour\na.jpg\t51,47,45\nb.jpg\t102,100,107\nc.jpg\t7,8,9\n", "tab", 1, []string{"a.jpg", "51,47,45"}},

	// Headers.
	{"no header", "1,2,a\n3,4,b\n5,6,a\n", "comma, no header", 0, []string{"1", "2", "a"}},
	{"text with header", "name,town\nada,london\ncarl,berlin\nemmy,berlin\n", "comma", 0, []string{"name", "town"}},
	{"text without header", "red,round\nblue,square\nred,square\ngreen,round\nblue,round\n", "comma, no header", 0, []string{"red", "round"}},
	{"header alone", "a,b,c\n", "comma", 0, []string{"a", "b", "c"}},
	{"numbers alone", "1,2,3\n", "comma, no header", 0, []string{"1", "2", "3"}},
	{"years", "country,2019,2020,2021\nAustria,1.5,2,3\nBelgium,4,5,6.5\n", "comma", 0, []string{"country", "2019", "2020", "2021"}},
	{"missing in the first record", "NA,1\n5,2\n6,3\n", "comma, no header", 0, []string{"NA", "1"}},
	{"dates", "day,n\n2024-01-02,1\n2024-01-03,2\n", "comma", 1, []string{"2024-01-02", "1"}},
	{"two headers alike", "a,b\na,b\nx,1\ny,2\n", "comma", 2, []string{"x", "1"}},
	{"R, one cell more", "mpg cyl\n\"Mazda RX4\" 21 6\n\"Datsun 710\" 22.8 4\n\"Hornet 4\" 21.4 6\n", "blanks, row names", 1, []string{"Mazda RX4", "21", "6"}},
	{"R, write.csv", "\"\",\"x\",\"y\"\n\"1\",2,\"a\"\n\"2\",5,\"b\"\n\"3\",5,\"b\"\n", "comma, row names", 1, []string{"1", "2", "a"}},
	{"a first column that repeats names no rows", ",x\na,2\na,3\nb,4\n", "comma", 1, []string{"a", "2"}},

	// What is around the table.
	{"trailing separators", "a;b;\n1;x;\n2;y;\n", "semicolon, trailing separators", 1, []string{"1", "x"}},
	{"trailing separators, but not of the header", "a;b\n1;x;\n2;y;\n", "semicolon, trailing separators", 1, []string{"1", "x"}},
	{"an empty last column with a name", "a;b\n1;\n2;\n", "semicolon", 1, []string{"1", ""}},
	{"title", "Sales of 2023\n\nitem,n,price\nhat,1,3.5\ncoat,5,120\n", "comma, 2 lines skipped", 0, []string{"item", "n", "price"}},
	{"title with separators", "Sales of 2023,,\n,,\nitem,n,price\nhat,1,3.5\ncoat,5,120\n", "comma, 2 lines skipped", 0, []string{"item", "n", "price"}},
	{"settings above the table", "instrument: X1\ndate: 2023-05-01\na;b;c\n1;2;3\n4;5;6\n7;8;9\n", "semicolon, 2 lines skipped", 0, []string{"a", "b", "c"}},
	{"footer", "a,b\n1,2\n3,4\n5,6\nSource: the office\n", "comma", 4, []string{"Source: the office"}},
	{"comments", "# made by hand\n# in 2023, in May\na,b\n1,2\n# the next are doubtful, all, of, them\n3,4\n5,6\n7,8\n", "comma, comments after #", 2, []string{"3", "4"}},
	{"comments after %", "% made by hand; in May\na;b\n1;2\n3;4\n", "semicolon, comments after %", 1, []string{"1", "2"}},
	{"comments after //", "// made by hand\nx y\n1 2\n3 4\n", "blanks, comments after //", 1, []string{"1", "2"}},
	{"header after #", "#a,b\n1,2\n3,4\n", "comma", 0, []string{"#a", "b"}},
	{"header in the last comment", "# made by hand\n# a,b\n1,2\n3,4\n5,6\n7,8\n9,10\n", "comma, 1 line skipped", 0, []string{"# a", "b"}},
	{"numbers after # are cells", "name,n\n#1 hit,5\n#2 hit,7\nother,8\nand more,9\nlast,1\n", "comma", 1, []string{"#1 hit", "5"}},
	{"two tables", "a,b\n1,2\n3,4\n\nx,y,z\n5,6,7\n8,9,1\n", "comma", 0, []string{"a", "b"}},
	{"blank lines", "\n\na,b\n\n1,2\n   \n3,4\n", "comma", 2, []string{"3", "4"}},
}

// read returns the records of a text in a dialect.
func read(t *testing.T, text string, d Dialect) [][]string {
	t.Helper()
	r := csv.NewReader(NewReader(strings.NewReader(text), d))
	r.FieldsPerRecord = -1
	records, err := r.ReadAll()
	if err != nil {
		t.Fatalf("%s: %v", d, err)
	}
	return records
}

func TestTexts(t *testing.T) {
	for _, c := range texts {
		t.Run(c.name, func(t *testing.T) {
			d, err := Detect([]byte(c.text), true, Options{})
			if err != nil {
				t.Errorf("%v", err)
			}
			if d.String() != c.want {
				t.Errorf("detected %s, want %s", d, c.want)
			}
			records := read(t, c.text, d)
			if c.number >= len(records) || !slices.Equal(records[c.number], c.record) {
				t.Errorf("read %q, want %q as record %d", records, c.record, c.number)
			}
		})
	}
}

var _ = []any{bytes.Equal, errors.Is, fmt.Sprint, io.EOF, math.Abs, rand.Int, os.Getenv, reflect.DeepEqual, iotest.OneByteReader, time.Now}
