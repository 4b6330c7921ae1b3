package nbhelpers

import (
	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/score"
)

// Tested is what a learner reaches on samples that it did not learn from: a value for each
// partition.
type Tested struct {
	// Err is the error rate in per cent.
	Err []float64
	// LogLoss is in nats; Raw is the log loss at temperature 1.
	LogLoss, Raw []float64
	// Weights counts the weights that are not zero.
	Weights []float64
}

// OnPartitions fits a learner to the training part of the partitions from to to−1 of a
// set of package data, such as "glass", and tests it on the rest. Features are
// standardised by the training part. OnPartitions panics if there is no such set or
// partition, or if a fit fails, also because the Stop button was pressed.
func OnPartitions(l mpcvm.Learner, name string, from, to int) (r Tested) {
	set := Must(data.Load(name))
	for _, rows := range Must(data.Partitions(name))[from:to] {
		train, test := set.Subset(rows), set.Subset(set.Complement(rows))
		scale := data.FitStandardizer(train.X)
		model, _ := Fit(l, scale.Set(train))
		test = scale.Set(test)
		r.Err = append(r.Err, 100*score.ErrorRate(model.Predict(nil, test.X), test.T))
		r.LogLoss = append(r.LogLoss, Must(score.LogLoss(model.Proba(nil, test.X), test.T)))
		r.Raw = append(r.Raw, Must(score.LogLoss(model.WithTemperature(1).Proba(nil, test.X), test.T)))
		r.Weights = append(r.Weights, float64(model.WeightCount()))
	}
	return r
}
