package lesson

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/probit"
	nb "github.com/mpcvm/mpcvm/nbhelpers"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"
)

// point is a point of a chart of Lines.
func point(name string, x, y, size float64) nb.Series {
	return nb.Series{Name: name, X: []float64{x}, Y: []float64{y}, NoLine: true, Size: size}
}

// TouchAndTop shows EM for one sample whose own class leads by −5 at first: each M-step goes to the
// top of the bound.
func TouchAndTop(eStep func(y []float64, t int) []float64,
	lower func(y, old []float64, t int) float64) nb.FramesBlock {
	leads, d := Span(-6, 3, 91), -5.0
	exact := func(d float64) float64 { return probit.LogProb([]float64{d, 0, 0}, 0) }
	var frames []nb.Frame
	for i := range 5 {
		old := []float64{d, 0, 0}
		bound := func(x float64) float64 { return lower([]float64{x, 0, 0}, old, 0) }
		next := eStep(old, 0)[0]
		steps := nb.Series{Name: "touch and top", X: []float64{d, next}, Y: []float64{exact(d), bound(next)},
			NoLine: true, Size: 11, Color: "#222222"}
		lines := []nb.Series{nb.Curve("log p(t | y)", leads, exact), nb.Curve("bound", leads, bound), steps}
		frames = append(frames, nb.Frame{Label: strconv.Itoa(i + 1), Chart: nb.Lines(lines, nb.LinesOptions{
			Title: fmt.Sprintf("From a lead of %.2f to %.2f", d, next), XName: "lead of the own class",
			YName: "nats", YRange: [2]float64{-14, 1}})})
		fmt.Printf("lead %+.2f: log p = %.3f\n", d, exact(d))
		d = next
	}
	return nb.Frames(frames, nb.FramesOptions{Name: "iteration"})
}

// LoneWeight draws the paths of a weight alone in its class under EM, for five values of ρ². rest
// returns the end of a path.
func LoneWeight(rest func(rho float64) float64) nb.Chart {
	var paths []nb.Series
	for _, square := range []float64{2, 3.5, 3.95, 4.05, 5} {
		rho := math.Sqrt(square)
		path := nb.Series{Name: fmt.Sprintf("ρ² = %g", square), Dashed: square < 4}
		w := rho / 2 // the M-step from ᾱ = h
		for i := range 1000 {
			if i < 60 {
				path.X, path.Y = append(path.X, float64(i+1)), append(path.Y, w)
			}
			w = rho * w * w / (w*w + 1)
		}
		paths = append(paths, path)
		fmt.Printf("ρ² = %-4g  after 1000 iterations %.3f, by your function %.3f\n", square, w, rest(rho))
	}
	return nb.Lines(paths, nb.LinesOptions{Title: "One weight alone", XName: "iteration", YName: "w √h"})
}

// MovedSample fits twenty samples of Line and one more, of each class at eleven places. Pointing at
// a place shows the model. own lists the places at which the sample gets a weight.
func MovedSample(fit func(set *data.Set) *mpcvm.Model) (chart nb.FramesBlock, own []string) {
	all := data.Line(data.LineSeed)
	var rows []int
	for n := 0; n < all.N(); n += 3 {
		rows = append(rows, n)
	}
	few := all.Subset(rows)
	places := nb.Series{Name: "places", NoLine: true, Size: 6, Color: "#9a9a9a"}
	lines := make([]nb.Series, few.C())
	var frames []nb.Frame
	for c, class := range few.Classes {
		lines[c] = nb.Series{Name: class, NoLine: true, Size: 11}
		for n, t := range few.T {
			if t == c {
				lines[c].X, lines[c].Y = append(lines[c].X, few.X.At(n, 0)), append(lines[c].Y, float64(c))
			}
		}
		for _, x := range Span(0, 10, 11) {
			set := *few
			set.X, set.T = new(mat.Dense), append(slices.Clone(few.T), c)
			set.X.Stack(few.X, mat.NewDense(1, 1, []float64{x}))
			model, label := fit(&set), fmt.Sprintf("%s at %g", class, x)
			frame := LineFrame(label, 36, model, &set)
			frame.Label, frame.At = label, [2]float64{x, float64(c)}
			frames, places.X, places.Y = append(frames, frame), append(places.X, x), append(places.Y, float64(c))
			last := func(v mpcvm.RelevanceVector) bool { return v.Index == few.N() }
			if slices.ContainsFunc(model.RelevanceVectors(), last) {
				own = append(own, label)
			}
		}
	}
	by := nb.Lines(append(lines, places), nb.LinesOptions{Title: "Point at a place", XName: "x",
		YName: "class (0 is A)", YRange: [2]float64{-0.5, 2.5}, Height: 240})
	return nb.Frames(frames, nb.FramesOptions{Name: "sample", Start: 16, By: &by}), own
}

// TwoWeights shows the contours of Q for two samples of a class at the distance 1, with the targets
// 3 and 0, and three solutions: without signs, clipped, and with signs, which want both weights ≥ 0.
func TwoWeights() nb.FramesBlock {
	const z, a = 3.0, 0.05
	var frames []nb.Frame
	for _, theta := range []float64{0.03, 0.1, 0.3, 1, 3} {
		k := math.Exp(-theta)
		h, wide, narrow := 1+k*k+a, (1-k)*(1-k)+a, (1+k)*(1+k)+a // diagonal and eigenvalues of ΦᵀΦ + Ā
		sum, gap := z*(1+k)/narrow, z*(1-k)/wide                 // w₁ + w₂ and w₁ − w₂ of (28)
		w1, w2 := (sum+gap)/2, (sum-gap)/2
		var lines []nb.Series
		for _, r := range []float64{0.4, 0.8, 1.2, 1.6, 2, 2.4} {
			s := nb.Series{Color: "#9a9a9a"}
			for _, t := range Span(0, 2*math.Pi, 73) {
				u, v := r*math.Cos(t)/math.Sqrt(narrow), r*math.Sin(t)/math.Sqrt(wide)
				s.X, s.Y = append(s.X, w1+(u+v)/math.Sqrt2), append(s.Y, w2+(u-v)/math.Sqrt2)
			}
			lines = append(lines, s)
		}
		q := func(w float64) float64 { return z*w - h*w*w/2 } // Q(w, 0) − Q(0, 0)
		lines = append(lines, point("without signs", w1, w2, 11), point("clipped", w1, 0, 11),
			point("best with signs", z/h, 0, 11),
			nb.Series{Name: "w₂ = 0", X: []float64{-1, 6}, Y: []float64{0, 0}, Dashed: true, Color: "#222222"})
		frames = append(frames, nb.Frame{Label: fmt.Sprint(theta), Chart: nb.Lines(lines, nb.LinesOptions{
			Title: fmt.Sprintf("Q: clipped %+.2f, best %+.2f", q(w1), q(z/h)), XName: "w₁", YName: "w₂",
			XRange: [2]float64{-1, 6}, YRange: [2]float64{-4, 3}, Height: 440})})
	}
	return nb.Frames(frames, nb.FramesOptions{Name: "θ", Start: 2})
}

// Terms prints what the equations of the paper give at the present state, for a set with classes A, B, …
// slopes returns (26) and (27) of a class.
func (s *EM) Terms(slopes func(phi *mat.Dense, z, w, alpha []float64, b, beta float64) ([]float64, float64)) {
	loglik, objective := s.Objective()
	fmt.Printf("log p(t | W, b) = %.2f nats, log p(t, W, b) = %.2f + const\n", loglik, objective)
	w, z, precisions, b, beta := s.W.RawRowView(0), s.Z.RawRowView(0), s.Alpha.RawRowView(0), s.B[0], s.Beta[0]
	n := floats.MaxIdx(w)
	alpha := precisions[n]
	fmt.Printf("class A: largest weight %.3f with ᾱ = %.4f, bias %.1e with β̄ = %.0f\n", w[n], alpha, b, beta)
	byW, byB := slopes(s.Phi, z, w, precisions, b, beta)
	fmt.Printf("there ∂Q/∂w = %.1e and ∂Q/∂b = %.1e\n", byW[n], byB)
	normal := func(x, a float64) float64 { return math.Sqrt(a/2/math.Pi) * math.Exp(-a*x*x/2) }
	fmt.Printf("p(w | ᾱ) = %.4f, p(b | β̄) = %.1f\n", 2*normal(w[n], alpha), normal(b, beta))
	gamma := distuv.Gamma{Alpha: 1e-5, Beta: 1e-5}
	fmt.Printf("p(ᾱ) = %.1e, p(β̄) = %.1e\n", gamma.Prob(alpha), gamma.Prob(beta))
	y, means := mat.Col(nil, n, s.Y), mat.Col(nil, n, s.Z)
	density := func(n int, square float64) float64 { return -(float64(n)*math.Log(2*math.Pi) + square) / 2 }
	fmt.Printf("sample %d: y = %.2f, z̄ = %.2f, log p(t, z̄ | W, b) = %.2f\n", n, y, means,
		density(len(y), math.Pow(floats.Distance(means, y, 2), 2)))
	fmt.Printf("all samples: log p(Z̄ | W, b) = %.2f\n", density(s.Set.N()*s.Set.C(), s.left()))
	q := math.Pow(mat.Norm(s.Z, 2), 2) - s.left()
	for c, b := range s.B {
		q -= s.Beta[c]*b*b + s.Cost(c)
	}
	fmt.Printf("Q is %.2f nats above its value at W = 0, b = 0\n", q/2)
}
