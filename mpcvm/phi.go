package mpcvm

import (
	"context"

	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/mpcvm/internal/dense"
	"github.com/mpcvm/mpcvm/mpcvm/internal/par"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
)

// phi is the matrix Φ of kernel values, K×N: row j is the basis function φ_j of sample
// of[j] at all N training samples. Where of lists all of them it is the symmetric matrix
// of the paper. It is held in float64 or, at half the memory, in float32, or not held at
// all and computed anew, to the same bits, block by block, where it is needed. All sums
// are those of float64.
//
// Where the context ends, what is being computed is left as it is, of no use: look at
// the context before using a result.
type phi struct {
	ctx    context.Context
	kernel kernel.Kernel
	x      *mat.Dense // N×D
	of     []int      // K samples, ascending
	n      int        // N
	single bool       // values are rounded to float32

	wide   blas64.General // if held
	narrow blas32.General // in place of wide if single

	block, strip []float64 // to work in
}

const (
	// segment is how many columns of Φ there are in a sum at a time: a multiple of
	// dense.Columns. A longer scalar product is the sum of those of its segments.
	segment = 1 << 15
	// blockNumbers is how many numbers of Φ are computed at a time where it is not held.
	blockNumbers = 1 << 23
)

// newPhi makes Φ of some samples of x, and computes it if it is to be held.
func newPhi(ctx context.Context, k kernel.Kernel, x *mat.Dense, of []int, single, held bool) *phi {
	n, _ := x.Dims()
	p := &phi{ctx: ctx, kernel: k, x: x, of: of, n: n, single: single}
	rows := len(of)
	switch {
	case !held:
	case rows == n && single:
		p.narrow = blas32.General{Rows: n, Cols: n, Stride: n, Data: kernel.Gram32(nil, k, x)}
	case rows == n:
		p.wide = kernel.Gram(nil, k, x).RawMatrix()
	case single:
		narrow := blas32.General{Rows: rows, Cols: n, Stride: n, Data: make([]float32, rows*n)}
		p.blocks(nil, segment, func(lo, hi, from int, b panel) {
			par.For(b.rows(), 8, func(i, end int) {
				for ; i < end; i++ {
					to := narrow.Data[(from+i)*n+lo : (from+i)*n+hi]
					for j, v := range b.wide[i] {
						to[j] = float32(v)
					}
				}
			})
		})
		p.narrow, p.block = narrow, nil
	default:
		p.wide = blas64.General{Rows: rows, Cols: n, Stride: n, Data: make([]float64, rows*n)}
		p.strips(segment, func(lo, hi int) {
			part := mat.NewDense(rows, n, p.wide.Data).Slice(0, rows, lo, hi).(*mat.Dense)
			p.columns(lo, hi).Cross(part, p.samples(of))
		})
	}
	return p
}

// wholePhi is Φ of all samples, in float64.
func wholePhi(k kernel.Kernel, x *mat.Dense) *phi {
	n, _ := x.Dims()
	return newPhi(context.Background(), k, x, all(n), false, true)
}

// all lists 0 to n−1.
func all(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return list
}

// size is the number of bases K.
func (p *phi) size() int { return len(p.of) }

// held reports whether Φ is in memory.
func (p *phi) held() bool { return p.wide.Data != nil || p.narrow.Data != nil }

// large reports whether Φ fills so much memory that garbage beside it should not grow
// with it.
func (p *phi) large() bool { return p.held() && len(p.of)*p.n > 1<<26 }

// columns prepares the samples lo to hi for kernel values, samples copies the listed.
func (p *phi) columns(lo, hi int) *kernel.Rows {
	_, d := p.x.Dims()
	return kernel.NewRows(p.kernel, p.x.Slice(lo, hi, 0, d).(*mat.Dense))
}

func (p *phi) samples(list []int) *mat.Dense {
	_, d := p.x.Dims()
	x := mat.NewDense(len(list), d, nil)
	for i, n := range list {
		x.SetRow(i, p.x.RawRowView(n))
	}
	return x
}

// panel is a stretch of columns of some rows of Φ, in one of two precisions.
type panel struct {
	wide   [][]float64
	narrow [][]float32 // in place of wide if not nil
}

func (b panel) rows() int { return max(len(b.wide), len(b.narrow)) }

// pick is the panel of the listed rows.
func (b panel) pick(list []int) panel {
	var some panel
	for _, i := range list {
		if b.narrow != nil {
			some.narrow = append(some.narrow, b.narrow[i])
		} else {
			some.wide = append(some.wide, b.wide[i])
		}
	}
	return some
}

// dot is the scalar product of row i with z.
func (b panel) dot(i int, z []float64) float64 {
	if b.narrow != nil {
		return dense.Dot32(z, b.narrow[i])
	}
	return dense.Dot(z, b.wide[i])
}

// copy writes row i to dst.
func (b panel) copy(dst []float64, i int) {
	if b.narrow == nil {
		copy(dst, b.wide[i])
		return
	}
	for j, v := range b.narrow[i] {
		dst[j] = float64(v)
	}
}

// addTo does y += Σ_i w_i·row_i.
func (b panel) addTo(y, w []float64) {
	if b.narrow != nil {
		dense.Combine32(y, w, b.narrow)
	} else {
		dense.Combine(y, w, b.wide)
	}
}

// strips calls f for stretches of columns of at most this width, until the context ends.
func (p *phi) strips(width int, f func(lo, hi int)) {
	for lo := 0; lo < p.n && p.ctx.Err() == nil; lo += width {
		f(lo, min(lo+width, p.n))
	}
}

// blocks calls f for stretches of columns, lo to hi, of the listed rows, or of all if the
// list is nil: if Φ is held with all of them at a time, else with those that fit into a
// block, the first of which is number from of the list.
func (p *phi) blocks(list []int, width int, f func(lo, hi, from int, b panel)) {
	if list == nil {
		list = all(p.size())
	}
	p.strips(width, func(lo, hi int) { p.blocksAt(list, lo, hi, func(from int, b panel) { f(lo, hi, from, b) }) })
}

// blocksAt is blocks for some columns.
func (p *phi) blocksAt(list []int, lo, hi int, f func(from int, b panel)) {
	if p.held() {
		f(0, p.panel(list, lo, hi))
		return
	}
	rows := p.columns(lo, hi)
	high := max(1, blockNumbers/(hi-lo))
	for from := 0; from < len(list) && p.ctx.Err() == nil; from += high {
		some := list[from:min(from+high, len(list))]
		f(from, p.compute(rows, some, hi-lo))
	}
}

// panel is a stretch of columns of the listed rows of Φ, which is held.
func (p *phi) panel(list []int, lo, hi int) panel {
	var b panel
	for _, j := range list {
		if p.single {
			b.narrow = append(b.narrow, p.narrow.Data[j*p.n+lo:j*p.n+hi])
		} else {
			b.wide = append(b.wide, p.wide.Data[j*p.n+lo:j*p.n+hi])
		}
	}
	return b
}

// compute makes the listed rows of Φ at samples that columns prepared, side by side in
// p.block.
func (p *phi) compute(columns *kernel.Rows, list []int, width int) panel {
	if need := len(list) * width; len(p.block) < need {
		p.block = make([]float64, need)
	}
	of := make([]int, len(list))
	for i, j := range list {
		of[i] = p.of[j]
	}
	values := mat.NewDense(len(list), width, p.block[:len(list)*width])
	columns.Cross(values, p.samples(of))
	b := panel{wide: make([][]float64, len(list))}
	par.For(len(list), 8, func(i, end int) {
		for ; i < end; i++ {
			b.wide[i] = values.RawRowView(i)
			if p.single {
				for j, v := range b.wide[i] {
					b.wide[i][j] = float64(float32(v))
				}
			}
		}
	})
	return b
}

// products does C += A·Bᵀ for the strip A of some rows, and the columns lo to hi of all
// rows of Φ for B.
func (p *phi) products(c, a blas64.General, lo, hi int) {
	switch {
	case p.narrow.Data != nil:
		b := p.narrow
		b.Cols, b.Data = hi-lo, b.Data[lo:]
		dense.AddMulT32(c, a, b)
	case p.held():
		b := p.wide
		b.Cols, b.Data = hi-lo, b.Data[lo:]
		dense.AddMulT(c, a, b)
	default:
		p.blocksAt(all(p.size()), lo, hi, func(from int, b panel) {
			part := c
			part.Cols, part.Data = b.rows(), c.Data[from:]
			dense.AddMulT(part, a, blas64.General{Rows: b.rows(), Cols: hi - lo, Stride: hi - lo, Data: p.block})
		})
	}
}

// multiply sets the first rows of dst to Z·Φᵀ, and those that follow to the rows of ΦΦᵀ
// of the listed bases, in one pass over Φ.
func (p *phi) multiply(dst, z blas64.General, list []int) {
	rows := z.Rows + len(list)
	dst.Rows = rows
	for i := range rows {
		clear(dst.Data[i*dst.Stride : i*dst.Stride+dst.Cols])
	}
	p.strips(segment, func(lo, hi int) {
		w := hi - lo
		if len(p.strip) < rows*w {
			p.strip = make([]float64, rows*w)
		}
		a := blas64.General{Rows: rows, Cols: w, Stride: w, Data: p.strip[:rows*w]}
		for i := range z.Rows {
			copy(a.Data[i*w:], z.Data[i*z.Stride+lo:i*z.Stride+hi])
		}
		if len(list) > 0 {
			p.blocksAt(list, lo, hi, func(from int, b panel) {
				for i := range b.rows() {
					b.copy(a.Data[(z.Rows+from+i)*w:][:w], i)
				}
			})
		}
		p.products(dst, a, lo, hi)
	})
}

// times sets dst = Z·Φᵀ, of a few rows Z, in one pass over Φ.
func (p *phi) times(dst, z *mat.Dense) { p.multiply(dst.RawMatrix(), z.RawMatrix(), nil) }

// timesAt sets φ_jᵀz_c in dst for the bases j of each class c alone.
func (p *phi) timesAt(dst, z *mat.Dense, bases func(c int) []int) {
	classes, _ := z.Dims()
	in := make([][]int, p.size()) // the classes of each basis
	var list []int
	for c := range classes {
		for _, j := range bases(c) {
			if dst.Set(c, j, 0); in[j] == nil {
				list = append(list, j)
			}
			in[j] = append(in[j], c)
		}
	}
	if list == nil {
		return
	}
	p.blocks(list, segment, func(lo, hi, from int, b panel) {
		par.For(b.rows(), 4, func(i, end int) {
			for ; i < end; i++ {
				j := list[from+i]
				for _, c := range in[j] {
					dst.Set(c, j, dst.At(c, j)+b.dot(i, z.RawRowView(c)[lo:hi]))
				}
			}
		})
	})
}

// addTo does y_c += Σ_i w_i φ_i for each class c over its bases.
func (p *phi) addTo(y *mat.Dense, of func(c int) (bases []int, w []float64)) {
	classes, _ := y.Dims()
	if p.held() {
		par.For(classes, 1, func(c, _ int) {
			bases, w := of(c)
			p.panel(bases, 0, p.n).addTo(y.RawRowView(c), w)
		})
		return
	}
	place := make(map[int]int)
	places := make([][]int, classes)
	var list []int
	for c := range classes {
		bases, _ := of(c)
		for _, j := range bases {
			if _, in := place[j]; !in {
				place[j] = len(list)
				list = append(list, j)
			}
			places[c] = append(places[c], place[j])
		}
	}
	// All of these rows at a time: so many columns, in whole vectors, as a block takes.
	width := max(1, blockNumbers/4096/max(1, len(list))) * 4096
	p.strips(width, func(lo, hi int) {
		if len(list) == 0 {
			return
		}
		b := p.compute(p.columns(lo, hi), list, hi-lo)
		par.For(classes, 1, func(c, _ int) {
			_, w := of(c)
			b.pick(places[c]).addTo(y.RawRowView(c)[lo:hi], w)
		})
	})
}

// gram returns the rows of ΦΦᵀ of the listed bases, in one pass over Φ.
func (p *phi) gram(list []int) [][]float64 {
	m, k := len(list), p.size()
	dst := blas64.General{Rows: m, Cols: k, Stride: k, Data: make([]float64, m*k)}
	p.multiply(dst, blas64.General{Cols: p.n, Stride: p.n}, list)
	rows := make([][]float64, m)
	for i := range rows {
		rows[i] = dst.Data[i*k : (i+1)*k : (i+1)*k]
	}
	return rows
}

// square returns the rows of ΦΦᵀ.
func (p *phi) square() [][]float64 {
	const high = 256 // rows of ΦΦᵀ between looks at the context
	k := p.size()
	g := blas64.General{Rows: k, Cols: k, Stride: k, Data: make([]float64, k*k)}
	add := func(a blas64.General) {
		for lo := 0; lo < k && p.ctx.Err() == nil; lo += high {
			dense.AddGramRows(g, a, lo, min(lo+high, k))
		}
	}
	switch {
	case p.wide.Data != nil:
		p.strips(segment, func(lo, hi int) {
			a := p.wide
			a.Cols, a.Data = hi-lo, a.Data[lo:]
			add(a)
		})
	default:
		width := max(1, blockNumbers/dense.Columns/k) * dense.Columns
		p.strips(min(width, segment), func(lo, hi int) {
			w := hi - lo
			if len(p.strip) < k*w {
				p.strip = make([]float64, k*w)
			}
			a := blas64.General{Rows: k, Cols: w, Stride: w, Data: p.strip[:k*w]}
			p.blocksAt(all(k), lo, hi, func(from int, b panel) {
				par.For(b.rows(), 8, func(i, end int) {
					for ; i < end; i++ {
						b.copy(a.Data[(from+i)*w:][:w], i)
					}
				})
			})
			if p.ctx.Err() == nil {
				add(a)
			}
		})
	}
	rows := make([][]float64, k)
	for i := range rows {
		rows[i] = g.Data[i*k : (i+1)*k : (i+1)*k]
	}
	return rows
}

// pairs returns φ_aᵀφ_b for each two of the listed bases, b before a or the same, in the
// order of a.
func (p *phi) pairs(list []int) [][]float64 {
	v := make([][]float64, len(list))
	for i := range v {
		v[i] = make([]float64, i+1)
	}
	if len(list) == 0 {
		return v
	}
	p.strips(segment, func(lo, hi int) {
		var b panel
		if p.held() {
			b = p.panel(list, lo, hi)
		} else {
			b = p.compute(p.columns(lo, hi), list, hi-lo)
		}
		par.For(len(list), 1, func(i, _ int) {
			row := make([]float64, hi-lo)
			b.copy(row, i)
			for j := range v[i] {
				v[i][j] += b.dot(j, row)
			}
		})
	})
	return v
}

// norms returns φ_jᵀφ_j and sums φ_jᵀ1 of all bases.
func (p *phi) norms() (norms, sums []float64) {
	norms, sums = make([]float64, p.size()), make([]float64, p.size())
	p.blocks(nil, segment, func(lo, hi, from int, b panel) {
		par.For(b.rows(), 32, func(i, end int) {
			row := make([]float64, hi-lo)
			for ; i < end; i++ {
				b.copy(row, i)
				norms[from+i] += dense.Dot(row, row)
				sums[from+i] += floats.Sum(row)
			}
		})
	})
	return norms, sums
}

// row is φ_j of a Φ that is held in float64.
func (p *phi) row(j int) []float64 { return p.wide.Data[j*p.n : (j+1)*p.n] }
