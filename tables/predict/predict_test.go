package predict

import (
	"bytes"
	"encoding/csv"
	"errors"
	"math"
	"reflect"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/internal/cell"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
	tablemodel "github.com/mpcvm/mpcvm/tables/model"
	"github.com/mpcvm/mpcvm/tables/table"
)

// model returns a model with one feature, which is positive for the second class, and a kernel that can
// overflow.
func small(t *testing.T) *tablemodel.Model {
	t.Helper()
	x := mat.NewDense(6, 1, []float64{-3, -2, -1, 1, 2, 3})
	m, _, err := mpcvm.BottomUp{Kernel: kernel.Polynomial{Degree: 1, Scale: 1}}.Fit(t.Context(),
		mpcvm.Samples{X: x, T: []int{0, 0, 0, 1, 1, 1}})
	if err != nil {
		t.Fatal(err)
	}
	return tablemodel.NewModel(m.WithNames([]string{"low", `a "b", c`}, []string{"x"}), nil)
}

func TestPredict(t *testing.T) {
	p := New(small(t), false)
	var u Predictions
	p.Predict(&u, &Batch{X: mat.NewDense(4, 1, []float64{-2, 2, -3, 3}), Class: []string{"low", "low", "",
		"else"}})
	if !slices.Equal(u.Labels, []int{0, 1, 0, 1}) || u.Classes[1] != `a "b", c` || !reflect.DeepEqual(u.Tally,
		Tally{Rows: 4, Given: 3, Wrong: 2, Unknown: 1, Strange: []string{"else"}, Classes: []int64{2, 2}}) {
		t.Errorf("%v %q %+v", u.Labels, u.Classes, u.Tally)
	}
	p.Predict(&u, &Batch{})
	if len(u.Labels) != 0 || !reflect.DeepEqual(u.Tally, Tally{}) {
		t.Errorf("%+v", u)
	}
	problems := []error{nil, nil, &cell.Error{Name: "f", Row: 3, Header: "x", Value: "three",
		Err: cell.ErrNotNumber}}
	p.Predict(&u, &Batch{X: mat.NewDense(3, 1, []float64{1, math.MaxFloat64, math.NaN()}),
		Class: []string{"low", "low", "low"}, Problems: problems})
	if want := []string{"", tablemodel.ErrOverflow.Error(), `column x: not a number: "three"`}; !slices.Equal(
		u.Problems, want) || !slices.Equal(u.Labels, []int{1, -1, -1}) {
		t.Errorf("%q, want %q; %v", u.Problems, want, u.Labels)
	}
	sum := Tally{Rows: 5, Given: 1}
	sum.Add(u.Tally)
	sum.Add(Tally{Rows: 1, Unusable: 1, First: 1, Why: "later"})
	if want := (Tally{Rows: 9, Given: 2, Wrong: 1, Unusable: 3, First: 7, Classes: []int64{0, 1},
		Why: tablemodel.ErrOverflow.Error()}); !reflect.DeepEqual(sum, want) {
		t.Errorf("%+v, want %+v", sum, want)
	}
}

// The class does not depend on whether probabilities are computed, even if these are equal while the
// potentials are not.
func TestPredictNearlyEqual(t *testing.T) {
	m := tablemodel.NewModel(mpcvm.NewModel(kernel.Linear{}, mat.NewDense(1, 1, []float64{1}), []int{2},
		[][]int{{}, {}, {0}}, [][]float64{{}, {}, {1e-20}}, []float64{0, 0, 0}), nil)
	for _, proba := range []bool{false, true} {
		var u Predictions
		New(m, proba).Predict(&u, &Batch{X: mat.NewDense(3, 1, []float64{1, 0, -1})})
		if !slices.Equal(u.Labels, []int{2, 0, 0}) {
			t.Errorf("with probabilities %v: %v", proba, u.Labels)
		}
	}
}

// A class is recognized in any spelling of its number.
func TestPredictClass(t *testing.T) {
	p := New(tablemodel.NewModel(small(t).Model().WithNames([]string{"1000000", "NA"}, []string{"x"}), nil),
		false)
	for class, want := range map[string]int{"1000000": 0, "1000000.0": 0, "1e+06": 0, "NA": 1, "2": -1,
		"x": -1} {
		var u Predictions
		p.Predict(&u, &Batch{X: mat.NewDense(1, 1, []float64{2}), Class: []string{class}})
		if wrong := want != u.Labels[0]; (u.Tally.Unknown == 1) != (want < 0) || (u.Tally.Wrong == 1) != wrong {
			t.Errorf("%s: %+v", class, u.Tally)
		}
	}
}

// Writing in two steps gives complete outputs, and CSV can be read back.
func TestFormats(t *testing.T) {
	m := small(t)
	x := mat.NewDense(4, 1, []float64{-2, 2, -3, 3})
	for _, proba := range []bool{false, true} {
		p := New(m, proba)
		p.Keep([]string{"id", "class"})
		kept := func(n int) []*table.Column {
			id, two := &table.Column{}, &table.Column{}
			for i := range n {
				id.Written = append(id.Written, string(rune('a'+i)))
				two.Written = append(two.Written, " of, \"two\"\nlines")
			}
			return []*table.Column{id, two}
		}
		for _, f := range []Format{p.CSV(), p.json(), p.Parquet()} {
			var parts [2]Predictions
			problems := [2][]error{1: {nil, errors.New("no")}}
			var out bytes.Buffer
			s := f.Open(&out)
			var err error
			for i := range parts {
				p.Predict(&parts[i], &Batch{X: x.Slice(2*i, 2*i+2, 0, 1).(*mat.Dense), Problems: problems[i],
					Kept: kept(2)})
				err = errors.Join(err, f.Encode(&parts[i]), s.Write(&parts[i]))
			}
			if err = errors.Join(err, s.Write(&Predictions{}), s.Close(nil)); err != nil || out.Len() == 0 {
				t.Fatal(err)
			}
		}
		var u Predictions
		var text bytes.Buffer
		p.Predict(&u, &Batch{X: x, Problems: []error{nil, nil, nil, errors.New("no, \"bad\"")}, Kept: kept(4)})
		if err := Write(&text, p.CSV(), &u); err != nil {
			t.Fatal(err)
		}
		got, err := csv.NewReader(&text).ReadAll()
		if err != nil || len(got) != 5 || !slices.Equal(got[0][:3], []string{"id", "class (kept)", "class"}) ||
			(len(got[0]) == 9) != proba {
			t.Fatalf("%q, %v", got, err)
		}
		for i, class := range []string{"low", `a "b", c`, "low", ""} {
			row := got[i+1]
			if row[0] != string(rune('a'+i)) || row[1] != " of, \"two\"\nlines" || row[2] != class ||
				(row[len(row)-1] == "no, \"bad\"") != (i == 3) {
				t.Errorf("%q", row)
			}
		}
	}
}
