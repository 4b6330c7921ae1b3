package play

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/mpcvm/score"
)

// verdict is the reply to fresh and apart, the performance of a model on points that it has not seen. LogLoss
// is the mean of −log p in nats.
type verdict struct {
	Points  int    `json:"points"` // 0 if there are too few points to hold some out
	Errors  int    `json:"errors"`
	LogLoss number `json:"logLoss"`
	Status  string `json:"status,omitempty"` // status of the fit of apart
}

const (
	freshPoints = 2000    // at least as many new points
	firstFresh  = 1 << 40 // the seed of the first new draw; the page counts from 0
	share       = 250     // points between two pauses
	leastApart  = 4       // minimum number of held-out points
)

// fresh evaluates the model on new draws from the preset of its training points.
func (s snapshot) fresh(q Request, pause func()) (verdict, error) {
	if q.Name == "petals" {
		return verdict{}, fmt.Errorf("there are no new points for %s", q.Name)
	}
	var list []Point
	for i := uint64(0); len(list) < freshPoints; i++ {
		p, err := Request{Name: q.Name, Seed: firstFresh + q.Seed<<16 + i, Noise: q.Noise}.draw()
		if err != nil {
			return verdict{}, err
		}
		list = append(list, p.Points...)
	}
	return s.evaluate(list, pause), nil
}

// apart trains on a stratified four fifths of the points and evaluates the model on the others.
func (e *Engine) apart(ctx context.Context, q Request) (verdict, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	e.stop(q.Slot, cancel)
	s, err := newSamples(q.Points)
	if err != nil {
		return verdict{}, err
	}
	set := &data.Set{X: s.x, Classes: make([]string, s.classes), Features: []string{"x", "y"}}
	for _, t := range s.t {
		set.T = append(set.T, s.present[t])
	}
	train, test := set.Split(0.8, 0)
	if test.N() < leastApart {
		return verdict{}, nil
	}
	var f *fitted
	t := task{setup: q.Setup, pause: e.pause(), first: func(first *fitted) { f = first }, emit: func(Step) {}}
	o, err := t.run(ctx, fromSet(train).Points)
	if err != nil || f == nil { // f is nil if ctx is done
		return verdict{Status: o.Status}, err
	}
	v := f.snapshots[len(f.snapshots)-1].evaluate(fromSet(test).Points, e.pause())
	v.Status = o.Status
	return v, nil
}

// evaluate counts the errors on points. A class that is not in the model counts as an error.
func (s snapshot) evaluate(list []Point, pause func()) verdict {
	v := verdict{Points: len(list)}
	p, t := mat.NewDense(len(list), maxClasses, nil), make([]int, len(list))
	for from := 0; from < len(list); from += share {
		part := list[from:min(from+share, len(list))]
		x := mat.NewDense(len(part), 2, nil)
		for i, point := range part {
			x.SetRow(i, point[:2])
			t[from+i] = int(point[2])
		}
		for i, label := range s.labels(x) {
			if label != t[from+i] {
				v.Errors++
			}
		}
		p.Slice(from, from+len(part), 0, s.classes).(*mat.Dense).Copy(s.proba(x))
		pause()
	}
	loss, err := score.LogLoss(p, t)
	if err != nil {
		loss = math.NaN()
	}
	v.LogLoss = number(loss)
	return v
}
