package mpcvm_test

import (
	"bytes"
	"context"
	"fmt"
	"log"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
)

// A model for use elsewhere stores its scaling and names.
func ExampleModel_Save() {
	set, err := data.Load("iris")
	if err != nil {
		log.Fatal(err)
	}
	scale := data.FitStandardizer(set.X)
	model, _, err := mpcvm.BottomUp{Kernel: kernel.RBF{Theta: 0.1}}.Fit(context.Background(),
		mpcvm.Samples{X: scale.Apply(nil, set.X), T: set.T})
	if err != nil {
		log.Fatal(err)
	}
	model = model.WithNames(set.Classes, set.Features).WithScaling(scale.Mean, scale.Scale)

	var file bytes.Buffer // or model.SaveFile("iris.json")
	if err := model.Save(&file); err != nil {
		log.Fatal(err)
	}
	loaded, err := mpcvm.Load(&file)
	if err != nil {
		log.Fatal(err)
	}
	flower := mat.NewDense(1, 4, []float64{5.1, 3.5, 1.4, 0.2}) // cm
	fmt.Println(loaded.ClassNames()[loaded.Predict(nil, flower)[0]])
	// Output: setosa
}

// An explanation lists the training samples that contribute for and against a class.
func ExampleModel_Explain() {
	x := mat.NewDense(4, 1, []float64{0, 1, 4, 5})
	model, _, err := mpcvm.BottomUp{Kernel: kernel.RBF{Theta: 0.2}}.Fit(context.Background(),
		mpcvm.Samples{X: x, T: []int{0, 0, 1, 1}})
	if err != nil {
		log.Fatal(err)
	}
	e := model.Explain([]float64{1.5})
	y := e.Bias[e.Label]
	for _, v := range e.Class(e.Label) {
		y += v.Value
	}
	fmt.Println("label", e.Label, y == e.Potentials[e.Label])
	// Output: label 0 true
}

// A model trained on every other flower refers to its relevance vectors by their rows in the whole set.
func ExampleModel_WithRows() {
	set, err := data.Load("iris")
	if err != nil {
		log.Fatal(err)
	}
	var rows []int
	for n := 0; n < set.N(); n += 2 {
		rows = append(rows, n)
	}
	part := set.Subset(rows)
	model, _, err := mpcvm.BottomUp{Kernel: kernel.RBF{Theta: 0.1}}.Fit(context.Background(),
		mpcvm.Samples{X: part.X, T: part.T})
	if err != nil {
		log.Fatal(err)
	}
	for i, v := range model.WithRows(rows).RelevanceVectors()[:3] {
		fmt.Println(model.RelevanceVectors()[i].Index, v.Index)
	}
	// Output:
	// 11 22
	// 25 50
	// 50 100
}
