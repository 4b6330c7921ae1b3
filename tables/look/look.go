// Package look finds out what a table has in it before anything is fitted: the kind, the range
// and the missing cells of each column, the classes, rows that repeat, and what is likely to be
// a mistake, with the flag or the step that helps.
//
// All figures are exact up to 2,097,152 rows. Of a longer table, quartiles, distinct values,
// histograms, information and duplicates are from 2,097,152 rows drawn at random. Correlations
// are from at most 10,000 rows drawn at random. The draw has a fixed seed.
package look

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/mpcvm/mpcvm/internal/words"
	"github.com/mpcvm/mpcvm/tables/table"
)

const (
	mostRows     = 1 << 21 // that are sorted
	mostSplit    = 100     // classes that histograms are split by
	mostClasses  = 1000    // that columns are compared with
	mostPaired   = 1000    // columns that correlations are computed for
	pairedRows   = 10_000  // that correlations are computed from
	bins         = 24      // of a histogram of numbers
	drawnLevels  = 8       // of a histogram of categories, others are one more
	rareLevel    = 5       // rows; rarer levels are "other" in a recipe
	mostLevels   = 50      // of a category that are features in a recipe
	fewSamples   = 5       // of a class
	squared      = 5000    // rows; more take long where work is N²
	collinear    = 0.999   // |r|
	leastPaired  = 5       // rows for a correlation
	imbalance    = 99      // the largest class relative to the smallest
	chance       = 1e-3    // of a column that tells the class if it had nothing to do with it
	leastToJudge = 20      // rows for a number to be taken for an id
)

// Findings are what At found out. Their JSON has fixed names: dialect, rows, columns with name,
// kind, missing and distinct, target and warnings; others may be added.
type Findings struct {
	Name string `json:"name"` // of the file
	Rows int    `json:"rows"`
	// Dialect is how the file was written, and Reading describes it in words.
	Dialect table.Dialect `json:"dialect"`
	Reading string        `json:"reading"`
	// Notes has the notes of the table and of the analysis.
	Notes   []string `json:"notes"`
	Columns []Column `json:"columns"`
	// Target is the name of the column of the classes, nil if there is none. TargetColumn is
	// its index or −1. TargetWhy says in words why it was taken, "" if it was named.
	Target       *string `json:"target"`
	TargetColumn int     `json:"-"`
	TargetWhy    string  `json:"target_why,omitempty"`
	// Refused says why the target cannot be the classes, "" if it can. There are no Classes
	// then.
	Refused string `json:"refused,omitempty"`
	// Candidates names the columns that can be the classes if the target cannot or there is none, those
	// with the fewest values first.
	Candidates []string `json:"candidates,omitempty"`
	// Classes are in the order of strings.Compare. Unlabelled counts the rows without a class.
	Classes    []Class `json:"classes"`
	Unlabelled int     `json:"unlabelled"`
	// Features is how many features a recipe makes of the columns.
	Features int `json:"features"`
	// Duplicates counts the rows that equal an earlier row in all features and the class.
	// Conflicts counts the rows that equal a row of another class in all features. Both are of
	// Looked rows.
	Duplicates int `json:"duplicates"`
	Conflicts  int `json:"conflicts"`
	Looked     int `json:"rows_looked_at"`
	// Correlations has the correlations of the numeric columns but the target.
	Correlations Correlations `json:"-"`
	// Needs are flags without which fit refuses the table.
	Needs    []Need    `json:"needs"`
	Warnings []Warning `json:"warnings"`

	labels    []int32 // of each row, −1 without; nil if columns are not compared with classes
	conflict  [2]int  // rows that differ in the class only
	duplicate [2]int
}

// Need is an option that a fit needs, with its value: a field of tables.Options, such as Missing. The command
// writes its flag instead.
type Need struct {
	Option string `json:"flag"`
	Value  string `json:"value"`
}

// Class is a class and how many rows it has.
type Class struct {
	Name string `json:"name"`
	Rows int    `json:"rows"`
}

// Correlations are Pearson's r between columns, of the rows that have both values, NaN where one
// of them is constant.
type Correlations struct {
	Columns []int       // indices in the table
	R       [][]float64 // symmetric
	Rows    int         // from which they were computed
}

// At looks at a table. target names the column of the classes; with "" it is the one that
// table.Target finds, or none. It returns the error of the context, or of a target that is not a column.
func At(ctx context.Context, t *table.Table, target string) (*Findings, error) {
	f := &Findings{Name: t.Name, Rows: t.Rows, Dialect: t.Dialect, Reading: t.Reading, Notes: append([]string{},
		t.Notes...), TargetColumn: -1,
		Columns: make([]Column, len(t.Columns)), Classes: []Class{}, Needs: []Need{}, Warnings: []Warning{}}
	at, why, err := t.Target(target)
	switch {
	case err == nil:
		f.TargetColumn, f.TargetWhy, f.Target = at, why, &t.Columns[at].Name
	case target != "":
		return nil, err
	default:
		f.Notes = append(f.Notes, "No column has the classes for certain; name the target.")
	}
	rows := Draw(t.Rows, mostRows)
	if rows != nil {
		f.Notes = append(f.Notes, fmt.Sprintf("Quartiles, distinct values, histograms and duplicates are those "+
			"of %s rows drawn at random.", words.Count(len(rows))))
	}
	f.Looked = min(t.Rows, mostRows)
	if at = f.TargetColumn; at >= 0 {
		f.Columns[at] = look(&t.Columns[at], rows, nil, 0, new([]float64))
		if f.Refused = refusal(&t.Columns[at], &f.Columns[at], f.Looked); f.Refused == "" {
			f.classes(t)
		}
		f.Unlabelled = f.Columns[at].Missing + f.Columns[at].Faults
	}
	if err := f.lookAll(ctx, t, rows); err != nil {
		return nil, err
	}
	if f.Target == nil || f.Refused != "" {
		f.candidates(t)
	}
	f.repeated(t, rows)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := f.correlate(ctx, t); err != nil {
		return nil, err
	}
	f.warn(t)
	return f, ctx.Err()
}

// lookAll looks at all columns but the target, on all processors.
func (f *Findings) lookAll(ctx context.Context, t *table.Table, rows []int32) error {
	var next atomic.Int64
	var all sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(t.Columns)) {
		all.Go(func() {
			var space []float64
			for j := int(next.Add(1)) - 1; j < len(t.Columns) && ctx.Err() == nil; j = int(next.Add(1)) - 1 {
				if j != f.TargetColumn {
					f.Columns[j] = look(&t.Columns[j], rows, f.labels, len(f.Classes), &space)
				}
			}
		})
	}
	all.Wait()
	for j := range f.Columns {
		if j != f.TargetColumn {
			f.Features += f.Columns[j].features
		}
	}
	return ctx.Err()
}

// candidates finds the columns that can be the classes.
func (f *Findings) candidates(t *table.Table) {
	var list []int
	for j := range t.Columns {
		if c := &t.Columns[j]; !c.Aside && c.Kind != table.ID && c.Kind != table.Text && refusal(c, &f.Columns[j],
			f.Looked) == "" {
			list = append(list, j)
		}
	}
	slices.SortFunc(list, func(a, b int) int {
		return cmp.Or(f.Columns[a].Distinct-f.Columns[b].Distinct, b-a)
	})
	for _, j := range list {
		f.Candidates = append(f.Candidates, t.Columns[j].Name)
	}
}

// classes counts the classes of the target, and labels the rows if the classes are not too many.
func (f *Findings) classes(t *table.Table) {
	labels, names := labelsOf(t, f.TargetColumn)
	f.Classes = make([]Class, len(names))
	for k, name := range names {
		f.Classes[k].Name = name
	}
	for _, k := range labels {
		if k >= 0 {
			f.Classes[k].Rows++
		}
	}
	if len(names) > mostClasses {
		f.Notes = append(f.Notes, fmt.Sprintf("There are more than %s classes; columns are not compared with them.",
			words.Count(mostClasses)))
		return
	}
	f.labels = labels
}

// labelsOf is Table.Labels, faster for texts.
func labelsOf(t *table.Table, column int) (labels []int32, names []string) {
	c := &t.Columns[column]
	labels = make([]int32, t.Rows)
	if c.Kind.Numeric() {
		all, names := t.Labels(column)
		for i, k := range all {
			labels[i] = int32(k)
		}
		return labels, names
	}
	used := make([]bool, len(c.Levels))
	for _, code := range c.Codes {
		if code >= 0 {
			used[code] = true
		}
	}
	label := make([]int32, len(c.Levels)) // of each level
	for code, is := range used {
		if is {
			label[code] = int32(len(names))
			names = append(names, c.Levels[code])
		}
	}
	for i, code := range c.Codes {
		labels[i] = -1
		if code >= 0 {
			labels[i] = label[code]
		}
	}
	return labels, names
}

// Draw returns at most so many of n rows, drawn at random, in their order. nil means all.
func Draw(n, most int) []int32 {
	if n <= most {
		return nil
	}
	random := rand.New(rand.NewPCG(uint64(n), 18))
	rows := make([]int32, 0, most)
	for i := 0; len(rows) < most; i++ {
		if random.IntN(n-i) < most-len(rows) {
			rows = append(rows, int32(i))
		}
	}
	return rows
}

// row is the row of place k in rows.
func row(rows []int32, k int) int {
	if rows == nil {
		return k
	}
	return int(rows[k])
}

// places is how many rows there are among n.
func places(rows []int32, n int) int {
	if rows == nil {
		return n
	}
	return len(rows)
}

// IsFeature reports whether column j is a feature: neither the target, nor of kind id or text, nor
// one by which folds are dealt.
func (f *Findings) IsFeature(j int) bool {
	return !f.Columns[j].aside && j != f.TargetColumn && f.Columns[j].Kind != table.ID.String() &&
		f.Columns[j].Kind != table.Text.String()
}
