package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/mpcvm/mpcvm/internal/words"
)

// cleanTable has a column of each kind in 100 rows of CSV in UTF-8.
func cleanTable() [][]string {
	r := rand.New(rand.NewPCG(45, 3))
	rows := [][]string{{"a", "n", "day", "ok", "Stadt", "class"}}
	for i := range 100 {
		rows = append(rows, []string{
			strconv.FormatFloat(r.NormFloat64()+2*float64(i%2), 'f', 2, 64), strconv.Itoa(10 + r.IntN(40)),
			fmt.Sprintf("2021-%02d-%02d", 1+r.IntN(12), 1+r.IntN(28)), []string{"yes", "no"}[r.IntN(2)],
			[]string{"Köln", "Zürich", "Genève"}[r.IntN(3)], []string{"größer", "klein"}[i%2],
		})
	}
	return rows
}

// spoiltCells replace one cell of a column.
var spoiltCells = []string{
	"", "00", "0123", "9223372036854775807", "12345678901234567", "1.5 kg", "$5", "5 %", "n/a", "?", "-", "none",
	"1,5", "1.234,5", "1e400", "inf", "nan", "x",
	"=1.2", "'1.2", `="1.2"`, "<0.5", "12:30", "1 2", "１.５", "1.2\u00a0", "\u200b1.2", "−1.2", "1.28D+05",
	"13,59,366", "TRUE", "#REF!", "+1", "0x1F", "1_000",
	"9999-12-31", "1900-01-01", "01.03.2021", "Mar 3, 2021", "yesterday", "2021-02-30", "20210301",
	"2021-03-01T10:00:00Z", "0", "1", "maybe", "ja", "Y", "YES", "yes ",
	"köln", "Koln", "Ko\u0308ln", "Köln ", "Kö\u200bln", "Kö\u00adln", "Größer", "größer ", "gro\u0308ßer",
	"klein\u00a0", "kle\u200bin", "class", "10%", "two\nlines", `say "no"`, "\\N", "é",
	strings.Repeat("long ", 500),
}

// spoiltFiles change one line or byte of a file; at is the line.
var spoiltFiles = map[string]func(text []byte, at int) []byte{
	"the header again": line(func(lines []string, _ int) string { return lines[0] }),
	"a blank line":     line(func([]string, int) string { return "" }),
	"a comment":        line(func([]string, int) string { return "# measured again" }),
	"separators":       line(func([]string, int) string { return ",,,,," }),
	"a total":          line(func([]string, int) string { return "Total,2500,,,," }),
	"one cell more":    line(func(lines []string, at int) string { return lines[at] + ",7" }),
	"one cell less": line(func(lines []string,
		at int) string {
		return lines[at][strings.Index(lines[at], ",")+1:]
	}),
	"a line in quotes": line(func(lines []string, at int) string { return `"` + lines[at] + `"` }),
	"a word":           line(func([]string, int) string { return "end of page 3" }),
	"an open quote":    line(func(lines []string, at int) string { return `"` + lines[at] }),
	"a stray quote": line(func(lines []string, at int) string {
		return strings.Replace(lines[at], ",", `",`, 1)
	}),
	"units": line(func([]string, int) string { return "kg,,,,,text" }),
	"another separator": line(func(lines []string, at int) string {
		return strings.ReplaceAll(lines[at], ",", ";")
	}),
	"byte ff":              inserted("\xff"),
	"byte e9":              inserted("\xe9"),
	"byte a0":              inserted("\xa0"),
	"a zero byte":          inserted("\x00"),
	"a carriage return":    inserted("\r"),
	"a byte order mark":    inserted("\ufeff"),
	"an escape":            inserted("\x1b[31m"),
	"control-Z at the end": func(text []byte, _ int) []byte { return append(bytes.Clone(text), 0x1a) },
	"no line feed at the end": func(text []byte, _ int) []byte {
		return bytes.TrimSuffix(bytes.Clone(text), []byte("\n"))
	},
	"CR LF in one line": line(func(lines []string, at int) string { return lines[at] + "\r" }),
	"blanks at the end": line(func(lines []string, at int) string { return lines[at] + "   " }),
	"cut":               func(text []byte, _ int) []byte { return bytes.Clone(text[:len(text)-9]) },
}

// line inserts a line after a line.
func line(with func(lines []string, at int) string) func([]byte, int) []byte {
	return func(text []byte, at int) []byte {
		lines := strings.Split(string(text), "\n")
		return []byte(strings.Join(slices.Replace(lines, at, at+1, with(lines, at)), "\n"))
	}
}

// inserted inserts bytes into the cell Stadt of a line.
func inserted(b string) func([]byte, int) []byte {
	return line(func(lines []string, at int) string {
		cells := strings.Split(lines[at], ",")
		cells[4] = cells[4][:1] + b + cells[4][1:]
		return strings.Join(cells, ",")
	})
}

// outline has the results of look that a single cell must not change without a warning.
type outline struct {
	Dialect struct {
		Separator, Encoding string
		Header              bool
	}
	Columns []struct{ Name, Kind string }
	Classes []struct{ Name string }
	Target  string
	Rows    int

	Notes, Warnings []struct{ Text string }
}

func (s outline) String() string {
	return fmt.Sprint(s.Dialect, s.Columns, s.Classes, s.Target)
}

// looked returns the results of look for a text, or its error.
func looked(dir string, text []byte) (s outline, said []string) {
	file := filepath.Join(dir, "spoilt.csv")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		return s, []string{err.Error()}
	}
	var out, errOut bytes.Buffer
	if code := run(context.Background(), []string{"look", file, "--json"}, &out, &errOut); code != 0 {
		return s, []string{errOut.String()}
	}
	if err := json.Unmarshal(out.Bytes(), &s); err != nil {
		return s, []string{err.Error()}
	}
	for _, w := range slices.Concat(s.Notes, s.Warnings) {
		said = append(said, w.Text)
	}
	return s, said
}

// told reports whether a warning names the cell, by its text or its position, and a remedy.
func told(said []string, text string, at int) bool {
	text = strings.TrimSpace(text)
	for _, s := range said {
		names := strings.Contains(s, fmt.Sprintf("row %d", at)) || strings.Contains(s, fmt.Sprintf("line %d", at+1))
		for _, form := range []string{strconv.Quote(text), strconv.QuoteToASCII(text)} {
			form = form[:min(len(form)-1, 25)]
			names = names || text != "" && (strings.Contains(s, form) || strings.Contains(s, "--na "+text))
		}
		if names && (strings.Contains(s, "--") || strings.Contains(s, "in the file")) {
			return true
		}
	}
	return false
}

// TestSpoilt checks that one odd cell, line or byte never changes the kind of a column, removes a column,
// adds a class or changes the encoding without a warning that names the cell and a remedy.
func TestSpoilt(t *testing.T) {
	spoilCells(t, func(column, i int) bool { return i%3 == column%3 }, 1, 50)
}

// spoilCells applies the selected spoiltCells to each column, and spoiltFiles to each of the lines.
func spoilCells(t *testing.T, wanted func(column, i int) bool, lines ...int) {
	t.Helper()
	dir, clean := t.TempDir(), cleanTable()
	before, _ := looked(dir, []byte(asCSV(clean, ',')))
	if len(before.Columns) != 6 || len(before.Classes) != 2 {
		t.Fatal(before)
	}
	check := func(what string, text []byte, cell string, at int) {
		after, said := looked(dir, text)
		if after.String() != before.String() && !told(said, cell, at) {
			t.Errorf("%s in row %d:\n\t%s\n\tbefore %s\n\t%s", what, at, after, before, strings.Join(said, "\n\t"))
		}
		if lost := before.Rows - after.Rows; lost > 1 && !told(said, cell, at) {
			t.Errorf("%s in row %d: %d rows are lost", what, at, lost)
		}
	}
	for column := range clean[0] {
		for i, text := range spoiltCells {
			if !wanted(column, i) {
				continue
			}
			at := 1 + (i*31+column*17)%100
			rows := slices.Clone(clean)
			rows[at] = slices.Clone(rows[at])
			rows[at][column] = text
			check(fmt.Sprintf("column %s: %.40q", clean[0][column], text), []byte(asCSV(rows, ',')), text, at)
		}
	}
	text := []byte(asCSV(clean, ','))
	for what, spoil := range spoiltFiles {
		for _, at := range lines {
			check(what, spoil(text, at), "", at)
		}
	}
}

// Flags handle names that contain their separators.
func TestPairs(t *testing.T) {
	var p pairs
	for _, text := range []string{`a=b,"c, d=e"`, `<=50K=0.9`, `say "no"=x=y`} {
		if err := p.Set(text); err != nil {
			t.Error(err)
		}
	}
	want := map[string]string{"a": "b", "c, d": "e", "<=50K": "0.9", `say "no"=x`: "y"}
	if got := p.numbers(); !maps.Equal(got, want) {
		t.Error(got)
	}
	if got := p.of([]string{"<", "<=50K", `say "no"`}); got["<=50K"] != "0.9" || got[`say "no"`] != "x=y" {
		t.Error(got)
	}
	if got := p.to([]string{"x=y"}); got[`say "no"`] != "x=y" || got["a"] != "b" {
		t.Error(got)
	}
	if err := p.Set("a, b=1"); err == nil || !strings.Contains(err.Error(), "double quotes") {
		t.Error(err)
	}
	for _, word := range []string{"two\nlines", "tab\tand 'quote' \\n %d", "", "$(x) `y` \"z\"", "-- ü", "\r"} {
		if got, err := shellSplit("mpcvm look " + words.Shell(word)); err != nil ||
			!slices.Equal(got, []string{"look", word}) {
			t.Errorf("%q: %q, %v", word, got, err)
		}
	}
}
