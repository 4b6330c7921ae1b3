package eval_test

import (
	"context"
	"fmt"
	"log"
	"math"

	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/baseline/mlr"
	"github.com/mpcvm/mpcvm/mpcvm/search"
	"github.com/mpcvm/mpcvm/tables"
	"github.com/mpcvm/mpcvm/tables/eval"
	"github.com/mpcvm/mpcvm/tables/report"
	"github.com/mpcvm/mpcvm/tables/table"
)

// fruit returns a table of 60 rows. Use tables.Open to read a table from a file.
func fruit() *table.Table {
	t := &table.Table{Name: "fruit.csv", Rows: 60, Columns: []table.Column{
		{Name: "weight", Kind: table.Number}, {Name: "day", Kind: table.Number},
		{Name: "class", Kind: table.Category, Levels: []string{"apple", "pear"}},
	}}
	for i := range 60 {
		t.Columns[0].Numbers = append(t.Columns[0].Numbers, 150+30*float64(i%2)+20*math.Sin(float64(i*i)))
		t.Columns[1].Numbers = append(t.Columns[1].Numbers, float64(i%7))
		t.Columns[2].Codes = append(t.Columns[2].Codes, int32(i%2))
	}
	return t
}

func ExampleCrossValidate() {
	systems := []eval.System{eval.Of("logistic", mlr.MLR{})} // see eval.Systems for more
	r, err := eval.CrossValidate(context.Background(), fruit(), "class", systems, eval.Options{Repeats: 2})
	if err != nil {
		log.Fatal(err)
	}
	for _, m := range r.Systems {
		f := m.Score(eval.Error)
		fmt.Printf("%-9s error %.3f ± %.3f\n", m.System, f.Value, f.SE)
	}
	if !eval.Difference(r.Systems[1], r.Systems[0], eval.Error).Noise() {
		fmt.Println("the difference is significant")
	}
	// Output:
	// majority  error 0.500 ± 0.062
	// logistic  error 0.142 ± 0.057
	// the difference is significant
}

func ExampleMatrix_Importance() {
	systems := []eval.System{eval.Of("logistic", mlr.MLR{})}
	r, err := eval.CrossValidate(context.Background(), fruit(), "class", systems, eval.Options{Keep: true})
	if err != nil {
		log.Fatal(err)
	}
	list, err := r.Systems[1].Importance(context.Background(),
		eval.ImportanceOptions{}) // system 0 is the baseline
	if err != nil {
		log.Fatal(err)
	}
	first := list[0]
	fmt.Printf("%s: error +%.2f over %d folds and permutations\n", first.Column, first.Err.Mean,
		len(first.Err.Values))
	// Output: weight: error +0.36 over 25 folds and permutations
}

// Cross-validate the setting that Fit has chosen, at the cost of five more fits.
func ExampleChosen() {
	l := search.Width{Learner: mpcvm.BottomUp{}}
	_, result, err := tables.Fit(context.Background(), fruit(), "class", l)
	if err != nil {
		log.Fatal(err)
	}
	r, err := eval.CrossValidate(context.Background(), fruit(), "class",
		[]eval.System{eval.Chosen("mPCVM₂", l, result)}, eval.Options{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(r.Systems[1].Score(eval.Error).Value < r.Systems[0].Score(eval.Error).Value)
	// Output: true
}

// Print the verdict of mpcvm fit.
func ExampleEvaluate() {
	ctx, l := context.Background(), search.Width{Learner: mpcvm.BottomUp{}}
	model, result, err := tables.Fit(ctx, fruit(), "class", l)
	if err != nil {
		log.Fatal(err)
	}
	f, err := eval.Evaluate(ctx, fruit(), model, eval.EvaluateOptions{Learner: l, Result: result})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(report.Verdict(f))
	// Output: On held-out rows, the model misclassifies 13.33 ± 4.54 %; always predicting the most frequent class, "apple", misclassifies 50.00 %.
}

// Explain a prediction by the training rows that it rests on.
func ExampleExplain() {
	model, _, err := tables.Fit(context.Background(), fruit(), "class", search.Width{Learner: mpcvm.BottomUp{}})
	if err != nil {
		log.Fatal(err)
	}
	x, err := eval.Explain(model, fruit(), 0)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(report.Decision(x))
	// Output: row 1: apple with probability 0.941; true class apple
}

func ExamplePartialDependence() {
	model, _, err := tables.Fit(context.Background(), fruit(), "class", search.Width{Learner: mpcvm.BottomUp{}})
	if err != nil {
		log.Fatal(err)
	}
	d, err := eval.PartialDependence(context.Background(), model, fruit(), "weight", eval.DependenceOptions{})
	if err != nil {
		log.Fatal(err)
	}
	last := len(d.Values) - 1
	fmt.Printf("%s at %.0f: %.1f, at %.0f: %.1f\n", d.Classes[1], d.Values[0], d.Mean.At(0, 1), d.Values[last],
		d.Mean.At(last, 1))
	// Output: pear at 130: 0.0, at 200: 1.0
}

func init() {
	eval.Open = func(path string, drop, id []string) (*table.Table, error) {
		return tables.Open(path, tables.Options{Drop: drop, ID: id})
	}
}
