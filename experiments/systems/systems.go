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
	name    string
	kind    kind
	learner func(s setting) learner
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

// contestants lists the systems and their variants: near starts mRVM₁ from a Z̄ of 5 for any number of
// classes, cv chooses Theta within each training set, default has LIBSVM's C = 1 and Theta = 1/D, free has
// almost no penalty, and dlsr+linear is the starting point of DLSR, least squares on 0 and 1.
var contestants = []contestant{
	{"mpcvm1", widths, func(s setting) learner { return of(mpcvm.TopDown{Kernel: s.rbf(), Seed: s.seed}) }},
	{"mpcvm2", widths, func(s setting) learner { return of(s.bottomUp()) }},
	{"mrvm1", widths, func(s setting) learner { return of(mrvm.BottomUp{Kernel: s.rbf()}) }},
	{"mrvm2", widths, func(s setting) learner { return of(mrvm.TopDown{Kernel: s.rbf()}) }},
	{"svm", both, func(s setting) learner {
		return of(svm.SVM{Kernel: s.rbf(), C: s.params["C"], Seed: s.seed, NoProbability: s.labelsOnly})
	}},
	{"mlr", penalty, func(s setting) learner { return of(mlr.MLR{Lambda: s.params["lambda"]}) }},
	{dlsrName, penalty, func(s setting) learner {
		return of(dlsr.DLSR{Lambda: s.params["lambda"], Seed: s.seed})
	}},
	{"ovo", widths, func(s setting) learner { return of(vote.OneVsOne{Base: s.bottomUp()}) }},
	{"ovr", widths, func(s setting) learner { return of(vote.OneVsRest{Base: s.bottomUp()}) }},
	{"mrvm1+near", widths, func(s setting) learner { return of(mrvm.BottomUp{Kernel: s.rbf(), Start: 5}) }},
	{"mpcvm1+cv", fixed, func(s setting) learner {
		return of(search.Width{Learner: mpcvm.TopDown{Seed: s.seed}, Seed: s.seed})
	}},
	{"mpcvm1+laplace", widths, func(s setting) learner {
		return of(mpcvm.TopDown{Kernel: s.laplacian(), Seed: s.seed})
	}},
	{"mpcvm2+cv", fixed, func(s setting) learner {
		return of(search.Width{Learner: mpcvm.BottomUp{Seed: s.seed}, Seed: s.seed})
	}},
	{"mpcvm2+bias", widths, func(s setting) learner {
		return of(mpcvm.BottomUp{Kernel: s.rbf(), Bias: true, Seed: s.seed})
	}},
	{"mpcvm2+laplace", widths, func(s setting) learner {
		return of(mpcvm.BottomUp{Kernel: s.laplacian(), Seed: s.seed})
	}},
	{"svm+default", fixed, func(s setting) learner {
		return of(svm.SVM{Kernel: kernel.RBF{Theta: 1 / float64(s.features)}, C: 1, Seed: s.seed})
	}},
	{"svm+linear", fixed, func(s setting) learner {
		return of(svm.SVM{Kernel: kernel.Linear{}, C: 1, Seed: s.seed})
	}},
	{"mlr+free", fixed, func(setting) learner { return of(mlr.MLR{Lambda: 1e-6}) }},
	{"dlsr+linear", fixed, func(s setting) learner { return of(dlsr.DLSR{MaxIterations: 1, Seed: s.seed}) }},
	{"auto", fixed, func(s setting) learner { return of(search.Auto{Seed: s.seed}) }},
	{"auto+accuracy", fixed, func(s setting) learner {
		return of(search.Auto{Prefer: search.Accuracy, Seed: s.seed})
	}},
	{"auto+sparsity", fixed, func(s setting) learner {
		return of(search.Auto{Prefer: search.Sparsity, Seed: s.seed})
	}},
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
		s := study.System{Name: c.name, Grid: c.grid(thetas, tune), Fit: c.fit(false)}
		if c.name == "svm" {
			s.Labels = c.fit(true)
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

// dlsrName is the system whose AUC is computed from scores, because it has no probability model.
const dlsrName = "dlsr"

// scored is a noted classifier with scores for the AUC.
type scored struct {
	noted
	study.Scorer
}

// setting is what a learner depends on.
type setting struct {
	params     study.Params
	features   int
	seed       uint64
	labelsOnly bool // no probabilities
}

func (s setting) rbf() kernel.RBF { return kernel.RBF{Theta: s.params["theta"]} }

func (s setting) laplacian() kernel.Laplacian { return kernel.Laplacian{Theta: s.params["theta"]} }

func (s setting) bottomUp() mpcvm.BottomUp { return mpcvm.BottomUp{Kernel: s.rbf(), Seed: s.seed} }

// learner is the fit of a learner of any model.
type learner func(ctx context.Context, s mpcvm.Samples) (study.Classifier, mpcvm.Result, error)

func of[M study.Classifier](l mpcvm.LearnerOf[M]) learner {
	return func(ctx context.Context, s mpcvm.Samples) (study.Classifier, mpcvm.Result, error) {
		return l.Fit(ctx, s)
	}
}

// fit returns the fit of a contestant.
func (c contestant) fit(labelsOnly bool) study.FitFunc {
	return func(ctx context.Context, p study.Params, x mat.Matrix, t []int, seed uint64) (study.Classifier,
		error) {
		_, d := x.Dims()
		m, result, err := c.learner(setting{p, d, seed, labelsOnly})(ctx, mpcvm.Samples{X: x, T: t})
		if err != nil {
			return nil, err
		}
		n := noted{Classifier: m}
		if result.Status != mpcvm.Converged {
			n.note = result.Status.String()
		}
		if k, ok := m.(interface{ Kernel() kernel.Kernel }); ok && result.Trials != nil {
			n.note = strings.TrimPrefix(n.note+"; chose "+k.Kernel().String(), "; ")
		}
		if c.name == dlsrName {
			return scored{n, m.(study.Scorer)}, nil
		}
		return n, nil
	}
}
