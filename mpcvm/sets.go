package mpcvm

import (
	"errors"
	"fmt"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/internal/fitting"
)

// Scores are the conformal scores of a model, of which it makes prediction sets: how well the true
// class fitted samples that the model did not see. search.Scores makes them. search.Auto gives them
// to its models, and so do search.Width and search.Calibrated. A model file has them.
//
// There is one list for each class, or one list of all samples. The score of a sample of class c with
// potentials y is the margin y_c − max_{j≠c} y_j.
type Scores []ScoreList

// ScoreList are the scores of a number of samples of one class, or of all, ascending. A list of more
// than 256 samples is thinned.
type ScoreList = struct {
	Count  int       `json:"count"`
	Values []float64 `json:"values"`
}

// ByClass reports whether each class has a list of its own, so that each class is covered with the
// probability that is asked for.
func (s Scores) ByClass() bool { return fitting.Scores(s).ByClass() }

// Thresholds returns the smallest score with which each of the classes is in a set of a coverage. It is
// −Inf if there are too few samples to leave the class out of any set. It panics if the coverage is not
// between 0 and 1.
func (s Scores) Thresholds(coverage float64, classes int) []float64 {
	return fitting.Scores(s).Thresholds(coverage, classes)
}

// ErrNoScores is the error of PredictSet for a model without scores, such as a model from an old file.
var ErrNoScores = errors.New("the model has no scores for prediction sets: fit it again by search.Auto, " +
	"search.Width or search.Calibrated")

// WithScores returns a copy of the model that makes prediction sets from these scores; nil removes them.
// The scores must come from potentials of this model, or of models trained on subsets of its training data,
// at samples that those models did not see. WithScores panics if the scores are not for C classes.
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

// Scores returns the scores of the model, or nil if it has none; see WithScores. They must not be changed.
func (m *Model) Scores() Scores { return Scores(m.calibration.Scores) }

// PredictSet returns the plausible classes of each of the N samples x, ascending. For any distribution of the
// samples, if new samples follow it like the training samples, a set contains the true class with a
// probability of at least coverage, a number between 0 and 1. With Scores.ByClass this holds for the samples
// of each class, otherwise for all samples together.
//
// A class c is in the set if its margin y_c − max_{j≠c} y_j is not below the margins of all but a few of
// the samples of class c that the model did not see: cross-conformal prediction (Vovk 2015, DOI
// 10.1007/s10472-013-9368-4). The class with the largest potential is always in the set, so a set is empty
// only if the sample is unlike the training samples (see Model.Unlike) and no margin suffices. If the model
// is right more often than coverage, so are its sets. A row whose potentials are NaN gets a nil set. The
// temperature and the floor have no effect.
//
// The margin of x is computed by the whole model. This is the jackknife (cross-validation) method of Barber,
// Candès, Ramdas and Tibshirani (2021, DOI 10.1214/20-AOS1965), which has no proven coverage. Their
// jackknife+, which keeps the models of all folds, provably covers with a probability of 2·coverage − 1.
// For the coverage measured on eleven data sets, see docs/method.md.
//
// The error is ErrNoScores. PredictSet panics if x does not have D columns or coverage is not between 0 and
// 1.
func (m *Model) PredictSet(x mat.Matrix, coverage float64) ([][]int, error) {
	if m.calibration.Scores == nil {
		return nil, fmt.Errorf("mpcvm: %w", ErrNoScores)
	}
	y, unlike := m.PotentialsUnlike(nil, x)
	return m.SetsOf(y, unlike, coverage)
}

// SetsOf returns the sets of PredictSet for potentials y (N×C) of this model. unlike has a value for each
// sample, as PotentialsUnlike returns it; if it is nil, no sample is treated as unlike the training
// samples.
func (m *Model) SetsOf(y *mat.Dense, unlike []bool, coverage float64) ([][]int, error) {
	if m.calibration.Scores == nil {
		return nil, fmt.Errorf("mpcvm: %w", ErrNoScores)
	}
	n, c := y.Dims()
	if c != m.classes {
		panic(fmt.Sprintf("mpcvm: potentials of %d classes for a model of %d", c, m.classes))
	}
	least := m.calibration.Scores.Thresholds(coverage, c)
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
		for c, score := range least {
			if c == always || fitting.Margin(row, c) >= score {
				sets[i] = append(sets[i], c)
			}
		}
	}
	return sets, nil
}
