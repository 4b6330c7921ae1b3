package nbhelpers

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
)

// The page shows the probabilities at the pointer. It computes those of a Model itself
// (page.js): the chart contains the model, reduced to the visible plane. For other
// classifiers, and for models that would be large, it contains the probabilities of a
// coarse grid.

const (
	mostVectors = 300   // of a model that travels
	mostNumbers = 3000  // of their places, where the kernel needs more than two each
	mostCells   = 16000 // probabilities of a grid
)

// hoverOption is what the page needs to know of the classifier: the model, or cells.
type hoverOption struct {
	Names   [2]string `json:"names"` // of the axes
	Classes []string  `json:"classes"`
	Colors  []string  `json:"colors"` // of the classes
	Model   any       `json:"model,omitempty"`
	Cells   any       `json:"cells,omitempty"`
}

func (f *field) hover(c Classifier, classes []string) *hoverOption {
	h := &hoverOption{Names: f.w.names, Classes: classes}
	for k := range classes {
		h.Colors = append(h.Colors, f.colors.hex(k))
	}
	if m, ok := c.(*mpcvm.Model); ok {
		h.Model = f.w.planar(m)
	}
	if h.Model == nil {
		h.Cells = f.coarse()
	}
	return h
}

// plane is the samples mid + a·u + b·v that a kernel sees.
type plane struct{ mid, u, v []float64 }

// planeOf is the view in the units of the kernel of m, (a, b) counted from the middle.
func (w *view) planeOf(m *mpcvm.Model) (p plane, a, b float64) {
	a, b = (w.lo[0]+w.hi[0])/2, (w.lo[1]+w.hi[1])/2
	p = plane{mat.Row(nil, 0, w.samples([]float64{a}, []float64{b})), append([]float64{}, w.u...), append([]float64{}, w.v...)}
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

// planar writes the potentials of m, divided by its temperature, as a function of the
// place (a, b) on the plane:
//
//	y_c = b_c + Σ_n w_nc k_n(a, b)
//
// The kernels see samples of the plane through a few coordinates, and the distance
// that a relevance vector keeps from the plane is a factor of its weights:
//
//	gauss    k_n = exp(−Σ_k (x_k − x_nk)²)     x = map·(a, b)
//	laplace  k_n = exp(−Σ_k |x_k − x_nk|)
//	power    k_n = (x_n0 + x_n1 a + x_n2 b)^degree
//
// It is nil for other kernels and for models that are too large.
func (w *view) planar(m *mpcvm.Model) any {
	vectors := m.RelevanceVectors()
	if len(vectors) > mostVectors {
		return nil
	}
	p, a, b := w.planeOf(m)
	var (
		o       node
		rows    [][2]float64 // map
		places  [][]float64  // x_n
		factors []float64
		digits  = 10 // values of the first two kernels are between 0 and 1
	)
	switch k := m.Kernel().(type) {
	case kernel.RBF:
		rows, places, factors = p.gauss(vectors, repeated(k.Theta, len(p.mid)))
	case kernel.ARD:
		rows, places, factors = p.gauss(vectors, k.Theta)
	case kernel.Laplacian:
		rows, places, factors = p.laplace(vectors, repeated(k.Theta, len(p.mid)))
	case kernel.LaplacianARD:
		rows, places, factors = p.laplace(vectors, k.Theta)
	case kernel.Linear:
		o, digits = node{"kind": "power", "degree": 1}, -1
		places, factors = p.power(vectors, 1, k.Offset)
	case kernel.Polynomial:
		k = k.Resolved()
		o, digits = node{"kind": "power", "degree": k.Degree}, -1
		places, factors = p.power(vectors, k.Scale, k.Offset)
	default:
		return nil
	}
	if o == nil {
		o = node{"kind": "gauss", "map": []any{}}
		switch m.Kernel().(type) {
		case kernel.Laplacian, kernel.LaplacianARD:
			o["kind"] = "laplace"
		}
		for _, r := range rows {
			o["map"] = append(o["map"].([]any), r)
		}
	}
	o["at"] = []any{a, b}
	numbers, list := 0, []any{}
	for _, x := range places {
		numbers += len(x)
		list = append(list, roundedAll(x, digits))
	}
	if numbers > mostNumbers {
		return nil
	}
	o["vectors"] = list
	T := m.Temperature()
	o["bias"], o["weights"] = []any{}, []any{}
	for c, bias := range m.Bias() {
		list := []any{} // n, w_nc, n, w_nc, ...
		for n, v := range vectors {
			x := v.Weights[c] * factors[n] / T
			if digits > 0 && math.Abs(x) < 1e-8/mostVectors || x == 0 {
				continue // not even all of them would be seen
			}
			list = append(list, n, rounded(x, digits))
		}
		o["bias"], o["weights"] = append(o["bias"].([]any), bias/T), append(o["weights"].([]any), list)
	}
	return o
}

// gauss chooses two coordinates in which distances on the plane are those of the
// kernel exp(−Σ_d theta_d(x_d − y_d)²), by Gram and Schmidt.
func (p plane) gauss(vectors []mpcvm.RelevanceVector, theta []float64) (rows [][2]float64, places [][]float64, factors []float64) {
	scaled := func(x []float64) []float64 {
		out := make([]float64, len(x))
		for d, v := range x {
			out[d] = math.Sqrt(theta[d]) * v
		}
		return out
	}
	su, sv := scaled(p.u), scaled(p.v)
	var axes [][]float64
	for _, s := range [][]float64{su, sv} {
		e := append([]float64{}, s...)
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
		rest := append([]float64{}, v.X...)
		floats.Sub(rest, p.mid)
		rest = scaled(rest)
		var x []float64
		for _, axis := range axes {
			along := floats.Dot(axis, rest)
			floats.AddScaled(rest, -along, axis)
			x = append(x, along)
		}
		places, factors = append(places, x), append(factors, math.Exp(-floats.Dot(rest, rest)))
	}
	return rows, places, factors
}

// laplace has a coordinate for each feature that varies on the plane, for the kernel
// exp(−Σ_d theta_d|x_d − y_d|).
func (p plane) laplace(vectors []mpcvm.RelevanceVector, theta []float64) (rows [][2]float64, places [][]float64, factors []float64) {
	varies := func(d int) bool { return theta[d] != 0 && (p.u[d] != 0 || p.v[d] != 0) }
	for d, t := range theta {
		if varies(d) {
			rows = append(rows, [2]float64{t * p.u[d], t * p.v[d]})
		}
	}
	for _, v := range vectors {
		var x []float64
		rest := 0.0
		for d, t := range theta {
			if diff := t * (v.X[d] - p.mid[d]); varies(d) {
				x = append(x, diff)
			} else {
				rest += math.Abs(diff)
			}
		}
		places, factors = append(places, x), append(factors, math.Exp(-rest))
	}
	return rows, places, factors
}

// power has the kernel (scale·xᵀy + offset)^degree.
func (p plane) power(vectors []mpcvm.RelevanceVector, scale, offset float64) (places [][]float64, factors []float64) {
	for _, v := range vectors {
		places = append(places, []float64{scale*floats.Dot(p.mid, v.X) + offset, scale * floats.Dot(p.u, v.X), scale * floats.Dot(p.v, v.X)})
		factors = append(factors, 1)
	}
	return places, factors
}

// coarse is a grid of at most mostCells probabilities in hundredths. They are listed by
// class and row, from below, each as the difference from the one before, and packed.
func (f *field) coarse() node {
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
	return node{
		"nx": nx, "ny": ny, "packed": packed(string(steps)),
		"x": []any{f.xs[0], f.xs[(nx-1)*every]}, "y": []any{f.ys[0], f.ys[(ny-1)*every]},
	}
}

func repeated(v float64, n int) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = v
	}
	return out
}
