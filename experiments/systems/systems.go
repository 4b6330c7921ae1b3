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

// contestant is a system of a study.
type contestant struct {
	name, about string
	kind        kind
	fit         study.FitFunc
}

// kind is the grid of a contestant.
type kind int

const (
	fixed   kind = iota // no parameters
	widths              // theta, the width of a kernel
	penalty             // lambda
	both                // theta and C
)

// usual is the number of contestants that a study includes by default.
const usual = 7

var contestants = []contestant{
	{"mpcvm1", "mPCVM₁, top down", widths, fitter(func(s setting) mpcvm.Learner {
		return mpcvm.TopDown{Kernel: s.rbf(), Seed: s.seed}
	})},
	{"mpcvm2", "mPCVM₂, bottom up", widths, fitter(func(s setting) mpcvm.Learner {
		return mpcvm.BottomUp{Kernel: s.rbf(), Seed: s.seed}
	})},
	{"mrvm1", "mRVM₁, bottom up", widths, fitter(func(s setting) mpcvm.LearnerOf[*mrvm.Model] {
		return mrvm.BottomUp{Kernel: s.rbf()}
	})},
	{"mrvm2", "mRVM₂, top down", widths, fitter(func(s setting) mpcvm.LearnerOf[*mrvm.Model] {
		return mrvm.TopDown{Kernel: s.rbf()}
	})},
	{"svm", "C-SVC, one against one, C tuned as well", both, svmFit(false)},
	{"mlr", "softmax regression", penalty, fitter(func(s setting) mpcvm.LearnerOf[*mlr.Model] {
		return mlr.MLR{Lambda: s.params["lambda"]}
	})},
	{"dlsr", "discriminative least squares regression, its λ tuned", penalty,
		byScores(fitter(func(s setting) mpcvm.LearnerOf[*dlsr.Model] {
			return dlsr.DLSR{Lambda: s.params["lambda"], Seed: s.seed}
		}))},
	{"ovo", "one-vs-one over the binary mPCVM₂", widths, fitter(func(s setting) mpcvm.LearnerOf[*vote.Model] {
		return vote.OneVsOne{Base: mpcvm.BottomUp{Kernel: s.rbf(), Seed: s.seed}}
	})},
	{"ovr", "one-vs-rest over the binary mPCVM₂", widths, fitter(func(s setting) mpcvm.LearnerOf[*vote.Model] {
		return vote.OneVsRest{Base: mpcvm.BottomUp{Kernel: s.rbf(), Seed: s.seed}}
	})},
	{"mrvm1+near", "mRVM₁ with an initial Z̄ of 5 for any number of classes", widths,
		fitter(func(s setting) mpcvm.LearnerOf[*mrvm.Model] {
			return mrvm.BottomUp{Kernel: s.rbf(), Start: 5}
		})},
	{"mpcvm1+cv", "mPCVM₁ with Theta chosen within each training set", fixed,
		fitter(func(s setting) mpcvm.Learner {
			return search.Width{Learner: mpcvm.TopDown{Seed: s.seed}, Seed: s.seed}
		})},
	{"mpcvm1+laplace", "mPCVM₁ with the Laplacian kernel", widths, fitter(func(s setting) mpcvm.Learner {
		return mpcvm.TopDown{Kernel: s.laplacian(), Seed: s.seed}
	})},
	{"mpcvm2+cv", "mPCVM₂ with Theta chosen within each training set", fixed,
		fitter(func(s setting) mpcvm.Learner {
			return search.Width{Learner: mpcvm.BottomUp{Seed: s.seed}, Seed: s.seed}
		})},
	{"mpcvm2+bias", "mPCVM₂ with biases", widths, fitter(func(s setting) mpcvm.Learner {
		return mpcvm.BottomUp{Kernel: s.rbf(), Bias: true, Seed: s.seed}
	})},
	{"mpcvm2+laplace", "mPCVM₂ with the Laplacian kernel", widths, fitter(func(s setting) mpcvm.Learner {
		return mpcvm.BottomUp{Kernel: s.laplacian(), Seed: s.seed}
	})},
	{"svm+default", "C-SVC with LIBSVM's defaults, C = 1 and Theta = 1/D", fixed,
		fitter(func(s setting) mpcvm.LearnerOf[*svm.Model] {
			return svm.SVM{Kernel: kernel.RBF{Theta: 1 / float64(s.features)}, C: 1, Seed: s.seed}
		})},
	{"svm+linear", "C-SVC with the linear kernel and C = 1", fixed,
		fitter(func(s setting) mpcvm.LearnerOf[*svm.Model] {
			return svm.SVM{Kernel: kernel.Linear{}, C: 1, Seed: s.seed}
		})},
	{"mlr+free", "softmax regression with almost no penalty", fixed,
		fitter(func(setting) mpcvm.LearnerOf[*mlr.Model] { return mlr.MLR{Lambda: 1e-6} })},
	{"dlsr+linear", "least squares regression on 0 and 1, the starting point of DLSR", fixed,
		fitter(func(s setting) mpcvm.LearnerOf[*dlsr.Model] {
			return dlsr.DLSR{MaxIterations: 1, Seed: s.seed}
		})},
	{"auto", "learner, kernel and temperature chosen within each training set", fixed,
		fitter(func(s setting) mpcvm.Learner { return search.Auto{Seed: s.seed} })},
	{"auto+accuracy", "auto: the lowest log loss for any number of weights", fixed,
		fitter(func(s setting) mpcvm.Learner { return search.Auto{Prefer: search.Accuracy, Seed: s.seed} })},
	{"auto+sparsity", "auto: the smallest model within two standard errors", fixed,
		fitter(func(s setting) mpcvm.Learner { return search.Auto{Prefer: search.Sparsity, Seed: s.seed} })},
}

// svmFit returns the fit of an SVM, with or without probabilities.
func svmFit(labelsOnly bool) study.FitFunc {
	return fitter(func(s setting) mpcvm.LearnerOf[*svm.Model] {
		return svm.SVM{Kernel: s.rbf(), C: s.params["C"], Seed: s.seed, NoProbability: labelsOnly}
	})
}

// grid returns the settings of a contestant, given the widths of the kernel and whether other
// parameters are tuned.
func (c contestant) grid(thetas []float64, tune bool) (grid []study.Params) {
	lambdas, cs := []float64{1}, []float64{1}
	if tune {
		cs = []float64{0.5, 2, 8, 32, 128}
	}
	if tune && c.name != "mlr" { // not tuned in the paper
		lambdas = []float64{0.01, 0.1, 1, 10, 100}
	}
	switch c.kind {
	case penalty:
		for _, lambda := range lambdas {
			grid = append(grid, study.Params{"lambda": lambda})
		}
	case widths:
		for _, theta := range thetas {
			grid = append(grid, study.Params{"theta": theta})
		}
	case both:
		for _, theta := range thetas {
			for _, c := range cs {
				grid = append(grid, study.Params{"theta": theta, "C": c})
			}
		}
	}
	return grid
}

// Names returns the names of all contestants, or of the default ones.
func Names(all bool) (names []string) {
	for i, c := range contestants {
		if all || i < usual {
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
		c := contestants[i]
		s := study.System{Name: c.name, Grid: c.grid(thetas, tune), Fit: c.fit}
		if c.name == "svm" {
			s.Labels = svmFit(true)
		}
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

// setting is what a learner depends on.
type setting struct {
	params   study.Params
	features int
	seed     uint64
}

func (s setting) rbf() kernel.RBF { return kernel.RBF{Theta: s.params["theta"]} }

func (s setting) laplacian() kernel.Laplacian { return kernel.Laplacian{Theta: s.params["theta"]} }

// fitter returns the fit of a system from a learner with a setting.
func fitter[M study.Classifier](with func(setting) mpcvm.LearnerOf[M]) study.FitFunc {
	return func(ctx context.Context, p study.Params, x mat.Matrix, t []int, seed uint64) (study.Classifier,
		error) {
		_, d := x.Dims()
		m, result, err := with(setting{p, d, seed}).Fit(ctx, mpcvm.Samples{X: x, T: t})
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
