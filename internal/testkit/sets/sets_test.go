package sets

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/data"
)

// TestLoad checks the sizes of the sets, and that they are standardised by the training data.
func TestLoad(t *testing.T) {
	sizes := map[string][2]int{
		"iris": {120, 30}, "wine": {142, 36}, "glass": {171, 43}, "breast": {546, 137},
		"vowel": {792, 198}, "wine-white": {3918, 980}, "letter": {4000, 4000},
	}
	for _, name := range Names {
		p, err := Load(name)
		if err != nil {
			if _, embedded := data.CSV(name); embedded == nil {
				t.Error(err)
			} else {
				t.Logf("SKIPPED %v", err)
			}
			continue
		}
		if p.Theta == 0 {
			t.Errorf("%s: no theta", name)
		}
		if got := [2]int{len(p.T), len(p.TTest)}; got != sizes[name] {
			t.Errorf("%s: %v rows, want %v", name, got, sizes[name])
		}
		n, d := p.X.Dims()
		for j := range d {
			mean := 0.0
			for i := range n {
				mean += p.X.At(i, j) / float64(n)
			}
			if math.Abs(mean) > 1e-9 {
				t.Errorf("%s: mean of feature %d is %g", name, j, mean)
			}
		}
	}
}

// TestLoadPart checks the sizes of subsets, and impossible requests.
func TestLoadPart(t *testing.T) {
	set, err := data.Load("letter")
	if err != nil {
		t.Fatal(err)
	}
	train, test, err := letters(set, 1000, 2)
	if err != nil {
		t.Fatal(err)
	}
	if train.N() != 1000 || train.C() != 2 || test.N() != 555 { // 789 A and 766 B
		t.Errorf("%d rows, %d classes, %d test rows", train.N(), train.C(), test.N())
	}
	for _, bad := range [][2]int{{2000, 2}, {0, 27}, {0, 1}} {
		if _, _, err := letters(set, bad[0], bad[1]); err == nil {
			t.Errorf("rows and classes %v: no error", bad)
		}
	}
	p, err := LoadPart("breast", 100, 0)
	if err != nil || len(p.T) < 98 || len(p.T) > 102 || len(p.TTest) != 137 {
		t.Errorf("breast: %v", err)
	}
	for _, bad := range []func() (*Problem, error){
		func() (*Problem, error) { return Load("nonsense") },
		func() (*Problem, error) { return LoadPart("iris", 0, 2) },
	} {
		if _, err := bad(); err == nil {
			t.Error("no error")
		}
	}
}

// TestShuttle checks the sizes of the classes.
func TestShuttle(t *testing.T) {
	a, b := Shuttle(58000, 1), Shuttle(58000, 2)
	if want := []int{45586, 50, 171, 8903, 3267, 10, 13}; a.N() != 58000 || a.D() != 9 ||
		!slices.Equal(a.Counts(), want) {
		t.Errorf("%d samples of %d features, classes of %v, want %v", a.N(), a.D(), a.Counts(), want)
	}
	if err := a.CheckTrainable(); err != nil {
		t.Error(err)
	}
	if mat.Equal(a.X, b.X) {
		t.Error("two seeds give the same samples")
	}
	if small := Shuttle(1000, 1); slices.Min(small.Counts()) != 2 {
		t.Errorf("1000 samples: classes of %v", small.Counts())
	}
}
