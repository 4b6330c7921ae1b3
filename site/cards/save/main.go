// Save and load a model.
//
// The file is JSON. It contains the kernel, relevance vectors, weights, names and scaling, so the
// loaded model accepts features in their original units. The check compares all probabilities
// bit by bit.
package main

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
	"github.com/mpcvm/mpcvm/nbhelpers"

	"gonum.org/v1/gonum/mat"
)

func main() {
	iris, err := data.Load("iris")
	if err != nil {
		log.Fatal(err)
	}
	scale := data.FitStandardizer(iris.X)
	x := scale.Apply(nil, iris.X)
	learner := mpcvm.BottomUp{Kernel: kernel.RBF{Theta: 0.1}}
	model, _, err := learner.Fit(context.Background(), mpcvm.Samples{X: x, T: iris.T})
	if err != nil {
		log.Fatal(err)
	}
	model = model.WithNames(iris.Classes, iris.Features).WithScaling(scale.Mean, scale.Scale)
	if err := model.SaveFile("iris.json"); err != nil {
		log.Fatal(err)
	}
	again, err := mpcvm.LoadFile("iris.json")
	if err != nil {
		log.Fatal(err)
	}
	file, err := os.Stat("iris.json")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("kilobytes: %.1f\n", float64(file.Size())/1000)
	fmt.Println("classes:", again.ClassNames())
	fmt.Println("same probabilities:", mat.Equal(model.Proba(nil, iris.X), again.Proba(nil, iris.X)))
	options := nbhelpers.RegionsOptions{Features: [2]int{2, 3}, Units: []string{"cm", "cm", "cm", "cm"}}
	regions := nbhelpers.Regions(again, iris, options)
	if err := regions.WriteFile("regions.html"); err != nil {
		log.Fatal(err)
	}
}

// Output:
// kilobytes: 1.4
// classes: [setosa versicolor virginica]
// same probabilities: true
