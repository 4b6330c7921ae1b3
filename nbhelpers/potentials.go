package nbhelpers

import (
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/mpcvm/probit"
)

// PotentialFunc is a classifier whose potentials are known, such as the model that a set was drawn
// from. The function returns the potentials of the C classes at a sample x of D features. Profile
// and Regions draw it like a fitted model.
type PotentialFunc func(x []float64) []float64

// Potentials writes the potentials of the N×D samples x to dst (N×C; allocated if nil) and
// returns it.
func (f PotentialFunc) Potentials(dst *mat.Dense, x mat.Matrix) *mat.Dense {
	n, d := x.Dims()
	row := make([]float64, d)
	for i := range n {
		y := f(mat.Row(row, i, x))
		if dst == nil {
			dst = mat.NewDense(n, len(y), nil)
		}
		dst.SetRow(i, y)
	}
	return dst
}

// Proba writes the probabilities of the classes for the N×D samples x to dst (N×C; allocated
// if nil) and returns it. They are the multinomial probit of the potentials.
func (f PotentialFunc) Proba(dst *mat.Dense, x mat.Matrix) *mat.Dense {
	dst = f.Potentials(dst, x)
	n, _ := dst.Dims()
	for i := range n {
		dst.SetRow(i, probit.Proba(nil, dst.RawRowView(i)))
	}
	return dst
}

// Predict writes the class with the largest potential for each of the N×D samples x to dst (N
// labels; allocated if nil) and returns it. On a tie it chooses the lowest class.
func (f PotentialFunc) Predict(dst []int, x mat.Matrix) []int {
	n, _ := x.Dims()
	if dst == nil {
		dst = make([]int, n)
	}
	row := mat.Row(nil, 0, x)
	for i := range n {
		dst[i] = floats.MaxIdx(f(mat.Row(row, i, x)))
	}
	return dst
}
