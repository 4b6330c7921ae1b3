package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/mpcvm/mpcvm/experiments/study"
)

// reached compares the mPCVMs, and their variants, with the paper: a row for each of the
// paper's cells, a column for each system of each folder. What is to be reached is the
// paper's mean and one of its standard errors for err, the paper's mean less one point for
// auc. Cells that reach it are bold.
func (r reports) reached(measure string, folders []string) (string, error) {
	if measure != "err" && measure != "auc" {
		return "", fmt.Errorf("no measure %q", measure)
	}
	of := func(c study.Cell) (ours, paper *study.Stat) {
		if measure == "err" {
			return &c.Err, c.PaperErr
		}
		return c.AUC, c.PaperAUC
	}
	var b strings.Builder
	for _, learner := range []string{"mpcvm1", "mpcvm2"} {
		table, err := r.reachedBy(learner, measure, folders, of)
		if err != nil {
			return "", err
		}
		b.WriteString(table + "\n")
	}
	return strings.TrimSuffix(b.String(), "\n"), nil
}

// reachedBy is the table of one learner.
func (r reports) reachedBy(learner, measure string, folders []string, of func(study.Cell) (ours,
	paper *study.Stat)) (string, error) {
	var datasets, columns []string
	cells := map[[2]string]string{}                             // by data set and column
	limits, papers := map[string]float64{}, map[string]string{} // by data set
	for _, folder := range folders {
		report, err := r.report(folder)
		if err != nil {
			return "", err
		}
		for _, c := range report.Cells {
			base, variant, _ := strings.Cut(c.System, "+")
			ours, paper := of(c)
			if base != learner || ours == nil || paper == nil {
				continue
			}
			variant = cmp.Or(variant, folder)
			if !slices.Contains(columns, variant) {
				columns = append(columns, variant)
			}
			if papers[c.Dataset] == "" {
				datasets = append(datasets, c.Dataset)
				papers[c.Dataset] = fmt.Sprintf("%.3f", paper.Mean)
				limits[c.Dataset] = paper.Mean - 1
				if measure == "err" {
					limits[c.Dataset] = paper.Mean + *paper.SE
				}
			}
			text := fmt.Sprintf("%.2f", ours.Mean)
			if ours.SE != nil {
				text += fmt.Sprintf(" (%.2f)", *ours.SE)
			}
			if measure == "err" && ours.Mean <= limits[c.Dataset] || measure == "auc" &&
				ours.Mean >= limits[c.Dataset] {
				text = "**" + text + "**"
			}
			cells[[2]string{c.Dataset, variant}] = text
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "| %s | paper | to reach |", learner)
	for _, c := range columns {
		fmt.Fprintf(&b, " %s |", c)
	}
	b.WriteString("\n|---|---|---|" + strings.Repeat("---|", len(columns)) + "\n")
	for _, d := range datasets {
		fmt.Fprintf(&b, "| %s | %s | %.3f |", d, papers[d], limits[d])
		for _, c := range columns {
			text := cells[[2]string{d, c}]
			text = cmp.Or(text, "–")
			fmt.Fprintf(&b, " %s |", text)
		}
		b.WriteString("\n")
	}
	return b.String(), nil
}
