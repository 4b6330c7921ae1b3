package lesson

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
	"github.com/mpcvm/mpcvm/mpcvm/probit"
	nb "github.com/mpcvm/mpcvm/nbhelpers"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"
)

// Draw returns the potentials of weights that are drawn for the samples of a set from the prior with
// precision α, with an RBF kernel of width ½: from half Gaussians if signed, or else from Gaussians.
func Draw(set *data.Set, alpha float64, signed bool, rng *rand.Rand) nb.PotentialFunc {
	w := mat.DenseCopyOf(SignsOf(set).T())
	w.Apply(func(_, _ int, f float64) float64 {
		e := rng.NormFloat64() / math.Sqrt(alpha)
		if signed {
			return f * math.Abs(e)
		}
		return e
	}, w)
	return func(x []float64) []float64 {
		var y mat.Dense
		y.Mul(kernel.Cross(nil, kernel.RBF{Theta: 0.5}, mat.NewDense(1, 1, x), set.X), w)
		return y.RawRowView(0)
	}
}

// Profile draws a model of Line, with potentials from −reach to reach.
func Profile(title string, m nb.Classifier, set *data.Set, reach float64) nb.Chart {
	return nb.Profile(m, set, nb.ProfileOptions{Title: title, Points: 80, Range: [2]float64{0, 10},
		PotentialRange: [2]float64{-reach, reach}})
}

// PriorDraws shows four draws of DrawnLine, and prints the probabilities of the first far from its samples.
func PriorDraws() nb.FramesBlock {
	var frames []nb.Frame
	for seed := range uint64(4) {
		y, set := DrawnLine(0.1, 1+seed)
		frames = append(frames, nb.Frame{Label: fmt.Sprint(1 + seed),
			Chart: Profile("A draw from the prior", y, set, 12)})
		if seed == 0 {
			fmt.Printf("far from all places the probabilities are %.3f\n", probit.Proba(nil, y([]float64{100})))
		}
	}
	return nb.Frames(frames, nb.FramesOptions{Name: "draw"})
}

// Precisions draws the prior of a precision, and its posterior given a weight.
func Precisions() nb.GridBlock {
	draw := func(title, y string, lines []nb.Series) nb.Chart {
		return nb.Lines(lines, nb.LinesOptions{Title: title, XName: "precision α", YName: y, LogX: true})
	}
	var prior, posterior []nb.Series
	for _, u := range []float64{1, 0.1, 0.01, 1e-5} {
		p := distuv.Gamma{Alpha: u, Beta: u}.Prob
		prior = append(prior, nb.Curve(fmt.Sprint(u), LogSpan(1e-6, 1e7, 100),
			func(a float64) float64 { return a * p(a) / u }))
	}
	for _, w := range []float64{0.3, 1, 3} {
		p := distuv.Gamma{Alpha: 2.5, Beta: 1 + w*w/2}.Prob
		posterior = append(posterior, nb.Curve(fmt.Sprintf("w = %g", w), LogSpan(0.01, 30, 100),
			func(a float64) float64 { return a * p(a) }))
	}
	return nb.Grid(2, draw("Prior of ln α for four u = v, divided by u", "α p(α) / u", prior),
		draw("Posterior of ln α for u = 2, v = 1", "density of ln α", posterior))
}

// Prices draws the price of a weight under a prior with two values of u = v, and under two other priors.
func Prices(logPrior func(w, u, v float64) float64) nb.Chart {
	size := append(Span(0, 0.1, 41), Span(0.12, 4, 98)...)
	mixture := func(u float64) nb.Series {
		return nb.Curve(fmt.Sprintf("mixture, u = v = %g", u), size,
			func(w float64) float64 { return logPrior(1, u, u) - logPrior(w, u, u) })
	}
	return nb.Lines([]nb.Series{
		nb.Curve("half-Gaussian, α = 1", size, func(w float64) float64 { return (w*w - 1) / 2 }),
		nb.Curve("half-Laplace, λ = 1", size, func(w float64) float64 { return w - 1 }),
		mixture(0.5), mixture(1e-5),
	}, nb.LinesOptions{Title: "The price of a weight, −ln p(w) + ln p(1)", XName: "size of the weight |w|",
		YName: "price (nats)", YRange: [2]float64{-6, 8}})
}

// Shrinkage draws, for ridge regression, the lasso and a prior of the weights, where the price of two
// weights meets a squared error that is least at (1.2, 0.35).
func Shrinkage(logPrior func(w, u, v float64) float64) nb.GridBlock {
	loss := func(w1, w2 float64) float64 {
		d1, d2 := w1-1.2, w2-0.35
		return (9*d1*d1 + 6*d1*d2 + 6*d2*d2) / 2
	}
	panel := func(name string, turns float64, price func(w float64) float64) nb.Chart {
		both := func(w1, w2 float64) float64 { return price(w1) + price(w2) }
		best, w := math.Inf(1), [2]float64{}
		for _, w1 := range Span(0, 1.5, 601) {
			for _, w2 := range Span(0, 0.75, 301) {
				if sum := loss(w1, w2) + both(w1, w2); sum < best {
					best, w = sum, [2]float64{w1, w2}
				}
			}
		}
		title := fmt.Sprintf("%s: w = (%.2f, %.2f)", name, w[0], w[1])
		fmt.Println(title)
		point := point("best", w[0], w[1], 10)
		point.Color = "#222222"
		return nb.Lines([]nb.Series{contour("error", loss, 1.2, 0.35, loss(w[0], w[1]), 1),
			contour("price", both, 0, 0, both(w[0], w[1]), turns), point}, nb.LinesOptions{Title: title,
			XName: "w₁", YName: "w₂", XRange: [2]float64{-1.5, 2}, YRange: [2]float64{-1.5, 2}, Height: 400})
	}
	return nb.Grid(3, panel("Ridge", 1, func(w float64) float64 { return 3 * w * w / 2 }),
		panel("Lasso", 1, func(w float64) float64 { return 3 * math.Abs(w) }),
		panel("Mixture", 0.25, func(w float64) float64 { return -logPrior(w, 1e-4, 1e-4) }))
}

// contour is the line on which f has a value, by its distance from (x, y) in all directions.
func contour(name string, f func(w1, w2 float64) float64, x, y, value, turns float64) nb.Series {
	s := nb.Series{Name: name}
	for _, angle := range Span(0, 2*math.Pi*turns, 121) {
		near, far := 0.0, 8.0
		for range 40 {
			r := (near + far) / 2
			if f(x+r*math.Cos(angle), y+r*math.Sin(angle)) < value {
				near = r
			} else {
				far = r
			}
		}
		s.X, s.Y = append(s.X, x+near*math.Cos(angle)), append(s.Y, y+near*math.Sin(angle))
	}
	return s
}

// Lone is one weight that is observed as Z, with noise of variance 1. The parameters u and v of its
// prior are both V.
type Lone struct{ Z, V float64 }

// climb runs EM from w.
func (l Lone) climb(w float64) float64 {
	for range 4000 {
		w = l.Z / (1 + (2*l.V+1)/(w*w+2*l.V))
	}
	return w
}

// height returns the log posterior of w minus its value at w = 0.
func (l Lone) height(w float64) float64 { return l.Z*w - w*w/2 - (l.V+0.5)*math.Log1p(w*w/(2*l.V)) }

// Peaks returns the ends of EM from 0 and from Z, which are peaks of the posterior, and the higher one.
func (l Lone) Peaks() (low, high, highest float64) {
	low, high = l.climb(0), l.climb(l.Z)
	if highest = low; l.height(high) > l.height(low) {
		highest = high
	}
	return low, high, highest
}

// estimates returns the weight by EM from Z, by the highest peak, and by the evidence.
func (l Lone) estimates() []float64 {
	_, em, highest := l.Peaks()
	return []float64{em, highest, max(l.Z-1/l.Z, 0)}
}

// LonePosteriors shows the posterior for nine observations, with the three estimates.
func LonePosteriors() nb.FramesBlock {
	at := append(LogSpan(1e-4, 0.1, 20), Span(0.15, 6, 60)...)
	var frames []nb.Frame
	for _, z := range Span(1, 5, 9) {
		l := Lone{z, 1e-5}
		lines := []nb.Series{nb.Curve("posterior", at, l.height)}
		for i, w := range l.estimates() {
			name, size := []string{"EM", "peak", "evidence"}[i], []float64{18, 12, 7}[i]
			lines = append(lines, point(name, w, l.height(w), size))
		}
		frames = append(frames, nb.Frame{Label: fmt.Sprintf("%.1f", z), Chart: nb.Lines(lines, nb.LinesOptions{
			Title: "Posterior of one weight, u = v = 1e-5", XName: "weight w", XRange: [2]float64{0, 6},
			YName: "log posterior minus its value at w = 0 (nats)", YRange: [2]float64{-10, 7}})})
	}
	return nb.Frames(frames, nb.FramesOptions{Name: "observation z", Start: 4})
}

// LoneEstimates draws the three estimates of a weight over its observation, for u = v.
func LoneEstimates(v float64) nb.Chart {
	lines := []nb.Series{{Name: "EM from w = z"}, {Name: "highest peak"}, {Name: "by the evidence"},
		{Name: "w = z", X: []float64{0, 6}, Y: []float64{0, 6}, Dashed: true, Color: "#5f6368"}}
	for _, z := range Span(0.02, 6, 150) {
		for i, w := range (Lone{z, v}).estimates() {
			lines[i].X, lines[i].Y = append(lines[i].X, z), append(lines[i].Y, w)
		}
	}
	return nb.Lines(lines, nb.LinesOptions{Title: "Three estimates of a weight that was observed as z",
		XName: "observation z (in units of the noise)", YName: "estimate of w", XRange: [2]float64{0, 6},
		YRange: [2]float64{0, 6}})
}

// AddMean appends the point (x, mean), with the standard error as an error bar.
func AddMean(s *nb.Series, x float64, m nb.Measure) {
	s.X, s.Y = append(s.X, x), append(s.Y, m.Value)
	s.Low, s.High = append(s.Low, m.Value-m.Error), append(s.High, m.Value+m.Error)
}

// Slide shows a chart that the reader redraws with a slider.
func Slide(s nb.Slider, draw func(v float64) nb.Chart) {
	Try(s.Run(func(_ context.Context, v float64) (nb.Chart, error) { return draw(v), nil }))
}

// DrawnLine returns the potentials of four samples whose weights are drawn from the prior with
// precision α, and the set Line with labels that are drawn from them.
func DrawnLine(alpha float64, seed uint64) (y nb.PotentialFunc, set *data.Set) {
	rng := rand.New(rand.NewPCG(seed, 0))
	set = data.Line(seed)
	four := set.Subset([]int{rng.IntN(15), 15 + rng.IntN(15), 30 + rng.IntN(15), 45 + rng.IntN(15)})
	y = Draw(four, alpha, true, rng)
	for n := range set.T {
		set.T[n] = floats.MaxIdx(Noisy(y(set.X.RawRowView(n)), rng))
	}
	return y, set
}
