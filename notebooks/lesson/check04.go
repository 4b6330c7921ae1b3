package lesson

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
)

// differs reports whether two numbers differ by more than rounding does.
func differs(a, b float64) bool { return !(math.Abs(a-b) <= 1e-6*(1+math.Abs(b))) }

// CheckBias says what is wrong with a function that returns the bias of a class, (29), for the targets z̄, the
// values Φw at the samples and the expected precision of the bias.
func CheckBias(bias func(z, phiW []float64, beta float64) float64) string {
	z, phiW, beta := []float64{5, 1, 3, -2}, []float64{1, 0.5, -1, 0.5}, 3.0
	got, left := bias(z, phiW, beta), floats.Sum(z)-floats.Sum(phiW)
	switch n := float64(len(z)); {
	case math.IsNaN(got):
		return notYet
	case !differs(got, left/(n+beta)):
		return "right: the mean residual, shrunk by β̄"
	case !differs(got, left/n):
		return "this is the mean residual; the prior of the bias adds β̄ to N"
	case !differs(got, floats.Sum(z)/(n+beta)):
		return "Φw is missing: the bias fits what the weights leave"
	case !differs(got, -left/(n+beta)):
		return "the sign is wrong: the residual is z̄ − Φw"
	default:
		return fmt.Sprintf("for z̄ = %g, Φw = %g and β̄ = %g it should be %.4f, not %.4f", z, phiW, beta,
			left/(n+beta), got)
	}
}

// CheckRest says what is wrong with a function that returns the larger fixed point of w ← ρw²/(w² + 1), or 0 if
// there is none but zero.
func CheckRest(rest func(rho float64) float64) string {
	for _, rho := range []float64{1, 1.9, 2.1, 3} {
		got, want := rest(rho), 0.0
		if rho >= 2 {
			want = (rho + math.Sqrt(rho*rho-4)) / 2
		}
		switch {
		case math.IsNaN(got) && rho < 2:
			if math.IsNaN(rest(3)) {
				return notYet
			}
			return fmt.Sprintf("ρ = %g: the root of a negative number; below ρ = 2 only zero is left", rho)
		case !differs(got, want):
		case rho >= 2 && !differs(got, (rho-math.Sqrt(rho*rho-4))/2):
			return fmt.Sprintf("ρ = %g: this is the smaller fixed point, and it is unstable", rho)
		default:
			return fmt.Sprintf("ρ = %g: %.4f, and it should be %.4f; a fixed point solves w² − ρw + 1 = 0", rho, got,
				want)
		}
	}
	return "right: from ρ = 2 on a weight survives, and not below it"
}
