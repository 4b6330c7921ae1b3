//go:build unix

package main

import (
	"bytes"
	"cmp"
	"encoding/json"
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
	var runs []Large
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		for line := range bytes.Lines(text) {
			var r Large
			if err := json.Unmarshal(line, &r); err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			runs = append(runs, r)
		}
	}
	printLarge(os.Stdout, runs)
	return nil, nil
}

// columns are the columns of the tables after the names, as means over the runs.
var columns = []struct {
	head, format string
	of           func(Large) float64
}{
	{"AUC %", "%.3f", func(r Large) float64 { return 100 * r.AUC }},
	{"log loss", "%.3f", func(r Large) float64 { return r.LogLoss }},
	{"weights", "%.0f", func(r Large) float64 { return float64(r.Weights) }},
	{"vectors", "%.0f", func(r Large) float64 { return float64(r.Vectors) }},
	{"epochs", "%.0f", func(r Large) float64 { return float64(r.Epochs) }},
	{"s", "%.0f", func(r Large) float64 { return r.Wall }},
	{"CPU s", "%.0f", func(r Large) float64 { return r.CPU }},
	{"CPU s an epoch", "%.3g", func(r Large) float64 { return r.EpochCPU }},
	{"of widths: s", "%.0f", func(r Large) float64 { return r.Widths.Wall }},
	{"CPU s", "%.0f", func(r Large) float64 { return r.Widths.CPU }},
	{"peak MiB", "%.0f", func(r Large) float64 { return r.PeakMB * 1e6 / (1 << 20) }},
	{"load", "%.1f", func(r Large) float64 { return r.Load }},
}

// printLarge prints all runs, the means of runs that differ only in their seed and, with several N,
// the exponent with which the time of an epoch grows.
func printLarge(w io.Writer, runs []Large) {
	same := func(a, b Large) int {
		return cmp.Or(cmp.Compare(a.Set, b.Set), cmp.Compare(a.Learner, b.Learner), cmp.Compare(a.N, b.N),
			cmp.Compare(a.K, b.K), cmp.Compare(a.Evidence, b.Evidence), cmp.Compare(a.basis(), b.basis()))
	}
	slices.SortStableFunc(runs, func(a, b Large) int { return cmp.Or(same(a, b), cmp.Compare(a.Seed, b.Seed)) })
	head := "| set | learner | N | K | kernel | evidence | seeds | ended | ERR % (least to most) |"
	for _, c := range columns {
		head += " " + c.head + " |"
	}
	head += "\n" + strings.Repeat("|---", strings.Count(head, "|")-1) + "|\n"
	fmt.Fprint(w, head)
	for _, r := range runs {
		printMeans(w, []Large{r})
	}
	var n, seconds []float64
	head = "\nMeans:\n\n" + head
	for i, j := 0, 0; i < len(runs); i = j {
		for j = i; j < len(runs) && same(runs[i], runs[j]) == 0; j++ {
			n, seconds = append(n, float64(runs[j].N)), append(seconds, runs[j].EpochCPU)
		}
		if j > i+1 {
			fmt.Fprint(w, head)
			head = ""
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
	wrong, r := each(func(r Large) float64 { return 100 * r.Error }), runs[0]
	spread, seeds := "", fmt.Sprint(r.Seed)
	if len(runs) > 1 {
		spread = fmt.Sprintf(" (%.2f to %.2f)", slices.Min(wrong), slices.Max(wrong))
		seeds = fmt.Sprint(len(runs), " seeds")
	}
	fmt.Fprintf(w, "| %s | %s | %d | %d | %s | %g | %s | %s | %.2f%s |", r.Set, r.Learner, r.N, r.K, r.basis(),
		r.Evidence, seeds, r.Status, stat.Mean(wrong, nil), spread)
	for _, c := range columns {
		fmt.Fprintf(w, " "+c.format+" |", stat.Mean(each(c.of), nil))
	}
	fmt.Fprintln(w)
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
