package charts

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/mpcvm/mpcvm/internal/chart"
	"github.com/mpcvm/mpcvm/internal/testkit/drawn"
	"github.com/mpcvm/mpcvm/nbhelpers"
	"github.com/mpcvm/mpcvm/tables/look"
	"github.com/mpcvm/mpcvm/tables/table"
)

// lookTable returns a table with three numeric columns, a category, a date, a boolean, an id and classes,
// in which the given names occur.
func lookTable(rows, classes int, names []string) *table.Table {
	random := rand.New(rand.NewPCG(5, 6))
	t := &table.Table{Name: "made.csv", Rows: rows, Reading: "semicolon",
		Notes: []table.Finding{{Code: "a-note"}}}
	columns := []string{"length", "width", "odd", "island", "joined", "smoker", "id", "species"}
	levels := []string{"Biscoe", "Dream", "Torgersen"}
	var labels []string
	for k := range classes {
		labels = append(labels, fmt.Sprintf("class %c%d", 'A'+k%26, k/26))
	}
	if names != nil {
		t.Name, t.Reading, t.Notes = names[0], names[1], []table.Finding{{Code: "names", Texts: names}}
		columns[0], columns[1], columns[3], columns[6] = names[0], names[1], names[2], names[0]+"id"
		levels, labels = names, names
	}
	for j, kind := range []table.Kind{table.Number, table.Number, table.Number, table.Category, table.Date,
		table.Boolean, table.ID, table.Category} {
		c := table.Column{Name: columns[j], Kind: kind}
		switch j {
		case 3:
			c.Levels = levels
		case 5:
			c.Levels = []string{"no", "yes"}
		case 7:
			c.Levels = labels
		}
		t.Columns = append(t.Columns, c)
	}
	for i := range rows {
		k := i % len(labels)
		x := 5*float64(k) + 2*random.NormFloat64()
		numbers := []float64{x, 20 - x/5 + random.NormFloat64(), random.NormFloat64(), 0,
			1.5e9 + 86400*float64(random.IntN(900)), float64(random.IntN(2))}
		if i%40 == 7 {
			numbers[2] = math.NaN()
		}
		for j, v := range numbers {
			if c := &t.Columns[j]; c.Kind.Numeric() {
				c.Numbers = append(c.Numbers, v)
			}
		}
		t.Columns[3].Codes = append(t.Columns[3].Codes, int32(min(random.IntN(3), max(k-1, 0))))
		t.Columns[6].Codes, t.Columns[6].Levels = append(t.Columns[6].Codes, int32(i)),
			append(t.Columns[6].Levels, fmt.Sprintf("n%07d", i))
		t.Columns[7].Codes = append(t.Columns[7].Codes, int32(k))
	}
	return t
}

func viewOf(t *table.Table, target string) *lookView {
	f, err := look.At(context.Background(), t, target)
	if err != nil {
		panic(err)
	}
	return newLookView(t, f)
}

func lookFixture(names []string) *lookView { return viewOf(lookTable(150, 3, names), "species") }

func correlationsOf(v *lookView) nbhelpers.Chart {
	c, ok := v.correlations()
	if !ok {
		panic("no correlations")
	}
	return c
}

// lookPage returns the page of a table.
func lookPage(t *testing.T, tt *table.Table, target string) (page string, b nbhelpers.PageBlock) {
	t.Helper()
	b, err := LookWith(t.Context(), tt, LookOptions{Target: target})
	if err != nil {
		t.Fatal(err)
	}
	var w bytes.Buffer
	if err := nbhelpers.WritePage(&w, "look", b); err != nil {
		t.Fatal(err)
	}
	return w.String(), b
}

func TestLook(t *testing.T) {
	page, b := lookPage(t, lookTable(150, 3, nil), "")
	html := b.HTML()
	for _, want := range []string{"made.csv: 150 rows, 8 columns (semicolon)",
		"has the 3 classes (reason: its name)", "a-note", "<h2>Classes</h2>", "<h2>Columns</h2>",
		"<h2>Most informative columns</h2>", "<h2>Pairs of columns</h2>",
		"<h2>Correlations</h2>", `is taken for an id`, `Options.Kinds`,
		"4\u00a0(2.7\u00a0%)", `alt="histogram"`} {
		if !strings.Contains(page, want) || !strings.Contains(html, want) {
			t.Errorf("the page does not contain %q", want)
		}
	}
	if n := strings.Count(page, `class="mpcvm-chart"`); n < 6 ||
		n != strings.Count(html, `class="mpcvm-chart"`) {
		t.Errorf("%d charts", n)
	}
	if len(html) > 120_000 {
		t.Errorf("the page of 150 rows has %d bytes", len(html))
	}
	if again, _ := lookPage(t, lookTable(150, 3, nil), ""); again != page {
		t.Error("two pages of the same table differ")
	}
	if Look(lookTable(150, 3, nil)).HTML() != html {
		t.Error("Look differs from LookWith")
	}
	b.Display() // does nothing outside of a notebook
}

// TestLookIsText tests that names in the data are never interpreted as HTML.
func TestLookIsText(t *testing.T) {
	page, _ := lookPage(t, lookTable(150, 3, drawn.Hostile), "species")
	page = drawn.Unfolded(page)
	for _, bad := range []string{"<script>alert", "</script><script>alert", "<img src=x", "\x00"} {
		if strings.Contains(page, bad) {
			t.Errorf("the page contains %q", bad)
		}
	}
}

// TestLookOdd tests that unusual tables have a page, and that all coordinates in it are numbers.
func TestLookOdd(t *testing.T) {
	nan := math.NaN()
	number := func(values ...float64) *table.Table {
		codes := make([]int32, len(values))
		for i := range codes {
			codes[i] = int32(i % 2)
		}
		return &table.Table{Rows: len(values), Columns: []table.Column{{Name: "x", Kind: table.Number,
			Numbers: values}, {Name: "y2", Kind: table.Number, Numbers: values},
			{Name: "class", Kind: table.Category, Codes: codes, Levels: []string{"a", "b"}}}}
	}
	wide := lookTable(40, 3, nil)
	for j := range 150 {
		c := wide.Columns[j%3]
		c.Name = fmt.Sprint("more ", j)
		wide.Columns = append(wide.Columns, c)
	}
	for name, tt := range map[string]*table.Table{
		"empty": {}, "no rows": number(), "missing": number(nan, nan), "one": number(5),
		"constant": number(5, 5, 5), "infinite": number(math.Inf(1), 1, 2),
		"huge": number(-1e308, 1e308, 3), "tiny": number(1e-320, 2e-320, 0),
		"days": {Rows: 3, Columns: []table.Column{{Name: "d", Kind: table.Date, Numbers: []float64{0,
			3600, 7200}}, {Name: "e", Kind: table.Date, Numbers: []float64{0, 1e9, -1e9}}}},
		"19 classes": lookTable(600, 19, nil), "60 classes": lookTable(900, 60, nil),
		"150 classes": lookTable(3000, 150, nil), "wide": wide, "long": lookTable(5000, 2, nil),
	} {
		t.Run(name, func(t *testing.T) {
			page, b := lookPage(t, tt, "")
			page = drawn.Unfolded(page)
			if body, _, _ := strings.Cut(page, "w.mpcvmLib"); strings.Contains(body, "NaN ") ||
				strings.Contains(body, "MNaN") || strings.Contains(body, `"+Inf`) {
				t.Error("a coordinate is not a number")
			}
			charts := 0
			for _, m := range regexp.MustCompile(`src="data:image/svg\+xml,([^"]*)"`).FindAllStringSubmatch(b.HTML(),
				-1) {
				svg, err := url.PathUnescape(m[1])
				if err != nil {
					t.Fatal(err)
				}
				charts++
				drawn.CheckXML(t, svg)
				if strings.Contains(svg, "NaN") || strings.Contains(svg, "Inf") {
					t.Errorf("a coordinate is not a number: %s", svg)
				}
			}
			if tt.Rows >= 40 && charts < 4 {
				t.Errorf("%d charts", charts)
			}
		})
	}
}

// TestLookDrawsFew tests that the page of a long table has at most 20,000 points and mentions the sampling.
func TestLookDrawsFew(t *testing.T) {
	tt := lookTable(5000, 3, nil)
	v := viewOf(tt, "")
	points := 0
	for _, c := range v.pairs() {
		for _, m := range chart.FigureOf(c.(nbhelpers.Chart)).Marks {
			points += len(m.(*chart.Dots).Rows)
		}
	}
	if points == 0 || points > 20_000 {
		t.Errorf("%d points", points)
	}
	if s := v.pairsText(); !strings.Contains(s, "2,000 of 5,000 rows") {
		t.Error(s)
	}
	v = viewOf(lookTable(150, 3, nil), "")
	for _, m := range chart.FigureOf(v.pair(0, 1)).Marks {
		if len(m.(*chart.Dots).Rows) != 50 {
			t.Errorf("%d points of class %s", len(m.(*chart.Dots).Rows), m.Common().Name)
		}
	}
}

func TestLookErrors(t *testing.T) {
	if _, err := LookWith(t.Context(), lookTable(20, 2, nil), LookOptions{Target: "kind"}); err == nil ||
		!strings.Contains(err.Error(), `"kind"`) {
		t.Errorf("error %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := LookWith(ctx, lookTable(20, 2, nil), LookOptions{}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

// TestLookChoosesTheBest tests that informative columns come first and noise is omitted.
func TestLookChoosesTheBest(t *testing.T) {
	v := viewOf(lookTable(600, 3, nil), "")
	if got := v.paired(); len(got) != 2 || got[0] != 0 || got[1] != 1 {
		t.Errorf("pairs of %v", got)
	}
	if page, _ := lookPage(t, lookTable(600, 3, nil), "length"); !strings.Contains(page,
		"cannot be used as classes") || !strings.Contains(page, "The first numeric columns") {
		t.Error("a numeric column is treated as classes")
	}
}
