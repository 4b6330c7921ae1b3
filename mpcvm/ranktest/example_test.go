package ranktest_test

import (
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/mpcvm/ranktest"
)

// The mean error rates (%) in the mPCVM paper, for eight data sets and six systems.
var (
	systems = []string{"mRVM₁", "mRVM₂", "SVM", "DLSR", "MLR", "mPCVM₁"}
	errs    = mat.NewDense(8, 6, []float64{
		2.952, 3.001, 3.277, 2.741, 3.244, 2.725, // Breast
		39.380, 33.902, 40.672, 47.493, 38.191, 33.127, // Glass
		34.501, 35.104, 33.484, 49.002, 35.104, 33.070, // Heart
		4.667, 4.815, 4.370, 9.259, 4.519, 3.852, // Iris
		3.765, 2.963, 2.160, 4.259, 5.926, 2.839, // Wine
		39.674, 40.333, 41.549, 50.188, 40.271, 40.153, // Wine (red)
		44.386, 43.000, 47.220, 56.805, 46.150, 42.871, // Wine (white)
		27.374, 6.779, 20.393, 55.578, 32.907, 6.352, // Vowel
	})
)

func ExampleFriedman() {
	test, err := ranktest.Friedman(errs)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("average ranks:", test.Average)
	fmt.Printf("Q = %.3f, p = %.4f; corrected for ties %.3f, %.4f\n", test.Q, test.P, test.QTies, test.PTies)
	fmt.Printf("F = %.3f, p = %.5f\n", test.F, test.PF)
	// Output:
	// average ranks: [3.25 3.3125 3.625 5.375 4.1875 1.25]
	// Q = 20.946, p = 0.0008; corrected for ties 21.022, 0.0008
	// F = 7.695, p = 0.00006
}

// Each system is compared with mPCVM₁. The paper reports a significant difference for all
// five, because it compares Z with the critical difference 2.176 instead of the critical
// value.
func ExampleResult_BonferroniDunn() {
	test, err := ranktest.Friedman(errs)
	if err != nil {
		fmt.Println(err)
		return
	}
	post := test.BonferroniDunn(5, 0.10)
	fmt.Printf("critical value %.3f, critical difference %.3f\n", post.Critical, post.CD)
	for _, pair := range post.Pairs {
		fmt.Printf("%-5s  difference %.4f, Z %.3f, p %.3f: %t\n", systems[pair.I], pair.Difference, pair.Z, pair.P,
			pair.Differs)
	}
	// Output:
	// critical value 2.326, critical difference 2.176
	// mRVM₁  difference 2.0000, Z 2.138, p 0.163: false
	// mRVM₂  difference 2.0625, Z 2.205, p 0.137: false
	// SVM    difference 2.3750, Z 2.539, p 0.056: true
	// DLSR   difference 4.1250, Z 4.410, p 0.000: true
	// MLR    difference 2.9375, Z 3.140, p 0.008: true
}

// All pairs of systems are compared; the significant ones are printed.
func ExampleResult_Nemenyi() {
	test, err := ranktest.Friedman(errs)
	if err != nil {
		fmt.Println(err)
		return
	}
	post := test.Nemenyi(0.10)
	fmt.Printf("critical difference %.3f\n", post.CD)
	for _, pair := range post.Pairs {
		if pair.Differs {
			fmt.Printf("%s and %s: p %.4f\n", systems[pair.I], systems[pair.J], pair.P)
		}
	}
	// Output:
	// critical difference 2.421
	// DLSR and mPCVM₁: p 0.0002
	// MLR and mPCVM₁: p 0.0209
}

// Equal values share the mean of their ranks.
func ExampleRanks() {
	fmt.Println(ranktest.Ranks(nil, []float64{0.1, 0.3, 0.3, 0.2}))
	// Output:
	// [1 3.5 3.5 2]
}
