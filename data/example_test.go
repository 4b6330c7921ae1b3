package data_test

import (
	"fmt"
	"strings"

	"github.com/mpcvm/mpcvm/data"
)

func ExampleLoad() {
	s, err := data.Load("glass")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(s.N(), "samples,", s.D(), "features")
	fmt.Println("classes", s.Classes, "of", s.Counts())
	// Output:
	// 214 samples, 9 features
	// classes [1 2 3 5 6 7] of [70 76 17 13 9 29]
}

func ExampleReadSet() {
	_, err := data.ReadSet(strings.NewReader("length,width,class\n5.1,3.5,setosa\n4.9,?,setosa\n"), "iris")
	fmt.Println(err)
	// Output:
	// data: iris: line 3, column 2 (width): not a number: "?"
}

func ExampleSet_Split() {
	s, err := data.Load("wine")
	if err != nil {
		fmt.Println(err)
		return
	}
	train, test := s.Split(0.8, 1)
	fmt.Println(train.Counts(), test.Counts())
	// Output:
	// [47 57 38] [12 14 10]
}

func ExamplePartitions() {
	s, err := data.Load("iris")
	if err != nil {
		fmt.Println(err)
		return
	}
	partitions, err := data.Partitions("iris")
	if err != nil {
		fmt.Println(err)
		return
	}
	rows := partitions[0]
	train, test := s.Subset(rows), s.Subset(s.Complement(rows))
	fmt.Println(len(partitions), "partitions into", train.N(), "and", test.N())
	// Output:
	// 50 partitions into 120 and 30
}

func ExampleFitStandardizer() {
	s := data.Blobs(6, 2, 1, 0, 1) // classes at 0 and 2, without spread
	z := data.FitStandardizer(s.X)
	fmt.Printf("mean %.3f, scale %.3f\n", z.Mean, z.Scale)
	fmt.Printf("%.3f\n", z.Apply(nil, s.X).RawMatrix().Data)
	// Output:
	// mean [1.000], scale [1.095]
	// [-0.913 0.913 -0.913 0.913 -0.913 0.913]
}

func ExampleLabels() {
	labels, classes := data.Labels([]string{"well", "ill", "well"})
	fmt.Println(labels, classes, classes[labels[0]])
	// Output: [1 0 1] [ill well] well
}
