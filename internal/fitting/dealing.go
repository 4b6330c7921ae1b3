package fitting

import (
	"cmp"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/internal/cell"
)

// Samples has the fields of mpcvm.Samples.
type Samples struct {
	X       mat.Matrix
	T       []int
	Weights []float64
	Groups  []int
	Times   []float64
}

// check returns a *cell.Error if the length of a slice is not the number of rows of X, a weight is
// not positive and finite, or a time is not finite.
func (s Samples) check() error {
	if s.X == nil {
		panic("mpcvm: Samples.X is nil")
	}
	n, _ := s.X.Dims()
	for _, of := range []struct {
		field  string
		length int
	}{{"T", len(s.T)}, {"Weights", len(s.Weights)}, {"Groups", len(s.Groups)}, {"Times", len(s.Times)}} {
		if of.length != n && (of.length != 0 || of.field == "T") {
			return cell.New("mpcvm", min(n, of.length), -1, float64(of.length), fmt.Sprintf(
				"Samples.X has %d rows, and Samples.%s needs one entry for each; entries", n, of.field))
		}
	}
	for i, v := range s.Weights {
		if !(v > 0) || !IsFinite(v) {
			return cell.New("mpcvm", i, -1, v, "the weight of the sample is not positive and finite")
		}
	}
	for i, v := range s.Times {
		if !IsFinite(v) {
			return cell.New("mpcvm", i, -1, v, "the time of the sample is not finite")
		}
	}
	return nil
}

// Samples returns the samples for another learner.
func (d *Data) Samples() Samples {
	return Samples{X: d.X, T: d.T, Weights: d.Weights, Groups: d.Groups, Times: d.Times}
}

// Bound reports whether folds must respect groups or times.
func (d *Data) Bound() bool { return d.Groups != nil || d.Times != nil }

// Dealing is a division of samples into folds.
type Dealing struct {
	// Fold holds the fold of each sample, 0 to K−1. Samples of fold K are in every training set and
	// are never scored.
	Fold []int
	// Ahead reports whether the training set of a fold consists of the folds with higher numbers,
	// which hold the earlier samples.
	Ahead bool
	// Scored is the number of samples in folds 0 to K−1.
	Scored int
}

// Trains reports whether sample n is in the training set of fold f.
func (g Dealing) Trains(n, f int) bool {
	if g.Ahead {
		return g.Fold[n] > f
	}
	return g.Fold[n] != f
}

// Split returns the training samples and the held-out samples of fold f.
func (g Dealing) Split(f int) (in, out []int) {
	for n, fold := range g.Fold {
		switch {
		case fold == f:
			out = append(out, n)
		case g.Trains(n, f):
			in = append(in, n)
		}
	}
	return in, out
}

// classSamples is the number of held-out samples of a class that suffice to score it.
const classSamples = 10

// ToScore returns how many of the folds to score, at least least: enough to hold out ten samples of
// each class, or all that are in a fold. t holds the labels of the samples.
func (g Dealing) ToScore(t []int, folds, least int) int {
	missing := map[int]int{} // of each class, the number of samples still to be held out
	for n, label := range t {
		if g.Fold[n] < folds {
			missing[label] = min(missing[label]+1, classSamples)
		}
	}
	for f := range folds {
		if most := slices.Max(slices.Collect(maps.Values(missing))); f >= least && most <= 0 {
			return f
		}
		for n, label := range t {
			if g.Fold[n] == f {
				missing[label]--
			}
		}
	}
	return folds
}

// Deal divides the samples into folds. With times or groups it is DealBound, unless that would score
// fewer than half of the samples, for example because each class is in one group. In that case, and
// without times and groups, the samples of each class are shuffled and dealt in turn. A class with
// one sample is in fold K.
//
// Groups of the same size, each of one class, are dealt like samples. The folds of a table therefore
// stay the same if every row is copied k times and its copies form a group.
func (d *Data) Deal(folds int, seed uint64) Dealing {
	var g Dealing
	if of, labels := d.units(); of != nil {
		g = dealInTurn(of, labels, d.C, folds, seed)
	} else if d.Bound() {
		g = d.DealBound(folds, seed)
	}
	if g.Fold == nil || 2*g.Scored < d.N {
		g = dealInTurn(All(d.N), d.T, d.C, folds, seed)
	}
	return g
}

// units returns the group of each sample, counted from 0, and the label of each group, if all groups
// have the same size and each is of one class. Otherwise, and with times, it returns nil.
func (d *Data) units() (of, labels []int) {
	if d.Groups == nil || d.Times != nil {
		return nil, nil
	}
	of, groups := d.grouped()
	for _, g := range groups {
		if g.size != groups[0].size || len(g.classes) > 1 {
			return nil, nil
		}
		labels = append(labels, g.classes[0])
	}
	return of, labels
}

// dealInTurn shuffles the units of each class and deals them in turn. A unit contains the samples n
// with its index in of[n]. A class with one unit is in fold K.
func dealInTurn(of, labels []int, classes, folds int, seed uint64) Dealing {
	rng := rand.New(rand.NewPCG(seed, 1))
	dealt, next := make([]int, len(labels)), 0
	for c := range classes {
		var members []int
		for n, label := range labels {
			if label == c {
				members = append(members, n)
			}
		}
		rng.Shuffle(len(members), func(i, j int) { members[i], members[j] = members[j], members[i] })
		if len(members) == 1 {
			dealt[members[0]] = folds
			continue
		}
		for _, n := range members {
			dealt[n] = next % folds
			next++
		}
	}
	g := Dealing{Fold: make([]int, len(of))}
	for n, unit := range of {
		if g.Fold[n] = dealt[unit]; g.Fold[n] < folds {
			g.Scored++
		}
	}
	return g
}

// DealBound divides the samples by their times, or otherwise by their groups, so that every class is
// in every training set. If there are not enough times or groups, the last folds are empty.
func (d *Data) DealBound(folds int, seed uint64) Dealing {
	g := Dealing{Ahead: d.Times != nil}
	if g.Ahead {
		g.Fold = d.dealTimes(folds)
	} else {
		g.Fold = d.dealGroups(folds, seed)
	}
	number := make([]int, folds+1) // of each fold among the non-empty ones
	for _, f := range g.Fold {
		number[f] = 1
	}
	next := 0
	for f := range folds {
		next, number[f] = next+number[f], next
	}
	number[folds] = folds
	for n, f := range g.Fold {
		if g.Fold[n] = number[f]; f < folds {
			g.Scored++
		}
	}
	return g
}

// dealTimes divides the samples, in the order of their times, into a first segment, which is fold K,
// and K folds of about equal size. Fold 0 has the latest samples. The first segment has at least one
// of K+1 shares and a sample of each class. Samples with the same time stay together.
func (d *Data) dealTimes(folds int) []int {
	order := All(d.N)
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(d.Times[a], d.Times[b]) })
	same := func(i int) bool { return i > 0 && d.Times[order[i]] == d.Times[order[i-1]] }
	fold := slices.Repeat([]int{folds}, d.N)
	met, first := map[int]bool{}, 0
	for first < d.N && (first*(folds+1) < d.N || len(met) < d.C || same(first)) {
		met[d.T[order[first]]] = true
		first++
	}
	rest := d.N - first
	for i := first; i < d.N; i++ {
		if fold[order[i]] = folds - 1 - (i-first)*folds/rest; i > first && same(i) {
			fold[order[i]] = fold[order[i-1]]
		}
	}
	return fold
}

// group holds the number of samples of a group by class.
type group struct {
	classes, counts []int
	size            int
}

// grouped returns the group of each sample, counted from 0 in the order of the samples, and the groups.
func (d *Data) grouped() (of []int, groups []group) {
	index := map[int]int{}
	of = make([]int, d.N)
	for n, name := range d.Groups {
		g, met := index[name]
		if !met {
			g = len(groups)
			index[name] = g
			groups = append(groups, group{})
		}
		of[n] = g
		k := slices.Index(groups[g].classes, d.T[n])
		if k < 0 {
			k = len(groups[g].classes)
			groups[g].classes, groups[g].counts = append(groups[g].classes, d.T[n]), append(groups[g].counts, 0)
		}
		groups[g].counts[k]++
		groups[g].size++
	}
	return of, groups
}

// dealGroups deals whole groups, the largest first, each to the fold in which the shares of its
// classes are smallest. If a class is in only one group, or would be in only one fold, one of its
// groups goes to fold K, because every training set needs all classes.
func (d *Data) dealGroups(folds int, seed uint64) []int {
	of, groups := d.grouped()
	with := make([][]int, d.C) // the groups of each class
	for g := range groups {
		for _, c := range groups[g].classes {
			with[c] = append(with[c], g)
		}
	}
	const undealt = -1
	fold := slices.Repeat([]int{undealt}, len(groups))
	for _, list := range with {
		if len(list) == 1 {
			fold[list[0]] = folds
		}
	}
	order := rand.New(rand.NewPCG(seed, 1)).Perm(len(groups))
	slices.SortStableFunc(order, func(a, b int) int { return groups[b].size - groups[a].size })
	total := d.Counts()
	have, size := make([][]int, folds), make([]int, folds)
	for f := range have {
		have[f] = make([]int, d.C)
	}
	for _, g := range order {
		if fold[g] == folds {
			continue
		}
		one, best, least := &groups[g], 0, 0.0
		for f := range folds {
			// The increase of the sum of squared shares, which is smallest for equal shares.
			cost := square(size[f]+one.size, d.N) - square(size[f], d.N)
			for k, c := range one.classes {
				cost += square(have[f][c]+one.counts[k], total[c]) - square(have[f][c], total[c])
			}
			if f == 0 || cost < least-1e-12 {
				best, least = f, cost
			}
		}
		fold[g] = best
		size[best] += one.size
		for k, c := range one.classes {
			have[best][c] += one.counts[k]
		}
	}
	for _, list := range with {
		first := fold[list[0]]
		if first < folds && !slices.ContainsFunc(list, func(g int) bool { return fold[g] != first }) {
			fold[slices.MinFunc(list, func(a, b int) int { return groups[a].size - groups[b].size })] = folds
		}
	}
	dealt := make([]int, d.N)
	for n, g := range of {
		dealt[n] = fold[g]
	}
	return dealt
}

// square returns the square of a share.
func square(n, of int) float64 {
	v := float64(n) / float64(of)
	return v * v
}
