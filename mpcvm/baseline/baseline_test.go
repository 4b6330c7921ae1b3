// Package baseline_test tests that every classifier of the module satisfies the same contract.
package baseline_test

import (
	"context"
	"io"
	"testing"

	"github.com/mpcvm/mpcvm/internal/testkit/contract"
	"github.com/mpcvm/mpcvm/internal/testkit/watch"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/baseline/dlsr"
	"github.com/mpcvm/mpcvm/mpcvm/baseline/mlr"
	"github.com/mpcvm/mpcvm/mpcvm/baseline/mrvm"
	"github.com/mpcvm/mpcvm/mpcvm/baseline/svm"
	"github.com/mpcvm/mpcvm/mpcvm/baseline/vote"
	"github.com/mpcvm/mpcvm/mpcvm/gp"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
	"github.com/mpcvm/mpcvm/mpcvm/search"
)

// usual is the kernel of the systems that use one.
var usual = kernel.RBF{Theta: 0.5}

// withKernel returns the System of a learner that uses a kernel.
func withKernel[M contract.Classifier, L mpcvm.LearnerOf[M]](of func(kernel.Kernel) L) contract.System {
	s := contract.Of[M](of(usual))
	s.WithKernel = func(k kernel.Kernel) contract.System { return contract.Of[M](of(k)) }
	return s
}

// saved adds the model files of a mpcvm.Model and its sign principle.
func saved(s contract.System) contract.System {
	s.SignPrinciple, s.Monotone = true, true
	s.Save = func(c contract.Classifier, w io.Writer) error { return c.(*mpcvm.Model).Save(w) }
	s.Load = func(r io.Reader) (contract.Classifier, error) {
		m, err := mpcvm.Load(r)
		if err != nil {
			return nil, err
		}
		return m, nil
	}
	return s
}

func TestMPCVM(t *testing.T) {
	contract.Test(t, "TopDown", saved(withKernel[*mpcvm.Model](func(k kernel.Kernel) mpcvm.TopDown {
		return mpcvm.TopDown{Kernel: k}
	})))
	contract.Test(t, "BottomUp", saved(withKernel[*mpcvm.Model](func(k kernel.Kernel) mpcvm.BottomUp {
		return mpcvm.BottomUp{Kernel: k}
	})))
	contract.Test(t, "KernelPrior", saved(withKernel[*mpcvm.Model](func(k kernel.Kernel) gp.KernelPrior {
		return gp.KernelPrior{Kernel: k}
	})))
	cut := saved(withKernel[*mpcvm.Model](func(k kernel.Kernel) gp.KernelPrior {
		return gp.KernelPrior{Kernel: k, Keep: 1}
	}))
	cut.RowOrder, cut.ClassOrder = 1e-4, 1e-4 // rounding determines where within Tol of the optimum the fit ends
	contract.Test(t, "KernelPrior cut", cut)
}

// widened is gp.KernelPrior with the kernel of gp.ARD.
type widened struct{ gp.ARD }

func (w widened) Fit(ctx context.Context, s mpcvm.Samples, observers ...mpcvm.Observer) (*mpcvm.Model,
	mpcvm.Result, error) {
	k, result, err := w.ARD.Fit(ctx, s)
	if err != nil {
		return nil, result.Result, err
	}
	return gp.KernelPrior{Kernel: k}.Fit(ctx, s, observers...)
}

// TestHarsh tests combinations of options on difficult data.
func TestHarsh(t *testing.T) {
	watch.SkipUnderRace(t)
	wide := contract.Of[*mpcvm.Model](widened{})
	wide.WithKernel = func(k kernel.Kernel) contract.System {
		switch k.(type) {
		case kernel.RBF, kernel.Laplacian: // ARD refuses the others
			return contract.Of[*mpcvm.Model](widened{gp.ARD{Kernel: k}})
		}
		return contract.Of[*mpcvm.Model](search.Calibrated{Learner: gp.KernelPrior{Kernel: k, Scale: 1e6}})
	}
	contract.Harsh(t, "ARD", saved(wide))
	contract.Harsh(t, "TopDown of candidates", withKernel[*mpcvm.Model](func(k kernel.Kernel) mpcvm.TopDown {
		return mpcvm.TopDown{Kernel: k, Candidates: 9, Float32: true, MaxIterations: 100}
	}))
	contract.Harsh(t, "BottomUp of candidates", withKernel[*mpcvm.Model](func(k kernel.Kernel) mpcvm.BottomUp {
		return mpcvm.BottomUp{Kernel: k, Candidates: 9, MaxIterations: 100}
	}))
	contract.Harsh(t, "KernelPrior of candidates",
		withKernel[*mpcvm.Model](func(k kernel.Kernel) gp.KernelPrior {
			return gp.KernelPrior{Kernel: k, Candidates: 9, Float32: true}
		}))
	contract.Harsh(t, "TopDown as published", withKernel[*mpcvm.Model](func(k kernel.Kernel) mpcvm.TopDown {
		return mpcvm.TopDown{Kernel: k, AsPublished: true, MaxIterations: 30}
	}))
	contract.Harsh(t, "BottomUp as published", withKernel[*mpcvm.Model](func(k kernel.Kernel) mpcvm.BottomUp {
		return mpcvm.BottomUp{Kernel: k, AsPublished: true, MaxIterations: 30}
	}))
	contract.Harsh(t, "BottomUp with all options",
		withKernel[*mpcvm.Model](func(k kernel.Kernel) search.Calibrated {
			l := mpcvm.BottomUp{Bias: true, Float32: true, LikelihoodPower: 1000, MaxIterations: 100}
			return search.Calibrated{Learner: search.Width{Learner: l, Kernel: k}}
		}))
}

func TestMRVM(t *testing.T) {
	up := withKernel[*mrvm.Model](func(k kernel.Kernel) mrvm.BottomUp { return mrvm.BottomUp{Kernel: k} })
	down := withKernel[*mrvm.Model](func(k kernel.Kernel) mrvm.TopDown { return mrvm.TopDown{Kernel: k} })
	up.Monotone, down.Monotone = true, true
	contract.Test(t, "BottomUp", up)
	contract.Test(t, "TopDown", down)
}

func TestVote(t *testing.T) {
	one := withKernel[*vote.Model](func(k kernel.Kernel) vote.OneVsOne {
		return vote.OneVsOne{Base: mpcvm.BottomUp{Kernel: k, MaxIterations: 100}}
	})
	one.Agreement = 0.9 // labels are determined by votes, not probabilities
	one.Slow = true
	contract.Test(t, "OneVsOne", one)
	contract.Test(t, "OneVsRest", withKernel[*vote.Model](func(k kernel.Kernel) vote.OneVsRest {
		return vote.OneVsRest{Base: mpcvm.BottomUp{Kernel: k, MaxIterations: 100}}
	}))
}

func TestSVM(t *testing.T) {
	s := withKernel[*svm.Model](func(k kernel.Kernel) svm.SVM { return svm.SVM{Kernel: k} })
	// The probabilities depend on the folds, and the labels on votes.
	s.RowOrder, s.ClassOrder, s.Agreement = 0.1, 0.1, 0.9
	s.Monotone = true
	contract.Test(t, "SVM", s)
}

func TestLinear(t *testing.T) {
	d := contract.Of(dlsr.DLSR{})
	d.Linear, d.Monotone = true, true
	d.RowOrder, d.ClassOrder = 0.05, 0.05 // the temperature depends on the folds
	contract.Test(t, "DLSR", d)
	m := contract.Of(mlr.MLR{})
	m.Linear, m.Monotone = true, true
	contract.Test(t, "MLR", m)
}
