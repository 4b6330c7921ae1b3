package nbhelpers

import (
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/mpcvm/probit"
)

// PotentialsOf is a classifier of one feature that is not learned but given: by a function
// that returns the potentials of all classes at x. Its probabilities are those of the
// multinomial probit. Profile draws it.
type PotentialsOf func(x float64) []float64

// Potentials writes the potentials of N samples to dst (N×C; allocated if nil) and returns
// it. It panics if x does not have one column.
func (f PotentialsOf) Potentials(dst *mat.Dense, x mat.Matrix) *mat.Dense {
	n, d := x.Dims()
	if d != 1 {
		panic("nbhelpers: PotentialsOf is a classifier of one feature")
	}
	for i := range n {
		y := f(x.At(i, 0))
		if dst == nil {
			dst = mat.NewDense(n, len(y), nil)
		}
		dst.SetRow(i, y)
	}
	return dst
}

// Proba writes the probabilities of N samples to dst (N×C; allocated if nil) and returns it.
// It panics if x does not have one column.
func (f PotentialsOf) Proba(dst *mat.Dense, x mat.Matrix) *mat.Dense {
	dst = f.Potentials(dst, x)
	probit.Batch{}.Proba(dst, dst)
	return dst
}

// Predict writes the class of the largest potential of each of N samples to dst (length N;
// allocated if nil) and returns it. It panics if x does not have one column.
func (f PotentialsOf) Predict(dst []int, x mat.Matrix) []int {
	y := f.Potentials(nil, x)
	if n, _ := x.Dims(); dst == nil {
		dst = make([]int, n)
	}
	for i := range dst {
		dst[i] = floats.MaxIdx(y.RawRowView(i))
	}
	return dst
}
