package kernel

import (
	"fmt"
	"math"
)

type (
	// Matern32 is the Matérn kernel of smoothness ν = 3/2, k(x, y) = (1 + a)·exp(−a) with
	// a² = 6·Theta·‖x − y‖². Its functions are once differentiable. As for [RBF], Theta is 1/(2ℓ²)
	// for the length scale ℓ, so a = √3·‖x − y‖/ℓ.
	Matern32 = Stationary[matern32]
	// Matern52 is the Matérn kernel of smoothness ν = 5/2, k(x, y) = (1 + a + a²/3)·exp(−a) with
	// a² = 10·Theta·‖x − y‖². Its functions are twice differentiable. As for [RBF], Theta is 1/(2ℓ²)
	// for the length scale ℓ, so a = √5·‖x − y‖/ℓ.
	Matern52 = Stationary[matern52]
	// Matern32ARD is the [Matern32] kernel with a² = 6·Σ_d Theta_d(x_d − y_d)².
	Matern32ARD = StationaryARD[matern32]
	// Matern52ARD is the [Matern52] kernel with a² = 10·Σ_d Theta_d(x_d − y_d)².
	Matern52ARD = StationaryARD[matern52]

	matern32 struct{}
	matern52 struct{}
)

func (matern32) names() (one, many string) { return "matern32", "matern32-ard" }
func (matern52) names() (one, many string) { return "matern52", "matern52-ard" }
func (matern32) sum() SumKind              { return Squares }
func (matern52) sum() SumKind              { return Squares }

func (matern32) values(theta float64, v []float64) {
	maternValues(6, theta, v, func(a, e float64) float64 { return (1 + a) * e })
}

func (matern52) values(theta float64, v []float64) {
	maternValues(10, theta, v, func(a, e float64) float64 { return (1 + a + float64(a*a)/3) * e })
}

// fall returns 3·exp(−a), because df/da = −a·exp(−a) and da/dt = 3/a.
func (matern32) fall(k float64) float64 {
	return 3 * math.Exp(-maternRoot(k, func(a float64) float64 { return (1 + a) * math.Exp(-a) }))
}

// fall returns 5/3·(1 + a)·exp(−a), because df/da = −(a + a²)/3·exp(−a) and da/dt = 5/a.
func (matern52) fall(k float64) float64 {
	a := maternRoot(k, func(a float64) float64 { return (1 + a + a*a/3) * math.Exp(-a) })
	return 5. / 3 * (1 + a) * math.Exp(-a)
}

func (matern32) formula(t string) string {
	return fmt.Sprintf("(1+sqrt(6*%[1]s))*exp(-sqrt(6*%[1]s))", t)
}

func (matern52) formula(t string) string {
	return fmt.Sprintf("(1+sqrt(10*%[1]s)+10*%[1]s/3)*exp(-sqrt(10*%[1]s))", t)
}

// maternValues replaces each s in v by f(a, exp(−a)) with a = √(factor·theta·s). Large a are replaced
// by a finite number, so that a·exp(−a) is zero if exp(−a) is zero.
func maternValues(factor, theta float64, v []float64, f func(a, e float64) float64) {
	const chunk = 64 // numbers that are processed together
	var e [chunk]float64
	for len(v) > 0 {
		n := min(len(v), chunk)
		for i, s := range v[:n] {
			v[i] = min(math.Sqrt(factor*times(theta, s)), 1000)
		}
		copy(e[:], v[:n])
		decays(1, e[:n])
		for i, a := range v[:n] {
			v[i] = f(a, e[i])
		}
		v = v[n:]
	}
}

// maternRoot returns the a ≥ 0 with f(a) = k by bisection, for a function f that falls from 1 to 0.
func maternRoot(k float64, f func(a float64) float64) float64 {
	lo, hi := 0.0, 1000.0
	for range 100 {
		mid := (lo + hi) / 2
		if f(mid) > k {
			lo = mid
		} else {
			hi = mid
		}
	}
	return (lo + hi) / 2
}
