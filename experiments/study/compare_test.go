package study

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/floats/scalar"

	"github.com/mpcvm/mpcvm/internal/testkit/must"
)

func TestPaired(t *testing.T) {
	var results []Result
	for _, p := range []int{7, 5, 6} { // the order of the results does not matter
		errs := map[int][2]float64{5: {0.1, 0.2}, 6: {0.3, 0.3}, 7: {0.2, 0.5}}[p]
		for i, s := range []string{"a", "b"} {
			results = append(results, Result{System: s, Dataset: "x", Partition: p, Err: errs[i], NTrain: 80,
				NTest: 20})
		}
	}
	if errs := Errors(results, "a", "x"); !floats.EqualApprox(errs, []float64{10, 30, 20}, 1e-12) {
		t.Errorf("errors %v", errs)
	}
	d := Paired(results, "a", "b", "x")
	if !floats.EqualApprox(d.Values, []float64{-10, 0, -30}, 1e-12) || !scalar.EqualWithinAbs(d.Mean, -40./3,
		1e-12) {
		t.Errorf("differences %v, mean %v", d.Values, d.Mean)
	}
	s := math.Sqrt((100./9 + 1600./9 + 2500./9) / 2) // around −40/3
	for _, v := range []struct {
		name      string
		got, want float64
	}{
		{"independent", d.Independent, math.Sqrt((100 + 700./3) / 3)},
		{"paired", d.Paired, s / math.Sqrt(3)},
		{"corrected", d.Corrected, s * math.Sqrt(1./3+1./4)},
	} {
		if !scalar.EqualWithinAbs(v.got, v.want, 1e-12) {
			t.Errorf("%s standard error %v, want %v", v.name, v.got, v.want)
		}
	}
	for _, wrong := range [][]Result{nil, results[1:], results[:2]} {
		must.Panic(t, "unequal results", func() { Paired(wrong, "a", "b", "x") })
	}
}

func TestFriedmanOfPaper(t *testing.T) {
	r := NewReport(paperResults(), nil, nil)
	test, err := r.Friedman([]string{"mrvm1", "mrvm2", "svm", "dlsr", "mlr", "mpcvm2"}, Datasets(),
		func(c *Cell) float64 { return c.PaperErr.Mean })
	if err != nil || math.Abs(test.Q-23.661) > 1e-3 || test.Average[5] != 1 {
		t.Errorf("%+v, %v", test, err)
	}
	must.Panic(t, "without a run", func() {
		_, _ = r.Friedman([]string{"mrvm1", "nobody"}, Datasets(), func(*Cell) float64 { return 0 })
	})
}

func TestTitleAndGrowth(t *testing.T) {
	for name, want := range map[string]string{"mpcvm1": "mPCVM₁", "svm+linear": "SVM+linear", "mine": "mine",
		"mine+b": "mine+b"} {
		if got := Title(name); got != want {
			t.Errorf("Title(%q) is %q, want %q", name, got, want)
		}
	}
	for _, s := range Systems() {
		if Title(s) == s {
			t.Errorf("%s has no title", s)
		}
	}
	var results []Result
	for _, c := range []int{10, 2, 4} {
		results = append(results, Result{System: "a", Dataset: "x-" + string(rune('a'+c)), Classes: c},
			Result{System: "b", Dataset: "x"})
	}
	var classes []int
	for _, c := range NewReport(results, nil, nil).Growth("a") {
		classes = append(classes, c.Classes)
	}
	if !slices.Equal(classes, []int{2, 4, 10}) {
		t.Errorf("growth over %v classes", classes)
	}
}

func TestShared(t *testing.T) {
	var results []Result
	for _, s := range []string{"a x 1", "a x 2", "a y 1", "b x 2", "b x 2", "b x 3", "c x 2", "c y 1"} {
		var r Result
		if _, err := fmt.Sscan(s, &r.System, &r.Dataset, &r.Partition); err != nil {
			t.Fatal(err)
		}
		results = append(results, r)
	}
	for _, c := range []struct {
		systems []string
		want    string
	}{
		{[]string{"a", "b"}, "ax2 bx2 bx2 "}, {[]string{"a", "c"}, "ax2 ay1 cx2 cy1 "},
		{[]string{"a", "b", "c"}, "ax2 bx2 bx2 cx2 "}, {[]string{"a", "d"}, ""}, {nil, ""},
	} {
		got := ""
		for _, r := range Shared(results, c.systems) {
			got += fmt.Sprint(r.System, r.Dataset, r.Partition) + " "
		}
		if got != c.want {
			t.Errorf("%v share %q, want %q", c.systems, got, c.want)
		}
	}
}
