package look

import (
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"

	"github.com/mpcvm/mpcvm/internal/fitting"
	"github.com/mpcvm/mpcvm/tables/internal/detect"
	"github.com/mpcvm/mpcvm/tables/internal/texts"
	"github.com/mpcvm/mpcvm/tables/table"
)

// Words in names of columns.
var (
	persons = strings.Fields("patient patients subject person participant respondent individual animal mouse " +
		"donor mrn customer client user member employee student household family email mail cow dog cat horse")
	identifiers = strings.Fields("id ids uid uuid guid no nr number num code key name")
	weighted    = strings.Fields("sample case row rows obs observation instance survey sampling frequency " +
		"freq inverse design replicate class example record")
	splits   = strings.Fields("split fold folds kfold cvfold partition")
	subsets  = strings.Fields("train training test testing valid validation val dev eval holdout tune")
	guesses  = strings.Fields("pred preds predicted prediction predictions yhat proba probas")
	measures = strings.Fields("count counts quality rating ratings score scores star stars grade age year " +
		"years rank ranking rings points severity")
)

// weights reports whether a column seems to contain the weights of the rows.
func (a about) weights() bool {
	n := len(a.name)
	return a.c.Kind == table.Number && a.s.Range != nil && a.s.Range.Min >= 0 &&
		(n > 1 && slices.Contains([]string{"weight", "weights", "wt", "wgt"}, a.name[n-1]) &&
			slices.Contains(weighted, a.name[n-2]) ||
			n == 1 && slices.Contains([]string{"fnlwgt", "pweight", "pweights"}, a.name[0]))
}

// split reports whether a column divides the rows into training and test rows, or into folds.
func (a about) split() bool {
	named := len(a.name) > 0 && slices.Contains(splits, a.name[len(a.name)-1])
	switch a.c.Kind {
	case table.Number:
		return named && a.s.whole && a.s.Distinct <= 30
	case table.Boolean:
		return named || len(a.name) > 1 && slices.Contains([]string{"is", "in", "for"}, a.name[0]) &&
			slices.Contains(subsets, a.name[1]) && len(a.name) <= 3
	case table.Category:
		used := 0
		for level, n := range a.c.Profile(nil).Counts {
			if n > 0 && slices.Contains(subsets, strings.ToLower(a.c.Levels[level])) {
				used++
			}
		}
		return used >= 2 && used == a.s.Distinct || named && a.s.Distinct <= 30
	}
	return false
}

// predicted reports whether the name of a column says that it contains the predictions of a model. Words at
// the end may refer to a norm, as in FEV1 predicted.
func (a about) predicted() bool {
	name := strings.Join(a.name, " ")
	return len(a.name) > 0 && (slices.Contains(guesses, a.name[0]) ||
		slices.Contains(strings.Fields("prediction predictions proba"), a.name[len(a.name)-1])) ||
		slices.Contains([]string{"y pred", "y hat", "y prob", "y proba", "y score", "model score"}, name)
}

// counts reports whether a column numbers the rows of each class, so that large numbers are of large classes.
func (a about) counts() bool {
	if a.c.Kind != table.Number || !a.s.whole || a.by.classes < 2 || a.s.AtLeast || len(a.c.Faults) > 0 {
		return false
	}
	values := make([][]float64, a.by.classes)
	for i, label := range a.by.labels {
		if v := a.c.Numbers[i]; label >= 0 && fitting.IsFinite(v) {
			values[label] = append(values[label], v)
		}
	}
	for label, own := range values {
		slices.Sort(own)
		n := len(own)
		if n < max(a.Classes[label].Rows, 1) || a.Rows < leastRows || own[0] != 0 && own[0] != 1 ||
			own[n-1]-own[0] > 1.05*float64(n-1) || len(slices.Compact(own)) < n {
			return false
		}
	}
	return true
}

// indicates reports whether a boolean is true in exactly the rows of a class, or whether it belongs with the
// target to columns of which exactly one is true in each row.
func (a about) indicates() bool {
	if a.c.Kind != table.Boolean || a.s.Missing+a.s.Faults > 0 || a.by.classes < 2 || a.s.Distinct < 2 {
		return false
	}
	if a.by.classes == 2 {
		return slices.Contains(a.oneHot, a.c.Name)
	}
	var rows [2][]int // of each class, in which the column is false and true
	for k := range rows {
		rows[k] = make([]int, a.by.classes)
	}
	for i, label := range a.by.labels {
		if label >= 0 {
			rows[int(a.c.Numbers[i])][label]++
		}
	}
	only := slices.IndexFunc(rows[1], func(n int) bool { return n > 0 })
	return used(rows[1]) == 1 && rows[0][only] == 0
}

// findOneHot sets the columns that are true in turn with the target, if it is a boolean.
func (f *Findings) findOneHot(t *table.Table) {
	target := f.TargetColumn
	if target < 0 || t.Columns[target].Kind != table.Boolean || t.Rows == 0 {
		return
	}
	name := detect.Words(t.Columns[target].Name)
	like := func(other []string) bool { // is_cat and is_dog, or cat and dog
		n, m := len(name), len(other)
		return n > 0 && m > 0 && (name[0] == other[0] && n > 1 && m > 1 || name[n-1] == other[m-1] && n > 1 ||
			n == 1 && m == 1)
	}
	sums := make([]float64, t.Rows)
	var names []string
	for j := range t.Columns {
		c := &t.Columns[j]
		if c.Kind != table.Boolean || f.Columns[j].Missing > 0 || j != target && !like(detect.Words(c.Name)) {
			continue
		}
		if names = append(names, c.Name); j == target {
			names = names[:len(names)-1]
		}
		for i, v := range c.Numbers {
			sums[i] += v
		}
	}
	if len(names) > 1 && !slices.ContainsFunc(sums, func(v float64) bool { return v != 1 }) {
		f.oneHot = names
	}
}

// warnOrder warns about classes that are numbers with an order, such as counts, years and half stars, but not
// about numbers that are only names of classes.
func (f *Findings) warnOrder(t *table.Table) {
	if f.TargetColumn < 0 || f.Refused != nil || t.Columns[f.TargetColumn].Kind != table.Number {
		return
	}
	s := &f.Columns[f.TargetColumn]
	least, most := f.Rows, 0
	for _, c := range f.Classes {
		least, most = min(least, c.Rows), max(most, c.Rows)
	}
	name := detect.Words(s.Name)
	named := len(name) > 0 && slices.Contains(measures, name[len(name)-1])
	years := s.whole && s.Range.Min >= 1800 && s.Range.Max <= 2100
	if s.Distinct > 3 && (named || !s.whole) || s.Distinct > 2 && years || s.Distinct > 10 && most >= 3*least {
		f.add(table.Finding{Code: texts.Order, Column: s.Name, N: s.Distinct,
			Texts: []string{exactly(s.Range.Min), exactly(s.Range.Max)}})
	}
}

// warnOwn warns about a table that was written by a prediction: each row has either a class or a problem.
func (f *Findings) warnOwn(t *table.Table) {
	j := t.Find("problem")
	if f.TargetColumn < 0 || f.TargetColumn >= j || *f.Target != table.ClassColumn {
		return
	}
	for i := range t.Rows {
		if t.Columns[j].Missing(i) == t.Columns[f.TargetColumn].Missing(i) {
			return
		}
	}
	f.add(table.Finding{Code: texts.OwnOutput, Column: table.ClassColumn, Columns: []string{t.Columns[j].Name}})
}

// warnGroup warns about a column whose values repeat like the names of patients: because of its name, or
// because other columns are constant in the rows with the same value. Of several columns, it reports the one
// that determines most of the others.
func (f *Findings) warnGroup(t *table.Table) {
	if t.Group != "" || t.Time != "" || slices.ContainsFunc(f.Warnings, func(w table.Finding) bool {
		return w.Code == texts.RepeatedID || w.Code == texts.Groups
	}) {
		return
	}
	best := -1.0
	var w table.Finding
	for j := range t.Columns {
		c, s := &t.Columns[j], &f.Columns[j]
		if !f.IsFeature(j) || s.AtLeast || s.Distinct < groupLevels || 10*s.Distinct > 9*(f.Rows-s.Missing) ||
			c.Kind != table.Category && !(c.Kind == table.Number && s.whole && s.Range.Min > 0) {
			continue
		}
		score := f.determined(t, j)
		if namesGroup(c.Name) {
			score += 1000
		}
		if score > best && score > 0 {
			best = score
			w = table.Finding{Code: texts.Group, Column: c.Name, N: s.Distinct, Of: f.Rows}
			if score > 1000 { // its name and its values
				w.Option, w.Value = "Group", c.Name
			}
		}
	}
	if w.Code != "" {
		f.group = w.Column
		f.add(w)
	}
}

// namesGroup reports whether a column is named like an id, or like a person with several rows.
func namesGroup(name string) bool {
	w := detect.Words(name)
	if len(w) == 0 {
		return false
	}
	last := w[len(w)-1]
	return slices.Contains(persons, last) || slices.Contains(identifiers[:5], last) ||
		len(w) > 1 && slices.Contains(identifiers, last) && slices.Contains(persons, w[len(w)-2])
}

const (
	groupRows    = 20_000 // rows after which determined looks for no further values
	mostOfGroup  = 50     // rows with the same value that it compares
	mostCompared = 20     // other columns that it compares, evenly spaced
	nearlySame   = 0.1    // variance within groups relative to the total
	exactlySame  = 0.001
)

// determined returns how many other columns are nearly constant in the rows with the same value of a column,
// or 0 if there are fewer than two or less than half of the columns. At least one must be constant, and no
// value may have more than a fifth of the rows. Of many columns it compares a part.
func (f *Findings) determined(t *table.Table, column int) float64 {
	var groups [][]int // rows of each value
	number, rows := map[float64]int{}, 0
	for i := range t.Rows {
		v := value(&t.Columns[column], i)
		g, met := number[v]
		if math.IsNaN(v) || met && len(groups[g]) == mostOfGroup || !met && rows >= groupRows {
			continue
		}
		if !met {
			g, number[v] = len(groups), len(groups)
			groups = append(groups, nil)
		}
		groups[g] = append(groups[g], i)
		rows++
	}
	largest := slices.MaxFunc(append(groups, nil), func(a, b []int) int { return len(a) - len(b) })
	if rows < 2*len(groups) || len(groups) < groupLevels || 5*len(largest) > rows {
		return 0
	}
	var others []int
	for j := range t.Columns {
		if j != column && f.IsFeature(j) && f.Columns[j].Distinct >= 3 && !f.collinear(column, j) {
			others = append(others, j)
		}
	}
	step := max(1, (len(others)+mostCompared-1)/mostCompared)
	compared := (len(others) + step - 1) / step
	same, varies, exact := 0, 0, 0
	for i := 0; i < len(others) && 2*varies <= compared; i += step {
		share := within(&t.Columns[others[i]], groups)
		if share >= nearlySame {
			varies++
			continue
		}
		if same++; share < exactlySame {
			exact++
		}
	}
	if same < 2 || 2*varies > compared || exact == 0 {
		return 0
	}
	return float64(same)
}

func (f *Findings) collinear(i, j int) bool {
	r := &f.Correlations
	a, b := slices.Index(r.Columns, i), slices.Index(r.Columns, j)
	return a >= 0 && b >= 0 && math.Abs(r.R[a][b]) > collinear
}

// value returns a number that represents a cell, or NaN if it is missing.
func value(c *table.Column, row int) float64 {
	switch {
	case c.Missing(row):
		return math.NaN()
	case c.Kind.Numeric():
		return c.Numbers[row]
	}
	return float64(c.Codes[row])
}

// within returns how much two rows of the same group differ in a column, relative to any two rows: the ratio
// of the mean squared differences of numbers, or of the probabilities that texts differ.
func within(c *table.Column, groups [][]int) float64 {
	var all []float64
	inside, free := 0.0, 0.0
	for _, rows := range groups {
		var own []float64
		for _, i := range rows {
			if v := value(c, i); fitting.IsFinite(v) {
				own = append(own, v)
			}
		}
		if all = append(all, own...); len(own) > 1 {
			inside += squares(own, c.Kind.Numeric())
			free += float64(len(own) - 1)
		}
	}
	if total := squares(all, c.Kind.Numeric()); free >= 10 && total > 0 {
		return inside / free / (total / float64(len(all)-1))
	}
	return 1
}

// squares returns the sum of squared distances of numbers from their mean, or of texts as dimensions.
func squares(values []float64, numbers bool) float64 {
	n := float64(len(values))
	if numbers {
		return n * stat.PopVariance(values, nil)
	}
	counts, sum := map[float64]float64{}, 0.0
	for _, v := range values {
		counts[v]++
	}
	for _, m := range counts {
		sum += m * m
	}
	return n - sum/n
}
