package data

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// The seeds of the embedded sets "overlap" and "overclass". OverlapSeed was chosen to give a sample
// as hard for linear classifiers as the paper's: the Bayes classifier has an error of 12 % and least
// squares an error of 43 %. Over many seeds the means are 9.1 % and 38.5 %.
const (
	OverlapSeed   = 2182
	OverclassSeed = 1
)

// blob is a cloud of n normal points around (x, y) with the covariance ((xx, xy), (xy, yy)).
type blob struct {
	class      string
	n          int
	x, y       float64
	xx, xy, yy float64
}

// The paper describes its two synthetic sets only in words. These parameters were chosen to match
// the description.
var (
	// Blue reaches between two red groups and behind a third.
	overlapBlobs = []blob{
		{"blue", 30, 0, 0, .50, 0, .50},
		{"blue", 12, -1.8, 0, .30, 0, .04},
		{"blue", 18, 0, 1.6, .16, 0, .40},
		{"red", 25, -1.9, 1.0, .40, 0, .20},
		{"red", 25, -1.9, -1.0, .40, 0, .20},
		{"red", 25, 1.5, 1.3, .40, 0, .40},
		{"black", 65, 1.5, -1.2, 1.0, .60, .60},
	}

	overclassBlobs = []blob{
		{"01-gray", 28, -3.0, 1.6, .42, .10, .42},
		{"02-blue", 18, -3.0, -1.9, .36, -.08, .30},
		{"03-green", 15, 0.2, 2.6, .36, 0, .16},
		{"04-orange", 14, 3.0, 2.4, .25, .08, .25},
		{"05-crimson", 13, 3.4, -0.6, .25, 0, .30},
		{"06-brown", 5, -1.0, 1.0, .03, 0, .12},
		{"07-purple", 12, 0.6, 0.6, .16, .03, .16},
		{"08-teal", 10, -0.6, -1.6, .16, 0, .16},
		{"09-olive", 9, 1.4, -2.4, .16, .04, .12},
		{"10-pink", 3, 3.2, -2.1, .02, 0, .02},
	}
)

// overclassRadius is the largest Mahalanobis distance of a point in Overclass. Points beyond it are
// redrawn, which keeps the ten classes separate.
const overclassRadius = 1.8

// Overlap draws 200 points of three overlapping classes in the plane (blue 60, red 75, black 65),
// which are not linearly separable.
func Overlap(seed uint64) *Set { return OverlapSpread(seed, 1) }

// OverlapSpread is Overlap with the standard deviations of all clouds multiplied by spread. The
// centres are unchanged, so the overlap grows with spread.
func OverlapSpread(seed uint64, spread float64) *Set {
	return drawBlobs("overlap", overlapBlobs, spread, math.Inf(1), seed)
}

// OverlapPosterior writes the posterior probabilities of black, blue and red at (x, y), under the
// densities that OverlapSpread draws from, to dst (allocated if nil) and returns it. The Bayes
// classifier chooses the largest.
func OverlapPosterior(dst []float64, x, y, spread float64) []float64 {
	classes := []string{"black", "blue", "red"}
	if dst == nil {
		dst = make([]float64, len(classes))
	}
	logs, largest := make([]float64, len(overlapBlobs)), math.Inf(-1)
	for i, b := range overlapBlobs {
		dx, dy := x-b.x, y-b.y
		det := b.xx*b.yy - b.xy*b.xy
		distance := (b.yy*dx*dx - 2*b.xy*dx*dy + b.xx*dy*dy) / det / (spread * spread)
		logs[i] = math.Log(float64(b.n)/math.Sqrt(det)) - distance/2
		largest = max(largest, logs[i])
	}
	clear(dst)
	for i, b := range overlapBlobs {
		dst[slices.Index(classes, b.class)] += math.Exp(logs[i] - largest)
	}
	floats.Scale(1/floats.Sum(dst), dst)
	return dst
}

// Overclass draws 127 points of ten well separated classes in the plane, with very unequal sizes:
// from 28 points (gray) down to 5 (brown) and 3 (pink).
func Overclass(seed uint64) *Set {
	return drawBlobs("overclass", overclassBlobs, 1, overclassRadius, seed)
}

// drawBlobs draws the blobs one after another, with deviations multiplied by spread and coordinates
// rounded to four decimals. The conversions round each product, so that the result is the same on
// every machine.
func drawBlobs(name string, blobs []blob, spread, radius float64, seed uint64) *Set {
	random := rand.New(rand.NewPCG(seed, 0))
	var values []float64
	var names []string // of the classes
	for _, b := range blobs {
		// Cholesky factor of the covariance.
		l11 := math.Sqrt(b.xx)
		l21 := b.xy / l11
		l22 := math.Sqrt(b.yy - float64(l21*l21))
		for range b.n {
			u, v := random.NormFloat64(), random.NormFloat64()
			for float64(u*u)+float64(v*v) > radius*radius {
				u, v = random.NormFloat64(), random.NormFloat64()
			}
			values = append(values,
				fourDecimals(b.x+float64(spread*float64(l11*u))),
				fourDecimals(b.y+float64(spread*float64(l21*u))+float64(spread*float64(l22*v))))
			names = append(names, b.class)
		}
	}
	labels, classes := Labels(names)
	return &Set{
		Name:     name,
		X:        mat.NewDense(len(labels), 2, values),
		T:        labels,
		Classes:  classes,
		Features: []string{"x", "y"},
	}
}

func fourDecimals(v float64) float64 { return math.Round(v*1e4) / 1e4 }

// Blobs draws n samples of c classes with d features. Sample i belongs to class i mod c. Its
// features are normal with standard deviation spread and mean 2·class for the first feature and 0
// for the others. The Bayes error is 2(c−1)/c·Ψ(−1/spread).
func Blobs(n, c, d int, spread float64, seed uint64) *Set {
	s := normal("blobs", n, c, d, spread, seed)
	for i, t := range s.T {
		s.X.Set(i, 0, s.X.At(i, 0)+2*float64(t))
	}
	return s
}

// Spirals draws n samples of c interleaved spiral arms in the plane, one turn each, of radius ¼ to
// 1, with normal noise of the given standard deviation. Without noise the classes do not overlap.
func Spirals(n, c int, noise float64, seed uint64) *Set {
	random := rand.New(rand.NewPCG(seed, 0))
	s := blank("spirals", n, c, 2)
	for i := range n {
		along := random.Float64()
		sin, cos := math.Sincos(2 * math.Pi * (along + float64(s.T[i])/float64(c)))
		radius := 0.25 + 0.75*along
		s.X.Set(i, 0, radius*cos+noise*random.NormFloat64())
		s.X.Set(i, 1, radius*sin+noise*random.NormFloat64())
	}
	return s
}

// Noise draws n samples of c classes whose d features are standard normal and do not depend on the
// class. The expected error of any classifier is 1 − 1/c.
func Noise(n, c, d int, seed uint64) *Set { return normal("noise", n, c, d, 1, seed) }

// normal returns a set like blank with normal features of mean 0.
func normal(name string, n, c, d int, deviation float64, seed uint64) *Set {
	random := rand.New(rand.NewPCG(seed, 0))
	s := blank(name, n, c, d)
	s.X.Apply(func(_, _ int, _ float64) float64 { return deviation * random.NormFloat64() }, s.X)
	return s
}

// blank returns a set of zeros in which sample i has class i mod c. Names are padded so that they
// sort as numbers.
func blank(name string, n, c, d int) *Set {
	if c < 1 || n < c || d < 1 {
		panic(fmt.Sprintf("data: %s: %d samples of %d classes and %d features", name, n, c, d))
	}
	s := &Set{Name: name, X: mat.NewDense(n, d, nil), T: make([]int, n)}
	for i := range s.T {
		s.T[i] = i % c
	}
	s.Classes, s.Features = numbered("c", c), numbered("x", d)
	return s
}

func numbered(prefix string, n int) []string {
	width := len(fmt.Sprint(n - 1))
	names := make([]string, n)
	for i := range names {
		names[i] = fmt.Sprintf("%s%0*d", prefix, width, i)
	}
	return names
}
