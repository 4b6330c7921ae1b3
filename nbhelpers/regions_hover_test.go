package nbhelpers

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"math"
	"strconv"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/internal/chart"
	"github.com/mpcvm/mpcvm/internal/testkit/drawn"
	"github.com/mpcvm/mpcvm/internal/testkit/must"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/gp"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
	"github.com/mpcvm/mpcvm/mpcvm/probit"
)

// onPlane is the output of planar, as page.js reads it.
type onPlane struct {
	Sum, Formula string
	Map          [][2]float64
	At           [2]float64
	Vectors      [][]float64
	Bias, Floor  []float64
	Weights      [][]float64
}

// potentials evaluates the model on the plane, as page.js does.
func (m onPlane) potentials(x, y float64) []float64 {
	formula, err := parser.ParseExpr(m.Formula)
	if err != nil {
		panic(err)
	}
	a, b := x-m.At[0], y-m.At[1]
	var k []float64
	for _, v := range m.Vectors {
		sum := v[len(m.Map)]
		for i, row := range m.Map {
			p := row[0]*a + row[1]*b
			switch d := p - v[i]; m.Sum {
			case "squares":
				sum += d * d
			case "absolutes":
				sum += math.Abs(d)
			case "products":
				sum += p * v[i]
			}
		}
		k = append(k, evaluate(formula, sum))
	}
	var potentials []float64
	for c, sum := range m.Bias {
		for i := 0; i < len(m.Weights[c]); i += 2 {
			sum += k[int(m.Weights[c][i])] * m.Weights[c][i+1]
		}
		potentials = append(potentials, sum)
	}
	return potentials
}

// evaluate evaluates the formula of a kernel for the sum s.
func evaluate(e ast.Expr, s float64) float64 {
	switch e := e.(type) {
	case *ast.BasicLit:
		v, err := strconv.ParseFloat(e.Value, 64)
		if err != nil {
			panic(err)
		}
		return v
	case *ast.ParenExpr:
		return evaluate(e.X, s)
	case *ast.UnaryExpr:
		return -evaluate(e.X, s)
	case *ast.BinaryExpr:
		a, b := evaluate(e.X, s), evaluate(e.Y, s)
		return map[token.Token]float64{token.ADD: a + b, token.SUB: a - b, token.MUL: a * b,
			token.QUO: a / b}[e.Op]
	case *ast.CallExpr:
		a := evaluate(e.Args[0], s)
		switch e.Fun.(*ast.Ident).Name {
		case "exp":
			return math.Exp(a)
		case "sqrt":
			return math.Sqrt(a)
		case "pow":
			return math.Pow(a, evaluate(e.Args[1], s))
		}
	case *ast.Ident:
		if e.Name == "s" {
			return s
		}
	}
	panic(fmt.Sprintf("%T in a formula", e))
}

// read decodes what a chart writes for the page.
func read[T any](t *testing.T, v any) (out T) {
	t.Helper()
	must.OK(t, json.Unmarshal([]byte(chart.Quote(v)), &out))
	return out
}

// TestPlanar compares the model on the plane with the model, for each kernel and all combinations of
// units of the set and the model.
func TestPlanar(t *testing.T) {
	set := must.Load(t, "iris")
	scale := data.FitStandardizer(set.X)
	z := scale.Apply(nil, set.X)
	for _, k := range []kernel.Kernel{
		kernel.RBF{Theta: .3}, kernel.ARD{Theta: []float64{.4, 0, .2, .1}},
		kernel.ARD{Theta: []float64{0, 0, 0, .5}}, kernel.Laplacian{Theta: .3},
		kernel.LaplacianARD{Theta: []float64{.4, .2, 0, .3}}, kernel.RationalLaplacianARD{Theta: []float64{.4,
			.2, 0, .3}}, kernel.Linear{Offset: 1}, kernel.Polynomial{Degree: 3, Scale: .25, Offset: 1},
		kernel.Matern32{Theta: .3}, kernel.Matern52{Theta: .3},
		kernel.RationalQuadratic{Theta: .3, Alpha: 1.5},
		kernel.RationalLaplacian{Theta: .3},
	} {
		fitted, _, err := mpcvm.BottomUp{Kernel: k, MaxIterations: 20, Bias: true}.Fit(t.Context(),
			mpcvm.Samples{X: z, T: set.T})
		must.OK(t, err)
		fitted = fitted.WithTemperature(.7)
		for name, c := range map[string]struct {
			m   *mpcvm.Model
			opt RegionsOptions
		}{
			"scaled by the chart": {fitted, RegionsOptions{Scale: &scale, Features: [2]int{3, 0}}},
			"scaled by the model": {fitted.WithScaling(scale.Mean, scale.Scale),
				RegionsOptions{Features: [2]int{1, 2}}},
			"principal axes": {fitted, RegionsOptions{Scale: &scale, Principal: true}},
			"axes of a raw set": {fitted.WithScaling(scale.Mean, scale.Scale),
				RegionsOptions{Principal: true}},
			"other features": {fitted, RegionsOptions{Scale: &scale, Features: [2]int{1, 2}}},
			"with a floor":   {fitted.WithFloor([]float64{.01, .2, .1}), RegionsOptions{Scale: &scale}},
		} {
			t.Run(fmt.Sprint(k, " ", name), func(t *testing.T) {
				w := newView(nil, set, c.opt)
				travels := w.planar(c.m)
				if travels == nil {
					t.Fatal("the chart does not contain the model")
				}
				m := read[onPlane](t, travels)
				xs, ys := evenly(w.lo[0]-1, w.hi[0]+1, 12), evenly(w.lo[1]-1, w.hi[1]+1, 12)
				want := c.m.Proba(nil, w.grid(xs, ys))
				for i, y := range ys {
					for j, x := range xs {
						for k, p := range probit.Proba(nil, m.potentials(x, y)) {
							if m.Floor != nil {
								p = m.Floor[k] + (1-floats.Sum(m.Floor))*p
							}
							if q := want.At(i*len(xs)+j, k); math.Abs(p-q) > 1e-7 {
								t.Fatalf("class %d at (%v, %v): %v, want %v", k, x, y, p, q)
							}
						}
					}
				}
			})
		}
	}
}

// TestHoverOfOthers checks that the chart contains a grid of probabilities if the classifier is not
// a Model, has an unknown kernel or has too many relevance vectors.
func TestHoverOfOthers(t *testing.T) {
	m, set := fixture(150, 3, 2)
	rbf := kernel.RBF{Theta: .5}
	own, _, err := mpcvm.BottomUp{Kernel: kernel.Func{F: rbf.Value}, MaxIterations: 5}.Fit(t.Context(),
		mpcvm.Samples{X: set.X, T: set.T})
	must.OK(t, err)
	_, large := fixture(mostVectors+60, 3, 2)
	dense, _, err := gp.KernelPrior{Kernel: rbf}.Fit(t.Context(), mpcvm.Samples{X: large.X, T: large.T})
	must.OK(t, err)
	if n := dense.VectorCount(); n <= mostVectors {
		t.Fatalf("%d vectors are too few for the test", n)
	}
	for name, c := range map[string]Classifier{"no model": m, "own kernel": own, "large": dense} {
		t.Run(name, func(t *testing.T) {
			f := newField(c, newView(c, set, RegionsOptions{}), chart.PaletteOf(set.Classes))
			hover := read[struct {
				Model *onPlane
				Cells *struct {
					NX, NY int
					Packed string
					X, Y   [2]float64
				}
			}](t, f.hover(c, set.Classes))
			g := hover.Cells
			if g == nil || hover.Model != nil {
				t.Fatal("want a grid and no model")
			}
			if n := len(g.Packed); n > 16000 {
				t.Errorf("the grid has %d bytes", n)
			}
			p := []byte(drawn.Unfold(g.Packed))
			nx, ny := g.NX, g.NY
			if len(p) != nx*ny*3 || len(p) > mostCells {
				t.Fatalf("%d probabilities on a grid of %d×%d", len(p), nx, ny)
			}
			for i := 1; i < len(p); i++ {
				p[i] += p[i-1]
			}
			for _, at := range [][2]int{{0, 0}, {nx - 1, ny - 1}, {nx / 2, 3}} {
				place := []float64{
					g.X[0] + (g.X[1]-g.X[0])*float64(at[0])/float64(nx-1),
					g.Y[0] + (g.Y[1]-g.Y[0])*float64(at[1])/float64(ny-1),
				}
				for k, want := range c.Proba(nil, mat.NewDense(1, 2, place)).RawRowView(0) {
					if got := float64(p[(k*ny+at[1])*nx+at[0]]) / 100; math.Abs(got-want) > .5/100+1e-9 {
						t.Errorf("class %d at %v: %v, want %v", k, place, got, want)
					}
				}
			}
		})
	}
}
