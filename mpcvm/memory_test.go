package mpcvm_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/internal/memory"
	"github.com/mpcvm/mpcvm/internal/testkit/laws"
	"github.com/mpcvm/mpcvm/internal/testkit/watch"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/baseline/mrvm"
	"github.com/mpcvm/mpcvm/mpcvm/baseline/svm"
	"github.com/mpcvm/mpcvm/mpcvm/gp"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
	"github.com/mpcvm/mpcvm/mpcvm/search"
)

// fitter returns a fit without its results.
func fitter[M, R any](l laws.Learner[M, R], s mpcvm.Samples) func(ctx context.Context) error {
	return func(ctx context.Context) error {
		_, _, err := l.Fit(ctx, s)
		return err
	}
}

// Every learner that needs N×N matrices is refused if they do not fit into memory, with an error that reports
// the memory and what to do. With exactly the memory it asked for, it works, also several times in a row,
// because it releases what it reserved.
func TestMemoryForeseen(t *testing.T) {
	watch.SkipUnderRace(t)
	const n, c = 60, 3
	x, labels := mat.NewDense(n, 2, nil), make([]int, n)
	for i := range n {
		labels[i] = i % c
		x.SetRow(i, []float64{float64(i%c) + float64(i)/n, float64(i*i%7) / 7})
	}
	rbf := kernel.RBF{Theta: 1}
	square, rows := 8.*n*n, 8.*n*c
	samples := mpcvm.Samples{X: x, T: labels}
	prior := gp.KernelPrior{Kernel: rbf, MaxIterations: 2}
	for _, tt := range []struct {
		name, advice string
		need         float64
		fit          func(ctx context.Context) error
	}{
		{"mpcvm: TopDown", "set Candidates", 2*square + 8*rows,
			fitter(mpcvm.TopDown{Kernel: rbf, MaxIterations: 2}, samples)},
		{"mpcvm: BottomUp", "set Float32", square + 10*rows,
			fitter(mpcvm.BottomUp{Kernel: rbf, MaxIterations: 2}, samples)},
		{"mpcvm: BottomUp", "fewer samples", square/2 + 10*rows,
			fitter(mpcvm.BottomUp{Kernel: rbf, MaxIterations: 2, Float32: true}, samples)},
		{"gp: KernelPrior", "fewer samples", square + 50*rows, fitter(prior, samples)},
		{"gp: KernelPrior", "fewer samples", max(square+50*rows, 2*square+8*rows), func(ctx context.Context) error {
			_, err := prior.LeaveOneOut(ctx, samples)
			return err
		}},
		{"gp: ARD", "fewer samples", 3*square + 8*rows, fitter(gp.ARD{Kernel: rbf, Rounds: 1, Steps: 1}, samples)},
		{"mrvm: TopDown", "fewer samples", 3*square + 4*rows,
			fitter(mrvm.TopDown{Kernel: rbf, MaxIterations: 2}, samples)},
		{"mrvm: BottomUp", "fewer samples", square + 4*rows,
			fitter(mrvm.BottomUp{Kernel: rbf, MaxIterations: 2}, samples)},
		{"svm: kernel matrix", "lower CacheMiB", square, fitter(svm.SVM{Kernel: rbf, NoProbability: true},
			samples)},
	} {
		t.Run(fmt.Sprintf("%s %.0f", tt.name, tt.need), func(t *testing.T) {
			defer memory.Pretend(tt.need - 1)()
			err := tt.fit(bg)
			var refused *mpcvm.MemoryError
			if !errors.As(err, &refused) || refused.Need != tt.need || refused.Have != tt.need-1 {
				t.Fatalf("with one byte less than %.0f: %v", tt.need, err)
			}
			for _, part := range []string{tt.name, "60 samples", tt.advice, "of memory"} {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("%v: does not contain %s", err, part)
				}
			}
			defer memory.Pretend(tt.need)()
			ended, cancel := context.WithCancel(bg)
			cancel()
			_ = tt.fit(ended) // also releases what it reserved
			for range 2 {
				if err := tt.fit(bg); err != nil {
					t.Fatalf("with %.0f bytes: %v", tt.need, err)
				}
			}
		})
	}
}

// Learners that cross-validate are refused as well, and invalid data are reported before missing memory.
func TestMemoryOfChoice(t *testing.T) {
	watch.SkipUnderRace(t)
	defer memory.Pretend(1000)()
	x, labels := mat.NewDense(20, 1, nil), make([]int, 20)
	for i := range labels {
		labels[i] = i % 2
		x.Set(i, 0, float64(i))
	}
	var refused *mpcvm.MemoryError
	for name, l := range map[string]mpcvm.Learner{"TopDown": mpcvm.TopDown{},
		"BottomUp": search.Width{Learner: mpcvm.BottomUp{}}, "KernelPrior": search.Width{
			Learner: gp.KernelPrior{}}} {
		if m, _, err := l.Fit(bg, mpcvm.Samples{X: x, T: labels}); m != nil || !errors.As(err, &refused) {
			t.Errorf("%s: %v", name, err)
		}
		clear(labels)
		var fault *mpcvm.CellError
		if _, _, err := l.Fit(bg, mpcvm.Samples{X: x, T: labels}); !errors.As(err, &fault) {
			t.Errorf("%s: %v", name, err)
		}
		for i := range labels {
			labels[i] = i % 2
		}
	}
	if _, _, err := (search.Auto{}).Fit(bg, mpcvm.Samples{X: x, T: labels}); !errors.As(err, &refused) {
		t.Errorf("Auto: %v", err)
	}
}
