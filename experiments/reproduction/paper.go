package main

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/mpcvm/mpcvm/experiments/study"
)

// paper returns the table of our means next to the paper's, with standard deviations, and a sentence
// that counts and names the differences of more than two standard errors. Both studies use the same
// data sets on independently drawn partitions, so the standard error of a mean is s/√n. The
// correction of Nadeau and Bengio (2003) concerns conclusions about other data sets and does not
// apply.
func (r reports) paper(measure, folder string) (string, error) {
	if measure != "err" && measure != "auc" {
		return "", fmt.Errorf("unknown measure %q", measure)
	}
	report, err := r.report(folder)
	if err != nil {
		return "", err
	}
	var datasets []string
	for _, d := range study.Datasets() {
		if slices.ContainsFunc(report.Cells, func(c study.Cell) bool { return c.Dataset == d }) {
			datasets = append(datasets, d)
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "| %s in %% | %s |\n|---|%s\n", strings.ToUpper(measure), strings.Join(datasets, " | "),
		strings.Repeat("---|", len(datasets)))
	far, sparse, all, allSparse := 0, []string{}, 0, 0
	for _, s := range study.Systems() {
		ours, theirs, some := "| "+study.Title(s)+" |", "| *paper* |", false
		for _, d := range datasets {
			mean, paper := values(report.Cell(s, d), measure)
			if mean == nil || paper == nil || mean.SE == nil || paper.SE == nil {
				ours, theirs = ours+" – |", theirs+" – |"
				continue
			}
			some = true
			z := (mean.Mean - paper.Mean) / math.Hypot(*mean.SE, *paper.SE)
			text, vector := mean.WithDeviation(), strings.HasPrefix(s, "m") && s != "mlr"
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
			ours, theirs = ours+" "+text+" |", theirs+" "+paper.WithDeviation()+" |"
		}
		if some {
			b.WriteString(ours + "\n" + theirs + "\n")
		}
	}
	fmt.Fprintf(&b, "\nBold: more than two standard errors from the paper's mean (%d of %d)", far, all)
	if len(sparse) > 0 {
		fmt.Fprintf(&b, "; among the mPCVMs and mRVMs %d of %d: %s", len(sparse), allSparse,
			strings.Join(sparse, ", "))
	}
	b.WriteString(".\n")
	return b.String(), nil
}

// values returns a measure of a cell, ours and the paper's; nil if missing.
func values(c *study.Cell, measure string) (ours, paper *study.Stat) {
	switch {
	case c == nil:
		return nil, nil
	case measure == "err":
		return &c.Err, c.PaperErr
	}
	return c.AUC, c.PaperAUC
}
