package fitting

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/internal/par"
	"github.com/mpcvm/mpcvm/mpcvm/probit"
)

// Calibration turns the potentials y of a model into probabilities, labels and prediction sets. With
// the probabilities q of y/T and the floor f, the probabilities are p_c = f_c + (1 − Σf)·q_c.
type Calibration struct {
	Temperature float64     // T; default 1
	Floor       []float64   // f, the lowest probability of each class; nil for zeros
	Costs       [][]float64 // cost of predicting a class (column) for a true class (row); nil for equal costs
	Scores      Scores      // for prediction sets; nil if not known
}

// farthest bounds the difference d of potentials. A class this far below the highest has a
// probability below the smallest float64: Ψ(−d/√2) < 2^−1074 from d = 55 on.
const farthest = 100

// Proba turns potentials y (N×C) into probabilities. It does not allocate for up to 32 samples.
func (c Calibration) Proba(y *mat.Dense) {
	n, _ := y.Dims()
	T, floor := cmp.Or(c.Temperature, 1), c.Floor
	const grain = 64
	if n <= grain { // avoids allocating closures
		temper(y, T, 0, n)
		probit.Batch{}.Proba(y, y)
		raise(y, floor, 0, n)
		return
	}
	par.For(n, grain, func(lo, hi int) { temper(y, T, lo, hi) })
	probit.Batch{}.Proba(y, y)
	if floor != nil {
		par.For(n, grain, func(lo, hi int) { raise(y, floor, lo, hi) })
	}
}

// temper subtracts the largest potential of each of the rows lo to hi−1, because the probabilities
// depend only on differences, and divides the potentials by the temperature T.
func temper(y *mat.Dense, T float64, lo, hi int) {
	for i := lo; i < hi; i++ {
		row := y.RawRowView(i)
		top := slices.Max(row) // NaN if one is
		for c, v := range row {
			row[c] = max((v-top)/T, -farthest)
		}
	}
}

// raise applies the floor to the probabilities of rows lo to hi−1.
func raise(y *mat.Dense, floor []float64, lo, hi int) {
	rest := max(0, 1-floats.Sum(floor))
	for i := lo; i < hi; i++ {
		row := y.RawRowView(i)
		for k, f := range floor {
			row[k] = f + float64(rest*row[k])
		}
	}
}

// ByProba reports whether labels depend on probabilities. Without a floor and costs, the label is
// the class with the largest potential.
func (c Calibration) ByProba() bool { return c.Floor != nil || c.Costs != nil }

// Label returns the class with the lowest expected cost or, without costs, the largest probability
// in p; label is the class with the largest potential. With a floor, a class replaces an earlier one
// only if its probability exceeds it by more than 1e-9, so that rounding does not matter.
func (c Calibration) Label(label int, p []float64) int {
	if label < 0 || !c.ByProba() {
		return label
	}
	if c.Costs != nil {
		return LeastCost(p, c.Costs)
	}
	label = 0
	for i, v := range p {
		if v > p[label]+1e-9 {
			label = i
		}
	}
	return label
}

// LeastCost returns the class with the lowest expected cost Σ_t p_t·costs[t][class], the first one
// on a tie, or −1 if p contains NaN.
func LeastCost(p []float64, costs [][]float64) int {
	decision, least := -1, math.Inf(1)
	for class := range p {
		expected := 0.0
		for truth, v := range p {
			expected += float64(v * costs[truth][class])
		}
		if expected < least {
			decision, least = class, expected
		}
	}
	return decision
}

const (
	// Spread is the standard deviation of the prior of log T, whose mean is zero.
	Spread = 0.25
	// coldest and hottest bound T.
	coldest, hottest = 0.2, 5
)

// Calibrate returns the calibration for potentials y (N×C) of samples on which the model was not
// trained, with labels t and weights w (nil for ones). mass is the weight of the training samples of
// each class (Data.Mass), and N is their sum. T, from 0.2 to 5, minimises the sum of the log losses
// plus (log T)²/(2·0.25²): the smaller the set, the closer T is to 1. The floor of a class is
// 1/(10N) plus a share λ of its frequency, where λ minimises the log loss. The scores are computed
// by NewScores. Rows with NaN are skipped.
func Calibrate(y *mat.Dense, t []int, w, mass []float64) Calibration {
	y, t, w = checked(y, t, w)
	all := floats.Sum(mass)
	least := 0.1 / all
	c := Calibration{Temperature: 1, Floor: make([]float64, len(mass))}
	share := 0.0
	if len(t) > 0 {
		c.Scores = NewScores(y, t)
		most := 1 - least*float64(len(mass))
		q, frequency, scaled := make([]float64, len(t)), make([]float64, len(t)), mat.DenseCopyOf(y)
		for i, label := range t {
			frequency[i] = mass[label] / all
		}
		tempered := func(logT float64) (loss float64) {
			scaled.Scale(math.Exp(-logT), y)
			probit.Batch{Tol: 1e-7}.LogProb(q, scaled, t) // three times as fast as the default
			for i, v := range q {
				q[i] = math.Exp(v)
				loss -= weight(w, i) * math.Log(least+most*q[i])
			}
			return loss + logT*logT/(2*Spread*Spread)
		}
		logT := golden(math.Log(coldest), math.Log(hottest), tempered)
		c.Temperature = math.Exp(logT)
		tempered(logT)
		share = mix(q, frequency, w, least, most)
	}
	for k, of := range mass {
		c.Floor[k] = least + share*of/all
	}
	return c
}

// Evaluate returns −log p(t_n), in nats, of samples with potentials y (N×C), or NaN if the
// potentials are NaN, and the error rate with weights w (nil for ones).
func (c Calibration) Evaluate(y *mat.Dense, t []int, w []float64) (losses []float64, errorRate float64) {
	p := mat.DenseCopyOf(y)
	c.Proba(p)
	losses = make([]float64, len(t))
	wrong, scored := 0.0, 0.0
	for i, label := range t {
		row := p.RawRowView(i)
		losses[i] = -math.Log(row[label])
		if HasNaN(row) {
			losses[i] = math.NaN()
			continue
		}
		scored += weight(w, i)
		if c.Label(Argmax(y.RawRowView(i)), row) != label {
			wrong += weight(w, i)
		}
	}
	return losses, wrong / max(scored, 1)
}

// mix returns the λ from 0 to most that maximises the concave function
// Σ_n ω_n·log(least + λ·frequency_n + (most − λ)·q_n).
func mix(q, frequency, w []float64, least, most float64) float64 {
	slope := func(share float64) (sum float64) {
		for i, v := range q {
			sum += weight(w, i) * (frequency[i] - v) / (least + share*frequency[i] + (most-share)*v)
		}
		return sum
	}
	lo, hi := 0.0, most
	if slope(lo) <= 0 {
		return lo
	}
	if slope(hi) >= 0 {
		return hi
	}
	for hi-lo > 1e-6 {
		if middle := (lo + hi) / 2; slope(middle) > 0 {
			lo = middle
		} else {
			hi = middle
		}
	}
	return (lo + hi) / 2
}
