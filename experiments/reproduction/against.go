package main

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"gonum.org/v1/gonum/floats"

	"github.com/mpcvm/mpcvm/experiments/study"
	"github.com/mpcvm/mpcvm/mpcvm/ranktest"
)

// against compares systems from several folders, each given as FOLDER:SYSTEM, on the data sets and
// partitions that all of them have: means, standard errors and the average ranks of the means. The
// measure is err or auc, in per cent, or logloss.
func (r reports) against(measure string, systems []string) (string, error) {
	format, known := map[string]string{"err": "%.2f", "auc": "%.2f", "logloss": "%.3f"}[measure]
	if !known {
		return "", fmt.Errorf("unknown measure %q", measure)
	}
	sign := 1.0 // a lower number is better
	if measure == "auc" {
		sign = -1
	}
	quantity := func(c *study.Cell) *study.Stat {
		return map[string]*study.Stat{"err": &c.Err, "auc": c.AUC, "logloss": c.LogLoss}[measure]
	}
	var names []string
	var results []study.Result
	for _, s := range systems {
		folder, name, _ := strings.Cut(s, ":")
		all, err := study.ReadDir(filepath.Join(string(r), folder))
		if err != nil {
			return "", err
		}
		names = append(names, name)
		results = append(results, slices.DeleteFunc(all, func(r study.Result) bool {
			return r.System != name || measure == "logloss" && r.LogLoss == nil ||
				measure == "auc" && r.AUC == nil
		})...)
	}
	report := study.NewReport(study.Shared(results, names), nil, nil)
	if len(report.Cells) == 0 {
		return "", fmt.Errorf("%s have no run in common", strings.Join(systems, ", "))
	}
	counts := map[string]int{} // the partitions that all systems have
	for _, c := range report.Cells {
		counts[c.Dataset] = c.Runs
	}
	datasets, last := slices.Sorted(maps.Keys(counts)), []string{"*partitions*"}
	rank, rows := make([]float64, len(names)), make([][]string, len(names))
	for _, d := range datasets {
		last = append(last, fmt.Sprint(counts[d]))
		var means []float64
		for _, name := range names {
			means = append(means, sign*quantity(report.Cell(name, d)).Mean)
		}
		for i, k := range ranktest.Ranks(nil, means) {
			rank[i] += k / float64(len(datasets))
			text := fmt.Sprintf(format, sign*means[i])
			if se := quantity(report.Cell(names[i], d)).SE; se != nil {
				text += fmt.Sprintf("±"+format, *se)
			}
			if means[i] == slices.Min(means) {
				text = "**" + text + "**"
			}
			rows[i] = append(rows[i], text)
		}
	}
	order := make([]int, len(systems))
	floats.ArgsortStable(slices.Clone(rank), order)
	table := [][]string{append(append([]string{"system"}, datasets...), "average rank")}
	for _, i := range order {
		table = append(table, slices.Concat([]string{names[i]}, rows[i], []string{fmt.Sprintf("%.2f", rank[i])}))
	}
	return markdown(append(table, append(last, ""))...), nil
}
