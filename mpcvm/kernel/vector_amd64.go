//go:build !purego

package kernel

import "github.com/mpcvm/mpcvm/mpcvm/internal/cpu"

//go:generate sh -c "cd ../../tools/avo && go run ./kernel -out ../../mpcvm/kernel/vector_amd64.s -stubs ../../mpcvm/kernel/stubs_amd64.go -pkg kernel"

// The functions vector… are assembly versions of the Go functions of the same name, with
// the same bits. They return false or 0 if the processor does not support them.

func vectorSums(t term, dst []float64, stride int, x []float64, xstride, rows int, y []octet, features,
	blocks int, w []float64) bool {
	level := cpu.Vector()
	if level == cpu.Portable || rows == 0 || blocks == 0 {
		return false
	}
	_, _, _ = dst[(rows-1)*stride+block*blocks-1], x[(rows-1)*xstride+features-1], y[blocks*features-1]
	d, xp, yp := &dst[0], &x[0], &y[0][0][0]
	wide := level == cpu.AVX512
	switch {
	case t == squares && wide:
		squaresAVX512(d, stride, xp, xstride, rows, yp, features, blocks)
	case t == squares:
		squaresAVX2(d, stride, xp, xstride, rows, yp, features, blocks)
	case t == absolutes && wide:
		absolutesAVX512(d, stride, xp, xstride, rows, yp, features, blocks)
	case t == absolutes:
		absolutesAVX2(d, stride, xp, xstride, rows, yp, features, blocks)
	case t == weighteds && wide:
		weightedsAVX512(d, stride, xp, xstride, rows, yp, features, blocks, &w[:features][0])
	case t == weighteds:
		weightedsAVX2(d, stride, xp, xstride, rows, yp, features, blocks, &w[:features][0])
	case t == weightedAbsolutes && wide:
		weightedAbsolutesAVX512(d, stride, xp, xstride, rows, yp, features, blocks, &w[:features][0])
	case t == weightedAbsolutes:
		weightedAbsolutesAVX2(d, stride, xp, xstride, rows, yp, features, blocks, &w[:features][0])
	case wide:
		productsAVX512(d, stride, xp, xstride, rows, yp, features, blocks)
	default:
		productsAVX2(d, stride, xp, xstride, rows, yp, features, blocks)
	}
	return true
}

// expTable contains each constant of exp four times.
var expTable = func() (table [len(expConstants)][4]float64) {
	for i, v := range expConstants {
		table[i] = [4]float64{v, v, v, v}
	}
	return table
}()

// vectorDecays replaces the first n numbers of v by exp(rate·v) and returns n.
func vectorDecays(rate float64, v []float64) int {
	n := len(v) &^ 7
	if n == 0 {
		return 0
	}
	switch cpu.Vector() {
	case cpu.AVX512:
		decaysAVX512(&v[0], n, rate, &expTable[0][0])
	case cpu.AVX2:
		decaysAVX2(&v[0], n, rate, &expTable[0][0])
	default:
		return 0
	}
	return n
}

func vectorTranspose(dst, slab []float64, length int) bool {
	if cpu.Vector() == cpu.Portable || length == 0 {
		return false
	}
	_, _ = dst[(length-1)*tileSide+slabRows-1], slab[slabRows*length-1]
	transposeAVX2(&dst[0], tileSide, &slab[0], slabRows, length)
	return true
}
