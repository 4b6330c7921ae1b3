package eval

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/mpcvm/mpcvm/mpcvm/gp"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
	"github.com/mpcvm/mpcvm/tables/internal/texts"
	"github.com/mpcvm/mpcvm/tables/recipe"
	"github.com/mpcvm/mpcvm/tables/table"
)

// patients is a table of 30 patients with ten nearly equal rows each. The class of a patient is random, so
// the true error on new patients is 50 %.
func patients() *table.Table {
	rng := rand.New(rand.NewPCG(5, 1))
	id := table.Column{Name: "patient", Kind: table.ID}
	when, x, y := numbers("when"), numbers("x"), numbers("y")
	var class []string
	for p := range 30 {
		id.Levels = append(id.Levels, fmt.Sprintf("P%02d", p))
		a, b, c := rng.NormFloat64(), rng.NormFloat64(), []string{"ill", "well"}[p*7%30%2]
		for i := range 10 {
			id.Codes, when.Numbers = append(id.Codes, int32(p)), append(when.Numbers, float64(10*i+p))
			x.Numbers, y.Numbers = append(x.Numbers, a+0.02*rng.NormFloat64()),
				append(y.Numbers, b+0.02*rng.NormFloat64())
			class = append(class, c)
		}
	}
	return tableOf(id, when, x, y, levels("class", class...))
}

// TestGroups tests that the rows of a group, given by a repeated id or by Table.Group, stay together. The
// estimated error then refers to new patients, and its standard error is based on patients, not rows.
func TestGroups(t *testing.T) {
	system := []System{Of("kernel prior", gp.KernelPrior{Kernel: kernel.RBF{Theta: 5}})}
	byID := patients()
	byGroup := patients()
	byGroup.Columns[0].Kind, byGroup.Columns[0].Aside, byGroup.Group = table.Category, true, "patient"
	alone := patients()
	alone.Columns = alone.Columns[1:]
	if err := mustValidate(t, alone, system, Options{}).Systems[1].Score(Error); err.Value > 0.15 {
		t.Errorf("row by row: %+v", err)
	}
	for name, tb := range map[string]*table.Table{"id": byID, "group": byGroup} {
		r := mustValidate(t, tb, system, Options{})
		for n := range r.Rows {
			if r.Fold[0][n] != r.Fold[0][n/10*10] {
				t.Fatalf("%s: the rows of patient %d are in two folds", name, n/10)
			}
		}
		err := r.Systems[1].Score(Error)
		if math.Abs(err.Value-0.5) > 2*err.SE || err.SE < 0.05 || err.SE > 0.12 {
			t.Errorf("%s: error %+v", name, err)
		}
		if by := table.Go.Say(r.SplitBy); !strings.Contains(by, `"patient"`) || r.SplitBy.N != 30 ||
			r.SplitBy.Of != 300 {
			t.Error(r.SplitBy)
		}
	}
	// With each class in a single group, no fold can be held out.
	same := patients()
	same.Group = "class"
	if _, err := CrossValidate(ctx, same, "class", system, Options{}); !errors.Is(err, errFolds) {
		t.Error(err)
	}
	// A class that occurs in a single group is in every training set.
	rare := patients()
	c := &rare.Columns[4]
	c.Levels = append(c.Levels, "rare")
	c.Codes[3], c.Codes[4] = 2, 2
	r := mustValidate(t, rare, system, Options{})
	if f := find(t, r.Warnings(), texts.NotScored); r.Fold[0][0] != 5 || f.N != 2 || f.Texts[0] != "rare" {
		t.Errorf("fold %d, %v", r.Fold[0][0], r.Warnings())
	}
}

// TestTimes tests that a fold is predicted by a model of all earlier rows, without repeats.
func TestTimes(t *testing.T) {
	tb := patients()
	tb.Time, tb.Columns[1].Aside = "when", true
	r := mustValidate(t, tb, logistic(), Options{Repeats: 3, Folds: 4})
	if r.Repeats != 1 || len(r.Fold) != 1 {
		t.Fatalf("%d repeats", r.Repeats)
	}
	for f := range 4 {
		in, out := r.parts(f)
		first := math.Inf(1)
		for _, n := range out {
			first = min(first, tb.Columns[1].Numbers[n])
		}
		for _, n := range in {
			if tb.Columns[1].Numbers[n] >= first {
				t.Fatalf("fold %d is trained on time %v and predicts time %v", f, tb.Columns[1].Numbers[n], first)
			}
		}
		if len(out) < 50 {
			t.Errorf("fold %d has %d rows", f, len(out))
		}
	}
	tb.Columns[1].Numbers[7] = math.NaN()
	if _, err := Split(ctx, tb, "class", Options{}); err == nil || !strings.Contains(err.Error(), "row 8") {
		t.Error(err)
	}
	for column, code := range map[string]table.Code{"patient": "time-of-kind", "no": "no-such-column"} {
		tb.Time = column
		_, err := Split(ctx, tb, "class", Options{})
		if f, ok := errors.AsType[table.Finding](err); !ok || f.Code != code {
			t.Error(err)
		}
	}
}

// Split uses the given samples if they belong to its table.
func TestSplitSamples(t *testing.T) {
	tb := mixed(60, 2)
	s, err := recipe.Prepare(ctx, tb, "class", nil)
	if err != nil {
		t.Fatal(err)
	}
	want := mustSplit(t, tb, Options{})
	for _, of := range []*table.Table{tb, mixed(60, 2)} {
		r := mustSplit(t, of, Options{Samples: s})
		if same := &r.T[0] == &s.T[0]; same != (of == tb) || !slices.Equal(r.Fold[0], want.Fold[0]) || s.X == nil {
			t.Errorf("same table: %v, samples used: %v, folds %v", of == tb, same, r.Fold[0])
		}
	}
}

func mustSplit(t *testing.T, tb *table.Table, o Options) *Folds {
	t.Helper()
	r, err := Split(ctx, tb, "class", o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}
