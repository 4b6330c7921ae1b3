package charts

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/internal/chart"
	"github.com/mpcvm/mpcvm/internal/testkit/drawn"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/baseline/mlr"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
	"github.com/mpcvm/mpcvm/nbhelpers"
	"github.com/mpcvm/mpcvm/tables"
	"github.com/mpcvm/mpcvm/tables/eval"
	"github.com/mpcvm/mpcvm/tables/model"
	"github.com/mpcvm/mpcvm/tables/table"
)

// The axis of Permutation includes the lines of the standard deviations.
func TestPermutationAxis(t *testing.T) {
	mean := func(v, sd float64) eval.Spread { return eval.Spread{Mean: v, SD: sd} }
	list := []eval.Importance{
		{Column: "a", LogLoss: mean(0.7, 0.01)}, {Column: "b", LogLoss: mean(0.01, 0.02)},
		{Column: "c", LogLoss: mean(0, 0)},
	}
	if a := chart.FigureOf(Permutation(list)).Panels[0].X; a.Lo < -0.04 || a.Lo > -0.01 {
		t.Errorf("the axis of importance starts at %v", a.Lo)
	}
}

// everyChart returns one chart of each kind, in which the given names occur.
func everyChart(names []string) map[string]nbhelpers.Chart {
	name := append(names, "mPCVM₁")[0]
	v := lookFixture(names)
	return map[string]nbhelpers.Chart{
		"look classes": v.classChart(), "look numbers": v.ridges(0), "look levels": v.levels(3),
		"look pair":         v.pair(0, 1),
		"look correlations": correlationsOf(v),
		"permutation":       Permutation(importances(name)),
		"dependence":        Dependence(dependence(name, false)),
		"levels":            Dependence(dependence(name, true)),
		"comparison":        Comparison(compared(name), eval.LogLoss),
	}
}

func TestTableChartsAreSound(t *testing.T) {
	again := everyChart(nil)
	for name, c := range everyChart(nil) {
		t.Run(name, func(t *testing.T) {
			drawn.Sound(t, c, again[name])
			if len(c.Alt) < 30 {
				t.Errorf("uninformative alt text: %q", c.Alt)
			}
		})
	}
}

func TestTableNamesAreText(t *testing.T) {
	for name, c := range everyChart(drawn.Hostile) {
		t.Run(name, func(t *testing.T) {
			drawn.NamesAreText(t, c)
			checkTips(t, c)
		})
	}
}

// checkTips fails if a line of a tooltip, which is HTML, contains a name from the data.
func checkTips(t *testing.T, c nbhelpers.Chart) {
	t.Helper()
	for _, m := range chart.FigureOf(c).Marks {
		for _, line := range m.Common().Tip {
			if strings.ContainsAny(line, "<>&") {
				t.Errorf("the line %q of a tooltip contains a name", line)
			}
		}
	}
}

// TestOddTables tests charts with little or no data.
func TestOddTables(t *testing.T) {
	nan, one := math.NaN(), mat.NewDense(1, 1, []float64{1})
	long := strings.Repeat("a long name ", 20)
	for name, c := range map[string]nbhelpers.Chart{
		"no columns": Permutation(nil),
		"no log loss": Permutation([]eval.Importance{
			{Column: "a", LogLoss: eval.Spread{Mean: nan, SD: nan}, Err: eval.Spread{Mean: .1, SD: nan}},
			{Column: long, LogLoss: eval.Spread{Mean: nan}, Err: eval.Spread{Mean: nan}},
		}),
		"many columns": Permutation(slices.Repeat(importances(long), 20)),
		"one point": Dependence(&eval.Dependence{Column: long, Kind: table.Date, Classes: []string{"a"},
			Values: []float64{86400}, Mean: one}),
		"one row":    Costs(mat.NewDense(1, 2, []float64{.5, .5}), []int{0}, mat.NewDense(2, 2, nil)),
		"no systems": Comparison(&eval.Comparison{Folds: new(eval.Folds)}, eval.Error),
	} {
		t.Run(name, func(t *testing.T) { drawn.Finite(t, c) })
	}
	if text := refusalOf(func() { Costs(one, nil, one) }); !strings.HasPrefix(text, "charts: ") {
		t.Errorf("panic %q", text)
	}
}

// The best system is marked, a system with the same predictions may be as good, and the baseline is worse.
func TestComparisonGroups(t *testing.T) {
	r := compared("a")
	r.Systems = append(r.Systems, r.Systems[1])
	c := Comparison(r, eval.Error)
	groups, shape := map[string][]float64{}, map[string]string{}
	for _, m := range chart.FigureOf(c).Marks {
		if d, ok := m.(*chart.Dots); ok {
			shape[d.Name] = d.Marker.Name
			for _, r := range d.Rows {
				groups[d.Name] = append(groups[d.Name], r[1])
			}
		}
	}
	if !slices.Equal(groups["best"], []float64{1}) || !slices.Contains(groups["may be as good"], 3) ||
		!slices.Contains(groups["worse"], 0) {
		t.Errorf("groups are %v", groups)
	}
	if shape["best"] == shape["worse"] || shape["best"] == "" {
		t.Errorf("the marks are %v", shape)
	}
	// If only the baseline has a log loss, it is not marked as the best.
	for i := range r.Systems[1:] {
		r.Systems[i+1].Proba = nil
	}
	if c := Comparison(r, eval.LogLoss); len(chart.FigureOf(c).Legend) != 0 ||
		strings.Contains(drawn.Texts(t, c), "best") {
		t.Error("a single system is marked as the best")
	}
}

// The chart gives the lowest cost and its threshold.
func TestCosts(t *testing.T) {
	c := Costs(mat.NewDense(4, 2, []float64{.9, .1, .6, .4, .6, .4, .2, .8}), []int{0, 0, 1, 1},
		mat.NewDense(2, 2, []float64{0, 1, 5, 0}))
	if !strings.Contains(drawn.Texts(t, c), "lowest: 0.2500 at the threshold 0.11") {
		t.Errorf("%s", drawn.Texts(t, c))
	}
}

// importances returns three columns, one of them irrelevant.
func importances(name string) []eval.Importance {
	spread := func(mean, sd float64) eval.Spread {
		return eval.Spread{Mean: mean, SD: sd, Values: make([]float64, 25)}
	}
	return []eval.Importance{{Column: name, LogLoss: spread(.8, .1), Err: spread(.3, .05)},
		{Column: "b", LogLoss: spread(.2, .08), Err: spread(.1, .02)},
		{Column: "c", LogLoss: spread(-.01, .02), Err: spread(0, .01)}}
}

// dependence returns the dependence on a number or a category.
func dependence(name string, category bool) *eval.Dependence {
	const points, rows = 20, 30
	d := &eval.Dependence{Column: name, Kind: table.Number, Classes: []string{name, "b", "c"},
		Mean: mat.NewDense(points, 3, nil)}
	at := func(g, i int) []float64 {
		a := 1 / (1 + math.Exp(float64(g-10)/2+float64(i%7-3)))
		return []float64{a, (1 - a) / 3, (1 - a) * 2 / 3}
	}
	for g := range points {
		d.Values, d.Cells = append(d.Values, float64(g)/4), append(d.Cells, float64(g)/4)
		d.Mean.SetRow(g, at(g, 3))
	}
	if category {
		d.Kind, d.Values, d.Levels, d.Cells = table.Category, nil, []string{"red", name, "other"},
			[]float64{0, 1, 1, 2}
		d.Mean = mat.DenseCopyOf(d.Mean.Slice(7, 10, 0, 3))
	}
	return d
}

// compared returns the results of two systems.
func compared(name string) *eval.Comparison {
	x, class := table.Column{Name: "x", Kind: table.Number},
		table.Column{Name: name, Kind: table.Category, Levels: []string{"a", "b"}}
	for i := range 40 {
		x.Numbers = append(x.Numbers, float64(i%11)+float64(i)/100) // no two rows are equal
		class.Codes = append(class.Codes, int32(i%11/6))
	}
	r, err := eval.CrossValidate(context.Background(),
		&table.Table{Name: name, Rows: 40, Columns: []table.Column{x, class}}, name,
		[]eval.System{eval.Of(name, mlr.MLR{}), eval.Of("other", mlr.MLR{Lambda: 30})},
		eval.Options{})
	if err != nil {
		panic(err)
	}
	return r
}

// refusalOf returns the message of a panic of f, or "".
func refusalOf(f func()) (text string) {
	defer func() {
		if fault := recover(); fault != nil {
			text = fmt.Sprint(fault)
		}
	}()
	f()
	return ""
}

// birds returns the 344 penguins and a model of the table.
func birds(t *testing.T) (*table.Table, *model.Model) {
	t.Helper()
	ctx := context.Background()
	penguins, err := tables.Open("../../data/penguins.csv", tables.Options{ID: []string{"Individual ID"},
		Drop: []string{"studyName", "Sample Number", "Date Egg", "Comments", "Region", "Stage"}})
	if err != nil {
		t.Fatal(err)
	}
	m, _, err := model.Fit(ctx, penguins, "Species", mpcvm.BottomUp{Kernel: kernel.RBF{Theta: 0.1}})
	if err != nil {
		t.Fatal(err)
	}
	return penguins, m
}

// Charts of a table encode its rows as Predict does, and count the same errors.
func TestTableModelUnits(t *testing.T) {
	penguins, m := birds(t)
	predictions, err := m.Predict(context.Background(), penguins)
	if err != nil {
		t.Fatal(err)
	}
	wrong, species := 0, penguins.Columns[penguins.Find("Species")]
	for i, p := range predictions {
		if p.Class != species.Text(i) {
			wrong++
		}
	}
	told := fmt.Sprintf("%d of 344 samples misclassified", wrong)
	regions := Regions(m, penguins, nbhelpers.RegionsOptions{Cells: 20})
	for name, c := range map[string]nbhelpers.Chart{
		"Regions":   regions,
		"principal": Regions(m, penguins, nbhelpers.RegionsOptions{Cells: 20, Principal: true}),
	} {
		subtitle := chart.FigureOf(c).Subtitle
		if !strings.Contains(subtitle, told) || name != "principal" &&
			!strings.Contains(subtitle, "2 without a value not drawn") {
			t.Errorf("%s: %q, want %q", name, subtitle, told)
		}
		if strings.Contains(c.Alt, "missing") || !strings.HasPrefix(chart.FigureOf(c).Title, "penguins") {
			t.Errorf("%s: %q: %q", name, chart.FigureOf(c).Title, c.Alt)
		}
	}
	// The axes are the two most important numeric columns, in millimetres.
	p, err := eval.Predict(context.Background(), m, penguins)
	if err != nil {
		t.Fatal(err)
	}
	list, err := p.Importance(context.Background(), eval.ImportanceOptions{})
	if err != nil {
		t.Fatal(err)
	}
	x := chart.FigureOf(regions).Panels[0].X
	if !strings.Contains(x.Name, list[0].Column) && !strings.Contains(x.Name, list[1].Column) || x.Lo < 10 {
		t.Errorf("x is %q from %g; the most important columns are %q and %q", x.Name, x.Lo, list[0].Column,
			list[1].Column)
	}
	for name, tt := range map[string]struct {
		want string
		f    func()
	}{
		"scale of table": {"Scale must not be set",
			func() { Regions(m, penguins, nbhelpers.RegionsOptions{Scale: &data.Standardizer{}}) }},
		"indicator": {`is not one of the numeric columns`,
			func() {
				Regions(m, penguins, nbhelpers.RegionsOptions{Columns: [2]string{"Sex missing", "Body Mass (g)"}})
			}},
		"no table model": {"the model must have a recipe",
			func() { Regions(model.NewModel(m.Model(), nil), penguins, nbhelpers.RegionsOptions{}) }},
		"bad cell": {`"heavy"`, func() { Explanation(m, map[string]any{"Body Mass (g)": "heavy"}) }},
	} {
		text := refusalOf(tt.f)
		if !strings.Contains(text, tt.want) || strings.Contains(text, "\n") {
			t.Errorf("%s: %q, want %q", name, text, tt.want)
		}
	}

	if text := refusalOf(func() { Explanation(m, penguins.Row(3)) }); text != "" {
		t.Error(text)
	}
	lacking := chart.FigureOf(Explanation(m, map[string]any{"Body Mass (g)": 5000})).Subtitle
	if !strings.Contains(lacking, "treated as missing: Island") {
		t.Errorf("%q", lacking)
	}
}

// The cells returned by Table.Row lead PredictRow to the predictions of Predict.
func TestRowIsThatOfTheTable(t *testing.T) {
	penguins, m := birds(t)
	predictions, err := m.Predict(context.Background(), penguins)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range predictions {
		got, err := m.PredictRow(penguins.Row(i))
		if err != nil || got.Missing != nil || got.Class != want.Class ||
			math.Abs(got.Proba[0]-want.Proba[0]) > 1e-12 {
			t.Errorf("row %d: %+v, %v; Predict gives %+v", i+1, got, err, want)
		}
	}
}
