package lesson

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// CheckMStep describes the mistake in a function that returns the weights of a class: the weights
// that maximise (21) subject to the signs, given the N×N basis functions, the expected z less the
// bias, the expected precisions and the signs.
func CheckMStep(mStep func(phi *mat.Dense, z, alpha, signs []float64) []float64) string {
	return checked(func() string { return checkMStep(mStep) })
}

func checkMStep(mStep func(phi *mat.Dense, z, alpha, signs []float64) []float64) string {
	phi, z, signs := onLine()
	alpha := Span(0.5, 2, len(z))
	given, precisions := slices.Clone(z), slices.Clone(alpha)
	w := mStep(phi, given, precisions, slices.Clone(signs))
	if len(w) != len(z) {
		return fmt.Sprintf("there are %d samples, but %d weights", len(z), len(w))
	}
	if name := mistakeInWeights(phi, z, alpha, signs, w); name != "" {
		return name
	}
	if !slices.Equal(given, z) || !slices.Equal(precisions, alpha) {
		return "mStep overwrites z or alpha, which its caller still needs"
	}
	slope, kept := slopeOf(phi, z, w), 0
	for n := range w {
		g := slope[n] - alpha[n]*w[n]
		switch {
		case w[n]*signs[n] < 0:
			return fmt.Sprintf("weight %d is %+.4f, but the sign of its sample is %+g", n, w[n], signs[n])
		case w[n] != 0 && math.Abs(g) > 1e-3:
			return fmt.Sprintf("weight %d is %+.4f, but there the slope of Q is %+.4f, not 0", n, w[n], g)
		case g*signs[n] > 1e-3:
			return fmt.Sprintf("weight %d is 0, but the slope of Q is %+.4f: Q rises with a weight of the right sign",
				n, g)
		case w[n] != 0:
			kept++
		}
	}
	return fmt.Sprintf("right: no slope leads up; %d of %d weights are not zero", kept, len(w))
}

// CheckTopDown describes the mistake in a function that fits a set by Algorithm 1 and returns the
// weights, with a class in each row and a sample in each column. It compares them with the weights
// of mpcvm.TopDown after 140 iterations on Line.
func CheckTopDown(fit func(set *data.Set, theta float64, iterations int) *mat.Dense) string {
	return checked(func() string { return checkTopDown(fit) })
}

func checkTopDown(fit func(set *data.Set, theta float64, iterations int) *mat.Dense) string {
	const iterations = 140
	set := data.Line(data.LineSeed)
	w := fit(set, 0.5, iterations)
	if classes, samples := w.Dims(); classes != set.C() || samples != set.N() {
		return fmt.Sprintf("the weights are %d × %d, want %d × %d", classes, samples, set.C(), set.N())
	}
	if mat.Norm(w, 1) == 0 {
		return "not yet: every weight is zero. Without an M-step they stay so. If the E-step comes first, " +
			"it replaces the first targets by weak ones, and all weights are pruned"
	}
	learner := mpcvm.TopDown{Kernel: kernel.RBF{Theta: 0.5}, MaxIterations: iterations, Tol: -1}
	model, _, err := learner.Fit(context.Background(), mpcvm.Samples{X: set.X, T: set.T})
	Try(err)
	apart, others := 0.0, false
	for c, row := range WeightsOf(model, set.N()) {
		for n, want := range row {
			v := w.At(c, n)
			apart, others = max(apart, math.Abs(v-want)), others || (v != 0) != (want != 0)
		}
	}
	if others || !(apart <= 0.01) {
		if name := mistakeInOrder(set, w, iterations); name != "" {
			return name
		}
		return fmt.Sprintf("a weight differs by %.3f from the library, which keeps %d", apart, model.WeightCount())
	}
	return fmt.Sprintf("right: %d weights, as by the library; the largest difference is %.1g",
		model.WeightCount(), apart)
}

// mistakeInWeights names the mistake in the weights w of a class, or returns "" if it does not
// recognise it.
func mistakeInWeights(phi *mat.Dense, z, alpha, signs, w []float64) string {
	same := func(a []float64) bool { return floats.Distance(a, w, math.Inf(1)) < 1e-3 }
	free, clipped := FreeWeights(phi, z, alpha), make([]float64, len(z))
	for n, v := range free {
		if v*signs[n] > 0 {
			clipped[n] = v
		}
	}
	size := floats.Norm(w, 1)
	switch {
	case math.IsNaN(size) || size > 1e6:
		return "the weights grow without bound: if a weight changes by d, its residuals change by −d φ"
	case same(free):
		return "this is (28), the maximum without the signs"
	case same(clipped):
		return "this is (28) with the wrong signs set to zero; Q is higher if the signs are enforced throughout"
	case same(oneRound(phi, z, alpha, signs)):
		return "this is one round; each change moves the optimum of the other weights, so repeat until none moves"
	}
	// At a free weight the slope of the squares alone is ᾱw. A mistake in the step gives another number.
	slope := slopeOf(phi, z, w)
	for _, m := range slips("(28)") {
		off, total, against := 0.0, 0.0, false
		for n, v := range w {
			column := phi.RawRowView(n)
			against = against || v*signs[n] < 0
			if v != 0 {
				off += math.Abs(slope[n] - v*value(m.formula, vars{"h": floats.Dot(column, column), "α": alpha[n]}))
				total += math.Abs(v)
			}
		}
		if !against && off < 1e-3*total {
			return strings.TrimPrefix(m.text, "; ")
		}
	}
	return ""
}

// mistakeInOrder names the mistake with which Algorithm 1 gives the weights w on a set at θ = 0.5,
// or returns "" if it does not recognise it.
func mistakeInOrder(set *data.Set, w *mat.Dense, iterations int) string {
	// ends runs iterations and compares the weights. An E-step follows the M-step of each class, or the M-steps
	// of all classes, or there is none.
	ends := func(iterations int, prune, afterEach, afterAll bool, change ...func(s *EM)) bool {
		s := NewEM(set, 0.5, 5.5, 0.5)
		s.keep = !prune
		for range iterations {
			for c := range set.C() {
				s.maximise(c)
				if afterEach {
					s.expect()
				}
			}
			if afterAll {
				for _, f := range change {
					f(s)
				}
				s.expect()
			}
		}
		return mat.EqualApprox(s.W, w, 1e-3)
	}
	switch {
	case ends(iterations, true, false, false):
		return "the targets never change: the E-step must set z̄"
	case ends(iterations, true, true, false):
		return "the E-step runs after each class; it must run after the M-steps of all classes"
	case ends(1, true, false, true):
		return "this is one iteration"
	case ends(iterations, false, false, true):
		return "nothing is pruned: a weight with ᾱ > 10⁴ is removed for good"
	case ends(iterations, true, false, true, func(s *EM) { s.Y.Copy(s.Z) }):
		return "the E-step starts from the potentials y, not from z̄"
	}
	return ""
}
