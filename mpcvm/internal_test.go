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
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
)

// TestGoldenFactors compares S, Q, s, q, alpha and the weights with vectors
// computed by direct inversion in 40 digits.
func TestGoldenFactors(t *testing.T) {
	raw, err := os.ReadFile("testdata/marginal_likelihood_factors.json")
	if err != nil {
		t.Fatal(err)
	}
	// encoding/json takes S for s: read by key.
	var file struct{ Cases []map[string]json.RawMessage }
	if err := json.Unmarshal(raw, &file); err != nil {
		t.Fatal(err)
	}
	matrix := func(m map[string]json.RawMessage, key string) (v [][]*float64) {
		if err := json.Unmarshal(m[key], &v); err != nil {
			t.Fatalf("%s: %v", key, err)
		}
		return v
	}
	if len(file.Cases) != 5 {
		t.Fatalf("%d cases, not 5", len(file.Cases))
	}
	worst := 0.0
	for _, c := range file.Cases {
		phi, z, alpha := toDense(matrix(c, "Phi")), toDense(matrix(c, "Z")), matrix(c, "alpha")
		_, bases := phi.Dims()
		_, classes := z.Dims()
		var g, p mat.Dense
		g.Mul(phi.T(), phi)
		p.Mul(z.T(), phi) // C×M
		e := &evidence{training: &training{n: bases, c: classes}, of: all(bases), p: &p}
		for m := range bases {
			e.gram = append(e.gram, g.RawRowView(m))
			e.norm = append(e.norm, g.At(m, m))
		}
		S, Q, s, q := matrix(c, "S"), matrix(c, "Q"), matrix(c, "s"), matrix(c, "q")
		opt, mean := matrix(c, "alpha_opt"), matrix(c, "w_mean")
		for k := range classes {
			class := &potential{c: k, s: make([]float64, bases), q: make([]float64, bases)}
			for m := range bases {
				if a := alpha[m][k]; a != nil {
					class.samples, class.alpha = append(class.samples, m), append(class.alpha, *a)
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
				check("S", m, class.s[m], *S[m][k])
				check("Q", m, class.q[m], *Q[m][k])
				sm, qm := class.s[m], class.q[m]
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
			for i, m := range class.samples {
				w[i] = p.At(k, m)
			}
			class.solver.h.solve(w)
			for i, m := range class.samples {
				check("w", m, w[i], *mean[m][k])
			}
		}
	}
	t.Logf("largest error %.1e", worst)
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

// TestSignedAgainstAllSubsets compares block principal pivoting with the best of
// all 2^m sets of free weights.
func TestSignedAgainstAllSubsets(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 9))
	for range 200 {
		m := 1 + rng.IntN(7)
		rank := 1 + rng.IntN(m) // below m: H is singular but for alpha
		b := mat.NewDense(rank, m, nil)
		for i := range rank {
			for j := range m {
				b.Set(i, j, rng.NormFloat64())
			}
		}
		var g mat.Dense
		g.Mul(b.T(), b)
		sys := system{}
		p, sign, free := make([]float64, m), make([]float64, m), make([]bool, m)
		for i := range m {
			sys.gram = append(sys.gram, g.RawRowView(i))
			sys.samples = append(sys.samples, i)
			sys.alpha = append(sys.alpha, math.Pow(10, 4*rng.Float64()-2))
			p[i], sign[i], free[i] = 3*rng.NormFloat64(), float64(2*rng.IntN(2)-1), rng.IntN(2) == 0
		}
		value := func(w []float64) float64 { // ½wᵀHw − pᵀw
			sum := 0.0
			for i := range m {
				sum += w[i]*w[i]*sys.alpha[i]/2 - p[i]*w[i]
				for j := range m {
					sum += w[i] * g.At(i, j) * w[j] / 2
				}
			}
			return sum
		}
		best := 0.0 // at w = 0
		for set := range 1 << m {
			var idx []int
			for i := range m {
				if set>>i&1 == 1 {
					idx = append(idx, i)
				}
			}
			var h symmetric
			h.factorize(sys, idx)
			x, w, ok := make([]float64, len(idx)), make([]float64, m), true
			for k, i := range idx {
				x[k] = p[i]
			}
			h.solve(x)
			for k, i := range idx {
				w[i] = x[k]
				ok = ok && sign[i]*x[k] >= 0
			}
			if ok {
				best = min(best, value(w))
			}
		}
		w := make([]float64, m)
		new(signed).solve(w, sys, p, sign, free, false)
		for i := range m {
			if sign[i]*w[i] < 0 || free[i] != (w[i] != 0) {
				t.Fatalf("weights %v with signs %v, free %v", w, sign, free)
			}
		}
		if got := value(w); got > best+1e-9*math.Abs(best) {
			t.Fatalf("minimum %v, should be %v", got, best)
		}
	}
}

func TestSignedLarge(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 9))
	for _, m := range []int{50, 200} {
		b := mat.NewDense(m, m, nil)
		for i := range m {
			for j := range m {
				b.Set(i, j, math.Exp(-float64((i-j)*(i-j))/50)) // a smooth kernel: badly conditioned
			}
		}
		var g mat.Dense
		g.Mul(b.T(), b)
		sys := system{}
		p, sign, free := make([]float64, m), make([]float64, m), make([]bool, m)
		for i := range m {
			sys.gram, sys.samples, sys.alpha = append(sys.gram, g.RawRowView(i)), append(sys.samples, i), append(sys.alpha, 1e-6)
			p[i], sign[i] = rng.NormFloat64(), float64(2*rng.IntN(2)-1)
		}
		w := make([]float64, m)
		new(signed).solve(w, sys, p, sign, free, false)
		// The conditions of Karush, Kuhn and Tucker.
		for i := range m {
			grad := p[i] - sys.alpha[i]*w[i]
			size := math.Abs(p[i])
			for j := range m {
				grad -= g.At(i, j) * w[j]
				size = max(size, math.Abs(g.At(i, j)*w[j]))
			}
			if sign[i]*w[i] < 0 || w[i] != 0 && math.Abs(grad) > 1e-7*size || w[i] == 0 && sign[i]*grad > 1e-7*size {
				t.Fatalf("m = %d: weight %d is %g (sign %g), its gradient %g", m, i, w[i], sign[i], grad)
			}
		}
	}
}

// TestFolds: no sample is predicted by a model that knows it, but the only one of
// its class.
func TestFolds(t *testing.T) {
	const n = 41
	tr := &training{x: kernel.Indices(n), t: make([]int, n), n: n, d: 1, c: 4}
	for i := range n {
		tr.t[i] = i % 3
	}
	tr.t[17] = 3 // alone in its class
	same := kernel.Func{Name: "same", F: func(x, y []float64) float64 {
		if x[0] == y[0] {
			return 1
		}
		return 0
	}}
	for _, folds := range []int{2, 3, 5} {
		y, err := tr.folds(t.Context(), folds, 0, func(_ int, part *training) (*Model, error) {
			ones, all := make([]float64, part.n), make([]int, part.n)
			for i := range ones {
				ones[i], all[i] = 1, i
			}
			return part.model(same, [][]int{all, nil, nil, nil}, [][]float64{ones, nil, nil, nil}, make([]float64, 4)), nil
		})
		if err != nil {
			t.Fatal(err)
		}
		for i := range n {
			if known := y.At(i, 0) != 0; known != (i == 17) {
				t.Errorf("%d folds: sample %d is known: %v", folds, i, known)
			}
		}
		for c, count := range tr.counts() {
			perFold := make([]int, folds+1)
			for i, f := range tr.deal(folds, 7) {
				if tr.t[i] == c {
					perFold[f]++
				}
			}
			if low, high := slices.Min(perFold[:folds]), slices.Max(perFold[:folds]); count > 1 && high-low > 1 {
				t.Errorf("%d folds: class %d is dealt %v", folds, c, perFold)
			}
		}
	}
}

// TestFactorsAgainstInversion compares S and Q with the direct inversion of C on
// random active sets, and the search for candidates, which looks at few of them,
// with a look at all.
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
		tr, err := newTraining(x, labels)
		if err != nil {
			t.Fatal(err)
		}
		e := newEvidence(t.Context(), BottomUp{Additions: 1 + rng.IntN(4), Evidence: []float64{1, 30}[trial%2]}, tr, kernel.RBF{Theta: math.Pow(10, 2*rng.Float64()-1.5)}, true)
		m := e.class[1]
		cov := mat.NewDense(n, n, nil)
		for i := range n {
			cov.Set(i, i, 1)
			if rng.IntN(3) > 0 {
				continue
			}
			alpha := math.Pow(10, 4*rng.Float64()-2)
			e.rows([]int{i})
			m.samples, m.alpha = append(m.samples, i), append(m.alpha, alpha)
		}
		for k, s := range m.samples {
			var outer mat.Dense
			outer.Outer(1/m.alpha[k], mat.NewVecDense(e.n, e.phi.row(s)), mat.NewVecDense(e.n, e.phi.row(s)))
			cov.Add(cov, &outer)
		}
		for i := range n {
			e.z.Set(1, i, 3*rng.NormFloat64())
		}
		e.centre(true)
		m.factors(e)
		var inv mat.Dense
		if err := inv.Inverse(cov); err != nil {
			t.Fatal(err)
		}
		for i := range n {
			S := mat.Inner(mat.NewVecDense(e.n, e.phi.row(i)), &inv, mat.NewVecDense(e.n, e.phi.row(i)))
			Q := mat.Inner(mat.NewVecDense(e.n, e.phi.row(i)), &inv, e.z.RowView(1))
			worst = max(worst, math.Abs(m.s[i]-S)/max(1, S), math.Abs(m.q[i]-Q)/max(1, math.Abs(Q)))
		}
		if !(worst < 1e-9) {
			t.Fatalf("trial %d: error %g", trial, worst)
		}
		m.search(e, false) // keeps what would be let in again: q² > s, and q of the sign f
		for k, i := range m.samples {
			s, q := without(m.s[i], m.q[i], m.alpha[k])
			if keep := e.Evidence*q*q > s && q*e.sign(i, 1) > 0; keep != m.keep[k] && math.Abs(e.gain(s, q)) > 1e-6*s {
				t.Fatalf("trial %d: basis %d of s, q = %g, %g and sign %g is kept: %v", trial, i, s, q, e.sign(i, 1), m.keep[k])
			}
			if e.Evidence*q*q > s && q*e.sign(i, 1) < 0 {
				wrong++
			}
		}
		m.factors(e)
		for _, first := range []bool{false, true} {
			var all []int
			for i := range n {
				gain := e.Evidence*m.q[i]*m.q[i] - m.s[i]
				if !slices.Contains(m.samples, i) && m.q[i]*e.sign(i, 1) > 0 && (gain > 0 || first) && m.s[i] > 1e-9*e.norm[i] && !m.twin(e, i) {
					all = append(all, i)
				}
			}
			slices.SortStableFunc(all, func(a, b int) int {
				return cmp.Compare(e.gain(m.s[b], m.q[b]), e.gain(m.s[a], m.q[a]))
			})
			most := e.Additions
			if first {
				most = 1
			}
			want := all[:min(most, len(all))]
			for i := range m.s {
				m.s[i] = math.NaN() // candidates must not lean on what factors left
			}
			if got := m.candidates(e, first); !slices.Equal(got, want) {
				t.Fatalf("trial %d: candidates %v, want %v", trial, got, want)
			}
			m.factors(e)
		}
	}
	t.Logf("largest error %.1e", worst)
	if wrong == 0 {
		t.Error("no basis of a wrong sign")
	}
}

// TestFloors follows fits and holds the floors of S, by which candidates are passed
// over, against S itself after every epoch, and the factors without a basis, by its
// variance, against those by S and Q.
func TestFloors(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 1))
	positive, looked := 0, 0
	for trial := range 30 {
		n := 20 + rng.IntN(60)
		x, labels := mat.NewDense(n, 2, nil), make([]int, n)
		for i := range n {
			labels[i] = i % 3
			x.Set(i, 0, 2*rng.NormFloat64()+float64(labels[i]))
			x.Set(i, 1, 2*rng.NormFloat64())
		}
		tr, err := newTraining(x, labels)
		if err != nil {
			t.Fatal(err)
		}
		l := BottomUp{Additions: 1 + rng.IntN(4), Evidence: []float64{1, 1, 10}[trial%3], NoSweep: trial%3 == 0, Bias: trial%4 == 0}
		e := newEvidence(t.Context(), l, tr, kernel.RBF{Theta: math.Pow(10, 2*rng.Float64()-1.5)}, true)
		for range 40 {
			e.epoch()
			for _, m := range e.class {
				e.centre(true)
				m.factors(e)
				m.variances(e)
				floor := m.floor
				for i, s := range m.s {
					looked++
					if floor[i] > 0 {
						positive++
					}
					if floor[i] > s+1e-9*e.norm[i] {
						t.Fatalf("trial %d, epoch %d, class %d: floor of S_%d is %g, S %g", trial, e.epochs, m.c, i, floor[i], s)
					}
				}
				for i, k := range m.samples {
					s, q := m.without(i)
					if ws, wq := without(m.s[k], m.q[k], m.alpha[i]); m.s[k] < (1-1e-6)*m.alpha[i] &&
						(math.Abs(s-ws) > 1e-6*max(1, ws) || math.Abs(q-wq) > 1e-6*max(1, math.Abs(wq))) {
						t.Fatalf("trial %d, epoch %d, class %d: without %d s, q = %g, %g, want %g, %g", trial, e.epochs, m.c, k, s, q, ws, wq)
					}
				}
			}
		}
	}
	t.Logf("%d of %d floors are above zero", positive, looked)
	if positive < looked/10 {
		t.Errorf("%d of %d floors are above zero: they spare nothing", positive, looked)
	}
}

// TestClimb: the update of last resort does not lower F, wherever the fit is and however much
// the evidence counts, and now and then it raises it by a good deal.
func TestClimb(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 1))
	raised := 0.0
	for trial := range 18 {
		const n = 40
		x, labels := mat.NewDense(n, 2, nil), make([]int, n)
		for i := range n {
			labels[i] = i % 3
			x.Set(i, 0, 2*rng.NormFloat64()+float64(labels[i]))
			x.Set(i, 1, 2*rng.NormFloat64())
		}
		tr, err := newTraining(x, labels)
		if err != nil {
			t.Fatal(err)
		}
		l := BottomUp{Additions: 2, Evidence: []float64{0.3, 1, 30}[trial%3]}
		e := newEvidence(t.Context(), l, tr, kernel.RBF{Theta: 0.3}, true)
		for range 12 {
			e.epoch()
			for range 3 { // from precisions that are no optimum, too
				before := e.objective
				e.centre(true)
				e.each(func(m *potential) { m.begin(); m.climb(e) })
				e.potentials()
				if e.objective = e.eStep().Objective; e.objective < before-1e-9*math.Abs(before) {
					t.Fatalf("evidence %g, epoch %d: F fell from %v to %v", l.Evidence, e.epochs, before, e.objective)
				}
				raised = max(raised, e.objective-before)
			}
		}
	}
	if raised < 0.1 {
		t.Errorf("F never rose by more than %g", raised)
	}
}

// TestBias: at the end the weights of each class are the solution for Z̄ without its bias,
// Φ_Mᵀ(z̄ − b − Φ_Mw) = Aw, and the bias is the mean of what the weights leave of Z̄.
func TestBias(t *testing.T) {
	set := data.Blobs(60, 3, 2, 1, 4)
	for i := range set.T { // of the last class a few alone: biases that matter
		if set.T[i] == 2 && i > 20 {
			set.T[i] = i % 2
		}
	}
	tr, err := newTraining(set.X, set.T)
	if err != nil {
		t.Fatal(err)
	}
	l := BottomUp{Bias: true, Additions: 2, Evidence: 1}
	e := newEvidence(t.Context(), l, tr, kernel.RBF{Theta: 0.3}, true)
	for range 3000 {
		e.epoch()
	}
	largest := 0.0
	for c, m := range e.class {
		largest = max(largest, math.Abs(e.b[c]))
		rest := make([]float64, tr.n) // z̄ − y, y with the bias
		floats.SubTo(rest, e.z.RawRowView(c), e.y.RawRowView(c))
		if mean := floats.Sum(rest) / float64(tr.n); math.Abs(mean) > 1e-4 {
			t.Errorf("class %d: bias %g is off by %g", c, e.b[c], mean)
		}
		for i, n := range m.samples {
			got, want := floats.Dot(e.phi.row(n), rest), m.alpha[i]*m.w[i]
			if math.Abs(got-want) > 1e-3*max(1, math.Abs(want)) {
				t.Errorf("class %d, sample %d: φᵀ(z̄ − y) is %g, αw %g", c, n, got, want)
			}
		}
	}
	if largest < 0.05 {
		t.Errorf("the largest bias is %g", largest)
	}
}
