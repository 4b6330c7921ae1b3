package probit

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/mpcvm/internal/cpu"
)

// levels returns the vector instruction sets of this processor.
func levels() []cpu.Level { return []cpu.Level{cpu.Portable, cpu.AVX2, cpu.AVX512}[:cpu.Best+1] }

// atLevels runs a test at every level.
func atLevels(t *testing.T, f func(t *testing.T)) {
	for _, l := range levels() {
		t.Run(l.String(), func(t *testing.T) {
			defer cpu.Use(l)()
			f(t)
		})
	}
}

// wild returns potentials (N×C) and labels: random potentials, ties, all potentials equal,
// the class of the label far above or below the others, or another class far away.
func wild(rng *rand.Rand, n, c int) (y *mat.Dense, labels []int) {
	y, labels = mat.NewDense(n, c, nil), make([]int, n)
	for i := range n {
		row, label := random(rng, c)
		gap := 100*rng.Float64() - 40 // −40 … 60
		switch rng.IntN(8) {
		case 0:
			for j := range row {
				row[j] = math.Round(row[j])
			}
		case 1:
			for j := range row {
				row[j] = 0.1
			}
		case 2:
			row[label] += gap
		case 3:
			row[rng.IntN(c)] -= gap
		}
		y.SetRow(i, row)
		labels[i] = label
	}
	return y, labels
}

// near reports whether the error of a is at most tol, relative or near zero absolute.
func near(a, b, tol float64) bool {
	return a == b || math.Abs(a-b) <= tol*max(1, math.Abs(b)) || math.IsNaN(a) && math.IsNaN(b)
}

// TestBatchAgainstSingle compares a Batch with the scalar functions, in place, in
// matrices that are views of larger ones.
func TestBatchAgainstSingle(t *testing.T) {
	atLevels(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(4, 1))
		for _, c := range []int{1, 2, 3, 4, 5, 7, 11, 26, 33, 100} {
			for _, tol := range []float64{0, 1e-14} {
				n := 20 + 400/(c+5)
				y, labels := wild(rng, n, c)
				meansTol, probaTol := 1e-8, 1e-11 // a few times the tolerance
				if tol != 0 {
					meansTol, probaTol = 1e-12, 1e-12
				}
				worst := [3]float64{}

				p := mat.NewDense(n+1, c+2, nil).Slice(1, n+1, 1, c+1).(*mat.Dense)
				p.Copy(y)
				Batch{tol}.Proba(p, p)
				logp := make([]float64, n)
				Batch{tol}.LogProb(logp, y, labels)
				zbar := mat.NewDense(c+1, n+3, nil).Slice(1, c+1, 2, n+2).(*mat.Dense)
				zbar.Copy(y.T())
				logm := make([]float64, n)
				Batch{tol}.Means(zbar, logm, zbar, labels)
				for i := range n {
					row := y.RawRowView(i)
					want, lwant := Means(nil, row, labels[i])
					for j, p1 := range Proba(nil, row) {
						got, tol := p.At(i, j), 1e-10 // the accuracy of the table for small r
						if j == labels[i] && cpu.Vector() != cpu.Portable {
							p1, tol = math.Exp(lwant), probaTol*max(1, -lwant)
							if p1 > 1e-290 {
								worst[0] = max(worst[0], math.Abs(got/p1-1))
							}
						}
						if !near(got, p1, tol) || p1 > 1e-290 && !near(got/p1, 1, tol) {
							t.Fatalf("%v: p(%d) = %v, single %v", row, j, got, p1)
						}
					}
					if math.Abs(mat.Sum(p.RowView(i))-1) > 1e-15*float64(c+4) {
						t.Fatalf("%v: probabilities sum to 1 + %g", row, mat.Sum(p.RowView(i))-1)
					}
					if !near(logp[i], lwant, probaTol) || !near(logm[i], lwant, meansTol) {
						t.Fatalf("log p(%d | %v) = %v and %v, single %v", labels[i], row, logp[i], logm[i], lwant)
					}
					worst[1] = max(worst[1], reldiff(logm[i], lwant))
					for j, want := range want {
						if !near(zbar.At(j, i), want, meansTol) {
							t.Fatalf("E[z_%d | %d, %v] = %v, single %v", j, labels[i], row, zbar.At(j, i), want)
						}
						worst[2] = max(worst[2], reldiff(zbar.At(j, i), want))
					}
				}
				t.Logf("C = %3d, tolerance %5.0e: p %.1e, log p %.1e, means %.1e", c, tol, worst[0], worst[1], worst[2])
			}
		}
	})
}

// TestBatchOdd: samples outside the range of the vectors, mixed with others.
func TestBatchOdd(t *testing.T) {
	inf := math.Inf(1)
	odd := [][]float64{
		{0, math.NaN(), 1}, {inf, 0, 1}, {0, -inf, 1}, {inf, inf, inf}, {-inf, -inf, -inf}, {0, 1, inf},
		{0, 1, -inf}, {1e300, -1e300, 0}, {-1e308, 1e308, 0}, {1.7e308, -1.7e308, 1}, {0, 1e3, -1e3}, {0, 61, 3},
		{-59, 0, 1}, {0, 2e9, 5}, {0, 54, 60}, {52, 0, -1}, {53, 0, 0.1}, {1e17, 1e17, 1e17 - 64},
	}
	atLevels(t, func(t *testing.T) {
		for label := range 3 {
			n := 2 * len(odd)
			y, labels := mat.NewDense(n, 3, nil), make([]int, n)
			for i := range labels {
				labels[i] = label
				if y.SetRow(i, []float64{0.3, -0.2, float64(i) / 10}); i%2 == 1 {
					y.SetRow(i, odd[i/2])
				}
			}
			p, zbar, logp := mat.NewDense(n, 3, nil), mat.DenseCopyOf(y.T()), make([]float64, n)
			Batch{1e-14}.Proba(p, y)
			Batch{1e-14}.Means(zbar, logp, zbar, labels)
			for i := range n {
				row := y.RawRowView(i)
				want, lwant := Means(nil, row, label)
				if !near(logp[i], lwant, 1e-12) {
					t.Errorf("log p(%d | %v) = %v, single %v", label, row, logp[i], lwant)
				}
				for j, p1 := range Proba(nil, row) {
					if got := p.At(i, j); !near(got, p1, 1e-14) || !near(got/p1, 1, 1e-10) && p1 > 1e-290 {
						t.Errorf("%v: p(%d) = %v, single %v", row, j, got, p1)
					}
					if !near(zbar.At(j, i), want[j], 1e-12) {
						t.Errorf("E[z_%d | %d, %v] = %v, single %v", j, label, row, zbar.At(j, i), want[j])
					}
				}
			}
		}
	})
}

func TestBatchGolden(t *testing.T) {
	var cases []struct {
		Y       []float64
		Targets []int
		P       []float64
		LogP    []float64 `json:"log_p"`
	}
	golden(t, "probit_probabilities.json", &cases)
	var posterior []struct {
		Y     []float64
		Means []struct {
			T    int
			Zbar []float64
		}
	}
	golden(t, "posterior_means.json", &posterior)
	atLevels(t, func(t *testing.T) {
		for _, g := range cases {
			n := len(g.Targets)
			y, logp := mat.NewDense(n, len(g.Y), nil), make([]float64, n)
			for i := range n {
				y.SetRow(i, g.Y)
			}
			Batch{1e-14}.LogProb(logp, y, g.Targets)
			Batch{Tol: 1e-12}.Proba(y, y)
			for i, c := range g.Targets {
				if !near(logp[i], g.LogP[i], 1e-12) {
					t.Errorf("log p(%d | %v) = %v, want %v", c, g.Y, logp[i], g.LogP[i])
				}
				if p := y.At(i, c); !near(p, g.P[i], 1e-14) || g.P[i] > 1e-290 && !near(p/g.P[i], 1, 1e-10) {
					t.Errorf("p(%d | %v) = %v, want %v", c, g.Y, p, g.P[i])
				}
			}
		}
		for _, g := range posterior {
			for _, m := range g.Means {
				y := mat.NewDense(len(g.Y), 1, append([]float64(nil), g.Y...))
				Batch{1e-14}.Means(y, make([]float64, 1), y, []int{m.T})
				for j, want := range m.Zbar {
					if !near(y.At(j, 0), want, 1e-12) {
						t.Errorf("E[z_%d | %d, %v] = %v, want %v", j, m.T, g.Y, y.At(j, 0), want)
					}
				}
			}
		}
	})
}

// result returns all results of a batch in one matrix.
func result(y *mat.Dense, labels []int) (all *mat.Dense) {
	n, c := y.Dims()
	logm, logp := make([]float64, n), make([]float64, n)
	zbar, p := mat.DenseCopyOf(y.T()), mat.NewDense(n, c, nil)
	Batch{}.Means(zbar, logm, zbar, labels)
	Batch{}.LogProb(logp, y, labels)
	Batch{Tol: 1e-12}.Proba(p, y)
	all = mat.NewDense(n, 2*c+2, nil)
	for i := range n {
		row := append(append([]float64{logm[i], logp[i]}, p.RawRowView(i)...), mat.Col(nil, i, zbar)...)
		all.SetRow(i, row)
	}
	return all
}

func sameBits(t *testing.T, what string, a, b []float64) {
	t.Helper()
	for j := range a {
		if math.Float64bits(a[j]) != math.Float64bits(b[j]) {
			t.Fatalf("%s: %v and %v at %d", what, a[j], b[j], j)
		}
	}
}

// TestBatchPosition: the result for a sample has the same bits at any position and next
// to any other samples.
func TestBatchPosition(t *testing.T) {
	atLevels(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(7, 1))
		for _, c := range []int{3, 6, 40} {
			y, labels := wild(rng, 100, c)
			y.Set(17, 1, math.NaN())
			y.Set(18, 2, 1e12)
			want := result(y, labels)
			for trial := range 115 {
				pick := rng.Perm(100)[:1+rng.IntN(40)]
				if trial < 100 { // on its own, the nodes of a sample share a vector
					pick = []int{trial}
				}
				z, zl := mat.NewDense(len(pick), c, nil), make([]int, len(pick))
				for i, from := range pick {
					z.SetRow(i, y.RawRowView(from))
					zl[i] = labels[from]
				}
				got := result(z, zl)
				for i, from := range pick {
					sameBits(t, fmt.Sprintf("sample %d at %d of %d", from, i, len(pick)), got.RawRowView(i),
						want.RawRowView(from))
				}
			}
		}
	})
}

// TestBatchCores: results have the same bits on any number of cores.
func TestBatchCores(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	atLevels(t, func(t *testing.T) {
		y, labels := wild(rand.New(rand.NewPCG(8, 1)), 301, 6)
		runtime.GOMAXPROCS(1)
		want := result(y, labels)
		runtime.GOMAXPROCS(4)
		sameBits(t, "four cores", result(y, labels).RawMatrix().Data, want.RawMatrix().Data)
	})
}

// TestBatchLevels: results have the same bits with four and eight lanes.
func TestBatchLevels(t *testing.T) {
	if cpu.Best < cpu.AVX512 {
		t.Skip("needs AVX-512")
	}
	y, labels := wild(rand.New(rand.NewPCG(9, 1)), 200, 9)
	want := result(y, labels)
	defer cpu.Use(cpu.AVX2)()
	sameBits(t, "AVX2", result(y, labels).RawMatrix().Data, want.RawMatrix().Data)
}

// TestGuards: the assembly does not write outside its rows.
func TestGuards(t *testing.T) {
	for _, l := range levels()[1:] {
		for n := 2; n < 70; n++ {
			b, size := new(block), n*width(l)
			var whole [3][]float64
			for i, rows := range []*[]float64{&b.gap, &b.r, &b.acc} {
				whole[i] = slices.Repeat([]float64{-77}, 8+size+8)
				*rows = whole[i][8 : 8+size : 8+size]
			}
			b.reset(l, accuracy(n, 1e-9), n)
			for i := range b.used {
				b.used[i] = true
			}
			b.expect(accuracy(n, 1e-9), means)
			for _, s := range whole {
				for i := range 8 {
					if s[i] != -77 || s[8+size+i] != -77 {
						t.Fatalf("%v, %d classes: wrote beyond the rows", l, n)
					}
				}
			}
			for i := 1; i < size; i++ {
				if b.acc[i] != b.acc[0] || !(b.acc[i] > 0) {
					t.Fatalf("%v, %d classes: sums %v", l, n, b.acc)
				}
			}
		}
	}
}

func TestBatchAllocations(t *testing.T) {
	atLevels(t, func(t *testing.T) {
		y, labels := wild(rand.New(rand.NewPCG(10, 1)), 640, 5)
		logp := make([]float64, 640)
		if allocs := testing.AllocsPerRun(20, func() { Batch{}.LogProb(logp, y, labels) }); allocs > 100 {
			t.Errorf("%v allocations for 640 samples", allocs)
		}
	})
}

// FuzzBatch compares a batch with the scalar functions. The bytes encode potentials in
// steps of 1/500, or with all their bits if finer is set.
func FuzzBatch(f *testing.F) {
	f.Add(uint8(3), uint8(0), false, []byte("potentials"))
	f.Add(uint8(5), uint8(2), false, []byte{0, 0, 255, 127, 0, 128, 1, 2, 3, 4})
	f.Add(uint8(4), uint8(1), true, make([]byte, 64))
	f.Fuzz(func(t *testing.T, classes, label uint8, finer bool, data []byte) {
		c := 3 + int(classes)%30
		var v []float64
		for len(data) >= 8 {
			if finer {
				v = append(v, math.Float64frombits(binary.LittleEndian.Uint64(data)))
				data = data[8:]
			} else {
				v = append(v, float64(int16(binary.LittleEndian.Uint16(data)))/500)
				data = data[2:]
			}
		}
		n := min(20, (len(v)+c-1)/c)
		if n == 0 {
			return
		}
		y, labels := mat.NewDense(n, c, nil), make([]int, n)
		copy(y.RawMatrix().Data, v)
		for i := range labels {
			labels[i] = (int(label) + i) % c
		}
		logp, p := make([]float64, n), mat.NewDense(n, c, nil)
		zbar := mat.DenseCopyOf(y.T())
		Batch{1e-13}.Means(zbar, logp, zbar, labels)
		Batch{1e-13}.Proba(p, y)
		for i := range n {
			row := y.RawRowView(i)
			want, lwant := Means(nil, row, labels[i])
			if !near(logp[i], lwant, 1e-11) {
				t.Errorf("log p(%d | %v) = %v, single %v", labels[i], row, logp[i], lwant)
			}
			for j, p1 := range Proba(nil, row) {
				if !near(p.At(i, j), p1, 1e-12) || p1 > 1e-290 && !near(p.At(i, j)/p1, 1, 1e-10) {
					t.Errorf("%v: p(%d) = %v, single %v", row, j, p.At(i, j), p1)
				}
				if !near(zbar.At(j, i), want[j], 1e-11) {
					t.Errorf("E[z_%d | %d, %v] = %v, single %v", j, labels[i], row, zbar.At(j, i), want[j])
				}
			}
		}
	})
}
