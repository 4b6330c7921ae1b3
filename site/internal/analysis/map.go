package analysis

import (
	"context"
	"time"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/mpcvm/mpcvm/internal/fitting"
	"github.com/mpcvm/mpcvm/internal/share"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/tables/recipe"
)

// Map shows how a model divides the plane of the first two principal axes. The other axes are at 0.
type Map struct {
	Classes []string `json:"classes"`
	Cells   []int    `json:"cells"` // their classes, row by row, from the bottom left
	// Points contains the coordinates of samples, from 0 to 1, and their class.
	Points [][3]float64 `json:"points"`
}

const mapped, mapSide, mapShare = 150, 48, 0.04 // samples, cells in a row, and share of the time of a search

// mapper draws maps of settings, trained on few samples so that the search hardly takes longer.
type mapper struct {
	of    Map // without Cells
	d     *fitting.Data
	cells mat.Dense // as samples
	drawn string    // the setting of the last map
	took  time.Duration
}

// newMapper draws samples. It returns nil if they have no plane.
func newMapper(s *recipe.Samples, seed uint64) *mapper {
	d, err := fitting.New(fitting.Samples{X: s.X, T: s.T, Weights: s.Weights})
	if err != nil || d.D < 2 {
		return nil
	}
	m := &mapper{of: Map{Classes: s.Classes}, d: d.Sample(mapped, seed)}
	var pc stat.PC
	var axes, at mat.Dense
	if !pc.PrincipalComponents(m.d.X, nil) {
		return nil
	}
	pc.VectorsTo(&axes)
	two, grid := axes.Slice(0, d.D, 0, 2), mat.NewDense(mapSide*mapSide, 2, nil)
	at.Mul(m.d.X, two)
	m.of.Points = make([][3]float64, m.d.N)
	for axis, steps := range []int{1, mapSide} {
		column := mat.DenseCopyOf(at.ColView(axis))
		size := 1.1*(mat.Max(column)-mat.Min(column)) + 1e-9
		low := mat.Min(column) - size/22
		for n := range m.of.Points {
			m.of.Points[n][axis], m.of.Points[n][2] = (at.At(n, axis)-low)/size, float64(m.d.T[n])
		}
		for i := range mapSide * mapSide {
			grid.Set(i, axis, low+size*(float64(i/steps%mapSide)+0.5)/mapSide)
		}
	}
	m.cells.Mul(grid, two.T())
	return m
}

// draw returns a map of the best setting at some time of a search. It returns nil if it is the last setting,
// or if maps have taken their share of the time.
func (m *mapper) draw(ctx context.Context, best mpcvm.Trial, elapsed time.Duration) *Map {
	if m == nil || best.Refit == nil || m.took > time.Duration(mapShare*float64(elapsed)) ||
		best.Learner+best.Kernel.String() == m.drawn {
		return nil
	}
	m.drawn = best.Learner + best.Kernel.String()
	began := time.Now()
	defer func() { m.took += time.Since(began) }()
	model, _, err := best.Refit.Fit(share.Alone(ctx), mpcvm.Samples(m.d.Samples()))
	if err != nil {
		return nil
	}
	next := m.of
	next.Cells = model.Predict(nil, &m.cells)
	return &next
}
