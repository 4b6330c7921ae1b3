package look

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/mpcvm/mpcvm/internal/fitting"
	"github.com/mpcvm/mpcvm/internal/words"
	"github.com/mpcvm/mpcvm/tables/internal/celltext"
	"github.com/mpcvm/mpcvm/tables/internal/detect"
	"github.com/mpcvm/mpcvm/tables/internal/texts"
	"github.com/mpcvm/mpcvm/tables/table"
)

func (f *Findings) warn(t *table.Table) {
	if f.Rows == 0 {
		f.add(table.Finding{Code: texts.NoRows})
		return
	}
	if f.Features == 0 {
		f.add(table.Finding{Code: texts.NoFeatures})
	}
	switch {
	case f.Refused != nil:
		f.add(table.Finding{Code: texts.Refused, Column: *f.Target, Cause: f.Refused})
	case f.Unlabelled > 0:
		f.add(table.Finding{Code: texts.Unlabelled, Column: *f.Target, N: f.Unlabelled, Of: f.Rows})
	}
	if len(f.Classes) > 0 {
		f.warnClasses(t)
		f.warnLeaks()
	}
	f.warnSpelling(t)
	f.warnOrder(t)
	f.warnOwn(t)
	f.warnIDs(t)
	f.warnGroup(t)
	f.warnRows()
	for j := range t.Columns {
		f.warnCells(&t.Columns[j], &f.Columns[j], j == f.TargetColumn)
	}
	f.findOneHot(t)
	f.warnColumns(t)
	f.warnCollinear(t)
}

// warned lists the codes of notes of a reader that are warnings of this package, forFit the codes of the
// warnings that matter for a fit, and noted the codes of other warnings that are notes in a report on a fit.
var (
	forFit = []table.Code{texts.Unlabelled, texts.Alike, texts.NamedMissing, texts.Few, texts.Imbalance,
		texts.Leak, texts.Groups, texts.Group, texts.RowWeights, texts.Split,
		texts.Predicted, texts.Counter, texts.Indicator, texts.Order, texts.OwnOutput, texts.Filled,
		texts.RepeatedID, texts.IDOverTime, texts.Duplicates, texts.NearCopies,
		texts.Conflicts, texts.Sentinel, texts.Outlier, texts.Spelling, texts.OddCells, texts.Wide}
	warned = []table.Code{texts.Limits, texts.Faults, texts.DroppedID, texts.FreeText}
	noted  = []table.Code{texts.Dates, texts.Levels, texts.Constant, texts.Empty}
)

// ForFit returns the warnings that matter for a fit, and others as notes. A report on a fit includes both.
func (f *Findings) ForFit() (warnings, notes []table.Finding) {
	for _, w := range f.Warnings {
		switch {
		case slices.Contains(forFit, w.Code):
			warnings = append(warnings, w)
		case slices.Contains(noted, w.Code):
			notes = append(notes, w)
		}
	}
	return warnings, notes
}

func (f *Findings) add(w table.Finding) { f.Warnings = append(f.Warnings, w) }

// warnClasses warns about similar names, names of missing values, rare classes and imbalance.
func (f *Findings) warnClasses(t *table.Table) {
	var names, few, none []string
	for _, c := range f.Classes {
		names = append(names, c.Name)
		if c.Rows < fewSamples {
			few = append(few, c.Name)
		}
		if celltext.Doubtful(strings.TrimSpace(c.Name)) && !slices.Contains(t.Missing, celltext.Kept+c.Name) {
			none = append(none, c.Name)
		}
	}
	f.warnAlike(*f.Target, names)
	if len(none) > 0 {
		f.add(table.Finding{Code: texts.NamedMissing, Column: *f.Target, N: len(none), Texts: none})
	}
	if len(few) > 0 {
		row := 0
		for c := &t.Columns[f.TargetColumn]; c.Label(row) != few[0]; {
			row++
		}
		f.add(table.Finding{Code: texts.Few, Column: *f.Target, Row: row + 1, N: len(few), Of: fewSamples,
			Texts: few})
	}
	byRows := func(a, b Class) int { return a.Rows - b.Rows }
	least, most := slices.MinFunc(f.Classes, byRows), slices.MaxFunc(f.Classes, byRows)
	if labelled := f.Rows - f.Unlabelled; least.Rows > 0 && most.Rows >= imbalance*least.Rows {
		f.add(table.Finding{Code: texts.Imbalance, Column: *f.Target, N: least.Rows, Of: most.Rows,
			Texts: []string{most.Name, least.Name, words.Share(labelled-most.Rows, labelled)}})
	}
}

// warnAlike warns about names of classes or levels that differ only in case or blanks.
func (f *Findings) warnAlike(column string, names []string) {
	groups := map[string][]string{}
	var keys, twins []string
	for _, name := range names {
		key := words.Folded(name)
		if groups[key] == nil {
			keys = append(keys, key)
		}
		groups[key] = append(groups[key], name)
	}
	for _, key := range keys {
		if len(groups[key]) > 1 {
			twins = append(twins, groups[key]...)
		}
	}
	if len(twins) > 0 {
		f.add(table.Finding{Code: texts.Alike, Column: column, Texts: twins})
	}
}

// warnSpelling warns about classes that are the same number in different notations, such as 0.1 and 0.10.
func (f *Findings) warnSpelling(t *table.Table) {
	if f.TargetColumn < 0 || f.Refused != nil {
		return
	}
	var list []string
	for _, spellings := range t.Columns[f.TargetColumn].Spelling {
		if len(spellings) > 1 {
			list = append(list, strings.Join(spellings[:min(len(spellings), 5)], " = "))
		}
	}
	if slices.Sort(list); len(list) > 0 {
		f.add(table.Finding{Code: texts.Spelling, Column: *f.Target, Texts: list})
	}
}

// warnLeaks warns about columns that predict the class too well, by their values or by the presence of a
// value.
func (f *Findings) warnLeaks() {
	tests := 3 * len(f.Columns)
	leak := table.Finding{Code: texts.Leak, N: 1, Of: 1}
	var others []table.Finding
	for j := range f.Columns {
		c := &f.Columns[j]
		if !f.IsFeature(j) {
			continue
		}
		if l := c.values; l.significant(tests) {
			if leak.Columns == nil || l.right*leak.Of < leak.N*l.rows {
				leak.N, leak.Of = l.right, l.rows
			}
			leak.Columns = append(leak.Columns, c.Name)
			if c.Kind == table.Category.String() && c.Distinct >= groupLevels {
				others = append(others, table.Finding{Code: texts.Groups, Column: c.Name})
			}
		}
		if l := c.fills; l.only.significant(tests) || l.both.significant(tests) {
			others = append(others, table.Finding{Code: texts.Filled, Column: c.Name, N: l.filled, Of: l.rows,
				Texts: []string{f.Classes[l.of].Name, words.Share(l.others, l.otherRows)}})
		}
	}
	if leak.Columns != nil {
		f.add(leak)
	}
	f.Warnings = append(f.Warnings, others...)
}

// warnIDs warns about ids with repeated values, whose rows belong together.
func (f *Findings) warnIDs(t *table.Table) {
	ids := *t
	ids.Group, ids.Time = "", ""
	d, err := ids.Dealing(fitting.All(t.Rows))
	if err != nil || d.Groups == nil || t.Group != "" {
		return
	}
	w := table.Finding{Code: texts.RepeatedID, Of: t.Rows}
	for j := range t.Columns {
		if t.Columns[j].Kind == table.ID {
			w.Columns = append(w.Columns, t.Columns[j].Name)
		}
	}
	for _, g := range slices.Compact(slices.Sorted(slices.Values(d.Groups))) {
		if g >= 0 { // not a row without an id
			w.N++
		}
	}
	if t.Time != "" {
		w.Code, w.Texts = texts.IDOverTime, []string{t.Time}
	}
	f.add(w)
}

// warnRows warns about duplicates and conflicts, and about too many or too few rows.
func (f *Findings) warnRows() {
	if f.Duplicates > 0 {
		f.add(table.Finding{Code: texts.Duplicates, Row: f.duplicate[1] + 1, N: f.Duplicates, Of: f.Looked,
			Texts: []string{strconv.Itoa(f.duplicate[0] + 1)}})
	}
	if f.Conflicts > 0 {
		f.add(table.Finding{Code: texts.Conflicts, N: f.Conflicts, Of: f.Looked,
			Texts: []string{strconv.Itoa(f.conflict[0] + 1), strconv.Itoa(f.conflict[1] + 1)}})
	}
	if f.Refused != nil {
		return
	}
	rows := f.Rows - f.Unlabelled
	if rows > squared {
		f.add(table.Finding{Code: texts.Rows, N: f.Rows, Of: squared})
	}
	if f.Features > rows {
		f.add(table.Finding{Code: texts.Wide, N: f.Features, Of: rows})
	}
}

// warnCells warns about suspicious cells of a column. It adds the options that a fit requires.
func (f *Findings) warnCells(c *table.Column, s *Column, target bool) {
	for _, w := range detect.Faults(c) {
		f.add(w)
		need := table.Finding{Code: w.Code, Column: c.Name, Option: w.Option, Value: w.Value}
		if w.Option != "" {
			f.need(need)
			continue
		}
		for _, text := range w.Texts {
			need.Option, need.Value = "Missing", text
			f.need(need)
		}
	}
	if !target || f.Refused != nil {
		for _, v := range s.sentinels {
			f.add(table.Finding{Code: texts.Sentinel, Column: c.Name, N: v.Rows, Texts: []string{v.Text}})
		}
	}
	if target {
		return
	}
	if s.outlier != 0 && len(s.sentinels) == 0 {
		f.add(table.Finding{Code: texts.Outlier, Column: c.Name, Row: slices.Index(c.Numbers, s.outlier) + 1,
			Texts: []string{exactly(s.outlier)}})
	}
	if c.Kind == table.Category {
		f.warnBoolean(c)
		f.warnAlike(c.Name, c.Levels)
	}
}

// need adds an option that a fit requires, unless another column requires it.
func (f *Findings) need(n table.Finding) {
	same := func(m table.Finding) bool { return m.Option == n.Option && m.Value == n.Value }
	if !slices.ContainsFunc(f.Needs, same) {
		f.Needs = append(f.Needs, n)
	}
}

// warnBoolean warns about a category that would be a boolean except for a few odd cells.
func (f *Findings) warnBoolean(c *table.Column) {
	p := c.Profile(nil)
	var truths []string
	w := table.Finding{Code: texts.OddCells, Column: c.Name}
	odd := make([]bool, len(c.Levels))
	for _, code := range p.Frequent() {
		if n := p.Counts[code]; 20*n > p.Present() {
			truths = append(truths, strings.ToLower(c.Levels[code]))
		} else {
			w.N, w.Texts, odd[code] = w.N+n, append(w.Texts, c.Levels[code]), true
		}
	}
	slices.Sort(truths)
	truths = slices.Compact(truths)
	if w.N == 0 || 20*w.N > p.Present() || !slices.ContainsFunc(celltext.Truths, func(pair [2]string) bool {
		return slices.Equal(truths, slices.Sorted(slices.Values(pair[:])))
	}) {
		return
	}
	w.Row = slices.IndexFunc(c.Codes, func(code int32) bool { return code >= 0 && odd[code] }) + 1
	f.add(w)
}

// about is a column as the rules below see it.
type about struct {
	*Findings
	c       *table.Column
	s       *Column
	name    []string      // the words of its name
	dropped table.Finding // see detect.Dropped
}

// columnRules are the reasons why a column is not a useful feature, with a limit. The first one is reported.
var columnRules = []struct {
	code table.Code
	n    int
	is   func(a about) bool
}{
	{texts.Empty, 0, func(a about) bool { return a.s.Distinct == 0 }},
	{texts.DroppedID, 0, func(a about) bool { return a.dropped.Code == texts.DroppedID }},
	{texts.FreeText, 0, func(a about) bool { return a.dropped.Code == texts.FreeText }},
	{"", 0, func(a about) bool { return a.c.Kind == table.Text }}, // a note explains it
	{texts.Constant, 0, func(a about) bool {
		return a.s.Distinct == 1 && !a.s.AtLeast && a.s.Missing+a.s.Faults == 0
	}},
	{texts.ID, 0, func(a about) bool { return a.s.identifies(a.Rows) }},
	{texts.RowWeights, 0, about.weights},
	{texts.Split, 0, about.split},
	{texts.Predicted, 0, about.predicted},
	{texts.Counter, 0, about.counts},
	{texts.Indicator, 0, about.indicates},
	{texts.Dates, 0, func(a about) bool { return a.c.Kind == table.Date }},
	{texts.Levels, mostLevels, func(a about) bool {
		return a.c.Kind == table.Category && a.s.Distinct > mostLevels && a.c.Name != a.group
	}},
}

// warnColumns warns about columns that are not useful as features, once for each reason.
func (f *Findings) warnColumns(t *table.Table) {
	found := make([]table.Finding, len(columnRules))
	for j := range t.Columns {
		a := about{f, &t.Columns[j], &f.Columns[j], detect.Words(t.Columns[j].Name),
			detect.Dropped(&t.Columns[j], t.Notes)}
		if j == f.TargetColumn || a.c.Aside {
			continue
		}
		for k, rule := range columnRules {
			if !rule.is(a) {
				continue
			}
			w := &found[k]
			w.Code, w.N, w.Columns = rule.code, rule.n, append(w.Columns, a.c.Name)
			switch rule.code {
			case texts.RowWeights:
				w.Texts = w.Columns
			case a.dropped.Code:
				w.Texts = append(w.Texts, a.dropped.Texts...)
			}
			break
		}
	}
	for _, w := range found {
		if w.Code != "" {
			f.add(w)
		}
	}
}

func (f *Findings) warnCollinear(t *table.Table) {
	r := &f.Correlations
	w := table.Finding{Code: texts.Collinear, Of: r.Rows}
	add := func(list *[]string, j int) {
		if name := t.Columns[j].Name; !slices.Contains(*list, name) {
			*list = append(*list, name)
		}
	}
	for i, a := range r.Columns {
		for j := i + 1; j < len(r.Columns); j++ {
			if b := r.Columns[j]; math.Abs(r.R[i][j]) > collinear {
				w.N++
				add(&w.Columns, a)
				add(&w.Columns, b)
				add(&w.Texts, b)
			}
		}
	}
	if w.N > 0 {
		f.add(w)
	}
}

// identifies reports whether a column of numbers or a category looks like an id.
func (s *Column) identifies(rows int) bool {
	v := detect.Values{Rows: rows, N: rows, Distinct: s.Distinct, Numbers: s.Kind == table.Number.String(),
		Whole: s.whole}
	if v.Numbers {
		v.Span = s.Range.Max - s.Range.Min
	} else if s.Kind != table.Category.String() {
		return false
	}
	return !s.AtLeast && detect.Identify(s.Name, v) != detect.NotID
}
