package nbhelpers

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/internal/chart"
)

// ProfileOptions are the options of Profile. The zero value shows the range of the samples.
type ProfileOptions struct {
	// Title is the title of the chart. The default is the name of the set.
	Title string
	// Range holds the ends of the x axis, in the units of the set. If both are 0, the axis covers
	// the samples with a margin of 8 % on each side.
	Range [2]float64
	// PotentialRange holds the ends of the axis of the potentials. Curves are clipped to it. If both
	// are 0, the axis covers the potentials. Set it for the charts of Frames, so that their axes agree.
	PotentialRange [2]float64
	// Points is the number of points at which the classifier is evaluated. The default is 200.
	Points int
	// Height is the height in CSS pixels. The default is 480, or 320 without potentials.
	Height int
}

// Profile draws a classifier as a function of one feature, with the samples of a set. The upper panel
// shows the potential of each class, with a ring for each relevance vector on the curve of its own
// class. The lower panel shows the probabilities of all classes, stacked from 0 to 1 with the first
// class at the bottom. Between them, each class has a row with its samples, in which relevance vectors
// are also marked by rings.
//
// The upper panel is drawn if the classifier has the method Potentials(dst *mat.Dense, x mat.Matrix)
// *mat.Dense, as *mpcvm.Model has.
//
// Profile panics if the set does not have one feature, if it has no samples, if the classifier and the
// set have different numbers of classes, if a range is empty, or if the set is not in the units of the
// model, as for [Regions].
func Profile(c Classifier, set *data.Set, opt ProfileOptions) Chart {
	defer chart.Readable()
	checkUnits("Profile", c, set, nil)
	p := newProfile(c, set, opt)
	f := &chart.Figure{Legend: chart.PlainAll(set.Classes), KeyWidth: chart.SymbolSide + 2}
	wrong := p.rug(f)
	potentials := p.curves(f)
	p.stack(f)
	vectors := p.rings(f)

	kind := "Probabilities"
	if p.potentials != nil {
		kind = "Potentials and probabilities"
	}
	f.Title = cmp.Or(chart.Plain(opt.Title), chart.Plain(set.Name), kind)
	f.Subtitle = strings.Join(about(set.N(), wrong, vectors, 0, ""), " · ")
	height := p.panels(f, potentials)
	f.Tip.Trigger, f.Tip.Head, f.Tip.Texts = "axis", "{x} {0}", chart.Node{"x": p.feature}
	f.Tip.Linked = true
	return f.Chart(fmt.Sprintf("%s of %d classes (%s) over %s: %s.", kind, set.C(),
		strings.Join(p.names, ", "), p.feature, f.Subtitle), height)
}

// profile holds what the functions that draw a Profile share.
type profile struct {
	c          Classifier
	set        *data.Set
	potentials func(dst *mat.Dense, x mat.Matrix) *mat.Dense // nil if the classifier has none
	opt        ProfileOptions
	colors     chart.ClassPalette
	names      []string // of the classes
	feature    string   // name
	lo, hi     float64  // range of the x axis
	grid       []float64
	size       float64    // size of the symbols
	values     *mat.Dense // potentials over the grid, or nil
	row, below int        // indices of the panels of samples and probabilities
}

func newProfile(c Classifier, set *data.Set, opt ProfileOptions) *profile {
	if set.N() == 0 || set.D() != 1 {
		panic(fmt.Sprintf("nbhelpers: Profile needs samples with one feature; the set has %d samples with %d",
			set.N(), set.D()))
	}
	p := &profile{c: c, set: set, opt: opt, colors: chart.PaletteOf(set.Classes),
		names: chart.PlainAll(set.Classes), feature: chart.Plain(set.Features[0]), size: 8, below: 1}
	if m, ok := c.(interface {
		Potentials(dst *mat.Dense, x mat.Matrix) *mat.Dense
	}); ok {
		p.potentials, p.row, p.below = m.Potentials, 1, 2
	}
	if p.lo, p.hi = opt.Range[0], opt.Range[1]; p.lo == 0 && p.hi == 0 {
		seen := chart.NewSpan()
		seen.Add(mat.Col(nil, 0, set.X)...)
		if seen.Lo > seen.Hi {
			panic("nbhelpers: the feature that Profile shows has no finite value")
		}
		room := cmp.Or(viewMargin*(seen.Hi-seen.Lo), 1)
		p.lo, p.hi = seen.Lo-room, seen.Hi+room
	}
	for _, r := range [][2]float64{{p.lo, p.hi}, opt.PotentialRange} {
		if !(r[0] < r[1]) && r != [2]float64{} {
			panic(fmt.Sprintf("nbhelpers: the range %v of Profile is empty", r))
		}
	}
	p.grid = evenly(p.lo, p.hi, max(cmp.Or(max(opt.Points, 0), 200)-1, 1))
	if n := set.N(); n > 120 {
		p.size = math.Max(4, 8*math.Sqrt(120/float64(n)))
	}
	return p
}

// column returns samples with the given values.
func column(x []float64) mat.Matrix { return mat.NewDense(len(x), 1, x) }

// place rounds a value on the x axis to a sixth of a pixel.
func (p *profile) place(v float64) float64 { return pixelRounded(v, p.hi-p.lo) }

// rugPlace is the position of sample n of class k in its row. Samples are jittered vertically, so
// that samples with equal values are visible.
func (p *profile) rugPlace(n, k int, v float64) chart.Row {
	const golden = .6180339887498949 // its multiples modulo 1 are spread evenly
	_, part := math.Modf(float64(n) * golden)
	return chart.Row{p.place(v), chart.Rounded(float64(k)+.5+.6*(part-.5), 3)}
}

// rug adds the samples and returns how many are misclassified. It is called before curves, because
// the legend shows the first mark of a name.
func (p *profile) rug(f *chart.Figure) (wrong int) {
	proba := p.c.Proba(nil, p.set.X)
	if _, k := proba.Dims(); k != p.set.C() {
		panic(fmt.Sprintf("nbhelpers: the classifier has %d classes, the set %d", k, p.set.C()))
	}
	marks := f.ClassDots(chart.Base{Panel: p.row, Z: 3, Clip: true, Silent: true}, p.names, p.colors, p.size, .5)
	for n, t := range p.set.T {
		if floats.MaxIdx(proba.RawRowView(n)) != t {
			wrong++
		}
		marks[t].Rows = append(marks[t].Rows, p.rugPlace(n, t, p.set.X.At(n, 0)))
	}
	return wrong
}

// curves adds the potentials and returns their range.
func (p *profile) curves(f *chart.Figure) chart.Span {
	y := chart.NewSpan()
	if p.potentials == nil {
		return *y
	}
	values := p.potentials(nil, column(p.grid))
	p.values = values
	for k, name := range p.names {
		l := &chart.Line{Base: chart.Base{Name: name, Z: 2, Clip: true}, Color: p.colors.Hex(k), Width: 2}
		for i, v := range p.grid {
			y.Add(values.At(i, k))
			l.Rows = append(l.Rows, chart.Row{p.place(v), chart.Rounded(values.At(i, k), 4)})
		}
		f.Add(l)
	}
	return *y
}

// stack adds the probabilities: an area for each class, and a line with a tooltip at its upper edge.
func (p *profile) stack(f *chart.Figure) {
	proba := p.c.Proba(nil, column(p.grid))
	sum := make([]float64, len(p.grid))
	low := []chart.Point{{p.grid[0], 0}, {p.hi, 0}}
	for k, name := range p.names {
		edge := &chart.Line{Base: chart.Base{Name: name, Panel: p.below, Z: 2,
			Tip: []string{"{" + p.colors.Hex(k) + "}{series}: p = *{2}*"}}, Color: "#ffffff", Width: 1}
		if p.values != nil {
			edge.Tip[0] += ", potential *{3}*"
		}
		high := make([]chart.Point, len(p.grid))
		for i, v := range p.grid {
			sum[i] += proba.At(i, k)
			high[i] = chart.Point{(v - p.lo) / (p.hi - p.lo), math.Min(sum[i], 1)}
			edge.Rows = append(edge.Rows,
				chart.Row{p.place(v), chart.Rounded(high[i][1], 3), thousandths(proba.At(i, k)) / 1000})
			if p.values != nil {
				edge.Rows[i] = append(edge.Rows[i], chart.Rounded(p.values.At(i, k), 4))
			}
		}
		high = chart.Simplified(high, .001)
		for i := range high {
			high[i][0] = p.place(p.lo + high[i][0]*(p.hi-p.lo))
		}
		slices.Reverse(low)
		f.Add(&chart.Sketch{Base: chart.Base{Name: name, Panel: p.below, Z: 1, Silent: true},
			Strokes: []chart.Stroke{{At: append(low, high...), Fill: p.colors.Hex(k), Opacity: .6}}}, edge)
		low = high
	}
}

// rings adds the relevance vectors, on their samples and on the curves, and returns their number.
func (p *profile) rings(f *chart.Figure) int {
	vectors, _ := vectorsOf(p.c)
	if len(vectors) == 0 {
		return 0
	}
	const name = "relevance vector"
	ring := chart.Dots{Base: chart.Base{Name: name, Panel: p.row, Z: 4, Clip: true, Silent: true},
		Color: "transparent", Marker: chart.ClassShape(0), Size: p.size + 5, Rim: chart.Ink, RimWide: 1.6}
	onCurve := ring
	onCurve.Panel, onCurve.Size = 0, 11
	x := places(vectors, 1)
	for i, v := range vectors {
		ring.Rows = append(ring.Rows, p.rugPlace(v.Index, v.Label, x.At(i, 0)))
	}
	f.Legend = append(f.Legend, name)
	f.Add(&ring)
	if p.potentials != nil {
		y := p.potentials(nil, x)
		for i, v := range vectors {
			onCurve.Rows = append(onCurve.Rows,
				chart.Row{p.place(x.At(i, 0)), chart.Rounded(y.At(i, v.Label), 4)})
		}
		f.Add(&onCurve)
	}
	return len(vectors)
}

// panels sets the panels from top to bottom and returns the height of the chart.
func (p *profile) panels(f *chart.Figure, potentials chart.Span) int {
	height := p.opt.Height
	if height <= 0 {
		height = 320
		if p.potentials != nil {
			height = 480
		}
	}
	x := chart.ValueAxis(p.feature, p.lo, p.hi, chart.NiceStep(p.hi-p.lo, 8))
	x.NoSplit = true
	inner := x.Inner() // for the panels above the last
	rug := math.Min(13*float64(len(p.names)), 80)
	free := float64(height) - chart.LegendTop - chart.LegendHigh - 70 - rug
	if p.potentials != nil {
		y := potentials.Curve("potential", false, p.opt.PotentialRange, false, 5)
		f.Panels = append(f.Panels, chart.Panel{X: inner, Y: y, Share: .52 * free})
		free *= .48
	}
	rows := chart.ValueAxis("", 0, float64(len(p.names)), 1)
	rows.Inverse, rows.Hidden, rows.NoLabels, rows.NoSplit = true, true, true, true
	inner.Hidden = true
	f.Panels = append(f.Panels, chart.Panel{X: inner, Y: rows, Share: rug, Gap: 10},
		chart.Panel{X: x, Y: chart.ValueAxis("p(t | x), stacked", 0, 1, .25), Share: free, Gap: 5})
	return height
}
