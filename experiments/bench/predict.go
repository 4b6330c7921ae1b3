//go:build unix

package main

import (
	"flag"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/experiments/internal/measure"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
)

// Predictions are the times of predicting the test set once.
type Predictions struct {
	Rows    int          `json:"rows"`
	Vectors int          `json:"size"`
	Labels  measure.Time `json:"labels"`
	Proba   measure.Time `json:"proba"`
}

func predict(args []string) (any, error) {
	f := flag.NewFlagSet("bench predict", flag.ContinueOnError)
	model := f.String("model", "", "the file of the model")
	atLeast := f.Float64("at-least", 0, "repeat until this many CPU seconds are used")
	p, err := parse(f, args)
	if err != nil {
		return nil, err
	}
	m, err := mpcvm.LoadFile(*model)
	if err != nil {
		return nil, err
	}
	result := Predictions{Rows: len(p.TTest), Vectors: len(m.RelevanceVectors())}
	result.Labels, _ = measure.Repeat(*atLeast, func() error { m.Predict(nil, p.XTest); return nil })
	result.Proba, _ = measure.Repeat(*atLeast, func() error { m.Proba(nil, p.XTest); return nil })
	return result, nil
}

// Gram is the time to compute a matrix of RBF kernels, newly allocated and into an existing matrix.
type Gram struct {
	N      int          `json:"n"`
	D      int          `json:"d"`
	New    measure.Time `json:"new"`
	Reused measure.Time `json:"reused"`
}

func gram(args []string) (any, error) {
	f := flag.NewFlagSet("bench gram", flag.ContinueOnError)
	rows := f.Int("rows", 0, "use only the first `N` training rows; 0 for all")
	theta := f.Float64("theta", 1, "width of the kernel")
	atLeast := f.Float64("at-least", 0, "repeat until this many CPU seconds are used")
	p, err := parse(f, args)
	if err != nil {
		return nil, err
	}
	var result Gram
	result.N, result.D = p.X.Dims()
	if *rows > 0 {
		result.N = min(*rows, result.N)
	}
	x := p.X.Slice(0, result.N, 0, result.D).(*mat.Dense)
	k := kernel.RBF{Theta: *theta}
	result.New, _ = measure.Repeat(*atLeast, func() error { kernel.Gram(nil, k, x); return nil })
	dst := mat.NewDense(result.N, result.N, nil)
	kernel.Gram(dst, k, x) // its pages are mapped from now on
	result.Reused, _ = measure.Repeat(*atLeast, func() error { kernel.Gram(dst, k, x); return nil })
	return result, nil
}
