package study

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/data"
)

// Problem is a data set with its partitions.
type Problem struct {
	// Name is the name in the results.
	Name string
	// Set holds all samples. It is not changed.
	Set *data.Set
	// Partitions lists the training rows of each partition, like data.Partitions; the other rows
	// are the test set. A partition with all rows is tested on the training set. It is for counting
	// weights, not for measuring accuracy.
	Partitions [][]int
	// Raw leaves the features unscaled. By default they are standardised by the training set.
	Raw bool
	// Missing, if not nil, is the number that marks a missing value. It is replaced by the median of
	// the feature's other values in the training set, or by 0 if there are none.
	Missing *float64
	// Series is the name of the data set whose first classes make up this set; see FirstClasses.
	Series string

	digest []byte   // of the set
	prints []string // fingerprints of the partitions
}

// FirstClasses returns the samples of the first k classes, at most perClass of each (0 for all), in
// the order of the rows. Its name is "NAME-k". It panics unless k is from 1 to the number of
// classes.
func FirstClasses(set *data.Set, k, perClass int) *data.Set {
	if k < 1 || k > set.C() || perClass < 0 {
		panic(fmt.Sprintf("study: %d classes of %d, %d samples each", k, set.C(), perClass))
	}
	taken := make([]int, k)
	var rows []int
	for n, t := range set.T {
		if t < k && (perClass == 0 || taken[t] < perClass) {
			taken[t]++
			rows = append(rows, n)
		}
	}
	sub := set.Subset(rows)
	sub.Classes = sub.Classes[:k]
	sub.Name = fmt.Sprintf("%s-%d", set.Name, k)
	return sub
}

// RandomPartitions returns count stratified partitions by data.Set.Split, with the given fraction
// for training. The seed of each is derived from seed and its number. For sets of FirstClasses, the
// training set for fewer classes is contained in the training set for more.
func RandomPartitions(set *data.Set, fraction float64, count int, seed uint64) [][]int {
	index := &data.Set{X: mat.NewDense(set.N(), 1, nil), T: set.T, Classes: set.Classes,
		Features: []string{"row"}}
	for n := range set.N() {
		index.X.Set(n, 0, float64(n))
	}
	partitions := make([][]int, count)
	for p := range partitions {
		train, _ := index.Split(fraction, rand.NewPCG(seed, uint64(p)).Uint64())
		for i := range train.N() {
			partitions[p] = append(partitions[p], int(train.X.At(i, 0)))
		}
	}
	return partitions
}

// Whole returns a single partition with all rows.
func Whole(set *data.Set) [][]int { return [][]int{set.Complement(nil)} }

// check checks the set and the partitions, and computes their fingerprints.
func (p *Problem) check() error {
	if p.Name == "" {
		return errors.New("study: a data set without a name")
	}
	if err := p.Set.CheckTrainable(); err != nil {
		return err
	}
	for i, rows := range p.Partitions {
		sorted := slices.Sorted(slices.Values(rows))
		if len(sorted) == 0 || sorted[0] < 0 || sorted[len(sorted)-1] >= p.Set.N() ||
			len(slices.Compact(sorted)) < len(rows) {
			return fmt.Errorf("study: %s: partition %d must list distinct rows below %d", p.Name, i, p.Set.N())
		}
	}
	h := sha256.New()
	for n, t := range p.Set.T {
		writeNumber(h, uint64(t))
		for _, v := range p.Set.X.RawRowView(n) {
			writeNumber(h, math.Float64bits(v))
		}
	}
	p.digest = h.Sum(nil)
	p.prints = make([]string, len(p.Partitions))
	for i := range p.prints {
		p.prints[i] = p.fingerprint(i)
	}
	return nil
}

// has returns an error that wraps ErrPartition if p does not have the partition.
func (p *Problem) has(partition int) error {
	if partition < 0 || partition >= len(p.Partitions) {
		return fmt.Errorf("study: %s: %w: %d of %d, counted from 0", p.Name, ErrPartition, partition,
			len(p.Partitions))
	}
	return nil
}

// fingerprint identifies the data that a run on the partition depends on, by twelve hexadecimal
// digits.
func (p *Problem) fingerprint(partition int) string {
	h := sha256.New()
	h.Write(p.digest)
	for _, n := range p.Partitions[partition] {
		writeNumber(h, uint64(n))
	}
	if p.Raw {
		h.Write([]byte("raw"))
	}
	if p.Missing != nil {
		writeNumber(h, math.Float64bits(*p.Missing))
	}
	return fmt.Sprintf("%.6x", h.Sum(nil))
}

func writeNumber(h hash.Hash, v uint64) {
	h.Write(binary.LittleEndian.AppendUint64(nil, v)) // never fails
}

// Split returns the training and the test set of a partition, with missing values replaced and, unless
// p is Raw, standardised by the training set.
func (p *Problem) Split(partition int) (train, test *data.Set) {
	rows := p.Partitions[partition]
	train, test = p.Set.Subset(rows), p.Set.Subset(p.Set.Complement(rows))
	if test.N() == 0 {
		test = p.Set.Subset(rows)
	}
	p.impute(train.X, test.X)
	if !p.Raw {
		scale := data.FitStandardizer(train.X)
		train.X, test.X = scale.Apply(nil, train.X), scale.Apply(nil, test.X)
	}
	return train, test
}

// impute replaces the missing values of both sets by the medians of the training set.
func (p *Problem) impute(train, test *mat.Dense) {
	if p.Missing == nil {
		return
	}
	_, d := train.Dims()
	for j := range d {
		known := slices.DeleteFunc(mat.Col(nil, j, train), func(v float64) bool { return v == *p.Missing })
		slices.Sort(known)
		median := 0.0
		if n := len(known); n > 0 {
			median = (known[(n-1)/2] + known[n/2]) / 2
		}
		for _, x := range []*mat.Dense{train, test} {
			for i := range x.RawMatrix().Rows {
				if x.At(i, j) == *p.Missing {
					x.Set(i, j, median)
				}
			}
		}
	}
}
