package assess

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/internal/fitting"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/baseline/mlr"
	"github.com/mpcvm/mpcvm/mpcvm/baseline/svm"
	"github.com/mpcvm/mpcvm/mpcvm/gp"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
	"github.com/mpcvm/mpcvm/mpcvm/score"
	"github.com/mpcvm/mpcvm/mpcvm/search"
	"github.com/mpcvm/mpcvm/tables/recipe"
	"github.com/mpcvm/mpcvm/tables/table"
)

// ctx is never cancelled.
var ctx = context.Background()

func near(a, b float64) bool {
	return math.Abs(a-b) <= 1e-12*max(1, math.Abs(a)) || math.IsNaN(a) && math.IsNaN(b)
}

// numbers and texts make columns.
func numbers(name string, v ...float64) table.Column {
	return table.Column{Name: name, Kind: table.Number, Numbers: v}
}

func cells(name string, cells ...string) table.Column {
	c := table.Column{Name: name, Kind: table.Category}
	for _, cell := range cells {
		if cell != "" && !slices.Contains(c.Levels, cell) {
			c.Levels = append(c.Levels, cell)
		}
	}
	slices.Sort(c.Levels)
	for _, cell := range cells {
		c.Codes = append(c.Codes, int32(slices.Index(c.Levels, cell)))
	}
	return c
}

func tableOf(columns ...table.Column) *table.Table {
	return &table.Table{Name: "test.csv", Rows: columns[0].Len(), Columns: columns}
}

// set returns an embedded data set as a table.
func set(t testing.TB, name string) *table.Table {
	t.Helper()
	s, err := data.Load(name)
	if err != nil {
		t.Fatal(err)
	}
	var columns []table.Column
	for j, feature := range s.Features {
		columns = append(columns, numbers(feature, mat.Col(nil, j, s.X)...))
	}
	cells := make([]string, s.N())
	for i, label := range s.T {
		cells[i] = s.Classes[label]
	}
	return tableOf(append(columns, cells("class", cells...))...)
}

// mixed returns n rows with an informative number and category, a random number and boolean, an id, and
// missing cells.
func mixed(n int, seed uint64) *table.Table {
	r := rand.New(rand.NewPCG(seed, 1))
	x, noise, flag := make([]float64, n), make([]float64, n), make([]float64, n)
	colour, class, id := make([]string, n), make([]string, n), make([]string, n)
	for i := range n {
		c := i % 3
		x[i] = float64(c) + 0.5*r.NormFloat64()
		noise[i] = r.NormFloat64()
		flag[i] = float64(r.IntN(2))
		colour[i] = []string{"red", "green", "blue"}[c]
		if r.IntN(3) == 0 {
			colour[i] = "grey"
		}
		if r.IntN(10) == 0 {
			x[i] = math.NaN()
		}
		class[i], id[i] = string(rune('a'+c)), fmt.Sprint("row ", i)
	}
	b := table.Column{Name: "flag", Kind: table.Boolean, Numbers: flag, Levels: []string{"no", "yes"}}
	names := cells("id", id...)
	names.Kind = table.ID
	return tableOf(names, numbers("x", x...), cells("colour", colour...), numbers("noise", noise...), b,
		cells("class", class...))
}

func mustValidate(t testing.TB, tb *table.Table, systems []System, o Options) *Results {
	t.Helper()
	r, err := CrossValidate(ctx, tb, "class", systems, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func logistic() []System { return []System{Of("logistic", mlr.MLR{})} }

// The folds are stratified up to one row, the only row of a class is in no fold, and another seed gives
// other folds.
func TestStratified(t *testing.T) {
	cells := slices.Concat(slices.Repeat([]string{"a"}, 23), slices.Repeat([]string{"b"}, 10),
		slices.Repeat([]string{"c"}, 3), []string{"d"})
	x := make([]float64, len(cells))
	for i := range x {
		x[i] = float64(i)
	}
	tb := tableOf(numbers("x", x...), cells("class", cells...))
	r := mustValidate(t, tb, nil, Options{Repeats: 3, Folds: 4})
	for repeat, fold := range r.Fold {
		count := make([][]int, 4)
		for c := range count {
			count[c] = make([]int, 5)
		}
		for i, f := range fold {
			count[r.T[i]][f]++
		}
		for c, n := range count {
			if c == 3 {
				if n[4] != 1 {
					t.Errorf("repeat %d: counts of the single-row class d by fold: %v", repeat, n)
				}
				continue
			}
			if n[4] != 0 || slices.Max(n[:4])-slices.Min(n[:4]) > 1 {
				t.Errorf("repeat %d: counts of class %d by fold: %v", repeat, c, n)
			}
		}
		if l := r.Systems[0].Labels[repeat][36]; l != -1 {
			t.Errorf("the only row of d is predicted as %d, want -1", l)
		}
	}
	if reflect.DeepEqual(r.Fold[0], r.Fold[1]) {
		t.Error("two repeats have the same folds")
	}
	again, _ := Deal(ctx, tb, "class", Options{Repeats: 3, Folds: 4})
	other, _ := Deal(ctx, tb, "class", Options{Repeats: 3, Folds: 4, Seed: 1})
	if !reflect.DeepEqual(r.Fold, again.Fold) || reflect.DeepEqual(r.Fold, other.Fold) {
		t.Error("the folds must be determined by the seed")
	}
	if w := fmt.Sprint(r.Warnings()); !strings.Contains(w, `"d" has 1 row`) ||
		!strings.Contains(w, `"c" has 3 rows`) {
		t.Errorf("warnings: %s", w)
	}
}

// spy passes its training data to a function.
type spy struct{ seen func(x mat.Matrix, t []int) }

func (s spy) Fit(_ context.Context, samples mpcvm.Samples, _ ...mpcvm.Observer) (majority, mpcvm.Result,
	error) {
	s.seen(mat.DenseCopyOf(samples.X), slices.Clone(samples.T))
	c, _ := Majority().fit(ctx, samples)
	return c.(majority), mpcvm.Result{}, nil
}

// Changing held-out rows does not change the training set: neither the features, the imputed values, the
// levels nor the scale.
func TestTestRowsAreNotSeen(t *testing.T) {
	clean := mixed(60, 1)
	r, err := Deal(ctx, clean, "class", Options{Folds: 3})
	if err != nil {
		t.Fatal(err)
	}
	for f := range 3 {
		spoilt := mixed(60, 1)
		in, out := r.parts(0, f)
		for _, n := range out {
			row := r.Rows[n]
			spoilt.Columns[1].Numbers[row] = 1e9
			spoilt.Columns[2].Codes[row] = 0
			spoilt.Columns[3].Numbers[row] = math.NaN()
			spoilt.Columns[4].Numbers[row] = 1
		}
		var seen [2]*mat.Dense
		for i, tb := range []*table.Table{clean, spoilt} {
			s := Of("spy", spy{func(x mat.Matrix, _ []int) { seen[i] = x.(*mat.Dense) }})
			if _, err := r.fit(ctx, tb, &s, in); err != nil {
				t.Fatal(err)
			}
		}
		if !mat.Equal(seen[0], seen[1]) {
			t.Errorf("fold %d: the training set changed", f)
		}
		mean, sd := stat.MeanStdDev(mat.Col(nil, 0, seen[0]), nil)
		if math.Abs(mean) > 1e-9 || math.Abs(sd-1) > 1e-9 {
			t.Errorf("fold %d: x is not standardized: mean %v, deviation %v", f, mean, sd)
		}
	}
}

// The same seed gives the same predictions regardless of scheduling, and the probabilities of a row come
// from a model trained without it.
func TestDeterministic(t *testing.T) {
	tb := mixed(60, 2)
	systems := []System{Of("logistic", mlr.MLR{}), Of("mPCVM₂", mpcvm.BottomUp{Kernel: kernel.RBF{Theta: 0.3}})}
	a, b := mustValidate(t, tb, systems, Options{Repeats: 2}), mustValidate(t, tb, systems, Options{Repeats: 2})
	for s := range a.Systems {
		if !reflect.DeepEqual(a.Systems[s].Labels, b.Systems[s].Labels) || !reflect.DeepEqual(a.Systems[s].Proba,
			b.Systems[s].Proba) {
			t.Errorf("%s differs", a.Systems[s].Name)
		}
	}
	in, out := a.parts(1, 3)
	m, err := a.fit(ctx, tb, &systems[0], in)
	if err != nil {
		t.Fatal(err)
	}
	x, _, _ := m.recipe.Encode(nil, tb, a.tableRows(out))
	p := m.Proba(nil, x)
	for i, n := range out {
		if !mat.Equal(p.RowView(i), a.Systems[1].Proba[1].RowView(n)) {
			t.Errorf("row %d: %v, want %v", n, a.Systems[1].Proba[1].RawRowView(n), p.RawRowView(i))
		}
	}
}

// With many rows the fits run one after another.
func TestManyRows(t *testing.T) {
	tb := mixed(manyRows+1, 1)
	r := mustValidate(t, tb, logistic(), Options{})
	if e := r.Score(1).Err.Value; len(r.Rows) <= manyRows || !(e < 0.2) {
		t.Errorf("error %v of %d rows", e, len(r.Rows))
	}
	list, err := importance(ctx, tb, logistic()[0], Options{}, 1)
	if err != nil || list[3].LogLoss.Mean > 0.01 {
		t.Errorf("%+v, %v", list, err)
	}
}

// Scores of six rows and three folds, calculated by hand.
func TestFiguresByHand(t *testing.T) {
	tb := tableOf(numbers("x", 1, 2, 3, 4, 5, 6), cells("class", "a", "a", "a", "b", "b", "b"))
	r, err := Deal(ctx, tb, "", Options{Folds: 3})
	if err != nil {
		t.Fatal(err)
	}
	r.Fold = [][]int{{0, 1, 2, 0, 1, 2}}
	add := func(name string, labels []int, proba []*mat.Dense) {
		o := newOutcome(r, name)
		o.Labels, o.Proba = [][]int{labels}, proba
		r.Systems, r.done = append(r.Systems, o), fitting.All(r.Folds)
	}
	p := mat.NewDense(6, 2, []float64{0.9, 0.1, 0.5, 0.5, 0.2, 0.8, 0.4, 0.6, 0.25, 0.75, 0, 1})
	add("first", []int{0, 0, 1, 1, 1, 1}, []*mat.Dense{p})
	sc := r.Score(0)
	// One of six is wrong: row 3. Row 2 is a tie, which the first class wins.
	if want := (Figure{1. / 6, math.Sqrt(0.3 * 0.7 / 10)}); !near(sc.Err.Value, want.Value) ||
		!near(sc.Err.SE, want.SE) {
		t.Errorf("error %v, want %v", sc.Err, want)
	}
	losses := []float64{-math.Log(.9), math.Ln2, -math.Log(.2), -math.Log(.6), -math.Log(.75), 0}
	mean, sd := stat.MeanStdDev(losses, nil)
	if !near(sc.LogLoss.Value, mean) || !near(sc.LogLoss.SE, sd/math.Sqrt(6)) {
		t.Errorf("log loss %v, want %v ± %v", sc.LogLoss, mean, sd/math.Sqrt(6))
	}
	// Within each fold (rows 1 and 4, 2 and 5, 3 and 6) the order is right, so every AUC is 1.
	if sc.AUC != (Figure{1, 0}) {
		t.Errorf("AUC %v, want 1 ± 0", sc.AUC)
	}
	if !reflect.DeepEqual(sc.Confusion, [][]int{{2, 1}, {0, 3}}) || !near(sc.Recall[0], 2./3) ||
		sc.Recall[1] != 1 || sc.Precision[0] != 1 || sc.Precision[1] != 0.75 {
		t.Errorf("confusion %v, recall %v, precision %v", sc.Confusion, sc.Recall, sc.Precision)
	}
	if !math.IsNaN(sc.Weights) || !math.IsNaN(sc.Seconds) {
		t.Errorf("weights %v, seconds %v, want NaN", sc.Weights, sc.Seconds)
	}
	// A second system errs in rows 1, 3 and 6.
	r.Fold = [][]int{{0, 2, 1, 0, 2, 1}} // folds {1,4}, {3,6}, {2,5}
	add("worse", []int{1, 0, 1, 1, 0, 0}, nil)
	// Errors by fold: worse ½, 1, ½; first 0, ½, 0: differences ½ each.
	d := r.Difference(1, 0)
	if !near(d.Err.Value, 0.5) || d.Err.SE != 0 || d.Err.P != 0 || d.Err.Noise() {
		t.Errorf("difference %+v", d.Err)
	}
	if !math.IsNaN(d.LogLoss.P) || !math.IsNaN(d.AUC.Value) || !d.LogLoss.Noise() {
		t.Errorf("differences to a system without probabilities: %+v", d)
	}
	if p, _ := r.OutOfFold(1); p != nil {
		t.Error("probabilities for a system without any")
	}
	if w := fmt.Sprint(r.Warnings()); strings.Contains(w, "baseline") {
		t.Errorf("unexpected warning: %s", w)
	}
	// The formula of Nadeau and Bengio for scores 0, ½ and 1 of 3 folds.
	if got, want := corrected([]float64{0, .5, 1}, 3), math.Sqrt((1./3+1./2)*0.25); !near(got, want) {
		t.Errorf("corrected %v, want %v", got, want)
	}
}

// The scores agree with package score.
func TestFiguresAgree(t *testing.T) {
	r := mustValidate(t, mixed(90, 3), logistic(), Options{Repeats: 3})
	sc := r.Score(1)
	p, labels := r.OutOfFold(1)
	if n, _ := p.Dims(); n != 270 || len(labels) != n {
		t.Fatalf("%d out-of-fold rows, want 270", n)
	}
	if want, err := score.LogLoss(p, labels); err != nil || math.Abs(sc.LogLoss.Value-want) > 1e-12 {
		t.Errorf("log loss %v, want %v, %v", sc.LogLoss.Value, want, err)
	}
	wrong := 0
	for c, row := range sc.Confusion {
		for j, n := range row {
			if j != c {
				wrong += n
			}
		}
	}
	if want := float64(wrong) / 270; math.Abs(sc.Err.Value-want) > 1e-12 {
		t.Errorf("error %v, want %v", sc.Err.Value, want)
	}
	f := r.byFold(&r.Systems[1])
	if want := stat.StdDev(f.logLoss, nil) * math.Sqrt(1./15+1./4); sc.LogLoss.SE < want-1e-12 ||
		!near(sc.AUC.Value, stat.Mean(f.auc, nil)) {
		t.Errorf("log loss ± %v, want at least %v; AUC %v", sc.LogLoss.SE, want, sc.AUC)
	}
	if maj := r.Score(0); maj.AUC.Value != 0.5 || math.Abs(maj.LogLoss.Value-math.Log(3)) > 0.01 ||
		maj.Weights != 0 {
		t.Errorf("majority: %+v", maj)
	}
	if d := r.Difference(1, 0); d.Err.Noise() || d.LogLoss.Noise() || d.Err.Value > -0.3 {
		t.Errorf("no difference to the baseline: %+v", d)
	}
	if d := r.Difference(1, 1); d.Err != (Contrast{0, 0, 1}) {
		t.Errorf("difference between a system and itself: %+v", d.Err)
	}
}

// normals describes two normal classes in d dimensions, for which the error of a nearest-mean classifier is
// known.
type normals struct {
	d, n  int
	shift float64
}

func (s normals) table(r *rand.Rand) *table.Table {
	x := make([][]float64, s.d)
	class := make([]string, s.n)
	for i := range s.n {
		class[i] = []string{"a", "b"}[i%2]
	}
	columns := []table.Column{cells("class", class...)}
	for j := range x {
		x[j] = make([]float64, s.n)
		for i := range x[j] {
			x[j][i] = s.shift*float64(2*(i%2)-1) + r.NormFloat64()
		}
		columns = append(columns, numbers(fmt.Sprint("x", j), x[j]...))
	}
	return tableOf(columns...)
}

// half is a nearest-mean learner that uses only some of the features.
type half struct{ from, to int }

type means struct {
	w []float64
	b float64
}

func (l half) Fit(_ context.Context, s mpcvm.Samples, _ ...mpcvm.Observer) (*means, mpcvm.Result, error) {
	x, t := s.X, s.T
	_, d := x.Dims()
	m := [2][]float64{make([]float64, d), make([]float64, d)}
	count := [2]float64{}
	for i, label := range t {
		count[label]++
		for j := l.from; j < l.to; j++ {
			m[label][j] += x.At(i, j)
		}
	}
	out := &means{w: make([]float64, d)}
	for j := l.from; j < l.to; j++ {
		a, b := m[0][j]/count[0], m[1][j]/count[1]
		out.w[j] = b - a
		out.b += (a*a - b*b) / 2
	}
	return out, mpcvm.Result{}, nil
}

func (m *means) score(x mat.Matrix, i int) float64 {
	s := m.b
	for j, w := range m.w {
		s += w * x.At(i, j)
	}
	return s
}

func (m *means) Predict(dst []int, x mat.Matrix) []int {
	n, _ := x.Dims()
	for i := range n {
		dst = append(dst, map[bool]int{true: 1}[m.score(x, i) > 0])
	}
	return dst
}

func (m *means) Proba(_ *mat.Dense, x mat.Matrix) *mat.Dense {
	n, _ := x.Dims()
	p := mat.NewDense(n, 2, nil)
	for i := range n {
		q := 1 / (1 + math.Exp(-m.score(x, i)))
		p.SetRow(i, []float64{1 - q, q})
	}
	return p
}

// phi is the standard normal distribution.
func phi(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 }

// The interval of ± 1.96 standard errors contains the expected error of a model in about 95 of 100 tables,
// and the test calls two equally good systems different in about 5.
func TestCoverage(t *testing.T) { coverage(t, 60) }

func coverage(t *testing.T, tables int) {
	t.Helper()
	for _, tc := range []struct{ n, repeats int }{{40, 1}, {40, 5}, {100, 1}, {100, 5}, {300, 1}, {300, 5}} {
		s := normals{10, tc.n, 0.35}
		r := rand.New(rand.NewPCG(uint64(tc.n), uint64(tc.repeats)))
		truth := 0.0
		const draws = 300
		for range draws {
			part := s
			part.n = tc.n * 4 / 5
			tb := part.table(r)
			x := mat.NewDense(part.n, s.d, nil)
			labels := make([]int, part.n)
			for i := range part.n {
				labels[i] = i % 2
				for j := range s.d {
					x.Set(i, j, tb.Columns[j+1].Numbers[i])
				}
			}
			m, _, _ := half{0, s.d}.Fit(ctx, mpcvm.Samples{X: x, T: labels})
			w, q := 0.0, 0.0
			for _, v := range m.w {
				w, q = w+v*s.shift, q+v*v
			}
			truth += (phi((m.b-w)/math.Sqrt(q)) + phi(-(m.b+w)/math.Sqrt(q))) / 2 / draws
		}
		covered, called, tested := 0, 0, 0
		for k := range tables {
			res := mustValidate(t, s.table(r), []System{Of("whole", half{0, s.d}), Of("first", half{0, 5}),
				Of("second", half{5, 10})}, Options{Repeats: tc.repeats, Seed: uint64(k)})
			if e := res.Score(1).Err; math.Abs(e.Value-truth) < 1.96*e.SE {
				covered++
			}
			if !res.Difference(2, 3).Err.Noise() {
				called++
			}
			tested++
		}
		coverage, level := float64(covered)/float64(tested), float64(called)/float64(tested)
		t.Logf("%d rows, %d repeats: coverage %.3f, called different %.3f", tc.n, tc.repeats, coverage, level)
		if slack := 3 * math.Sqrt(0.05*0.95/float64(tested)); coverage < 0.92-slack || coverage > 0.98+slack ||
			level > 0.05+slack {
			t.Errorf("%d rows, %d repeats: coverage %.3f, called different %.3f", tc.n, tc.repeats, coverage, level)
		}
	}
}

// collapsing always predicts the same class.
type collapsing struct{ fail bool }

var errFit = errors.New("no luck")

func (c collapsing) Fit(_ context.Context, s mpcvm.Samples, _ ...mpcvm.Observer) (majority, mpcvm.Result,
	error) {
	t := s.T
	if c.fail {
		return nil, mpcvm.Result{}, errFit
	}
	p := make(majority, slices.Max(t)+1)
	p[1] = 1
	return p, mpcvm.Result{}, nil
}

func TestWarnings(t *testing.T) {
	tb := mixed(30, 4)
	r, err := CrossValidate(ctx, tb, "class", []System{Of("dull", collapsing{}), Of("broken", collapsing{true}),
		Of("logistic", mlr.MLR{})}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	all := fmt.Sprint(r.Warnings())
	for _, want := range []string{
		`dull collapsed: it predicts "b" for every row in 5 of 5 folds.`,
		`dull never predicts "a" (10 rows), "c" (10 rows).`,
		"dull does not have a lower error than the majority baseline.",
		"broken failed: repeat 1, fold 1: no luck.",
	} {
		if !strings.Contains(all, want) {
			t.Errorf("missing warning %q in\n%s", want, all)
		}
	}
	if strings.Contains(all, "logistic") || strings.Contains(all, "majority collapsed") ||
		strings.Contains(all, "same features") {
		t.Errorf("too many warnings:\n%s", all)
	}
	if sc := r.Score(2); !math.IsNaN(sc.Err.Value) || !math.IsNaN(sc.AUC.SE) || sc.Confusion[0][0] != 0 {
		t.Errorf("scores of a failed system: %+v", sc)
	}
	if loss := r.Score(1).LogLoss.Value; math.Abs(loss-2./3*1022*math.Ln2) > 1e-9 {
		t.Errorf("log loss of probabilities 0: %v", loss)
	}
	if _, err := CrossValidate(ctx, tb, "class", []System{Of("broken", collapsing{true})},
		Options{}); !errors.Is(err, errFit) {
		t.Errorf("all systems failed: %v", err)
	}
	copies := tableOf(numbers("x", 1, 1, 1, 1, 2, 3, 4, 5, 6, 7), cells("class", "a", "a", "b", "b", "a", "b",
		"a", "b", "a", "b"))
	r = mustValidate(t, copies, nil, Options{})
	if r.Duplicates != 4 || !strings.Contains(fmt.Sprint(r.Warnings()), "4 of 10 rows have the same features") {
		t.Errorf("%v duplicates, %v", r.Duplicates, r.Warnings())
	}
}

func TestRowsLeftOut(t *testing.T) {
	nan := math.NaN()
	tb := tableOf(
		numbers("x", 1, nan, 3, 4, 5, 6, 7, nan),
		numbers("only once", nan, nan, nan, nan, nan, nan, nan, 1),
		cells("class", "a", "a", "", "b", "a", "b", "b", "a"))
	r := mustValidate(t, tb, logistic(), Options{Folds: 3})
	if !reflect.DeepEqual(r.Rows, []int{0, 3, 4, 5, 6, 7}) || r.LeftOut != 2 {
		t.Errorf("rows %v, %d left out", r.Rows, r.LeftOut)
	}
	// The row with the only value of a column is predicted too.
	for i, p := range r.Systems[1].Proba[0].RawMatrix().Data {
		if math.IsNaN(p) {
			t.Errorf("probability %d is %v", i, p)
		}
	}
}

// Features are determined before the folds are made: a level, a column or an indicator that occurs in few
// rows becomes a feature in every fold, so that a kernel with a width for each feature fits all folds.
func TestFoldsHaveTheSameFeatures(t *testing.T) {
	const n = 60
	rng := rand.New(rand.NewPCG(3, 1))
	number, once := make([]float64, n), make([]float64, n)
	class, level := make([]string, n), make([]string, n)
	for i := range n {
		class[i], level[i] = []string{"a", "b"}[i%2], []string{"p", "q"}[rng.IntN(2)]
		number[i], once[i] = rng.NormFloat64()+2*float64(i%2), math.NaN()
		switch {
		case i < 5:
			level[i] = "rare" // five rows, at most four of them in a training set
		case i == 5:
			number[i], once[i] = math.NaN(), 7 // missing in one row, present in one row
		}
	}
	tb := tableOf(numbers("number", number...), numbers("once", once...), cells("level", level...),
		cells("class", class...))
	all, err := recipe.Prepare(ctx, tb, "class", nil)
	if err != nil {
		t.Fatal(err)
	}
	widths := make([]float64, all.Recipe.Width())
	for i := range widths {
		widths[i] = 0.1
	}
	var asked [][]int
	spy := Of("widths", mpcvm.TopDown{Kernel: kernel.ARD{Theta: widths}})
	inner := spy.fit
	var mu sync.Mutex
	spy.fit = func(ctx context.Context, s mpcvm.Samples) (mpcvm.Classifier, error) {
		n, d := s.X.Dims()
		mu.Lock()
		asked = append(asked, []int{n, d})
		mu.Unlock()
		return inner(ctx, s)
	}
	r := mustValidate(t, tb, []System{spy}, Options{})
	if len(asked) != 5 || r.Systems[1].Err != nil || !(r.Score(1).Err.Value < 0.35) {
		t.Errorf("fits with shapes %v, %v, error %v", asked, r.Systems[1].Err, r.Score(1).Err)
	}
	for _, size := range asked {
		if size[1] != len(widths) {
			t.Errorf("%d features in a fold, want %d", size[1], len(widths))
		}
	}
	if _, err := importance(ctx, tb, Of("widths", mpcvm.TopDown{Kernel: kernel.ARD{Theta: widths}}), Options{},
		0); err != nil {
		t.Error(err)
	}
}

func TestErrors(t *testing.T) {
	faulty := mixed(30, 1)
	faulty.Columns[1].Numbers[3] = math.NaN()
	faulty.Columns[1].Faults = []table.Fault{{Row: 3, Line: 5, Text: "x1"}}
	unique := make([]string, 30)
	for i := range unique {
		unique[i] = fmt.Sprint("v", i)
	}
	whole := mixed(30, 1)
	blank := tableOf(numbers("x", 1, 2, math.NaN()), cells("class", "a", "a", "b"))
	for name, tc := range map[string]struct {
		table  *table.Table
		target string
		want   error
		text   string
	}{
		"no target": {whole, "nothing", nil, `no column "nothing"`},
		"one class": {tableOf(numbers("x", 1, 2), cells("class", "a", "")), "", recipe.ErrOneClass, ""},
		"one value": {blank, "", recipe.ErrOneClass, ""},
		"unique": {tableOf(append(mixed(30, 1).Columns[:3], cells("class", unique...))...), "class",
			recipe.ErrNotLabels, "as the target"},
		"singles": {tableOf(numbers("x", 1, 2, 3, 4, 5), cells("class", "a", "a", "b", "c", "d")), "class",
			recipe.ErrNotLabels, "the only one of their class"},
		"fault":    {faulty, "class", recipe.ErrNotKind, "line 5"},
		"features": {tableOf(cells("class", "a", "b")), "class", recipe.ErrNoFeatures, ""},
	} {
		_, err := CrossValidate(ctx, tc.table, tc.target, nil, Options{})
		if err == nil || tc.want != nil && !errors.Is(err, tc.want) || !strings.Contains(err.Error(), tc.text) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, o := range []Options{{Folds: 1}, {Folds: -1}, {Repeats: -1}} {
		mustPanic(t, fmt.Sprint(o), func() { _, _ = CrossValidate(ctx, whole, "class", nil, o) })
	}
}

func mustPanic(t *testing.T, what string, f func()) {
	t.Helper()
	defer func() {
		t.Helper()
		if v := recover(); v == nil {
			t.Errorf("%s: no panic", what)
		}
	}()
	f()
}

// shapeless returns predictions of the wrong shape.
type shapeless struct {
	labels int
	p      *mat.Dense
}

func (s shapeless) Fit(context.Context, mpcvm.Samples, ...mpcvm.Observer) (shapeless, mpcvm.Result, error) {
	return s, mpcvm.Result{}, nil
}
func (s shapeless) Predict([]int, mat.Matrix) []int             { return make([]int, s.labels) }
func (s shapeless) Proba(_ *mat.Dense, _ mat.Matrix) *mat.Dense { return s.p }

func TestWrongPredictions(t *testing.T) {
	tb := mixed(30, 1)
	for text, s := range map[string]shapeless{
		"2 predictions for 6 rows":         {2, nil},
		"probabilities are 1×1, not 6×3":   {6, mat.NewDense(1, 1, nil)},
		"probability 2 of class \"a\" is ": {6, mat.NewDense(6, 3, slices.Repeat([]float64{2}, 18))},
	} {
		if _, err := CrossValidate(ctx, tb, "class", []System{Of("odd", s)}, Options{}); err == nil ||
			!strings.Contains(err.Error(), text) {
			t.Errorf("%v, want %s", err, text)
		}
	}
}

// A cancelled cross-validation keeps the folds that all systems have completed.
func TestCancel(t *testing.T) {
	tb := mixed(60, 5)
	stop, cancel := context.WithCancel(ctx)
	r, err := CrossValidate(stop, tb, "class", logistic(), Options{Repeats: 4, Progress: func(p Progress) {
		if p.Done >= 20 {
			cancel()
		}
	}})
	if !errors.Is(err, context.Canceled) || r == nil {
		t.Fatalf("%v, %v", r, err)
	}
	if n := len(r.done); n < 5 || n > 15 {
		t.Fatalf("%d complete folds", n)
	}
	whole := mustValidate(t, tb, logistic(), Options{Repeats: 4})
	r.eachScored(func(repeat, n int) {
		if r.Systems[1].Labels[repeat][n] != whole.Systems[1].Labels[repeat][n] {
			t.Errorf("repeat %d, row %d differs", repeat, n)
		}
	})
	scored := 0
	for _, labels := range r.Systems[1].Labels {
		for _, l := range labels {
			if l >= 0 {
				scored++
			}
		}
	}
	count := 0
	r.eachScored(func(int, int) { count++ })
	if scored != count {
		t.Errorf("%d labels, want %d (those in complete folds)", scored, count)
	}
	if e := r.Score(1).Err; math.IsNaN(e.Value) || math.IsNaN(e.SE) {
		t.Errorf("error %v", e)
	}
	stop, cancel = context.WithCancel(ctx)
	r, err = CrossValidate(stop, tb, "class", logistic(), Options{Progress: func(Progress) { cancel() }})
	if !errors.Is(err, context.Canceled) || !math.IsNaN(r.Score(1).Err.Value) || len(r.Warnings()) > 0 {
		t.Errorf("cancelled at the start: %v, %v", err, r.Warnings())
	}
	if p, _ := r.OutOfFold(1); p != nil {
		t.Error("probabilities without a complete fold")
	}
	if r, err := CrossValidate(stop, tb, "class", nil, Options{}); r != nil ||
		!errors.Is(err, context.Canceled) {
		t.Errorf("cancelled before the start: %v, %v", r, err)
	}
	if _, err := importance(stop, tb, logistic()[0], Options{}, 0); !errors.Is(err, context.Canceled) {
		t.Errorf("importance: %v", err)
	}
}

func TestProgress(t *testing.T) {
	var all []Progress
	mustValidate(t, mixed(30, 6), append(logistic(), Of("broken", collapsing{true})),
		Options{Progress: func(p Progress) { all = append(all, p) }})
	first, last := all[0], all[len(all)-1]
	if first != (Progress{Total: 15}) {
		t.Errorf("first %+v", first)
	}
	if last.Done < 11 || last.Total != 15 || last.System == "" || last.Fold < 1 || last.Repeat != 1 {
		t.Errorf("last %+v", last)
	}
	for i, p := range all {
		if i > 0 && p.Done <= all[i-1].Done {
			t.Errorf("%d after %d", p.Done, all[i-1].Done)
		}
	}
}

// The JSON keys are part of the interface.
func TestJSON(t *testing.T) {
	r := mustValidate(t, mixed(30, 7), append(logistic(), Of("broken", collapsing{true})), Options{})
	text, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	var lines []map[string]any
	if err := json.Unmarshal(text, &lines); err != nil {
		t.Fatal(err)
	}
	for i, line := range lines {
		var names []string
		for name := range line {
			names = append(names, name)
		}
		slices.Sort(names)
		if want := []string{"auc", "err", "err_se", "fit_s", "logloss", "n_weights", "system"}; !slices.Equal(names,
			want) {
			t.Errorf("keys of system %d: %v, want %v", i, names, want)
		}
	}
	if len(lines) != 3 || lines[1]["system"] != "logistic" || lines[1]["err"] != r.Score(1).Err.Value ||
		lines[2]["err"] != nil {
		t.Errorf("%s", text)
	}
}

// Chosen uses the setting that a fit has chosen without searching again.
func TestChosen(t *testing.T) {
	tb := set(t, "iris")
	all, err := recipe.Prepare(ctx, tb, "", nil)
	if err != nil {
		t.Fatal(err)
	}
	x := all.X
	tried := 0
	count := func(mpcvm.Trial) { tried++ }
	for name, l := range map[string]mpcvm.Learner{
		"Auto": search.Auto{OnTrial: count}, "top down": search.Width{Learner: mpcvm.TopDown{}, OnTrial: count},
		"bottom up": search.Calibrated{Learner: search.Width{Learner: mpcvm.BottomUp{},
			OnTrial: count}}, "kernel prior": search.Width{Learner: gp.KernelPrior{}, OnTrial: count},
	} {
		m, result, err := l.Fit(ctx, mpcvm.Samples{X: x, T: all.T})
		if err != nil {
			t.Fatal(err)
		}
		before := tried
		c := Chosen(name, l, m, result)
		again, err := c.fit(ctx, mpcvm.Samples{X: x, T: all.T})
		if err != nil {
			t.Fatal(err)
		}
		if tried != before || before == 0 {
			t.Errorf("%s: %d trials, then %d", name, before, tried-before)
		}
		if !mat.Equal(again.Proba(nil, x), m.Proba(nil, x)) {
			t.Errorf("%s: the setting differs", name)
		}
	}
	if c := Chosen("other", ownLearner{}, nil, mpcvm.Result{}); c.Name != "other" {
		t.Errorf("%+v", c)
	}
	if search.Chosen(mpcvm.Result{}) != nil {
		t.Error("a learner without a search")
	}
}

type ownLearner struct{ mpcvm.Learner }

func allOf(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return list
}

// The default systems run, are better than the baseline, and count their weights.
func TestSystems(t *testing.T) { systemsRun(t, Systems(1)[:3]) }

func systemsRun(t *testing.T, systems []System) {
	t.Helper()
	tb := mixed(75, 9)
	r := mustValidate(t, tb, systems, Options{Folds: 3})
	for s := 1; s < len(r.Systems); s++ {
		sc := r.Score(s)
		if !(sc.Err.Value < 0.3) || !(sc.LogLoss.Value < 1) || !(sc.AUC.Value > 0.8) || !(sc.Weights > 0) ||
			!(sc.Seconds >= 0) {
			t.Errorf("%s: %+v", sc.System, sc)
		}
	}
	stop, cancel := context.WithCancel(ctx)
	cancel()
	x := mat.NewDense(4, 1, []float64{1, 2, 3, 4})
	for _, s := range Systems(1)[1:3] {
		if _, err := s.fit(stop, mpcvm.Samples{X: x, T: []int{0, 1, 0, 1}}); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", s.Name, err)
		}
		if _, err := s.fit(ctx, mpcvm.Samples{X: x, T: []int{0, 0, 0, 0}}); err == nil {
			t.Errorf("%s: no error for a single class", s.Name)
		}
	}
}

// A system without meaningful probabilities has no log loss and no AUC.
func TestLabelsOnly(t *testing.T) {
	l := svm.SVM{NoProbability: true}
	s := Of("mute", mlr.MLR{})
	s.LabelsOnly = true
	r := mustValidate(t, mixed(45, 10), []System{Of("votes", l), s}, Options{})
	for i := 1; i < 3; i++ {
		sc := r.Score(i)
		if r.Systems[i].Proba != nil || !math.IsNaN(sc.LogLoss.Value) || !math.IsNaN(sc.AUC.Value) ||
			!(sc.Err.Value < 0.5) {
			t.Errorf("%+v", sc)
		}
	}
	list, err := importance(ctx, mixed(45, 10), s, Options{}, 0)
	if err != nil || !math.IsNaN(list[0].LogLoss.Mean) || !(list[0].Err.Mean > 0.1) ||
		list[0].Err.Mean < list[1].Err.Mean {
		t.Errorf("%+v, %v", list, err)
	}
}

// The majority baseline writes to the given matrix.
func TestMajorityProba(t *testing.T) {
	m := majority{0.75, 0.25}
	dst := mat.NewDense(3, 2, nil)
	if got := m.Proba(dst, mat.NewDense(3, 1, nil)); got != dst || dst.At(2, 0) != 0.75 || dst.At(0, 1) != 0.25 {
		t.Errorf("%v", mat.Formatted(dst))
	}
	if got := m.Proba(nil, mat.NewDense(1, 1, nil)); got.At(0, 1) != 0.25 {
		t.Errorf("%v", mat.Formatted(got))
	}
}

// labelsOnly is a learner whose models have no probabilities.
type labelsOnly struct{}

func (labelsOnly) Fit(_ context.Context, s mpcvm.Samples, _ ...mpcvm.Observer) (mpcvm.Classifier,
	mpcvm.Result, error) {
	return sign{}, mpcvm.Result{}, nil
}

// sign predicts class 1 for samples with a positive feature.
type sign struct{ majority }

func (sign) Calibrated() bool { return false }

func (sign) Predict(_ []int, x mat.Matrix) []int {
	n, _ := x.Dims()
	labels := make([]int, n)
	for i := range labels {
		if x.At(i, 0) > 1 {
			labels[i] = 1
		}
	}
	return labels
}

// A system that misses the one or two rows of a rare class in a fold has not collapsed; a system that
// misses five has.
func TestCollapsed(t *testing.T) {
	for _, tc := range []struct {
		positives, missed int
		want              bool
	}{{5, 1, false}, {5, 5, false}, {10, 2, false}, {50, 0, false}, {50, 50, true}} {
		const n = 300
		x, labels := make([]float64, n), make([]string, n)
		for i := range x {
			labels[i] = "0"
			if i < tc.positives {
				labels[i], x[i] = "1", 1
			}
		}
		tb := tableOf(numbers("x", x...), cells("class", labels...))
		r, err := CrossValidate(ctx, tb, "class", []System{Of("it", labelsOnly{})}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		o, left := &r.Systems[1], tc.missed
		for f := range r.Folds { // whole folds are missed
			_, out := r.parts(0, f)
			for _, i := range out {
				if o.Labels[0][i] = r.T[i]; left > 0 {
					o.Labels[0][i] = 0
				}
			}
			for _, i := range out {
				left -= r.T[i]
			}
		}
		got := strings.Contains(fmt.Sprint(r.Warnings()), "collapsed")
		if got != tc.want {
			t.Errorf("%d rows of a class, %d missed: %v", tc.positives, tc.missed, r.Warnings())
		}
	}
}

// If only the baseline has a value, nothing is called the best.
func TestBestOfLabelsOnly(t *testing.T) {
	r := mustValidate(t, mixed(60, 4), []System{Of("other", labelsOnly{})}, Options{})
	base, other := r.Score(0), r.Score(1)
	loss, err := Best([]Figure{base.LogLoss, other.LogLoss}), Best([]Figure{base.Err, other.Err})
	if loss != -1 || err < 0 {
		t.Errorf("best log loss: %d, best error: %d", loss, err)
	}
}
