// Package args checks the arguments of all classifiers by the same rules: an option of zero means
// its default, and a nil destination is allocated. A wrong argument is a programming error and
// causes a panic, whose message begins with name, for example "mpcvm" or "mpcvm: BottomUp.Tol".
package args

import (
	"cmp"
	"fmt"
	"reflect"

	"gonum.org/v1/gonum/mat"
)

// Option returns v, or def if v is zero. It panics if v is negative or NaN.
func Option[T int | float64](name string, v, def T) T {
	if !(v >= 0) {
		panic(fmt.Sprintf("%s must not be negative: %v", name, v))
	}
	return cmp.Or(v, def)
}

// Tolerance is Option for a tolerance, which may be negative. It panics if v is NaN.
func Tolerance(name string, v, def float64) float64 {
	if v < 0 {
		return v
	}
	return Option(name, v, def)
}

// Learner panics if l, an argument or a field called name, is nil or a nil pointer.
func Learner(name string, l any) {
	if v := reflect.ValueOf(l); !v.IsValid() || v.Kind() == reflect.Pointer && v.IsNil() {
		panic(name + " is nil; give it a learner, such as mpcvm.BottomUp{}")
	}
}

// Matrix returns dst, or a new r×c matrix if dst is nil. An empty dst becomes r×c. Matrix panics if
// dst has another shape.
func Matrix(name string, dst *mat.Dense, r, c int) *mat.Dense {
	if dst == nil {
		return mat.NewDense(r, c, nil)
	}
	if dst.IsEmpty() && r > 0 && c > 0 {
		dst.ReuseAs(r, c)
		return dst
	}
	if dr, dc := dst.Dims(); dr != r || dc != c {
		panic(fmt.Sprintf("%s: destination is %d×%d, want %d×%d", name, dr, dc, r, c))
	}
	return dst
}

// Slice returns dst, or a new slice if dst is nil, with one element per row of x. It panics if dst
// has another length.
func Slice[T any](name string, dst []T, x mat.Matrix) []T {
	n, _ := x.Dims()
	if dst == nil {
		return make([]T, n)
	}
	if len(dst) != n {
		panic(fmt.Sprintf("%s: destination of length %d for %d samples", name, len(dst), n))
	}
	return dst
}
