// Compare with an SVM and logistic regression.
//
// All classifiers have the same methods, so one loop compares them on the same samples. The
// reliability chart shows whether the probabilities are calibrated: on the diagonal, a class
// predicted with probability p is correct in a fraction p of the cases.
package main

import (
	"context"
	"fmt"
	"log"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/baseline/mlr"
	"github.com/mpcvm/mpcvm/mpcvm/baseline/svm"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
	"github.com/mpcvm/mpcvm/mpcvm/score"
	"github.com/mpcvm/mpcvm/nbhelpers"
)

func main() {
	train, test := data.Overlap(1), data.Overlap(2)
	ctx, k := context.Background(), kernel.RBF{Theta: 1}
	ours, _, err := mpcvm.BottomUp{Kernel: k}.Fit(ctx, mpcvm.Samples{X: train.X, T: train.T})
	if err != nil {
		log.Fatal(err)
	}
	vectors, _, err := svm.SVM{Kernel: k, C: 1}.Fit(ctx, mpcvm.Samples{X: train.X, T: train.T})
	if err != nil {
		log.Fatal(err)
	}
	logistic, _, err := mlr.MLR{}.Fit(ctx, mpcvm.Samples{X: train.X, T: train.T})
	if err != nil {
		log.Fatal(err)
	}
	var curves []nbhelpers.Calibration
	for _, system := range []struct {
		name string
		mpcvm.Classifier
		weights int
	}{
		{"mPCVM₂", ours, ours.WeightCount()},
		{"SVM", vectors, vectors.WeightCount()},
		{"logistic", logistic, logistic.WeightCount()},
	} {
		p, wrong := system.Proba(nil, test.X), nbhelpers.Wrong(system, test)
		loss, err := score.LogLoss(p, test.T)
		if err != nil {
			log.Fatal(err)
		}
		bins, _, err := score.Reliability(p, test.T, 8)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%-9s error %.1f %%, log loss %.2f, %3d weights\n",
			system.name, 100*float64(wrong)/float64(test.N()), loss, system.weights)
		curves = append(curves, nbhelpers.Calibration{Name: system.name, Bins: bins})
	}
	chart := nbhelpers.Reliability(curves, nbhelpers.ReliabilityOptions{Title: "Overlap, unseen samples"})
	if err := chart.WriteFile("reliability.html"); err != nil {
		log.Fatal(err)
	}
}

// Output:
// mPCVM₂    error 12.5 %, log loss 0.32,  15 weights
// SVM       error 11.5 %, log loss 0.32, 150 weights
// logistic  error 38.5 %, log loss 0.53,   6 weights
