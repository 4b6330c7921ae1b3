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
		return cmp.Or(cmp.Compare(a.Set, b.Set), cmp.Compare(a.N, b.N), cmp.Compare(a.K, b.K), cmp.Compare(a.Seed, b.Seed))
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
	head := "\n| set | N | K | seeds | ERR % (least to most) | AUC % | log loss | weights | vectors | s | CPU s | of widths: s | CPU s | peak MiB |\n" +
		"|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n"
	like := func(a, b Run) bool {
		return a.Set == b.Set && a.N == b.N && a.K == b.K && a.Evidence == b.Evidence && a.basis() == b.basis()
	}
	for len(runs) > 0 {
		some := 0
		for some < len(runs) && like(runs[some], runs[0]) {
			some++
		}
		group := runs[:some]
		runs = runs[some:]
		if some == 1 {
			continue
		}
		mean := func(of func(Run) float64) float64 {
			var v []float64
			for _, r := range group {
				v = append(v, of(r))
			}
			return stat.Mean(v, nil)
		}
		by := func(of func(Run) float64) func(a, b Run) int {
			return func(a, b Run) int { return cmp.Compare(of(a), of(b)) }
		}
		wrong := func(r Run) float64 { return 100 * r.Err }
		peak := func(r Run) float64 { return r.PeakMiB }
		fmt.Print(head)
		head = ""
		fmt.Printf("| %s | %d | %d | %d | %.2f (%.2f to %.2f) | %.3f | %.3f | %.0f | %.0f | %.0f | %.0f | %.0f | %.0f | %.0f |\n",
			group[0].Set, group[0].N, group[0].K, some, mean(wrong),
			wrong(slices.MinFunc(group, by(wrong))), wrong(slices.MaxFunc(group, by(wrong))),
			mean(func(r Run) float64 { return 100 * r.AUC }), mean(func(r Run) float64 { return r.LogLoss }),
			mean(func(r Run) float64 { return float64(r.Weights) }), mean(func(r Run) float64 { return float64(r.Vectors) }),
			mean(func(r Run) float64 { return r.Wall }), mean(func(r Run) float64 { return r.CPU }),
			mean(func(r Run) float64 { return r.WidthsWall }), mean(func(r Run) float64 { return r.WidthsCPU }),
			peak(slices.MaxFunc(group, by(peak))))
	}
}
