// Package systems provides the systems that a study can compare, by name.
package systems

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/experiments/study"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/baseline/dlsr"
	"github.com/mpcvm/mpcvm/mpcvm/baseline/mlr"
	"github.com/mpcvm/mpcvm/mpcvm/baseline/mrvm"
	"github.com/mpcvm/mpcvm/mpcvm/baseline/svm"
	"github.com/mpcvm/mpcvm/mpcvm/baseline/vote"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
	"github.com/mpcvm/mpcvm/mpcvm/search"
)

// Grids of parameters other than theta.
var (
	svmC       = ownGrid{1, []float64{0.5, 2, 8, 32, 128}}
	dlsrLambda = ownGrid{1, []float64{0.01, 0.1, 1, 10, 100}}
	mlrLambda  = ownGrid{1, []float64{1}} // not tuned in the paper
)

// ownGrid is the grid of a parameter and its value without tuning.
type ownGrid struct {
	usual float64
	grid  []float64
}

func (g ownGrid) values(tune bool) []float64 {
	if !tune {
		return []float64{g.usual}
	}
	return g.grid
}

// contestant is a system of a study.
type contestant struct {
	name, about string
	usual       bool // included in a study by default
	// system returns the system, given the widths of the kernel and whether its own parameters are
	// tuned.
	system func(thetas []float64, tune bool) study.System
}

var contestants = []contestant{
	{"mpcvm1", "mPCVM₁, top down", true,
		onKernel(func(k kernel.Kernel, seed uint64) mpcvm.LearnerOf[*mpcvm.Model] {
			return mpcvm.TopDown{Kernel: k, Seed: seed}
		})},
	{"mpcvm2", "mPCVM₂, bottom up", true,
		onKernel(func(k kernel.Kernel, seed uint64) mpcvm.LearnerOf[*mpcvm.Model] {
			return mpcvm.BottomUp{Kernel: k, Seed: seed}
		})},
	{"mrvm1", "mRVM₁, bottom up", true, onKernel(func(k kernel.Kernel, _ uint64) mpcvm.LearnerOf[*mrvm.Model] {
		return mrvm.BottomUp{Kernel: k}
	})},
	{"mrvm2", "mRVM₂, top down", true, onKernel(func(k kernel.Kernel, _ uint64) mpcvm.LearnerOf[*mrvm.Model] {
		return mrvm.TopDown{Kernel: k}
	})},
	{"svm", "C-SVC, one against one, C tuned as well", true, svmSystem},
	{"mlr", "softmax regression", true, func(_ []float64, tune bool) study.System {
		return linear(mlrLambda, tune, func(lambda float64, _ uint64) mpcvm.LearnerOf[*mlr.Model] {
			return mlr.MLR{Lambda: lambda}
		})
	}},
	{"dlsr", "discriminative least squares regression, its λ tuned", true,
		func(_ []float64, tune bool) study.System {
			s := linear(dlsrLambda, tune, func(lambda float64, seed uint64) mpcvm.LearnerOf[*dlsr.Model] {
				return dlsr.DLSR{Lambda: lambda, Seed: seed}
			})
			s.Fit = byScores(s.Fit)
			return s
		}},
	{"ovo", "one-vs-one over the binary mPCVM₂", false,
		onKernel(func(k kernel.Kernel, seed uint64) mpcvm.LearnerOf[*vote.Model] {
			return vote.OneVsOne{Base: mpcvm.BottomUp{Kernel: k, Seed: seed}}
		})},
	{"ovr", "one-vs-rest over the binary mPCVM₂", false,
		onKernel(func(k kernel.Kernel, seed uint64) mpcvm.LearnerOf[*vote.Model] {
			return vote.OneVsRest{Base: mpcvm.BottomUp{Kernel: k, Seed: seed}}
		})},
	{"mrvm1+near", "mRVM₁ with an initial Z̄ of 5 for any number of classes", false,
		onKernel(func(k kernel.Kernel, _ uint64) mpcvm.LearnerOf[*mrvm.Model] {
			return mrvm.BottomUp{Kernel: k, Start: 5}
		})},
	{"mpcvm1+cv", "mPCVM₁ with Theta chosen within each training set", false,
		fixed(func(_ int, seed uint64) mpcvm.LearnerOf[*mpcvm.Model] {
			return search.Width{Learner: mpcvm.TopDown{Seed: seed}, Seed: seed}
		})},
	{"mpcvm1+laplace", "mPCVM₁ with the Laplacian kernel", false,
		onLaplacian(func(k kernel.Kernel, seed uint64) mpcvm.LearnerOf[*mpcvm.Model] {
			return mpcvm.TopDown{Kernel: k, Seed: seed}
		})},
	{"mpcvm2+cv", "mPCVM₂ with Theta chosen within each training set", false,
		fixed(func(_ int, seed uint64) mpcvm.LearnerOf[*mpcvm.Model] {
			return search.Width{Learner: mpcvm.BottomUp{Seed: seed}, Seed: seed}
		})},
	{"mpcvm2+bias", "mPCVM₂ with biases", false,
		onKernel(func(k kernel.Kernel, seed uint64) mpcvm.LearnerOf[*mpcvm.Model] {
			return mpcvm.BottomUp{Kernel: k, Bias: true, Seed: seed}
		})},
	{"mpcvm2+laplace", "mPCVM₂ with the Laplacian kernel", false,
		onLaplacian(func(k kernel.Kernel, seed uint64) mpcvm.LearnerOf[*mpcvm.Model] {
			return mpcvm.BottomUp{Kernel: k, Seed: seed}
		})},
	{"svm+default", "C-SVC with LIBSVM's defaults, C = 1 and Theta = 1/D", false,
		fixed(func(d int, seed uint64) mpcvm.LearnerOf[*svm.Model] {
			return svm.SVM{Kernel: kernel.RBF{Theta: 1 / float64(d)}, C: 1, Seed: seed}
		})},
	{"svm+linear", "C-SVC with the linear kernel and C = 1", false,
		fixed(func(_ int, seed uint64) mpcvm.LearnerOf[*svm.Model] {
			return svm.SVM{Kernel: kernel.Linear{}, C: 1, Seed: seed}
		})},
	{"mlr+free", "softmax regression with almost no penalty", false,
		fixed(func(int, uint64) mpcvm.LearnerOf[*mlr.Model] {
			return mlr.MLR{Lambda: 1e-6}
		})},
	{"dlsr+linear", "least squares regression on 0 and 1, the starting point of DLSR", false,
		fixed(func(_ int, seed uint64) mpcvm.LearnerOf[*dlsr.Model] {
			return dlsr.DLSR{MaxIterations: 1, Seed: seed}
		})},
	{"auto", "learner, kernel and temperature chosen within each training set", false,
		fixed(func(_ int, seed uint64) mpcvm.LearnerOf[*mpcvm.Model] {
			return search.Auto{Seed: seed}
		})},
	{"auto+accuracy", "auto: the lowest log loss for any number of weights", false,
		fixed(func(_ int, seed uint64) mpcvm.LearnerOf[*mpcvm.Model] {
			return search.Auto{Prefer: search.Accuracy, Seed: seed}
		})},
	{"auto+sparsity", "auto: the smallest model within two standard errors", false,
		fixed(func(_ int, seed uint64) mpcvm.LearnerOf[*mpcvm.Model] {
			return search.Auto{Prefer: search.Sparsity, Seed: seed}
		})},
}

// Names returns the names of all contestants, or of the default ones.
func Names(all bool) []string {
	var names []string
	for _, c := range contestants {
		if all || c.usual {
			names = append(names, c.name)
		}
	}
	return names
}

// Choose returns the systems of a comma-separated list, with a grid of the given widths. If tune is
// true, other parameters also have grids.
func Choose(list string, thetas []float64, tune bool) ([]study.System, error) {
	var systems []study.System
	for name := range strings.SplitSeq(list, ",") {
		i := slices.IndexFunc(contestants, func(c contestant) bool { return c.name == strings.TrimSpace(name) })
		if i < 0 {
			return nil, fmt.Errorf("--systems: unknown system %q; known systems: %s", name,
				strings.Join(Names(true), ", "))
		}
		s := contestants[i].system(thetas, tune)
		s.Name = contestants[i].name
		systems = append(systems, s)
	}
	return systems, nil
}

// noted is a classifier with the status of its fit, if it has not converged, and the kernel that the
// fit chose.
type noted struct {
	study.Classifier
	note string
}

// Note implements study.Noter.
func (n noted) Note() string { return n.note }

// scored is a noted classifier with scores for the AUC.
type scored struct {
	noted
	study.Scorer
}

// fitter returns the fit of a system from a learner with parameters.
func fitter[M study.Classifier](with func(p study.Params, seed uint64) mpcvm.LearnerOf[M]) study.FitFunc {
	return func(ctx context.Context, p study.Params, x mat.Matrix, t []int, seed uint64) (study.Classifier,
		error) {
		m, result, err := with(p, seed).Fit(ctx, mpcvm.Samples{X: x, T: t})
		if err != nil {
			return nil, err
		}
		n := noted{Classifier: m}
		if result.Status != mpcvm.Converged {
			n.note = result.Status.String()
		}
		if k, ok := any(m).(interface{ Kernel() kernel.Kernel }); ok && result.Trials != nil {
			n.note = strings.TrimPrefix(n.note+"; chose "+k.Kernel().String(), "; ")
		}
		return n, nil
	}
}

// byScores returns a fit whose AUC is computed from the classifier's scores, for a system without a
// probability model.
func byScores(fit study.FitFunc) study.FitFunc {
	return func(ctx context.Context, p study.Params, x mat.Matrix, t []int, seed uint64) (study.Classifier,
		error) {
		c, err := fit(ctx, p, x, t, seed)
		if err != nil {
			return nil, err
		}
		n := c.(noted)
		return scored{n, n.Classifier.(study.Scorer)}, nil
	}
}

// onKernel returns a system with an RBF kernel, whose only parameter is theta.
func onKernel[M study.Classifier](with func(k kernel.Kernel, seed uint64) mpcvm.LearnerOf[M]) func([]float64,
	bool) study.System {
	return onTunable(kernel.RBF{}, with)
}

// onLaplacian is onKernel for the Laplacian kernel, with the thetas of the RBF.
func onLaplacian[M study.Classifier](with func(k kernel.Kernel, seed uint64) mpcvm.LearnerOf[M]) func(
	[]float64, bool) study.System {
	return onTunable(kernel.Laplacian{}, with)
}

func onTunable[M study.Classifier](k kernel.Tunable,
	with func(k kernel.Kernel, seed uint64) mpcvm.LearnerOf[M]) func([]float64, bool) study.System {
	return func(thetas []float64, _ bool) study.System {
		s := study.System{Fit: fitter(func(p study.Params, seed uint64) mpcvm.LearnerOf[M] {
			return with(k.WithTheta(p["theta"]), seed)
		})}
		for _, theta := range thetas {
			s.Grid = append(s.Grid, study.Params{"theta": theta})
		}
		return s
	}
}

// fixed returns a system without parameters. Its learner may depend on the number of features.
func fixed[M study.Classifier](with func(features int, seed uint64) mpcvm.LearnerOf[M]) func([]float64,
	bool) study.System {
	return func([]float64, bool) study.System {
		return study.System{Fit: func(ctx context.Context, p study.Params, x mat.Matrix, t []int,
			seed uint64) (study.Classifier, error) {
			_, d := x.Dims()
			return fitter(func(study.Params, uint64) mpcvm.LearnerOf[M] { return with(d, seed) })(ctx, p, x, t, seed)
		}}
	}
}

// linear returns a system with one parameter of its own, lambda.
func linear[M study.Classifier](lambdas ownGrid, tune bool, with func(lambda float64,
	seed uint64) mpcvm.LearnerOf[M]) study.System {
	s := study.System{Fit: fitter(func(p study.Params, seed uint64) mpcvm.LearnerOf[M] {
		return with(p["lambda"],
			seed)
	})}
	for _, v := range lambdas.values(tune) {
		s.Grid = append(s.Grid, study.Params{"lambda": v})
	}
	return s
}

func svmSystem(thetas []float64, tune bool) study.System {
	with := func(labels bool) study.FitFunc {
		return fitter(func(p study.Params, seed uint64) mpcvm.LearnerOf[*svm.Model] {
			return svm.SVM{Kernel: kernel.RBF{Theta: p["theta"]}, C: p["C"], Seed: seed, NoProbability: labels}
		})
	}
	s := study.System{Fit: with(false), Labels: with(true)}
	for _, theta := range thetas {
		for _, c := range svmC.values(tune) {
			s.Grid = append(s.Grid, study.Params{"theta": theta, "C": c})
		}
	}
	return s
}
