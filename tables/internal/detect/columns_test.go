package detect

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/mpcvm/mpcvm/tables/internal/texts"
	"github.com/mpcvm/mpcvm/tables/table"
)

// list contains rows with the line numbers 1, 3, 5 and so on.
type list struct {
	rows [][]string
	next int
}

func (l *list) Next() (cells [][]byte, line int, err error) {
	if l.next == len(l.rows) {
		return nil, 0, io.EOF
	}
	for _, text := range l.rows[l.next] {
		cells = append(cells, []byte(text))
	}
	l.next++
	return cells, 2*l.next - 1, nil
}

func (l *list) Estimate() int { return len(l.rows) }

// build returns a table with a single column. sample is the number of different texts after which Read
// decides whether to store numbers; 0 means many.
func build(t *testing.T, name string, sample int, o table.Options, cells []string) (*table.Table, error) {
	t.Helper()
	p, err := New(Source{File: "t", Columns: []string{name}}, o)
	if err != nil {
		t.Fatal(err)
	}
	if sample > 0 {
		p.columns[0].most = sample
	}
	var rows [][]string
	for _, text := range cells {
		rows = append(rows, []string{text})
	}
	opened := 0
	got, err := p.Read(func() (Rows, error) {
		opened++
		return &list{rows: rows}, nil
	}, false)
	if opened > 2 || err == nil && got.Rows != len(cells) {
		t.Fatalf("opened %d times, %d of %d rows", opened, got.Rows, len(cells))
	}
	return got, err
}

func many(n int, f func(i int) string) []string {
	cells := make([]string, n)
	for i := range cells {
		cells[i] = f(i)
	}
	return cells
}

// The kind does not depend on how many rows decide whether numbers are stored.
func TestKinds(t *testing.T) {
	count := func(form string) []string { return many(40, func(i int) string { return fmt.Sprintf(form, i+1) }) }
	mod := func(m int, form string) []string {
		return many(40, func(i int) string { return fmt.Sprintf(form, i%m) })
	}
	with := func(cells []string, more ...string) []string { return append(slices.Clone(cells), more...) }
	for _, tt := range []struct {
		name  string
		cells []string
		want  table.Kind
	}{
		{"x", mod(7, "%d.5"), table.Number},
		{"x", mod(7, " %d.5 "), table.Number},
		{"x", with(mod(7, "%d.5"), "", "NA", "?", ".", "none", "-"), table.Number},
		// 9 % of the cells, 3 numbers
		{"x", with(mod(3, "%d.5"), "n.d.", "n.d.", "n.d.", "n.d."), table.Category},
		// 2 % of the cells
		{"x", with(mod(7, "%d.5"), "n.d."), table.Number},
		// half of the cells, 3 texts, 40 numbers
		{"x", with(count("%d.5"), mod(3, "bad %d")...), table.Number},
		{"x", with(count("%d.5"), mod(6, "bad %d")...), table.Category},                // 6 texts
		{"x", with(count("%d.5"), with(mod(3, "bad %d"), "bad 1")...), table.Category}, // more than half
		// 2 % look like codes
		{"x", with(mod(7, "%d"), "007"), table.Number},
		{"x", with(mod(7, "%d"), "007", "06", "05"), table.Category}, // 7 %
		{"x", with(mod(7, "%d"), "0"), table.Number},                 // none
		// not exact as a float64
		{"x", with(mod(7, "%d"), "12345678901234567891"), table.Number},
		{"x", with(mod(7, "%d"), "12345678901234567000"), table.Number}, // exact
		{"x", with(mod(7, "%d"), "9007199254740992"), table.Number},     // 2⁵³
		{"x", count("%d"), table.ID},                                    // without gap
		{"x", with(count("%d"), "99"), table.Number},                    // with one
		// a repetition
		{"x", with(count("%d"), "40"), table.Number},
		// a missing value
		{"x", with(count("%d"), ""), table.Number},
		{"patient_id", with(count("%d"), "99"), table.ID},    // by name
		{"patientID", []string{"17", "4"}, table.ID},         //
		{"bmi index", []string{"17.5", "4.5"}, table.Number}, //
		// distinct texts
		{"x", count("A-%d"), table.ID},
		// too few
		{"x", count("A-%d")[:9], table.Category},
		{"x", with(count("A-%d"), "A-1"), table.Category}, //
		// consecutive codes
		{"x", count("%04d"), table.ID},
		{"x", many(40, func(i int) string { return fmt.Sprintf("%04d", i*31) }), table.Category}, // not consecutive
		{"x", count("the %d. remark, in words"), table.Text},                                     //
		{"x", mod(4, "the %d. remark, in words"), table.Category},                                // they repeat
		{"x", mod(2, "%d"), table.Boolean},                                                       //
		{"x", mod(2, "%d.0"), table.Boolean},                                                     //
		{"x", with(mod(2, "%d"), "NA"), table.Boolean},                                           //
		{"x", with(mod(2, "%d"), "2"), table.Number},                                             //
		// a single value is not a boolean
		{"x", mod(1, "%d"), table.Number},
		{"x", []string{"yes", "No", "YES", "-"}, table.Boolean}, //
		{"x", []string{"yes", "no", "maybe"}, table.Category},   //
		{"x", []string{"true", "true"}, table.Category},         //
		{"x", []string{"T", "f", "nan"}, table.Boolean},         //
		{"x", many(40, func(i int) string { return fmt.Sprintf("2021-%02d-%02d", 1+i%12, 1+i%28) }), table.Date},
		{"x", many(40, func(i int) string { return fmt.Sprintf("%d.%d.21", 1+i%28, 1+i%12) }), table.Date},
		{"x", many(40, func(i int) string { return fmt.Sprintf("%d/%d/2021 3:04 pm", 1+i%12, 1+i%28) }),
			table.Date},
		{"x", with(many(40, func(i int) string { return fmt.Sprintf("2021-%02d-%02d", 1+i%12, 1+i%28) }), "soon"),
			table.Date},
		{"x", mod(9, "%d %%"), table.Number},
		{"x", mod(9, "-€%d"), table.Number},
		{"x", with(mod(9, "%d %%"), "5 €"), table.Number}, // 2 % of the cells have another unit: a fault
		{"x", with(mod(9, "%d %%"), "5", "6"), table.Number},
		{"x", with(mod(9, "%d %%"), "5", "6", "7"), table.Category}, // more than 5 % have none
		{"x", with(mod(9, "%d %%"), "5 €", "6 €", "7 €"), table.Category},
		{"x", with(mod(9, "%d.5"), "1 kg"), table.Number},
		{"x", mod(13, "%d.5 kg"), table.Number},
		{"x", many(40, func(i int) string { return fmt.Sprintf("EUR %d.50", i%13) }), table.Number},
		{"x", with(mod(13, "%d.5 kg"), "4 lb", "5.5 lb", "6.5 lb"), table.Category},
		{"x", many(120, func(i int) string { return fmt.Sprintf("%d.5 %s", i, []string{"kg", "lb"}[i%2]) }),
			table.Text},
		// postal codes
		{"x", many(120, func(i int) string {
			return fmt.Sprintf("%d %s", 1000+i*7, []string{"AB", "CD", "EF", "GH", "IJ"}[i%5])
		}), table.ID},
		{"x", mod(2, "%dWD"), table.Category}, // names, because they are few
		{"x", mod(10, "(%d)"), table.Category},
		{"x", mod(11, "(%d)"), table.Number},
		{"x", with(mod(11, "%d"), "(5)", "5-", "−5"), table.Number},
		{"x", with(mod(7, "%d"), "(5)"), table.Number},
		{"x", with(mod(7, "%d"), "(5)", "(6)", "(7)"), table.Category},
		{"x", count("%d kg"), table.ID}, // without gap
		{"x", count("%03dA"), table.ID}, // codes
		{"x", count("%dst street"), table.ID},
		{"x", mod(9, "%d,5"), table.Number}, // a decimal comma although Options.Number has a point
		{"x", []string{"", "NA", ""}, table.Number},
		{"x", []string{"Inf", "nan", "0x1p-2", "1_000", "infinity"}, table.Category},
	} {
		for _, sample := range []int{0, 1, len(tt.cells) / 2, len(tt.cells)} {
			got, err := build(t, tt.name, sample, table.Options{}, tt.cells)
			if err != nil || got.Columns[0].Kind != tt.want {
				t.Errorf("%s %q, decided after %d: %v, want %v (%v)", tt.name, tt.cells, sample, got.Columns[0].Kind,
					tt.want, err)
				continue
			}
			c := &got.Columns[0]
			for i, cell := range tt.cells {
				if cell = strings.TrimSpace(cell); !c.Kind.Numeric() && !c.Missing(i) && c.Text(i) != cell {
					t.Errorf("%q is read as %q", cell, c.Text(i))
				}
			}
			for _, f := range c.Faults {
				if f.Line != 2*f.Row+1 || f.Text != tt.cells[f.Row] || !c.Missing(f.Row) {
					t.Errorf("fault %+v", f)
				}
			}
			if len(c.Faults) > 0 && len(got.Notes) == 0 {
				t.Errorf("%q: no note", tt.cells)
			}
		}
	}
}

// Given kinds are kept; impossible ones lead to an error or to faults.
func TestGiven(t *testing.T) {
	cells := many(40, func(i int) string { return fmt.Sprint(i%9, ".5") })
	cells[39] = "x"
	for kind := table.Number; kind <= table.Text; kind++ {
		for _, sample := range []int{0, 10} {
			got, err := build(t, "v", sample, table.Options{Kinds: map[string]table.Kind{"v": kind}}, cells)
			if kind == table.Boolean {
				if f, ok := errors.AsType[table.Finding](err); !ok || f.Code != texts.NotBoolean {
					t.Error(err)
				}
			} else if err != nil || got.Columns[0].Kind != kind {
				t.Errorf("%v: %v", kind, err)
			} else if kind == table.Number && (len(got.Columns[0].Faults) != 1 || got.Columns[0].Numbers[1] != 1.5) {
				t.Errorf("%+v", got.Columns[0])
			}
		}
	}
	// A known unit decides which cells are numbers, even if most cells have another one.
	masses := []string{"71 kg", "72 lb", "73 lb", "$74", "75"}
	for unit, faults := range map[string]int{"kg": 3, "lb": 2, "": 3, "$": 3} {
		for _, sample := range []int{0, 2} {
			o := table.Options{Like: []table.Column{{Name: "v", Kind: table.Number, Unit: unit},
				{Name: "other", Kind: table.Number, Unit: "m"}}}
			got, err := build(t, "v", sample, o, masses)
			if err != nil || got.Columns[0].Unit != unit || len(got.Columns[0].Faults) != faults ||
				got.Columns[0].Numbers[4] != 75 {
				t.Errorf("%q, decided after %d: %+v, %v", unit, sample, got, err)
			}
		}
	}
}

// Typed columns store numbers directly.
func TestTyped(t *testing.T) {
	o := table.Options{Missing: []string{"-9"}, Kinds: map[string]table.Kind{"d": table.Category}}
	p, err := New(Source{File: "t", Columns: []string{"a", "b", "c", "d"}}, o)
	if err != nil {
		t.Fatal(err)
	}
	b := p.Cells(0)
	if !b.Typed(0, table.Number, nil) || !b.Typed(1, table.Boolean, []string{"no", "yes"}) ||
		!b.Typed(2, table.Date, nil) || b.Typed(3, table.Number, nil) || !b.Column(0).Free() {
		t.Error("Typed")
	}
	for i := range 12 {
		b.Column(0).Number([]float64{1.5, -9, math.Inf(1)}[i%3])
		b.Column(1).Number(float64(i % 2))
		b.Column(2).Number(86400 * float64(i))
		if err := b.Column(3).Text([]byte("7")); err != nil {
			t.Fatal(err)
		}
		if err := b.EndRow(0); err != nil {
			t.Fatal(err)
		}
	}
	if b.misread() || b.line(3) != 0 {
		t.Error("misread")
	}
	got, err := b.Table()
	if err != nil {
		t.Fatal(err)
	}
	var cells []string
	for _, c := range got.Columns {
		cells = append(cells, c.Kind.String()+" "+c.Text(0)+" "+c.Text(1)+" "+c.Text(2))
	}
	if want := []string{"number 1.5  ", "boolean no yes no", "date 1970-01-01 1970-01-02 1970-01-03",
		"category 7 7 7"}; !slices.Equal(cells, want) {
		t.Errorf("%q", cells)
	}
	if len(got.Columns[0].Faults) != 4 || got.Columns[0].Faults[0].Text != "+Inf" {
		t.Errorf("%+v", got.Columns[0].Faults)
	}
}

// Columns that need more memory than available are rejected.
func TestLimit(t *testing.T) {
	p, err := New(Source{File: "t", Columns: []string{"a"}}, table.Options{})
	if err != nil {
		t.Fatal(err)
	}
	b := p.Cells(0)
	b.limit = 1
	b.Column(0).codes = make([]int32, 0, 17<<20)
	if f, ok := errors.AsType[table.Finding](b.check()); !ok || f.Code != texts.NoMemory {
		t.Errorf("%+v", f)
	}
}

// TestDecodeDecimal tests that Decode detects decimal points in a file with decimal commas, even if most
// numbers are whole.
func TestDecodeDecimal(t *testing.T) {
	for _, tt := range []struct {
		sample []string
		cell   string
		want   float64
		ok     bool
	}{
		{[]string{"1", "2", "3.5", "-1e5"}, "1.5", 1.5, true},
		{[]string{"1", "2", "3,5", "-1e5"}, "1,5", 1.5, true},
		{[]string{"1", "x", "y", "z"}, "1,5", 1.5, true},
		{nil, "1,5", 1.5, true},
		{[]string{"1", "2", "3,5"}, "1.5", 0, false},
	} {
		like := []table.Column{{Name: "x", Kind: table.Number}}
		p, err := New(Source{File: "t", Columns: []string{"x"}, Number: commaNumber, Chunked: true},
			table.Options{Like: like})
		if err != nil {
			t.Fatal(err)
		}
		sample := &list{}
		for _, text := range tt.sample {
			sample.rows = append(sample.rows, []string{text})
		}
		if err := p.Decode(sample); err != nil {
			t.Fatal(err)
		}
		got, err := p.Parse(&list{rows: [][]string{{tt.cell}}})
		if err != nil {
			t.Fatal(err)
		}
		if c := &got.Columns[0]; len(c.Faults) == 0 != tt.ok || tt.ok && c.Numbers[0] != tt.want {
			t.Errorf("%q after %q: %+v", tt.cell, tt.sample, c)
		}
	}
}

// A single odd cell among many changes the kind of a column only with a note that names the cell and a
// remedy, wherever the cell is and however many rows there are.
func TestOneOddCell(t *testing.T) {
	numbers := func(i int) string { return fmt.Sprintf("%d.%03d", i%9, (i*7919)%1000) }
	whole := func(i int) string { return fmt.Sprint(1000 + i*7919%8999) }
	days := func(i int) string { return fmt.Sprintf("2021-%02d-%02d", 1+i%12, 1+i%28) }
	colors := func(i int) string { return []string{"red", "green", "blue"}[i%3] }
	for _, tt := range []struct {
		cells func(i int) string
		odd   string
		kind  table.Kind
		value string     // of the odd cell; empty if it is missing or a fault
		code  table.Code // of the note
	}{
		{numbers, "x", table.Number, "", texts.Faults},
		{numbers, "2021-03-04", table.Number, "", texts.Faults},
		{numbers, "00", table.Number, "0", texts.WrittenLikeCode},
		{whole, "0123", table.Number, "123", texts.WrittenLikeCode},
		{numbers, "9223372036854775807", table.Number, "9.223372036854776e+18", texts.WrittenLikeCode},
		{numbers, "12345678901234567", table.Number, "1.2345678901234568e+16", texts.WrittenLikeCode},
		{numbers, "5 kg", table.Number, "", texts.Faults},
		{numbers, "5%", table.Number, "5", texts.UnitOfFew},
		{numbers, "12:28", table.Number, "", texts.Faults},
		{numbers, "<0.5", table.Number, "", texts.Limits},
		{numbers, "(3.5)", table.Number, "-3.5", texts.ReadAsNumber},
		{numbers, "12_881", table.Number, "12881", texts.ReadAsNumber},
		{numbers, "-12_881", table.Number, "-12881", texts.ReadAsNumber},
		{numbers, "0x1F", table.Number, "31", texts.ReadAsNumber},
		{func(i int) string { return fmt.Sprintf("%d-%d", i%5*5, i%5*5+4) }, "9-May", table.Category, "9-May",
			texts.SpreadsheetDates},
		{numbers, "inf", table.Number, "", texts.Faults},
		{numbers, "1e999", table.Number, "", texts.Faults},
		{numbers, "1e300", table.Number, "1e+300", ""},
		{numbers, `="1.5"`, table.Number, "1.5", ""},
		{numbers, "１.５", table.Number, "1.5", ""},
		{days, "17", table.Date, "", texts.Faults},
		{colors, "TRUE", table.Category, "TRUE", ""},
		{colors, "re\u200bd", table.Category, "red", texts.OddCharacters},
		{func(i int) string { return fmt.Sprint(i % 2) }, "2", table.Number, "2", texts.NearlyBoolean},
		{func(i int) string { return fmt.Sprint(i + 1) }, "17", table.Number, "17", texts.NearlyID},
		{func(i int) string { return fmt.Sprint(i + 1) }, "", table.Number, "", texts.NearlyIDMissing},
		{func(i int) string { return fmt.Sprintf("A-%d", i+1) }, "A-17", table.Category, "A-17", texts.NearlyID},
	} {
		for _, n := range []int{80, 2000} {
			cells := many(n, tt.cells)
			at := n - 5
			cells[at] = tt.odd
			for _, sample := range []int{0, n / 2} {
				got, err := build(t, "x", sample, table.Options{}, cells)
				if err != nil {
					t.Fatal(err)
				}
				c := &got.Columns[0]
				if c.Kind != tt.kind || c.Text(at) != tt.value || !notes(got, tt.code, 1, 2*at+1, tt.odd) {
					t.Errorf("%q among %d cells such as %q, decided after %d: %v %q, want %v %q\n%+v\nwant %s", tt.odd, n,
						cells[0], sample, c.Kind, c.Text(at), tt.kind, tt.value, got.Notes, tt.code)
				}
			}
		}
	}
}

// notes reports whether the only note about faults has a code, a number of cells, a line and a text; there
// are none if the code is empty.
func notes(t *table.Table, code table.Code, n, line int, text string) bool {
	return code == "" && len(t.Notes) == 0 || slices.ContainsFunc(t.Notes, func(f table.Finding) bool {
		return f.Code == code && f.Column == "x" && f.N == n && f.Line == line && f.Texts[0] == text
	})
}

// Codes stay codes if there are many of them, or if all cells have the same number of digits.
func TestCodes(t *testing.T) {
	for _, tt := range []struct {
		cells func(i int) string
		want  table.Kind
		code  table.Code
		text  string
	}{
		{func(i int) string { return fmt.Sprintf("%05d", 1000+i*4999%98000) }, table.Category, "", ""},
		{func(i int) string {
			if i%100 == 7 { // 1 %
				return fmt.Sprintf("0%04d", i)
			}
			return fmt.Sprint(10000 + i*4999%89000)
		}, table.Category, texts.ReadAsCodes, "00007"},
		{func(i int) string {
			if i%100 == 7 {
				return fmt.Sprintf("0%d", i)
			}
			return fmt.Sprint(i * 37 % 1999)
		}, table.Number, texts.WrittenLikeCode, "07"},
	} {
		for _, sample := range []int{0, 5, 1000} {
			got, err := build(t, "x", sample, table.Options{}, many(2000, tt.cells))
			if err != nil || got.Columns[0].Kind != tt.want || !notes(got, tt.code, 20, 15, tt.text) {
				t.Errorf("%s, decided after %d: %v, want %v: %+v, %v", tt.cells(1), sample, got.Columns[0].Kind, tt.want,
					got.Notes, err)
			}
		}
	}
}

// Numbers, times and dates in human notation; class names keep the notation of the file.
func TestAsPeopleWrite(t *testing.T) {
	for _, tt := range []struct {
		cells []string
		o     table.Options
		want  string // kind, unit and cells
	}{
		{[]string{"13,59,366", "59,366", "2", "1,13,59,362"}, table.Options{}, "number: 1359366 59366 2 11359362"},
		{[]string{"12:28", "1:02:03", "75:30", "-0:20"}, table.Options{}, "number :: 748 3723 4530 -20"},
		{[]string{"6:28 PM", "12:28 am", "12:05PM", "7:02:03 PM"}, table.Options{}, "number :: 1108 28 725 68523"},
		{[]string{"28/Nov/2026:05:01:34 +0100", "[02/Dec/2026:05:01:34 +0000]"}, table.Options{},
			"date: 2026-11-28T04:01:34 2026-12-02T05:01:34"},
		{[]string{"Jan-20", "Dez-21", "Feb-19"}, table.Options{}, "date: 2020-01-01 2021-12-01 2019-02-01"},
		{[]string{`="1.288"`, "'2.5", "1.28D+05", "１.2"}, table.Options{}, "number: 1.288 2.5 128000 1.2"},
		{[]string{"1\u2009234,5", "2\u00a0345,25", "12,5", "7,2"}, table.Options{},
			"number: 1234.5 2345.25 12.5 7.2"},
		{[]string{"(123)", "5-", "−7", "8.2"}, table.Options{}, "number: -123 -5 -7 8.2"},
		{[]string{"<0.5", "1.5", ">100", "LOD", "2.5"}, table.Options{Limits: "half"}, "number: 0.25 1.5 100  2.5"},
		{[]string{"<0.5", "1.5", ">100", "LOD", "2.5"}, table.Options{Limits: "limit"}, "number: 0.5 1.5 100  2.5"},
		{[]string{"<0.5", "1.5", ">100", "LOD", "2.5"}, table.Options{Limits: "missing"}, "number:  1.5   2.5"},
		{[]string{"<0.5", "1.5", ">100", "LOD", "2.5"}, table.Options{}, "number:  1.5   2.5"},
		{[]string{"3. März 2024", "12. Oktober 2023", "1. Mai 2022"}, table.Options{},
			"date: 2024-03-03 2023-10-12 2022-05-01"},
		{[]string{"3 mars 2024", "1er août 2023", "2 déc. 2022"}, table.Options{},
			"date: 2024-03-03 2023-08-01 2022-12-02"},
		{[]string{"3 de marzo de 2024", "12 de enero de 2023"}, table.Options{}, "date: 2024-03-03 2023-01-12"},
		{[]string{"March 3rd, 2024", "January 12, 2023"}, table.Options{}, "date: 2024-03-03 2023-01-12"},
		{[]string{"01.03.2021", "2021-03-02", "03.03.2021", "2021-03-04"}, table.Options{},
			"date: 2021-03-01 2021-03-02 2021-03-03 2021-03-04"},
		{[]string{"3/14/2021", "15.03.2021", "3/16/2021", "17.03.2021"}, table.Options{},
			"date: 2021-03-14 2021-03-15 2021-03-16 2021-03-17"},
		{[]string{"31.12.9999", "01.02.2021", "03.02.2021"}, table.Options{Missing: []string{"9999-12-31"}},
			"date:  2021-02-01 2021-02-03"},
		{[]string{"gro\u0308ßer", "größer", "a\u00a0b", "a b"}, table.Options{}, "category: größer größer a b a b"},
		{[]string{"<18", "18-65", ">65", "<18", "18-65"}, table.Options{}, "category: <18 18-65 >65 <18 18-65"},
		{[]string{"NA", "na", "NAN", "EU", "NA"}, table.Options{Missing: []string{"not:NA"}},
			"category: NA   EU NA"},
		{[]string{"3:2", "16:9", "4:3", "3:2"}, table.Options{}, "category: 3:2 16:9 4:3 3:2"},
	} {
		cells := slices.Repeat(tt.cells, 1)
		if !strings.HasPrefix(tt.want, "category") { // few different numbers would be names
			for i := range 30 { // 2 is a placeholder for other numbers
				cells = append(cells, fill(tt.cells[len(tt.cells)-1], i))
			}
		}
		got, err := build(t, "x", 0, tt.o, cells)
		if err != nil {
			t.Fatal(err)
		}
		c := &got.Columns[0]
		text := c.Kind.String()
		if c.Unit != "" {
			text += " " + c.Unit
		}
		text += ":"
		for i := range tt.cells {
			text += " " + c.Text(i)
		}
		if text != tt.want {
			t.Errorf("%q: %q, want %q; %q", tt.cells, text, tt.want, got.Notes)
		}
	}
	// A date with two meanings is not read as a date, and a note explains this.
	got, err := build(t, "x", 0, table.Options{}, slices.Repeat([]string{"14/3/2021", "3/15/2021", "3/4/2021"},
		9))
	if err != nil || got.Columns[0].Kind == table.Date || !notes(got, texts.PartlyDates, 9, 1, "14/3/2021") {
		t.Errorf("%v, %+v, %v", got.Columns[0].Kind, got.Notes, err)
	}
}

// The labels of a column are the texts of the file, whatever its kind and length.
func TestLabelsAsWritten(t *testing.T) {
	for _, classes := range [][]string{{"10%", "20%"}, {"$10", "$5"}, {"12 €", "5 €"}, {"12 kg", "3 kg"},
		{"+1", "-1"}, {"0.10", "0.25"}, {"007", "008"}, {"1e3", "2e3"},
		{"FALSE", "TRUE"}, {"0.0", "1.0"}, {"0", "1"}, {"12:28", "7:00"}, {"(1)", "(2)"}, {"1,234",
			"2,500"}, {`="1"`, `="2"`}} {
		for _, sample := range []int{0, 50} {
			got, err := build(t, "x", sample, table.Options{}, many(400,
				func(i int) string { return classes[i*i%3%2] }))
			if err != nil {
				t.Fatal(err)
			}
			if _, names := got.Labels(0); !slices.Equal(names, classes) {
				t.Errorf("%q: %q", classes, names)
			}
		}
	}
	got, err := build(t, "x", 0, table.Options{}, []string{"1.10", "1.1", "1.10", "2.5"})
	if err != nil {
		t.Fatal(err)
	}
	if _, names := got.Labels(0); !slices.Equal(names, []string{"1.10", "2.5"}) ||
		!slices.Equal(got.Columns[0].Spelling[1.1], []string{"1.10", "1.1"}) {
		t.Errorf("%q, %v", names, got.Columns[0].Spelling)
	}
}

// fill replaces 2 in a cell by another number; dates are returned unchanged.
func fill(like string, i int) string {
	switch {
	case strings.Contains(like, "20") && len(like) > 7:
		return like
	case strings.Contains(like, ":"):
		return fmt.Sprintf("%d:20", i)
	case strings.Contains(like, ",59,"):
		return fmt.Sprintf("1,13,%d,362", 11+i)
	}
	return strings.ReplaceAll(like, "2", fmt.Sprint(11+i))
}
