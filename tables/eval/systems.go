package eval

import (
	"context"
	"fmt"
	"math"

	"github.com/mpcvm/mpcvm/internal/fitting"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/baseline/mlr"
	"github.com/mpcvm/mpcvm/mpcvm/baseline/mrvm"
	"github.com/mpcvm/mpcvm/mpcvm/baseline/svm"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
	"github.com/mpcvm/mpcvm/mpcvm/search"
)

// Systems returns the systems that are compared by default. (CrossValidate always adds the majority
// baseline.) Each system chooses its parameters from the training rows of a fold:
//
//   - multinomial logistic regression (mlr.MLR), which has no parameters to choose;
//   - a support vector machine with an RBF kernel, whose C and width minimize the error of 5-fold
//     cross-validation (svm.SVM.Tune), with Platt's probabilities;
//   - mRVM₂ with an RBF kernel, whose width minimizes the log loss of 5-fold cross-validation;
//   - mPCVM₁ (mpcvm.TopDown) and mPCVM₂ (mpcvm.BottomUp), with a width chosen in the same way;
//   - search.Auto.
//
// The inner folds depend on seed.
func Systems(seed uint64) []System {
	return []System{
		Of("logistic", mlr.MLR{}),
		Of("SVM", tunedSVM{seed}),
		Of("mRVM₂", tunedMRVM{seed}),
		Of("mPCVM₁", search.Width{Learner: mpcvm.TopDown{Seed: seed}, Seed: seed}),
		Of("mPCVM₂", search.Width{Learner: mpcvm.BottomUp{Seed: seed}, Seed: seed}),
		Of("Auto", search.Auto{Seed: seed}),
	}
}

// tunedSVM is an SVM whose parameters are tuned on its training data.
type tunedSVM struct{ seed uint64 }

// Fit implements mpcvm.LearnerOf.
func (l tunedSVM) Fit(ctx context.Context, s mpcvm.Samples, observers ...mpcvm.Observer) (*svm.Model,
	mpcvm.Result, error) {
	tuned, _, err := svm.SVM{Seed: l.seed}.Tune(ctx, s, svm.Grid{})
	if err != nil {
		return nil, mpcvm.Result{}, err
	}
	return tuned.Fit(ctx, s, observers...)
}

// tunedMRVM is mRVM₂ with an RBF kernel, whose width has the lowest log loss in 5-fold cross-validation.
type tunedMRVM struct{ seed uint64 }

// Fit implements mpcvm.LearnerOf.
func (l tunedMRVM) Fit(ctx context.Context, s mpcvm.Samples, observers ...mpcvm.Observer) (m *mrvm.Model,
	result mpcvm.Result, err error) {
	d, err := fitting.New(fitting.Samples(s))
	if err != nil {
		return m, result, err
	}
	var best kernel.Kernel
	least := math.Inf(1)
	start := kernel.RBF{}.MedianTheta(d.X)
	if err := d.CheckDistances(start); err != nil {
		return m, result, err
	}
	err = fitting.SearchWidth(start, func(theta float64) (better bool, err error) {
		k := kernel.RBF{Theta: theta}
		y, err := d.Unseen(ctx, fitting.Folds, l.seed, func(_ int, in *fitting.Data) (fitting.Predictor, error) {
			m, _, err := mrvm.TopDown{Kernel: k}.Fit(ctx, mpcvm.Samples{X: in.X, T: in.T})
			return m, err
		})
		if err != nil {
			return false, err
		}
		loss, _ := fitting.Evaluate(y, d.T, nil)
		if better = loss < least; better {
			best, least = k, loss
		}
		return better, nil
	})
	if err != nil {
		return m, result, err
	}
	if best == nil {
		return m, result, fmt.Errorf("eval: no kernel width gives a finite log loss")
	}
	return mrvm.TopDown{Kernel: best}.Fit(ctx, s, observers...)
}

// Chosen returns a system with the setting that a fit of l has chosen: the setting chosen by search.Auto or
// the kernel chosen by search.Width. Any other learner is used unchanged. Cross-validating the system costs
// five fits instead of five searches.
//
// The setting was chosen from all rows, including the held-out ones, so the scores are slightly optimistic
// even though CrossValidate uses other folds than the search. For an unbiased estimate, repeat the search
// in every fold: use CrossValidate with Of(name, l). The table compares both ("honest" repeats the search)
// for search.Auto with 5 folds; the values are means over seeds:
//
//	                            error (%)         log loss (nats)
//	               seeds    Chosen  honest       Chosen  honest
//	noise            100      48.8    50.9        0.707   0.721
//	Iris              20       3.9     4.4        0.091   0.117
//	Wine              12       1.7     2.3        0.064   0.071
//	Glass             10      22.0    20.9        0.652   0.647
//
// Noise has 100 rows with five normal features and labels that do not depend on them, so its true error is
// 50 %. Repeat the search where a difference of this size matters.
func Chosen(name string, l mpcvm.Learner, result mpcvm.Result) System {
	s := Of(name, l)
	if refit := search.Chosen(result); refit != nil {
		s = Of(name, refit)
	}
	s.constant = result.Status == mpcvm.Collapsed
	return s
}
