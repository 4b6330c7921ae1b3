//go:build unix

package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"
)

// largeTable is the command table. It prints the lines of files as Markdown tables.
func largeTable(files []string) (any, error) {
	runs, err := readLines[Large](files)
	printLarge(os.Stdout, runs)
	return nil, err
}

// readLines reads the values in files, one per line.
func readLines[T any](files []string) (runs []T, err error) {
	for _, name := range files {
		f, err := os.Open(name)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		for d := json.NewDecoder(f); ; {
			var r T
			if err := d.Decode(&r); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			runs = append(runs, r)
		}
	}
	return runs, nil
}

// printLarge prints all runs, the means of runs that differ only in their seed and, with several N,
// the exponent with which the time of an epoch grows.
func printLarge(w io.Writer, runs []Large) {
	same := func(a, b Large) int {
		return cmp.Or(cmp.Compare(a.Set, b.Set), cmp.Compare(a.Learner, b.Learner), cmp.Compare(a.N, b.N),
			cmp.Compare(a.K, b.K),
			cmp.Compare(a.Evidence, b.Evidence), cmp.Compare(a.basis(), b.basis()))
	}
	slices.SortStableFunc(runs, func(a, b Large) int { return cmp.Or(same(a, b), cmp.Compare(a.Seed, b.Seed)) })
	const head = "| set | learner | N | K | kernel | evidence | seeds | ERR % (least to most) | AUC % | log " +
		"loss | weights | vectors | epochs | ended | s | CPU s | CPU s an epoch | of widths: s | CPU s | peak " +
		"MiB | load |\n"
	fmt.Fprint(w, head, strings.Repeat("|---", strings.Count(head, "|")-1), "|\n")
	for _, r := range runs {
		printMeans(w, []Large{r})
	}
	var n, seconds []float64
	means := "\nMeans; the peak is the largest.\n\n" + head + strings.Repeat("|---",
		strings.Count(head, "|")-1) + "|\n"
	for i, j := 0, 0; i < len(runs); i = j {
		for j = i; j < len(runs) && same(runs[i], runs[j]) == 0; j++ {
			n, seconds = append(n, float64(runs[j].N)), append(seconds, runs[j].EpochCPU)
		}
		if j > i+1 {
			fmt.Fprint(w, means)
			means = ""
			printMeans(w, runs[i:j])
		}
	}
	if len(n) > 0 && slices.Min(n) < slices.Max(n) {
		fmt.Fprintf(w, "\nCPU time of an epoch grows with N to the power of %.2f.\n", exponent(n, seconds))
	}
}

// basis returns the kernel, without its widths if it has one for each feature.
func (r Large) basis() string {
	name, _, widths := strings.Cut(r.Kernel, "(theta=[")
	if widths {
		name += "(…)"
	}
	return name
}

// printMeans prints a line for runs that differ only in their seed.
func printMeans(w io.Writer, runs []Large) {
	each := func(of func(Large) float64) (v []float64) {
		for _, r := range runs {
			v = append(v, of(r))
		}
		return v
	}
	mean := func(of func(Large) float64) float64 { return stat.Mean(each(of), nil) }
	wrong, r := each(func(r Large) float64 { return 100 * r.Err }), runs[0]
	spread, seeds := "", fmt.Sprint(r.Seed)
	if len(runs) > 1 {
		spread, seeds = fmt.Sprintf(" (%.2f to %.2f)", slices.Min(wrong), slices.Max(wrong)),
			fmt.Sprint(len(runs), " seeds")
	}
	fmt.Fprintf(w, "| %s | %s | %d | %d | %s | %g | %s | %.2f%s | %.3f | %.3f | %.0f | %.0f | %.0f | %s | "+
		"%.0f | %.0f | %.3g | %.0f | %.0f | %.0f | %.1f |\n",
		r.Set, r.Learner, r.N, r.K, r.basis(), r.Evidence, seeds, stat.Mean(wrong, nil), spread,
		mean(func(r Large) float64 { return 100 * r.AUC }), mean(func(r Large) float64 { return r.LogLoss }),
		mean(func(r Large) float64 { return float64(r.Weights) }), mean(
			func(r Large) float64 { return float64(r.Vectors) }),
		mean(func(r Large) float64 { return float64(r.Epochs) }), r.Status,
		mean(func(r Large) float64 { return r.Wall }), mean(func(r Large) float64 { return r.CPU }), mean(
			func(r Large) float64 { return r.EpochCPU }),
		mean(func(r Large) float64 { return r.WidthsWall }), mean(func(r Large) float64 { return r.WidthsCPU }),
		slices.Max(each(func(r Large) float64 { return r.PeakMiB })), r.Load)
}

// exponent returns p of y = a·x^p, by least squares on the logarithms.
func exponent(x, y []float64) float64 {
	var u, v []float64
	for i := range x {
		u, v = append(u, math.Log(x[i])), append(v, math.Log(y[i]))
	}
	_, p := stat.LinearRegression(u, v, nil, false)
	return p
}
