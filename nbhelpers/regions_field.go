package nbhelpers

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/internal/chart"
)

// field holds the probabilities at the corners of a grid of cells over a view.
type field struct {
	w       *view
	xs, ys  []float64
	p       *mat.Dense           // row i·len(xs)+j is the corner at xs[j], ys[i]
	best    []int                // the likeliest class at each corner
	cross   map[side]chart.Point // where the likeliest class changes
	classes int
	colors  chart.ClassPalette
}

func newField(c Classifier, w *view, colors chart.ClassPalette) *field {
	f := &field{w: w, xs: evenly(w.lo[0], w.hi[0], w.cells), ys: evenly(w.lo[1], w.hi[1], w.cellsDown),
		classes: len(colors), colors: colors}
	f.p = c.Proba(nil, w.grid(f.xs, f.ys))
	f.best = make([]int, len(f.xs)*len(f.ys))
	for i := range f.best {
		f.best[i] = floats.MaxIdx(f.p.RawRowView(i))
	}
	f.findCrossings(c)
	return f
}

// findCrossings finds where a border crosses a side of a cell. It bisects the side four times and
// then interpolates the difference of the two probabilities. Linear interpolation from corner to
// corner would be inaccurate far from all samples, where the probabilities decrease fast.
func (f *field) findCrossings(c Classifier) {
	const halvings = 4
	type bracket struct {
		side
		p, q   chart.Point
		dp, dq float64 // lead of the class at side.a over the class at side.b
	}
	var all []bracket
	corner := func(k int) chart.Point { return chart.Point{f.xs[k%len(f.xs)], f.ys[k/len(f.xs)]} }
	lead := func(b bracket, p []float64) float64 { return p[f.best[b.a]] - p[f.best[b.b]] }
	add := func(i, j int) {
		if f.best[i] != f.best[j] {
			b := bracket{side: side{i, j}, p: corner(i), q: corner(j)}
			b.dp, b.dq = lead(b, f.p.RawRowView(i)), lead(b, f.p.RawRowView(j))
			all = append(all, b)
		}
	}
	for k := range f.best {
		if k%len(f.xs) < len(f.xs)-1 {
			add(k, k+1)
		}
		if k < len(f.best)-len(f.xs) {
			add(k, k+len(f.xs))
		}
	}
	f.cross = make(map[side]chart.Point, len(all))
	if len(all) == 0 {
		return
	}
	middles := make([]chart.Point, len(all))
	for range halvings {
		for i, b := range all {
			middles[i] = chart.Point{(b.p[0] + b.q[0]) / 2, (b.p[1] + b.q[1]) / 2}
		}
		p := c.Proba(nil, f.w.samplesAt(middles))
		for i := range all {
			if b := &all[i]; lead(*b, p.RawRowView(i)) > 0 {
				b.p, b.dp = middles[i], lead(*b, p.RawRowView(i))
			} else {
				b.q, b.dq = middles[i], lead(*b, p.RawRowView(i))
			}
		}
	}
	for _, b := range all {
		u := .5
		if b.dp-b.dq > 0 {
			u = min(max(b.dp/(b.dp-b.dq), 0), 1)
		}
		f.cross[b.side] = chart.Point{b.p[0] + u*(b.q[0]-b.p[0]), b.p[1] + u*(b.q[1]-b.p[1])}
	}
}

func evenly(lo, hi float64, n int) []float64 {
	v := make([]float64, n+1)
	for i := range v {
		v[i] = lo + (hi-lo)*float64(i)/float64(n)
	}
	return v
}

// The strength of the colour where the probability of the likeliest class is lowest and where it is
// 1.
const (
	faintest  = .06
	strongest = .5
)

// picture paints the cells, one pixel each, as a PNG of about 7 kB. A small palette keeps it small.
func (f *field) picture() []byte {
	colors := min(f.classes, len(chart.Colors)) // the colours repeat
	levels := min(16, 120/colors)
	palette := color.Palette{}
	for c := range colors {
		for l := range levels {
			share := faintest + (strongest-faintest)*float64(l)/float64(levels-1)
			palette = append(palette, chart.Mix(chart.RGB(0xffffff), f.colors[c], share))
		}
	}
	nx, ny := len(f.xs)-1, len(f.ys)-1
	img := image.NewPaletted(image.Rect(0, 0, nx, ny), palette)
	mean := make([]float64, f.classes)
	for i := range ny {
		for j := range nx {
			clear(mean)
			for _, corner := range f.corners(i, j) {
				for c, p := range f.p.RawRowView(corner) {
					mean[c] += p / 4
				}
			}
			c, chance := floats.MaxIdx(mean), 1/float64(f.classes)
			sure := (mean[c] - chance) / (1 - chance)
			level := min(max(int(sure*float64(levels)), 0), levels-1)
			img.Pix[(ny-1-i)*img.Stride+j] = uint8(c%colors*levels + level)
		}
	}
	return encoded(img)
}

// encoded returns an image as a PNG, without the unused colours of its palette.
func encoded(img *image.Paletted) []byte {
	var used color.Palette
	place := map[uint8]uint8{}
	for i, c := range img.Pix {
		if _, ok := place[c]; !ok {
			place[c] = uint8(len(used))
			used = append(used, img.Palette[c])
		}
		img.Pix[i] = place[c]
	}
	img.Palette = used
	var b bytes.Buffer
	encoder := png.Encoder{CompressionLevel: png.BestCompression}
	if err := encoder.Encode(&b, img); err != nil {
		panic("nbhelpers: " + err.Error())
	}
	return b.Bytes()
}

// corners returns the corners of cell i, j, anticlockwise from its lower left.
func (f *field) corners(i, j int) [4]int {
	n := len(f.xs)
	return [4]int{i*n + j, i*n + j + 1, (i+1)*n + j + 1, (i+1)*n + j}
}

// ground is the picture of the regions, in position.
func (f *field) ground() chart.Mark {
	w := f.w
	return &chart.Picture{Base: chart.Base{Silent: true}, PNG: f.picture(), Width: len(f.xs) - 1,
		Height: len(f.ys) - 1, X0: w.lo[0], Y0: w.lo[1], X1: w.hi[0], Y1: w.hi[1]}
}

// border is the lines between the regions.
func (f *field) border() chart.Mark {
	l := &chart.Line{Base: chart.Base{Z: 1, Silent: true}, Color: "#333333", Width: 1.3, Opacity: .75,
		Still: true}
	for _, curve := range f.curves() {
		if len(l.Rows) > 0 {
			l.Rows = append(l.Rows, chart.Row{math.NaN(), math.NaN()})
		}
		for _, q := range curve {
			l.Rows = append(l.Rows, f.w.place(q))
		}
	}
	return l
}

// curves finds the borders. In each cell it joins the points on the sides where the likeliest class
// changes: two points directly, more through their mean. The pieces are then joined to curves.
func (f *field) curves() [][]chart.Point {
	var parts []segment
	nx := len(f.xs)
	for i := range len(f.ys) - 1 {
		for j := range nx - 1 {
			corner := f.corners(i, j)
			var ends []chart.Point
			var keys []side
			for k := range corner {
				a, b := corner[k], corner[(k+1)%4]
				if a > b { // both cells of a side must get the same point
					a, b = b, a
				}
				if f.best[a] != f.best[b] {
					ends, keys = append(ends, f.cross[side{a, b}]), append(keys, side{a, b})
				}
			}
			switch {
			case len(ends) == 2:
				parts = append(parts, segment{ends[0], ends[1], keys[0], keys[1]})
			case len(ends) > 2:
				var mean chart.Point
				for _, e := range ends {
					mean[0] += e[0] / float64(len(ends))
					mean[1] += e[1] / float64(len(ends))
				}
				for k, e := range ends {
					parts = append(parts, segment{e, mean, keys[k], side{-1 - corner[0], 0}})
				}
			}
		}
	}
	var curves [][]chart.Point
	for _, curve := range strung(parts) {
		curves = append(curves, f.thinned(curve))
	}
	return curves
}

// side is a side of a cell, by its corners (or the middle of a cell). segment is a piece
// of border between two sides.
type (
	side    struct{ a, b int }
	segment struct {
		p, q   chart.Point
		kp, kq side
	}
)

// strung joins pieces with a common end to curves.
func strung(parts []segment) [][]chart.Point {
	meet := map[side][]int{}
	for i, s := range parts {
		meet[s.kp] = append(meet[s.kp], i)
		meet[s.kq] = append(meet[s.kq], i)
	}
	used := make([]bool, len(parts))
	follow := func(curve []chart.Point, end side) []chart.Point {
		for len(meet[end]) == 2 {
			next := meet[end][0]
			if used[next] {
				next = meet[end][1]
			}
			if used[next] {
				break
			}
			used[next] = true
			if s := parts[next]; s.kp == end {
				curve, end = append(curve, s.q), s.kq
			} else {
				curve, end = append(curve, s.p), s.kp
			}
		}
		return curve
	}
	var curves [][]chart.Point
	for i, s := range parts {
		if used[i] {
			continue
		}
		used[i] = true
		curve := follow([]chart.Point{s.p}, s.kp)
		slices.Reverse(curve)
		curves = append(curves, follow(append(curve, s.q), s.kq))
	}
	return curves
}

// thinned removes the points of a curve that make no visible difference.
func (f *field) thinned(curve []chart.Point) []chart.Point {
	w := f.w
	sx, sy := w.across/(w.hi[0]-w.lo[0]), w.down/(w.hi[1]-w.lo[1])
	scaled := make([]chart.Point, len(curve))
	for i, q := range curve {
		scaled[i] = chart.Point{q[0] * sx, q[1] * sy}
	}
	thin := chart.Simplified(scaled, .25)
	for i, q := range thin {
		thin[i] = chart.Point{q[0] / sx, q[1] / sy}
	}
	return thin
}
