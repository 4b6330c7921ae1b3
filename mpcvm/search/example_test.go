//go:build !race

package search_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/search"
)

func ExampleAuto() {
	set, err := data.Load("iris")
	if err != nil {
		panic(err)
	}
	x := data.FitStandardizer(set.X).Apply(nil, set.X)
	m, result, err := search.Auto{}.Fit(context.Background(), mpcvm.Samples{X: x, T: set.T})
	if err != nil {
		panic(err)
	}
	for _, t := range result.Trials {
		if t.Chosen {
			fmt.Printf("%s, %s: log loss %.2f\n", t.Learner, strings.SplitN(t.Kernel.String(), "(", 2)[0], t.LogLoss)
		}
	}
	fmt.Println(m.WeightCount(), "coefficients")
	// Output:
	// linear s²=100, linear: log loss 0.06
	// 12 coefficients
}
