package play

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/tables"
	"github.com/mpcvm/mpcvm/tables/recipe"
	"github.com/mpcvm/mpcvm/tables/table"
)

// maxRead is the maximum number of points that axes returns.
const maxRead = 500

// file is the reply to read.
type file struct {
	Columns []column `json:"columns"`
	Rows    int      `json:"rows"`
	// Target is the class column, unless the user chooses another.
	Target  string   `json:"target"`
	Classes []string `json:"classes"` // of Target
	// X and Y are the initial axes.
	X     string `json:"x"`
	Y     string `json:"y"`
	Note  string `json:"note"`
	Plane plane  `json:"plane"` // of Target, X and Y
}

// column is a column of a file. Axis reports whether it can be an axis.
type column struct {
	Name string `json:"name"`
	Kind string `json:"kind"`
	Axis bool   `json:"axis"`
}

// read reads a file with tables.Open and converts it to points.
func read(ctx context.Context, name string, content []byte) (*table.Table, file, error) {
	t, err := tables.ReadContext(ctx, bytes.NewReader(content), name, tables.Options{Lenient: true})
	if err != nil {
		return nil, file{}, err
	}
	for i, target := range targets(t) {
		f, failed := opened(ctx, t, target)
		if failed == nil {
			return t, f, nil
		}
		if i == 0 {
			err = failed
		}
	}
	if err == nil {
		err = errors.New("no column can be used as classes, such as yes and no")
	}
	return nil, file{}, err
}

// targets returns possible columns of the classes: first the choice of table.Target, then a few others from
// the last to the first, with columns of text before columns of numbers.
func targets(t *table.Table) (columns []int) {
	const most = 8
	if column, _, err := t.Target(""); err == nil {
		columns = append(columns, column)
	}
	for _, kinds := range [][]table.Kind{{table.Category, table.Boolean}, {table.Number}} {
		for column := len(t.Columns) - 1; column >= 0 && len(columns) < most; column-- {
			if slices.Contains(kinds, t.Columns[column].Kind) && !slices.Contains(columns, column) {
				columns = append(columns, column)
			}
		}
	}
	return columns
}

// opened describes a table with the classes in a column.
func opened(ctx context.Context, t *table.Table, target int) (file, error) {
	notes := []string{"Format: " + t.Reading + "."}
	for _, note := range t.Notes {
		notes = append(notes, withoutFlags(note)+".")
	}
	f := file{Rows: t.Rows, Target: t.Columns[target].Name, X: "pc1", Y: "pc2", Note: strings.Join(notes, " ")}
	_, f.Classes = t.Labels(target)
	var numeric []string
	for i, c := range t.Columns {
		axis := c.Kind.Numeric()
		f.Columns = append(f.Columns, column{c.Name, c.Kind.String(), axis})
		if axis && i != target {
			numeric = append(numeric, c.Name)
		}
	}
	if len(numeric) == 2 {
		f.X, f.Y = numeric[0], numeric[1]
	}
	var err error
	f.Plane, err = axes(ctx, t, Request{Target: f.Target, X: f.X, Y: f.Y})
	return f, err
}

// plane is the reply to axes.
type plane struct {
	Points []Point `json:"points"`
	// Names are the names of the axes, Classes the names of the classes of the points.
	Names   []string `json:"names"`
	Classes []string `json:"classes"`
	Note    string   `json:"note"`
	From    *Origin  `json:"from"` // nil for principal axes
}

// axes converts the last file to points: two columns or principal axes with mean 0 and standard deviation 1.
// It keeps only the most frequent classes, and a stratified sample of many rows.
func axes(ctx context.Context, t *table.Table, q Request) (plane, error) {
	if t == nil {
		return plane{}, errors.New("no file has been read")
	}
	samples, err := recipe.Prepare(ctx, t, q.Target, nil)
	if err != nil {
		return plane{}, err
	}
	var at [2][]float64 // by sample; NaN where it is missing
	for i, name := range []string{q.X, q.Y} {
		if at[i], err = axis(t, samples, name); err != nil {
			return plane{}, err
		}
	}
	set := &data.Set{Features: []string{q.X, q.Y}}
	missing := 0
	kept, others := frequent(samples.T, samples.Classes)
	var values []float64
	var rows []int // of the table
	for n, c := range samples.T {
		x, y, class := at[0][n], at[1][n], slices.Index(kept, c)
		switch {
		case math.IsNaN(x + y):
			missing++
		case class >= 0:
			values, rows = append(values, x, y), append(rows, samples.Rows[n])
			set.T = append(set.T, class)
		}
	}
	if len(set.T) == 0 {
		return plane{}, errors.New("no row has values on both axes")
	}
	set.X = mat.NewDense(len(set.T), 2, values)
	var notes []string
	if others > 0 {
		notes = append(notes, fmt.Sprintf("Only the %d most frequent classes are shown; %d others are not.",
			len(kept), others))
	}
	if missing > 0 {
		notes = append(notes, fmt.Sprintf("%d rows without a value on an axis are omitted.", missing))
	}
	p := plane{Names: []string{q.X, q.Y}}
	for _, c := range kept {
		p.Classes = append(p.Classes, samples.Classes[c])
	}
	set.Classes = p.Classes
	if n := set.N(); n > maxRead {
		// Split rounds the share of each class; the margin keeps the sum within the limit.
		set, _ = set.Split(float64(maxRead-maxClasses)/float64(n), 0)
		notes = append(notes, fmt.Sprintf("A stratified sample of %d of %d rows is shown.", set.N(), n))
	}
	scale := data.FitStandardizer(set.X)
	p.Points = fromSet(scale.Set(set)).Points
	p.Note = strings.Join(notes, " ")
	p.From, err = origin(t, samples, rows, q)
	if p.From != nil {
		p.From.Classes, p.From.Mean, p.From.Scale = p.Classes, scale.Mean, scale.Scale
	}
	return p, err
}

// frequent returns the most frequent classes in order, and the number of others.
func frequent(labels []int, classes []string) (kept []int, others int) {
	counts := make([]int, len(classes))
	for _, c := range labels {
		counts[c]++
	}
	for c := range classes {
		kept = append(kept, c)
	}
	slices.SortStableFunc(kept, func(a, b int) int { return cmp.Compare(counts[b], counts[a]) })
	others = max(0, len(kept)-maxClasses)
	kept = kept[:len(kept)-others]
	slices.Sort(kept)
	return kept, others
}

// axis returns the coordinate of each sample on an axis: a numeric column, or a principal axis of all
// features of the recipe.
func axis(t *table.Table, s *recipe.Samples, name string) ([]float64, error) {
	if i := t.Find(name); i >= 0 {
		c := t.Columns[i]
		if !c.Kind.Numeric() {
			return nil, fmt.Errorf("the column %q has no numbers", name)
		}
		at := make([]float64, len(s.Rows))
		for n, row := range s.Rows {
			at[n] = c.Numbers[row]
		}
		return at, nil
	}
	which := slices.Index([]string{"pc1", "pc2"}, name)
	_, d := s.X.Dims()
	switch {
	case which < 0:
		return nil, fmt.Errorf("unknown axis %q", name)
	case which >= d:
		return nil, errors.New("the plane needs two features, and there is only one")
	}
	var scatter mat.SymDense
	scatter.SymOuterK(1, s.X.T())
	var eigen mat.EigenSym
	if !eigen.Factorize(&scatter, true) {
		return nil, errors.New("the principal axes cannot be computed")
	}
	var vectors mat.Dense
	eigen.VectorsTo(&vectors)
	v := mat.Col(nil, d-1-which, &vectors) // eigenvalues ascend
	largest := 0.0
	for _, w := range v {
		if math.Abs(w) > math.Abs(largest)*(1+1e-9) {
			largest = w
		}
	}
	var at mat.VecDense
	at.MulVec(s.X, mat.NewVecDense(d, v))
	at.ScaleVec(math.Copysign(1, largest), &at) // the sign of an axis is free: its largest entry is positive
	return at.RawVector().Data, nil
}
