package recipe

import (
	"context"
	"math"
	"slices"
	"strconv"
	"sync"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/internal/fitting"
	"github.com/mpcvm/mpcvm/tables/internal/texts"
	"github.com/mpcvm/mpcvm/tables/table"
)

// Samples are training samples made from the rows of a table, with the recipe and the scaling that are needed
// to encode other rows.
type Samples struct {
	X           *mat.Dense // N×D, standardised to mean 0 and scale 1; see Recipe.Scaling
	T           []int      // N labels, as indices of Classes
	Classes     []string   // C distinct strings of the class column, in the order of strings.Compare
	Rows        []int      // the row of the table (from 0) of each sample
	Weights     []float64  // positive weights of the samples, or nil; see table.Table.Weights
	Recipe      *Recipe    // fitted to these rows
	Mean, Scale []float64  // D each, in the units of Recipe.Encode

	of    *table.Table // the table if Prepare used all of its rows, or nil
	dealt *dealt       // the result of Dealing for this table
}

// From reports whether s was returned by Prepare for all rows of the table t and the target column, so that
// it can be reused. It returns false if s is nil.
func (s *Samples) From(t *table.Table, target string) bool {
	return s != nil && s.of == t && s.Recipe.Target == target
}

// Errors of Prepare, for use with errors.Is.
var (
	ErrOneClass  = table.ErrOneClass
	ErrNotLabels = table.ErrNotClasses
)

// Prepare fits a recipe to the given rows (from 0) of a table and makes samples from them. If rows is nil,
// all rows are used. target is the name of the class column; if it is "", table.Table.Target chooses the
// column. Rows without a label, rows without any value and rows with weight 0 are skipped.
//
// The error is ErrOneClass if there are fewer than two classes, ErrNotLabels if the column has dates,
// continuous numbers or a different value in nearly every row, and ErrNotKind if a cell is not of the kind of
// its column. If ctx is done early, Prepare returns its error.
func Prepare(ctx context.Context, t *table.Table, target string, rows []int) (*Samples, error) {
	column, _, err := t.Target(target)
	if err != nil {
		return nil, err
	}
	s, err := prepare(ctx, t, column, rows)
	if err == nil && rows == nil {
		s.of, s.dealt = t, &dealt{}
	}
	return s, err
}

// prepare is like Prepare, given the index of the class column.
func prepare(ctx context.Context, t *table.Table, column int, rows []int) (*Samples, error) {
	if rows == nil {
		rows = fitting.All(t.Rows)
	}
	s := &Samples{}
	labels, classes := t.Labels(column)
	faults := map[int]table.Fault{}
	for _, f := range t.Columns[column].Faults {
		faults[f.Row] = f
	}
	weights, err := t.Weights(rows, labels, classes)
	if err != nil {
		return nil, err
	}
	counts := make([]int, len(classes))
	for n, i := range rows {
		if f, bad := faults[i]; bad {
			return nil, fault(t, column, f, texts.WrongLabel, t.Columns[column].Kind.String())
		}
		if labels[i] >= 0 && (weights == nil || weights[n] > 0) {
			s.Rows = append(s.Rows, i)
			if weights != nil {
				s.Weights = append(s.Weights, weights[n])
			}
			counts[labels[i]]++
		}
	}
	order := make([]int, len(classes)) // the new label of each class
	for label, n := range counts {
		order[label] = len(s.Classes)
		if n > 0 {
			s.Classes = append(s.Classes, classes[label])
		}
	}
	for _, i := range s.Rows {
		s.T = append(s.T, order[labels[i]])
	}
	c := &t.Columns[column]
	if err := c.CheckClasses(len(s.Rows), len(s.Classes), c.Profile(s.Rows).Whole); err != nil {
		return nil, t.Fault(0, column+1, "", table.Finding{Code: texts.NotClasses, Column: c.Name, Cause: err})
	}
	if err = ctx.Err(); err == nil {
		s.Recipe, err = Fit(t, column, s.Rows)
	}
	var unusable []error // rows without any value
	if err == nil {
		s.X, unusable, err = s.Recipe.encode(ctx, nil, t, s.Rows)
	}
	switch {
	case err != nil:
		return nil, err
	case unusable != nil:
		usable := make([]int, 0, len(s.Rows))
		for i, row := range s.Rows {
			if unusable[i] == nil {
				usable = append(usable, row)
			}
		}
		return prepare(ctx, t, column, usable)
	}
	s.Mean, s.Scale = s.Recipe.Scaling(s.X)
	s.standardize()
	return s, nil
}

func (s *Samples) standardize() {
	for i := range s.Rows {
		row := s.X.RawRowView(i)
		for j, v := range row {
			row[j] = (v - s.Mean[j]) / s.Scale[j]
		}
	}
}

// Part returns a subset of the samples, such as the training set of a fold. t is the table that s was
// prepared from, and of contains the indices of the samples in s.Rows. The features and the classes are the
// same as in s, but imputed values, mean and scale are computed from these rows only; a number that is
// constant in these rows keeps its scale. Part does not use s.X. The only possible error is the error of ctx.
func (s *Samples) Part(ctx context.Context, t *table.Table, of []int) (*Samples, error) {
	p := &Samples{Classes: s.Classes}
	for _, n := range of {
		p.Rows, p.T = append(p.Rows, s.Rows[n]), append(p.T, s.T[n])
		if s.Weights != nil {
			p.Weights = append(p.Weights, s.Weights[n])
		}
	}
	p.Recipe = s.Recipe.Refit(t, p.Rows)
	var err error
	if p.X, _, err = p.Recipe.encode(ctx, nil, t, p.Rows); err != nil { // s has no unusable rows
		return nil, err
	}
	p.Mean, p.Scale = p.Recipe.Scaling(p.X)
	for j := range p.Scale {
		if column := p.X.ColView(j); mat.Min(column) == mat.Max(column) {
			p.Scale[j] = s.Scale[j]
		}
	}
	p.standardize()
	return p, nil
}

// Keys returns a number for each of the given rows (from 0) of a table, such that two rows have the same
// number if all their features are equal, so that no model with this recipe can tell them apart. The numbers
// of two tables can be compared. They are hashes of 64 bits; 0 stands for a row that cannot be encoded. Keys
// returns ErrNoColumn if the table lacks columns of the recipe, or the error of ctx.
func (r *Recipe) Keys(ctx context.Context, t *table.Table, rows []int) ([]uint64, error) {
	keys := make([]uint64, 0, len(rows))
	for part := range slices.Chunk(rows, block) {
		x, unusable, err := r.encode(ctx, nil, t, part)
		if err != nil {
			return nil, err
		}
		for i := range part {
			if unusable != nil && unusable[i] != nil {
				keys = append(keys, 0)
			} else {
				keys = append(keys, key(x.RawRowView(i)))
			}
		}
	}
	return keys, nil
}

// Limits of Dealing. Up to fewCopies of a class, copies are ignored: they may be coincidences of rounded values
// and cannot decide between two settings. If there are more than coarse samples with the same features on
// average, as in a table of a few categories, equal samples are not copies but the rule.
const fewCopies, coarse = 0.02, 20

// Dealing returns how the samples, which Prepare has made from t, are split into folds. It is table.Table.Dealing,
// except that copies are in the same group, together with all samples of their groups. Copies are samples with
// equal features, if they make up more than 2 % of a class and there are at most 20 of them on average. Near
// copies, such as jittered rows, count as well if more than a quarter of a class has them. Copies are treated
// individually if fewer than half of the samples could be held out in groups. Times take precedence over copies.
func (s *Samples) Dealing(ctx context.Context, t *table.Table) (table.Dealing, error) {
	if s.dealt == nil || s.of != t {
		return s.dealing(ctx, t)
	}
	r := s.dealt
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.dealing == nil {
		d, err := s.dealing(ctx, t)
		if err != nil {
			return d, err
		}
		r.dealing = &d
	}
	return *r.dealing, nil
}

// dealt is the result of Dealing once it is known, which copies of the samples share.
type dealt struct {
	mu      sync.Mutex
	dealing *table.Dealing
}

func (s *Samples) dealing(ctx context.Context, t *table.Table) (table.Dealing, error) {
	d, err := t.Dealing(s.Rows)
	if err != nil || d.Times != nil {
		return d, err
	}
	of := &fitting.Data{T: s.T, N: len(s.T), C: len(s.Classes)}
	joined, found := groups(fitting.All(of.N)), false
	if d.Groups != nil {
		first := map[int]int{}
		for n, name := range d.Groups {
			if _, met := first[name]; !met {
				first[name] = n
			}
			joined.join(first[name], n)
		}
	}
	keys, err := s.Recipe.Keys(ctx, t, s.Rows)
	if err != nil {
		return d, err
	}
	first, copies := map[uint64]int{}, make([]float64, of.C)
	for n, key := range keys {
		if _, met := first[key]; met {
			copies[s.T[n]]++
		} else {
			first[key] = n
		}
	}
	for c, count := range of.Counts() {
		found = found || copies[c] > fewCopies*float64(count) && of.N <= coarse*len(first)
	}
	for n := 0; n < of.N && found; n++ {
		joined.join(first[keys[n]], n)
	}
	x := s.X
	if x == nil {
		p, err := s.Part(ctx, t, fitting.All(of.N))
		if err != nil {
			return d, err
		}
		x = p.X
	}
	near := map[int]bool{}
	for n, list := range fitting.NearCopies(ctx, x, s.T, of.C) {
		for _, m := range list {
			if len(near) == 0 {
				d.Copies = table.Finding{Code: texts.NearCopies, Of: of.N,
					Texts: []string{strconv.Itoa(s.Rows[min(n, m)] + 1), strconv.Itoa(s.Rows[max(n, m)] + 1)}}
			}
			found, near[n], near[m] = true, true, true
			joined.join(n, m)
		}
	}
	d.Copies.N = len(near)
	if !found || ctx.Err() != nil {
		return d, ctx.Err()
	}
	for n := range of.N {
		of.Groups = append(of.Groups, joined.of(n))
	}
	if g := of.DealBound(fitting.Folds, 1); 2*g.Scored >= of.N {
		d.Groups = of.Groups
	}
	return d, nil
}

// groups is a partition of samples: an earlier sample of the same group for each sample, or the sample itself.
type groups []int

// of returns the first sample of the group of n.
func (g groups) of(n int) int {
	for g[n] != n {
		g[n] = g[g[n]]
		n = g[n]
	}
	return n
}

func (g groups) join(a, b int) {
	a, b = g.of(a), g.of(b)
	g[max(a, b)] = min(a, b)
}

// key returns a hash of features, which is not 0.
func key(features []float64) uint64 {
	h := uint64(0)
	for _, v := range features { // the finalizer of MurmurHash3
		h ^= math.Float64bits(v+0) + 0x9e3779b97f4a7c15 // +0 turns −0 into 0
		h = (h ^ h>>33) * 0xff51afd7ed558ccd
		h = (h ^ h>>33) * 0xc4ceb9fe1a85ec53
		h ^= h >> 33
	}
	return max(h, 1)
}
