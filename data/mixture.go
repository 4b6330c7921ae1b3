package data

import (
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
)

// Mixture is a density of D features for C equally frequent classes. The density of each class is a
// mixture of normal distributions. A Mixture yields any number of samples with known posterior
// probabilities and a known Bayes error. It is immutable and safe for concurrent use.
type Mixture struct {
	c, d   int
	clouds []cloud // class 0 first
	each   int     // clouds per class
}

// cloud is a normal density with the same standard deviation in all directions.
type cloud struct {
	centre    []float64
	deviation float64
}

// NewMixture draws a density of c classes and d features. Each class has the given number of equally
// frequent clouds. Their centres are standard normal, and their standard deviations are between 0.5
// and 1.5 times spread. The same seed gives the same density. NewMixture panics unless all numbers
// are positive.
func NewMixture(c, clouds, d int, spread float64, seed uint64) *Mixture {
	if c < 1 || clouds < 1 || d < 1 || !(spread > 0) {
		panic(fmt.Sprintf("data: mixture of %d classes, %d clouds, %d features, spread %v", c, clouds, d, spread))
	}
	random := rand.New(rand.NewPCG(seed, 1))
	m := &Mixture{c: c, d: d, each: clouds, clouds: make([]cloud, c*clouds)}
	for i := range m.clouds {
		centre := make([]float64, d)
		for j := range centre {
			centre[j] = random.NormFloat64()
		}
		m.clouds[i] = cloud{centre, spread * (0.5 + random.Float64())}
	}
	return m
}

// draws returns an endless source of samples: each call writes the D features of the next sample to x and
// returns its label. The same seed gives the same samples. The source is not safe for concurrent use.
func (m *Mixture) draws(seed uint64) func(x []float64) (label int) {
	random := rand.New(rand.NewPCG(seed, 2))
	return func(x []float64) int {
		i := random.IntN(len(m.clouds))
		for j, v := range m.clouds[i].centre {
			x[j] = v + m.clouds[i].deviation*random.NormFloat64()
		}
		return i / m.each
	}
}

// Set returns the first n samples of the mixture.
func (m *Mixture) Set(n int, seed uint64) *Set {
	s := blank("mixture", n, m.c, m.d)
	next := m.draws(seed)
	for i := range n {
		s.T[i] = next(s.X.RawRowView(i))
	}
	return s
}

// posterior writes the posterior probabilities of the C classes at the D features x to dst
// (allocated if nil) and returns it.
func (m *Mixture) posterior(dst, x []float64) []float64 {
	if dst == nil {
		dst = make([]float64, m.c)
	}
	logs := make([]float64, len(m.clouds))
	for i, cloud := range m.clouds {
		distance := floats.Distance(x, cloud.centre, 2) / cloud.deviation
		logs[i] = -distance*distance/2 - float64(m.d)*math.Log(cloud.deviation)
	}
	all := floats.LogSumExp(logs)
	for c := range dst {
		dst[c] = math.Exp(floats.LogSumExp(logs[c*m.each:(c+1)*m.each]) - all)
	}
	return dst
}

// BayesError estimates the Bayes error, a fraction: the mean of 1 − max_c p(c|x) over the given
// number of draws, and its standard error. It panics if draws < 2.
func (m *Mixture) BayesError(draws int, seed uint64) (mean, standardError float64) {
	if draws < 2 {
		panic(fmt.Sprintf("data: Bayes error of %d draws", draws))
	}
	next, x, p, errs := m.draws(seed), make([]float64, m.d), make([]float64, m.c), make([]float64, draws)
	for i := range errs {
		next(x)
		errs[i] = 1 - floats.Max(m.posterior(p, x))
	}
	mean, deviation := stat.MeanStdDev(errs, nil)
	return mean, stat.StdErr(deviation, float64(draws))
}
