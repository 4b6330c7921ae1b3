// Package must holds steps of tests that end the test if they fail.
package must

import (
	"context"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/mpcvm"
)

// Learner is a learner of any model and result, such as mpcvm.BottomUp and gp.ARD.
type Learner[M, R any] interface {
	Fit(ctx context.Context, s mpcvm.Samples, observers ...mpcvm.Observer) (M, R, error)
}

// Fit fits a learner.
func Fit[M, R any](t testing.TB, l Learner[M, R], x mat.Matrix, labels []int,
	observers ...mpcvm.Observer) (M, R) {
	t.Helper()
	m, r, err := l.Fit(t.Context(), mpcvm.Samples{X: x, T: labels}, observers...)
	if err != nil {
		t.Fatalf("%T: %v", l, err)
	}
	return m, r
}

// Load returns a known data set.
func Load(t testing.TB, name string) *data.Set {
	t.Helper()
	set, err := data.Load(name)
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// Scaled returns a known data set with standardised features.
func Scaled(t testing.TB, name string) *data.Set {
	t.Helper()
	set := Load(t, name)
	set.X = data.FitStandardizer(set.X).Apply(nil, set.X)
	return set
}

// Panic fails the test if f does not panic. about says what f does.
func Panic(t testing.TB, about string, f func()) {
	t.Helper()
	defer func() {
		if recover() == nil {
			t.Errorf("%s: no panic", about)
		}
	}()
	f()
}
