package nbhelpers

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/ranktest"
	"github.com/mpcvm/mpcvm/mpcvm/score"
)

// centres is a classifier and a fake model: the softmax of minus the squared distances to the class
// means. Its borders are straight lines.
type centres struct {
	at      [][]float64
	names   []string
	vectors []mpcvm.RelevanceVector
}

func (c centres) Proba(dst *mat.Dense, x mat.Matrix) *mat.Dense {
	n, d := x.Dims()
	if dst == nil {
		dst = mat.NewDense(n, len(c.at), nil)
	}
	for i := range n {
		sum := 0.0
		for k, centre := range c.at {
			s := 0.0
			for j := range d {
				s += (x.At(i, j) - centre[j]) * (x.At(i, j) - centre[j])
			}
			dst.Set(i, k, math.Exp(-s))
			sum += math.Exp(-s)
		}
		for k := range c.at {
			dst.Set(i, k, dst.At(i, k)/sum)
		}
	}
	return dst
}

func (c centres) RelevanceVectors() []mpcvm.RelevanceVector { return c.vectors }
func (c centres) ClassNames() []string                      { return c.names }

// fixture makes n samples of d features around c centres on a circle, and the classifier with these
// centres.
func fixture(n, c, d int) (centres, *data.Set) {
	random := rand.New(rand.NewPCG(1, 2))
	set := &data.Set{Name: "fixture", X: mat.NewDense(n, d, nil), T: make([]int, n)}
	m := centres{}
	for k := range c {
		centre := make([]float64, d)
		sin, cos := math.Sincos(2 * math.Pi * float64(k) / float64(c))
		centre[0], centre[1] = 3*cos, 3*sin
		m.at = append(m.at, centre)
		set.Classes = append(set.Classes, "class "+string(rune('A'+k%26)))
	}
	for j := range d {
		set.Features = append(set.Features, "x"+string(rune('1'+j)))
	}
	for i := range n {
		k := i % c
		set.T[i] = k
		row := set.X.RawRowView(i)
		for j := range row {
			row[j] = m.at[k][j] + .6*random.NormFloat64()
		}
		if i < 3*c {
			weights := make([]float64, c)
			weights[k] = 1 + float64(i)
			weights[(k+1)%c] = -.5 * float64(i%4)
			m.vectors = append(m.vectors, mpcvm.RelevanceVector{Index: i, Label: k,
				X: append([]float64(nil), row...), Weights: weights})
		}
	}
	m.names = set.Classes
	return m, set
}

func steps(n int) []mpcvm.Step {
	s := make([]mpcvm.Step, n)
	for i := range s {
		gap := math.Exp(-float64(i) / 40)
		s[i] = mpcvm.Step{Iteration: i + 1, Objective: -140 - 700*gap, LogLik: -50 - 300*gap,
			Weights: []int{3 + int(200*gap), 2, 4}}
	}
	return s
}

// all makes one chart of each kind, with the given names.
func all(names []string) map[string]Chart {
	m, set := fixture(150, 3, 4)
	if names != nil {
		set.Name, set.Classes, m.names = names[0], names, names
		set.Features = append([]string{names[1], names[0]}, names[1:]...)
	}
	scale := data.FitStandardizer(set.X)
	name := append(names, "mPCVM₁")[0]
	return map[string]Chart{
		"convergence": ConvergenceWith([]Trace{{name, steps(500)}, {"mPCVM₂", steps(300)}},
			ConvergenceOptions{}),
		"log iterations": ConvergenceWith([]Trace{{name, steps(500)}}, ConvergenceOptions{LogX: true}),
		"sparsity":       Sparsity(m, 150),
		"weights":        Weights(m),
		"regions": Regions(m, set,
			RegionsOptions{Errors: true, Units: []string{name, "cm"}, Title: name}),
		"principal": Regions(m, set, RegionsOptions{Principal: true, Scale: &scale}),
		"lines":     lines(name),
		"stems": Lines([]Series{{Name: name, X: []float64{-2, 0, 3}, Y: []float64{1.5, -.7, .2},
			stem: true}}, LinesOptions{Title: name, XName: name, YName: "weight"}),
		"profile": Profile(peakFixture(names)),
		"boxes": Boxes([]Box{{name, []float64{1, 2, 3, 4, 20}}, {"b", []float64{2, 3, math.NaN()}},
			{Name: "none"}}, BoxesOptions{Title: name, Name: name}),
		"ranks": CriticalDifference([]string{name, "b", "c"}, ranks(),
			CriticalDifferenceOptions{Control: name}),
		"confusion": Confusion([][]int{{40, 2, 0}, {1, 30, 7}, {0, 0, 50}}, m.names),
		"reliability": Reliability([]Calibration{{name, bins()}, {"b", bins()}},
			ReliabilityOptions{Title: name}),
		"roc":         ROC(m.Proba(nil, set.X), set.T, m.names),
		"explanation": newExplanation(m.names, m.Explain(nil)).chart(),
		"precision":   PrecisionRecall(m.Proba(nil, set.X), set.T, m.names),
		"importance":  Importance([]string{name, "b", "c"}, []float64{.2, 3.1, 1e-9}, ImportanceOptions{}),
	}
}

// peaks is a classifier of one feature with potentials.
type peaks struct{ centres }

func (p peaks) Potentials(_ *mat.Dense, x mat.Matrix) *mat.Dense {
	n, _ := x.Dims()
	y := mat.NewDense(n, len(p.at), nil)
	y.Apply(func(i, k int, _ float64) float64 { return 2 - math.Abs(x.At(i, 0)-p.at[k][0]) }, y)
	return y
}

// peakFixture has three classes around −2, 0 and 2, with one relevance vector each.
func peakFixture(names []string) (peaks, *data.Set, ProfileOptions) {
	set := &data.Set{Name: "line", X: mat.NewDense(60, 1, nil), T: make([]int, 60),
		Classes: []string{"class A", "class B", "class C"}, Features: []string{"x"}}
	opt := ProfileOptions{}
	if names != nil {
		set.Name, set.Classes, set.Features = names[0], names, names[1:2]
		opt = ProfileOptions{Title: names[0]}
	}
	m := peaks{centres{at: [][]float64{{-2}, {0}, {2}}}}
	for i := range 60 {
		k := i % 3
		set.T[i] = k
		set.X.Set(i, 0, m.at[k][0]+1.5*math.Sin(float64(i)))
		if i < 3 {
			m.vectors = append(m.vectors,
				mpcvm.RelevanceVector{Index: i, Label: k, X: []float64{set.X.At(i, 0)}})
		}
	}
	return m, set, opt
}

// lines is a chart of two curves, one with an error band, and points with error bars.
func lines(name string) Chart {
	var x, up, down, low, high []float64
	for i := range 50 {
		v := float64(i) / 5
		x, up, down = append(x, v), append(up, math.Sqrt(v)), append(down, math.Exp(-v))
		low, high = append(low, math.Sqrt(v)-.2), append(high, math.Sqrt(v)+.1*v)
	}
	return Lines([]Series{{Name: name, X: x, Y: up, Low: low, High: high},
		{Name: "down", X: x, Y: down, Dashed: true},
		{Name: "seen", X: x[10:12], Y: down[10:12], Low: []float64{.1, .05}, High: []float64{.2, .3},
			NoLine: true}}, LinesOptions{Title: name, Subtitle: name, XName: name, YName: name,
		Marks: []Mark{{X: 2, Name: name}}})
}

// Explain uses the first vectors of the fixture, whatever x is.
func (c centres) Explain([]float64) mpcvm.Explanation {
	n := len(c.names)
	e := mpcvm.Explanation{Potentials: make([]float64, n), Proba: make([]float64, n),
		Bias: make([]float64, n)}
	for k := range n {
		e.Bias[k] = .1 * float64(k)
		e.Potentials[k] = e.Bias[k]
		for _, v := range c.vectors {
			if w := v.Weights[k]; w != 0 {
				e.Contributions = append(e.Contributions, mpcvm.Contribution{Class: k, Index: v.Index,
					Label: v.Label, Kernel: .5, Weight: w, Value: .5 * w})
				e.Potentials[k] += .5 * w
			}
		}
		e.Proba[k] = float64(k+1) / float64(n*(n+1)/2)
	}
	e.Label = floats.MaxIdx(e.Proba)
	return e
}

// ranks tests three systems on six data sets; the last is always the worst.
func ranks() ranktest.Result {
	r, err := ranktest.Friedman(mat.NewDense(6, 3,
		[]float64{1, 2, 9, 2, 1, 9, 1, 2, 9, 2, 1, 9, 1, 2, 9, 2, 1, 9}))
	if err != nil {
		panic(err)
	}
	return r
}

// bins returns ten bins, of which every third is empty.
func bins() []score.Bin {
	var b []score.Bin
	for i := range 10 {
		low := float64(i) / 10
		bin := score.Bin{Low: low, High: low + .1}
		if i%3 != 0 {
			bin.Count, bin.Confidence, bin.Accuracy = 10*i, low+.05, low*low
		}
		b = append(b, bin)
	}
	return b
}
