//go:build unix

package main

import (
	"flag"
	"math/rand/v2"
	"sync"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/experiments/internal/measure"
	"github.com/mpcvm/mpcvm/internal/testkit/sets"
	"github.com/mpcvm/mpcvm/mpcvm/probit"
)

// Limits are the limits of the machine and the time of the E-step of a set. With `bench gram`, they
// put the time of a fit in proportion.
type Limits struct {
	ReadGBs  []float64    `json:"read_gbs"`  // 10⁹ bytes a second with one thread, with two, ...
	GonumGFs float64      `json:"gonum_gfs"` // a product of two 1000×1000 matrices by gonum
	Means    measure.Time `json:"means"`     // the posterior means of all samples and classes
}

func limits(args []string) (any, error) {
	f := flag.NewFlagSet("bench limits", flag.ContinueOnError)
	set := f.String("set", "wine-white", "name of the set")
	atLeast := f.Float64("at-least", 1, "repeat for this many CPU seconds")
	threads := f.Int("threads", 2, "read memory with up to this many threads")
	megabytes := f.Int("mb", 1024, "size of the memory read, in 10⁶ bytes; it should exceed the caches by far")
	if err := parse(f, args); err != nil {
		return nil, err
	}
	p, err := sets.Load(*set)
	if err != nil {
		return nil, err
	}
	var result Limits
	rng := rand.New(rand.NewPCG(1, 1))
	random := func(n, d int) *mat.Dense {
		m := mat.NewDense(n, d, nil)
		for i := range n {
			for j := range d {
				m.Set(i, j, rng.NormFloat64())
			}
		}
		return m
	}
	const n = 1000
	a, b, ab := random(n, n), random(n, n), mat.NewDense(n, n, nil)
	t, err := measure.Repeat(*atLeast, func() error { ab.Mul(a, b); return nil })
	if err != nil {
		return nil, err
	}
	result.GonumGFs = 2 * n * n * n / t.CPU / 1e9

	rows := len(p.T)
	y, zbar, logp := random(p.Classes, rows), mat.NewDense(p.Classes, rows, nil), make([]float64, rows)
	if result.Means, err = measure.Repeat(*atLeast, func() error {
		probit.Batch{}.Means(zbar, logp, y,
			p.T)
		return nil
	}); err != nil {
		return nil, err
	}

	if *threads == 0 {
		return result, nil
	}
	memory := make([]float64, *megabytes*1e6/8)
	for i := range memory {
		memory[i] = 1 // so that every page is mapped
	}
	for k := 1; k <= *threads; k++ {
		t, err := measure.Repeat(*atLeast, func() error { read(memory, k); return nil })
		if err != nil {
			return nil, err
		}
		result.ReadGBs = append(result.ReadGBs, float64(8*len(memory))/t.Wall/1e9)
	}
	return result, nil
}

// read sums memory with k threads.
func read(memory []float64, k int) float64 {
	sums := make([]float64, k)
	var wg sync.WaitGroup
	for i := range k {
		wg.Go(func() {
			part := memory[len(memory)*i/k : len(memory)*(i+1)/k]
			var a, b, c, d float64 // independent sums
			for ; len(part) >= 8; part = part[8:] {
				a += part[0] + part[4]
				b += part[1] + part[5]
				c += part[2] + part[6]
				d += part[3] + part[7]
			}
			for _, v := range part {
				a += v
			}
			sums[i] = a + b + c + d
		})
	}
	wg.Wait()
	return floats.Sum(sums)
}
