package kernel

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// Each sum over the features has two forms here: of one pair, which is the truth,
// and of one x with four y, whose sums run side by side and keep the processor
// busy. Both add the features in the same order, so they agree in every bit. The
// conversions float64(a*b) see to that on machines where a compiler may fuse a
// product and a sum into one rounding.

// eachFour writes one(x, y_j) to dst for the first rows y_j of y, four at a time.
func eachFour(dst, x []float64, y *mat.Dense,
	four func(x, a, b, c, d []float64) (float64, float64, float64, float64), one func(x, y []float64) float64) {
	raw := y.RawMatrix()
	at := func(j int) []float64 { return raw.Data[j*raw.Stride : j*raw.Stride+raw.Cols] }
	j := 0
	for ; j+4 <= len(dst); j += 4 {
		dst[j], dst[j+1], dst[j+2], dst[j+3] = four(x, at(j), at(j+1), at(j+2), at(j+3))
	}
	for ; j < len(dst); j++ {
		dst[j] = one(x, at(j))
	}
}

// squared is ‖x − y‖².
func squared(x, y []float64) float64 {
	y = y[:len(x)]
	var sum float64
	for i, v := range x {
		d := v - y[i]
		sum += float64(d * d)
	}
	return sum
}

func squared4(x, a, b, c, d []float64) (sa, sb, sc, sd float64) {
	a, b, c, d = a[:len(x)], b[:len(x)], c[:len(x)], d[:len(x)]
	for i, v := range x {
		da, db, dc, dd := v-a[i], v-b[i], v-c[i], v-d[i]
		sa += float64(da * da)
		sb += float64(db * db)
		sc += float64(dc * dc)
		sd += float64(dd * dd)
	}
	return sa, sb, sc, sd
}

// absolute is ‖x − y‖₁.
func absolute(x, y []float64) float64 {
	y = y[:len(x)]
	var sum float64
	for i, v := range x {
		sum += math.Abs(v - y[i])
	}
	return sum
}

func absolute4(x, a, b, c, d []float64) (sa, sb, sc, sd float64) {
	a, b, c, d = a[:len(x)], b[:len(x)], c[:len(x)], d[:len(x)]
	for i, v := range x {
		sa += math.Abs(v - a[i])
		sb += math.Abs(v - b[i])
		sc += math.Abs(v - c[i])
		sd += math.Abs(v - d[i])
	}
	return sa, sb, sc, sd
}

// weighted is Σ_i θ_i(x_i − y_i)².
func weighted(theta, x, y []float64) float64 {
	y, theta = y[:len(x)], theta[:len(x)]
	var sum float64
	for i, v := range x {
		d := v - y[i]
		sum += float64(theta[i] * d * d)
	}
	return sum
}

func weighted4(theta, x, a, b, c, d []float64) (sa, sb, sc, sd float64) {
	a, b, c, d = a[:len(x)], b[:len(x)], c[:len(x)], d[:len(x)]
	theta = theta[:len(x)]
	for i, v := range x {
		w := theta[i]
		da, db, dc, dd := v-a[i], v-b[i], v-c[i], v-d[i]
		sa += float64(w * da * da)
		sb += float64(w * db * db)
		sc += float64(w * dc * dc)
		sd += float64(w * dd * dd)
	}
	return sa, sb, sc, sd
}

// dot is xᵀy.
func dot(x, y []float64) float64 {
	y = y[:len(x)]
	var sum float64
	for i, v := range x {
		sum += float64(v * y[i])
	}
	return sum
}

func dot4(x, a, b, c, d []float64) (sa, sb, sc, sd float64) {
	a, b, c, d = a[:len(x)], b[:len(x)], c[:len(x)], d[:len(x)]
	for i, v := range x {
		sa += float64(v * a[i])
		sb += float64(v * b[i])
		sc += float64(v * c[i])
		sd += float64(v * d[i])
	}
	return sa, sb, sc, sd
}
