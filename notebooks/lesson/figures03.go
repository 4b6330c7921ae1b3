package lesson

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/mpcvm/probit"
	nb "github.com/mpcvm/mpcvm/nbhelpers"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/integrate/quad"
	"gonum.org/v1/gonum/stat/distuv"
)

// Noisy returns z = y + ε. The class with the largest z is the label.
func Noisy(y []float64, rng *rand.Rand) []float64 {
	z := slices.Clone(y)
	for c := range z {
		z[c] += rng.NormFloat64()
	}
	return z
}

// Simulated draws the exact probabilities of the classes of Line and the shares of 400 labels, which
// are drawn at each of 21 points, with two standard errors.
func Simulated(rng *rand.Rand) nb.Chart {
	const draws = 400
	worst, lines := 0.0, make([]nb.Series, 6)
	for c := range 3 {
		p := func(x float64) float64 { return probit.Proba(nil, Truth([]float64{x}))[c] }
		lines[c] = nb.Curve(string(rune('A'+c)), Span(0, 10, 101), p)
		dots := nb.Series{NoLine: true, Color: nb.ClassColor(c)}
		for _, x := range Span(0, 10, 21) {
			share, se := 0.0, math.Sqrt(p(x)*(1-p(x))/draws)
			for range draws {
				if floats.MaxIdx(Noisy(Truth([]float64{x}), rng)) == c {
					share += 1.0 / draws
				}
			}
			AddMean(&dots, x, nb.Measure{Value: share, Error: 2 * se})
			worst = max(worst, math.Abs(share-p(x))/se)
		}
		lines[3+c] = dots
	}
	fmt.Printf("the 63 shares are within %.1f standard errors of the exact probabilities\n", worst)
	return nb.Lines(lines, nb.LinesOptions{Title: "Exact and simulated probabilities", XName: "x",
		YName: "p(t | x)", YRange: [2]float64{0, 1}, Height: 480})
}

// Winning shows, for eleven points of Line, the densities of the largest z, by the class that it is of.
func Winning() nb.FramesBlock {
	var frames []nb.Frame
	worst := 0.0
	for _, x := range Span(0, 10, 11) {
		y, lines := Truth([]float64{x}), make([]nb.Series, 3)
		for i, p := range probit.Proba(nil, y) {
			density := func(z float64) float64 {
				p := distuv.UnitNormal.Prob(z - y[i])
				for j := range y {
					if j != i {
						p *= distuv.UnitNormal.CDF(z - y[j])
					}
				}
				return p
			}
			area := quad.Fixed(density, -10, 14, 200, nil, 0)
			worst = max(worst, math.Abs(area-p))
			lines[i] = nb.Curve(fmt.Sprintf("%c, area %.3f", 'A'+i, area), Span(-4, 7, 56), density)
		}
		frames = append(frames, nb.Frame{Label: fmt.Sprint(x), Chart: nb.Lines(lines, nb.LinesOptions{
			Title: "Which z is the largest, and how large is it?", XName: "z", YName: "density",
			YRange: [2]float64{0, 0.5}, Height: 320})})
	}
	fmt.Printf("33 areas and probit.Proba differ by at most %.0e\n", worst)
	return nb.Frames(frames, nb.FramesOptions{Name: "x", Start: 5})
}

// ByHermite is E[f(ε)] by n nodes of Gauss and Hermite.
func ByHermite(f func(e float64) float64, n int) float64 {
	stretched := func(x float64) float64 { return f(math.Sqrt2 * x) }
	return quad.Fixed(stretched, math.Inf(-1), math.Inf(1), n, quad.Hermite{}, 0) / math.Sqrt(math.Pi)
}

// Nodes draws the integrand of (10) for a class that is below two others by a gap, with 20 fixed
// nodes and with the nodes of follow. g is the logarithm of the integrand.
func Nodes(gap float64, g func(e float64, gaps []float64) (g, d1, d2 float64),
	follow func(gaps []float64, n int) (logp float64, nodes []float64)) nb.Chart {
	fixed, weights := make([]float64, 20), make([]float64, 20)
	quad.Hermite{}.FixedLocations(fixed, weights, math.Inf(-1), math.Inf(1))
	floats.Scale(math.Sqrt2, fixed)
	gaps, exact := []float64{-gap, -gap}, probit.LogProb([]float64{0, gap, gap}, 0)
	logp, nodes := follow(gaps, 32)
	height := func(e float64) float64 { g, _, _ := g(e, gaps); return g }
	byFixed := ByHermite(func(e float64) float64 { return math.Exp(height(e) + e*e/2) }, 20)
	top := slices.Max(nb.Curve("", nodes, height).Y)
	shape := func(e float64) float64 { return math.Exp(height(e) - top) }
	following := nb.Curve("32 following nodes", nodes, shape)
	following.NoLine = true
	return nb.Lines([]nb.Series{nb.Curve("integrand (highest = 1)", Span(-8, 30, 200), shape), following,
		{Name: "20 fixed nodes", X: fixed, Y: make([]float64, 20), NoLine: true}}, nb.LinesOptions{
		Title: "The integrand of p moves away from fixed nodes",
		Subtitle: fmt.Sprintf("Ratio to the exact p: %.3g by fixed nodes, %.9f by following nodes",
			byFixed/math.Exp(exact), math.Exp(logp-exact)),
		XName: "ε", YName: "integrand", XRange: [2]float64{-8, 30}, YRange: [2]float64{0, 1.05}})
}

// Cut draws 400 z around y = (1, 0), by the class that wins, and the two means.
func Cut(rng *rand.Rand) nb.Chart {
	y := []float64{1, 0}
	lines := []nb.Series{{Name: "class 1 wins", NoLine: true}, {Name: "class 2 wins", NoLine: true},
		{Name: "z₁ = z₂", X: []float64{-3, 4}, Y: []float64{-3, 4}, Color: "#5f6368", Dashed: true}}
	for range 400 {
		z := Noisy(y, rng)
		part := &lines[floats.MaxIdx(z)]
		part.X, part.Y = append(part.X, math.Round(100*z[0])/100), append(part.Y, math.Round(100*z[1])/100)
	}
	one, _ := probit.Means(nil, y, 0)
	two, _ := probit.Means(nil, y, 1)
	lines = append(lines, nb.Series{Name: "y and the two means", Dots: true, Color: "#222222",
		X: []float64{one[0], y[0], two[0]}, Y: []float64{one[1], y[1], two[1]}})
	chart := nb.Lines(lines, nb.LinesOptions{Title: "z around y = (1, 0)", XName: "z₁", YName: "z₂",
		XRange: [2]float64{-3, 5}, YRange: [2]float64{-4, 4}, Height: 580})
	chart.Width = 520
	return chart
}

// Targets draws the shift of the own class over its gap, and the targets of class B of Line at the true
// potentials.
func Targets() nb.GridBlock {
	var pull []nb.Series
	for _, rivals := range []int{1, 2, 10} {
		pull = append(pull, nb.Curve(fmt.Sprintf("rivals: %d", rivals), Span(-6, 6, 61), func(gap float64) float64 {
			target, _ := probit.Means(nil, append([]float64{gap}, make([]float64, rivals)...), 0)
			return target[0] - gap
		}))
	}
	targets := []nb.Series{{Name: "another label", NoLine: true, Color: "#5f6368"},
		{Name: "target, label B", NoLine: true, Color: nb.ClassColor(1)},
		nb.Curve("potential", Span(0, 10, 101), func(x float64) float64 { return Truth([]float64{x})[1] })}
	targets[2].Color = nb.ClassColor(1)
	set := data.Line(data.LineSeed)
	for n, t := range set.T {
		target, _ := probit.Means(nil, Truth(set.X.RawRowView(n)), t)
		s := &targets[t%2] // B is 1
		s.X, s.Y = append(s.X, set.X.At(n, 0)), append(s.Y, target[1])
	}
	return nb.Grid(2, nb.Lines(pull, nb.LinesOptions{Title: "Shift of the own class", XName: "gap to each rival",
		YName: "z̄ − y"}), nb.Lines(targets, nb.LinesOptions{Title: "Targets of class B on Line", XName: "x",
		YName: "potential"}))
}
