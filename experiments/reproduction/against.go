package main

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"github.com/mpcvm/mpcvm/experiments/study"
	"github.com/mpcvm/mpcvm/mpcvm/ranktest"
)

// measures are the measures for comparing systems: how to read a value from a result, how to format
// it, and whether lower is better.
var measures = map[string]struct {
	of     func(r study.Result) float64
	format string
	less   bool
}{
	"err":     {func(r study.Result) float64 { return 100 * r.Err }, "%.2f", true},
	"logloss": {func(r study.Result) float64 { return orNaN(r.LogLoss) }, "%.3f", true},
	"weights": {func(r study.Result) float64 { return float64(r.Weights) }, "%.0f", true},
	"auc":     {func(r study.Result) float64 { return 100 * orNaN(r.AUC) }, "%.2f", false},
}

// orNaN returns *v, or NaN if v is nil.
func orNaN(v *float64) float64 {
	if v == nil {
		return math.NaN()
	}
	return *v
}

// against compares systems from several folders, each given as FOLDER:SYSTEM, on the data sets and
// partitions that all of them have: means, standard errors and the average ranks of the means.
func (r reports) against(measure string, systems []string) (string, error) {
	m, ok := measures[measure]
	if !ok {
		return "", fmt.Errorf("unknown measure %q", measure)
	}
	type runs = map[string]map[int]float64 // by data set and partition
	names, values := make([]string, len(systems)), make([]runs, len(systems))
	for i, s := range systems {
		folder, name, _ := strings.Cut(s, ":")
		results, err := study.ReadDir(filepath.Join(r.dir, folder))
		if err != nil {
			return "", err
		}
		names[i], values[i] = name, runs{}
		for _, result := range results {
			if v := m.of(result); result.System == name && !math.IsNaN(v) {
				if values[i][result.Dataset] == nil {
					values[i][result.Dataset] = map[int]float64{}
				}
				values[i][result.Dataset][result.Partition] = v
			}
		}
	}
	common := func(d string) (partitions []int) {
		for p := range values[0][d] {
			if !slices.ContainsFunc(values, func(v runs) bool { _, there := v[d][p]; return !there }) {
				partitions = append(partitions, p)
			}
		}
		slices.Sort(partitions)
		return partitions
	}
	var datasets []string
	for d := range values[0] {
		if len(common(d)) > 0 {
			datasets = append(datasets, d)
		}
	}
	if len(datasets) == 0 {
		return "", fmt.Errorf("%s have no run in common", strings.Join(systems, ", "))
	}
	slices.Sort(datasets)

	rank, cells := make([]float64, len(systems)), make([][]string, len(systems))
	counts := make([]string, len(datasets))
	for j, d := range datasets {
		partitions := common(d)
		counts[j] = fmt.Sprint(len(partitions))
		means := make([]float64, len(systems))
		for i := range systems {
			var v []float64
			for _, p := range partitions {
				v = append(v, values[i][d][p])
			}
			mean, deviation := stat.MeanStdDev(v, nil)
			means[i] = mean
			text := fmt.Sprintf(m.format, mean)
			if len(v) > 1 && measure != "weights" {
				text += fmt.Sprintf("±"+m.format, deviation/math.Sqrt(float64(len(v))))
			}
			cells[i] = append(cells[i], text)
		}
		signed := slices.Clone(means)
		if !m.less {
			floats.Scale(-1, signed)
		}
		for i, k := range ranktest.Ranks(nil, signed) {
			rank[i] += k / float64(len(datasets))
			if means[i] == slices.Min(means) && m.less || means[i] == slices.Max(means) && !m.less {
				cells[i][j] = "**" + cells[i][j] + "**"
			}
		}
	}
	order := make([]int, len(systems))
	floats.ArgsortStable(slices.Clone(rank), order)
	var b strings.Builder
	fmt.Fprintf(&b, "| system | %s | average rank |\n|---|%s---|\n", strings.Join(datasets, " | "),
		strings.Repeat("---|", len(datasets)))
	for _, i := range order {
		fmt.Fprintf(&b, "| %s | %s | %.2f |\n", names[i], strings.Join(cells[i], " | "), rank[i])
	}
	fmt.Fprintf(&b, "| *partitions* | %s | |\n", strings.Join(counts, " | "))
	return b.String(), nil
}
