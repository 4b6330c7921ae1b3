package gram

import (
	"context"
	"fmt"
	"runtime"

	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/internal/memory"
	"github.com/mpcvm/mpcvm/mpcvm/internal/dense"
	"github.com/mpcvm/mpcvm/mpcvm/internal/par"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
)

const (
	// segment is how many columns of Φ there are in a sum at a time, a multiple of
	// dense.Columns. A longer scalar product is the sum of the products of its segments.
	segment = 1 << 15
	// workNumbers is how many numbers of Φ are computed at a time where it is not held.
	workNumbers = 1 << 23
)

// WorkBytes is the memory that a Φ takes which is computed anew, in bytes.
const WorkBytes = 8 * workNumbers

// SegmentColumns is how many columns of Φ a product copies at a time.
const SegmentColumns = segment

// Options say how the numbers of Φ are kept. The zero value holds them in float64.
type Options struct {
	// Float32 rounds them to float32.
	Float32 bool
	// Recompute computes them anew whenever they are needed.
	Recompute bool
}

// Phi is the matrix Φ, K×N. It is for one goroutine at a time.
type Phi struct {
	ctx    context.Context
	source source
	k, n   int
	copies []float64 // of Multiply
}

// New returns Φ of the samples (rows) of x, N×D, with one row for each of the listed bases,
// which must ascend.
func New(ctx context.Context, k kernel.Kernel, x *mat.Dense, bases []int, o Options) *Phi {
	n, _ := x.Dims()
	p := &Phi{ctx: ctx, k: len(bases), n: n}
	computed := &recomputed{ctx: ctx, kernel: k, x: x, bases: bases, float32: o.Float32 && o.Recompute}
	p.source = computed
	switch whole := p.k == n; {
	case o.Recompute:
	case o.Float32 && whole:
		p.source = &inFloat32{General: blas32.General{Rows: n, Cols: n, Stride: n, Data: kernel.Gram32(nil, k, x)}}
	case o.Float32:
		data := make([]float32, p.k*n)
		fill(p, func(at int, values []float64) {
			for j, v := range values {
				data[at+j] = float32(v)
			}
		})
		p.source = &inFloat32{General: blas32.General{Rows: p.k, Cols: n, Stride: n, Data: data}}
	case whole:
		p.source = inFloat64{kernel.Gram(nil, k, x).RawMatrix()}
	default:
		data := make([]float64, p.k*n)
		fill(p, func(at int, values []float64) { copy(data[at:], values) })
		p.source = inFloat64{blas64.General{Rows: p.k, Cols: n, Stride: n, Data: data}}
	}
	return p
}

// fill calls put with all numbers of a Φ that is computed, and where each stretch of a row
// begins among them.
func fill(p *Phi, put func(at int, values []float64)) {
	p.blocks(nil, func(lo, _, from int, b block) {
		par.For(b.rows(), 8, func(i, end int) {
			for ; i < end; i++ {
				put((from+i)*p.n+lo, b.(wide)[i])
			}
		})
	})
}

// Reserve asks for the memory of Φ, K×N, and of other bytes. What names the work in the
// *memory.Error, such as "mpcvm: BottomUp". If there is not enough to hold Φ and candidates
// is set, Reserve sets o.Recompute and asks for less.
func (o *Options) Reserve(ctx context.Context, what string, k, n int, other float64, candidates bool) (release func(), err error) {
	phi, advice := 8*float64(k)*float64(n), "set Candidates, or take fewer samples (rows)"
	if o.Float32 {
		phi /= 2
	} else {
		advice = "set Float32, " + advice
	}
	what = fmt.Sprintf("%s of %d samples", what, n)
	if phi > 1<<28 {
		runtime.GC() // an earlier fit may have left as much
	}
	if candidates {
		what, advice = fmt.Sprintf("%s with %d candidates", what, k), "lower Candidates, or take fewer samples (rows)"
	}
	release, err = memory.ReserveContext(ctx, phi+other, what, advice)
	if err == nil || !candidates {
		return release, err
	}
	o.Recompute = true
	return memory.ReserveContext(ctx, min(phi, WorkBytes)+other, what, advice)
}

// Row returns row j of a Φ that is held in float64.
func (p *Phi) Row(j int) []float64 {
	g := p.source.(inFloat64)
	return g.Data[j*g.Stride : j*g.Stride+p.n]
}

// strips calls f for stretches of columns of at most this width, until the context ends.
func (p *Phi) strips(width int, f func(lo, hi int)) {
	for lo := 0; lo < p.n && p.ctx.Err() == nil; lo += width {
		f(lo, min(lo+width, p.n))
	}
}

// blocks calls f for all columns of the listed rows, or of all rows if the list is nil.
func (p *Phi) blocks(list []int, f func(lo, hi, from int, b block)) {
	if list == nil {
		list = count(p.k)
	}
	p.strips(segment, func(lo, hi int) {
		p.source.blocks(list, lo, hi, func(from int, b block) { f(lo, hi, from, b) })
	})
}

// Multiply sets the first rows of dst to Z·Φᵀ, and those that follow to the rows of ΦΦᵀ
// of the listed bases, in one pass over Φ. Z has N columns and dst K.
func (p *Phi) Multiply(dst, z blas64.General, list []int) {
	rows := z.Rows + len(list)
	dst.Rows = rows
	for i := range rows {
		clear(dst.Data[i*dst.Stride : i*dst.Stride+dst.Cols])
	}
	p.strips(segment, func(lo, hi int) {
		w := hi - lo
		if len(p.copies) < rows*w {
			p.copies = make([]float64, rows*w)
		}
		a := blas64.General{Rows: rows, Cols: w, Stride: w, Data: p.copies[:rows*w]}
		for i := range z.Rows {
			copy(a.Data[i*w:], z.Data[i*z.Stride+lo:i*z.Stride+hi])
		}
		if len(list) > 0 {
			p.source.blocks(list, lo, hi, func(from int, b block) {
				for i := range b.rows() {
					b.copy(a.Data[(z.Rows+from+i)*w:][:w], i)
				}
			})
		}
		p.source.addProduct(dst, a, lo, hi)
	})
}

// Times sets dst = Z·Φᵀ in one pass over Φ.
func (p *Phi) Times(dst, z *mat.Dense) { p.Multiply(dst.RawMatrix(), z.RawMatrix(), nil) }

// Pass goes once through Φ, a stretch of columns lo to hi at a time. It sets these columns of
// Y = WΦ, calls between, and then adds to P what these columns of Z and Φ give of ZΦᵀ. W and Y
// have the same number of rows, W and P have K columns, Y and Z have N. A nil W or Z leaves out
// its product.
func (p *Phi) Pass(y, w, out, z *mat.Dense, between func(lo, hi int)) {
	width := min(4*dense.Columns, stripWidth(p.k))
	p.strips(width, func(lo, hi int) {
		t := p.source.tile(lo, hi)
		part := func(m *mat.Dense) blas64.General {
			rows, _ := m.Dims()
			return m.Slice(0, rows, lo, hi).(*mat.Dense).RawMatrix()
		}
		if w != nil {
			to := part(y)
			for i := range to.Rows {
				clear(to.Data[i*to.Stride:][:to.Cols])
			}
			t.addMul(to, w.RawMatrix())
		}
		between(lo, hi)
		if z != nil {
			t.addMulT(out.RawMatrix(), part(z))
		}
	})
}

// TimesAt sets φ_jᵀz_c in dst for the bases j of each class c alone.
func (p *Phi) TimesAt(dst, z *mat.Dense, bases func(c int) []int) {
	classes, _ := z.Dims()
	in := make([][]int, p.k) // the classes of each basis
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
	p.blocks(list, func(lo, hi, from int, b block) {
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

// AddTo does y_c += Σ_i w_i φ_i for each class c over its bases.
func (p *Phi) AddTo(y *mat.Dense, of func(c int) (bases []int, w []float64)) {
	classes, _ := y.Dims()
	if p.source.held() {
		par.For(classes, 1, func(c, _ int) {
			bases, w := of(c)
			p.source.block(bases, 0, p.n).addTo(y.RawRowView(c), w)
		})
		return
	}
	place := make([]int, p.k) // 1 + place in the list, 0 if it is not there
	places, weights := make([][]int, classes), make([][]float64, classes)
	var list []int
	for c := range classes {
		var bases []int
		bases, weights[c] = of(c)
		for _, j := range bases {
			if place[j] == 0 {
				list = append(list, j)
				place[j] = len(list)
			}
			places[c] = append(places[c], place[j]-1)
		}
	}
	if list == nil {
		return
	}
	width, _ := p.source.widths(len(list))
	p.strips(width, func(lo, hi int) {
		b := p.source.block(list, lo, hi)
		par.For(classes, 1, func(c, _ int) {
			b.pick(places[c]).addTo(y.RawRowView(c)[lo:hi], weights[c])
		})
	})
}

// Gram returns the rows of ΦΦᵀ of the listed bases, in one pass over Φ.
func (p *Phi) Gram(list []int) [][]float64 {
	dst := square(len(list), p.k)
	p.Multiply(dst, blas64.General{Cols: p.n, Stride: p.n}, list)
	return rowsOf(dst)
}

// Square returns the rows of ΦΦᵀ.
func (p *Phi) Square() [][]float64 {
	const high = 256 // rows of ΦΦᵀ between looks at the context
	g := square(p.k, p.k)
	_, width := p.source.widths(0)
	p.strips(width, func(lo, hi int) {
		a := p.source.strip(lo, hi)
		for from := 0; from < p.k && p.ctx.Err() == nil; from += high {
			dense.AddGramRows(g, a, from, min(from+high, p.k))
		}
	})
	return rowsOf(g)
}

func square(rows, columns int) blas64.General {
	return blas64.General{Rows: rows, Cols: columns, Stride: columns, Data: make([]float64, rows*columns)}
}

func rowsOf(m blas64.General) [][]float64 {
	rows := make([][]float64, m.Rows)
	for i := range rows {
		rows[i] = m.Data[i*m.Stride : i*m.Stride+m.Cols : i*m.Stride+m.Cols]
	}
	return rows
}

// Pairs returns φ_aᵀφ_b for each two of the listed bases, b before a or the same, in the
// order of a.
func (p *Phi) Pairs(list []int) [][]float64 {
	v := make([][]float64, len(list))
	for i := range v {
		v[i] = make([]float64, i+1)
	}
	if len(list) == 0 {
		return v
	}
	p.strips(segment, func(lo, hi int) {
		b := p.source.block(list, lo, hi)
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

// Norms returns the squared norms φ_jᵀφ_j and the sums φ_jᵀ1 of all bases.
func (p *Phi) Norms() (norms, sums []float64) {
	norms, sums = make([]float64, p.k), make([]float64, p.k)
	p.blocks(nil, func(lo, hi, from int, b block) {
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
