package play

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/baseline/svm"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
	"github.com/mpcvm/mpcvm/mpcvm/score"
)

// number is a float64 that is written as null in JSON if it is not finite.
type number float64

// MarshalJSON implements json.Marshaler.
func (n number) MarshalJSON() ([]byte, error) {
	if v := float64(n); math.IsNaN(v) || math.IsInf(v, 0) {
		return []byte("null"), nil
	}
	return fmt.Appendf(nil, "%g", float64(n)), nil
}

// Step describes an iteration. Classes are the classes of the points, samples their indices.
type Step struct {
	Iteration int    `json:"iteration"`
	Objective number `json:"objective"`
	LogLik    number `json:"logLik"`
	// Counts is the number of non-zero weights of each class.
	Counts []int `json:"counts"`
	// Added and Deleted list the sample and class of basis functions; class −1 means all classes.
	Added   [][2]int `json:"added"`
	Deleted [][2]int `json:"deleted"`
	// Rejected reports that the first update of the iteration was undone.
	Rejected bool `json:"rejected"`
	// Errors is the number of misclassified points, LogLoss the mean of −log p in nats.
	Errors  int       `json:"errors"`
	LogLoss number    `json:"logLoss"`
	Bias    []float64 `json:"bias"`
	// Factors reports that look has s and q for this iteration.
	Factors bool `json:"factors"`
	// Weights contains the sample, class and value of each non-zero weight in turn.
	Weights []float64 `json:"-"`
}

// snapshot is the stored state of an iteration.
type snapshot struct {
	model
	iteration int
	factors   *mpcvm.Factors
}

// fitted is the last fit of a slot.
type fitted struct {
	*samples
	snapshots []snapshot // ascending by iteration
}

// at returns the snapshot of an iteration, or the last one for 0.
func (f *fitted) at(iteration int) (snapshot, error) {
	if f == nil || len(f.snapshots) == 0 {
		return snapshot{}, errors.New("there is no model yet")
	}
	if iteration == 0 {
		return f.snapshots[len(f.snapshots)-1], nil
	}
	for _, s := range f.snapshots {
		if s.iteration == iteration {
			return s, nil
		}
	}
	return snapshot{}, fmt.Errorf("iteration %d was not kept", iteration)
}

// outcome describes how a fit ended.
type outcome struct {
	Done       bool    `json:"done"`
	Steps      []Step  `json:"steps"`
	Status     string  `json:"status"`
	Seconds    float64 `json:"seconds"`
	Iterations int     `json:"iterations"`
	// Partial describes the model if the fit was stopped.
	Partial string `json:"partial,omitempty"`
	// Theta is the kernel width, or 0 if the kernel has none.
	Theta float64 `json:"theta,omitempty"`
}

// task is a running fit.
type task struct {
	setup   Setup
	keepAll bool          // keep and describe every iteration, not only the last one
	within  time.Duration // time limit; 0 means none
	pause   func()        // called in every iteration
	emit    func(Step)    // called for every kept iteration
	first   func(*fitted) // called before the first emit
}

// run fits a model. It calls first and emit unless ctx is done.
func (t task) run(ctx context.Context, points []Point) (outcome, error) {
	s, err := newSamples(points)
	if err != nil {
		return outcome{}, err
	}
	l, err := t.setup.learner()
	if err != nil {
		return outcome{}, err
	}
	f := &fitted{samples: s}
	keep := func(step mpcvm.Step, c mpcvm.Classifier, factors *mpcvm.Factors) {
		if ctx.Err() != nil {
			return
		}
		snap := snapshot{model{c, s}, step.Iteration, factors}
		if f.snapshots = append(f.snapshots, snap); len(f.snapshots) == 1 {
			t.first(f)
		}
		t.emit(snap.describe(step))
	}
	// An iteration is stored when the next one arrives or the fit ends, because the model that Fit returns may
	// differ from the model of the last iteration.
	var last mpcvm.Step
	var classifier mpcvm.Classifier
	var factors *mpcvm.Factors
	start, late := time.Now(), false
	model, result, err := fit(ctx, l, mpcvm.Samples{X: s.x, T: s.t}, func(step *mpcvm.Step) {
		if t.keepAll {
			if classifier != nil {
				keep(last, classifier, factors)
			}
			classifier, factors = step.Classifier(), step.Factors()
		}
		last = *step
		if late = t.within > 0 && time.Since(start) >= t.within; late {
			step.Stop()
		}
		t.pause()
	})
	if ctx.Err() != nil {
		return outcome{Done: true, Status: mpcvm.Cancelled.String(), Iterations: result.Iterations}, nil
	}
	if err != nil {
		return outcome{}, err
	}
	if model == nil {
		return outcome{}, fmt.Errorf("the fit ended without a model: %v", result.Status)
	}
	last.Iteration, last.Objective, last.LogLik = result.Iterations, result.Objective, result.LogLik
	keep(last, model, factors)
	o := outcome{Done: true, Status: result.Status.String(), Seconds: result.Seconds,
		Iterations: result.Iterations, Partial: result.Partial}
	if late && result.Status == mpcvm.Stopped {
		o.Partial = fmt.Sprintf("stopped by the time limit in iteration %d", result.Iterations)
	}
	if k, ok := f.snapshots[len(f.snapshots)-1].kernel().(kernel.Tunable); ok {
		o.Theta = k.Width()
	}
	return o, nil
}

// describe returns the Step of a snapshot.
func (s snapshot) describe(step mpcvm.Step) Step {
	d := Step{Iteration: s.iteration, Objective: number(step.Objective), LogLik: number(step.LogLik),
		Rejected: step.Rejected, Counts: make([]int, s.classes), Added: s.bases(step.Added),
		Deleted: s.bases(step.Deleted), Factors: s.factors != nil}
	var weights []weight
	weights, d.Bias = s.expansion()
	d.Weights = make([]float64, 0, 3*len(weights))
	for _, w := range weights {
		d.Counts[w.class]++
		d.Weights = append(d.Weights, float64(w.sample), float64(w.class), w.value)
	}
	for i, label := range s.Predict(nil, s.x) {
		if label != s.t[i] {
			d.Errors++
		}
	}
	d.LogLoss = -d.LogLik / number(len(s.t))
	if c, ok := s.Classifier.(*svm.Model); ok { // which has no likelihood
		if loss, err := score.LogLoss(c.Proba(nil, s.x), s.t); err == nil {
			d.LogLik, d.LogLoss = number(-loss)*number(len(s.t)), number(loss)
		}
	}
	return d
}

// bases converts the classes of basis functions to classes of the points.
func (s *samples) bases(list []mpcvm.Basis) [][2]int {
	out := make([][2]int, 0, len(list))
	for _, b := range list {
		class := -1
		if b.Class >= 0 {
			class = s.present[b.Class]
		}
		out = append(out, [2]int{b.Sample, class})
	}
	return out
}

// look is the reply to look: s, q and alpha of every basis function, as an array over samples for each class
// of the points, empty for a class without points. Alpha is null outside the model.
type look struct {
	S     [][]number `json:"s"`
	Q     [][]number `json:"q"`
	Alpha [][]number `json:"alpha"`
}

func (s snapshot) look() (look, error) {
	if s.factors == nil {
		return look{}, errors.New("the factors s and q are available only for mPCVM₂, if every iteration is kept")
	}
	rows := func(m *mat.Dense) [][]number {
		out := make([][]number, s.classes)
		for i, row := range numbers(m) {
			out[s.present[i]] = row
		}
		return out
	}
	return look{rows(s.factors.S), rows(s.factors.Q), rows(s.factors.Alpha)}, nil
}
