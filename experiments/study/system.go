package study

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/mpcvm"
)

// Classifier is a fitted system whose size can be recorded.
type Classifier interface {
	mpcvm.Classifier
	// VectorCount returns the number of distinct relevance or support vectors.
	VectorCount() int
	// WeightCount returns the number of non-zero weights.
	WeightCount() int
}

// Scorer is a Classifier whose AUC is computed from its scores, N×C, instead of its probabilities.
// It is for systems without a probability model, such as DLSR.
type Scorer interface {
	Scores(dst *mat.Dense, x mat.Matrix) *mat.Dense
}

// Noter is a Classifier with a remark on its fit, for instance how it ended or what it chose. The
// remark is recorded as Result.Note.
type Noter interface{ Note() string }

// System is a learner with its grid of parameters.
type System struct {
	// Name is the name in the results. NAME+VARIANT is a variant of NAME: reports list it after NAME
	// and do not rank it.
	Name string
	// Grid lists the settings to choose from; on a tie the first is chosen. With one setting there
	// is no tuning. An empty grid means one setting without parameters.
	Grid []Params
	// Fit learns from the N×D samples x with labels t, 0 to C−1, with every class present. It must
	// be safe for concurrent use, and return with an error soon after ctx ends.
	Fit FitFunc
	// Labels, if not nil, replaces Fit in tuning by error: a cheaper fit with the same labels,
	// without probabilities. On a tie of the errors, the first setting is then chosen.
	Labels FitFunc
}

// FitFunc fits a system with the parameters p.
type FitFunc func(ctx context.Context, p Params, x mat.Matrix, t []int, seed uint64) (Classifier, error)

// Params are the parameters of a system by name. The name "seed" is reserved.
type Params map[string]float64

// String returns the parameters in the order of their names: "C=10 theta=0.1".
func (p Params) String() string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(p)) {
		parts = append(parts, name+"="+strconv.FormatFloat(p[name], 'g', -1, 64))
	}
	return strings.Join(parts, " ")
}

// check returns an error if a parameter could not be written and read back.
func (p Params) check() error {
	for name, v := range p {
		switch {
		case name == "" || name == seedName:
			return fmt.Errorf("study: a parameter named %q", name)
		case math.IsNaN(v) || math.IsInf(v, 0):
			return fmt.Errorf("study: parameter %s is %v", name, v)
		}
	}
	return nil
}

// grid returns the grid with at least one setting.
func (s *System) grid() []Params {
	if len(s.Grid) == 0 {
		return []Params{{}}
	}
	return s.Grid
}

func (s *System) check() error {
	if s.Name == "" || s.Fit == nil {
		return errors.New("study: a system without a name or a Fit")
	}
	seen := map[string]bool{}
	for _, p := range s.Grid {
		if err := p.check(); err != nil {
			return fmt.Errorf("%w (of system %s)", err, s.Name)
		}
		if seen[p.String()] {
			return fmt.Errorf("study: system %s has the setting %q twice", s.Name, p)
		}
		seen[p.String()] = true
	}
	return nil
}
