package look

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"

	"github.com/mpcvm/mpcvm/internal/words"
	"github.com/mpcvm/mpcvm/tables/internal/celltext"
	"github.com/mpcvm/mpcvm/tables/internal/detect"
	"github.com/mpcvm/mpcvm/tables/table"
)

// Warning describes a likely mistake and what to do about it. Its JSON has the keys code, columns and text,
// which joins Text and Do.
type Warning struct {
	// Code identifies the kind of warning, such as sentinel.
	Code string
	// Columns are the columns concerned, or nil if the warning is about the table.
	Columns []string
	// Text describes the finding, and Do recommends what to do. Both are complete sentences.
	Text, Do string
}

func (w Warning) String() string { return w.Text + " " + w.Do }

// MarshalJSON implements json.Marshaler.
func (w Warning) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Code    string   `json:"code"`
		Columns []string `json:"columns,omitempty"`
		Text    string   `json:"text"`
	}{w.Code, w.Columns, w.String()})
}

// warn adds all warnings.
func (f *Findings) warn(t *table.Table) {
	if f.Rows == 0 {
		f.add("no-rows", nil, "The table has no rows.", "Is the file complete?")
		return
	}
	if f.Features == 0 {
		f.add("no-features", nil, "No column can be used as a feature.", "Use Options.Kinds to make a feature "+
			"from an id or a free text, or collect numbers, categories or dates.")
	}
	f.warnTarget(t)
	f.warnClasses(t)
	f.warnSpelling(t)
	f.warnIDs(t)
	f.warnRows()
	f.warnCells(t)
	f.warnColumns(t)
}

func (f *Findings) add(code string, columns []string, text, do string) {
	f.Warnings = append(f.Warnings, Warning{code, columns, text, do})
}

// need adds the options that a fit requires for a column with faults: the texts of missing values if there
// are at most five, or else another kind.
func (f *Findings) need(name string, faults []table.Fault) {
	words := texts(faults)
	for _, x := range faults {
		if !slices.Contains(words, x.Text) {
			f.Needs = append(f.Needs, Need{"Kinds", name + "=" + table.Category.String()})
			return
		}
	}
	for _, word := range words {
		if need := (Need{"Missing", word}); !slices.Contains(f.Needs, need) {
			f.Needs = append(f.Needs, need)
		}
	}
}

// refusal returns the reason why a column cannot be the classes, or "". rows is the number of rows analysed.
func refusal(c *table.Column, s *Column, rows int) string {
	values := rows
	if !s.AtLeast {
		values -= s.Missing + s.Faults
	}
	err := c.CheckClasses(values, s.Distinct, s.whole)
	if err == nil {
		return ""
	}
	_, why, _ := strings.Cut(err.Error(), ": ")
	return why
}

// warnTarget warns about a column that cannot be the classes, and about rows without a class.
func (f *Findings) warnTarget(t *table.Table) {
	if f.Target == nil {
		return
	}
	name := *f.Target
	if f.Refused != "" {
		do := "Name another column as the target."
		if k := t.Columns[f.TargetColumn].Kind; k == table.Number || k == table.Date {
			do = "Name another column as the target, or convert the values into groups first, such as low and high."
		}
		f.add("refused", []string{name}, fmt.Sprintf("Column %s cannot be used as classes: %s.", quote(name),
			f.Refused), do)
	} else if f.Unlabelled > 0 {
		f.add("unlabelled", []string{name}, fmt.Sprintf("%s (%s) %s no class in column %s.",
			words.CountOf(f.Unlabelled, "row"), words.Share(f.Unlabelled, f.Rows), areOr(f.Unlabelled, "has",
				"have"), quote(name)),
			"They are not used for training. If an empty cell or NA is a class, rename it in the file.")
	}
}

// warnClasses warns about classes with similar names or the name of a missing value, rare classes and
// imbalance.
func (f *Findings) warnClasses(t *table.Table) {
	if len(f.Classes) == 0 {
		return
	}
	target := []string{*f.Target}
	names := make([]string, len(f.Classes))
	var few, rare, none []string
	least, most := f.Classes[0], f.Classes[0]
	for k, c := range f.Classes {
		names[k] = c.Name
		if c.Rows < fewSamples {
			where := ""
			if c.Rows == 1 {
				where = fmt.Sprintf(", row %d", f.firstRow(t, c.Name)+1)
			}
			few, rare = append(few, fmt.Sprintf("%s (%d%s)", quote(c.Name), c.Rows, where)), append(rare, c.Name)
		}
		if celltext.Doubtful(strings.TrimSpace(c.Name)) {
			none = append(none, c.Name)
		}
		if c.Rows < least.Rows {
			least = c
		}
		if c.Rows > most.Rows {
			most = c
		}
	}
	if twins := alike(names); len(twins) > 0 {
		f.add("alike", target, fmt.Sprintf("Some classes differ only in case or blanks: %s.", joined(twins, 5)),
			"They are treated as different classes; if they are the same, correct the file.")
	}
	if len(none) > 0 {
		f.add("named-missing", target, fmt.Sprintf("The name of %s suggests a missing value: %s.",
			areOr(len(none), "a class", "some classes"), joined(quoted(none), 5)),
			fmt.Sprintf("If so, use Options.Missing %s to skip these rows.", flags(none)))
	}
	if len(few) > 0 {
		f.add("few", target, fmt.Sprintf("%s fewer than %d rows: %s.", areOr(len(few), "A class has",
			words.CountOf(len(few), "class")+" have"), fewSamples, joined(few, 5)),
			fmt.Sprintf("If this is a mistake, correct the file, or use Options.Missing %s to skip the rows; to merge "+
				"classes, use Table.Merge. Cross-validation needs some rows of each class in each fold.",
				flags(rare)))
	}
	if least.Rows > 0 && most.Rows >= imbalance*least.Rows {
		f.add("imbalance", target, fmt.Sprintf("Class %s has %s, class %s only %s.", quote(most.Name),
			words.CountOf(most.Rows, "row"), quote(least.Name), words.Count(least.Rows)),
			fmt.Sprintf("Evaluate a model by recall and AUC: always predicting %s has an error of %s. "+
				"Use EvaluateOptions.Costs to give errors on rare classes more weight.", quote(most.Name),
				words.Share(f.Rows-f.Unlabelled-most.Rows, f.Rows-f.Unlabelled)))
	}
	f.warnLeaks()
}

// firstRow returns the first row of a class, from 0.
func (f *Findings) firstRow(t *table.Table, class string) int {
	c := &t.Columns[f.TargetColumn]
	for row := range t.Rows {
		if c.Label(row) == class {
			return row
		}
	}
	return -1
}

// warnSpelling warns about classes that are the same number in different notations, such as 0.1 and 0.10.
func (f *Findings) warnSpelling(t *table.Table) {
	if f.TargetColumn < 0 || f.Refused != "" {
		return
	}
	var list []string
	for _, texts := range t.Columns[f.TargetColumn].Spelling {
		if len(texts) > 1 {
			list = append(list, strings.Join(quoted(texts[:min(len(texts), 5)]), " and "))
		}
	}
	if len(list) > 0 {
		slices.Sort(list)
		f.add("spelling", []string{*f.Target}, fmt.Sprintf("Different spellings of a number are the same "+
			"class: %s.", joined(list, 5)),
			fmt.Sprintf("If they are different classes, use Options.Kinds %s.", flag(*f.Target+"=category")))
	}
}

// warnLeaks warns about columns that predict the class too well, by their values or by the presence of a
// value.
func (f *Findings) warnLeaks() {
	tests := 3 * len(f.Columns)
	var leaks, sentences []string
	groups := ""
	for j := range f.Columns {
		c := &f.Columns[j]
		if !f.IsFeature(j) {
			continue
		}
		if l := c.values; l.significant(tests) {
			leaks = append(leaks, c.Name)
			of := "every row"
			switch {
			case l.right < l.rows && l.rows == f.looked():
				of = fmt.Sprintf("%s of %s rows", words.Count(l.right), words.Count(l.rows))
			case l.right < l.rows:
				of = fmt.Sprintf("%s of the %s rows that have a value", words.Count(l.right), words.Count(l.rows))
			case l.rows < f.looked():
				of = fmt.Sprintf("all %s rows that have a value", words.Count(l.rows))
			}
			sentences = append(sentences, fmt.Sprintf("Column %s alone predicts the class of %s.", quote(c.Name), of))
			if c.Kind == table.Category.String() && c.Distinct >= groupLevels {
				groups = fmt.Sprintf(" If rows with the same value belong together, for example to the same patient, "+
					"use Options.Group %s.", flag(c.Name))
			}
		}
	}
	if len(leaks) > 0 {
		f.add("leak", leaks, joinedSentences(sentences, 10), fmt.Sprintf("If the value is not known before the "+
			"class, exclude the column with Options.Drop %s.", flags(leaks))+groups)
	}
	for j := range f.Columns {
		c, text := &f.Columns[j], ""
		switch l := c.fills; {
		case !f.IsFeature(j):
		case l.only.significant(tests):
			text = fmt.Sprintf("Column %s has values only in rows of class %s (%s of %s).", quote(c.Name),
				quote(f.Classes[l.of].Name), words.Count(l.only.rows), words.Count(f.Classes[l.of].Rows))
		case l.both.significant(tests):
			text = fmt.Sprintf("Whether column %s has a value predicts the class of %s of %s rows.", quote(c.Name),
				words.Count(l.both.right), words.Count(l.both.rows))
		}
		if text != "" {
			f.add("filled", []string{c.Name}, text, fmt.Sprintf("If the column is filled in depending on the class, "+
				"exclude it with Options.Drop %s.", flag(c.Name)))
		}
	}
}

// groupLevels is the minimum number of levels of a category that may be a group.
const groupLevels = 10

// looked returns the number of rows in which columns were compared with the classes.
func (f *Findings) looked() int {
	if f.Looked < f.Rows {
		return f.Looked // some of them may have no class
	}
	return f.Rows - f.Unlabelled
}

// joinedSentences joins up to most sentences about columns.
func joinedSentences(all []string, most int) string {
	if n := len(all); n > most {
		return strings.Join(all[:most], " ") + fmt.Sprintf(" The same applies to %s more.",
			words.CountOf(n-most, "column"))
	}
	return strings.Join(all, " ")
}

// warnIDs warns about an id with repeated values, whose rows belong together.
func (f *Findings) warnIDs(t *table.Table) {
	ids := *t
	ids.Group, ids.Time = "", ""
	rows := make([]int, t.Rows)
	for i := range rows {
		rows[i] = i
	}
	d, err := ids.Dealing(rows)
	if err != nil || d.Groups == nil || t.Group != "" {
		return
	}
	names := namesOf(t, func(j int) bool { return t.Columns[j].Kind == table.ID })
	if t.Time != "" {
		f.add("repeated-id", names, fmt.Sprintf("The folds are split by the time in column %s, so rows with the "+
			"same id may be in both the training set and the test set.", quote(t.Time)),
			"If new rows will have new ids, use Options.Group COLUMN instead of Options.Time.")
		return
	}
	f.add("repeated-id", names, fmt.Sprintf("The folds of a cross-validation are split %s.", table.Go.Say(d.By)),
		"Rows with the same id are kept together, so the figures apply to new ids. If these rows do not belong "+
			"together, use Options.Drop COLUMN instead of Options.ID.")
}

// warnRows warns about duplicates and conflicts, and about too many or too few rows.
func (f *Findings) warnRows() {
	where := ""
	if f.Looked < f.Rows {
		where = fmt.Sprintf(" (in %s rows drawn at random)", words.Count(f.Looked))
	}
	if f.Duplicates > 0 {
		f.add("duplicates", nil, fmt.Sprintf("%s an earlier row in all features and the class (row %d repeats "+
			"row %d)%s.",
			areOr(f.Duplicates, "1 row repeats", words.Count(f.Duplicates)+" rows repeat"), f.duplicate[1]+1,
			f.duplicate[0]+1, where),
			"If they are copies, remove them: a copy of a training row in the test set makes the figures optimistic.")
	}
	if f.Conflicts > 0 {
		f.add("conflicts", nil, fmt.Sprintf("%s rows equal a row of another class in all features, such as rows "+
			"%d and %d%s.", words.Count(f.Conflicts), f.conflict[0]+1, f.conflict[1]+1, where),
			"Check their classes; no model can tell them apart.")
	}
	if f.Rows-f.Unlabelled > squared && f.Refused == "" {
		f.add("rows", nil, fmt.Sprintf("The table has %s rows, and the cost of training is quadratic in the "+
			"number of rows.", words.Count(f.Rows)),
			fmt.Sprintf("With more than %s rows, learners use a subset of the rows as candidates; "+
				"mpcvm.AllCandidates uses all rows.", words.Count(squared)))
	}
	if rows := f.Rows - f.Unlabelled; f.Rows > 0 && f.Refused == "" && f.Features > rows {
		f.add("wide", nil, fmt.Sprintf("The columns make %s features, more than the %s.", words.Count(f.Features),
			words.CountOf(rows, "row")),
			"Some features will match the classes by chance: rely only on cross-validated figures, and exclude "+
				"irrelevant columns with Options.Drop.")
	}
}

// warnCells warns about suspicious cells.
func (f *Findings) warnCells(t *table.Table) {
	for j := range t.Columns {
		c, s := &t.Columns[j], &f.Columns[j]
		f.warnFaults(c)
		for _, v := range s.sentinels {
			if j != f.TargetColumn || f.Refused != "" {
				f.add("sentinel", []string{c.Name}, fmt.Sprintf("Column %s has the value %s in %s, far from all others.",
					quote(c.Name), v.Text, words.CountOf(v.Rows, "row")),
					fmt.Sprintf("If it stands for a missing value, use Options.Missing %s.", v.Text))
			}
		}
		if s.outlier != 0 && j != f.TargetColumn && len(s.sentinels) == 0 {
			at := slices.Index(c.Numbers, s.outlier)
			f.add("outlier", []string{c.Name}, fmt.Sprintf("Column %s has the value %s in row %d, whose distance "+
				"from the others is more than a thousand times their range.",
				quote(c.Name), exactly(s.outlier), at+1), fmt.Sprintf("After scaling, the others are nearly equal. If "+
				"it is a mistake or stands for a missing value, use Options.Missing %s.", exactly(s.outlier)))
		}
		if c.Kind == table.Category && j != f.TargetColumn {
			f.warnBoolean(c)
			if twins := alike(c.Levels); len(twins) > 0 {
				f.add("alike", []string{c.Name}, fmt.Sprintf("Some levels of column %s differ only in case or "+
					"blanks: %s.", quote(c.Name), joined(twins, 5)),
					"They are treated as different levels; if they are the same, correct the file.")
			}
		}
	}
}

// warnBoolean warns about a category that would be a boolean except for a few odd cells.
func (f *Findings) warnBoolean(c *table.Column) {
	rows, first := make([]int, len(c.Levels)), make([]int, len(c.Levels))
	cells := 0
	for i, code := range c.Codes {
		if code < 0 {
			continue
		}
		if cells++; rows[code] == 0 {
			first[code] = i
		}
		rows[code]++
	}
	var truths, odd, named []string
	others := 0
	for code, n := range rows {
		switch text := c.Levels[code]; {
		case n == 0:
		case 20*n > cells:
			truths = append(truths, strings.ToLower(text))
		default:
			others += n
			odd, named = append(odd, text), append(named, fmt.Sprintf("%s in row %d", quote(text), first[code]+1))
		}
	}
	slices.Sort(truths)
	truths = slices.Compact(truths)
	if others == 0 || 20*others > cells || !slices.ContainsFunc(celltext.Truths, func(pair [2]string) bool {
		return slices.Equal(truths, slices.Sorted(slices.Values(pair[:])))
	}) {
		return
	}
	f.add("odd-cells", []string{c.Name}, fmt.Sprintf("Column %s is a category instead of a boolean because "+
		"of %s: %s.", quote(c.Name), words.CountOf(others, "cell"), joined(named, 5)),
		fmt.Sprintf("Correct the file, or use Options.Missing %s if they stand for missing values.",
			flags(odd)))
}

// warnFaults warns about cells that are not of the kind of their column, and about limits such as <0.5.
func (f *Findings) warnFaults(c *table.Column) {
	var limits, faults []table.Fault
	for _, x := range c.Faults {
		if c.Kind == table.Number && celltext.IsLimit(x.Text) {
			limits = append(limits, x)
		} else {
			faults = append(faults, x)
		}
	}
	position := func(x table.Fault) string {
		if x.Line > 0 {
			return fmt.Sprintf("line %d", x.Line)
		}
		return fmt.Sprintf("row %d", x.Row+1)
	}
	if n := len(limits); n > 0 {
		f.add("limits", []string{c.Name}, fmt.Sprintf("%s of column %s %s only an upper or lower limit, the first "+
			"%s in %s.", words.CountOf(n, "cell"), quote(c.Name), areOr(n, "gives", "give"),
			quote(limits[0].Text), position(limits[0])),
			"Use Options.Limits half to read an upper limit as half of it and a lower limit as the limit, "+
				"Options.Limits limit to use the limits, or Options.Limits missing.")
		if need := (Need{"Limits", "half"}); !slices.Contains(f.Needs, need) {
			f.Needs = append(f.Needs, need)
		}
	}
	if n := len(faults); n > 0 {
		x := faults[0]
		f.add("faults", []string{c.Name}, fmt.Sprintf("%s of column %s cannot be read as a %s, the first %s in %s.",
			words.CountOf(n, "cell"), quote(c.Name), c.Kind, quote(x.Text), position(x)),
			fmt.Sprintf("Use Options.Missing %s if it stands for a missing value, or Options.Kinds %s.",
				flags(texts(faults)), flag(c.Name+"=category")))
		f.need(c.Name, faults)
	}
}

// warnColumns warns about columns that are not useful as features.
func (f *Findings) warnColumns(t *table.Table) {
	var ids, dropped, kinds, texts, empty, constant, dates, many []string
	for j := range t.Columns {
		c, s := &t.Columns[j], &f.Columns[j]
		if j == f.TargetColumn || c.Aside {
			continue
		}
		switch {
		case s.Distinct == 0:
			empty = append(empty, c.Name)
		case c.Kind == table.ID:
			dropped = append(dropped, c.Name)
			kinds = append(kinds, "Options.Kinds "+flag(c.Name+"="+detect.Feature(c).String()))
		case c.Kind == table.Text:
			texts = append(texts, c.Name)
		case s.Distinct == 1 && !s.AtLeast && s.Missing+s.Faults == 0:
			constant = append(constant, c.Name)
		case s.identifies(f.Rows):
			ids = append(ids, c.Name)
		case c.Kind == table.Date:
			dates = append(dates, c.Name)
		case c.Kind == table.Category && s.Distinct > mostLevels:
			many = append(many, fmt.Sprintf("%s (%s)", quote(c.Name), words.Count(s.Distinct)))
		}
	}
	about := func(code string, names []string, what, do string) {
		if len(names) > 0 {
			f.add(code, names, columns(names)+" "+areOr(len(names), what,
				strings.Replace(strings.Replace(what, "has", "have", 1), "is ", "are ", 1))+".", do)
		}
	}
	about("id", ids, "has a different value in each row, like an id",
		fmt.Sprintf("If it only identifies a row, use Options.ID %s.", flags(ids)))
	about("dropped-id", dropped, "is taken for an id and not used as a feature",
		fmt.Sprintf("To use %s, set %s.", areOr(len(dropped), "it", "them"), joined(kinds, 5)))
	about("text", texts, "has free text and is not used as a feature", "If its texts repeat, use Options.Kinds "+
		"COLUMN=category.")
	about("empty", empty, "has no value and is not used as a feature",
		fmt.Sprintf("Exclude it with Options.Drop %s.", flags(empty)))
	about("constant", constant, "has only one value, which is not informative",
		fmt.Sprintf("Exclude it with Options.Drop %s.", flags(constant)))
	about("date", dates, "has dates, which are features as seconds since 1970",
		fmt.Sprintf("New rows lie beyond the range of the training rows. If the season or the weekday matters, "+
			"add a column for the month or the weekday to the file, and leave the dates out with Options.Drop %s.",
			flags(dates)))
	if len(many) > 0 {
		f.add("levels", namesOf(t, func(j int) bool {
			return j != f.TargetColumn && t.Columns[j].Kind == table.Category && f.Columns[j].Distinct > mostLevels
		}),
			fmt.Sprintf("Many levels (in brackets): %s.", joined(many, 10)),
			fmt.Sprintf("The %d most frequent become features and the rest \"other\"; join levels that mean the "+
				"same, or use Options.Drop.", mostLevels))
	}
	f.warnCollinear(t)
}

// warnCollinear warns about pairs of nearly collinear columns.
func (f *Findings) warnCollinear(t *table.Table) {
	type pair struct {
		a, b int
		r    float64
	}
	var pairs []pair
	r := &f.Correlations
	for i := range r.R {
		for j := range i {
			if v := r.R[i][j]; math.Abs(v) > collinear {
				pairs = append(pairs, pair{r.Columns[j], r.Columns[i], v})
			}
		}
	}
	if len(pairs) == 0 {
		return
	}
	slices.SortFunc(pairs, func(p, q pair) int { return cmp.Or(cmp.Compare(p.a, q.a), cmp.Compare(p.b, q.b)) })
	var list, names, second []string
	for _, p := range pairs {
		a, b := t.Columns[p.a].Name, t.Columns[p.b].Name
		list = append(list, fmt.Sprintf("%s and %s (r = %.4f)", quote(a), quote(b), p.r))
		for _, name := range []string{a, b} {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
		if !slices.Contains(second, b) {
			second = append(second, b)
		}
	}
	where := ""
	if r.Rows < f.Rows {
		where = fmt.Sprintf(", in %s rows drawn at random", words.Count(r.Rows))
	}
	f.add("collinear", names, fmt.Sprintf("Some columns are almost perfectly correlated%s: %s.", where,
		joined(list, 5)),
		fmt.Sprintf("Exclude one of each pair, for example with Options.Drop %s.", flags(second)))
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

// alike returns the groups of names that differ only in case or blanks.
func alike(names []string) []string {
	groups := map[string][]string{}
	var order []string
	for _, name := range names {
		key := strings.ToLower(strings.Join(strings.Fields(name), " "))
		if len(groups[key]) == 1 {
			order = append(order, key)
		}
		groups[key] = append(groups[key], name)
	}
	var list []string
	for _, key := range order {
		list = append(list, strings.Join(quoted(groups[key]), " and "))
	}
	slices.Sort(list)
	return list
}

// namesOf returns the names of the columns for which is returns true.
func namesOf(t *table.Table, is func(j int) bool) (names []string) {
	for j := range t.Columns {
		if is(j) {
			names = append(names, t.Columns[j].Name)
		}
	}
	return names
}

// texts returns up to five different texts of faults.
func texts(faults []table.Fault) (list []string) {
	for _, f := range faults {
		if !slices.Contains(list, f.Text) && len(list) < 5 {
			list = append(list, f.Text)
		}
	}
	return list
}

// columns returns the names of columns for the beginning of a sentence.
func columns(names []string) string {
	return areOr(len(names), "Column ", "Columns ") + joined(quoted(names), 10)
}

// quote quotes and shortens a text from a table.
func quote(s string) string { return celltext.Quote(s) }

func quoted(all []string) []string {
	q := make([]string, len(all))
	for i, s := range all {
		q[i] = quote(s)
	}
	return q
}

// joined joins up to most texts, or most+1 if these are all.
func joined(all []string, most int) string {
	if n := len(all); n > most+1 {
		return strings.Join(all[:most], ", ") + fmt.Sprintf(" and %d more", n-most)
	}
	return strings.Join(all, ", ")
}

// flag quotes the value of a flag for a shell if necessary.
func flag(value string) string {
	plain := func(r rune) bool {
		return unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("_-.,=+/%:@", r)
	}
	if value != "" && strings.IndexFunc(value, func(r rune) bool { return !plain(r) }) < 0 {
		return value
	}
	line := strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, value)
	return "'" + strings.ReplaceAll(line, "'", `'\''`) + "'"
}

// flags joins up to ten values of a flag.
func flags(values []string) string {
	more := ""
	if len(values) > 10 {
		values, more = values[:10], ",…"
	}
	cells := make([]string, len(values))
	for i, text := range values {
		if cells[i] = text; strings.ContainsAny(text, ",\"") || text == "" {
			cells[i] = `"` + strings.ReplaceAll(text, `"`, `""`) + `"` // as a record of CSV
		}
	}
	return flag(strings.Join(cells, ",")) + more
}

// areOr returns one if n is 1, and more otherwise.
func areOr(n int, one, more string) string {
	if n == 1 {
		return one
	}
	return more
}
