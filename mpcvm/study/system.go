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
)

// Classifier is what a study asks of a fitted system.
type Classifier interface {
	// Predict returns a label for each row of x, −1 where there is none; a nil dst
	// is allocated.
	Predict(dst []int, x mat.Matrix) []int
	// Proba returns the N×C probabilities; a nil dst is allocated.
	Proba(dst *mat.Dense, x mat.Matrix) *mat.Dense
	// Size returns the numbers of distinct relevance or support vectors and of
	// non-zero weights.
	Size() (vectors, weights int)
}

// Scorer is a Classifier with scores of its own for the AUC, N×C; without it the
// AUC is that of the probabilities. It is for systems whose probabilities are made
// up, such as DLSR.
type Scorer interface {
	Scores(dst *mat.Dense, x mat.Matrix) *mat.Dense
}

// Noter is a Classifier that has something to say of its fit: how it ended, what it
// chose by itself. It is recorded as Result.Note.
type Noter interface{ Note() string }

// System is what a study compares.
type System struct {
	// Name of the system in the results. NAME+VARIANT is a variant of NAME: reports
	// put it below NAME and leave it out of the rankings.
	Name string
	// Grid lists the settings to choose from. Of equals the earlier is chosen. With
	// one setting nothing is tuned; an empty grid counts as one setting without
	// parameters.
	Grid []Params
	// Fit learns from the N×D samples x with labels t, 0 to C−1, every class
	// present. Fits run concurrently. It returns when ctx ends, with an error.
	Fit FitFunc
	// Labels, if not nil, replaces Fit in tuning by error: a fit whose labels are
	// those of Fit, but cheaper, without probabilities. Ties then go to the earlier
	// setting.
	Labels FitFunc
}

// FitFunc fits a system with the parameters p.
type FitFunc func(ctx context.Context, p Params, x mat.Matrix, t []int, seed uint64) (Classifier, error)

// Params are the parameters of a system by name. The name "seed" is taken.
type Params map[string]float64

// String gives the parameters in the order of their names: "C=10 theta=0.1".
func (p Params) String() string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(p)) {
		parts = append(parts, name+"="+strconv.FormatFloat(p[name], 'g', -1, 64))
	}
	return strings.Join(parts, " ")
}

// check reports a parameter that could not be written and read back.
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

// grid is the grid with at least one setting.
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
