package kernel

import (
	"fmt"

	"gonum.org/v1/gonum/mat"
)

// Stationary is a kernel k(x, y) = f(t) with t = θ·Σ_d s_d. The profile P determines f and whether s_d is
// (x_d − y_d)² or |x_d − y_d|.
type Stationary[P profile] struct {
	// Theta is θ. Its unit is the inverse of the unit of s_d. If it is zero, learners use MedianTheta, and
	// search.Width chooses it by cross-validation.
	Theta float64 `json:"theta"`
}

// StationaryARD is a [Stationary] kernel with a width for each feature (automatic relevance
// determination): t = Σ_d θ_d·s_d. If all widths are equal, it is the same as the Stationary kernel.
type StationaryARD[P profile] struct {
	// Theta contains the widths of the D features, which must not be negative. A feature of width zero is
	// ignored.
	Theta []float64 `json:"thetas"`
}

// profile is the function f of a stationary kernel. To add one, define a type with these methods, an alias
// such as [RBF], and an entry in the registry.
type profile interface {
	// names returns the names of the kernel with one width and with a width for each feature.
	names() (one, many string)
	// sum returns the kind of sum.
	sum() SumKind
	// values replaces each s in v by f(theta·s), with 0·∞ = 0.
	values(theta float64, v []float64)
	// fall returns −df/dt at the point where f has the value k.
	fall(k float64) float64
	// formula returns f as an expression in t, which may be a product.
	formula(t string) string
}

func (k Stationary[P]) name() string {
	var p P
	name, _ := p.names()
	return name
}

func (k Stationary[P]) String() string { return fmt.Sprintf("%s(theta=%g)", k.name(), k.Theta) }

// validate returns an error if Theta is not positive and finite.
func (k Stationary[P]) validate() error { return positive(k.name(), "Theta", k.Theta) }

// Value implements [Kernel].
func (k Stationary[P]) Value(x, y []float64) float64 { return one(k, x, y) }

func (k Stationary[P]) distance(x, y []float64) float64 {
	var p P
	if p.sum() == Squares {
		return squared(x, y)
	}
	return absolute(x, y)
}

// Sum implements [OfSum].
func (k Stationary[P]) Sum() Sum {
	var p P
	return Sum{Kind: p.sum(), Values: k.fromSums, Formula: p.formula(fmt.Sprintf("%v*s", k.Theta))}
}

func (k Stationary[P]) fromSums(v []float64) {
	var p P
	p.values(k.Theta, v)
}

// Width returns Theta.
func (k Stationary[P]) Width() float64 { return k.Theta }

// WithTheta returns the kernel with another Theta.
func (Stationary[P]) WithTheta(theta float64) Kernel { return Stationary[P]{theta} }

// WithThetas returns a [StationaryARD] kernel.
func (Stationary[P]) WithThetas(theta []float64) Kernel { return StationaryARD[P]{theta} }

// MedianTheta implements [Tunable].
func (k Stationary[P]) MedianTheta(x *mat.Dense) float64 { return inverseMedian(x, k.distance) }

// Fall implements [PerFeature].
func (Stationary[P]) Fall(k float64) float64 {
	var p P
	return p.fall(k)
}

func (k StationaryARD[P]) name() string {
	var p P
	_, name := p.names()
	return name
}

func (k StationaryARD[P]) String() string { return fmt.Sprintf("%s(theta=%v)", k.name(), k.Theta) }

// validate returns an error if an entry of Theta is negative or not finite, or if no entry is positive.
func (k StationaryARD[P]) validate() error { return validWidths(k.name(), k.Theta) }

// Value implements [Kernel]. It panics if len(Theta) is not the number of features.
func (k StationaryARD[P]) Value(x, y []float64) float64 { return one(k, x, y) }

func (k StationaryARD[P]) distance(x, y []float64) float64 {
	var p P
	if len(k.Theta) != len(x) {
		panic(fmt.Sprintf("kernel: %s: %d entries of Theta for %d features", k.name(), len(k.Theta), len(x)))
	}
	if p.sum() == Squares {
		return weighted(k.Theta, x, y)
	}
	return weightedAbsolute(k.Theta, x, y)
}

// Sum implements [OfSum].
func (k StationaryARD[P]) Sum() Sum {
	var p P
	return Sum{Kind: p.sum(), Weights: notNil(k.Theta), Values: k.fromSums, Formula: p.formula("s")}
}

func (StationaryARD[P]) fromSums(v []float64) {
	var p P
	p.values(1, v)
}

// ofDistance is a kernel that depends only on a distance.
type ofDistance interface {
	distance(x, y []float64) float64
	fromSums(v []float64)
}

// one returns k(x, y).
func one(k ofDistance, x, y []float64) float64 {
	v := [1]float64{k.distance(x, y)}
	k.fromSums(v[:])
	return v[0]
}
