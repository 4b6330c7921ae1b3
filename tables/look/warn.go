package look

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/mpcvm/mpcvm/internal/words"
	"github.com/mpcvm/mpcvm/tables/internal/celltext"
	parsing "github.com/mpcvm/mpcvm/tables/internal/columns"
	"github.com/mpcvm/mpcvm/tables/table"
)

// Warning describes what is likely to be a mistake, and what to do. In JSON it has the keys code, columns
// and text, which joins Text and Do.
type Warning struct {
	// Code is a word for the kind of warning, such as sentinel.
	Code string
	// Columns are those that it is about; nil means the table.
	Columns []string
	// Text is what was found, and Do what helps. Both are sentences.
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

// warn finds out what to warn of. They come in the order of the functions.
func (f *Findings) warn(t *table.Table) {
	if f.Rows == 0 {
		f.add("no-rows", nil, "The table has no rows.", "Is the file complete?")
		return
	}
	if f.Features == 0 {
		f.add("no-features", nil, "No column can be a feature.", "Options.Kinds makes one of an id or a free "+
			"text; collect numbers, categories or dates.")
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

// need notes what fit needs for a column with faults: words for missing values if there are a few,
// or else another kind.
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

// refusal is the reason why a column cannot be the classes, "" if it can. The column was looked at in so many
// rows.
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

// warnTarget warns of a column that cannot be the classes, and of rows without a class.
func (f *Findings) warnTarget(t *table.Table) {
	if f.Target == nil {
		return
	}
	name := *f.Target
	if f.Refused != "" {
		do := "Name another column as the target."
		if k := t.Columns[f.TargetColumn].Kind; k == table.Number || k == table.Date {
			do = "Name another column as the target, or put the values into groups first, such as low and high."
		}
		f.add("refused", []string{name}, fmt.Sprintf("Column %s cannot be the classes: %s.", quote(name),
			f.Refused), do)
	} else if f.Unlabelled > 0 {
		f.add("unlabelled", []string{name}, fmt.Sprintf("%s (%s) %s no class in column %s.",
			words.CountOf(f.Unlabelled, "row"), share(f.Unlabelled, f.Rows), areOr(f.Unlabelled, "has",
				"have"), quote(name)),
			"A fit leaves them out. If an empty cell or NA is a class, give it another name in the file.")
	}
}

// warnClasses warns of classes that are named alike, named like a missing value, rare or frequent.
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
		f.add("alike", target, fmt.Sprintf("Classes differ in case or blanks only: %s.", joined(twins, 5)),
			"Write them alike in the file; they are different classes until then.")
	}
	if len(none) > 0 {
		f.add("named-missing", target, fmt.Sprintf("%s named like a missing value: %s.",
			areOr(len(none), "A class is", "Classes are"), joined(quoted(none), 5)),
			fmt.Sprintf("If so, use Options.Missing %s, which leaves these rows out.", flags(none)))
	}
	if len(few) > 0 {
		f.add("few", target, fmt.Sprintf("%s fewer than %d rows: %s.", areOr(len(few), "A class has",
			words.CountOf(len(few), "class")+" have"), fewSamples, joined(few, 5)),
			fmt.Sprintf("If it is a mistake, correct it in the file, or use Options.Missing %s, which leaves the "+
				"rows out; Table.Merge joins a class with another one. Each part of a cross-validation needs some "+
				"rows of each class.", flags(rare)))
	}
	if least.Rows > 0 && most.Rows >= imbalance*least.Rows {
		f.add("imbalance", target, fmt.Sprintf("Class %s has %s, class %s only %s.", quote(most.Name),
			words.CountOf(most.Rows, "row"), quote(least.Name), words.Count(least.Rows)),
			fmt.Sprintf("Judge a model by recall and AUC: always saying %s has an error of %s. "+
				"EvaluateOptions.Costs makes rare classes count.", quote(most.Name), share(f.Rows-f.Unlabelled-most.Rows,
				f.Rows-f.Unlabelled)))
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

// warnSpelling warns of classes that a file writes in several ways, such as 0.1 and 0.10.
func (f *Findings) warnSpelling(t *table.Table) {
	if f.TargetColumn < 0 || f.Refused != "" {
		return
	}
	var told []string
	for _, texts := range t.Columns[f.TargetColumn].Spelling {
		if len(texts) > 1 {
			told = append(told, strings.Join(quoted(texts[:min(len(texts), 5)]), " and "))
		}
	}
	if len(told) > 0 {
		slices.Sort(told)
		f.add("spelling", []string{*f.Target}, fmt.Sprintf("Classes that are the same number count as one: %s.",
			joined(told, 5)),
			fmt.Sprintf("If they are different classes, use Options.Kinds %s.", flag(*f.Target+"=category")))
	}
}

// warnLeaks warns of columns that tell the class too well, by their values or by having one.
func (f *Findings) warnLeaks() {
	tries := 3 * len(f.Columns)
	var leaks, told []string
	groups := ""
	for j := range f.Columns {
		c := &f.Columns[j]
		if !f.IsFeature(j) {
			continue
		}
		if l := c.tells; l.sure(tries) {
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
			told = append(told, fmt.Sprintf("Column %s tells the class of %s by itself.", quote(c.Name), of))
			if c.Kind == table.Category.String() && c.Distinct >= groupLevels {
				groups = fmt.Sprintf(" If rows with the same value belong together, such as those of a patient, use "+
					"Options.Group %s.", flag(c.Name))
			}
		}
	}
	if len(leaks) > 0 {
		f.add("leak", leaks, joinedSentences(told, 10), fmt.Sprintf("If its value is known only after the class "+
			"is, leave it out with Options.Drop %s.", flags(leaks))+groups)
	}
	for j := range f.Columns {
		c, text := &f.Columns[j], ""
		switch l := c.fills; {
		case !f.IsFeature(j):
		case l.only.sure(tries):
			text = fmt.Sprintf("Column %s has a value in rows of class %s only (%s of %s).", quote(c.Name),
				quote(f.Classes[l.of].Name), words.Count(l.only.rows), words.Count(f.Classes[l.of].Rows))
		case l.both.sure(tries):
			text = fmt.Sprintf("Whether column %s has a value tells the class of %s of %s rows.", quote(c.Name),
				words.Count(l.both.right), words.Count(l.both.rows))
		}
		if text != "" {
			f.add("filled", []string{c.Name}, text, fmt.Sprintf("If the class decides whether it is filled in, "+
				"leave it out with Options.Drop %s.", flag(c.Name)))
		}
	}
}

// groupLevels is the number of levels from which a category may show which rows belong together.
const groupLevels = 10

// looked is the number of rows with a class that columns were compared in.
func (f *Findings) looked() int {
	if f.Looked < f.Rows {
		return f.Looked // some may have no class
	}
	return f.Rows - f.Unlabelled
}

// joinedSentences joins sentences, at most so many.
func joinedSentences(all []string, most int) string {
	if n := len(all); n > most {
		return strings.Join(all[:most], " ") + fmt.Sprintf(" So do %s more.", words.Count(n-most))
	}
	return strings.Join(all, " ")
}

// warnIDs warns of an id that repeats: its rows belong together.
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
		f.add("repeated-id", names, fmt.Sprintf("Folds follow the time in column %s, so rows of an id that "+
			"repeats may be learned from and predicted.", quote(t.Time)),
			"If new rows will have new ids, use Options.Group COLUMN instead of Options.Time.")
		return
	}
	f.add("repeated-id", names, fmt.Sprintf("Folds of a cross-validation are dealt %s.", d.By),
		"Rows with the same id stay together, so figures are those of new ids. If these rows do not belong "+
			"together, use Options.Drop COLUMN instead of Options.ID.")
}

// warnRows warns of rows that repeat, of too many and of too few.
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
			"If they are copies, remove them: a copy in the test part makes figures too good.")
	}
	if f.Conflicts > 0 {
		f.add("conflicts", nil, fmt.Sprintf("%s rows equal a row of another class in all features, such as rows "+
			"%d and %d%s.", words.Count(f.Conflicts), f.conflict[0]+1, f.conflict[1]+1, where),
			"Check their classes; no model can tell them apart.")
	}
	if f.Rows-f.Unlabelled > squared && f.Refused == "" {
		f.add("rows", nil, fmt.Sprintf("The table has %s rows, and the work of learners grows with their square.",
			words.Count(f.Rows)),
			fmt.Sprintf("Above %s rows they choose candidates by themselves; mpcvm.AllCandidates uses every row.",
				words.Count(squared)))
	}
	if rows := f.Rows - f.Unlabelled; f.Rows > 0 && f.Refused == "" && f.Features > rows {
		f.add("wide", nil, fmt.Sprintf("The columns make %s features, more than the %s.", words.Count(f.Features),
			words.CountOf(rows, "row")),
			"Some features will fit the classes by chance: trust cross-validated figures only, and leave out with "+
				"Options.Drop what cannot matter.")
	}
}

// warnCells warns of cells that are not what they seem.
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
			f.add("outlier", []string{c.Name}, fmt.Sprintf("Column %s has the value %s in row %d, more than a "+
				"thousand times as far from the others as these are from one another.",
				quote(c.Name), exactly(s.outlier), at+1), fmt.Sprintf("It makes the others nearly equal. If it is a "+
				"mistake or stands for a missing value, use Options.Missing %s.", exactly(s.outlier)))
		}
		if c.Kind == table.Category && j != f.TargetColumn {
			f.warnBoolean(c)
			if twins := alike(c.Levels); len(twins) > 0 {
				f.add("alike", []string{c.Name}, fmt.Sprintf("Levels of column %s differ in case or blanks only: %s.",
					quote(c.Name), joined(twins, 5)),
					"Write them alike in the file; they are different levels until then.")
			}
		}
	}
}

// warnBoolean warns of a category that a few odd cells keep from being a boolean.
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
		fmt.Sprintf("Correct them in the file, or use Options.Missing %s if they stand for missing values.",
			flags(odd)))
}

// warnFaults warns of cells that are not of the kind of their column, and of limits such as <0.5.
func (f *Findings) warnFaults(c *table.Column) {
	var limits, faults []table.Fault
	for _, x := range c.Faults {
		if c.Kind == table.Number && celltext.IsLimit(x.Text) {
			limits = append(limits, x)
		} else {
			faults = append(faults, x)
		}
	}
	place := func(x table.Fault) string {
		if x.Line > 0 {
			return fmt.Sprintf("line %d", x.Line)
		}
		return fmt.Sprintf("row %d", x.Row+1)
	}
	if n := len(limits); n > 0 {
		f.add("limits", []string{c.Name}, fmt.Sprintf("%s of column %s %s only that a value is below or above a "+
			"limit, the first %s in %s.", words.CountOf(n, "cell"), quote(c.Name), areOr(n, "says",
			"say"), quote(limits[0].Text), place(limits[0])),
			"Use Options.Limits half for half the limit (and the limit of one above it), Options.Limits limit for "+
				"the limit, or Options.Limits missing.")
		if need := (Need{"Limits", "half"}); !slices.Contains(f.Needs, need) {
			f.Needs = append(f.Needs, need)
		}
	}
	if n := len(faults); n > 0 {
		x := faults[0]
		f.add("faults", []string{c.Name}, fmt.Sprintf("%s of column %s %s no %s, the first %s in %s.",
			words.CountOf(n, "cell"), quote(c.Name), areOr(n, "is", "are"), c.Kind, quote(x.Text), place(x)),
			fmt.Sprintf("Use Options.Missing %s if it stands for a missing value, or Options.Kinds %s.",
				flags(texts(faults)), flag(c.Name+"=category")))
		f.need(c.Name, faults)
	}
}

// warnColumns warns about columns that are not good features.
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
			kinds = append(kinds, "Options.Kinds "+flag(c.Name+"="+parsing.Feature(c).String()))
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
	about := func(code string, names []string, says, do string) {
		if len(names) > 0 {
			f.add(code, names, columns(names)+" "+areOr(len(names), says,
				strings.Replace(strings.Replace(says, "has", "have", 1), "is ", "are ", 1))+".", do)
		}
	}
	about("id", ids, "has a different value in each row, like an id",
		fmt.Sprintf("If it only identifies a row, use Options.ID %s.", flags(ids)))
	about("dropped-id", dropped, "is taken for an id and is no feature", joined(kinds, 5)+" "+areOr(len(dropped),
		"makes it one.", "make them features."))
	about("text", texts, "has free text and is no feature", "Options.Kinds COLUMN=category makes it one, if "+
		"its texts repeat.")
	about("empty", empty, "has no value and is no feature", fmt.Sprintf("Leave it out with Options.Drop %s.",
		flags(empty)))
	about("constant", constant, "has one value only, which tells nothing",
		fmt.Sprintf("Leave it out with Options.Drop %s.", flags(constant)))
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

// warnCollinear warns of pairs of columns that say the same.
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
	var told, names, second []string
	for _, p := range pairs {
		a, b := t.Columns[p.a].Name, t.Columns[p.b].Name
		told = append(told, fmt.Sprintf("%s and %s (r = %.4f)", quote(a), quote(b), p.r))
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
	f.add("collinear", names, fmt.Sprintf("Columns that say nearly the same%s: %s.", where, joined(told, 5)),
		fmt.Sprintf("Leave one of each pair out, such as with Options.Drop %s.", flags(second)))
}

// idNames are parts of names of columns that identify a row.
var idNames = []string{"id", "ids", "index", "key", "no", "nr", "number", "row", "rowid", "rownames", "uid",
	"uuid", "guid", "serial"}

// identifies reports whether a column looks like an id though its kind is another: a number, if
// all of at least 20 rows have different whole numbers, which are consecutive or in a column with
// such a name; a category, if no text occurs twice in at least 5 rows.
func (s *Column) identifies(rows int) bool {
	if s.AtLeast || s.Distinct < rows {
		return false
	}
	if s.Kind == table.Category.String() {
		return rows >= fewSamples
	}
	if s.Kind != table.Number.String() || !s.whole || rows < leastToJudge {
		return false
	}
	words := strings.FieldsFunc(strings.ToLower(s.Name), func(r rune) bool { return !unicode.IsLetter(r) })
	camel := strings.HasSuffix(s.Name, "Id") || strings.HasSuffix(s.Name, "ID")
	return s.Range.Max-s.Range.Min == float64(rows-1) || camel || slices.ContainsFunc(words,
		func(w string) bool { return slices.Contains(idNames, w) })
}

// alike lists the groups of names that differ in case or blanks only.
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
	var told []string
	for _, key := range order {
		told = append(told, strings.Join(quoted(groups[key]), " and "))
	}
	slices.Sort(told)
	return told
}

// namesOf are the names of columns.
func namesOf(t *table.Table, is func(j int) bool) (names []string) {
	for j := range t.Columns {
		if is(j) {
			names = append(names, t.Columns[j].Name)
		}
	}
	return names
}

// texts are the different texts of faults, at most five.
func texts(faults []table.Fault) (list []string) {
	for _, f := range faults {
		if !slices.Contains(list, f.Text) && len(list) < 5 {
			list = append(list, f.Text)
		}
	}
	return list
}

// columns names columns at the beginning of a sentence.
func columns(names []string) string {
	return areOr(len(names), "Column ", "Columns ") + joined(quoted(names), 10)
}

// quote writes a text from data within quotation marks, on one line, shortened.
func quote(s string) string { return celltext.Quote(s) }

func quoted(all []string) []string {
	q := make([]string, len(all))
	for i, s := range all {
		q[i] = quote(s)
	}
	return q
}

// joined lists texts, at most so many.
func joined(all []string, most int) string {
	if n := len(all); n > most+1 {
		return strings.Join(all[:most], ", ") + fmt.Sprintf(" and %d more", n-most)
	}
	return strings.Join(all, ", ")
}

// flag writes the value of a flag as a shell takes it.
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

// flags writes values of a flag, at most ten.
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

// areOr is one if n is 1, and else the other.
func areOr(n int, one, more string) string {
	if n == 1 {
		return one
	}
	return more
}

// share writes a part of a whole in per cent.
func share(part, whole int) string {
	p := 100 * float64(part) / float64(max(whole, 1))
	switch {
	case part > 0 && p < .05:
		return "under 0.1 %"
	case part < whole && p > 99.9:
		return "over 99.9 %"
	case p > 0 && p < 10 || p > 90 && p < 100:
		return strconv.FormatFloat(p, 'f', 1, 64) + " %"
	}
	return strconv.FormatFloat(p, 'f', 0, 64) + " %"
}
