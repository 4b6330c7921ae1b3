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
			return fmt.Sprintf("%d %s", 1000+i*7, []string{"AB", "CD", "EF", "GH",
				"IJ"}[i%5])
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
