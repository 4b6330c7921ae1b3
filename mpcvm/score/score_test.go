package score

import (
	"errors"
	"math"
	"reflect"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// panics checks that f panics with a message of this package.
func panics(t *testing.T, what string, f func()) {
	t.Helper()
	defer func() {
		t.Helper()
		message, _ := recover().(string)
		if !strings.HasPrefix(message, "score: ") {
			t.Errorf("%s: panic %q, want one of package score", what, message)
		}
	}()
	f()
}

func TestErrorRate(t *testing.T) {
	for _, tc := range []struct {
		pred, t []int
		want    float64
	}{
		{[]int{0, 1, 2}, []int{0, 1, 2}, 0},
		{[]int{1, 2, 0}, []int{0, 1, 2}, 1},
		{[]int{0, 1, 1, 7}, []int{0, 1, 2, 7}, 0.25},
		{nil, nil, math.NaN()},
	} {
		got, err := ErrorRate(tc.pred, tc.t)
		if undefined := math.IsNaN(tc.want); errors.Is(err, ErrUndefined) != undefined ||
			math.IsNaN(got) != undefined || !undefined && got != tc.want {
			t.Errorf("ErrorRate(%v, %v) = %v, %v, want %v", tc.pred, tc.t, got, err, tc.want)
		}
	}
	if _, err := ErrorRate([]int{0, 1}, []int{0}); err == nil || err.Error() !=
		"score: row 2: 2 predictions for 1 label; want one for each label" {
		t.Errorf("lengths: %v", err)
	}
}

func TestConfusion(t *testing.T) {
	got, err := Confusion([]int{0, 1, 1, 2, 0}, []int{0, 0, 1, 1, 0}, 3)
	if want := [][]int{{2, 1, 0}, {0, 1, 1}, {0, 0, 0}}; err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, %v, want %v", got, err, want)
	}
	var label *LabelError
	if _, err := Confusion([]int{0, 1}, []int{0, 3}, 3); !errors.As(err, &label) ||
		*label != (LabelError{1, 3, 3}) {
		t.Errorf("label 3: %v", err)
	}
	if _, err := Confusion([]int{-1, 1}, []int{0, 1}, 3); !errors.As(err, &label) ||
		*label != (LabelError{0, -1, 3}) {
		t.Errorf("prediction -1: %v", err)
	}
	if _, err := Confusion([]int{0}, nil, 1); err == nil {
		t.Error("no error for lengths that differ")
	}
	panics(t, "classes", func() { _, _ = Confusion(nil, nil, 0) })
}

func TestLogLossAndBrier(t *testing.T) {
	third := 1.0 / 3
	for name, tc := range map[string]struct {
		p              []float64
		t              []int
		logLoss, brier float64
	}{
		"certain":      {[]float64{1, 0, 0, 0, 0, 1}, []int{0, 2}, 0, 0},
		"wrong":        {[]float64{1, 0, 0}, []int{1}, 1022 * math.Ln2, 2},
		"uniform":      {[]float64{third, third, third}, []int{1}, math.Log(3), 2 * third},
		"mixed":        {[]float64{.5, .25, .25, .25, .5, .25}, []int{0, 0}, 1.5 * math.Ln2, (.375 + .875) / 2},
		"just above 1": {[]float64{1 + 1e-15, 0, 0}, []int{0}, 0, 0},
		"just below 0": {[]float64{1, -1e-17, 0}, []int{1}, 1022 * math.Ln2, 2},
		"subnormal":    {[]float64{1, 5e-324, 0}, []int{1}, 1022 * math.Ln2, 2},
	} {
		p := mat.NewDense(len(tc.t), 3, tc.p)
		if got, err := LogLoss(p, tc.t); err != nil || math.Abs(got-tc.logLoss) > 1e-15*max(1, tc.logLoss) ||
			math.Signbit(got) {
			t.Errorf("%s: LogLoss = %v, %v, want %v", name, got, err, tc.logLoss)
		}
		if got, err := Brier(p, tc.t); err != nil || math.Abs(got-tc.brier) > 1e-15 {
			t.Errorf("%s: Brier = %v, %v, want %v", name, got, err, tc.brier)
		}
	}
}

func TestProbabilityErrors(t *testing.T) {
	scores := map[string]func(p mat.Matrix, t []int) error{
		"LogLoss":     func(p mat.Matrix, t []int) error { _, err := LogLoss(p, t); return err },
		"Brier":       func(p mat.Matrix, t []int) error { _, err := Brier(p, t); return err },
		"Reliability": func(p mat.Matrix, t []int) error { _, _, err := Reliability(p, t, 5); return err },
	}
	for name, score := range scores {
		p := mat.NewDense(2, 2, []float64{.5, .5, .5, .5})
		var label *LabelError
		if err := score(p, []int{0, 2}); !errors.As(err, &label) || *label != (LabelError{1, 2, 2}) {
			t.Errorf("%s: label 2: %v", name, err)
		}
		for _, v := range []float64{math.NaN(), -0.1, 1.1, math.Inf(1)} {
			p.Set(1, 0, v)
			var bad *ValueError
			if err := score(p, []int{0, 1}); !errors.As(err, &bad) || bad.Row != 1 || bad.Column != 0 {
				t.Errorf("%s: probability %v: %v", name, v, err)
			}
		}
		if err := score(mat.NewDense(2, 2, nil), []int{0}); err == nil {
			t.Errorf("%s: no error for lengths that differ", name)
		}
	}
	if _, err := LogLoss(&mat.Dense{}, nil); !errors.Is(err, ErrUndefined) {
		t.Errorf("no samples: %v", err)
	}
}
