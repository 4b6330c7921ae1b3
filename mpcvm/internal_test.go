package mpcvm

import (
	"cmp"
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/internal/fitting"
	"github.com/mpcvm/mpcvm/internal/testkit/must"
	"github.com/mpcvm/mpcvm/internal/testkit/watch"
	"github.com/mpcvm/mpcvm/mpcvm/internal/gram"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
)

// TestGoldenFactors compares S, Q, s, q, alpha and the weights with values computed by direct inversion with
// 40 digits.
func TestGoldenFactors(t *testing.T) {
	raw := must.Get(os.ReadFile("testdata/marginal_likelihood_factors.json"))(t)
	// encoding/json ignores case and confuses S and s, so read by key.
	var file struct{ Cases []map[string]json.RawMessage }
	must.OK(t, json.Unmarshal(raw, &file))
	matrix := func(m map[string]json.RawMessage, key string) (v [][]*float64) {
		if err := json.Unmarshal(m[key], &v); err != nil {
			t.Fatalf("%s: %v", key, err)
		}
		return v
	}
	must.Equal(t, len(file.Cases), 5)
	worst := 0.0
	for _, c := range file.Cases {
		phi, z, alpha := toDense(matrix(c, "Phi")), toDense(matrix(c, "Z")), matrix(c, "alpha")
		_, bases := phi.Dims()
		_, classes := z.Dims()
		var g, p mat.Dense
		g.Mul(phi.T(), phi)
		p.Mul(z.T(), phi) // C×M
		e := &bottomUpState{Data: &fitting.Data{N: bases, C: classes}, bases: fitting.All(bases), p: &p}
		for m := range bases {
			e.gram = append(e.gram, g.RawRowView(m))
			e.norm = append(e.norm, g.At(m, m))
		}
		S, Q, s, q := matrix(c, "S"), matrix(c, "Q"), matrix(c, "s"), matrix(c, "q")
		opt, mean := matrix(c, "alpha_opt"), matrix(c, "w_mean")
		for k := range classes {
			class := &classModel{c: k, S: make([]float64, bases), Q: make([]float64, bases)}
			for m := range bases {
				if a := alpha[m][k]; a != nil {
					class.active, class.alpha = append(class.active, m), append(class.alpha, *a)
				}
			}
			class.factors(e)
			check := func(what string, m int, got, want float64) {
				d := math.Abs(got-want) / max(1, math.Abs(want))
				worst = max(worst, d)
				if !(d <= 1e-9) {
					t.Errorf("%s: %s of basis %d, class %d: %v, want %v", c["name"], what, m, k, got, want)
				}
			}
			inside := 0
			for m := range bases {
				check("S", m, class.S[m], *S[m][k])
				check("Q", m, class.Q[m], *Q[m][k])
				sm, qm := class.S[m], class.Q[m]
				if alpha[m][k] != nil {
					sm, qm = without(sm, qm, *alpha[m][k])
					inside++
				}
				check("s", m, sm, *s[m][k])
				check("q", m, qm, *q[m][k])
				a := optimal(sm, qm)
				if want := opt[m][k]; want == nil {
					if !math.IsInf(a, 1) {
						t.Errorf("%s: alpha of basis %d, class %d: %v, want infinity", c["name"], m, k, a)
					}
				} else {
					check("alpha", m, a, *want)
				}
			}
			w := make([]float64, inside)
			for i, m := range class.active {
				w[i] = p.At(k, m)
			}
			class.solver.Factor.Solve(w)
			for i, m := range class.active {
				check("w", m, w[i], *mean[m][k])
			}
		}
	}
	t.Logf("largest error %.1e", worst)
}

// bottomUpOf returns the state of a fit before its first epoch.
func bottomUpOf(t *testing.T, l BottomUp, d *fitting.Data, k kernel.Kernel) *bottomUpState {
	t.Helper()
	e := must.Get(newBottomUp(t.Context(), l, d, k, fitting.All(d.N), gram.Options{}))(t)
	return e
}

func toDense(rows [][]*float64) *mat.Dense {
	m := mat.NewDense(len(rows), len(rows[0]), nil)
	for i, row := range rows {
		for j, v := range row {
			m.Set(i, j, *v)
		}
	}
	return m
}

// TestFactorsAgainstInversion compares S and Q with the direct inversion of C on random active sets, and the
// search for candidates, which examines few of them, with an exhaustive search.
func TestFactorsAgainstInversion(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 9))
	worst, wrong := 0.0, 0
	for trial := range 60 {
		n, d := 10+rng.IntN(90), 1+rng.IntN(4)
		x, labels := mat.NewDense(n, d, nil), make([]int, n)
		for i := range n {
			labels[i] = i % 3
			for j := range d {
				x.Set(i, j, 2*rng.NormFloat64())
			}
		}
		tr := must.Get(fitting.New(fitting.Samples{X: x, T: labels}))(t)
		e := bottomUpOf(t, BottomUp{Additions: 1 + rng.IntN(4), LikelihoodPower: []float64{1, 30}[trial%2]}, tr,
			kernel.RBF{Theta: math.Pow(10, 2*rng.Float64()-1.5)})
		m := e.class[1]
		cov := mat.NewDense(n, n, nil)
		for i := range n {
			cov.Set(i, i, 1)
			if rng.IntN(3) > 0 {
				continue
			}
			alpha := math.Pow(10, 4*rng.Float64()-2)
			e.rows([]int{i})
			m.active, m.alpha = append(m.active, i), append(m.alpha, alpha)
		}
		for k, s := range m.active {
			var outer mat.Dense
			phi := mat.NewVecDense(e.N, basis(e, s))
			outer.Outer(1/m.alpha[k], phi, phi)
			cov.Add(cov, &outer)
		}
		for i := range n {
			e.zbar.Set(1, i, 3*rng.NormFloat64())
		}
		e.centre(true)
		m.factors(e)
		var inv mat.Dense
		must.OK(t, inv.Inverse(cov))
		for i := range n {
			phi := mat.NewVecDense(e.N, basis(e, i))
			S := mat.Inner(phi, &inv, phi)
			Q := mat.Inner(phi, &inv, e.zbar.RowView(1))
			worst = max(worst, math.Abs(m.S[i]-S)/max(1, S), math.Abs(m.Q[i]-Q)/max(1, math.Abs(Q)))
		}
		if !(worst < 1e-9) {
			t.Fatalf("trial %d: error %g", trial, worst)
		}
		m.search(e, false) // keeps what would enter again: q² > s, and q has the sign f
		for k, i := range m.active {
			s, q := without(m.S[i], m.Q[i], m.alpha[k])
			if keep := e.LikelihoodPower*q*q > s && q*e.sign(i, 1) > 0; keep != m.keep[k] &&
				math.Abs(e.gain(s, q)) > 1e-6*s {
				t.Fatalf("trial %d: basis %d with s, q = %g, %g and sign %g is kept: %v", trial, i, s, q, e.sign(i, 1),
					m.keep[k])
			}
			if e.LikelihoodPower*q*q > s && q*e.sign(i, 1) < 0 {
				wrong++
			}
		}
		m.factors(e)
		for _, first := range []bool{false, true} {
			var all []int
			for i := range n {
				gain := e.LikelihoodPower*m.Q[i]*m.Q[i] - m.S[i]
				if !slices.Contains(m.active, i) && m.Q[i]*e.sign(i, 1) > 0 && (gain > 0 || first) &&
					m.S[i] > 1e-9*e.norm[i] && !m.duplicateColumn(e, i) {
					all = append(all, i)
				}
			}
			slices.SortStableFunc(all, func(a, b int) int {
				return cmp.Compare(e.gain(m.S[b], m.Q[b]), e.gain(m.S[a], m.Q[a]))
			})
			most := e.Additions
			if first {
				most = 1
			}
			want := all[:min(most, len(all))]
			for i := range m.S {
				m.S[i] = math.NaN() // candidates must not use the results of factors
			}
			if got := m.candidates(e, first); !slices.Equal(got, want) {
				t.Fatalf("trial %d: candidates %v, want %v", trial, got, want)
			}
			m.factors(e)
		}
	}
	t.Logf("largest error %.1e", worst)
	if wrong == 0 {
		t.Error("no basis function with the wrong sign")
	}
}

// TestStepFactors compares Step.Factors with s = φᵀC⁻¹φ and q = φᵀC⁻¹(z̄ − b), C = I/β + Σ φφᵀ/α over the
// other basis functions in the model. It also checks that the next additions have q² > s, and that calling
// Factors does not change the fit in any bit.
func TestStepFactors(t *testing.T) {
	watch.SkipUnderRace(t)
	set := data.Blobs(40, 3, 2, 1, 4)
	k, ctx := kernel.RBF{Theta: 0.4}, t.Context()
	d := must.Get(fitting.New(fitting.Samples{X: set.X, T: set.T}))(t)
	columns, centred := kernel.Gram(nil, k, set.X), mat.NewDense(d.N, d.N, nil)
	centred.Apply(func(n, _ int, v float64) float64 { return v - mat.Sum(columns.RowView(n))/float64(d.N) },
		columns)
	for name, l := range map[string]BottomUp{
		"default": {}, "bias": {Bias: true}, "power": {LikelihoodPower: 20}, "published": {AsPublished: true,
			MaxIterations: 12}, "candidates": {Candidates: 15},
	} {
		l.Kernel = k
		phi := columns
		if l.Bias {
			phi = centred
		}
		plain, _, err := l.Fit(ctx, Samples{X: set.X, T: set.T})
		must.OK(t, err)
		beta := l.defaults().LikelihoodPower
		worst, inside, missing := 0.0, 0, 0
		var before *Factors
		model, result, err := l.Fit(ctx, Samples{X: set.X, T: set.T}, func(s *Step) {
			for _, b := range s.Added {
				if before != nil && !l.AsPublished && before.Q.At(b.Class, b.Sample)*d.Sign(b.Sample,
					b.Class) < math.Sqrt(before.S.At(b.Class, b.Sample))*(1-1e-9) {
					t.Errorf("%s: step %d added %v with s = %v, q = %v", name, s.Iteration, b,
						before.S.At(b.Class, b.Sample), before.Q.At(b.Class, b.Sample))
				}
			}
			f := s.Factors()
			before = f
			if s.Iteration%4 != 0 {
				return
			}
			y := mat.DenseCopyOf(s.Model().Potentials(nil, set.X).T())
			z, logp := mat.NewDense(3, d.N, nil), make([]float64, d.N)
			posteriorMeans(ctx, d, z, logp, y)
			if !l.AsPublished {
				mixStart(d, z, max(0, 1-float64(s.Iteration)/(releaseEpochs+1)))
			}
			for c := range 3 {
				if zc := z.RawRowView(c); l.Bias { // the flat prior of the bias is integrated out
					floats.AddConst(-floats.Sum(zc)/float64(d.N), zc)
				}
				for n := range d.N {
					if math.IsNaN(f.S.At(c, n)) {
						missing++
						continue
					}
					cov := mat.NewDense(d.N, d.N, nil)
					for i := range d.N {
						cov.Set(i, i, 1/beta)
					}
					for m := range d.N {
						if alpha := f.Alpha.At(c, m); m != n && !math.IsInf(alpha, 1) {
							inside++
							var outer mat.Dense
							outer.Outer(1/alpha, phi.RowView(m), phi.RowView(m))
							cov.Add(cov, &outer)
						}
					}
					var right, x mat.Dense
					right.Augment(phi.RowView(n), z.RowView(c))
					must.OK(t, x.Solve(cov, &right))
					s, q := mat.Dot(phi.RowView(n), x.ColView(0)), mat.Dot(phi.RowView(n), x.ColView(1))
					worst = max(worst, math.Abs(f.S.At(c, n)-s)/max(1, s), math.Abs(f.Q.At(c, n)-q)/max(1, math.Abs(q)))
				}
			}
		})
		if err != nil || !(worst < 1e-7) || inside == 0 || missing > 0 != (l.Candidates > 0) {
			t.Errorf("%s: error %.1e, %d basis functions inside, %d missing, %v", name, worst, inside, missing, err)
		}
		if !mat.Equal(model.Potentials(nil, set.X), plain.Potentials(nil, set.X)) {
			t.Errorf("%s: calling Factors changes the fit", name)
		}
		if result.Trace[0].Factors() != nil {
			t.Errorf("%s: factors after the fit", name)
		}
		t.Logf("%s: error %.1e", name, worst)
	}
}

// shifted returns n random samples of three classes that overlap much.
func shifted(t *testing.T, rng *rand.Rand, n int) *fitting.Data {
	t.Helper()
	x, labels := mat.NewDense(n, 2, nil), make([]int, n)
	for i := range n {
		labels[i] = i % 3
		x.SetRow(i, []float64{2*rng.NormFloat64() + float64(labels[i]), 2 * rng.NormFloat64()})
	}
	tr := must.Get(fitting.New(fitting.Samples{X: x, T: labels}))(t)
	return tr
}

// TestLowerBounds compares, after every epoch, the lower bounds of S, by which candidates are skipped, with
// S, and the factors without a basis function, computed from its variance, with those computed from S and Q.
func TestLowerBounds(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 1))
	positive, looked := 0, 0
	for trial := range 30 {
		n := 20 + rng.IntN(60)
		tr := shifted(t, rng, n)
		l := BottomUp{Additions: 1 + rng.IntN(4), LikelihoodPower: []float64{1, 1, 10}[trial%3], Bias: trial%4 == 0}
		e := bottomUpOf(t, l, tr, kernel.RBF{Theta: math.Pow(10, 2*rng.Float64()-1.5)})
		for range 40 {
			e.epoch()
			for _, m := range e.class {
				e.centre(true)
				m.factors(e)
				m.variances(e)
				floor := m.lowerS
				for i, s := range m.S {
					looked++
					if floor[i] > 0 {
						positive++
					}
					if floor[i] > s+1e-9*e.norm[i] {
						t.Fatalf("trial %d, epoch %d, class %d: bound of S_%d is %g, S %g", trial, e.epochs, m.c, i, floor[i],
							s)
					}
				}
				for i, k := range m.active {
					s, q := m.without(i)
					if ws, wq := without(m.S[k], m.Q[k], m.alpha[i]); m.S[k] < (1-1e-6)*m.alpha[i] &&
						(math.Abs(s-ws) > 1e-6*max(1, ws) || math.Abs(q-wq) > 1e-6*max(1, math.Abs(wq))) {
						t.Fatalf("trial %d, epoch %d, class %d: without %d s, q = %g, %g, want %g, %g", trial, e.epochs, m.c, k,
							s, q, ws, wq)
					}
				}
			}
		}
	}
	t.Logf("%d of %d bounds are above zero", positive, looked)
	if positive < looked/10 {
		t.Errorf("only %d of %d bounds are above zero", positive, looked)
	}
}

// TestMonotoneUpdate: the fallback update does not lower F at any point of the fit, for any power of the
// likelihood, and sometimes raises it considerably.
func TestMonotoneUpdate(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 1))
	raised := 0.0
	for trial := range 18 {
		const n = 40
		tr := shifted(t, rng, n)
		l := BottomUp{Additions: 2, LikelihoodPower: []float64{0.3, 1, 30}[trial%3]}
		e := bottomUpOf(t, l, tr, kernel.RBF{Theta: 0.3})
		for range releaseEpochs + 12 {
			if e.epoch(); e.startShare > 0 {
				continue
			}
			for range 3 { // also from precisions that are not optimal
				before := e.objective
				e.centre(true)
				e.each(func(m *classModel) { m.begin(); m.updateMonotone(e) })
				e.potentials()
				if e.objective = e.eStep().Objective; e.objective < before-1e-9*math.Abs(before) {
					t.Fatalf("power %g, epoch %d: F fell from %v to %v", l.LikelihoodPower, e.epochs, before, e.objective)
				}
				raised = max(raised, e.objective-before)
			}
		}
	}
	if raised < 0.1 {
		t.Errorf("F never rose by more than %g", raised)
	}
}

// TestBias: at the end, the weights of each class solve Φ_Mᵀ(z̄ − b − Φ_Mw) = Aw, and the bias is the mean of
// z̄ − Φw.
func TestBias(t *testing.T) {
	set := data.Blobs(60, 3, 2, 1, 4)
	for i := range set.T { // few samples of the last class, so that the biases matter
		if set.T[i] == 2 && i > 20 {
			set.T[i] = i % 2
		}
	}
	tr := must.Get(fitting.New(fitting.Samples{X: set.X, T: set.T}))(t)
	l := BottomUp{Bias: true, Additions: 2, LikelihoodPower: 1}
	e := bottomUpOf(t, l, tr, kernel.RBF{Theta: 0.3})
	for range 3000 {
		e.epoch()
	}
	largest := 0.0
	for c, m := range e.class {
		largest = max(largest, math.Abs(e.b[c]))
		rest := make([]float64, tr.N) // z̄ − y, where y includes the bias
		floats.SubTo(rest, e.zbar.RawRowView(c), e.y.RawRowView(c))
		if mean := floats.Sum(rest) / float64(tr.N); math.Abs(mean) > 1e-4 {
			t.Errorf("class %d: bias %g is off by %g", c, e.b[c], mean)
		}
		for i, n := range m.active {
			got, want := floats.Dot(basis(e, n), rest), m.alpha[i]*m.w[i]
			if math.Abs(got-want) > 1e-3*max(1, math.Abs(want)) {
				t.Errorf("class %d, sample %d: φᵀ(z̄ − y) is %g, αw %g", c, n, got, want)
			}
		}
	}
	if largest < 0.05 {
		t.Errorf("the largest bias is %g", largest)
	}
}

// basis returns the values of a basis function at all samples.
func basis(e *bottomUpState, j int) []float64 {
	y := mat.NewDense(1, e.N, nil)
	e.phi.AddTo(y, func(int) ([]int, []float64) { return []int{j}, []float64{1} })
	return y.RawRowView(0)
}
