package study

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
)

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
	const below = " The row below shows the paper's mean (standard deviation of its 45 runs / √45), on its " +
		"own partitions, if the paper has this system and data set."
	return []Table{
		r.table(benchmark, "Error rate in per cent", "Mean over the test partitions (standard error of "+
			"the mean)."+below,
			func(c *Cell) string { return c.Err.text(3) },
			func(c *Cell) string { return c.PaperErr.text(3) }),
		r.table(benchmark, "Generalised AUC in per cent", "AUC of Hand and Till over the classes of the test set: "+
			"mean (standard error)."+below,
			func(c *Cell) string { return c.AUC.text(3) },
			func(c *Cell) string { return c.PaperAUC.text(3) }),
		r.table(func(c *Cell) bool { return benchmark(c) && (c.PaperErr != nil || c.PaperAUC != nil) },
			"Ours minus the paper's, in standard errors",
			"ERR, then AUC: the difference of the means divided by the standard error of that difference, √(SE² + "+
				"SE²). Below zero, our error or AUC is lower than the paper's. The partitions differ, so "+
				"2 is not unusual.",
			func(c *Cell) string { return distance(&c.Err, c.PaperErr) + " / " + distance(c.AUC, c.PaperAUC) }, nil),
		r.table(benchmark, "Log loss", "Mean −log p of the true class, in nats (standard error).",
			func(c *Cell) string { return c.LogLoss.text(4) }, nil),
		r.table(benchmark, "Size of the models", "Mean numbers of relevance or support vectors / non-zero "+
			"weights; for linear systems, 0 / the number of coefficients.",
			func(c *Cell) string { return brief(c.Basis.Mean) + " / " + brief(c.Weights.Mean) }, nil),
		r.table(benchmark, "Seconds", "Mean wall time of a fit / of predicting the labels of the test set. "+
			"Concurrent runs share the machine.",
			func(c *Cell) string { return brief(c.Fit.Mean) + " / " + brief(c.Predict.Mean) }, nil),
		r.table(benchmark, "Settings", "The settings chosen on the tuning partitions, with the number of "+
			"test partitions in brackets.",
			func(c *Cell) string {
				text := cmp.Or(strings.Join(c.Params, "; "), "none") + fmt.Sprintf(" (%d", c.Runs)
				if c.Failed > 0 {
					text += fmt.Sprintf(", %d failed", c.Failed)
				}
				return text + ")"
			}, nil),
	}
}

// table returns a table with a row for each system and, if theirs is not nil and returns text, a row
// for the paper.
func (r *Report) table(keep func(*Cell) bool, title, about string, ours, theirs func(*Cell) string) Table {
	datasets, systems := r.names(keep)
	s := Table{Title: title, About: about, Header: append([]string{"system"}, datasets...)}
	for _, sys := range systems {
		cells, theirCells := []string{sys}, []string{"paper"}
		printed := false
		for _, d := range datasets {
			c := r.Cell(sys, d)
			if c == nil || !keep(c) {
				cells, theirCells = append(cells, missing), append(theirCells, "")
				continue
			}
			cells = append(cells, ours(c))
			text := ""
			if theirs != nil {
				if text = theirs(c); text == missing {
					text = ""
				}
			}
			printed = printed || text != ""
			theirCells = append(theirCells, text)
		}
		s.Rows = append(s.Rows, Row{Cells: cells})
		if printed {
			s.Rows = append(s.Rows, Row{theirCells, true})
		}
	}
	return s
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

// distance formats our mean minus the paper's, in standard errors.
func distance(ours, theirs *Stat) string {
	if ours == nil || theirs == nil || ours.SE == nil || theirs.SE == nil {
		return missing
	}
	se := math.Hypot(*ours.SE, *theirs.SE)
	if se == 0 {
		return missing
	}
	return fmt.Sprintf("%+.1f", (ours.Mean-theirs.Mean)/se)
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
	s := Table{
		Title:  fmt.Sprintf("Average ranks by %s: all systems", measure),
		Header: append([]string{""}, k.Systems...),
	}
	where := fmt.Sprintf("%d data sets with runs of every system (%s): Friedman's Q = %.3f, p = %.4f.",
		len(k.Datasets), strings.Join(k.Datasets, ", "), k.Friedman.Q, k.Friedman.P)
	if k.Control == "" {
		s.About = where + fmt.Sprintf(" By Nemenyi's test at level 0.05, two systems differ if their average "+
			"ranks differ by at least CD = %.3f. Pairs that differ: ", k.CD)
		var pairs []string
		for _, d := range k.Pairs {
			if d.Differs {
				pairs = append(pairs, k.Systems[d.I]+" and "+k.Systems[d.J])
			}
		}
		if pairs == nil {
			pairs = []string{"none"}
		}
		s.About += strings.Join(pairs, ", ") + "."
	} else {
		s.Title = fmt.Sprintf("Average ranks by %s: %s and the paper's baselines", measure, k.Control)
		s.About = where + fmt.Sprintf(" By the Bonferroni–Dunn test at level 0.10, a system differs from %s if "+
			"the statistic, the difference of the ranks in standard errors, is at least q = %.3f in magnitude "+
			"(marked !).", k.Control, k.Critical)
		if q, ok := paper[paperKey{"Q " + k.Measure, k.Control, "", ""}]; ok {
			p := paper[paperKey{"p " + k.Measure, k.Control, "", ""}]
			s.About += fmt.Sprintf(" The paper prints Q = %.3f, p = %.3f on 8 data sets; it compares the statistic "+
				"with CD = 2.176, which is for the difference of the ranks itself (see package "+
				"ranktest).", q.value, p.value)
		}
	}
	ranks, statistics := []string{"average rank"}, []string{"statistic"}
	theirRanks, theirStatistics := []string{"paper"}, []string{"paper"}
	theirs := func(measure, system string) string {
		v, ok := paper[paperKey{measure + " " + k.Measure, k.Control, system, ""}]
		if !ok {
			return ""
		}
		return fmt.Sprintf("%.3f", v.value)
	}
	for i, sys := range k.Systems {
		ranks = append(ranks, fmt.Sprintf("%.3f", k.Friedman.Average[i]))
		theirRanks = append(theirRanks, theirs("rank", sys))
		text := ""
		for _, d := range k.Pairs {
			if d.I == i && k.Systems[d.J] == k.Control {
				text = fmt.Sprintf("%.3f", d.Z)
				if d.Differs {
					text += " !"
				}
			}
		}
		statistics = append(statistics, text)
		theirStatistics = append(theirStatistics, theirs("statistic", sys))
	}
	s.Rows = []Row{{Cells: ranks}}
	if k.Control != "" {
		s.Rows = append(s.Rows, Row{theirRanks, true}, Row{Cells: statistics}, Row{theirStatistics, true})
	}
	s.Rows = slices.DeleteFunc(s.Rows, func(r Row) bool { return strings.Join(r.Cells[1:], "") == "" })
	return s
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
			func(c *Cell) string {
				return (&Stat{Mean: 100 - c.Err.Mean, SE: c.Err.SE}).text(2)
			}, nil)
		size := r.table(keep, "Number of classes: settings and sizes, "+name,
			"Setting, number of runs; relevance or support vectors / non-zero weights; seconds of a fit.",
			func(c *Cell) string {
				return fmt.Sprintf("%s (%d); %s / %s; %s s", strings.Join(c.Params, ", "), c.Runs, brief(c.Basis.Mean),
					brief(c.Weights.Mean), brief(c.Fit.Mean))
			}, nil)
		all = append(all, accuracy, size)
	}
	return all
}

// wholeTable returns the table of weights of fits to whole sets.
func (r *Report) wholeTable() Table {
	return r.table(func(c *Cell) bool { return c.Whole }, "Relevance vectors and weights of fits to all samples",
		"Relevance or support vectors (non-zero weights), and the error rate on the training samples "+
			"in per cent; the row below shows the paper's counts. The paper describes its synthetic sets in "+
			"words; the points are ours.",
		func(c *Cell) string {
			return fmt.Sprintf("%s (%s), %.1f %%", brief(c.Basis.Mean), brief(c.Weights.Mean), c.Err.Mean)
		},
		func(c *Cell) string {
			v, ok := paper[paperKey{"vectors", "", c.System, c.Dataset}]
			if !ok {
				return missing
			}
			return fmt.Sprintf("%s (%s)", brief(v.value),
				brief(paper[paperKey{"weights", "", c.System, c.Dataset}].value))
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
		s.Rows = append(s.Rows, Row{Cells: []string{f.System, f.Dataset, partition, f.Params.String(), f.Error}})
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
		s.Rows = append(s.Rows, Row{Cells: []string{t.System, strconv.Itoa(t.Tuning), brief(t.TuningSeconds),
			strconv.Itoa(t.Test), brief(t.TestSeconds)}})
	}
	return s
}
