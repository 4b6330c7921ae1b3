package tables_test

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	pq "github.com/parquet-go/parquet-go"
	"github.com/xuri/excelize/v2"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"

	"github.com/mpcvm/mpcvm/tables"
	"github.com/mpcvm/mpcvm/tables/table"
)

// wild is a file as written by other programs, with the expected result.
type wild struct {
	file    string
	content []byte
	o       tables.Options
	rows    int    // expected, unless refused is set
	refused string // code of the expected error, or a substring of it
	columns string // name=kind, …
	cells   string // row,name=text; …
	reading string // Reading; not compared if empty
	note    string // code of a note, or a substring of it
}

// lines returns a header and n rows.
func lines(header string, n int, row func(i int) string) []byte {
	var b strings.Builder
	if header != "" {
		b.WriteString(header + "\n")
	}
	for i := range n {
		b.WriteString(row(i) + "\n")
	}
	return []byte(b.String())
}

func pick(i int, texts ...string) string { return texts[i%len(texts)] }

func zipped(b []byte) []byte {
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	_, _ = z.Write(b)
	_ = z.Close()
	return out.Bytes()
}

func cut(b []byte) []byte { return b[:len(b)-9] }

// damaged changes the checksum of a gzip file.
func damaged(b []byte) []byte {
	b[len(b)-8]++
	return b
}

func latin1(b []byte) []byte {
	out, err := charmap.Windows1252.NewEncoder().Bytes(b)
	if err != nil {
		panic(err)
	}
	return out
}

func utf16(order unicode.Endianness, b []byte) []byte {
	out, err := unicode.UTF16(order, unicode.UseBOM).NewEncoder().Bytes(b)
	if err != nil {
		panic(err)
	}
	return out
}

func replaced(b []byte, pairs ...string) []byte {
	return []byte(strings.NewReplacer(pairs...).Replace(string(b)))
}

// book returns an Excel file. Cells are Go values; formats has number formats by column.
func book(sheets map[string][][]any, order []string, formats map[string]string) []byte {
	f := excelize.NewFile()
	defer f.Close()
	for i, name := range order {
		if i == 0 {
			_ = f.SetSheetName("Sheet1", name)
		} else if _, err := f.NewSheet(name); err != nil {
			panic(err)
		}
		for r, row := range sheets[name] {
			for c, v := range row {
				at, _ := excelize.CoordinatesToCellName(c+1, r+1)
				if err := f.SetCellValue(name, at, v); err != nil {
					panic(err)
				}
			}
		}
		for column, format := range formats {
			style, err := f.NewStyle(&excelize.Style{CustomNumFmt: &format})
			if err != nil {
				panic(err)
			}
			for r := 1; r <= len(sheets[name]); r++ {
				at := fmt.Sprint(column, r)
				if kind, _ := f.GetCellType(name, at); kind != excelize.CellTypeSharedString {
					if err := f.SetCellStyle(name, at, at, style); err != nil {
						panic(err)
					}
				}
			}
		}
	}
	var b bytes.Buffer
	if err := f.Write(&b); err != nil {
		panic(err)
	}
	return b.Bytes()
}

func sheet(rows ...[]any) []byte {
	return book(map[string][][]any{"Data": rows}, []string{"Data"}, nil)
}

// parquetOf returns a Parquet file with the rows.
func parquetOf[T any](rows []T) []byte {
	var b bytes.Buffer
	w := pq.NewGenericWriter[T](&b)
	if _, err := w.Write(rows); err != nil {
		panic(err)
	}
	if err := w.Close(); err != nil {
		panic(err)
	}
	return b.Bytes()
}

type flower struct {
	Index  int64     `parquet:"__index_level_0__"`
	Length float64   `parquet:"length"`
	Width  *float64  `parquet:"width,optional"`
	Count  int32     `parquet:"count"`
	Fresh  bool      `parquet:"fresh"`
	Picked time.Time `parquet:"picked,timestamp(microsecond)"`
	Day    int32     `parquet:"day,date"`
	Where  string    `parquet:"where,dict"`
	Class  *string   `parquet:"class,optional"`
}

type account struct {
	Number int64    `parquet:"number"`
	Tags   []string `parquet:"tags,list"`
	X      float32  `parquet:"x"`
	Inner  struct {
		A, B float64
	} `parquet:"inner"`
	Code string `parquet:"code"`
	Y    string `parquet:"y"`
}

func flowers(n int) []flower {
	rows := make([]flower, n)
	for i := range rows {
		width, class := float64(i%7)/4, pick(i, "setosa", "virginica")
		rows[i] = flower{int64(i), float64(i%11) / 8, &width, int32(i % 9), i%3 == 0, time.Date(2021, 5, 1+i%28, 12,
			30, 0, 0, time.UTC),
			int32(18000 + i), pick(i, "Ulm", "Bonn", "Köln"), &class}
	}
	rows[1].Width, rows[2].Class = nil, nil
	return rows
}

func accounts(n int) []account {
	rows := make([]account, n)
	for i := range rows {
		rows[i] = account{Number: 9007199254740993 + int64(i)*7, X: float32(i%5) / 2, Code: fmt.Sprintf("%03d",
			i%4), Y: pick(i, "a", "b")}
	}
	return rows
}

// irisLines returns a plain table of 24 rows with two numbers and a class.
func irisLines(header string, form string) []byte {
	return lines(header, 24, func(i int) string {
		return fmt.Sprintf(form, 4.5+float64(i%13)/8, 1+float64(i%7)/4, pick(i, "setosa", "versicolor",
			"virginica"))
	})
}

const irisColumns = "length=number, width=number, class=category"

// wilds returns files of every format, with every fault that the readers detect.
func wilds() []wild {
	plain := irisLines("length,width,class", "%.3f,%.2f,%s")
	semicolon := replaced(irisLines("length;width;class", "%.3f;%.2f;%s"), ".", ",")
	headless := irisLines("", "%.3f,%.2f,%s")
	irisCells := "0,length=4.5; 1,length=4.625; 3,width=1.75; 2,class=virginica"
	long := lines("a,b", 30000, func(i int) string {
		if i == 29000 {
			return "oops,x"
		}
		return fmt.Sprintf("%d.5,%s", i%5000, pick(i, "x", "y"))
	})
	codes := lines("code,b", 30000, func(i int) string {
		return fmt.Sprintf("%s%d,%s", pick(i/20000, "", "0"), 1000+i%700, pick(i, "x", "y"))
	})
	mixed := lines("id,day,state,zip,member,score,comment,class", 40, func(i int) string {
		return fmt.Sprintf("%d,2021-03-%02d,%s,%05d,%s,%.2f,\"they said no. %d, then %s, which was fine\",%s",
			100+i, 1+i%28, pick(i, "NY", "CA", "TX"), 1000+i%9*137,
			pick(i, "yes", "no"), float64(i%17)/3, i, pick(i, "yes", "maybe", "never"), pick(i, "good", "bad"))
	})
	one := func(name string, n int, cell func(i int) string) []byte {
		return lines("v,"+name+",class", n, func(i int) string {
			return fmt.Sprintf("%d.5,%s,%s", i%4, cell(i), pick(i, "a", "b"))
		})
	}
	r := func(form string) func(i int) string {
		return func(i int) string { return fmt.Sprintf(form, i+1, 1.5+float64(i%5)/4, pick(i, "x", "y")) }
	}
	weka := []byte("% from Weka\n@RELATION 'weather report'\n\n@ATTRIBUTE outlook {sunny, 'partly cloudy', " +
		"rainy}\n@ATTRIBUTE temperature NUMERIC\n" +
		"@ATTRIBUTE \"wind speed\" real\n@attribute seen date \"yyyy-MM-dd HH:mm\"\n@attribute remark " +
		"string\n@ATTRIBUTE play {yes, no}\n@DATA\n" +
		"sunny,85,1.5,\"2021-03-04 10:30\",'it\\'s hot, really',no\n% a comment\n'partly " +
		"cloudy',?,2,?,?,yes\nrainy, 70 , 2.5 ,\"2021-03-05 08:00\",wet,yes\n")

	w := []wild{
		// Separators, quotes, encodings.
		{file: "plain.csv", content: plain, rows: 24, columns: irisColumns, cells: irisCells, reading: "comma"},
		{file: "tab.tsv", content: irisLines("length\twidth\tclass", "%.3f\t%.2f\t%s"), rows: 24,
			columns: irisColumns, cells: irisCells, reading: "tab"},
		{file: "blanks.dat", content: irisLines("length  width  class", "%7.3f  %5.2f  %s"), rows: 24,
			columns: irisColumns, cells: irisCells, reading: "blanks"},
		{file: "line-breaks.csv", content: irisLines("length,width,class", "%.3f,%.2f,\"%s\nwild\""), rows: 24,
			columns: irisColumns, cells: "0,class=setosa\nwild"},
		{file: "utf16le.csv", content: utf16(unicode.LittleEndian, replaced(plain, "setosa", "sêtosa")), rows: 24,
			columns: irisColumns, cells: "0,class=sêtosa", reading: "comma, UTF-16 (little-endian)"},
		{file: "latin1.csv", content: latin1(replaced(semicolon, "length", "Länge", "setosa", "weiß")), rows: 24,
			columns: "Länge=number, width=number, class=category",
			cells:   "0,class=weiß; 0,Länge=4.5", reading: "semicolon, decimal comma, Latin-1"},
		{file: "plain.csv.gz", content: zipped(plain), rows: 24, columns: irisColumns, cells: irisCells,
			reading: "comma, gzip"},
		// Numbers.
		{file: "german.csv", content: lines("Stadt;Einwohner;Anteil;Klasse", 24, func(i int) string {
			return fmt.Sprintf("%s;1.%03d.%03d;%d,%d5;%s", pick(i, "Ulm", "Köln", "Bonn"), i*37%1000, i*11%1000, i%9,
				i%7, pick(i, "groß", "klein"))
		}), rows: 24, columns: "Stadt=category, Einwohner=number, Anteil=number, Klasse=category",
			cells: "1,Einwohner=1037011; 1,Anteil=1.15; 1,Stadt=Köln"},
		{file: "ambiguous-comma.csv", content: lines("price;class", 24, func(i int) string {
			return fmt.Sprintf("%d,%03d;%s", 1+i%9, 100+i*37%800, pick(i, "a", "b"))
		}), refused: "Options.Decimal"},
		{file: "ambiguous-comma-said.csv", content: lines("price;class", 24,
			func(i int) string { return fmt.Sprintf("%d,%03d;%s", 1+i%9, 100+i*37%800, pick(i, "a", "b")) }),
			o: tables.Options{Decimal: ","}, rows: 24, columns: "price=number, class=category", cells: "0,price=1.1"},
		{file: "units.csv", content: one("mass", 60, func(i int) string {
			return fmt.Sprintf("%d.5 %s", 50+i, pick(i, "kg", "lb", "kg"))
		}), rows: 60, columns: "v=number, mass=text, class=category",
			note: "several-units"},
		{file: "mysql.tsv", content: lines("a\tb\tclass", 24, func(i int) string {
			return fmt.Sprintf("%s\t%s\t%s", pick(i, "1.5", `\N`, "2.5"), pick(i, "x", "y", "z", `\N`),
				pick(i, "a", "b"))
		}),
			rows: 24, columns: "a=number, b=category, class=category", cells: "0,a=1.5; 1,a=; 3,b="},
		{file: "stars.csv", content: lines("a,b,c,class", 24, func(i int) string {
			return fmt.Sprintf("%s,%s,%s,%s", pick(i, "1.5", "*", "2.5", "nd"), pick(i, "ja", "nein", "ND"),
				pick(i, "x", "*"), pick(i, "a", "b"))
		}), rows: 24, columns: "a=number, b=boolean, c=category, class=category", cells: "1,a=; 3,a=; 2,b=; 1,c=*"},
		{file: "janein.arff", content: lines("@relation r\n@attribute a {nein, ja}\n@attribute b "+
			"{off,on}\n@attribute class {x,y}\n@data", 24, func(i int) string {
			return fmt.Sprintf("%s,%s,%s", pick(i, "ja", "nein", "?"), pick(i, "off", "on"), pick(i, "x", "y"))
		}), rows: 24, columns: "a=boolean, b=boolean, class=category", cells: "0,a=ja; 2,a="},
		{file: "account-numbers.csv", content: one("account", 12, func(i int) string {
			return fmt.Sprintf("90071992547409930%d", i)
		}), rows: 12, columns: "v=number, account=id, class=category",
			cells: "1,account=900719925474099301"},
		// Missing values and cells that are not numbers.
		{file: "missing.csv", content: one("x", 24, func(i int) string {
			return pick(i, "1.5", "NA", "2.5", "N/A", "?", "3.5", ".", "NaN", "null", "", "n/a", "#N/A")
		}), rows: 24,
			columns: "v=number, x=number, class=category", cells: "0,x=1.5; 1,x=; 3,x=; 4,x=; 6,x=; 7,x=; 8,x=; " +
				"9,x=; 10,x=; 11,x="},
		{file: "none-some-all.csv", content: one("pets", 24, func(i int) string {
			return pick(i, "none", "some", "all")
		}), rows: 24, columns: "v=number, pets=category, class=category", cells: "0,pets=none"},
		{file: "sentinel.csv", content: one("x", 24, func(i int) string {
			return pick(i, "1.5", "-999", "2.5", "-999.0")
		}), o: tables.Options{Missing: []string{"-999"}}, rows: 24,
			columns: "v=number, x=number, class=category", cells: "1,x=; 3,x="},
		{file: "not-determined.csv", content: one("ph", 24, func(i int) string {
			return pick(i, "7.1", "n.d.", "6.9", "7.3", "7.4", "6.5")
		}), rows: 24, columns: "v=number, ph=number, class=category",
			cells: "1,ph=", note: "limits"},
		{file: "late-fault.csv", content: long, rows: 30000, columns: "a=number, b=category",
			cells: "29000,a=; 29001,a=4001.5", note: "line 29002"},
		{file: "late-codes.csv", content: codes, rows: 30000, columns: "code=category, b=category",
			cells: "0,code=1000; 20000,code=01400"},
		// Kinds.
		{file: "mixed.csv", content: mixed, rows: 40, columns: "id=id, day=date, state=category, zip=category, " +
			"member=boolean, score=number, comment=text, class=category",
			cells: "0,zip=01000; 1,day=2021-03-02; 0,member=yes; 3,score=1"},
		{file: "yes-no.csv", content: one("ok", 24, func(i int) string { return pick(i, "Yes", "no", "yes") }),
			rows: 24, columns: "v=number, ok=boolean, class=category", note: "3 spellings"},
		{file: "blank-names.csv", content: irisLines("a,,class", "%.3f,%.2f,%s"), rows: 24,
			columns: "a=number, x2=number, class=category", note: "column 2 has no name"},
		{file: "kind-said.csv", content: one("grade", 24, func(i int) string { return pick(i, "1", "2", "3") }),
			o: tables.Options{Kinds: map[string]table.Kind{"grade": table.Category}}, rows: 24,
			columns: "v=number, grade=category, class=category"},
		{file: "drop-and-id.csv", content: mixed, o: tables.Options{Drop: []string{"comment", "day"},
			ID: []string{"zip"}}, rows: 40,
			columns: "id=id, state=category, zip=id, member=boolean, score=number, class=category"},
		{file: "no-such-column.csv", content: plain, o: tables.Options{Drop: []string{"hight"}},
			refused: "no-such-column"},
		// Headers, lines around the table, ragged rows.
		{file: "uci.data", content: replaced(headless, "1.75", "?"), rows: 24,
			columns: "x1=number, x2=number, x3=category", cells: "3,x2=; 0,x1=4.5", reading: "comma, no header",
			note: "no-header"},
		{file: "header-said.csv", content: lines("2019,2020,2021", 12,
			func(i int) string { return fmt.Sprintf("%d,%d,%d", i%5, i*7%11, i*5%7) }), o: tables.Options{
			Header: "yes"}, rows: 12,
			columns: "2019=number, 2020=number, 2021=number"},
		{file: "comments-said.csv", content: append([]byte("// made, by hand\n"), replaced(plain, "\n4.625",
			"\n// a, b\n4.625")...), o: tables.Options{Comment: "//"}, rows: 24, columns: irisColumns},
		{file: "skip-said.csv", content: append([]byte("a,b\nc,d\n"), plain...), o: tables.Options{Skip: 2},
			rows: 24, columns: irisColumns, cells: irisCells},
		{file: "trailing-rows.csv", content: replaced(plain, "setosa\n", "setosa,\n"), rows: 24,
			columns: irisColumns, cells: irisCells},
		{file: "footer.csv", content: append(bytes.Clone(plain), "(24 rows)\n"...), rows: 24, columns: irisColumns,
			note: "footer"},
		{file: "ragged.csv", content: replaced(plain, "\n4.625,1.25", "\n4.625"),
			refused: "line 3: wrong number of cells: 2"},
		{file: "decimal-comma-in-comma.csv", content: replaced(irisLines("length,width,class", "%.3f,%.2f,%s"),
			"5.", "5,"), refused: "Options.Separator"},
		{file: "unclosed-quote.csv", content: replaced(plain, "\n4.75", "\n\"4.75"), rows: 24, columns: irisColumns,
			cells: "2,length=", note: "4.75", reading: "comma, no quotes"},
		{file: "header-only.csv", content: []byte("a,b,class\n"), o: tables.Options{Header: "yes"},
			refused: "no samples"},
		{file: "empty.csv", content: nil, refused: "no samples"},
		// Files written by R and pandas.
		{file: "r-write-csv.csv", content: lines(`"","a","class"`, 24, r(`"%d",%.2f,"%s"`)), rows: 24,
			columns: "row=id, a=number, class=category", cells: "0,row=1; 1,a=1.75"},
		{file: "r-write-table.txt", content: lines(`"a" "class"`, 24, r(`"%d" %.2f "%s"`)), rows: 24,
			columns: "row=id, a=number, class=category", cells: "1,a=1.75"},
		{file: "pandas-index.csv", content: lines(",a,class", 24,
			func(i int) string { return fmt.Sprintf("%d,%d.5,%s", i, i%5, pick(i, "x", "y")) }), rows: 24,
			columns: "row=id, a=number, class=category", cells: "0,row=0"},
		// ARFF.
		{file: "weka.arff", content: weka, rows: 3, columns: "outlook=category, temperature=number, wind " +
			"speed=number, seen=date, remark=category, play=boolean",
			cells: "1,outlook=partly cloudy; 1,temperature=; 0,remark=it's hot, really; " +
				"0,seen=2021-03-04T10:30:00; 2,temperature=70", reading: "ARFF"},
		{file: "sparse.arff", content: []byte("@relation s\n@attribute a numeric\n@attribute b " +
			"{x,y}\n@attribute c {1,2,3}\n@data\n{0 2.5, 1 y}\n{2 3}\n{}\n"), rows: 3,
			columns: "a=number, b=category, c=category", cells: "0,a=2.5; 1,a=0; 1,b=x; 1,c=3; 2,c=1"},
		{file: "latin1.arff", content: latin1([]byte("@relation s\n@attribute a numeric\n@attribute b " +
			"{ja,größer}\n@data\n1,ja\n2.5,größer\n")), rows: 2, columns: "a=number, b=category", cells: "1,b=größer"},
		{file: "relational.arff", content: []byte("@relation s\n@attribute bag relational\n@attribute a " +
			"numeric\n@end bag\n@data\n'1',1\n"), refused: `line 2: attribute "bag" has the unsupported type`},
		{file: "bad-level.arff", content: []byte("@relation s\n@attribute a numeric\n@attribute b " +
			"{x,y}\n@data\n1,x\n2,z\n"), refused: `line 6, column 2 (b): not a level of the attribute: "z"`},
		// Excel.
		{file: "table.xlsx", content: sheet([]any{"length", "width", "class"}, []any{4.5, 1, "a"},
			[]any{5.25, nil, "b"}, []any{4.75, 2.5, "a"}), rows: 3,
			columns: "length=number, width=number, class=category", cells: "1,length=5.25; 1,width=",
			reading: `Excel, sheet "Data"`},
		{file: "titles.xlsx", content: sheet([]any{"Report of 2021"}, nil, []any{nil, "length", "width", "fresh",
			"class"}, []any{nil, 4.5, 1, true, "a"}, nil, []any{nil, 5.25, 2, false, "b"}), rows: 2,
			columns: "length=number, width=number, fresh=boolean, class=category",
			cells:   "1,length=5.25; 0,fresh=TRUE", note: "begins in row 3"},
		{file: "dates.xlsx",
			content: book(map[string][][]any{"A": {{"on", "at", "day", "n", "class"}, {44260, 44260.4375, 44260, 44260,
				"a"}, {44261, 44261.5, 44261, 44261.5, "b"}}}, []string{"A"},
				map[string]string{"A": "dd.mm.yyyy", "B": "yyyy-mm-dd hh:mm", "C": "d mmm yy",
					"D": "#,##0.00"}), rows: 2, columns: "on=date, at=date, day=date, n=number, class=category",
			cells: "0,on=2021-03-05; 0,at=2021-03-05T10:30:00; 1,day=2021-03-06; 1,n=44261.5"},
		{file: "sheets.xlsx", content: book(map[string][][]any{"Empty": nil, "First": {{"a", "b"}, {1, "x"}},
			"Second": {{"c", "d"}, {1.5, "x"}, {2.5, "y"}}}, []string{"Empty", "First", "Second"}, nil),
			o: tables.Options{Sheet: "Second"}, rows: 2, columns: "c=number, d=category"},
		{file: "readme.xlsx", content: book(map[string][][]any{"README": {{"Made in May", "by hand"}},
			"Chart": {{"title"}, {"x"}, {"y"}}, "Data": {{"a", "b"}, {1, "x"}, {2, "y"}, {3, "x"}}}, []string{"README",
			"Chart", "Data"}, nil),
			rows: 3, columns: "a=number, b=category", reading: `Excel, sheet "Data"`,
			note: "sheet-chosen"},
		{file: "sheet.csv", content: plain, o: tables.Options{Sheet: "Data"},
			refused: "sheet-of-text"},
		{file: "na-blanks.csv", content: irisLines("length,width,class", "%.3f,%.2f,%s"),
			o: tables.Options{Missing: []string{" 4.5", "setosa ",
				" "}}, rows: 24, columns: irisColumns, cells: "0,length=; 0,class=; 1,length=4.625"},
		{file: "cut.csv.gz", content: cut(zipped(plain)), refused: "the gzip file is truncated"},
		{file: "damaged.csv.gz", content: damaged(zipped(plain)), refused: "the gzip file is damaged"},
		{file: "no-such-sheet.xlsx", content: sheet([]any{"a"}, []any{1}), o: tables.Options{Sheet: "Date"},
			refused: "no-such-sheet"},
		{file: "no-header.xlsx", content: sheet([]any{4.5, 1, "a"}, []any{5.25, 2, "b"}), rows: 2,
			columns: "x1=number, x2=number, x3=category", note: "no header"},
		{file: "codes.xlsx", content: sheet([]any{"zip", "class"}, []any{"01234", "a"}, []any{"23456", "b"},
			[]any{"#N/A", "b"}), rows: 3, columns: "zip=category, class=category", cells: "0,zip=01234; 2,zip="},
		// Parquet.
		{file: "pandas.parquet", content: parquetOf(flowers(40)), rows: 40,
			columns: "__index_level_0__=id, length=number, width=number, count=number, fresh=boolean, picked=date, " +
				"day=date, where=category, class=category",
			cells: "1,width=; 2,class=; 0,fresh=true; 1,fresh=false; 1,picked=2021-05-02T12:30:00; " +
				"0,day=2019-04-14; 2,where=Köln", reading: "Parquet"},
		{file: "long-integers.parquet", content: parquetOf(accounts(24)), rows: 24,
			columns: "number=id, x=number, code=category, y=category", cells: "0,number=9007199254740993; 1,code=001",
			note: "nested"},
		{file: "kind-said.parquet", content: parquetOf(flowers(40)),
			o: tables.Options{Kinds: map[string]table.Kind{"count": table.Category, "day": table.Text},
				Drop: []string{"__index_level_0__"}}, rows: 40,
			columns: "length=number, width=number, count=category, fresh=boolean, picked=date, day=text, " +
				"where=category, class=category"},
		{file: "no-rows.parquet", content: parquetOf([]flower{}), refused: "no samples"},
		{file: "damaged.parquet", content: parquetOf(flowers(4))[:200], refused: "damaged.parquet"},
		// Files that are not tables.
		{file: "old.xls", content: []byte("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1 and so on"),
			refused: "save it as .xlsx"},
		{file: "archive.zip", content: []byte("PK\x05\x06" + strings.Repeat("\x00", 18)),
			refused: "unsupported file format"},
		{file: "page.csv", content: []byte("<!DOCTYPE html><html><body>404, not found</body></html>"),
			refused: "HTML"},
		{file: "list.json", content: []byte("[\n {\"a\": 1, \"b\": 2},\n {\"a\": 3, \"b\": 4}]"), refused: "JSON"},
		{file: "picture.csv", content: append([]byte("\x89PNG\r\n\x1a\n\x00\x00\x00"),
			bytes.Repeat([]byte{0, 1, 2, 255}, 99)...), refused: "unsupported file format"},
	}
	return w
}

// check compares a table with the expected one and describes the result.
func (w wild) check(got *table.Table, err error) (happened string, ok bool) {
	if err != nil {
		f, _ := errors.AsType[table.Finding](err)
		return "refused: " + err.Error(), w.refused != "" && (string(f.Code) == w.refused ||
			strings.Contains(err.Error(), w.refused))
	}
	var columns []string
	for i := range got.Columns {
		columns = append(columns, got.Columns[i].Name+"="+got.Columns[i].Kind.String())
	}
	happened = fmt.Sprintf("%d rows (%s): %s", got.Rows, got.Reading, strings.Join(columns, ", "))
	ok = w.refused == "" && got.Rows == w.rows && strings.Join(columns, ", ") == w.columns &&
		(w.reading == "" || w.reading == got.Reading)
	if w.note != "" && !slices.ContainsFunc(got.Notes, func(f table.Finding) bool {
		return string(f.Code) == w.note || strings.Contains(f.Error(), w.note)
	}) {
		happened, ok = happened+"; notes: "+strings.Join(table.Go.SayAll(got.Notes), "; "), false
	}
	for cell := range strings.SplitSeq(w.cells, "; ") {
		place, want, _ := strings.Cut(cell, "=")
		row, name, found := strings.Cut(place, ",")
		if !found {
			continue
		}
		var i int
		_, _ = fmt.Sscan(row, &i)
		column := got.Find(name)
		if column < 0 || i >= got.Rows {
			return happened + "; no cell " + place, false
		}
		if text := got.Columns[column].Text(i); text != want {
			happened, ok = fmt.Sprintf("%s; %s is %q", happened, place, text), false
		}
	}
	return happened, ok
}

// TestWild reads files as written by R, pandas, Excel, Weka and public archives. Each is read correctly, or
// rejected with the option that helps.
func TestWild(t *testing.T) {
	dir := t.TempDir()
	for _, w := range wilds() {
		path := filepath.Join(dir, w.file)
		if err := os.WriteFile(path, w.content, 0o644); err != nil {
			t.Fatal(err)
		}
		got, err := tables.Open(path, w.o)
		happened, ok := w.check(got, err)
		if !ok {
			t.Errorf("%s: %s", w.file, happened)
		}
		// Read gives the same result.
		again, err2 := tables.Read(t.Context(), bytes.NewReader(w.content), path, w.o)
		if happened2, _ := w.check(again, err2); happened2 != happened {
			t.Errorf("%s: from a file\n%s\nfrom a reader\n%s", w.file, happened, happened2)
		}
	}
}

// TestWildFiles reads the files of testdata/wild and similar ones.
func TestWildFiles(t *testing.T) {
	read := func(name string) []byte {
		content, err := os.ReadFile(filepath.Join("testdata", "wild", name))
		if err != nil {
			t.Fatal(err)
		}
		return content
	}
	rows := func(n int, form string) string {
		return string(lines("", n, func(i int) string {
			return fmt.Sprintf(form, 1.5+float64(i*7%11)/8, float64(i*5%13)/4, pick(i, "low", "high"))
		}))
	}
	plain := rows(24, "%.3f,%.2f,%s")
	for _, w := range []wild{
		{file: "two-headers.csv", content: read("two-headers.csv"), rows: 120, columns: "length=number, " +
			"width=number, class=category"},
		{file: "types-row.csv", content: read("types-row.csv"), rows: 80, columns: "mass=number, temp=number, " +
			"class=category", note: "Options.Skip 1"},
		{file: "header-again.csv", content: read("header-again.csv"), rows: 240,
			columns: "a=number, b=number, class=category", note: "repeated-header"},
		{file: "header-integers.csv", content: read("header-integers.csv"), rows: 120,
			columns: "0=number, 1=number, target=category"},
		{file: "gbk.csv", content: read("gbk.csv"), rows: 80, columns: "长度=number, 城市=category, 类别=category",
			note: "GBK"},
		{file: "sjis-pipe.csv", content: read("sjis-pipe.csv"), rows: 80,
			columns: "長さ=number, 機能=category, クラス=category", note: "Shift JIS"},
		{file: "cp1251.csv", content: read("cp1251.csv"), rows: 80, columns: "длина=number, город=category, " +
			"класс=category", note: "Windows-1251"},
		{file: "one-bad-byte.csv", content: read("one-bad-byte.csv"), rows: 121,
			columns: "a=number, Stadt=category, class=category", cells: "0,class=größer", note: "line 122"},
		{file: "row-in-quotes.csv", content: read("row-in-quotes.csv"), rows: 120,
			columns: "a=number, b=number, class=category"},
		{file: "quoted-tab.arff", content: read("quoted-tab.arff"), rows: 60, columns: "truth=category, " +
			"a=number, class=category", cells: "0,class=low; 1,class=high"},
		{file: "utf16.arff", content: read("utf16.arff"), rows: 60, columns: "a=number, class=category"},
		{file: "svmlight.txt", content: read("svmlight.txt"), rows: 80,
			columns: "x1=number, x2=number, class=category", cells: "0,class=-1"},
		{file: "merged-class.xlsx", content: read("merged-class.xlsx"), rows: 120,
			columns: "a=number, b=number, class=category", note: "118 blanks of merged cells"},
		{file: "units.csv", content: []byte("mass,temp,class\nkg,°C,\n" + plain), rows: 24,
			columns: "mass=number, temp=number, class=category", note: "line 2"},
		{file: "orange.csv", content: []byte("mass,temp,class\ncontinuous,continuous,discrete\n,,class\n" + plain),
			rows: 24, columns: "mass=number, temp=number, class=category"},
		{file: "one-fault.csv", content: []byte("mass,temp,class\nn.b.,1.5,low\n" + plain), rows: 25,
			columns: "mass=number, temp=number, class=category"},
		{file: "two-faults.csv", content: []byte("mass,temp,class\nn.b.,n.b.,low\n" + plain), rows: 25,
			columns: "mass=number, temp=number, class=category"},
		{file: "cr-no-relation.arff", content: []byte("@attribute\ta\tnumeric\r@attribute class " +
			"{low,high}\r@data\r1.5,low\r2.5,high\r"), rows: 2, columns: "a=number, class=category"},
		{file: "quotes-within.csv", content: []byte("\"a,b,class\"\n\"1.5,\"\"x, " +
			"y\"\",low\"\n\"2.5,\"\"z\"\",high\"\n\"2.5,\"\"z\"\",high\"\n"), rows: 3, columns: "a=number, b=category, class=category", cells: "0,b=x, y"},
		{file: "names-in-quotes.csv", content: []byte("\"name\"\n\"Smith, John\"\n\"Doe, Jane\"\n\"Roe, Rick\"\n"),
			rows: 3, columns: "name=category"},
		{file: "qid.txt", content: []byte("# a comment\n3 qid:1 0:0.5 4:1e-2 # good\n1 qid:1 1:1\n2 qid:2\n"),
			rows: 3, columns: "x0=number, x1=number, x2=number, x3=number, x4=number, qid=id, class=category",
			cells: "0,x4=0.01; 0,x1=0; 2,x0=0; 1,qid=1"},
		{file: "wide.txt", content: []byte("1 1:1\n0 3000000:1\n"), refused: "16384 columns"},
		{file: "descending.txt", content: []byte("1 1:1\n0 3:1 2:1\n"), refused: "line 2: LIBSVM: the features " +
			"of a row must be in ascending order"},
	} {
		got, err := tables.Read(t.Context(), bytes.NewReader(w.content), w.file, w.o)
		if happened, ok := w.check(got, err); !ok {
			t.Errorf("%s: %s", w.file, happened)
		}
	}
}

// There are limits for piped files that must be read into memory, and for the shared strings of a workbook.
func TestLimits(t *testing.T) {
	defer tables.SetMaxPiped(1 << 20)()
	long := append([]byte("@relation r\n@attribute a numeric\n@data\n"), bytes.Repeat([]byte("1.5\n"), 1<<19)...)
	for name, content := range map[string][]byte{"a.arff": long, "a.txt": bytes.Repeat([]byte("1 1:0.5\n"),
		1<<18)} {
		if _, err := tables.NewReader(t.Context(), pipe{bytes.NewReader(content)}, name,
			tables.Options{}); !errors.Is(err, tables.ErrTooLarge) || !strings.Contains(err.Error(), "1 MiB") {
			t.Errorf("%s from a pipe: %v", name, err)
		}
		if _, err := tables.NewReader(t.Context(), bytes.NewReader(content), name, tables.Options{}); err != nil {
			t.Errorf("%s from a file: %v", name, err)
		}
	}
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for part, text := range map[string]string{"xl/workbook.xml": "<workbook/>", "xl/sharedStrings.xml": "<sst>" +
		strings.Repeat("<si><t>a</t></si>", 1<<19) + "</sst>"} {
		w, err := z.Create(part)
		if err == nil {
			_, err = io.WriteString(w, text)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := tables.Read(t.Context(), bytes.NewReader(b.Bytes()), "strings.xlsx", tables.Options{}); !errors.Is(err,
		tables.ErrTooLarge) || !strings.Contains(err.Error(), "262,144 shared strings") {
		t.Errorf("strings: %v", err)
	}
	type row struct {
		A float64 `parquet:"a"`
		B float64 `parquet:" "`
		C string  `parquet:"class"`
	}
	tb, err := tables.Read(t.Context(), bytes.NewReader(parquetOf([]row{{1, 2, "x"}, {2, 1, "y"}})), "t.parquet",
		tables.Options{Drop: []string{"x2"}})
	if err != nil || len(tb.Columns) != 2 || !slices.ContainsFunc(tb.Notes,
		func(f table.Finding) bool { return f.Code == "no-name" && f.Column == "x2" }) {
		t.Errorf("a Parquet column without a name: %v %+v", err, tb)
	}
}

// A row of merged cells above the names is skipped with a note, and so are remarks outside the table; other
// cells outside the columns with a name are an error.
func TestBesideTheTable(t *testing.T) {
	var many []string
	for i := range 40 {
		many = append(many, fmt.Sprint("F", 220+i))
	}
	for _, tt := range []struct {
		groups  bool
		outside []string // cells
		note    string
		err     string
	}{
		{true, nil, "as with Options.Skip 1", ""},
		{false, []string{"H2", "G12"}, `the first "see H2" in row 2`, ""},
		{false, []string{"D1", "F1"}, "", ""}, // names
		{false, []string{"F300"}, `1 cell outside the table ("see F300" in row 300`, ""},
		{false, many, "", "row 220: 40 cells from here on"},
	} {
		var rows [][]any
		if tt.groups {
			rows = append(rows, []any{"size", nil, "result"})
		}
		rows = append(rows, []any{"low", "high", "class"})
		for i := range 310 {
			rows = append(rows, []any{i % 7, 1.5 * float64(i), pick(i, "a", "b")})
		}
		f := excelize.NewFile()
		for i := range rows {
			if err := f.SetSheetRow("Sheet1", fmt.Sprint("A", i+1), &rows[i]); err != nil {
				t.Fatal(err)
			}
		}
		if tt.groups {
			_ = f.MergeCell("Sheet1", "A1", "B1")
		}
		for _, at := range tt.outside {
			_ = f.SetCellValue("Sheet1", at, "see "+at)
		}
		path := filepath.Join(t.TempDir(), "x.xlsx")
		if err := f.SaveAs(path); err != nil {
			t.Fatal(err)
		}
		got, err := tables.Open(path, tables.Options{})
		if tt.err != "" {
			if err == nil || !strings.Contains(err.Error(), tt.err) {
				t.Errorf("%v: %v, want %s", tt.outside, err, tt.err)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		notes := strings.Join(table.Go.SayAll(got.Notes), "\n")
		if want := "low high class"; tt.note != "" && (strings.Join(got.Names(), " ") != want ||
			!strings.Contains(notes, tt.note)) || tt.note == "" && len(got.Columns) < 4 {
			t.Errorf("%v: %v, %s, want %s", tt.outside, got.Names(), notes, tt.note)
		}
	}
}

// A workbook with a password has the container of old Excel files.
func TestProtectedBook(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.xlsx")
	if err := excelize.NewFile().SaveAs(path, excelize.Options{Password: "x"}); err != nil {
		t.Fatal(err)
	}
	if _, err := tables.Open(path, tables.Options{}); err == nil ||
		!strings.Contains(err.Error(), "save it as .xlsx without a password") {
		t.Error(err)
	}
}
