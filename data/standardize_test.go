package data

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// slowMeanDeviation computes the reference with 400 bits.
func slowMeanDeviation(x []float64) (mean, deviation float64) {
	number := func(v float64) *big.Float { return new(big.Float).SetPrec(400).SetFloat64(v) }
	sum := number(0)
	for _, v := range x {
		sum.Add(sum, number(v))
	}
	n := float64(len(x))
	m := sum.Quo(sum, number(n))
	squares := number(0)
	for _, v := range x {
		d := number(v)
		d.Sub(d, m)
		squares.Add(squares, d.Mul(d, d))
	}
	squares.Quo(squares, number(n-1))
	mean, _ = m.Float64()
	deviation, _ = squares.Sqrt(squares).Float64()
	return mean, deviation
}

func TestFitStandardizerAgainstTruth(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, offset := range []float64{0, 1, -1e3, 1e8, 1e12} {
		for _, spread := range []float64{1e-2, 1, 1e3} {
			x := mat.NewDense(1000, 1, nil)
			for n := range 1000 {
				x.Set(n, 0, offset+spread*random.NormFloat64())
			}
			s := FitStandardizer(x)
			mean, deviation := slowMeanDeviation(mat.Col(nil, 0, x))
			if math.Abs(s.Mean[0]-mean) > 1e-15*max(math.Abs(mean), deviation) {
				t.Errorf("offset %v, spread %v: mean %v, want %v", offset, spread, s.Mean[0], mean)
			}
			if math.Abs(s.Scale[0]-deviation) > 1e-13*deviation {
				t.Errorf("offset %v, spread %v: deviation %v, want %v", offset, spread, s.Scale[0], deviation)
			}
		}
	}
}

func TestFitStandardizer(t *testing.T) {
	for name, tc := range map[string]struct {
		column      []float64
		mean, scale float64
	}{
		"plain":          {[]float64{1, 2, 3}, 2, 1},
		"zeros":          {[]float64{0, 0, 0}, 0, 1},
		"constant":       {[]float64{0.1, 0.1, 0.1, 0.1, 0.1, 0.1}, 0.1, 1},
		"rounding noise": {[]float64{0.3, 0.1 + 0.2*1.0000000000000002, 0.3}, 0.3, 1},
		"large constant": {[]float64{1e300, 1e300, 1e300}, 1e300, 1},
		"one row":        {[]float64{7}, 7, 1},
		"huge":           {[]float64{1e200, 2e200, 3e200}, 2e200, 1e200},
		"largest":        {[]float64{-math.MaxFloat64, 0, math.MaxFloat64}, 0, math.MaxFloat64},
		"beyond largest": {[]float64{-math.MaxFloat64, math.MaxFloat64}, 0, math.MaxFloat64},
		"tiny":           {[]float64{1e-300, 2e-300, 3e-300}, 2e-300, 1e-300},
		"one differs":    {[]float64{0, 0, 0, 4}, 1, 2},
		"small spread":   {[]float64{1e9, 1e9 + 2}, 1e9 + 1, math.Sqrt2},
	} {
		s := FitStandardizer(mat.NewDense(len(tc.column), 1, tc.column))
		if math.Abs(s.Mean[0]-tc.mean) > 1e-15*math.Abs(tc.mean) || math.Abs(s.Scale[0]-tc.scale) > 1e-15*tc.scale {
			t.Errorf("%s: mean %v, scale %v, want %v, %v", name, s.Mean[0], s.Scale[0], tc.mean, tc.scale)
		}
	}
	panics(t, "empty", func() { FitStandardizer(&mat.Dense{}) })
}

// A constant repeated in many rows has no deviation, however its sum is rounded.
func TestFitStandardizerConstant(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	column := make([]float64, 10007)
	for range 100 {
		v := math.Ldexp(random.NormFloat64(), random.IntN(200)-100)
		for n := range column {
			column[n] = v
		}
		if s := FitStandardizer(mat.NewDense(len(column), 1, column)); s.Scale[0] != 1 {
			t.Errorf("constant %v: scale %v", v, s.Scale[0])
		}
	}
}

// Features in other units, by powers of two, are the same bits after standardising.
func TestStandardizerUnits(t *testing.T) {
	s := small()
	x := mat.DenseCopyOf(s.X)
	x.Apply(func(_, j int, v float64) float64 { return []float64{1024, 1.0 / 64}[j] * v }, x)
	if !mat.Equal(FitStandardizer(x).Apply(nil, x), FitStandardizer(s.X).Apply(nil, s.X)) {
		t.Error("the bits depend on the units")
	}
}

func TestStandardizerApply(t *testing.T) {
	iris, err := Load("iris")
	if err != nil {
		t.Fatal(err)
	}
	s := FitStandardizer(iris.X)
	z := s.Apply(nil, iris.X)
	again := FitStandardizer(z)
	for j := range iris.D() {
		if math.Abs(again.Mean[j]) > 1e-14 || math.Abs(again.Scale[j]-1) > 1e-14 {
			t.Errorf("column %d: mean %v, scale %v", j, again.Mean[j], again.Scale[j])
		}
	}
	if back := s.Inverse(nil, z); !mat.EqualApprox(back, iris.X, 1e-14) {
		t.Error("Inverse does not undo Apply")
	}
	var empty mat.Dense
	if s.Apply(&empty, iris.X); !mat.Equal(&empty, z) {
		t.Error("an empty destination differs")
	}
	inPlace := mat.DenseCopyOf(iris.X)
	if got := s.Apply(inPlace, inPlace); got != inPlace || !mat.Equal(got, z) {
		t.Error("in place differs")
	}
	if got := s.Apply(nil, iris.X.T().T()); !mat.Equal(got, z) {
		t.Error("a matrix that is not dense differs")
	}
	panics(t, "columns", func() { s.Apply(nil, mat.NewDense(2, 3, nil)) })
	panics(t, "destination", func() { s.Apply(mat.NewDense(2, 4, nil), iris.X) })
}
