// Package exact is the reference for tests. It computes from the plain formulas, slowly and with 256
// bits, what the other packages compute in float64: the normal distribution, the multinomial probit
// and linear systems. Its probabilities are correct to 34 digits.
package exact

import (
	"fmt"
	"math"
	"math/big"
)

// Num is an immutable number with 256 bits.
type Num struct{ v *big.Float }

const bits = 256

// Of returns the exact value of v, which must be finite.
func Of(v float64) Num { return Num{new(big.Float).SetPrec(bits).SetFloat64(v)} }

// All applies Of to each element of v.
func All(v []float64) []Num {
	all := make([]Num, len(v))
	for i, v := range v {
		all[i] = Of(v)
	}
	return all
}

func fresh() *big.Float { return new(big.Float).SetPrec(bits) }

// Add is a + b.
func (a Num) Add(b Num) Num { return Num{fresh().Add(a.v, b.v)} }

// Sub is a − b.
func (a Num) Sub(b Num) Num { return Num{fresh().Sub(a.v, b.v)} }

// Mul is a·b.
func (a Num) Mul(b Num) Num { return Num{fresh().Mul(a.v, b.v)} }

// Div is a/b.
func (a Num) Div(b Num) Num { return Num{fresh().Quo(a.v, b.v)} }

// Neg is −a.
func (a Num) Neg() Num { return Num{fresh().Neg(a.v)} }

// Abs is |a|.
func (a Num) Abs() Num { return Num{fresh().Abs(a.v)} }

// Sqrt is √a.
func (a Num) Sqrt() Num { return Num{fresh().Sqrt(a.v)} }

// Less is a < b.
func (a Num) Less(b Num) bool { return a.v.Cmp(b.v) < 0 }

// Sign is −1, 0 or 1.
func (a Num) Sign() int { return a.v.Sign() }

// Float is a rounded to float64.
func (a Num) Float() float64 { f, _ := a.v.Float64(); return f }

// String returns a with 25 digits.
func (a Num) String() string { return a.v.Text('g', 25) }

// Times is n·a.
func (a Num) Times(n int) Num { return a.Mul(Of(float64(n))) }

// Shift is a·2^exp.
func (a Num) Shift(exp int) Num { return Num{fresh().SetMantExp(a.v, exp)} }

// Error is the relative error |v − a|/|a| of v, or |v| if a is zero.
func (a Num) Error(v float64) float64 {
	if a.Sign() == 0 {
		return math.Abs(v)
	}
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return math.Inf(1)
	}
	return Of(v).Sub(a).Div(a).Abs().Float()
}

// Distance is |v − a|.
func (a Num) Distance(v float64) float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return math.Inf(1)
	}
	return Of(v).Sub(a).Abs().Float()
}

var (
	one  = Of(1)
	ln2  = digits("0.69314718055994530941723212145817656807550013436025525412068000949339362196969472")
	pi   = digits("3.14159265358979323846264338327950288419716939937510582097494459230781640628620900")
	root = pi.Shift(1).Sqrt() // √2π
	// LogRoot is ½ log 2π.
	LogRoot = Log(pi.Shift(1)).Shift(-1)
)

// digits returns the number with these decimal digits.
func digits(text string) Num {
	v, _, err := fresh().Parse(text, 10)
	if err != nil {
		panic(err)
	}
	return Num{v}
}

// Exp is e^x; 0 where x < −1e8.
func Exp(x Num) Num {
	if x.Less(Of(-1e8)) {
		return Of(0)
	}
	if Of(1e8).Less(x) {
		panic(fmt.Sprintf("exact: exp(%v)", x))
	}
	const halvings = 16
	n := math.Round(x.Div(ln2).Float())
	r := x.Sub(ln2.Mul(Of(n))).Shift(-halvings)
	sum, term := one, one
	for k := 1; k <= 16; k++ { // |r| < 2^−17: the remainder is below 2^−300
		term = term.Mul(r).Div(Of(float64(k)))
		sum = sum.Add(term)
	}
	for range halvings {
		sum = sum.Mul(sum)
	}
	return sum.Shift(int(n))
}

// Log is the natural logarithm of x > 0.
func Log(x Num) Num {
	mantissa := fresh()
	exponent := x.v.MantExp(mantissa)
	m := Num{mantissa}
	y := Of(math.Log(m.Float()))
	for range 3 { // Halley: 50, 150, 450 bits
		e := Exp(y)
		y = y.Add(m.Sub(e).Div(m.Add(e)).Shift(1))
	}
	return y.Add(ln2.Times(exponent))
}

// Mills returns the ratio R(t) = Ψ(−t)/φ(t) for t ≥ 0, by a power series below 4, and above by
// Laplace's continued fraction, whose error after n terms is exp(−2t√(2n)).
func Mills(t Num) Num {
	at := t.Float()
	if at < 4 { // √(π/2) exp(t²/2) − Σ t^(2k+1)/(2k+1)!!; the difference costs 12 bits
		sum, term, square := Of(0), t, t.Mul(t)
		for k := 3; term.Sign() > 0 && (k < 20 || sum.Shift(-bits).Less(term)); k += 2 {
			sum = sum.Add(term)
			term = term.Mul(square).Div(Of(float64(k)))
		}
		return root.Shift(-1).Mul(Exp(square.Shift(-1))).Sub(sum)
	}
	f := t
	for k := int(2400/(at*at)) + 20; k >= 1; k-- {
		f = t.Add(Of(float64(k)).Div(f))
	}
	return one.Div(f)
}

// density is φ(u).
func density(u Num) Num { return Exp(u.Mul(u).Shift(-1).Neg()).Div(root) }

// Psi is the standard normal distribution Ψ(u).
func Psi(u Num) Num {
	if u.Sign() < 0 {
		return density(u).Mul(Mills(u.Neg()))
	}
	return one.Sub(density(u).Mul(Mills(u)))
}

// ratio is r(u) = φ(u)/Ψ(u).
func ratio(u Num) Num {
	if u.Sign() < 0 {
		return one.Div(Mills(u.Neg()))
	}
	return density(u).Div(Psi(u))
}
