package nbhelpers

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/internal/chart"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
)

// The page shows the probabilities at the pointer. For a Model it computes them (page.js): the chart
// contains the model, reduced to the visible plane. For other classifiers, and for large models, the
// chart contains the probabilities on a coarse grid.

const (
	mostVectors = 300   // limit for a model in the page
	mostNumbers = 3000  // of coordinates, for kernels that need more than two per vector
	mostCells   = 16000 // limit for the probabilities of a grid
)

// hoverOption describes the classifier to the page: the model, or the probabilities of a grid.
type hoverOption struct {
	Names   [2]string `json:"names"` // names of the axes
	Classes []string  `json:"classes"`
	Colors  []string  `json:"colors"` // colours of the classes
	Model   any       `json:"model,omitempty"`
	Cells   any       `json:"cells,omitempty"`
}

func (f *field) hover(c Classifier, classes []string) *hoverOption {
	h := &hoverOption{Names: f.w.names, Classes: classes, Colors: f.colors.All()}
	if m, ok := c.(*mpcvm.Model); ok {
		h.Model = f.w.planar(m)
	}
	if h.Model == nil {
		h.Cells = f.coarse()
	}
	return h
}

// plane is the set of samples mid + a·u + b·v, in the units of the kernel.
type plane struct{ mid, u, v []float64 }

// planeOf returns the view in the units of the kernel of m, with (a, b) counted from the centre.
func (w *view) planeOf(m *mpcvm.Model) (p plane, a, b float64) {
	a, b = (w.lo[0]+w.hi[0])/2, (w.lo[1]+w.hi[1])/2
	p = plane{mat.Row(nil, 0, w.grid([]float64{a}, []float64{b})), slices.Clone(w.u), slices.Clone(w.v)}
	if w.scale != nil && !w.principal {
		floats.Div(p.u, w.scale.Scale)
		floats.Div(p.v, w.scale.Scale)
	}
	if mean, scale := m.Scaling(); mean != nil {
		floats.Sub(p.mid, mean)
		floats.Div(p.mid, scale)
		floats.Div(p.u, scale)
		floats.Div(p.v, scale)
	}
	return p, a, b
}

// planar returns m as a function of the point (a, b) on the plane: its probability floor, and its
// potentials divided by its temperature,
//
//	y_c = b_c + Σ_n w_nc k(s_n(a, b))
//
// The sum s_n that the kernel depends on needs only a few coordinates x = map·(a, b). The last
// number of each vector is the part of the sum that is constant on the plane:
//
//	squares    s_n = x_n,last + Σ_k (x_k − x_nk)²
//	absolutes  s_n = x_n,last + Σ_k |x_k − x_nk|
//	products   s_n = x_n,last + Σ_k x_k·x_nk
//
// It returns nil for kernels that are not a function of such a sum, for models with both relevance
// vectors and coefficients, and for models that are too large.
func (w *view) planar(m *mpcvm.Model) any {
	vectors := m.RelevanceVectors()
	k, ok := m.Kernel().(kernel.OfSum)
	if a := m.Coefficients(); a != nil { // one vector for each class
		if len(vectors) > 0 {
			return nil
		}
		k = kernel.Linear{} // an offset is part of the bias
		for c := range m.Classes() {
			v := mpcvm.RelevanceVector{X: a.RawRowView(c), Weights: make([]float64, m.Classes())}
			v.Weights[c] = 1
			vectors = append(vectors, v)
		}
	}
	if !ok || len(vectors) > mostVectors {
		return nil
	}
	p, a, b := w.planeOf(m)
	var (
		rows   [][2]float64 // map
		places [][]float64  // x_n
		digits = 10
	)
	sum := k.Sum()
	weights := sum.Weights
	if weights == nil {
		weights = slices.Repeat([]float64{1}, len(p.mid))
	}
	switch sum.Kind {
	case kernel.Squares:
		rows, places = p.squares(vectors, weights)
	case kernel.Absolutes:
		rows, places = p.absolutes(vectors, weights)
	default:
		rows, places = p.products(vectors)
		digits = -1
	}
	o := chart.Node{"sum": sum.Kind.String(), "formula": sum.Formula, "at": []float64{a, b},
		"map": append([][2]float64{}, rows...)}
	if floor := m.Floor(); floor != nil {
		o["floor"] = chart.RoundedAll(floor, 10)
	}
	numbers, list := 0, []chart.Row{}
	largest := make([]float64, len(places)) // kernel value on the plane, if the kernel decreases with the sum
	for n, x := range places {
		numbers += len(x)
		list = append(list, chart.RoundedAll(x, digits))
		largest[n] = x[len(x)-1]
	}
	sum.Values(largest)
	if numbers > mostNumbers {
		return nil
	}
	T, biases := m.Temperature(), m.Bias()
	weighted := make([][]float64, len(biases)) // for each class: n, w_nc, n, w_nc, ...
	for c := range biases {
		weighted[c] = []float64{}
		for n, v := range vectors {
			x := v.Weights[c] / T
			if sum.Kind != kernel.Products && math.Abs(x*largest[n]) < 1e-8/mostVectors || x == 0 {
				continue // even their sum would not be visible
			}
			weighted[c] = append(weighted[c], float64(n), chart.Rounded(x, digits))
		}
		biases[c] /= T
	}
	o["vectors"], o["bias"], o["weights"] = list, biases, weighted
	return o
}

// squares chooses two coordinates whose squared distances on the plane equal the sum
// Σ_d weights_d(x_d − y_d)², by Gram–Schmidt.
func (p plane) squares(vectors []mpcvm.RelevanceVector, weights []float64) (rows [][2]float64,
	places [][]float64) {
	scaled := func(x []float64) []float64 {
		out := make([]float64, len(x))
		for d, v := range x {
			out[d] = math.Sqrt(weights[d]) * v
		}
		return out
	}
	su, sv := scaled(p.u), scaled(p.v)
	var axes [][]float64
	for _, s := range [][]float64{su, sv} {
		e := slices.Clone(s)
		for _, axis := range axes {
			floats.AddScaled(e, -floats.Dot(axis, e), axis)
		}
		if n := floats.Norm(e, 2); n > 1e-12*floats.Norm(s, 2) {
			floats.Scale(1/n, e)
			axes = append(axes, e)
			rows = append(rows, [2]float64{floats.Dot(e, su), floats.Dot(e, sv)})
		}
	}
	for _, v := range vectors {
		rest := slices.Clone(v.X)
		floats.Sub(rest, p.mid)
		rest = scaled(rest)
		var x []float64
		for _, axis := range axes {
			along := floats.Dot(axis, rest)
			floats.AddScaled(rest, -along, axis)
			x = append(x, along)
		}
		places = append(places, append(x, floats.Dot(rest, rest)))
	}
	return rows, places
}

// absolutes uses a coordinate for each feature that varies on the plane, for the sum Σ_d
// weights_d|x_d − y_d|.
func (p plane) absolutes(vectors []mpcvm.RelevanceVector, weights []float64) (rows [][2]float64,
	places [][]float64) {
	varies := func(d int) bool { return weights[d] != 0 && (p.u[d] != 0 || p.v[d] != 0) }
	for d, w := range weights {
		if varies(d) {
			rows = append(rows, [2]float64{w * p.u[d], w * p.v[d]})
		}
	}
	for _, v := range vectors {
		var x []float64
		rest := 0.0
		for d, w := range weights {
			if diff := w * (v.X[d] - p.mid[d]); varies(d) {
				x = append(x, diff)
			} else {
				rest += math.Abs(diff)
			}
		}
		places = append(places, append(x, rest))
	}
	return rows, places
}

// products uses the coordinates a and b, for the sum xᵀy.
func (p plane) products(vectors []mpcvm.RelevanceVector) (rows [][2]float64, places [][]float64) {
	for _, v := range vectors {
		places = append(places, []float64{floats.Dot(p.u, v.X), floats.Dot(p.v, v.X), floats.Dot(p.mid, v.X)})
	}
	return [][2]float64{{1, 0}, {0, 1}}, places
}

// coarse returns a grid of at most mostCells probabilities in hundredths, listed by class and row
// from the bottom, each as the difference from the previous one, and packed.
func (f *field) coarse() chart.Node {
	every, nx, ny := 0, 0, 0
	for every == 0 || nx*ny*f.classes > mostCells && nx*ny > 4 {
		every++
		nx, ny = (len(f.xs)-1)/every+1, (len(f.ys)-1)/every+1
	}
	var steps []byte
	last := byte(0)
	for c := range f.classes {
		for i := range ny {
			for j := range nx {
				v := byte(math.Round(100 * min(max(f.p.At(i*every*len(f.xs)+j*every, c), 0), 1)))
				steps = append(steps, v-last)
				last = v
			}
		}
	}
	return chart.Node{
		"nx": nx, "ny": ny, "packed": chart.Packed(string(steps)),
		"x": []any{f.xs[0], f.xs[(nx-1)*every]}, "y": []any{f.ys[0], f.ys[(ny-1)*every]},
	}
}
