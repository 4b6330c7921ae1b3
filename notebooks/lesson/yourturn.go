package lesson

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
	"github.com/mpcvm/mpcvm/mpcvm/probit"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// CheckEStep describes the mistake in a function that returns the expected z, (22) and (23), for the
// potentials of a sample and its label.
func CheckEStep(eStep func(y []float64, t int) []float64) string {
	// Equal potentials come last: there, many mistakes are a mere factor.
	for _, y := range [][]float64{{1, -0.5, 0.3}, {-2, 2, 0}, {0, 0, 0}} {
		for t := range y {
			given := slices.Clone(y)
			got := eStep(given, t)
			if !slices.Equal(given, y) {
				return fmt.Sprintf("y = %.1f, label %d: eStep overwrites y, which the caller still needs", y, t)
			}
			if got == nil {
				return notYet
			}
			if len(got) != len(y) {
				return fmt.Sprintf("y = %.1f has %d values, but z̄ has %d", y, len(y), len(got))
			}
			if wrong := shiftsWrong(y, got, t); wrong != "" {
				if name := mistakeInTargets(y, got, t); name != "" {
					wrong = name
				}
				return fmt.Sprintf("y = %.1f, label %d: z̄ = %.4f. %s", y, t, got, wrong)
			}
		}
	}
	return "right: nine cases agree with probit.Means"
}

// shiftsWrong describes the mistake in an expected z, or returns "" if z is right.
func shiftsWrong(y, z []float64, t int) string {
	const tol = 1e-4
	want, _ := probit.Means(nil, y, t)
	shift, right := floats.SubTo(make([]float64, len(y)), z, y), floats.SubTo(make([]float64, len(y)), want, y)
	if floats.Distance(shift, right, math.Inf(1)) < tol {
		return ""
	}
	if floats.Norm(shift, math.Inf(1)) == 0 {
		return "This is y: nothing is learnt from the label"
	}
	ratio := math.NaN() // the same for all losers
	for c := range y {
		if c == t {
			continue
		}
		switch r := shift[c] / right[c]; {
		case math.IsNaN(ratio):
			ratio = r
		case math.Abs(r-ratio) > tol:
			return fmt.Sprintf("It should be %.4f", want)
		}
	}
	switch {
	case math.Abs(ratio-1) < tol:
		return "The losers are right; the winner takes what they lose, (23)"
	case math.Abs(ratio+1) < tol:
		return "The losers go up; (22) has a minus"
	}
	if p := math.Exp(probit.LogProb(y, t)); math.Abs(ratio-p) < tol {
		return fmt.Sprintf("The shifts of the losers are %.4f times the right ones: divide by the probability (10)",
			p)
	}
	return fmt.Sprintf("The shifts of the losers are %.4f times the right ones, by the same factor", ratio)
}

// onLine returns class B of Line with θ = 0.5: the basis functions, the z of the first iteration and
// the signs.
func onLine() (phi *mat.Dense, z, signs []float64) {
	set := data.Line(data.LineSeed)
	signs = SignsOf(set).RawRowView(1)
	for _, f := range signs {
		z = append(z, 3+2.5*f)
	}
	return kernel.Gram(nil, kernel.RBF{Theta: 0.5}, set.X), z, signs
}

// CheckMStep describes the mistake in a function that returns the weights of a class: the weights
// that maximise (21) subject to the signs, given the N×N basis functions, the expected z less the
// bias, the expected precisions and the signs.
func CheckMStep(mStep func(phi *mat.Dense, z, alpha, signs []float64) []float64) string {
	phi, z, signs := onLine()
	alpha := Span(0.5, 2, len(z))
	w := mStep(phi, slices.Clone(z), slices.Clone(alpha), slices.Clone(signs))
	if w == nil {
		return notYet
	}
	if len(w) != len(z) {
		return fmt.Sprintf("there are %d samples, but %d weights", len(z), len(w))
	}
	if name := mistakeInWeights(phi, z, alpha, signs, w); name != "" {
		return name
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
func CheckTopDown(fit func(set *data.Set, theta float64, iterations int) [][]float64) string {
	const iterations = 140
	set := data.Line(data.LineSeed)
	w := fit(set, 0.5, iterations)
	switch {
	case w == nil:
		return notYet
	case !slices.ContainsFunc(w, func(row []float64) bool { return row == nil || floats.Norm(row, 1) > 0 }):
		return "not yet: every weight is zero. Without an M-step they stay so. If the E-step comes first, " +
			"it replaces the first targets by weak ones, and all weights are pruned"
	}
	learner := mpcvm.TopDown{Kernel: kernel.RBF{Theta: 0.5}, MaxIterations: iterations, Tol: -1}
	model, _, err := learner.Fit(context.Background(), mpcvm.Samples{X: set.X, T: set.T})
	Try(err)
	want := WeightsOf(model, set.N())
	if len(w) != len(want) {
		return fmt.Sprintf("there are %d classes, but %d rows of weights", len(want), len(w))
	}
	apart := 0.0
	for c := range w {
		if len(w[c]) != set.N() {
			return fmt.Sprintf("there are %d samples, but class %d has %d weights", set.N(), c, len(w[c]))
		}
		for n, v := range w[c] {
			apart = max(apart, math.Abs(v-want[c][n]))
			if (v != 0) != (want[c][n] != 0) {
				if name := mistakeInOrder(set, w, iterations); name != "" {
					return name
				}
				return fmt.Sprintf("sample %d has the weight %.4f for class %d, but %.4f in the library", n, v, c,
					want[c][n])
			}
		}
	}
	if apart > 0.01 {
		if name := mistakeInOrder(set, w, iterations); name != "" {
			return name
		}
		return fmt.Sprintf("the right %d weights are not zero, and one differs by %.3f from the library's",
			model.WeightCount(), apart)
	}
	return fmt.Sprintf("right: %d weights, as by the library; the largest difference is %.1g",
		model.WeightCount(), apart)
}
