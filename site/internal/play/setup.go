// Package play is the engine of the playground. It trains classifiers on points of the plane, keeps the model
// of every iteration, and answers questions about them. It does not depend on a browser; site/playground/wasm
// binds it to a web worker.
//
// An [Engine] takes requests in JSON; see [Request].
package play

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/baseline/mrvm"
	"github.com/mpcvm/mpcvm/mpcvm/baseline/svm"
	"github.com/mpcvm/mpcvm/mpcvm/gp"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
	"github.com/mpcvm/mpcvm/mpcvm/search"
)

// Setup is a learner with its options. If an option is zero, it has the learner's default. The options of
// other learners and kernels are ignored.
type Setup struct {
	// Learner is one of Learners, and Kernel is a name that kernel.New accepts, of a kernel without thetas.
	Learner string `json:"learner"`
	Kernel  string `json:"kernel"`
	// Theta is the kernel width. If zero, it is chosen by cross-validation.
	Theta float64 `json:"theta"`
	// Alpha is for rational-quadratic, Degree for polynomial, Offset for linear and polynomial.
	Alpha  float64 `json:"alpha"`
	Degree int     `json:"degree"`
	Offset float64 `json:"offset"`

	// U1, V1, U2, V2 and Prune are options of mpcvm1.
	U1    float64 `json:"u1"`
	V1    float64 `json:"v1"`
	U2    float64 `json:"u2"`
	V2    float64 `json:"v2"`
	Prune float64 `json:"prune"`
	// Power is mpcvm.BottomUp.LikelihoodPower. Power, Additions and Bias are options of mpcvm2.
	Power     float64 `json:"power"`
	Additions int     `json:"additions"`
	Bias      bool    `json:"bias"`
	// Scale and Keep are options of kernel-prior.
	Scale float64 `json:"scale"`
	Keep  float64 `json:"keep"`
	// C is the option of svm.
	C float64 `json:"c"`

	// MaxIterations is the maximum number of iterations. The SVM ignores it.
	MaxIterations int `json:"maxIterations"`
	// Seed is used by the published learners and by svm.
	Seed uint64 `json:"seed"`
}

// Learners lists the learners for a Setup.
var Learners = []string{"mpcvm1", "mpcvm2", "mpcvm1-published", "mpcvm2-published", "kernel-prior", "mrvm2",
	"svm"}

// Point is a sample: x, y and the number of its class.
type Point [3]float64

// maxPoints and maxClasses are the maximum numbers of points and of classes.
const (
	maxPoints  = 2000
	maxClasses = 8
)

// kernel returns the kernel of the setup.
func (s Setup) kernel() (kernel.Kernel, error) {
	set := map[string]float64{"theta": s.Theta, "alpha": s.Alpha, "degree": float64(s.Degree),
		"offset": s.Offset, "scale": 0.5}
	given := map[string]string{}
	for _, d := range kernel.Descriptions() {
		for _, p := range d.Parameters {
			if v := set[p]; d.Name == s.Kernel && v != 0 {
				given[p] = strconv.FormatFloat(v, 'g', -1, 64)
			}
		}
	}
	return kernel.New(s.Kernel, given)
}

// learner returns the options struct, an mpcvm.LearnerOf.
func (s Setup) learner() (any, error) {
	k, err := s.kernel()
	if err != nil {
		return nil, err
	}
	for name, v := range map[string]float64{"u1": s.U1, "v1": s.V1, "u2": s.U2, "v2": s.V2, "prune": s.Prune,
		"power": s.Power, "additions": float64(s.Additions), "scale": s.Scale, "keep": s.Keep, "c": s.C,
		"maxIterations": float64(s.MaxIterations)} {
		if !(v >= 0) || math.IsInf(v, 1) {
			return nil, fmt.Errorf("%s is %v; it must not be negative", name, v)
		}
	}
	tuned := func(l search.Tunable) (any, error) {
		if _, untuned := kernel.Untuned(k); untuned {
			return search.Width{Learner: l.WithKernel(nil), Kernel: k}, nil
		}
		return l, nil
	}
	switch s.Learner {
	case "mpcvm1":
		return tuned(mpcvm.TopDown{Kernel: k, U1: s.U1, V1: s.V1, U2: s.U2, V2: s.V2, Prune: s.Prune,
			MaxIterations: s.MaxIterations})
	case "mpcvm1-published":
		return tuned(mpcvm.TopDown{Kernel: k, U1: s.U1, V1: s.V1, U2: s.U2, V2: s.V2, Prune: s.Prune,
			AsPublished: true, MaxIterations: s.MaxIterations, Seed: s.Seed})
	case "mpcvm2":
		return tuned(mpcvm.BottomUp{Kernel: k, LikelihoodPower: s.Power, Additions: s.Additions, Bias: s.Bias,
			MaxIterations: s.MaxIterations})
	case "mpcvm2-published":
		return tuned(mpcvm.BottomUp{Kernel: k, AsPublished: true, MaxIterations: s.MaxIterations, Seed: s.Seed})
	case "kernel-prior":
		return tuned(gp.KernelPrior{Kernel: k, Scale: s.Scale, Keep: s.Keep, MaxIterations: s.MaxIterations})
	case "mrvm2":
		return mrvm.TopDown{Kernel: k, MaxIterations: s.MaxIterations}, nil
	case "svm":
		return svm.SVM{Kernel: k, C: s.C, Seed: s.Seed}, nil
	}
	return nil, fmt.Errorf("unknown learner %q", s.Learner)
}

// fit fits a learner from Setup.learner. The model is nil if the fit has none.
func fit(ctx context.Context, learner any, s mpcvm.Samples, o mpcvm.Observer) (mpcvm.Classifier,
	mpcvm.Result, error) {
	switch l := learner.(type) {
	case mrvm.TopDown:
		return orNil(l.Fit(ctx, s, o))
	case svm.SVM:
		return orNil(l.Fit(ctx, s, o))
	}
	return orNil(learner.(mpcvm.Learner).Fit(ctx, s, o))
}

// orNil returns the results of Fit with a nil interface instead of a nil pointer.
func orNil[M interface {
	comparable
	mpcvm.Classifier
}](m M, r mpcvm.Result, err error) (mpcvm.Classifier, mpcvm.Result, error) {
	if m == *new(M) {
		return nil, r, err
	}
	return m, r, err
}

// samples are points converted for learners. Class c of a model is class present[c] of the points.
type samples struct {
	x       *mat.Dense
	t       []int
	present []int
	classes int // of the points: the highest class plus 1
}

func newSamples(points []Point) (*samples, error) {
	if len(points) > maxPoints {
		return nil, fmt.Errorf("%d points exceed the limit of %d", len(points), maxPoints)
	}
	s := &samples{}
	for i, p := range points {
		c := int(p[2])
		if float64(c) != p[2] || c < 0 || c >= maxClasses {
			return nil, fmt.Errorf("point %d has class %v; classes are 0 to %d", i, p[2], maxClasses-1)
		}
		if !slices.Contains(s.present, c) {
			s.present = append(s.present, c)
		}
		s.classes = max(s.classes, c+1)
	}
	if len(s.present) < 2 {
		return nil, errors.New("a classifier needs points of at least two classes")
	}
	slices.Sort(s.present)
	s.x = mat.NewDense(len(points), 2, nil)
	for i, p := range points {
		s.x.SetRow(i, p[:2])
		s.t = append(s.t, slices.Index(s.present, int(p[2])))
	}
	return s, nil
}
