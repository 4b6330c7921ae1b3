//go:build unix

package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"
)

// table prints runs as a table of Markdown, the means over the seeds of those that have
// several, and the exponent with which the time of an epoch grows with N where there are
// several N.
func table(files []string) error {
	var runs []Run
	for _, name := range files {
		f, err := os.Open(name)
		if err != nil {
			return err
		}
		for lines := bufio.NewScanner(f); lines.Scan(); {
			var r Run
			if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
				f.Close()
				return fmt.Errorf("%s: %w", name, err)
			}
			runs = append(runs, r)
		}
		f.Close()
	}
	slices.SortStableFunc(runs, func(a, b Run) int {
		return cmp.Or(compare(a, b), cmp.Compare(a.Seed, b.Seed))
	})
	fmt.Println("| set | learner | N | K | kernel | evidence | seed | ERR % | AUC % | log loss | weights | vectors | epochs | ended | s | CPU s | CPU s an epoch | peak MiB | load |")
	fmt.Println("|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|")
	for _, r := range runs {
		fmt.Printf("| %s | %s | %d | %d | %s | %g | %d | %.2f | %.3f | %.3f | %d | %d | %d | %s | %.0f | %.0f | %.3g | %.0f | %.1f |\n",
			r.Set, r.Learner, r.N, r.K, r.basis(), r.Evidence, r.Seed, 100*r.Err, 100*r.AUC, r.LogLoss, r.Weights, r.Vectors, r.Epochs, r.Status,
			r.Wall, r.CPU, r.EpochCPU, r.PeakMiB, r.Load)
	}
	means(runs)
	var n, seconds []float64
	for _, r := range runs {
		n, seconds = append(n, math.Log(float64(r.N))), append(seconds, math.Log(r.EpochCPU))
	}
	if len(runs) > 0 && runs[0].N != runs[len(runs)-1].N {
		_, slope := stat.LinearRegression(n, seconds, nil, false)
		fmt.Printf("\nCPU time of an epoch grows with N to the power of %.2f.\n", slope)
	}
	return nil
}

// compare orders runs by all but their seeds.
func compare(a, b Run) int {
	return cmp.Or(cmp.Compare(a.Set, b.Set), cmp.Compare(a.Learner, b.Learner), cmp.Compare(a.N, b.N), cmp.Compare(a.K, b.K),
		cmp.Compare(a.Evidence, b.Evidence), cmp.Compare(a.basis(), b.basis()))
}

// basis is the kernel, without its widths where there is one for each feature.
func (r Run) basis() string {
	name, _, widths := strings.Cut(r.Kernel, "(theta=[")
	if widths {
		name += "(…)"
	}
	return name
}

// means prints a line for the runs that differ by their seeds alone, where there are
// several. The peak is the largest.
func means(runs []Run) {
	head := "\n| set | learner | N | K | seeds | ERR % (least to most) | AUC % | log loss | weights | vectors | s | CPU s | of widths: s | CPU s | peak MiB |\n" +
		"|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n"
	for len(runs) > 0 {
		first, some := runs[0], 1
		for some < len(runs) && compare(runs[some], first) == 0 {
			some++
		}
		group := runs[:some]
		runs = runs[some:]
		if some == 1 {
			continue
		}
		each := func(of func(Run) float64) (v []float64) {
			for _, r := range group {
				v = append(v, of(r))
			}
			return v
		}
		mean := func(of func(Run) float64) float64 { return stat.Mean(each(of), nil) }
		wrong := each(func(r Run) float64 { return 100 * r.Err })
		fmt.Print(head)
		head = ""
		fmt.Printf("| %s | %s | %d | %d | %d | %.2f (%.2f to %.2f) | %.3f | %.3f | %.0f | %.0f | %.0f | %.0f | %.0f | %.0f | %.0f |\n",
			first.Set, first.Learner, first.N, first.K, some, stat.Mean(wrong, nil), slices.Min(wrong), slices.Max(wrong),
			mean(func(r Run) float64 { return 100 * r.AUC }), mean(func(r Run) float64 { return r.LogLoss }),
			mean(func(r Run) float64 { return float64(r.Weights) }), mean(func(r Run) float64 { return float64(r.Vectors) }),
			mean(func(r Run) float64 { return r.Wall }), mean(func(r Run) float64 { return r.CPU }),
			mean(func(r Run) float64 { return r.WidthsWall }), mean(func(r Run) float64 { return r.WidthsCPU }),
			slices.Max(each(func(r Run) float64 { return r.PeakMiB })))
	}
}
