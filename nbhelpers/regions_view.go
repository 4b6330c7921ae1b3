package nbhelpers

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/internal/chart"
	"github.com/mpcvm/mpcvm/mpcvm"
)

// view is the plane through the feature space that Regions shows, and its frame on the page. A point
// of the plane is origin + a·u + b·v in the units of the set, or with principal axes in the units of
// the classifier.
type view struct {
	c            Classifier
	set          *data.Set          // in the units of the chart
	scale        *data.Standardizer // from these to the units of c; nil if they are the same
	principal    bool
	origin, u, v []float64
	features     [2]int
	names        [2]string // names of the axes
	rest         string    // text about the features that are not shown

	lo, hi, step [2]float64
	across, down float64 // approximate size of the plot in CSS pixels
	height       int
	// height/width of the plot that gives equal scales in the units of the classifier; 0 if the
	// scales differ
	equal            float64
	cells, cellsDown int
	legendBeside     float64 // as in chart.Figure
	unseen           int     // samples that are not drawn
}

const viewMargin = .08 // share of the range of the samples, on each side

// shown returns the features that Regions shows.
func (opt RegionsOptions) shown(set *data.Set) [2]int {
	if opt.Columns == [2]string{} {
		return cmp.Or(opt.Features, [2]int{0, 1})
	}
	var shown [2]int
	for i, name := range opt.Columns {
		if shown[i] = slices.Index(set.Features, name); shown[i] < 0 {
			panic(fmt.Sprintf("nbhelpers: Regions: %q is not one of the features %q", name, set.Features))
		}
	}
	return shown
}

// toModel converts samples from the units of the chart to the units of the classifier.
func (w *view) toModel(x mat.Matrix) mat.Matrix {
	if w.scale == nil {
		return x
	}
	return w.scale.Apply(nil, x)
}

// hidden reports whether a sample has a missing value on an axis, and counts such samples.
func (w *view) hidden(opt RegionsOptions, n int) bool {
	if opt.Missing == nil || w.principal || !opt.Missing(n, w.features[0]) && !opt.Missing(n, w.features[1]) {
		return false
	}
	w.unseen++
	return true
}

func newView(c Classifier, set *data.Set, opt RegionsOptions) *view {
	d := set.D()
	if d < 2 || set.N() == 0 {
		panic(fmt.Sprintf("nbhelpers: Regions needs samples with two features or more; the set has %d samples "+
			"with %d", set.N(), d))
	}
	if opt.Typical != nil && len(opt.Typical) != d {
		panic(fmt.Sprintf("nbhelpers: Typical has %d values; the set has %d features", len(opt.Typical), d))
	}
	w := &view{c: c, set: set, scale: opt.Scale, principal: opt.Principal, features: opt.shown(set),
		cells: cmp.Or(max(opt.Cells, 0), 160)}
	for _, f := range w.features {
		if f < 0 || f >= d {
			panic(fmt.Sprintf("nbhelpers: feature %d does not exist; the set has %d", f, d))
		}
	}
	shown := mat.Matrix(set.X)
	if w.principal {
		shown = w.toModel(set.X)
	}
	for j := range d {
		if opt.Typical != nil && !w.principal {
			w.origin = append(w.origin, opt.Typical[j])
			continue
		}
		w.origin = append(w.origin, stat.Mean(mat.Col(nil, j, shown), nil))
	}
	w.u, w.v = make([]float64, d), make([]float64, d)
	if w.principal {
		w.principalAxes(shown)
	} else {
		w.u[w.features[0]], w.v[w.features[1]] = 1, 1
		w.origin[w.features[0]], w.origin[w.features[1]] = 0, 0
		for i, f := range w.features {
			w.names[i] = chart.Plain(set.Features[f])
			if f < len(opt.Units) && opt.Units[f] != "" {
				w.names[i] = chart.JoinedBy(w.names[i], " ", "("+chart.Plain(opt.Units[f])+")")
			}
		}
		switch {
		case d > 2 && opt.Typical != nil:
			w.rest = "other columns as in a typical row"
		case d > 2:
			w.rest = "other features at their mean"
		}
	}
	w.ranges(w.project(set.X))
	w.makeEqual()
	w.frame(opt)
	return w
}

// principalAxes sets u and v to the first two principal axes of the samples, with the largest
// loading positive.
func (w *view) principalAxes(x mat.Matrix) {
	var pc stat.PC
	if !pc.PrincipalComponents(x, nil) {
		panic("nbhelpers: no principal axes: the singular values did not converge")
	}
	var axes mat.Dense
	pc.VectorsTo(&axes)
	variances := pc.VarsTo(nil)
	for i, axis := range [][]float64{w.u, w.v} {
		share := 0.0
		if i < len(variances) {
			mat.Col(axis, i, &axes)
			if total := floats.Sum(variances); total > 0 {
				share = variances[i] / total
			}
		}
		if floats.Max(axis) < -floats.Min(axis) {
			floats.Scale(-1, axis)
		}
		w.names[i] = fmt.Sprintf("principal axis %d (%.0f %% of variance)", i+1, 100*share)
	}
	if len(w.u) > 2 {
		w.rest = "other axes at 0"
	}
}

// project projects samples, in the units of the set, onto the plane.
func (w *view) project(x mat.Matrix) []chart.Point {
	if w.principal {
		x = w.toModel(x)
	}
	return w.onPlane(x)
}

func (w *view) onPlane(x mat.Matrix) []chart.Point {
	n, _ := x.Dims()
	pts := make([]chart.Point, n)
	for i := range pts {
		if !w.principal {
			pts[i] = chart.Point{x.At(i, w.features[0]), x.At(i, w.features[1])}
			continue
		}
		for j := range w.origin {
			e := x.At(i, j) - w.origin[j]
			pts[i][0] += e * w.u[j]
			pts[i][1] += e * w.v[j]
		}
	}
	return pts
}

// rings projects relevance vectors, which are in the units of the classifier.
func (w *view) rings(vectors []mpcvm.RelevanceVector) []chart.Row {
	if len(vectors) == 0 {
		return nil
	}
	x := places(vectors, w.set.D())
	if w.scale != nil && !w.principal {
		x = w.scale.Inverse(nil, x)
	}
	var rings []chart.Row
	for _, q := range w.onPlane(x) {
		rings = append(rings, w.place(q))
	}
	return rings
}

// place rounds a point of the plane to a sixth of a pixel.
func (w *view) place(q chart.Point) chart.Row {
	out := make(chart.Row, 2)
	for i, v := range []float64{q[0], q[1]} {
		out[i] = pixelRounded(v, w.hi[i]-w.lo[i])
	}
	return out
}

// pixelRounded rounds a position on an axis of the given length to a sixth of a pixel.
func pixelRounded(v, length float64) float64 {
	one := math.Pow(10, max(0, math.Ceil(math.Log10(4000/length))))
	return chart.Rounded(math.Round(v*one)/one, 15)
}

// grid returns the points of the plane at the given coordinates, row by row, in the units of the
// classifier.
func (w *view) grid(xs, ys []float64) mat.Matrix {
	pts := make([]chart.Point, 0, len(xs)*len(ys))
	for _, b := range ys {
		for _, a := range xs {
			pts = append(pts, chart.Point{a, b})
		}
	}
	return w.samplesAt(pts)
}

// samplesAt returns points of the plane in the units of the classifier.
func (w *view) samplesAt(pts []chart.Point) mat.Matrix {
	x := mat.NewDense(len(pts), w.set.D(), nil)
	for i, q := range pts {
		row := x.RawRowView(i)
		for k := range row {
			row[k] = w.origin[k] + q[0]*w.u[k] + q[1]*w.v[k]
		}
	}
	if w.principal {
		return x
	}
	return w.toModel(x)
}

// ranges sets lo, hi and step to cover the samples with a margin.
func (w *view) ranges(pts []chart.Point) {
	x, y := chart.NewSpan(), chart.NewSpan()
	for _, q := range pts {
		x.Add(q[0])
		y.Add(q[1])
	}
	for i, s := range []*chart.Span{x, y} {
		if s.Lo > s.Hi {
			panic("nbhelpers: a feature that Regions shows has no finite value")
		}
		room := viewMargin * (s.Hi - s.Lo)
		room = cmp.Or(room, 1)
		w.lo[i], w.hi[i] = s.Lo-room, s.Hi+room
	}
}

// makeEqual chooses the proportions that give both axes the same scale in the units of the
// classifier, so that an isotropic kernel looks round. It widens the range of principal axes if the
// plot would be very flat or very tall, and the range of x if it would be tall. Other axes whose
// ranges differ by more than the factor comparable keep their own scales.
func (w *view) makeEqual() {
	const comparable, lowest, highest = 2.5, .3, 1.25
	unit := [2]float64{1, 1} // of the classifier, in units shown
	if !w.principal {
		for i, f := range w.features {
			if w.scale != nil {
				unit[i] = w.scale.Scale[f]
			}
			if m, ok := w.c.(interface {
				Scaling() (mean, scale []float64)
			}); ok {
				if _, scale := m.Scaling(); scale != nil {
					unit[i] *= scale[f]
				}
			}
		}
	}
	ratio := (w.hi[1] - w.lo[1]) / unit[1] * unit[0] / (w.hi[0] - w.lo[0])
	if !w.principal && !(ratio <= comparable && 1/ratio <= comparable) {
		return
	}
	w.equal = min(max(ratio, lowest), highest)
	widen := func(i int, factor float64) {
		more := (factor - 1) * (w.hi[i] - w.lo[i]) / 2
		w.lo[i], w.hi[i] = w.lo[i]-more, w.hi[i]+more
	}
	if ratio > highest {
		widen(0, ratio/highest)
	} else if ratio < lowest {
		widen(1, lowest/ratio)
	}
}

// axes sets the axes of a figure and the position of its legend.
func (w *view) axes(f *chart.Figure) {
	x, y := chart.ValueAxis(w.names[0], w.lo[0], w.hi[0], w.step[0]),
		chart.ValueAxis(w.names[1], w.lo[1], w.hi[1], w.step[1])
	x.NoSplit, y.NoSplit = true, true
	f.Panels, f.Equal, f.LegendBeside = []chart.Panel{{X: x, Y: y}}, w.equal, w.legendBeside
}

// frame chooses the margins and the height.
func (w *view) frame(opt RegionsOptions) {
	names := append(chart.PlainAll(w.set.Classes), "relevance vector", "misclassified")
	row, widest := chart.LegendWidth(names, chart.SymbolSide+2)
	if row > chart.DefaultWidth-16 {
		w.legendBeside = math.Ceil(math.Min(widest, 180) - chart.SymbolSide - 7)
	}
	for i := range w.lo {
		w.step[i] = chart.NiceStep(w.hi[i]-w.lo[i], 7-i)
	}
	w.height = opt.Height
	if w.equal > 0 {
		w.height = 560 // at most
	}
	if w.height <= 0 {
		w.height = 480
	}
	if w.legendBeside > 0 && (w.equal > 0 || opt.Height <= 0) {
		const entry = chart.SymbolSide + 10
		w.height = max(w.height, chart.LegendTop+28+entry*len(names))
	}
	w.across, w.down = chart.DefaultWidth-100-w.legendBeside,
		float64(w.height)-chart.LegendTop-chart.LegendHigh-50
	down := w.equal
	if down == 0 {
		down = w.down / w.across
	}
	w.cellsDown = max(int(math.Round(float64(w.cells)*down)), 2)
}
