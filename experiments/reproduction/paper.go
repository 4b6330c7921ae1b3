package main

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mpcvm/mpcvm/experiments/study"
)

// paper returns the table of our mean error rates next to the paper's, with standard deviations, and a
// sentence that counts and names the differences of more than two standard errors. Both studies use
// the same data sets on independently drawn partitions, so the standard error of a mean is s/√n. The
// correction of Nadeau and Bengio (2003) concerns conclusions about other data sets and does not
// apply.
func (r reports) paper(folder string) (string, error) {
	report, err := study.ReadReport(filepath.Join(string(r), folder))
	if err != nil {
		return "", err
	}
	datasets := slices.DeleteFunc(study.Datasets(), func(d string) bool {
		return !slices.ContainsFunc(report.Cells, func(c study.Cell) bool { return c.Dataset == d })
	})
	rows := [][]string{append([]string{"ERR in %"}, datasets...)}
	far, all, sparse, allSparse := 0, 0, []string{}, 0
	for _, s := range study.Systems() {
		ours, theirs, some := []string{study.Title(s)}, []string{"*paper*"}, false
		for _, d := range datasets {
			c := report.Cell(s, d)
			if c == nil || c.Err.SE == nil || c.PaperErr == nil || c.PaperErr.SE == nil {
				ours, theirs = append(ours, "–"), append(theirs, "–")
				continue
			}
			z := (c.Err.Mean - c.PaperErr.Mean) / math.Hypot(*c.Err.SE, *c.PaperErr.SE)
			text, vector := c.Err.WithDeviation(), strings.HasPrefix(s, "m") && s != "mlr"
			some = true
			all++
			if vector {
				allSparse++
			}
			if math.Abs(z) > 2 {
				text = "**" + text + "**"
				far++
				if vector {
					sparse = append(sparse, strings.ReplaceAll(
						fmt.Sprintf("%s %s (%+.1f)", study.Title(s), d, z), "(-", "(−"))
				}
			}
			ours, theirs = append(ours, text), append(theirs, c.PaperErr.WithDeviation())
		}
		if some {
			rows = append(rows, ours, theirs)
		}
	}
	text := fmt.Sprintf("\nBold: more than two standard errors from the paper's mean (%d of %d)", far, all)
	if len(sparse) > 0 {
		text += fmt.Sprintf("; among the mPCVMs and mRVMs %d of %d: %s", len(sparse), allSparse,
			strings.Join(sparse, ", "))
	}
	return markdown(rows...) + text + ".\n", nil
}
