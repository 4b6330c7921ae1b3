// Command coverage writes how often prediction sets contain the true class, for docs/method.md, as a CSV
// table. It fits search.Auto to ten random parts of each data set, half of the rows but at most 500, and
// forms sets for the others.
//
//	coverage >coverage.csv
//
// A row is for a set, a nominal coverage and a class, or for all classes if the class is empty. Its figures
// are means over the parts and their standard errors: the coverage and the size of the sets of
// mpcvm.Model.PredictSet and, with the prefix scaled_, of the smallest sets of most probable classes whose
// probabilities sum to the nominal coverage. Because the parts share rows, the true standard errors are
// somewhat larger. by_class counts the parts whose sets cover each class separately.
package main

import (
	"cmp"
	"context"
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/experiments/study"
	"github.com/mpcvm/mpcvm/internal/fitting"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/search"
)

const header = "set,classes,train,test,partitions,by_class,nominal,class,coverage,coverage_se,size,size_se," +
	"scaled_coverage,scaled_coverage_se,scaled_size,scaled_size_se"

func main() {
	out := csv.NewWriter(os.Stdout)
	err := out.Write(strings.Split(header, ","))
	const sets = "iris wine glass breast heart vowel wine-red wine-white letter mixture leaves-shape"
	for _, name := range strings.Fields(sets) {
		var rows [][]string
		if err == nil {
			rows, err = measure(context.Background(), name, 500, 10, search.Auto{})
		}
		if err == nil {
			err = out.WriteAll(rows)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "coverage:", err)
		os.Exit(1)
	}
}

// load returns a known set, or "mixture": 5000 samples of three classes, drawn from a known density.
func load(name string) (study.Problem, error) {
	if name == "mixture" {
		return study.Problem{Set: data.NewMixture(3, 3, 2, 0.5, 7).Set(5000, 1)}, nil
	}
	set, err := data.Load(name)
	p := study.Problem{Set: set}
	if name == "heart" {
		p.Missing = new(-9.0)
	}
	return p, err
}

// measure returns the rows of a set, for learners with the number of the part as their seed.
func measure(ctx context.Context, name string, most, parts int, auto search.Auto) ([][]string, error) {
	p, err := load(name)
	if err != nil {
		return nil, err
	}
	p.Partitions = study.RandomPartitions(p.Set, min(0.5, float64(most)/float64(p.Set.N())), parts, 1)
	var train, test *data.Set
	nominal, byClass := []float64{0.8, 0.9, 0.95}, 0
	all := make([]figures, len(nominal)*(p.Set.C()+1)) // for each nominal coverage, all classes, then each
	for i := range parts {
		train, test = p.Split(i)
		auto.Seed = uint64(i)
		m, _, err := auto.Fit(ctx, mpcvm.Samples{X: train.X, T: train.T})
		if err != nil {
			return nil, fmt.Errorf("%s, part %d: %w", name, i, err)
		}
		if m.Scores().ByClass() {
			byClass++
		}
		y := m.Potentials(nil, test.X)
		proba := m.ProbaOf(nil, y)
		for k, coverage := range nominal {
			sets, err := m.SetsOf(y, nil, coverage)
			if err != nil {
				return nil, err
			}
			scaled := probable(proba, coverage)
			for c := range p.Set.C() + 1 {
				f := &all[k*(p.Set.C()+1)+c]
				f.add(0, sets, test.T, c-1)
				f.add(2, scaled, test.T, c-1)
			}
		}
	}
	var rows [][]string
	for i, f := range all {
		k, class := i/(p.Set.C()+1), i%(p.Set.C()+1)-1
		label, n := "", test.N()
		if class >= 0 {
			label, n = p.Set.Classes[class], test.Counts()[class]
		}
		if n == 0 {
			continue
		}
		row := strings.Fields(fmt.Sprint(name, " ", p.Set.C(), train.N(), n, parts, byClass, nominal[k]))
		row = append(row, label)
		for _, values := range f {
			mean, deviation := stat.MeanStdDev(values, nil)
			row = append(row, fmt.Sprintf("%.4f", mean), fmt.Sprintf("%.4f", deviation/math.Sqrt(float64(parts))))
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// figures are the coverage and the mean size of two kinds of sets in each part.
type figures [4][]float64

// add adds the figures of the sets for the rows of a class, or for all rows if it is −1.
func (f *figures) add(at int, sets [][]int, t []int, class int) {
	rows, covered, classes := 0., 0., 0.
	for i, set := range sets {
		if class >= 0 && t[i] != class {
			continue
		}
		rows++
		classes += float64(len(set))
		if slices.Contains(set, t[i]) {
			covered++
		}
	}
	f[at], f[at+1] = append(f[at], covered/rows), append(f[at+1], classes/rows)
}

// probable returns, for each row, the fewest classes whose probabilities sum to a coverage.
func probable(p *mat.Dense, coverage float64) [][]int {
	sets := make([][]int, p.RawMatrix().Rows)
	for i := range sets {
		row := p.RawRowView(i)
		order := fitting.All(len(row))
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(row[b], row[a]) })
		for sum := 0.0; sum < coverage && len(sets[i]) < len(row); sum += row[order[len(sets[i])-1]] {
			sets[i] = order[:len(sets[i])+1]
		}
	}
	return sets
}
