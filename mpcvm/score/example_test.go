package score_test

import (
	"errors"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/mpcvm/score"
)

// Four samples of three classes. The last one is predicted as class 1.
var (
	p = mat.NewDense(4, 3, []float64{
		.8, .1, .1,
		.2, .7, .1,
		.1, .3, .6,
		.1, .5, .4,
	})
	pred = []int{0, 1, 2, 1}
	t    = []int{0, 1, 2, 2}
)

func ExampleErrorRate() {
	fmt.Println(score.ErrorRate(pred, t))
	// Output:
	// 0.25 <nil>
}

// Only the order within each column matters, so the AUC is perfect although a prediction is
// wrong.
func ExampleAUC() {
	auc, err := score.AUC(p, t)
	fmt.Println(auc, err)
	// Output:
	// 1 <nil>
}

// A label of an unknown class is an error that names the row.
func ExampleAUC_unknownClass() {
	_, err := score.AUC(p, []int{0, 1, 2, 3})
	var unknown *score.LabelError
	fmt.Println(errors.As(err, &unknown), err)
	// Output:
	// true score: row 4: label 3 is not one of 3 classes
}

func ExampleLogLoss() {
	loss, err := score.LogLoss(p, t)
	fmt.Printf("%.3f nats, %v\n", loss, err)
	// Output:
	// 0.502 nats, <nil>
}

func ExampleConfusion() {
	table, err := score.Confusion(pred, t, 3)
	fmt.Println(table, err)
	// Output:
	// [[1 0 0] [0 1 0] [0 1 1]] <nil>
}

func ExampleReliability() {
	bins, ece, err := score.Reliability(p, t, 2)
	for _, b := range bins {
		fmt.Printf("%.1f to %.1f: %d samples, confidence %.2f, accuracy %.2f\n", b.Low, b.High, b.Count,
			b.Confidence, b.Accuracy)
	}
	fmt.Printf("expected calibration error %.2f, %v\n", ece, err)
	// Output:
	// 0.0 to 0.5: 0 samples, confidence 0.00, accuracy 0.00
	// 0.5 to 1.0: 4 samples, confidence 0.65, accuracy 0.75
	// expected calibration error 0.10, <nil>
}
