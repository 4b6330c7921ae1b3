package eval

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/baseline/mlr"
	"github.com/mpcvm/mpcvm/tables/model"
	"github.com/mpcvm/mpcvm/tables/table"
)

// ctx is never cancelled.
var ctx = context.Background()

func near(a, b float64) bool {
	return math.Abs(a-b) <= 1e-12*max(1, math.Abs(a)) || math.IsNaN(a) && math.IsNaN(b)
}

// numbers and texts make columns.
func numbers(name string, v ...float64) table.Column {
	return table.Column{Name: name, Kind: table.Number, Numbers: v}
}

func levels(name string, cells ...string) table.Column {
	c := table.Column{Name: name, Kind: table.Category}
	for _, cell := range cells {
		if cell != "" && !slices.Contains(c.Levels, cell) {
			c.Levels = append(c.Levels, cell)
		}
	}
	slices.Sort(c.Levels)
	for _, cell := range cells {
		c.Codes = append(c.Codes, int32(slices.Index(c.Levels, cell)))
	}
	return c
}

func tableOf(columns ...table.Column) *table.Table {
	return &table.Table{Name: "test.csv", Rows: columns[0].Len(), Columns: columns}
}

// set returns an embedded data set as a table.
func set(t testing.TB, name string) *table.Table {
	t.Helper()
	s, err := data.Load(name)
	if err != nil {
		t.Fatal(err)
	}
	var columns []table.Column
	for j, feature := range s.Features {
		columns = append(columns, numbers(feature, mat.Col(nil, j, s.X)...))
	}
	cells := make([]string, s.N())
	for i, label := range s.T {
		cells[i] = s.Classes[label]
	}
	return tableOf(append(columns, levels("class", cells...))...)
}

// mixed returns n rows with an informative number and category, a random number and boolean, an id, and
// missing cells.
func mixed(n int, seed uint64) *table.Table {
	r := rand.New(rand.NewPCG(seed, 1))
	x, noise, flag := make([]float64, n), make([]float64, n), make([]float64, n)
	colour, class, id := make([]string, n), make([]string, n), make([]string, n)
	for i := range n {
		c := i % 3
		x[i] = float64(c) + 0.5*r.NormFloat64()
		noise[i] = r.NormFloat64()
		flag[i] = float64(r.IntN(2))
		colour[i] = []string{"red", "green", "blue"}[c]
		if r.IntN(3) == 0 {
			colour[i] = "grey"
		}
		if r.IntN(10) == 0 {
			x[i] = math.NaN()
		}
		class[i], id[i] = string(rune('a'+c)), fmt.Sprint("row ", i)
	}
	b := table.Column{Name: "flag", Kind: table.Boolean, Numbers: flag, Levels: []string{"no", "yes"}}
	names := levels("id", id...)
	names.Kind = table.ID
	return tableOf(names, numbers("x", x...), levels("colour", colour...), numbers("noise", noise...), b,
		levels("class", class...))
}

func mustValidate(t testing.TB, tb *table.Table, systems []System, o Options) *Comparison {
	t.Helper()
	r, err := CrossValidate(ctx, tb, "class", systems, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func logistic() []System { return []System{Of("logistic", mlr.MLR{})} }

// mustEvaluate fits a learner to a table and evaluates the model.
func mustEvaluate(t testing.TB, tb *table.Table, l mpcvm.Learner, o EvaluateOptions) (*model.Model,
	*Evaluation) {
	t.Helper()
	m, result, err := model.Fit(ctx, tb, "class", l)
	if err != nil {
		t.Fatal(err)
	}
	o.Learner, o.Result = l, result
	e, err := Evaluate(ctx, tb, m, o)
	if err != nil {
		t.Fatal(err)
	}
	return m, e
}

// codes returns the codes of findings.
func codes(list []table.Finding) (all []table.Code) {
	for _, f := range list {
		all = append(all, f.Code)
	}
	return all
}

// find returns the first finding with a code.
func find(t testing.TB, list []table.Finding, code table.Code) table.Finding {
	t.Helper()
	i := slices.IndexFunc(list, func(f table.Finding) bool { return f.Code == code })
	if i < 0 {
		t.Fatalf("no %s in %v", code, list)
	}
	return list[i]
}

func mustPanic(t *testing.T, what string, f func()) {
	t.Helper()
	defer func() {
		t.Helper()
		if v := recover(); v == nil {
			t.Errorf("%s: no panic", what)
		}
	}()
	f()
}

// Open is tables.Open, which imports this package, for the tests of this package.
var Open func(path string, drop, id []string) (*table.Table, error)

func openPenguins(t testing.TB, drop []string, id ...string) *table.Table {
	tb, err := Open("../../data/penguins.csv", drop, id)
	if err != nil {
		t.Fatal(err)
	}
	return tb
}
