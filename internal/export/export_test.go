package export

import (
	"bytes"
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/data/recipe"
	"github.com/mpcvm/mpcvm/data/table"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
)

// tolerance is the largest difference to the library's probabilities.
const tolerance = 1e-12

// example is a model with rows that it predicts here and in other languages.
type example struct {
	name   string
	model  *mpcvm.Model
	recipe *recipe.Recipe
	header []string
	rows   [][]string
	proba  *mat.Dense // NaN in rows that cannot be used
}

// numeric makes an example of a model without recipe and rows of its features.
func numeric(name string, m *mpcvm.Model, x *mat.Dense) example {
	e := example{name: name, model: m, header: m.FeatureNames(), proba: m.Proba(nil, x)}
	n, _ := x.Dims()
	for i := range n {
		var row []string
		for _, v := range x.RawRowView(i) {
			row = append(row, number(v))
		}
		e.rows = append(e.rows, row)
	}
	return e
}

// synthetic returns a model of random vectors and weights, and rows near and far.
func synthetic(k kernel.Kernel, classes, features, vectors int, spread float64, seed uint64) (*mpcvm.Model, *mat.Dense) {
	rng := rand.New(rand.NewPCG(seed, 1))
	normal := func(n, d int) *mat.Dense {
		x := mat.NewDense(n, d, nil)
		x.Apply(func(_, _ int, _ float64) float64 { return rng.NormFloat64() }, x)
		return x
	}
	x, t := normal(vectors, features), make([]int, vectors)
	bases, w, bias := make([][]int, classes), make([][]float64, classes), make([]float64, classes)
	for n := range t {
		t[n] = n % classes
		for range 3 {
			c := rng.IntN(classes)
			if slices.Contains(bases[c], n) {
				continue
			}
			v := -spread * rng.ExpFloat64()
			if c == t[n] {
				v = -v
			}
			bases[c], w[c] = append(bases[c], n), append(w[c], v)
		}
	}
	for c := range bias {
		bias[c] = rng.NormFloat64()
	}
	rows := normal(24, features)
	for i := range 6 {
		for j, v := range rows.RawRowView(i) {
			rows.Set(i, j, v*math.Pow(10, float64(2*i)))
		}
	}
	return mpcvm.NewModel(k, x, t, bases, w, bias), rows
}

// fitted is a model of an embedded set, with rows of the set and far away.
func fitted(t *testing.T, name string, k kernel.Kernel, temperature float64) example {
	t.Helper()
	set, err := data.Load(name)
	if err != nil {
		t.Fatal(err)
	}
	s := data.FitStandardizer(set.X)
	m, _, err := mpcvm.BottomUp{Kernel: k}.Fit(context.Background(), s.Apply(nil, set.X), set.T)
	if err != nil {
		t.Fatal(err)
	}
	m = m.WithNames(set.Classes, set.Features).WithScaling(s.Mean, s.Scale).WithTemperature(temperature)
	n, d := set.X.Dims()
	rows := mat.NewDense(40, d, nil)
	for i := range 40 {
		rows.SetRow(i, set.X.RawRowView(i*n/40))
		if i < 4 {
			rows.Set(i, 0, math.Pow(1000, float64(i+1)))
		}
	}
	return numeric(name, m, rows)
}

// mixed is a table of every kind of column with missing cells, and further rows that have unseen
// levels and cells that are not of their kind.
func mixed(t *testing.T) example {
	t.Helper()
	const n = 120
	rng := rand.New(rand.NewPCG(3, 3))
	nan := math.NaN()
	tab := &table.Table{Name: "mixed", Rows: n, Columns: []table.Column{
		{Name: "mass", Kind: table.Number}, {Name: `size "Ø" in mm`, Kind: table.Number},
		{Name: "sold, last", Kind: table.Date}, {Name: "new", Kind: table.Boolean, Levels: []string{"no", "Yes"}},
		{Name: "Insel", Kind: table.Category, Levels: []string{"1", "Biscoe", "Dream", "Föhr", "rare"}},
		{Name: "shape", Kind: table.Category, Levels: []string{"?", "long", "round"}},
		{Name: "species", Kind: table.Category, Levels: []string{"a", "b", "c"}},
	}}
	labels := make([]int, n)
	for i := range n {
		c := i % 3
		labels[i] = c
		values := []float64{40 + 3*float64(c) + rng.NormFloat64(), rng.ExpFloat64(), 1e9 + 86400*math.Floor(rng.Float64()*1e4), float64(rng.IntN(2))}
		for j, v := range values {
			if j > 0 && rng.IntN(6) == 0 {
				v = nan
			}
			tab.Columns[j].Numbers = append(tab.Columns[j].Numbers, v)
		}
		island, shape := int32((c+rng.IntN(2))%4), int32(rng.IntN(3))
		if i < 2 {
			island = 4
		}
		if rng.IntN(6) == 0 {
			shape = -1
		}
		for j, code := range []int32{island, shape, int32(c)} {
			tab.Columns[4+j].Codes = append(tab.Columns[4+j].Codes, code)
		}
	}
	rows := make([]int, n)
	for i := range rows {
		rows[i] = i
	}
	r, err := recipe.Fit(tab, 6, rows)
	if err != nil {
		t.Fatal(err)
	}
	x, _, err := r.Encode(nil, tab, rows)
	if err != nil {
		t.Fatal(err)
	}
	mean, scale := r.Scaling(x)
	z := mat.DenseCopyOf(x)
	z.Apply(func(_, j int, v float64) float64 { return (v - mean[j]) / scale[j] }, z)
	m, _, err := mpcvm.BottomUp{Kernel: kernel.RBF{Theta: 0.1}}.Fit(context.Background(), z, labels)
	if err != nil {
		t.Fatal(err)
	}
	m = m.WithNames(tab.Columns[6].Levels, r.Features()).WithScaling(mean, scale)
	e := example{name: "mixed", model: m, recipe: r, header: append(tab.Names(), "further")}
	for i := range 40 {
		var cells []string
		for j := range tab.Columns {
			cells = append(cells, tab.Columns[j].Text(i))
		}
		e.rows = append(e.rows, append(cells, `a "further", one`))
	}
	e.proba = m.Proba(nil, x.Slice(0, 40, 0, m.Features()))
	like := func(row int, change func(cells []string)) { // a row that has the probabilities of another
		cells := slices.Clone(e.rows[row])
		change(cells)
		e.rows = append(e.rows, cells)
		e.proba = mat.DenseCopyOf(e.proba.Grow(1, 0))
		if p := e.proba.RawRowView(len(e.rows) - 1); row == 0 {
			for c := range p {
				p[c] = nan
			}
		} else {
			copy(p, e.proba.RawRowView(row))
		}
	}
	like(5, func(cells []string) { cells[0] = "\t" + cells[0] + " "; cells[1] = " na"; cells[3] = strings.ToUpper(cells[3]) })
	_ = like
	return e
}

func TestLanguages(t *testing.T) {
	_ = fmt.Sprint
	_ = io.EOF
	_ = os.Args
	_ = exec.Command
	_ = filepath.Join
	_ = strconv.Itoa
	_ = csv.NewReader
	_ = bytes.NewReader
}
