package study

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/mpcvm/mpcvm/internal/tabular"
)

// Table is a table of a report, with its cells as text.
type Table struct {
	Title, About string // About is an explanation
	Header       []string
	Rows         [][]string
}

// Write writes the tables of the report as text.
func (r *Report) Write(w io.Writer) error {
	var texts []string
	for _, t := range r.Tables() {
		line := strings.Repeat("-", len([]rune(t.Title)))
		texts = append(texts, t.Title+"\n"+line+"\n"+t.About+"\n\n"+
			tabular.Text(append([][]string{tabular.Upper(t.Header)}, t.Rows...), nil))
	}
	_, err := io.WriteString(w, strings.Join(texts, "\n"))
	return err
}

// missing is the text of a cell without a run.
const missing = "–"

// Tables returns the tables that Write writes, without empty ones.
func (r *Report) Tables() []Table {
	all := r.benchmarkTables()
	for _, k := range r.Rankings {
		all = append(all, k.table())
	}
	all = append(all, r.seriesTables()...)
	all = append(all, r.wholeTable(), r.timeTable(), r.failureTable())
	return slices.DeleteFunc(all, func(s Table) bool { return len(s.Rows) == 0 })
}

// benchmarkTables returns the tables of systems (rows) and data sets (columns).
func (r *Report) benchmarkTables() []Table {
	return []Table{
		r.table(benchmark, "Error rate in per cent", "Mean over the test partitions (standard error of the mean).",
			func(c *Cell) string { return c.Err.text(3) }),
		r.table(benchmark, "Generalised AUC in per cent", "AUC of Hand and Till over the classes of the test set: "+
			"mean (standard error).", func(c *Cell) string { return c.AUC.text(3) }),
		r.table(benchmark, "Log loss", "Mean −log p of the true class, in nats (standard error).",
			func(c *Cell) string { return c.LogLoss.text(4) }),
		r.table(benchmark, "Size of the models", "Mean numbers of relevance or support vectors / non-zero "+
			"weights; for linear systems, 0 / the number of coefficients.",
			func(c *Cell) string { return brief(c.Basis.Mean) + " / " + brief(c.Weights.Mean) }),
		r.table(benchmark, "Seconds", "Mean wall time of a fit / of predicting the labels of the test set. "+
			"Concurrent runs share the machine.",
			func(c *Cell) string { return brief(c.Fit.Mean) + " / " + brief(c.Predict.Mean) }),
		r.table(benchmark, "Settings", "The settings chosen on the tuning partitions, with the number of "+
			"test partitions in brackets.",
			func(c *Cell) string {
				text := cmp.Or(strings.Join(c.Params, "; "), "none") + fmt.Sprintf(" (%d", c.Runs)
				if c.Failed > 0 {
					text += fmt.Sprintf(", %d failed", c.Failed)
				}
				return text + ")"
			}),
	}
}

// table returns a table with a row for each system.
func (r *Report) table(keep func(*Cell) bool, title, about string, text func(*Cell) string) Table {
	datasets, systems := r.names(keep)
	t := Table{Title: title, About: about, Header: append([]string{"system"}, datasets...)}
	for _, system := range systems {
		row := []string{system}
		for _, d := range datasets {
			if c := r.Cell(system, d); c != nil && keep(c) {
				row = append(row, text(c))
			} else {
				row = append(row, missing)
			}
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// text formats the statistic as "mean (standard error)".
func (s *Stat) text(digits int) string {
	if s == nil {
		return missing
	}
	text := strconv.FormatFloat(s.Mean, 'f', digits, 64)
	if s.SE != nil {
		text += fmt.Sprintf(" (%.*f)", digits, *s.SE)
	}
	return text
}

// brief formats a number with about three digits.
func brief(v float64) string {
	switch {
	case v >= 100 || v == math.Trunc(v):
		return strconv.FormatFloat(v, 'f', 0, 64)
	case v >= 10:
		return strconv.FormatFloat(v, 'f', 1, 64)
	}
	return strconv.FormatFloat(v, 'g', 3, 64)
}

// table returns the table of a ranking.
func (k Ranking) table() Table {
	measure := strings.ToUpper(k.Measure)
	t := Table{Title: fmt.Sprintf("Average ranks by %s: all systems", measure),
		Header: append([]string{""}, k.Systems...), Rows: [][]string{{"average rank"}}}
	t.About = fmt.Sprintf("%d data sets with runs of every system (%s): Friedman's Q = %.3f, p = %.4f. ",
		len(k.Datasets), strings.Join(k.Datasets, ", "), k.Friedman.Q, k.Friedman.P)
	for _, rank := range k.Friedman.Average {
		t.Rows[0] = append(t.Rows[0], fmt.Sprintf("%.3f", rank))
	}
	if k.Control == "" {
		var pairs []string
		for _, d := range k.Pairs {
			if d.Differs {
				pairs = append(pairs, k.Systems[d.I]+" and "+k.Systems[d.J])
			}
		}
		t.About += fmt.Sprintf("By Nemenyi's test at level 0.05, two systems differ if their average ranks differ "+
			"by at least CD = %.3f. Pairs that differ: %s.", k.CD, cmp.Or(strings.Join(pairs, ", "), "none"))
		return t
	}
	t.Title = fmt.Sprintf("Average ranks by %s: %s and the paper's baselines", measure, k.Control)
	t.About += fmt.Sprintf("By the Bonferroni–Dunn test at level 0.10, a system differs from %s if the "+
		"statistic, the difference of the ranks in standard errors, is at least q = %.3f in magnitude (marked !).",
		k.Control, k.Critical)
	statistics := make([]string, len(t.Header))
	statistics[0] = "statistic"
	for _, d := range k.Pairs {
		if k.Systems[d.J] == k.Control {
			if statistics[1+d.I] = fmt.Sprintf("%.3f", d.Z); d.Differs {
				statistics[1+d.I] += " !"
			}
		}
	}
	t.Rows = append(t.Rows, statistics)
	return t
}

// seriesTables returns the tables of accuracy over the number of classes.
func (r *Report) seriesTables() []Table {
	names := map[string]bool{}
	for _, c := range r.Cells {
		if c.Series != "" {
			names[c.Series] = true
		}
	}
	var all []Table
	for _, name := range slices.Sorted(maps.Keys(names)) {
		keep := func(c *Cell) bool { return c.Series == name && !c.Whole }
		accuracy := r.table(keep, "Accuracy by number of classes: "+name,
			"Per cent of the test samples, mean (standard error). The paper shows these figures as curves, without "+
				"numbers.",
			func(c *Cell) string { return (&Stat{Mean: 100 - c.Err.Mean, SE: c.Err.SE}).text(2) })
		size := r.table(keep, "Number of classes: settings and sizes, "+name,
			"Setting, number of runs; relevance or support vectors / non-zero weights; seconds of a fit.",
			func(c *Cell) string {
				return fmt.Sprintf("%s (%d); %s / %s; %s s", strings.Join(c.Params, ", "), c.Runs, brief(c.Basis.Mean),
					brief(c.Weights.Mean), brief(c.Fit.Mean))
			})
		all = append(all, accuracy, size)
	}
	return all
}

// wholeTable returns the table of weights of fits to whole sets.
func (r *Report) wholeTable() Table {
	return r.table(func(c *Cell) bool { return c.Whole }, "Relevance vectors and weights of fits to all samples",
		"Relevance or support vectors (non-zero weights), and the error rate on the training samples in per cent.",
		func(c *Cell) string {
			return fmt.Sprintf("%s (%s), %.1f %%", brief(c.Basis.Mean), brief(c.Weights.Mean), c.Err.Mean)
		})
}

// failureTable lists the runs that failed.
func (r *Report) failureTable() Table {
	s := Table{
		Title: "Runs that failed", About: "They are not included in the means. A setting with a failed tuning " +
			"run is not chosen.",
		Header: []string{"system", "data set", "partition", "settings", "error"},
	}
	for _, f := range r.Failures {
		partition := strconv.Itoa(f.Partition)
		if f.Tuning {
			partition += " (tuning)"
		}
		s.Rows = append(s.Rows, []string{f.System, f.Dataset, partition, f.Params.String(), f.Error})
	}
	return s
}

// timeTable returns the time of each system.
func (r *Report) timeTable() Table {
	s := Table{
		Title: "Time by system", About: "Seconds for fits and predictions of labels, over all data sets. " +
			"Concurrent runs share the machine.",
		Header: []string{"system", "tuning runs", "seconds", "test runs", "seconds"},
	}
	for _, t := range r.Times {
		s.Rows = append(s.Rows, []string{t.System, strconv.Itoa(t.Tuning), brief(t.TuningSeconds),
			strconv.Itoa(t.Test), brief(t.TestSeconds)})
	}
	return s
}
