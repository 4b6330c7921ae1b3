//go:build unix

package main

import (
	"flag"

	"github.com/mpcvm/mpcvm/experiments/internal/measure"
	"github.com/mpcvm/mpcvm/internal/testkit/sets"
	"github.com/mpcvm/mpcvm/mpcvm"
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
	set := f.String("set", "iris", "name of the set")
	model := f.String("model", "", "the file of the model")
	atLeast := f.Float64("at-least", 0, "repeat until this many CPU seconds are used")
	if err := parse(f, args); err != nil {
		return nil, err
	}
	p, err := sets.Load(*set)
	if err != nil {
		return nil, err
	}
	m, err := mpcvm.LoadFile(*model)
	if err != nil {
		return nil, err
	}
	result := Predictions{Rows: len(p.TTest), Vectors: len(m.RelevanceVectors())}
	result.Labels, err = measure.Repeat(*atLeast, func() error { m.Predict(nil, p.XTest); return nil })
	if err != nil {
		return nil, err
	}
	result.Proba, err = measure.Repeat(*atLeast, func() error { m.Proba(nil, p.XTest); return nil })
	return result, err
}
