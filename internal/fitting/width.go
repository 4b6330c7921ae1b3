package fitting

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/internal/args"
	"github.com/mpcvm/mpcvm/internal/moments"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
)

const (
	// Folds is the number of folds of cross-validation within the training data.
	Folds = 5
	// ShortFit is the limit on the iterations of a fit in cross-validation. Labels rarely change
	// after that.
	ShortFit = 100
	// SearchSamples is the number of samples on which a width is chosen if there are more than Many.
	SearchSamples = 4000
	// Many is the number of samples above which learners use candidates by default; at this size N²
	// numbers take 200 MB. Candidates is the default number of candidates.
	Many, Candidates = 5000, 2000
)

// CandidateCount returns the number of candidates among n samples, 0 for all. A learner's option of
// −1 selects all samples; 0 selects all if n ≤ whole, and otherwise Candidates. CandidateCount
// panics if the option, which is called name, is below −1.
func CandidateCount(name string, option, n, whole int) int {
	switch {
	case option == -1:
		return 0
	case option == 0 && n > whole:
		return Candidates
	}
	return args.Option(name, option, 0)
}

// CheckKernel returns an error if k is not valid or is for another number of features. The error
// begins with the package name pkg.
func (d *Data) CheckKernel(pkg string, k kernel.Kernel) error {
	err := kernel.Validate(k)
	if err == nil {
		err = kernel.CheckFeatures(k, d.D)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", pkg, err)
	}
	return nil
}

// KernelWithWidth checks k and returns it with a width. If k has no width, it is set by choose.
// KernelWithWidth returns the errors of choose and of CheckKernel.
func (d *Data) KernelWithWidth(pkg string, k kernel.Kernel,
	choose func(k kernel.Tunable) (theta float64, err error)) (kernel.Kernel, error) {
	if untuned, ok := kernel.Untuned(k); ok {
		theta, err := choose(untuned)
		if err != nil {
			return nil, err
		}
		k = untuned.WithTheta(theta)
	}
	if err := d.CheckKernel(pkg, k); err != nil {
		return nil, err
	}
	return k, nil
}

// MedianKernel checks k and returns it with a width. If k has no width, it is set to the MedianTheta
// of k. MedianKernel returns a *cell.Error if the distances of the samples overflow or vanish.
func (d *Data) MedianKernel(pkg string, k kernel.Kernel) (kernel.Kernel, error) {
	return d.KernelWithWidth(pkg, k, func(k kernel.Tunable) (float64, error) {
		theta := k.MedianTheta(d.X)
		return theta, d.CheckDistances(theta)
	})
}

// Scaling returns the mean and the standard deviation of each feature; for a feature with two values, the
// scale is their difference. It reports whether the scales of the features with more than two values differ
// by more than a factor of ten, without those below 1e-9 of the largest, which may be rounding errors.
func (d *Data) Scaling() (mean, scale []float64, differ bool) {
	var compared []float64
	for j := range d.D {
		x := mat.Col(nil, j, d.X)
		low, high := slices.Min(x), slices.Max(x)
		more := slices.ContainsFunc(x, func(v float64) bool { return v != low && v != high })
		m, s := moments.MeanDeviation(x)
		if more {
			compared = append(compared, s)
		} else if low < high {
			s = min(high-low, math.MaxFloat64)
		}
		mean, scale = append(mean, m), append(scale, s)
	}
	for _, s := range compared {
		largest := slices.Max(compared)
		differ = differ || s < largest/10 && s > largest*1e-9
	}
	return mean, scale, differ
}

// HoldOut divides many samples into a training set and a validation set, which has a fifth of them
// or about 4000, whichever is less, but at least ten samples of each class, or half of a smaller one.
// If that takes more samples of a class than its share, the weights of the validation set restore the class
// frequencies. A sample that is the only one of its class is in the training set. With times, the
// validation set has the latest samples.
func (d *Data) HoldOut(seed uint64) (train, validation *Data) {
	folds := max(Folds, d.N/SearchSamples)
	g := d.Deal(folds, seed)
	held, counts, moved := make([]int, d.C), d.Counts(), false
	for n, fold := range g.Fold {
		if fold == 0 {
			held[d.T[n]]++
		}
	}
	for f := 1; f < folds && !g.Ahead; f++ {
		for n, label := range d.T {
			if g.Fold[n] == f && held[label] < min(classSamples, counts[label]/2) {
				d.moveToFirst(g, n, held, counts)
				moved = true
			}
		}
	}
	in, out := g.Split(0)
	train, validation = d.Part(in), d.Part(out)
	if !moved {
		return train, validation
	}
	if d.Weights == nil {
		validation.Weights = slices.Repeat([]float64{1}, validation.N)
	}
	for n, c := range validation.T {
		validation.Weights[n] *= float64(counts[c]*validation.N) / float64(held[c]*d.N)
	}
	return train, validation
}

// moveToFirst moves the group of sample n to fold 0, in which held counts the samples of each class,
// unless that would leave a class without other samples. counts holds the numbers of all samples.
func (d *Data) moveToFirst(g Dealing, n int, held, counts []int) {
	group := []int{n}
	if d.Groups != nil {
		group = nil
		for m, name := range d.Groups {
			if name == d.Groups[n] && g.Fold[m] == g.Fold[n] {
				group = append(group, m)
			}
		}
	}
	after := slices.Clone(held)
	for _, m := range group {
		after[d.T[m]]++
	}
	for c := range counts {
		if after[c] > held[c] && after[c] >= counts[c] {
			return
		}
	}
	copy(held, after)
	for _, m := range group {
		g.Fold[m] = 0
	}
}

// SearchWidth tries the width start, doubles it until two widths in a row are not better, and then
// halves it from start in the same way. It stays between start/1000 and start·1000.
func SearchWidth(start float64, try func(theta float64) (better bool, err error)) error {
	if _, err := try(start); err != nil {
		return err
	}
	for _, factor := range []float64{2, 0.5} {
		theta := start
		for misses := 0; misses < 2 && theta < start*1e3 && theta > start/1e3; {
			theta *= factor
			better, err := try(theta)
			if err != nil {
				return err
			}
			misses++
			if better {
				misses = 0
			}
		}
	}
	return nil
}

// Keeps are the successive values of gp.KernelPrior.Keep in a reduction, down to the last one that
// search.Auto tries. Each deletes about three weights in ten.
var Keeps = func() (keeps []float64) {
	for k := 2.0; k > 0.06; k /= 2 {
		keeps = append(keeps, k*math.Sqrt2, k)
	}
	return keeps
}()
