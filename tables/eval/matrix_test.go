package eval

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/mpcvm/mpcvm/internal/fitting"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/baseline/mlr"
	"github.com/mpcvm/mpcvm/mpcvm/score"
	"github.com/mpcvm/mpcvm/tables/table"
)

// Scores of six rows and three folds, calculated by hand.
func TestFiguresByHand(t *testing.T) {
	rows, fold := []int{0, 3, 1, 4, 2, 5}, []int{0, 0, 1, 1, 2, 2}
	m := &Matrix{Classes: []string{"a", "b"}, K: 3, Rows: rows, Fold: fold, T: []int{0, 1, 0, 1, 0, 1},
		Labels: []int{0, 1, 0, 1, 1, 1},
		Proba:  mat.NewDense(6, 2, []float64{0.9, 0.1, 0.4, 0.6, 0.5, 0.5, 0.25, 0.75, 0.2, 0.8, 0, 1})}
	// One of six is wrong.
	if e := m.Score(Error); !near(e.Value, 1./6) || !near(e.SE, math.Sqrt(0.3*0.7/10)) {
		t.Errorf("error %v", e)
	}
	losses := []float64{-math.Log(.9), math.Ln2, -math.Log(.2), -math.Log(.6), -math.Log(.75), 0}
	mean, sd := stat.MeanStdDev(losses, nil)
	if l := m.Score(LogLoss); !near(l.Value, mean) || !near(l.SE, sd/math.Sqrt(6)) {
		t.Errorf("log loss %v, want %v ± %v", l, mean, sd/math.Sqrt(6))
	}
	// Within each fold the order is right, so every AUC is 1.
	if auc := m.Score(AUC); auc != (Figure{1, 0}) {
		t.Errorf("AUC %v, want 1 ± 0", auc)
	}
	list := m.ByClass()
	if !reflect.DeepEqual(m.Confusion(), [][]int{{2, 1}, {0, 3}}) || !near(*list[0].Recall, 2./3) ||
		*list[1].Recall != 1 || *list[0].Precision != 1 || *list[1].Precision != 0.75 || list[0].N != 3 {
		t.Errorf("confusion %v, classes %v", m.Confusion(), list)
	}
	if !math.IsNaN(m.MeanWeights()) || !math.IsNaN(m.MeanSeconds()) {
		t.Errorf("weights %v, seconds %v, want NaN", m.MeanWeights(), m.MeanSeconds())
	}
	// A second system without probabilities errs once more in each fold.
	worse := &Matrix{Classes: m.Classes, K: 3, Rows: rows, Fold: fold, T: m.T, Labels: []int{1, 1, 0, 0, 1, 0}}
	if d := Difference(worse, m, Error); !near(d.Value, 0.5) || d.SE != 0 || d.P != 0 || d.Noise() {
		t.Errorf("difference %+v", d)
	}
	for _, of := range []Metric{LogLoss, AUC} {
		if d := Difference(worse, m, of); !math.IsNaN(d.P) || !math.IsNaN(d.Value) || !d.Noise() {
			t.Errorf("difference to a system without probabilities: %+v", d)
		}
	}
	// With groups {0, 1, 2} and {3, 4, 5}, the sums of the deviations are ±(1 − 3/6).
	if got, want := clustered([]float64{0, 0, 1, 0, 0, 0}, []int{0, 0, 0, 1, 1, 1}, 1./6),
		math.Sqrt(2*.25*2)/6; !near(got, want) {
		t.Errorf("clustered %v, want %v", got, want)
	}
	// The formula of Nadeau and Bengio for scores 0, ½ and 1 of 3 folds.
	if got, want := corrected([]float64{0, .5, 1}, 3), math.Sqrt((1./3+1./2)*0.25); !near(got, want) {
		t.Errorf("corrected %v, want %v", got, want)
	}
	if none := (&Matrix{Err: errFit}); !math.IsNaN(none.Score(Error).Value) || !math.IsNaN(none.Score(AUC).SE) {
		t.Errorf("scores of a failed system: %v", none.Score(Error))
	}
}

// The scores agree with package score.
func TestFiguresAgree(t *testing.T) {
	r := mustValidate(t, mixed(90, 3), logistic(), Options{Repeats: 3})
	base, m := r.Systems[0], r.Systems[1]
	if n, _ := m.Proba.Dims(); n != 270 || len(m.T) != n {
		t.Fatalf("%d out-of-fold rows, want 270", n)
	}
	loss := m.Score(LogLoss)
	if want, err := score.LogLoss(m.Proba, m.T); err != nil || math.Abs(loss.Value-want) > 1e-12 {
		t.Errorf("log loss %v, want %v, %v", loss.Value, want, err)
	}
	e := m.Score(Error).Value
	if want, err := score.ErrorRate(m.Labels, m.T); err != nil || math.Abs(e-want) > 1e-12 {
		t.Errorf("error %v, want %v, %v", e, want, err)
	}
	if want := stat.StdDev(m.byFold(LogLoss), nil) * math.Sqrt(1./15+1./4); loss.SE < want-1e-12 ||
		!near(m.Score(AUC).Value, stat.Mean(m.byFold(AUC), nil)) {
		t.Errorf("log loss ± %v, want at least %v; AUC %v", loss.SE, want, m.Score(AUC))
	}
	if base.Score(AUC).Value != 0.5 || math.Abs(base.Score(LogLoss).Value-math.Log(3)) > 0.01 ||
		base.MeanWeights() != 0 {
		t.Errorf("majority: %v, %v", base.Score(AUC), base.Score(LogLoss))
	}
	if d := Difference(m, base, Error); d.Noise() || d.Value > -0.3 {
		t.Errorf("no difference to the baseline: %+v", d)
	}
	if d := Difference(m, m, Error); d != (Contrast{0, 0, 1}) {
		t.Errorf("difference between a system and itself: %+v", d)
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
	columns := []table.Column{levels("class", class...)}
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
			if e := res.Systems[1].Score(Error); math.Abs(e.Value-truth) < 1.96*e.SE {
				covered++
			}
			if !Difference(res.Systems[2], res.Systems[3], Error).Noise() {
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

// TestCostsOfRecall tests that decisions by the costs reach the recall, and that slightly lower costs do not.
func TestCostsOfRecall(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	for _, c := range []int{2, 3, 7} {
		p, labels := mat.NewDense(150, c, nil), make([]int, 150)
		for i := range labels {
			row := p.RawRowView(i)
			for k := range row {
				row[k] = rng.ExpFloat64()
			}
			labels[i] = rng.IntN(c)
			row[labels[i]] *= 1.5
			floats.Scale(1/floats.Sum(row), row)
		}
		found := func(class int, costs [][]float64) (hits, of float64) {
			for i, label := range labels {
				if label == class {
					of++
					if fitting.LeastCost(p.RawRowView(i), costs) == class {
						hits++
					}
				}
			}
			return hits, of
		}
		for class := range c {
			for _, recall := range []float64{0.01, 0.5, 0.9, 1} {
				costs, err := costsOfRecall(p, labels, class, recall)
				if err != nil {
					t.Fatal(err)
				}
				hits, of := found(class, rowsOf(costs))
				if hits != math.Ceil(recall*of) {
					t.Errorf("class %d of %d: %v of %v found for a recall of %v", class, c, hits, of, recall)
				}
				for k := range c {
					costs.Set(class, k, 0.999999*costs.At(class, k))
				}
				if fewer, _ := found(class, rowsOf(costs)); fewer >= hits {
					t.Errorf("class %d of %d: lower costs find %v rows, the returned costs %v", class, c, fewer, hits)
				}
			}
		}
	}
	zero := mat.NewDense(2, 2, []float64{1, 0, 0.5, 0.5})
	for recall, bad := range map[float64]bool{0.5: false, 1: true, 0: true, 1.5: true, math.NaN(): true} {
		if _, err := costsOfRecall(zero, []int{1, 1}, 1, recall); (err != nil) != bad {
			t.Errorf("recall %v: %v", recall, err)
		}
	}
	if _, err := costsOfRecall(zero, []int{0, 0}, 1, 0.5); err == nil {
		t.Error("no error for a class without rows")
	}
}

// Deciding by cost does not increase the expected cost, and with
// equal costs it is the same as deciding by probability.
func TestCosts(t *testing.T) {
	r, err := CrossValidate(ctx, mixed(90, 5), "class", []System{Of("logistic", mlr.MLR{}),
		Of("broken", collapsing{true})}, Options{Repeats: 3})
	if err != nil {
		t.Fatal(err)
	}
	equal, unequal := mat.NewDense(3, 3, []float64{0, 1, 1, 1, 0, 1, 1, 1, 0}),
		mat.NewDense(3, 3, []float64{0, 1, 1, 1, 0, 1, 20, 20, 0})
	m := r.Systems[1]
	if !slices.Equal(m.Decide(equal).Labels, m.Labels) {
		t.Error("equal costs change the labels")
	}
	if c, e := m.Cost(equal), m.Score(Error); !near(c.Value, e.Value) || !(c.SE > 0) {
		t.Errorf("cost %v, error %v", c, e)
	}
	with := m.Decide(unequal)
	if before, after := m.Cost(unequal), with.Cost(unequal); after.Value >= before.Value {
		t.Errorf("mean cost %v when deciding by cost, %v by probability", after, before)
	}
	if before, after := *m.ByClass()[2].Recall, *with.ByClass()[2].Recall; after <= before ||
		with.Score(LogLoss) != m.Score(LogLoss) {
		t.Errorf("recall with costs %v, without %v", after, before)
	}
	if c := r.Systems[2].Cost(equal); !math.IsNaN(c.Value) {
		t.Errorf("cost of a failed system: %v", c)
	}
	mustPanic(t, "shape", func() { m.Cost(mat.NewDense(2, 2, nil)) })
	mustPanic(t, "no probabilities", func() { r.Systems[2].Decide(equal) })
}

// The verdict names the best system, and a system that is level with it if that is faster.
func TestVerdict(t *testing.T) {
	const folds, rows = 5, 40
	system := func(name string, seconds float64, loss func(fold int) float64) *Matrix {
		m := &Matrix{System: name, Classes: []string{"a", "b"}, K: folds, Seconds: []float64{seconds}}
		var p []float64
		for i := range folds * rows {
			m.Rows, m.T, m.Labels, m.Fold = append(m.Rows, i), append(m.T, i%2), append(m.Labels, i%2),
				append(m.Fold, i/rows)
			right := math.Exp(-loss(i / rows))
			p = append(p, 1-right, right)
			if i%2 == 0 {
				p[2*i], p[2*i+1] = right, 1-right
			}
		}
		m.Proba = mat.NewDense(folds*rows, 2, p)
		return m
	}
	flat := func(loss float64) func(int) float64 {
		return func(fold int) float64 { return loss + 0.001*float64(fold*fold%3) }
	}
	uneven := func(fold int) float64 { return 0.3 + 0.1*float64(fold%3) }
	majority, best := system("majority", 0, flat(0.69)), system("best", 144.4, flat(0.3))
	for _, tt := range []struct {
		others []*Matrix
		want   string
	}{
		{[]*Matrix{best, system("quick", 0.5, uneven)}, "best has the lowest log loss, but quick is level with " +
			"it (the difference may be noise) and takes 0.50 s instead of 144 s."},
		{[]*Matrix{best, system("slow", 100, uneven), system("unknown", math.NaN(), uneven)},
			"best has the lowest log loss, but the difference from slow, unknown may be noise."},
		{[]*Matrix{best, system("worse", 0.5, flat(0.4))},
			"best has the lowest log loss, and the difference from the other systems is more than noise."},
		{[]*Matrix{system("level", 1, func(fold int) float64 { return 0.5 + 0.2*float64(fold%3) })},
			"No system has a lower log loss than the majority baseline by more than noise."},
		{[]*Matrix{system("worse", 1, flat(0.8))},
			"No system has a lower log loss than the majority baseline by more than noise."},
		{[]*Matrix{{System: "failed", Err: table.Finding{Code: "failed"}}}, ""},
	} {
		r := &Comparison{Folds: &Folds{K: folds, Repeats: 1}, Systems: append([]*Matrix{majority}, tt.others...)}
		if got := table.Go.Say(r.Verdict()); got != tt.want {
			t.Errorf("%q, want %q", got, tt.want)
		}
	}
}
