package play

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"time"

	"gonum.org/v1/gonum/mat"
)

// Request is a request to an Engine. Op is the operation; the other fields are its arguments. The answers
// are:
//
//	fit      Setup, Points, KeepAll, Within  steps during the fit; finally the outcome
//	cancel                                   ends the fit of the slot
//	field    Iteration, Box, NX, NY          probabilities on a grid
//	proba    Iteration, At                   probabilities, potentials and labels
//	explain  Iteration, At[0]                contributions for and against each class
//	look     Iteration                       s and q of every basis function
//	fresh    Iteration, Name, Seed, Noise    errors on new points from the preset of the training points
//	apart    Setup, Points                   errors on a fifth of the points, held out from training
//	model    Iteration                       the model file
//	preset   Name, Seed, Count, Noise        points
//	code     Setup, Points                   a notebook cell that trains the model
type Request struct {
	Op string `json:"op"`

	// Slot names one of several independent fits.
	Slot   string  `json:"slot"`
	Setup  Setup   `json:"setup"`
	Points []Point `json:"points"`
	// KeepAll keeps every iteration. Otherwise only the last is kept.
	KeepAll bool `json:"keepAll"`
	// Within is the time in ms after which the fit ends with the current model. If zero, there is no limit.
	Within float64 `json:"within"`

	// Iteration is a kept iteration. If zero, it is the last.
	Iteration int          `json:"iteration"`
	Box       [4]float64   `json:"box"` // x0, y0, x1, y1
	NX        int          `json:"nx"`
	NY        int          `json:"ny"`
	At        [][2]float64 `json:"at"`

	// Name is the name of a preset.
	Name string `json:"name"`
	Seed uint64 `json:"seed"`
	// Count is the number of points of a preset. If zero, it is the preset's own number. Noise is the standard
	// deviation of noise added to their coordinates.
	Count int     `json:"count"`
	Noise float64 `json:"noise"`
}

// Reply is an answer. Value is sent as JSON. Large arrays are sent separately: the probabilities of a field,
// or the weights of all steps in turn.
type Reply struct {
	Value   any
	Field   []float32
	Weights []float64
}

// Engine keeps the fits of several slots. It is safe for concurrent use.
type Engine struct {
	// Pause is called in every iteration of a fit, so that a web worker can handle other requests.
	Pause func()
	// Every is the interval at which steps are reported.
	Every time.Duration

	mu     sync.Mutex
	fits   map[string]*fitted
	cancel map[string]func() // of the running fit, by slot
}

// Do answers a request. reply is called once, or several times for fit. The error is a message for the user.
func (e *Engine) Do(ctx context.Context, q Request, reply func(Reply)) error {
	answer := func(v any, err error) error {
		if err == nil {
			reply(Reply{Value: v})
		}
		return err
	}
	switch q.Op {
	case "fit":
		return e.fit(ctx, q, reply)
	case "apart":
		return answer(e.apart(ctx, q))
	case "cancel":
		e.stop(q.Slot, nil)
		return answer(struct{}{}, nil)
	case "preset":
		return answer(q.draw())
	case "code":
		return answer(code(q.Setup, q.Points))
	}
	e.mu.Lock()
	f := e.fits[q.Slot]
	e.mu.Unlock()
	s, err := f.at(q.Iteration)
	if err != nil {
		return err
	}
	switch q.Op {
	case "field":
		return s.field(q, reply)
	case "proba":
		return answer(s.ask(q.At))
	case "explain":
		return answer(s.explain(q.At))
	case "look":
		return answer(s.look())
	case "fresh":
		return answer(s.fresh(q, e.pause()))
	case "model":
		text, err := s.save()
		return answer(map[string]string{"text": text}, err)
	}
	return fmt.Errorf("unknown request %q", q.Op)
}

// stop cancels the fit of a slot and replaces it by another, which may be nil.
func (e *Engine) stop(slot string, next func()) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.cancel == nil {
		e.cancel, e.fits = map[string]func(){}, map[string]*fitted{}
	}
	if old := e.cancel[slot]; old != nil {
		old()
	}
	e.cancel[slot] = next
}

// fit trains a model. The models of the slot's last fit remain available until the first iteration.
func (e *Engine) fit(ctx context.Context, q Request, reply func(Reply)) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	e.stop(q.Slot, cancel)
	var steps []Step
	var weights []float64
	sent := time.Now()
	send := func(o outcome) {
		o.Steps = slices.Grow(steps, 1)
		reply(Reply{Value: o, Weights: weights})
		steps, weights, sent = nil, nil, time.Now()
	}
	t := task{
		setup: q.Setup, keepAll: q.KeepAll, pause: e.pause(),
		within: time.Duration(q.Within * float64(time.Millisecond)),
		first: func(f *fitted) {
			e.mu.Lock()
			defer e.mu.Unlock()
			if ctx.Err() == nil {
				e.fits[q.Slot] = f
			}
		},
		emit: func(s Step) {
			steps, weights = append(steps, s), append(weights, s.Weights...)
			if q.KeepAll && time.Since(sent) >= e.Every {
				send(outcome{})
			}
		},
	}
	o, err := t.run(ctx, q.Points)
	if err == nil {
		send(o)
	}
	return err
}

// pause returns Pause, or a function that does nothing.
func (e *Engine) pause() func() {
	if e.Pause == nil {
		return func() {}
	}
	return e.Pause
}

// grid is the reply to field. Reply.Field contains NX·NY·Classes probabilities, row by row from y0.
type grid struct {
	NX      int `json:"nx"`
	NY      int `json:"ny"`
	Classes int `json:"classes"`
}

func (s snapshot) field(q Request, reply func(Reply)) error {
	if q.NX < 1 || q.NY < 1 || q.NX*q.NY > 1<<18 {
		return fmt.Errorf("invalid field of %d × %d cells", q.NX, q.NY)
	}
	x := mat.NewDense(q.NX*q.NY, 2, nil)
	along := func(lo, hi float64, i, n int) float64 { return lo + (hi-lo)*(float64(i)+0.5)/float64(n) }
	for i := range q.NX * q.NY {
		x.SetRow(i, []float64{along(q.Box[0], q.Box[2], i%q.NX, q.NX), along(q.Box[1], q.Box[3], i/q.NX, q.NY)})
	}
	p := s.proba(x).RawMatrix().Data
	field := make([]float32, len(p))
	for i, v := range p {
		field[i] = float32(v)
	}
	reply(Reply{Value: grid{q.NX, q.NY, s.classes}, Field: field})
	return nil
}

// answers is the reply to proba, by class of the points. Y is null for a class without points.
type answers struct {
	P      [][]number `json:"p"`
	Y      [][]number `json:"y"`
	Labels []int      `json:"labels"`
}

func (s snapshot) ask(at [][2]float64) (answers, error) {
	if len(at) == 0 {
		return answers{}, errors.New("no positions given")
	}
	x := mat.NewDense(len(at), 2, nil)
	for i, v := range at {
		x.SetRow(i, v[:])
	}
	return answers{numbers(s.proba(x)), numbers(s.potentials(x)), s.labels(x)}, nil
}

// numbers returns the rows of a matrix.
func numbers(m *mat.Dense) [][]number {
	rows, _ := m.Dims()
	out := make([][]number, rows)
	for i := range out {
		for _, v := range m.RawRowView(i) {
			out[i] = append(out[i], number(v))
		}
	}
	return out
}

// explanation is the reply to explain. P, Y and Bias are indexed by class of the points.
type explanation struct {
	Label int       `json:"label"`
	P     []number  `json:"p"`
	Y     []number  `json:"y"`
	Bias  []float64 `json:"bias"`
	// Terms are sorted by decreasing absolute contribution.
	Terms []term `json:"terms"`
}

// term is the contribution of a training sample to the potential of a class, kernel times weight.
type term struct {
	Sample       int     `json:"sample"`
	Class        int     `json:"class"`
	K            number  `json:"k"`
	Weight       float64 `json:"weight"`
	Contribution number  `json:"contribution"`
}

func (s snapshot) explain(at [][2]float64) (explanation, error) {
	a, err := s.ask(at)
	if err != nil {
		return explanation{}, err
	}
	x := explanation{Label: a.Labels[0], P: a.P[0], Y: a.Y[0], Terms: []term{}}
	var weights []weight
	weights, x.Bias = s.expansion()
	k := s.kernel()
	for _, w := range weights {
		v := k.Value(at[0][:], s.x.RawRowView(w.sample))
		x.Terms = append(x.Terms, term{w.sample, w.class, number(v), w.value, number(v * w.value)})
	}
	slices.SortStableFunc(x.Terms, func(a, b term) int {
		return cmp.Compare(math.Abs(float64(b.Contribution)), math.Abs(float64(a.Contribution)))
	})
	return x, nil
}
