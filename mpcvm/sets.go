package mpcvm

import (
	"errors"
	"fmt"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/internal/fitting"
)

// Scores are the conformal scores of a model, which determine its prediction sets. They measure how clearly
// the model prefers the true class on samples that it was not trained on. search.Auto, search.Width and
// search.Calibrated return models with scores, and search.Scores computes them. Scores are saved in model
// files.
//
// There is one list for each class, or a single list for all samples. The score of a sample of class c with
// potentials y is the margin y_c − max_{j≠c} y_j.
//
// Values are in ascending order; of more than 256 scores, whose number is Count, they are a subset.
type Scores []struct {
	Count  int       `json:"count"`
	Values []float64 `json:"values"`
}

// ByClass reports whether each class has its own list. If so, the coverage of prediction sets holds for each
// class, otherwise only for all samples together.
func (s Scores) ByClass() bool { return fitting.Scores(s).ByClass() }

// Thresholds returns, for each class, the smallest score with which the class is in a prediction set of the
// given coverage. A threshold is −Inf if there are too few samples to exclude the class from any set.
// Thresholds panics if the coverage is not between 0 and 1.
func (s Scores) Thresholds(coverage float64, classes int) []float64 {
	return fitting.Scores(s).Thresholds(coverage, classes)
}

// ErrNoScores is returned by PredictSet and SetsOf for a model without scores, such as one loaded from an old
// file.
var ErrNoScores = errors.New("the model has no scores for prediction sets: fit it again with search.Auto, " +
	"search.Width or search.Calibrated")

// WithScores returns a copy of the model that makes prediction sets from the given scores; nil removes them.
// The scores must be computed from the potentials of this model, or of models trained on subsets of its
// training data, on samples that those models did not see. WithScores panics if the scores are invalid or the
// number of lists is neither 1 nor C.
func (m *Model) WithScores(s Scores) *Model {
	if s != nil {
		if err := fitting.Scores(s).Check(m.classes); err != nil {
			panic("mpcvm: " + err.Error())
		}
	}
	scored := *m
	scored.calibration.Scores = fitting.Scores(s)
	return &scored
}

// Scores returns the scores of the model, or nil if it has none; see WithScores. Do not modify them.
func (m *Model) Scores() Scores { return Scores(m.calibration.Scores) }

// PredictSet returns the plausible classes of each of the N samples x in ascending order. The sets are
// constructed so that, for new samples from the distribution of the training samples, a set contains the true
// class with a probability of at least coverage, a number between 0 and 1. The coverage refers to each class
// separately if Scores.ByClass is true, and otherwise to all samples together.
//
// A class c is in the set if its margin y_c − max_{j≠c} y_j is not unusually low compared with the margins of
// held-out samples of class c (cross-conformal prediction, Vovk 2015, DOI 10.1007/s10472-013-9368-4). The
// class with the largest potential is always in the set unless the sample is unlike the training samples (see
// Model.Unlike), so only such a sample can have an empty set. If the accuracy of the model exceeds coverage,
// the sets contain the true class more often than coverage requires. A row whose potentials are NaN gets a
// nil set. The temperature and the floor have no effect.
//
// The margin of x is computed by the final model. This is the jackknife (cross-validation) method of Barber,
// Candès, Ramdas and Tibshirani (2021, DOI 10.1214/20-AOS1965), which has no proven coverage. Their
// jackknife+, which keeps the models of all folds, has a proven coverage of 2·coverage − 1. For the coverage
// measured on eleven data sets, see docs/method.md.
//
// The error is ErrNoScores if the model has no scores. PredictSet panics if x does not have D columns or if
// coverage is not between 0 and 1.
func (m *Model) PredictSet(x mat.Matrix, coverage float64) ([][]int, error) {
	if m.calibration.Scores == nil {
		return nil, fmt.Errorf("mpcvm: %w", ErrNoScores)
	}
	y, unlike := m.PotentialsUnlike(nil, x)
	return m.SetsOf(y, unlike, coverage)
}

// SetsOf is like PredictSet, but takes the potentials y (N×C) that Potentials returns instead of samples.
// unlike has a value for each sample, as returned by PotentialsUnlike; if it is nil, no sample is treated as
// unlike the training samples.
func (m *Model) SetsOf(y *mat.Dense, unlike []bool, coverage float64) ([][]int, error) {
	if m.calibration.Scores == nil {
		return nil, fmt.Errorf("mpcvm: %w", ErrNoScores)
	}
	n, c := y.Dims()
	if c != m.classes || unlike != nil && len(unlike) != n {
		panic(fmt.Sprintf("mpcvm: y is %d×%d, but the model has %d classes, and unlike has %d values", n, c,
			m.classes, len(unlike)))
	}
	thresholds := m.calibration.Scores.Thresholds(coverage, c)
	sets := make([][]int, n)
	for i := range sets {
		row := y.RawRowView(i)
		if fitting.HasNaN(row) {
			continue
		}
		sets[i] = []int{}
		always := -1
		if unlike == nil || !unlike[i] {
			always = floats.MaxIdx(row)
		}
		for c, threshold := range thresholds {
			if c == always || fitting.Margin(row, c) >= threshold {
				sets[i] = append(sets[i], c)
			}
		}
	}
	return sets, nil
}
