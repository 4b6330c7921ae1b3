package table

import (
	"errors"
	"fmt"
	"math"
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
