package nbhelpers

import (
	"cmp"
	"fmt"
	"image"
	"image/color"
	"slices"
	"strings"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/internal/chart"
	"github.com/mpcvm/mpcvm/mpcvm/baseline/vote"
)

// ambiguities are the regions of a vote that belong to no class or to several, with their names in
// the legend and their hatches: rising lines, crossed lines, and falling lines.
var ambiguities = []struct {
	region  vote.Region
	name    string
	hatched func(x, y int) bool
	key     chart.Symbol
}{
	{vote.Unclaimed, "no claim", func(x, y int) bool { return (x+y)%hatchStep == 0 }, hatchKey(1)},
	{vote.Contested, "several claims",
		func(x, y int) bool { return (x+y)%hatchStep == 0 || (x-y)%hatchStep == 0 }, hatchKey(1, -1)},
	{vote.Tied, "a tie", func(x, y int) bool { return (x-y)%hatchStep == 0 }, hatchKey(-1)},
}

const (
	hatchStep   = 6 // pixels between two lines
	hatchPixels = 4 // side of a cell in pixels
)

// hatchKey is bars that rise (1) or fall (−1) to the right.
func hatchKey(directions ...float64) chart.Symbol {
	const half = .12 // half the width of a bar
	var corners []float64
	for _, d := range directions {
		for _, at := range []float64{-.5, .5} {
			corners = append(corners, at-.4-half, d, at-.4+half, d, at+.4+half, -d, at+.4-half, -d,
				at-.4-half, d)
		}
	}
	return chart.Polygon(1.1, corners...)
}

// VoteRegions draws the decision regions of binary classifiers that vote. Every class has its colour
// at full strength; hatched regions belong to no class or to several (vote.Region). The subtitle
// gives the share of the plane that is ambiguous (see Ambiguous). Symbols are the samples. The
// options Scale, Principal and Errors are ignored. VoteRegions panics in the same cases as Regions.
func VoteRegions(m *vote.Model, set *data.Set, opt RegionsOptions) Chart {
	defer chart.Readable()
	more := *set
	more.Classes = slices.Clone(set.Classes)
	for _, a := range ambiguities {
		more.Classes = append(more.Classes, a.name)
	}
	opt.Scale, opt.Principal = nil, false
	v := newView(ballot{m}, &more, opt)
	colors := chart.PaletteOf(set.Classes)
	for range ambiguities {
		colors = append(colors, chart.RGB(0xffffff))
	}
	field := newField(ballot{m}, v, colors)

	f := &chart.Figure{Legend: chart.PlainAll(set.Classes), KeyWidth: chart.SymbolSide + 2}
	f.Add(&chart.Picture{Base: chart.Base{Silent: true}, PNG: field.hatched(ballot{m}, set.C()),
		Width: hatchPixels * (len(field.xs) - 1), Height: hatchPixels * (len(field.ys) - 1), X0: v.lo[0],
		Y0: v.lo[1], X1: v.hi[0], Y1: v.hi[1]}, field.border())
	samples := f.ClassDots(chart.Base{Z: 3, Silent: true}, f.Legend, colors, 9, .7)
	for n, q := range v.project(set.X) {
		s := samples[set.T[n]]
		s.Rows = append(s.Rows, v.place(q))
	}
	for i, a := range ambiguities {
		if slices.Contains(field.best, set.C()+i) {
			f.Add(&chart.Dots{Base: chart.Base{Name: a.name, Silent: true}, Color: chart.FaintInk,
				Marker: a.key, Size: 12})
			f.Legend = append(f.Legend, a.name)
		}
	}
	plane, unclear := Ambiguous(m, set)
	f.Title = cmp.Or(chart.Plain(opt.Title), "Decisions of a vote")
	f.Subtitle = fmt.Sprintf("ambiguous: %.1f %% of the plane, %.1f %% of the samples", plane, unclear)
	v.axes(f)
	return f.Chart(fmt.Sprintf("Decisions of a vote on %d classes (%s) over %s and %s: %s.", set.C(),
		strings.Join(chart.PlainAll(set.Classes), ", "), v.names[0], v.names[1], f.Subtitle), v.height)
}

// Ambiguous returns the percentages of the plane that belong to no class and to several. The plane is a
// grid of 150 by 150 points over the range of the samples. Ambiguous panics if the set does not have two
// features.
func Ambiguous(m *vote.Model, set *data.Set) (none, several float64) {
	defer chart.Readable()
	if set.D() != 2 {
		panic(fmt.Sprintf("nbhelpers: Ambiguous needs two features; the set has %d", set.D()))
	}
	const points = 150
	xs, ys := set.X.ColView(0), set.X.ColView(1)
	across, up := middles(mat.Min(xs), mat.Max(xs), points), middles(mat.Min(ys), mat.Max(ys), points)
	grid := mat.NewDense(points*points, 2, nil)
	for i := range points * points {
		grid.SetRow(i, []float64{across[i%points], up[i/points]})
	}
	for _, r := range m.Regions(nil, grid) {
		switch {
		case r == vote.Unclaimed:
			none++
		case r.Ambiguous():
			several++
		}
	}
	return 100 * none / (points * points), 100 * several / (points * points)
}

// middles returns the middles of n equal parts of a range.
func middles(lo, hi float64, n int) []float64 {
	half := (hi - lo) / float64(2*n)
	return floats.Span(make([]float64, n), lo+half, hi-half)
}

// ballot presents a vote as a classifier whose classes are its own and the ambiguities.
type ballot struct{ *vote.Model }

func (b ballot) Proba(_ *mat.Dense, x mat.Matrix) *mat.Dense {
	labels := b.Predict(nil, x)
	p := mat.NewDense(len(labels), b.Classes()+len(ambiguities), nil)
	for n, region := range b.Regions(nil, x) {
		for i, a := range ambiguities {
			if region == a.region {
				labels[n] = b.Classes() + i
			}
		}
		p.Set(n, labels[n], 1)
	}
	return p
}

// hatched paints the regions as a PNG with several pixels per cell. Regions of a class have its
// colour; the ambiguities, which are the classes from first on, have their hatch.
func (f *field) hatched(c Classifier, first int) []byte {
	nx, ny := len(f.xs)-1, len(f.ys)-1
	palette := color.Palette{chart.RGB(0xffffff), chart.RGB(0x555555)}
	for _, c := range f.colors[:first] {
		palette = append(palette, chart.Mix(chart.RGB(0xffffff), c, strongest))
	}
	img := image.NewPaletted(image.Rect(0, 0, hatchPixels*nx, hatchPixels*ny), palette)
	p := c.Proba(nil, f.w.grid(middles(f.w.lo[0], f.w.hi[0], hatchPixels*nx),
		middles(f.w.lo[1], f.w.hi[1], hatchPixels*ny)))
	for y := range hatchPixels * ny {
		for x := range hatchPixels * nx {
			switch best := floats.MaxIdx(p.RawRowView((hatchPixels*ny-1-y)*hatchPixels*nx + x)); {
			case best < first:
				img.SetColorIndex(x, y, uint8(2+best))
			case ambiguities[best-first].hatched(x, y):
				img.SetColorIndex(x, y, 1)
			}
		}
	}
	return encoded(img)
}
