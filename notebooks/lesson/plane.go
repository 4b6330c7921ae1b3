package lesson

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/mpcvm"
	nb "github.com/mpcvm/mpcvm/nbhelpers"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// plane draws the samples of a class in the plane of √s and f·q, with the lines q² = s. The x axis
// begins at left. Samples with a finite α are in the model.
func plane(title string, left float64, s, q, f, alpha []float64) nb.Chart {
	out := nb.Series{Name: "outside", NoLine: true, Color: "#9a9a9a"}
	in := nb.Series{Name: "in the model", NoLine: true, Color: "#0072b2"}
	for n := range s {
		to := &out
		if !math.IsInf(alpha[n], 1) {
			to = &in
		}
		to.X, to.Y = append(to.X, math.Sqrt(s[n])), append(to.Y, f[n]*q[n])
	}
	const right = 4
	border := nb.Series{Name: "q² = s", Dashed: true, Color: "#222222"} // two lines
	border.X = []float64{right, left, math.NaN(), left, right}
	border.Y = []float64{right, left, math.NaN(), -left, -right}
	series := []nb.Series{border, out}
	if len(in.X) > 0 {
		series = append(series, in)
	}
	reach := 5 * math.Ceil(max(10, floats.Norm(q, math.Inf(1)))/5)
	return nb.Lines(series, nb.LinesOptions{Title: title, XName: "√s", YName: "f q",
		XRange: [2]float64{left, right}, YRange: [2]float64{-reach, reach}, Height: 400})
}

// PlaneAndCurves links the plane of an empty model to the curves of the gain l(α): pointing at a
// sample shows its curve. best is the precision of the maximum.
func PlaneAndCurves(s, q, f []float64, gain func(alpha, s, q float64) float64,
	best func(s, q float64) float64) nb.FramesBlock {
	height, order := make([]float64, len(s)), make([]int, len(s))
	for n := range s {
		height[n] = -f[n] * q[n] / math.Sqrt(s[n])
	}
	floats.Argsort(height, order) // the highest above the lines first
	var frames []nb.Frame
	for i, n := range order {
		curve := nb.Curve("", LogSpan(0.01, 1e4, 61), func(a float64) float64 { return gain(a, s[n], q[n]) })
		opt := nb.LinesOptions{Title: fmt.Sprintf("s = %.2f, q = %+.2f: best α = %.3g", s[n], q[n],
			best(s[n], q[n])), XName: "α", YName: "l(α) in nats", LogX: true, YRange: [2]float64{-4, 4}, Height: 400}
		if a := best(s[n], q[n]); a > 0.01 && a < 1e4 {
			opt.Marks = []nb.Mark{{X: a, Name: "best"}}
		}
		frames = append(frames, nb.Frame{Label: strconv.Itoa(i + 1), At: [2]float64{math.Sqrt(s[n]), f[n] * q[n]},
			Chart: nb.Lines([]nb.Series{curve}, opt)})
	}
	left := leftOf(s)
	all := plane("Class B, empty model: point at a sample", left, s, q, f, EmptyModel(len(s)))
	return nb.Frames(frames, nb.FramesOptions{Name: "sample", By: &all})
}

// leftOf returns the start of the x axis of a plane, a multiple of ½.
func leftOf(s []float64) float64 { return math.Floor(2*math.Sqrt(floats.Min(s))) / 2 }

// Strengths shows the number of samples that pass the test f q > √s of an empty model against the
// strength κ of the targets. Pointing at a strength shows the plane for it. A guess is drawn as a
// mark. first is the strength at which the first sample passes.
func Strengths(s, q, f []float64, guess float64) (chart nb.FramesBlock, first float64) {
	first = math.Inf(1)
	for n := range s {
		if ratio := math.Sqrt(s[n]) / (f[n] * q[n]); ratio > 0 {
			first = min(first, ratio)
		}
	}
	count := nb.Series{Name: "samples that may enter", X: LogSpan(0.25, 4, 17)}
	var frames []nb.Frame
	for _, kappa := range count.X {
		scaled, pass := make([]float64, len(q)), 0.0
		for n := range q {
			scaled[n] = kappa * q[n]
			if f[n]*scaled[n] > math.Sqrt(s[n]) {
				pass++
			}
		}
		count.Y = append(count.Y, pass)
		frames = append(frames, nb.Frame{Label: fmt.Sprintf("%.2g", kappa), At: [2]float64{kappa, pass},
			Chart: plane(fmt.Sprintf("κ = %.2g: %.0f samples may enter", kappa, pass),
				leftOf(s), s, scaled, f, EmptyModel(len(s)))})
	}
	opt := nb.LinesOptions{Title: "Class B: targets κ times as strong", XName: "κ", YName: "samples", LogX: true,
		Height: 400}
	if !math.IsNaN(guess) {
		opt.Marks = []nb.Mark{{X: guess, Name: "your guess"}}
	}
	curve := nb.Lines([]nb.Series{count}, opt)
	return nb.Frames(frames, nb.FramesOptions{Name: "κ", Start: 8, By: &curve}), first
}

// Growing makes sixty changes to a class with z̄ fixed and shows the plane after some of the
// changes.
func Growing(phi *mat.Dense, z, f []float64,
	factors func(phi *mat.Dense, z, alpha []float64) (s, q []float64),
	change func(s, q, alpha, f []float64, turn int) (n int, a float64)) nb.FramesBlock {
	alpha, in := EmptyModel(len(z)), 0
	var frames []nb.Frame
	for i := range 61 {
		s, q := factors(phi, z, alpha)
		if slices.Contains([]int{0, 1, 2, 3, 4, 6, 10, 60}, i) {
			frames = append(frames, nb.Frame{Label: strconv.Itoa(i),
				Chart: plane(fmt.Sprintf("After %d changes: %d samples in the model", i, in), 0, s, q, f, alpha)})
		}
		n, a := change(s, q, alpha, f, i)
		if n < 0 {
			break
		}
		if math.IsInf(alpha[n], 1) {
			in++
		}
		if alpha[n] = a; math.IsInf(a, 1) {
			in--
		}
	}
	return nb.Frames(frames, nb.FramesOptions{Name: "changes", Start: min(2, len(frames)-1)})
}

// LineFrame shows a model of Line after a step, such as "Epoch 3", by curves through some points.
func LineFrame(step string, points int, model *mpcvm.Model, set *data.Set) nb.Frame {
	opt := nb.ProfileOptions{Title: fmt.Sprintf("%s: %d weights", step, model.WeightCount()), Points: points,
		Range: [2]float64{0, 10}, PotentialRange: [2]float64{-4, 6}}
	return nb.Frame{Label: step[strings.Index(step, " ")+1:], Chart: nb.Profile(model, set, opt)}
}

// OneSide draws the gain of a precision under the one-sided and the two-sided prior, for s = 1 and
// two values of q.
func OneSide(oneSide, twoSides func(alpha, s, q float64) float64) nb.Chart {
	var lines []nb.Series
	for i, q := range []float64{0.5, 1.5} {
		for j, gain := range []func(alpha, s, q float64) float64{oneSide, twoSides} {
			name := fmt.Sprintf("%s, q = %g", []string{"one side", "two sides"}[j], q)
			c := nb.Curve(name, LogSpan(0.01, 1e4, 121), func(a float64) float64 { return gain(a, 1, q) })
			c.Color, c.Dashed = nb.ClassColor(i), j == 1
			lines = append(lines, c)
		}
	}
	return nb.Lines(lines, nb.LinesOptions{Title: "The gain of a precision, s = 1", XName: "α", LogX: true,
		YName: "nats", YRange: [2]float64{-1, 0.8}})
}
