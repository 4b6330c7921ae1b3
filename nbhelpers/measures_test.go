package nbhelpers

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/internal/chart"
	"github.com/mpcvm/mpcvm/internal/testkit/drawn"
	"github.com/mpcvm/mpcvm/internal/testkit/must"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/ranktest"
	"github.com/mpcvm/mpcvm/mpcvm/score"
)

// TestOddMeasures draws charts of little or no data.
func TestOddMeasures(t *testing.T) {
	nan := math.NaN()
	lost := centres{names: []string{"a", "b"}}
	two := must.Get(ranktest.Friedman(mat.NewDense(2, 2, []float64{1, 2, 2, 1})))(t)
	long := strings.Repeat("a long name ", 20)
	for name, c := range map[string]Chart{
		"no boxes":      Boxes(nil, BoxesOptions{}),
		"empty boxes":   Boxes([]Box{{"a", nil}, {long, []float64{nan, math.Inf(1)}}}, BoxesOptions{}),
		"one value":     Boxes([]Box{{long, []float64{3}}}, BoxesOptions{}),
		"level systems": CriticalDifference([]string{long, "b"}, two, CriticalDifferenceOptions{Control: "b"}),
		"one class":     Confusion([][]int{{0}}, []string{long}),
		"no curve":      Reliability(nil, ReliabilityOptions{}),
		"empty bins":    Reliability([]Calibration{{"", make([]score.Bin, 4)}}, ReliabilityOptions{}),
		"no samples":    ROC(&mat.Dense{}, nil, nil),
		"absent class":  ROC(mat.NewDense(2, 2, []float64{1, 0, 1, 0}), []int{0, 0}, []string{"a", "b"}),
		"no weights":    newExplanation(lost.names, lost.Explain(nil)).chart(),
		"not a number":  newExplanation(lost.names, nowhere{lost}.Explain(nil)).chart(),
		"no features":   Importance(nil, nil, ImportanceOptions{}),
		"no probability": PrecisionRecall(mat.NewDense(2, 2, []float64{1, 0, 1, 0}), []int{0, 0},
			[]string{"a", "b"}),
		"no rows":  PrecisionRecall(&mat.Dense{}, nil, nil),
		"extremes": Importance([]string{"a", long}, []float64{1e300, 0}, ImportanceOptions{}),
	} {
		t.Run(name, func(t *testing.T) {
			drawn.Finite(t, c)
		})
	}
}

// nowhere explains a sample with a NaN feature.
type nowhere struct{ centres }

func (n nowhere) Explain(x []float64) mpcvm.Explanation {
	e := n.centres.Explain(x)
	e.Label = -1
	for c := range e.Proba {
		e.Proba[c], e.Potentials[c] = math.NaN(), math.NaN()
	}
	return e
}

func TestMeasuresPanic(t *testing.T) {
	names := []string{"a", "b"}
	p := mat.NewDense(1, 2, []float64{.5, .5})
	r := ranks()
	panics(t, "systems", func() { CriticalDifference(names, r, CriticalDifferenceOptions{Control: "a"}) })
	panics(t, "control",
		func() { CriticalDifference([]string{"a", "b", "c"}, r, CriticalDifferenceOptions{Control: "d"}) })
	panics(t, "level", func() {
		CriticalDifference([]string{"a", "b", "c"}, r, CriticalDifferenceOptions{Control: "a", Alpha: 5})
	})
	panics(t, "confusion rows", func() { Confusion([][]int{{1, 2}}, names) })
	panics(t, "confusion columns", func() { Confusion([][]int{{1, 2}, {1}}, names) })
	panics(t, "negative count", func() { Confusion([][]int{{1, 2}, {1, -1}}, names) })
	panics(t, "no class", func() { Confusion(nil, nil) })
	panics(t, "labels", func() { ROC(p, nil, names) })
	panics(t, "label", func() { ROC(p, []int{2}, names) })
	panics(t, "probability", func() { ROC(mat.NewDense(1, 2, []float64{math.NaN(), 1}), []int{1}, names) })
	panics(t, "features", func() { Importance(names, []float64{1}, ImportanceOptions{}) })
	panics(t, "importance", func() { Importance(names, []float64{1, -1}, ImportanceOptions{}) })
	panics(t, "result rows", func() { Results(names, names, nil, ResultsOptions{}) })
	panics(t, "result columns", func() { Results(names[:1], names, [][]Measure{{{}}}, ResultsOptions{}) })
}

// The curve agrees with package score, from recall 0 to 1.
func TestPrecisionRecallCurve(t *testing.T) {
	p := mat.NewDense(4, 2, []float64{.1, .9, .4, .6, .6, .4, .8, .2})
	c := PrecisionRecall(p, []int{1, 0, 1, 0}, []string{"a", "b"})
	if l := chart.FigureOf(c).Marks[1].(*chart.Line); l.Name != "b\u2002AP 0.833" ||
		!slices.Equal(l.Rows[0], chart.Row{0, 1}) || l.Rows[len(l.Rows)-1][0] != 1 {
		t.Errorf("%s: %v", l.Name, l.Rows)
	}
}

// TestGain: of ten samples, two of class b, the first tenth contains one of these and the second
// tenth the other.
func TestGain(t *testing.T) {
	p, labels := mat.NewDense(10, 2, nil), make([]int, 10)
	for i := range labels {
		p.SetRow(i, []float64{float64(i) / 10, 1 - float64(i)/10})
	}
	labels[0], labels[2] = 1, 1
	c := Gain(p, labels, []string{"a", "b"})
	a, b := chart.FigureOf(c).Marks[0].(*chart.Line), chart.FigureOf(c).Marks[1].(*chart.Line)
	if b.Name != "b\u2002lift 5" ||
		!reflect.DeepEqual(b.Rows, []chart.Row{{0, 0}, {.1, .5}, {.2, .5}, {.3, 1}, {1, 1}}) {
		t.Errorf("%s: %v", b.Name, b.Rows)
	}
	if a.Name != "a\u2002lift 1.25" || a.Rows[len(a.Rows)-1][1] != 1 {
		t.Errorf("%s: %v", a.Name, a.Rows)
	}
}

// TestSummarise compares with R's quantile and boxplot rules, computed by hand.
func TestSummarise(t *testing.T) {
	s := summarise([]float64{9, 1, 2, 3, 4, math.NaN(), 5, 6, 7, 30, math.Inf(-1)})
	if s.n != 9 || s.q1 != 3 || s.median != 5 || s.q3 != 7 || s.low != 1 || s.high != 9 || s.mean != 67./9 ||
		!slices.Equal(s.outliers, []float64{30}) {
		t.Errorf("%+v", s)
	}
	s = summarise([]float64{1, 2, 3, 4})
	if s.q1 != 1.75 || s.median != 2.5 || s.q3 != 3.25 || s.low != 1 || s.high != 4 || s.outliers != nil {
		t.Errorf("%+v", s)
	}
}

// TestBoxesLie checks that boxes and outliers are horizontal if requested, or if the names are too
// long.
func TestBoxesLie(t *testing.T) {
	values := []float64{1, 2, 3, 4, 50}
	for _, tt := range []struct {
		box  Box
		lies bool
		want chart.Row
	}{{Box{"a", values}, false, chart.Row{0, 50}},
		{Box{strings.Repeat("long ", 30), values}, true, chart.Row{50, 0}}} {
		c := Boxes([]Box{tt.box}, BoxesOptions{})
		if lies := chart.FigureOf(c).Panels[0].Y.Kind == "category"; lies != tt.lies {
			t.Errorf("%q lies: %v", tt.box.Name, lies)
		}
		if got := chart.FigureOf(c).Marks[1].(*chart.Dots).Rows[0]; !slices.Equal(got, tt.want) {
			t.Errorf("outlier at %v, want %v", got, tt.want)
		}
	}
}

// TestCriticalDifference checks the bar of the critical difference and the list of systems that
// differ.
func TestCriticalDifference(t *testing.T) {
	r := ranks()
	c := CriticalDifference([]string{"a", "b", "last"}, r, CriticalDifferenceOptions{Control: "last", Alpha: .1})
	texts := drawn.Texts(t, c)
	must.Contain(t, texts, fmt.Sprintf("critical difference %.2f", r.BonferroniDunn(2, .1).CD),
		"a\u20021.50",
		"b\u20021.50", "3.00\u2002last", "average rank over 6 data sets")
	tip := chart.Quote(chart.FigureOf(c).Tip.Texts)
	if !strings.Contains(tip, `"last (p = `) || !strings.Contains(tip, `"a (p = `) ||
		strings.Contains(tip, "none") {
		t.Errorf("tooltip is %s", tip)
	}
}

func TestConfusionColors(t *testing.T) {
	c := Confusion([][]int{{9, 1}, {0, 0}}, []string{"a", "b"})
	var fills []string
	for _, cell := range chart.FigureOf(c).Marks[0].(*chart.Cells).Cells {
		fills = append(fills, cell.Fill)
	}
	right, wrong := chart.ParseHex(fills[0]), chart.ParseHex(fills[1])
	if len(fills) != 4 || right.B <= right.R || wrong.R <= wrong.B || fills[2] != "#ffffff" ||
		fills[3] != "#ffffff" {
		t.Errorf("colours %v", fills)
	}
	if texts := drawn.Texts(t, c); !strings.Contains(texts, "1 of 10 samples misclassified (10 %)") {
		t.Errorf("the number misclassified is missing in %s", texts)
	}
	var margins []string
	for _, cell := range chart.FigureOf(Confusion([][]int{{9, 1}, {5, 5}},
		[]string{"a", "b"})).Marks[1].(*chart.Cells).Cells {
		margins = append(margins, cell.Label)
	}
	// recall of a, precision of a, the same of b, accuracy
	if want := []string{"90 %", "64 %", "50 %", "83 %", "70 %"}; !slices.Equal(margins, want) {
		t.Errorf("margins %v, want %v", margins, want)
	}
	many := make([][]int, 100)
	names := make([]string, 100)
	for i := range many {
		many[i] = make([]int, 100)
		many[i][i], names[i] = 5, fmt.Sprint("species ", i)
	}
	if c := Confusion(many, names); len(chart.FigureOf(c).Marks[0].(*chart.Cells).Cells) != 100 ||
		c.Height > 1000 {
		t.Errorf("100 classes: height %d", c.Height)
	}
}

// TestReliabilityError checks that the error in the legend agrees with package score.
func TestReliabilityError(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	p, labels := mat.NewDense(200, 2, nil), make([]int, 200)
	for i := range labels {
		v := random.Float64()
		p.SetRow(i, []float64{v, 1 - v})
		labels[i] = random.IntN(2)
	}
	table, ece, err := score.Reliability(p, labels, 7)
	must.OK(t, err)
	c := Reliability([]Calibration{{"chance", table}}, ReliabilityOptions{})
	if want := fmt.Sprintf("chance\u2002ECE %.3f", ece); !strings.Contains(drawn.Texts(t, c), want) {
		t.Errorf("%q is missing", want)
	}
}

// TestROCAreas compares the areas under the curves with package score, on
// probabilities with many ties.
func TestROCAreas(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	p, labels, names := mat.NewDense(300, 3, nil), make([]int, 300), []string{"a", "b", "c"}
	for i := range labels {
		labels[i] = random.IntN(3)
		for c := range 3 {
			v := float64(random.IntN(6))
			if c == labels[i] {
				v += 2
			}
			p.Set(i, c, v/10)
		}
	}
	c := ROC(p, labels, names)
	one := mat.NewDense(300, 2, nil) // class a and the rest
	rest := make([]int, 300)
	for i, label := range labels {
		one.SetRow(i, []float64{p.At(i, 0), -p.At(i, 0)})
		rest[i] = min(label, 1)
	}
	want := must.Get(score.AUC(one, rest))(t)
	s, area := chart.FigureOf(c).Marks[0].(*chart.Line), 0.0
	if s.Name != fmt.Sprintf("a\u2002AUC %.3f", want) {
		t.Errorf("%s, want %.3f", s.Name, want)
	}
	for k := 1; k < len(s.Rows); k++ {
		a, b := s.Rows[k-1], s.Rows[k]
		area += (b[0] - a[0]) * (a[1] + b[1]) / 2
	}
	if math.Abs(area-want) > 1e-3 {
		t.Errorf("the curve has area %v, want %v", area, want)
	}
}

// TestExplanationAddsUp checks that the bars of a row, starting from the bias, sum to the potential,
// including merged bars.
func TestExplanationAddsUp(t *testing.T) {
	m, _ := fixture(30, 3, 2)
	for i := range 60 { // more than the chart draws
		weights := make([]float64, 3)
		weights[i%3], weights[(i+1)%3] = 1/float64(i+1), -1/float64(i+2)
		m.vectors = append(m.vectors, mpcvm.RelevanceVector{Index: 100 + i, Label: i % 3, Weights: weights})
	}
	e := m.Explain(nil)
	c := newExplanation(m.names, e).chart()
	sums := make([]float64, 3) // by row: classes 2, 1, 0, the likeliest first
	reach := make([][2]float64, 3)
	parts, merged := 0, 0
	for _, m := range chart.FigureOf(c).Marks {
		b, ok := m.(*chart.Bars)
		if !ok {
			continue
		}
		for _, v := range b.Rows {
			row, from, to := int(v[0]), v[1], v[2]
			told := chart.FigureOf(c).Tip.Texts["told"].([]string)[int(v[3])]
			what, adds, _ := strings.Cut(strings.ReplaceAll(told, "−", "-"), "\nadds ")
			adds, _, _ = strings.Cut(adds, " ")
			if said, err := strconv.ParseFloat(adds, 64); err != nil || math.Abs(to-from-said) > 6e-3 {
				t.Errorf("bar from %v to %v: %q, %v", from, to, told, err)
			}
			sums[row] += to - from
			reach[row] = [2]float64{math.Min(reach[row][0], to), math.Max(reach[row][1], to)}
			parts++
			if n, small := strings.CutSuffix(what, " small ones"); small {
				number, _ := strconv.Atoi(n)
				merged += number
				parts--
			}
		}
	}
	if n := len(e.Contributions) + 3; parts+merged != n || merged == 0 { // including three biases
		t.Errorf("%d bars and %d merged, want %d", parts, merged, n)
	}
	for row, class := range []int{2, 1, 0} {
		if math.Abs(sums[row]-e.Potentials[class]) > 1e-2 {
			t.Errorf("bars of class %d sum to %v, want %v", class, sums[row], e.Potentials[class])
		}
		if r := reach[row]; math.Abs(r[0]+r[1]-e.Potentials[class]) > 1e-2 {
			t.Errorf("bars of class %d reach %v, want the sum %v", class, r, e.Potentials[class])
		}
	}
}

// TestBarOfControl checks that the bar extends one critical difference from the rank of the control.
func TestBarOfControl(t *testing.T) {
	r := must.Get(ranktest.Friedman(mat.NewDense(40, 5,
		slices.Repeat([]float64{1, 2, 3, 4, 5, 5, 4, 3, 2, 1}, 20))))(t)
	c := CriticalDifference([]string{"a", "b", "c", "d", "e"}, r, CriticalDifferenceOptions{Control: "c"})
	cd := r.BonferroniDunn(2, .05).CD
	found := false
	for _, m := range chart.FigureOf(c).Marks {
		if s, ok := m.(*chart.Sketch); ok {
			for _, part := range s.Strokes {
				if part.Width == 5 {
					found = true
					if lo, hi := part.At[0][0], part.At[1][0]; math.Abs(lo-(3-cd)) > 1e-12 ||
						math.Abs(hi-(3+cd)) > 1e-12 {
						t.Errorf("the bar is from %v to %v, want 3 ± %v", lo, hi, cd)
					}
				}
			}
		}
	}
	if !found {
		t.Error("no bar")
	}
}

func TestImportanceOrder(t *testing.T) {
	c := Importance([]string{"small", "large", "same"}, []float64{.01, 30, 1}, ImportanceOptions{})
	if got := chart.FigureOf(c).Panels[0].Y.Categories; !slices.Equal(got,
		[]string{"large", "same", "small"}) {
		t.Errorf("order is %v", got)
	}
	names, values := make([]string, 90), make([]float64, 90)
	for i := range names {
		names[i], values[i] = fmt.Sprint("f", i), float64(i)
	}
	c = Importance(names, values, ImportanceOptions{})
	if shown := chart.FigureOf(c).Panels[0].Y.Categories; len(shown) != importanceRows || shown[0] != "f89" {
		t.Errorf("%d features are shown, %v first", len(shown), shown[0])
	}
	if !strings.Contains(drawn.Texts(t, c), "the 40 most important of 90 features") {
		t.Error("the chart does not report that features are omitted")
	}
}

func TestResults(t *testing.T) {
	nan := math.NaN()
	m := [][]Measure{{{3.24, .12}, {3.2, 0}, {nan, 0}}, {{-5, nan}, {1234.5, 1}, {7, 0}}}
	rows, columns := []string{"Iris", "<b>"}, []string{"x", "y", "z"}
	for _, c := range []struct {
		opt  ResultsOptions
		bold string
	}{
		{ResultsOptions{}, "[[false true true false] [false true false false]]"},
		{ResultsOptions{Decimals: 2}, "[[false false true false] [false true false false]]"},
	} {
		if got := Results(rows, columns, m, c.opt); fmt.Sprint(got.Bold) != c.bold {
			t.Errorf("%+v sets %v bold, want %s", c.opt, got.Bold, c.bold)
		}
	}
	table := Results(rows, columns, m, ResultsOptions{Corner: "set"})
	if got, want := fmt.Sprint(table.Header, table.Rows),
		"[set x y z] [[Iris 3.2 ± 0.1 3.2 –] [<b> −5.0 1,234.5 ± 1.0 7.0]]"; got != want {
		t.Errorf("table is %s, want %s", got, want)
	}
	html := table.HTML()
	drawn.CheckXML(t, html)
	must.Contain(t, html, "<b>3.2<small>\u00a0±\u00a00.1</small></b>", "&lt;b&gt;", "<b>−5.0</b>")
}
