// Package sets provides the data of the benchmarks: sets divided into training and test data,
// standardised by the training data.
package sets

import (
	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/data"
)

// thetas are the kernel widths of the sets. The width for Letter has the lowest log loss of .1, .3,
// .6 and 1.2 when BottomUp is trained on the first 1000 rows for 100 epochs and predicts the next
// 1000, none of which are test rows here.
var thetas = map[string]float64{
	"iris": 0.1, "wine": 0.02, "glass": 0.2, "breast": 0.1, "vowel": 1.2, "wine-white": 1.2, "letter": 0.3,
}

// Problem holds the training and test data of a benchmark.
type Problem struct {
	Name     string
	Theta    float64    // width of an RBF kernel
	Classes  int        // C
	X, XTest *mat.Dense // N×D standardised features
	T, TTest []int      // labels
}

// Load returns a set divided as in partition 5. For Letter, which has no partitions, the first 4000
// rows are for training and the next 4000 for testing. Sets that are not embedded are read from
// MPCVM_DATA.
func Load(name string) (*Problem, error) {
	set, err := data.Load(name)
	if err != nil {
		return nil, err
	}
	if name == "letter" {
		rows := set.Complement(nil)
		return Of(name, set.Subset(rows[:4000]), set.Subset(rows[4000:8000])), nil
	}
	partitions, err := data.Partitions(name)
	if err != nil {
		return nil, err
	}
	return Of(name, set.Subset(partitions[5]), set.Subset(set.Complement(partitions[5]))), nil
}

// Of returns the problem with the given sets and standardises both in place.
func Of(name string, train, test *data.Set) *Problem {
	scale := data.FitStandardizer(train.X)
	return &Problem{
		Name: name, Theta: thetas[name], Classes: train.C(),
		X: scale.Apply(train.X, train.X), T: train.T, XTest: scale.Apply(test.X, test.X), TTest: test.T,
	}
}
