package table

import (
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func Example() {
	t := &Table{Name: "plants", Rows: 3, Columns: []Column{
		{Name: "height", Kind: Number, Numbers: []float64{1.5, math.NaN(), 2}},
		{Name: "Species", Kind: Category, Codes: []int32{1, 0, -1}, Levels: []string{"daisy", "rose"}},
	}}
	target, why, err := t.Target("")
	if err != nil {
		fmt.Println(err)
		return
	}
	labels, classes := t.Labels(target)
	fmt.Println(t.Names()[target], "by", Go.Say(why), labels, classes)
	fmt.Printf("%q %q\n", t.Columns[0].Text(0), t.Columns[0].Text(1))
	// Output:
	// Species by its name [1 0 -1] [daisy rose]
	// "1.5" ""
}

func TestText(t *testing.T) {
	columns := []Column{
		{Kind: Number, Numbers: []float64{0.1, 1e21, math.NaN()}},
		{Kind: Boolean, Numbers: []float64{1, 0, math.NaN()}, Levels: []string{"no", "yes"}},
		{Kind: Date, Numbers: []float64{0, 86399, math.NaN()}},
		{Kind: ID, Codes: []int32{1, 0, -1}, Levels: []string{"a", "b"}},
	}
	want := [][]string{{"0.1", "1e+21", ""}, {"yes", "no", ""}, {"1970-01-01", "1970-01-01T23:59:59", ""},
		{"b", "a", ""}}
	for i := range columns {
		c := &columns[i]
		for row := range c.Len() {
			if got := c.Text(row); got != want[i][row] || c.Missing(row) != (row == 2) {
				t.Errorf("%v, row %d: %q, want %q", c.Kind, row, got, want[i][row])
			}
		}
	}
}

func TestParseKind(t *testing.T) {
	for kind := Number; kind <= Text; kind++ {
		if got, err := ParseKind(strings.ToUpper(kind.String())); err != nil || got != kind {
			t.Errorf("%v: %v, %v", kind, got, err)
		}
	}
	if _, err := ParseKind("float"); err == nil || err.(Finding).Code != unknownKind {
		t.Error(err)
	}
}

func TestTarget(t *testing.T) {
	numbers := func(n, different int) []float64 {
		x := make([]float64, n)
		for i := range x {
			x[i] = float64(i % different)
		}
		return x
	}
	text := Column{Name: "kind of", Kind: Category, Codes: make([]int32, 40), Levels: []string{"a"}}
	for _, tt := range []struct {
		ask     string
		columns []Column
		want    int
		why     Code
	}{
		{"b", []Column{{Name: "class"}, {Name: "b"}}, 1, ""},
		{"", []Column{{Name: "CLASS"}, {Name: "b"}}, 0, targetByName},
		{"", []Column{{Name: "y"}, {Name: "Label"}}, 1, targetByName}, // label comes before y
		{"", []Column{{Name: "a"}, text}, 1, targetOfTexts},
		{"", []Column{text, {Name: "a", Kind: Boolean, Numbers: numbers(40, 2), Levels: []string{"0", "1"}}}, 1,
			targetOfTwo},
		{"", []Column{{Name: "a", Numbers: numbers(40, 30)}}, 0, targetOfNumbers},
		{"", []Column{{Name: "a", Numbers: numbers(40, 31)}}, -1, targetUnknown},
		{"", []Column{text, {Name: "when", Kind: Date, Numbers: numbers(40, 2)}}, -1, targetUnknown},
		{"c", []Column{text}, -1, noTarget}, {"KIND OF", []Column{text}, -1, noTarget},
		{"", nil, -1, targetUnknown},
	} {
		table := &Table{Name: "t", Rows: 40, Columns: tt.columns}
		got, why, err := table.Target(tt.ask)
		if f, ok := errors.AsType[Finding](err); ok {
			why = f
		}
		if got != tt.want || (err != nil) != (tt.want < 0) || why.Code != tt.why {
			t.Errorf("%q of %v: %d, %s, %v", tt.ask, table.Names(), got, why.Code, err)
		}
	}
}

func TestLabels(t *testing.T) {
	table := &Table{Rows: 4, Columns: []Column{{Kind: Number, Numbers: []float64{10, 9, math.NaN(), 10}}}}
	labels, classes := table.Labels(0)
	if !slices.Equal(labels, []int{0, 1, -1, 0}) || !slices.Equal(classes, []string{"10", "9"}) {
		t.Errorf("%v %v", labels, classes)
	}
}

// Merged classes get the common name, and missing cells stay missing. The error names an unknown class.
func TestMerge(t *testing.T) {
	tb := &Table{Name: "t", Rows: 5,
		Columns: []Column{{Name: "quality", Kind: Number, Numbers: []float64{5, 3, math.NaN(), 8, 5}}}}
	if err := tb.Merge(0, map[string]string{"3": "low", "5": "low"}); err != nil {
		t.Fatal(err)
	}
	labels, classes := tb.Labels(0)
	if !slices.Equal(classes, []string{"8", "low"}) || !slices.Equal(labels, []int{1, 1, -1, 0, 1}) ||
		tb.Columns[0].Kind != Category {
		t.Errorf("%v of %q", labels, classes)
	}
	if f, ok := errors.AsType[Finding](tb.Merge(0, map[string]string{"9": "high"})); !ok || f.Code != noClass ||
		f.Value != "9" || !slices.Equal(f.Texts, classes) {
		t.Errorf("%+v", f)
	}
}

// TestProfile compares a profile of random rows with plain counts, and its quantiles with their definitions.
func TestProfile(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 2))
	for _, n := range []int{1, 2, 16, 17, 18, 100, 1001} {
		for _, values := range []int{1, 3, 17, 18, 1 << 30} {
			number := Column{Kind: Number, Numbers: make([]float64, 2*n)}
			text := Column{Kind: Category, Codes: make([]int32, 2*n), Levels: []string{"a", "b", "c", "d"}}
			flag := Column{Kind: Boolean, Numbers: make([]float64, 2*n), Levels: []string{"no", "yes"}}
			rows := rng.Perm(2 * n)[:n]
			var present []float64
			levels, ones := map[int32]int{}, 0
			for i := range 2 * n {
				number.Numbers[i], text.Codes[i], flag.Numbers[i] = float64(rng.IntN(values)), int32(rng.IntN(4)-1),
					float64(rng.IntN(2))
				if in := slices.Contains(rows, i); i%7 == 3 {
					number.Numbers[i], flag.Numbers[i] = math.NaN(), math.NaN()
				} else if in {
					present = append(present, number.Numbers[i])
					ones += int(flag.Numbers[i])
				}
				if slices.Contains(rows, i) {
					levels[text.Codes[i]]++
				}
			}
			p := number.Profile(rows)
			slices.Sort(present)
			distinct := slices.Compact(slices.Clone(present))
			if p.Rows != n || p.Present() != len(present) || p.Distinct != len(distinct) || !p.Whole ||
				!slices.Equal(p.Numbers, present) {
				t.Errorf("n = %d: %+v", n, p)
			}
			at, below := p.Steps(17)
			if len(at) > 17 || len(distinct) <= 17 && !slices.Equal(at, distinct) || len(present) > 0 &&
				(at[0] != present[0] || at[len(at)-1] != present[len(present)-1]) {
				t.Errorf("n = %d: %v of %d values", n, at, len(distinct))
			}
			for k, q := range at {
				upTo, equal := 0, 0
				for _, v := range present {
					if v <= q {
						upTo++
					}
					if v == q {
						equal++
					}
				}
				if below[k] != upTo || k > 0 && len(distinct) > 17 && below[k]-equal-below[k-1] > n/16+1 {
					t.Errorf("n = %d: %d rows at most %v, want %d; before %d", n, below[k], q, upTo, below[max(k-1, 0)])
				}
			}
			q := text.Profile(rows)
			for level, count := range q.Counts {
				if count != levels[int32(level)] {
					t.Errorf("n = %d: counts %v, want %v", n, q.Counts, levels)
				}
			}
			order := q.Frequent()
			if q.Missing != levels[-1] || len(order) != q.Distinct || !slices.IsSortedFunc(order, func(a, b int) int {
				return q.Counts[b] - q.Counts[a]
			}) {
				t.Errorf("n = %d: %+v, order %v", n, q, order)
			}
			if f := flag.Profile(rows); f.Counts[1] != ones || f.Counts[0] != len(present)-ones || f.Numbers != nil {
				t.Errorf("n = %d: %+v, want %d", n, f, ones)
			}
		}
	}
	c := Column{Kind: Number, Numbers: []float64{4, math.Inf(1), 1, 2, 3.5, math.Inf(-1), math.NaN()}}
	p := c.Profile(nil)
	if p.Rows != 7 || p.Infinite != 2 || p.Missing != 1 || p.Whole || p.Distinct != 4 {
		t.Errorf("%+v", p)
	}
	for share, want := range map[float64]float64{0: 1, .25: 1.75, .5: 2.75, 1: 4} {
		if got := p.Quantile(share); got != want {
			t.Errorf("quantile at %v: %v, want %v", share, got, want)
		}
	}
}

func TestDealing(t *testing.T) {
	codes := func(name string, kind Kind, v ...int32) Column {
		return Column{Name: name, Kind: kind, Codes: v, Levels: []string{"a", "b", "c", "d", "e"}}
	}
	tb := &Table{Name: "t.csv", Rows: 5, Columns: []Column{
		codes("row", ID, 0, 1, 2, 3, 4), codes("patient", ID, 3, 3, -1, -1, 2), codes("site", Category, 0, 1, 0, 1,
			0),
		{Name: "day", Kind: Number, Numbers: []float64{4, 3, 2, 1, math.NaN()},
			Faults: []Fault{{Row: 4, Text: "soon"}}},
	}}
	all, some := []int{0, 1, 2, 3, 4}, []int{1, 2, 4}
	if d, err := tb.Dealing(all); err != nil || !slices.Equal(d.Groups, []int{0, 0, -1, -2, 1}) ||
		Go.Say(d.By) != `by the id in column "patient", which repeats: 2 values in 5 rows` {
		t.Errorf("%+v, %v", d, err)
	}
	if d, err := tb.Dealing(some); err != nil || d.Groups != nil || d.By.Code != "" { // without repeated values
		t.Errorf("%+v, %v", d, err)
	}
	tb.Group = "site"
	if d, err := tb.Dealing(some); err != nil || !slices.Equal(d.Groups, []int{0, 1, 1}) ||
		d.By.Code != splitByGroup || d.By.N != 2 || d.By.Of != 3 {
		t.Errorf("%+v, %v", d, err)
	}
	tb.Time = "day"
	if d, err := tb.Dealing(all[:4]); err != nil || d.Groups != nil ||
		!slices.Equal(d.Times, []float64{4, 3, 2, 1}) {
		t.Errorf("%+v, %v", d, err)
	}
	for _, tt := range []struct {
		time, group string
		code        Code
		value       string
	}{{"day", "", noTime, ""}, {"site", "", timeOfKind, ""}, {"week", "site", NoSuchColumn, "week"},
		{"", "ward", NoSuchColumn, "ward"}} {
		tb.Time, tb.Group = tt.time, tt.group
		_, err := tb.Dealing(all)
		if f, ok := errors.AsType[Finding](err); !ok || f.Code != tt.code || f.Value != tt.value {
			t.Errorf("%+v: %v", tt, err)
		}
	}
}

// Names and cells that look like options, flags, markup or placeholders are printed as they are.
func TestVoice(t *testing.T) {
	code := Register("test-voice", "column {column}: {n:cell} of {of} ({share}) in {place} {n?is|are} {0}, {1:plain}; "+
		"use {option} or {!Kinds column=date}; {columns?one|more}: {columns}; {!Missing 0}; {!Limits half}")
	shell := &Voice{Option: func(name, value string) string { return "--" + name + "=" + value }}
	for _, name := range []string{"as the target", "Options.Missing", "--drop", "<b>", "constructor", "{n}",
		"{column"} {
		f := Finding{Code: code, Column: name, Columns: []string{name, "b"}, Row: 3, N: 1, Of: 3000,
			Texts: []string{name, "x  y"}, Option: "Drop", Value: name}
		want := `column "` + name + `": 1 cell of 3,000 (under 0.1 %) in row 3 is "` + name +
			`", x y; use --Drop=` + name +
			` or --Kinds=` + name + `=date; more: "` + name + `", "b"; --Missing=` + name + `; --Limits=half`
		if got := shell.Say(f); got != want {
			t.Errorf("%s\nwant %s", got, want)
		}
	}
	own := &Voice{Option: shell.Option, Sentences: map[Code]string{code: "own {n}"}}
	if got := own.Say(Finding{Code: code, N: 1234}); got != "own 1,234" {
		t.Error(got)
	}
}

func TestFindingAsError(t *testing.T) {
	code := Register("test-error", "{0} is odd: use {!Missing 0}")
	tb := &Table{Name: "t.csv", Columns: []Column{{Name: "a"}}}
	err := tb.Fault(2, 1, "", Finding{Code: code, Texts: []string{"?"}, Cause: io.EOF})
	if want := `tables: t.csv: row 2, column 1 (a): "?" is odd: use Options.Missing ?`; err.Error() != want ||
		!errors.Is(err, io.EOF) {
		t.Errorf("%v, want %s", err, want)
	}
	shell := &Voice{Option: func(name, value string) string { return "--na '" + value + "'" }}
	if got := shell.Explain(err); got != `t.csv: row 2, column 1 (a): "?" is odd: use --na '?'` {
		t.Error(got)
	}
}

// A cause is in the words of the same voice, and a value of a list is written as a record of CSV.
func TestCauseAndLists(t *testing.T) {
	inner := Register("test-inner", "use {!Missing 0} or {!Group column}")
	code := Register("test-outer", "no: {cause}")
	shell := &Voice{Option: func(name, value string) string { return "--" + name + " " + value }}
	for _, tt := range []struct {
		cause error
		want  string
	}{{Finding{Code: inner, Column: "a,b", Texts: []string{`1,5`}}, `no: use --Missing "1,5" or --Group a,b`},
		{io.EOF, "no: EOF"}, {nil, "no: "}} {
		if got := shell.Say(Finding{Code: code, Cause: tt.cause}); got != tt.want {
			t.Errorf("%s, want %s", got, tt.want)
		}
	}
}

func TestRegisterRefuses(t *testing.T) {
	for _, template := range []string{"{open", "{unknown}", "{11}"} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s is accepted", template)
				}
				delete(sentences, "test-bad")
			}()
			Register("test-bad", template)
		}()
	}
}
