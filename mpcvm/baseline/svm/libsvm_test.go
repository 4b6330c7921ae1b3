package svm_test

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"slices"
	"testing"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/internal/testkit/laws"
	"github.com/mpcvm/mpcvm/internal/testkit/must"
	"github.com/mpcvm/mpcvm/mpcvm/baseline/svm"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
	"github.com/mpcvm/mpcvm/mpcvm/score"
)

// The reference is the output of LIBSVM 3.24, recorded in testdata/libsvm.json: of svm-train -t 2 -g THETA -c C
// -e 0.001 and svm-predict, and with -b 1 for the log loss.
const goldenFile = "testdata/libsvm.json"

// oracle is the result of LIBSVM on a set, trained on 80 % of the rows and predicted on all rows.
type oracle struct {
	Set       string    `json:"set"`
	Theta     float64   `json:"theta"`
	C         float64   `json:"c"`
	Objective []float64 `json:"objective"` // −D of each pair
	Rho       []float64 `json:"rho"`       // −b of each pair
	Vectors   int       `json:"vectors"`   // distinct support vectors
	Weights   int       `json:"weights"`   // non-zero coefficients
	Predicted string    `json:"predicted"` // a letter for each row, A for class 0
	LogLoss   float64   `json:"logloss"`   // of the test part, with -b 1
}

func (o oracle) String() string { return fmt.Sprintf("%s/theta=%g/C=%g", o.Set, o.Theta, o.C) }

// parts returns the training part of a set, sorted by class so that LIBSVM orders the pairs as this package
// does, the test part and the whole set, all standardised.
func parts(tb testing.TB, name string) (train, test, all *data.Set) {
	tb.Helper()
	set, err := data.Load(name)
	if err != nil {
		tb.Skipf("NOT RUN: %v", err)
	}
	train, test = set.Split(0.8, 1)
	rows := make([]int, train.N())
	for i := range rows {
		rows[i] = i
	}
	slices.SortStableFunc(rows, func(i, j int) int { return train.T[i] - train.T[j] })
	train = train.Subset(rows)
	scale := data.FitStandardizer(train.X)
	for _, s := range []*data.Set{train, test, set} {
		s.X = scale.Apply(nil, s.X)
	}
	return train, test, set
}

// TestLIBSVMGolden compares with the recorded output of LIBSVM.
func TestLIBSVMGolden(t *testing.T) {
	text := must.Get(os.ReadFile(goldenFile))(t)
	var golden []oracle
	must.OK(t, json.Unmarshal(text, &golden))
	must.Equal(t, len(golden), 7)
	for _, o := range golden {
		t.Run(o.String(), func(t *testing.T) { compare(t, o) })
	}
}

// compare compares a fit with the result of LIBSVM.
func compare(t *testing.T, o oracle) {
	train, test, all := parts(t, o.Set)
	l := svm.SVM{Kernel: kernel.RBF{Theta: o.Theta}, C: o.C}
	model, result := laws.Fit(t, l, train.X, train.T)
	objective := 0.0
	for _, v := range o.Objective {
		objective -= v
	}
	if d := math.Abs(result.Objective/objective - 1); !(d < 1e-4) {
		t.Errorf("objective %v, LIBSVM's %v", result.Objective, objective)
	}
	bias := model.Bias()
	for p, rho := range o.Rho {
		if math.Abs(bias[p]+rho) > 0.01 {
			t.Errorf("pair %d: bias %v, LIBSVM's %v", p, bias[p], -rho)
		}
	}
	vectors, weights := model.VectorCount(), model.WeightCount()
	if near := func(a, b int) bool { return math.Abs(float64(a-b)) <= max(1, 0.01*float64(b)) }; !near(vectors,
		o.Vectors) || !near(weights, o.Weights) {
		t.Errorf("%d support vectors and %d coefficients, LIBSVM's %d and %d", vectors, weights, o.Vectors,
			o.Weights)
	}
	differ := 0
	for i, c := range model.Predict(nil, all.X) {
		if c != int(o.Predicted[i]-'A') {
			differ++
		}
	}
	if float64(differ) > 0.005*float64(all.N()) {
		t.Errorf("%d of %d predictions differ", differ, all.N())
	}
	loss := must.Get(score.LogLoss(model.Proba(nil, test.X), test.T))(t)
	// The folds differ, so the values agree only approximately.
	if math.Abs(loss-o.LogLoss) > 0.03+0.1*o.LogLoss {
		t.Errorf("log loss %v, LIBSVM's %v", loss, o.LogLoss)
	}
	t.Logf("objective %.5g (%.5g), vectors %d (%d), weights %d (%d), %d differ, log loss %.4f (%.4f)",
		result.Objective, objective, vectors, o.Vectors, weights, o.Weights, differ, loss, o.LogLoss)
}
