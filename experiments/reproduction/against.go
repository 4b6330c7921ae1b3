package main

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"github.com/mpcvm/mpcvm/experiments/study"
	"github.com/mpcvm/mpcvm/mpcvm/ranktest"
)

// against compares systems from several folders, each given as FOLDER:SYSTEM, on the data sets and
// partitions that all of them have: means, standard errors and the average ranks of the means. The
// measure is err, in per cent, or logloss.
func (r reports) against(measure string, systems []string) (string, error) {
	format, known := map[string]string{"err": "%.2f", "logloss": "%.3f"}[measure]
	if !known {
		return "", fmt.Errorf("unknown measure %q", measure)
	}
	type run struct {
		dataset   string
		partition int
	}
	values, rows := make([]map[run]float64, len(systems)), make([][]string, len(systems))
	for i, s := range systems {
		folder, name, _ := strings.Cut(s, ":")
		results, err := study.ReadDir(filepath.Join(string(r), folder))
		if err != nil {
			return "", err
		}
		rows[i], values[i] = []string{name}, map[run]float64{}
		for _, result := range results {
			at := run{result.Dataset, result.Partition}
			switch {
			case result.System != name:
			case measure == "err":
				values[i][at] = 100 * result.Err
			case result.LogLoss != nil:
				values[i][at] = *result.LogLoss
			}
		}
	}
	common := map[string][]int{} // the partitions that all systems have
	for at := range values[0] {
		if !slices.ContainsFunc(values, func(v map[run]float64) bool { _, there := v[at]; return !there }) {
			common[at.dataset] = append(common[at.dataset], at.partition)
		}
	}
	if len(common) == 0 {
		return "", fmt.Errorf("%s have no run in common", strings.Join(systems, ", "))
	}
	datasets, counts := slices.Sorted(maps.Keys(common)), []string{"*partitions*"}
	rank, means := make([]float64, len(systems)), make([]float64, len(systems))
	for _, d := range datasets {
		partitions := slices.Sorted(slices.Values(common[d]))
		counts = append(counts, fmt.Sprint(len(partitions)))
		for i := range systems {
			var v []float64
			for _, p := range partitions {
				v = append(v, values[i][run{d, p}])
			}
			mean, deviation := stat.MeanStdDev(v, nil)
			text := fmt.Sprintf(format, mean)
			if len(v) > 1 {
				text += fmt.Sprintf("±"+format, stat.StdErr(deviation, float64(len(v))))
			}
			means[i], rows[i] = mean, append(rows[i], text)
		}
		for i, k := range ranktest.Ranks(nil, means) {
			rank[i] += k / float64(len(datasets))
			if cell := &rows[i][len(rows[i])-1]; means[i] == slices.Min(means) {
				*cell = "**" + *cell + "**"
			}
		}
	}
	order := make([]int, len(systems))
	floats.ArgsortStable(slices.Clone(rank), order)
	table := [][]string{append(append([]string{"system"}, datasets...), "average rank")}
	for _, i := range order {
		table = append(table, append(rows[i], fmt.Sprintf("%.2f", rank[i])))
	}
	return markdown(append(table, append(counts, ""))...), nil
}
