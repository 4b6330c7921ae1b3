package gram

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/internal/memory"
	"github.com/mpcvm/mpcvm/internal/par"
	"github.com/mpcvm/mpcvm/mpcvm/internal/dense"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
)

const (
	// segment is the number of columns of Φ that are summed at a time, a multiple of dense.Columns. A longer
	// scalar product is the sum of the products of its segments.
	segment = 1 << 15
	// workNumbers is the number of elements of Φ that are computed at a time if Φ is not stored.
	workNumbers = 1 << 23
)

// WorkBytes is the memory in bytes that Φ needs if it is recomputed for each use.
const WorkBytes = 8 * workNumbers

// SegmentColumns is the number of columns of Φ that a product copies at a time.
const SegmentColumns = segment

// Options determine how the values of Φ are kept. The zero value stores them in float64.
type Options struct {
	// Float32 rounds the values to float32.
	Float32 bool
	// Fast sums up to dense.Columns terms in float32 in products with all rows of a stored Φ in float32.
	Fast bool
	// Recompute computes the values whenever they are needed instead of storing them.
	Recompute bool
	// Weights multiplies the N samples in all sums over samples, except in Pass. If it is nil, all weights
	// are 1.
	Weights []float64
}

// Phi is the K×N matrix Φ. It must not be used by several goroutines at the same time.
type Phi struct {
	ctx    context.Context
	kernel kernel.Kernel
	x      *mat.Dense // N×D
	bases  []int      // the K samples of the rows
	k, n   int
	round  bool      // values are rounded to float32
	fast   bool      // see Options
	stored rows      // all of Φ; nil if computed for each use
	weight []float64 // of each sample; nil if all weights are 1

	work, copies []float64 // buffers of compute, and of Multiply and Square
}

// New returns Φ of the samples (rows) of x (N×D), with one row for each of the listed bases, which must be in
// ascending order.
func New(ctx context.Context, k kernel.Kernel, x *mat.Dense, bases []int, o Options) *Phi {
	n, _ := x.Dims()
	p := &Phi{ctx: ctx, kernel: k, x: x, bases: bases, k: len(bases), n: n, round: o.Float32, fast: o.Fast,
		weight: o.Weights}
	switch all := p.k == n; {
	case o.Recompute:
	case o.Float32:
		p.stored = storeAll[float32](p)
	case all:
		p.stored = newStored(kernel.Gram(nil, k, x).RawMatrix().Data, n, n)
	default:
		p.stored = storeAll[float64](p)
	}
	return p
}

// storeAll computes all of Φ.
func storeAll[T float32 | float64](p *Phi) strips[T] {
	phi := newStrips[T](p.k, p.n)
	p.blocks(nil, func(lo, hi, from int, b rows) {
		computed := b.(stored[float64])
		par.For(b.len(), 8, func(i, end int) {
			for ; i < end; i++ {
				for row := computed.row(i); len(row) > 0; {
					to := phi[(lo+computed.width-len(row))/dense.Columns].row(from + i)
					for j := range to {
						to[j] = T(row[j])
					}
					row = row[len(to):]
				}
			}
		})
	})
	p.work = nil
	return phi
}

// columns prepares the samples lo to hi for the evaluation of the kernel.
func (p *Phi) columns(lo, hi int) *kernel.Rows {
	_, d := p.x.Dims()
	return kernel.NewRows(p.kernel, p.x.Slice(lo, hi, 0, d).(*mat.Dense))
}

// compute computes the listed rows at the samples prepared by columns. The result is valid until the next
// call.
func (p *Phi) compute(columns *kernel.Rows, list []int, width int) rows {
	_, d := p.x.Dims()
	x := mat.NewDense(len(list), d, nil)
	for i, j := range list {
		x.SetRow(i, p.x.RawRowView(p.bases[j]))
	}
	b := newStored(buffer(&p.work, len(list)*width), len(list), width)
	columns.Cross(mat.NewDense(len(list), width, b.data), x)
	if p.round {
		par.For(len(list), 8, func(i, end int) {
			for ; i < end; i++ {
				row := b.row(i)
				for j, v := range row {
					row[j] = float64(float32(v))
				}
			}
		})
	}
	return b
}

// Reserve reserves the memory of Φ (K×N) and other bytes. what names the work in the *memory.Error, for
// example "mpcvm: BottomUp". If there is not enough memory to store Φ and candidates is set, Reserve sets
// o.Recompute and reserves less.
func (o *Options) Reserve(ctx context.Context, what string, k, n int, other float64,
	candidates bool) (release func(), err error) {
	phi, advice := 8*float64(k)*float64(n), "set Candidates, or use fewer samples (rows)"
	if o.Float32 {
		phi /= 2
	} else {
		advice = "set Float32, " + advice
	}
	what = fmt.Sprintf("%s of %d samples", what, n)
	if phi > 1<<28 {
		runtime.GC() // frees the memory of earlier fits
	}
	if candidates {
		what, advice = fmt.Sprintf("%s with %d candidates", what, k), "lower Candidates, or use fewer samples "+
			"(rows)"
	}
	release, err = memory.ReserveContext(ctx, phi+other, what, advice)
	if err == nil || !candidates {
		return release, err
	}
	o.Recompute = true
	return memory.ReserveContext(ctx, min(phi, WorkBytes)+other, what, advice)
}

// strips calls f for consecutive ranges of columns, at most width wide, until the context ends.
func (p *Phi) strips(width int, f func(lo, hi int)) {
	for lo := 0; lo < p.n && p.ctx.Err() == nil; lo += width {
		f(lo, min(lo+width, p.n))
	}
}

// stripWidth returns the number of columns for which all rows fit into the working memory.
func (p *Phi) stripWidth() int {
	return min(segment, max(1, workNumbers/dense.Columns/p.k)*dense.Columns)
}

// part returns columns lo to hi of the listed rows, or of all rows if list is nil. They are valid until the
// next call.
func (p *Phi) part(list []int, lo, hi int) rows {
	if p.stored != nil {
		return p.stored.at(list, lo, hi)
	}
	if list == nil {
		list = count(p.k)
	}
	return p.compute(p.columns(lo, hi), list, hi-lo)
}

// parts calls f with columns lo to hi of the listed rows, or of all rows if list is nil. Rows that must be
// computed come in groups that fit into the working memory. from is the index in list of the first row of the
// group.
func (p *Phi) parts(list []int, lo, hi int, f func(from int, b rows)) {
	if p.stored != nil {
		f(0, p.stored.at(list, lo, hi))
		return
	}
	if list == nil {
		list = count(p.k)
	}
	columns, high := p.columns(lo, hi), max(1, workNumbers/(hi-lo))
	for from := 0; from < len(list) && p.ctx.Err() == nil; from += high {
		f(from, p.compute(columns, list[from:min(from+high, len(list))], hi-lo))
	}
}

// blocks calls parts for all columns.
func (p *Phi) blocks(list []int, f func(lo, hi, from int, b rows)) {
	p.strips(segment, func(lo, hi int) {
		p.parts(list, lo, hi, func(from int, b rows) { f(lo, hi, from, b) })
	})
}

// Multiply sets the first rows of dst to Z·Φᵀ, and the following rows to the rows of ΦΦᵀ of the listed bases,
// in one pass over Φ. Z has N columns and dst has K columns.
func (p *Phi) Multiply(dst, z blas64.General, list []int) {
	height := z.Rows + len(list)
	dst.Rows = height
	for i := range height {
		clear(dst.Data[i*dst.Stride : i*dst.Stride+dst.Cols])
	}
	p.strips(segment, func(lo, hi int) {
		w := hi - lo
		a := blas64.General{Rows: height, Cols: w, Stride: w, Data: buffer(&p.copies, height*w)}
		for i := range z.Rows {
			copy(a.Data[i*w:], z.Data[i*z.Stride+lo:i*z.Stride+hi])
		}
		if len(list) > 0 {
			p.parts(list, lo, hi, func(from int, b rows) {
				for i := range b.len() {
					b.copy(a.Data[(z.Rows+from+i)*w:][:w], i)
				}
			})
		}
		for i := 0; i < height && p.weight != nil; i++ {
			floats.Mul(a.Data[i*w:][:w], p.weight[lo:hi])
		}
		p.parts(nil, lo, hi, func(from int, b rows) {
			part := dst
			part.Cols, part.Data = b.len(), dst.Data[from:]
			b.addMulT(part, a, p.fast)
		})
	})
}

// Times sets dst = Z·Φᵀ in one pass over Φ.
func (p *Phi) Times(dst, z *mat.Dense) { p.Multiply(dst.RawMatrix(), z.RawMatrix(), nil) }

// Pass makes one pass over Φ, in ranges of columns lo to hi. For each range it sets these columns of Y = WΦ,
// calls between, and then adds the product of these columns of Z and Φ to P = ZΦᵀ. W and Y have the same
// number of rows, W and P have K columns, and Y and Z have N columns. If W or Z is nil, its product is
// skipped.
func (p *Phi) Pass(y, w, out, z *mat.Dense, between func(lo, hi int)) {
	p.strips(dense.Columns, func(lo, hi int) {
		phi := p.part(nil, lo, hi)
		columns := func(m *mat.Dense) blas64.General {
			rows, _ := m.Dims()
			return m.Slice(0, rows, lo, hi).(*mat.Dense).RawMatrix()
		}
		if w != nil {
			to := columns(y)
			for i := range to.Rows {
				clear(to.Data[i*to.Stride:][:to.Cols])
			}
			phi.addMul(to, w.RawMatrix())
		}
		between(lo, hi)
		if z != nil {
			phi.addMulT(out.RawMatrix(), columns(z), p.fast)
		}
	})
}

// TimesAt sets φ_jᵀz_c in dst for the bases j of each class c only.
func (p *Phi) TimesAt(dst, z *mat.Dense, bases func(c int) []int) {
	classes, _ := z.Dims()
	in := make([][]int, p.k) // classes of each basis
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
	if p.weight != nil {
		z = mat.DenseCopyOf(z)
		for c := range classes {
			floats.Mul(z.RawRowView(c), p.weight)
		}
	}
	p.blocks(list, func(lo, hi, from int, b rows) {
		par.For(b.len(), 16, func(i, end int) {
			row := make([]float64, hi-lo)
			for ; i < end; i++ {
				b.copy(row, i)
				j := list[from+i]
				for _, c := range in[j] {
					dst.Set(c, j, dst.At(c, j)+dense.Dot(z.RawRowView(c)[lo:hi], row))
				}
			}
		})
	})
}

// AddTo computes y_c += Σ_i w_i φ_i for each class c over its bases.
func (p *Phi) AddTo(y *mat.Dense, of func(c int) (bases []int, w []float64)) {
	classes, _ := y.Dims()
	position := make([]int, p.k) // 1 + index in the list, 0 if not in the list
	positions, weights := make([][]int, classes), make([][]float64, classes)
	var list []int
	for c := range classes {
		var bases []int
		bases, weights[c] = of(c)
		for _, j := range bases {
			if position[j] == 0 {
				list = append(list, j)
				position[j] = len(list)
			}
			positions[c] = append(positions[c], position[j]-1)
		}
	}
	if list == nil {
		return
	}
	width := p.n
	if p.stored == nil {
		const vector = 4096 // a multiple of the columns that package kernel computes at a time
		width = max(1, workNumbers/vector/len(list)) * vector
	}
	p.strips(width, func(lo, hi int) {
		b := p.part(list, lo, hi)
		par.For(classes, 1, func(c, _ int) {
			b.combine(y.RawRowView(c)[lo:hi], weights[c], positions[c])
		})
	})
}

// Gram returns the rows of ΦΦᵀ of the listed bases, in one pass over Φ.
func (p *Phi) Gram(list []int) [][]float64 {
	dst := zeros(len(list), p.k)
	p.Multiply(dst, blas64.General{Cols: p.n, Stride: p.n}, list)
	return rowsOf(dst)
}

// Square returns the rows of ΦΦᵀ.
func (p *Phi) Square() [][]float64 {
	const high = 256 // rows of ΦΦᵀ between checks of the context
	g := zeros(p.k, p.k)
	p.strips(p.stripWidth(), func(lo, hi int) {
		a := inFloat64(p.part(nil, lo, hi), hi-lo, &p.copies)
		if p.weight != nil {
			a = rooted(a, p.weight[lo:hi])
		}
		for from := 0; from < p.k && p.ctx.Err() == nil; from += high {
			dense.AddGramRows(g, a, from, min(from+high, p.k))
		}
	})
	return rowsOf(g)
}

// rooted returns a with each column multiplied by the square root of its weight.
func rooted(a blas64.General, weight []float64) blas64.General {
	to := blas64.General{Rows: a.Rows, Cols: a.Cols, Stride: a.Cols, Data: make([]float64, a.Rows*a.Cols)}
	root := make([]float64, len(weight))
	for n, v := range weight {
		root[n] = math.Sqrt(v)
	}
	for i := range a.Rows {
		floats.MulTo(to.Data[i*to.Stride:][:to.Cols], a.Data[i*a.Stride:][:a.Cols], root)
	}
	return to
}

func zeros(rows, columns int) blas64.General {
	return blas64.General{Rows: rows, Cols: columns, Stride: columns, Data: make([]float64, rows*columns)}
}

func rowsOf(m blas64.General) [][]float64 {
	rows := make([][]float64, m.Rows)
	for i := range rows {
		rows[i] = m.Data[i*m.Stride : i*m.Stride+m.Cols : i*m.Stride+m.Cols]
	}
	return rows
}

// Pairs returns φ_aᵀφ_b for all pairs of listed bases with b not after a, in the order of a.
func (p *Phi) Pairs(list []int) [][]float64 {
	v := make([][]float64, len(list))
	for i := range v {
		v[i] = make([]float64, i+1)
	}
	if len(list) == 0 {
		return v
	}
	p.strips(segment, func(lo, hi int) {
		b := p.part(list, lo, hi)
		all := zeros(len(list), hi-lo)
		par.For(len(list), 1, func(i, _ int) { b.copy(all.Data[i*all.Stride:][:all.Cols], i) })
		par.For(len(list), 1, func(i, _ int) {
			row := slices.Clone(all.Data[i*all.Stride:][:all.Cols])
			if p.weight != nil {
				floats.Mul(row, p.weight[lo:hi])
			}
			for j := range v[i] {
				v[i][j] += dense.Dot(all.Data[j*all.Stride:][:all.Cols], row)
			}
		})
	})
	return v
}

// Norms returns the squared norms φ_jᵀφ_j and the sums φ_jᵀ1 of all bases.
func (p *Phi) Norms() (norms, sums []float64) {
	norms, sums = make([]float64, p.k), make([]float64, p.k)
	p.blocks(nil, func(lo, hi, from int, b rows) {
		par.For(b.len(), 32, func(i, end int) {
			row := make([]float64, hi-lo)
			for ; i < end; i++ {
				b.copy(row, i)
				if p.weight == nil {
					norms[from+i] += dense.Dot(row, row)
					sums[from+i] += floats.Sum(row)
					continue
				}
				weighted := floats.MulTo(make([]float64, hi-lo), row, p.weight[lo:hi])
				norms[from+i] += dense.Dot(row, weighted)
				sums[from+i] += floats.Sum(weighted)
			}
		})
	})
	return norms, sums
}

// count returns 0 to n−1.
func count(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return list
}
