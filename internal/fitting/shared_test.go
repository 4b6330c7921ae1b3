package fitting

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/internal/cell"
	"github.com/mpcvm/mpcvm/internal/testkit/must"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
)

// TestKernel checks that a given width is kept, that a zero width is chosen, and that an error names
// the package.
func TestKernel(t *testing.T) {
	set := data.Blobs(30, 3, 2, 1, 1)
	d := must.Get(New(Samples{X: set.X, T: set.T}))(t)
	median := kernel.RBF{}.MedianTheta(set.X)
	for _, tt := range []struct{ given, want kernel.Kernel }{
		{nil, kernel.RBF{Theta: median}},
		{kernel.RBF{}, kernel.RBF{Theta: median}},
		{kernel.RBF{Theta: 3}, kernel.RBF{Theta: 3}},
		{kernel.Linear{}, kernel.Linear{}},
	} {
		if k, err := d.MedianKernel("pkg", tt.given); err != nil || k != tt.want {
			t.Errorf("%v: %v, %v; want %v", tt.given, k, err, tt.want)
		}
	}
	if _, err := d.MedianKernel("pkg", kernel.RBF{Theta: -1}); err == nil || !strings.HasPrefix(err.Error(),
		"pkg: kernel: ") {
		t.Errorf("error %v", err)
	}
	for _, scale := range []float64{1e-200, 1e200} {
		x := mat.NewDense(30, 2, nil)
		x.Scale(scale, set.X)
		d := must.Get(New(Samples{X: x, T: set.T}))(t)
		var bad *cell.Error
		if _, err := d.MedianKernel("pkg", nil); !errors.As(err, &bad) || bad.Row == 0 {
			t.Errorf("scale %g: %v", scale, err)
		}
	}
}

// TestEachRow checks that each row is given once, and that x must have the features of the model.
func TestEachRow(t *testing.T) {
	x := data.Blobs(500, 3, 2, 1, 1).X
	seen := make([]int, 500)
	EachRow("pkg", x, 2, func() func(int, []float64) {
		return func(i int, row []float64) {
			if slices.Equal(row, x.RawRowView(i)) {
				seen[i]++
			}
			Fill(row, 7) // a copy
		}
	})
	if slices.Min(seen) != 1 || slices.Max(seen) != 1 {
		t.Errorf("rows are seen %v times", seen)
	}
	defer func() {
		must.Equal(t, recover(), "pkg: x has 2 features, but the model has 3")
	}()
	EachRow("pkg", x, 3, nil)
}

func TestArgmax(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, tt := range []struct {
		y      []float64
		want   int
		finite bool
	}{
		{[]float64{1, 2, 2}, 1, true}, {[]float64{0, -1}, 0, true}, {[]float64{-inf, 3, inf}, 2, false},
		{[]float64{nan, 1}, -1, false}, {[]float64{5, nan}, -1, false},
	} {
		if got := Argmax(tt.y); got != tt.want || AllFinite(tt.y) != tt.finite || HasNaN(tt.y) != (tt.want < 0) {
			t.Errorf("%v: %d, finite %v, NaN %v", tt.y, got, AllFinite(tt.y), HasNaN(tt.y))
		}
	}
}
