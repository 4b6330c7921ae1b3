package mpcvm

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"sync"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/internal/args"
	"github.com/mpcvm/mpcvm/internal/fitting"
	"github.com/mpcvm/mpcvm/internal/par"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
)

// Section 2.1 of the paper: the model, its potentials, eq. (mpcvm_2), and its probabilities, eq. p(tn,i).

// Model is a fitted mPCVM: the relevance vectors, their weights for each class and the biases. A model with
// kernel.Linear consists of coefficients of the features instead, and a mean of a linear and a kernel model,
// which search.Auto may choose, has both; see Coefficients. A Model is immutable and safe for concurrent use.
type Model struct {
	kernel  kernel.Kernel
	linear  bool // the features are basis functions too, after the kernels of the relevance vectors
	classes int
	x       *mat.Dense          // M×D relevance vectors, ascending by training index; nil if M = 0
	dim     int                 // D
	vectors func() *kernel.Rows // the vectors prepared for prediction; nil if M = 0
	index   []int               // training index of each relevance vector
	label   []int               // label of each relevance vector
	weights []column            // the weights of each class
	bias    []float64           // b_c

	classNames, featureNames []string  // may be nil
	mean, scale              []float64 // of the features; nil without a scaling
	calibration              fitting.Calibration
	reach                    reach
}

// column contains the non-zero weights of one class, ascending by vector.
type column struct {
	vector []int     // row of Model.x, or M plus the feature
	w      []float64 // w_nc, or the coefficients
}

// prepared returns Model.vectors, which copies the vectors when it is first called.
func prepared(k kernel.Kernel, x *mat.Dense) func() *kernel.Rows {
	return sync.OnceValue(func() *kernel.Rows { return kernel.NewRows(k, x) })
}

// NewModel returns a model of training samples x (rows) with labels t, for learners outside this package.
// bases[c] lists the samples in the potential of class c, in any order and without repeats, and w[c] contains
// their weights; zero weights are omitted. bias has C entries. NewModel panics if a weight has the wrong
// sign, eq. (truncatd_gaussian), or if the lengths do not match. If k is kernel.Linear, NewModel converts the
// weights into coefficients; see Model.Coefficients.
func NewModel(k kernel.Kernel, x *mat.Dense, t []int, bases [][]int, w [][]float64, bias []float64) *Model {
	n, d := x.Dims()
	if len(t) != n || len(bases) != len(bias) || len(w) != len(bias) {
		panic(fmt.Sprintf("mpcvm: NewModel: %d samples, %d labels, %d biases, weights of %d classes, bases of %d",
			n, len(t), len(bias), len(w), len(bases)))
	}
	m := &Model{kernel: k, classes: len(bias), dim: d, bias: slices.Clone(bias),
		weights: make([]column, len(bias))}
	row := make([]int, n) // 1 + row of Model.x of each sample, 0 if not in the model
	for c, list := range bases {
		for i, n := range list {
			if v := w[c][i]; v != 0 {
				if (v > 0) != (t[n] == c) {
					panic(fmt.Sprintf("mpcvm: NewModel: weight %v of a sample of class %d for class %d has the wrong sign",
						v, t[n], c))
				}
				row[n] = 1
			}
		}
	}
	for n := range row {
		if row[n] != 0 {
			m.index, m.label = append(m.index, n), append(m.label, t[n])
			row[n] = len(m.index)
		}
	}
	if len(m.index) > 0 {
		m.x = mat.NewDense(len(m.index), d, nil)
		for i, n := range m.index {
			m.x.SetRow(i, x.RawRowView(n))
		}
		m.vectors = prepared(k, m.x)
	}
	for c, list := range bases {
		order := make([]int, 0, len(list))
		for i := range list {
			if w[c][i] != 0 {
				order = append(order, i)
			}
		}
		slices.SortFunc(order, func(i, j int) int { return list[i] - list[j] })
		for _, i := range order {
			m.weights[c].vector = append(m.weights[c].vector, row[list[i]]-1)
			m.weights[c].w = append(m.weights[c].w, w[c][i])
		}
	}
	m.linearise()
	return m
}

// mostCoefficients is the number up to which there may be more coefficients than numbers in the vectors.
const mostCoefficients = 1 << 20

// linearise replaces the relevance vectors of a model with kernel.Linear by coefficients: because
// Σ_n w_nc (x_nᵀx + Offset) = (Σ_n w_nc x_n)ᵀx + Offset Σ_n w_nc, the first factor contains the coefficients,
// and the last term is added to the bias. The model does not change if one of these sums overflows or if the
// coefficients would take far more memory than the vectors, which an untrusted file could exploit.
func (m *Model) linearise() {
	k, ok := m.kernel.(kernel.Linear)
	if !ok || m.classes*m.dim > max(len(m.index)*m.dim, mostCoefficients) {
		return
	}
	rows, bias := make([][]float64, m.classes), slices.Clone(m.bias)
	for c, col := range m.weights {
		rows[c] = make([]float64, m.dim)
		for j, v := range col.vector {
			floats.AddScaled(rows[c], col.w[j], m.x.RawRowView(v))
		}
		if sum := floats.Sum(col.w); sum != 0 {
			bias[c] += k.Offset * sum
		}
		if !fitting.IsFinite(floats.Sum(rows[c])) || !fitting.IsFinite(bias[c]) {
			return
		}
	}
	m.x, m.vectors, m.index, m.label = nil, nil, nil, nil
	m.weights, m.bias = make([]column, m.classes), bias
	m.addCoefficients(rows)
}

// addCoefficients adds the coefficients in rows (C×D) to the weights.
func (m *Model) addCoefficients(rows [][]float64) {
	m.linear = true
	for c, row := range rows {
		for d, v := range row {
			if col := &m.weights[c]; v != 0 {
				col.vector, col.w = append(col.vector, len(m.index)+d), append(col.w, v)
			}
		}
	}
}

// Package search takes the mean of two models.
func init() {
	fitting.SumOfModels = func(linear, kernel any, a, b float64) any {
		l, k := linear.(*Model), kernel.(*Model)
		m := &Model{kernel: k.kernel, classes: k.classes, x: k.x, dim: k.dim, vectors: k.vectors, index: k.index,
			label: k.label, weights: make([]column, k.classes), bias: make([]float64, k.classes)}
		for c, col := range k.weights {
			m.bias[c] = a*l.bias[c] + b*k.bias[c]
			m.weights[c] = column{slices.Clone(col.vector), floats.ScaleTo(make([]float64, len(col.w)), b, col.w)}
		}
		rows := l.coefficientRows()
		for _, row := range rows {
			floats.Scale(a, row)
		}
		m.addCoefficients(rows)
		return m
	}
}

// Coefficients returns the coefficients a_cd of a model with kernel.Linear (C×D), whose potentials are y_c =
// b_c + Σ_d a_cd z_d, with the biases of Bias. If the model also has relevance vectors, their contributions
// are added. If the model has a scaling (see WithScaling), z_d = (x_d −
// mean_d)/scale_d is the standardised feature, so a_cd is the change of the potential for each scale_d
// (usually a standard deviation) of the feature, the coefficients of different features can be compared, and
// b_c is the potential of the mean. The change for each unit of the raw feature is a_cd/scale_d. Without a
// scaling, z_d = x_d. Only differences between classes affect the probabilities. Coefficients returns nil for
// other kernels, and if the coefficients exceed the range of float64 or outnumber both a million and the
// features of the relevance vectors.
func (m *Model) Coefficients() *mat.Dense {
	if !m.linear {
		return nil
	}
	a := mat.NewDense(m.classes, m.dim, nil)
	for c, col := range m.weights {
		for j, v := range col.vector {
			if d := v - len(m.index); d >= 0 {
				a.Set(c, d, col.w[j])
			}
		}
	}
	return a
}

// coefficientRows returns the rows of Coefficients, or nil.
func (m *Model) coefficientRows() (rows [][]float64) {
	if a := m.Coefficients(); a != nil {
		for c := range m.classes {
			rows = append(rows, a.RawRowView(c))
		}
	}
	return rows
}

// Potentials writes the potentials y_nc = φ(x_n)ᵀw_c + b_c, eq. (mpcvm_2), where φ contains the kernel values
// and, if the model has Coefficients, the features, of the N×D samples x to dst (N×C;
// allocated if nil) and returns it. If the model has a scaling (see WithScaling), the samples are in raw
// units. All potentials of a row are NaN if one of its features is NaN or if a potential overflows, which can
// happen with unbounded kernels. Potentials panics if x does not have D columns or dst is not N×C.
func (m *Model) Potentials(dst *mat.Dense, x mat.Matrix) *mat.Dense {
	n, _ := x.Dims()
	dst = args.Matrix("mpcvm", dst, n, m.classes)
	m.each(x, func(i int, _, y, _ []float64) { copy(dst.RawRowView(i), y) })
	return dst
}

// Predict writes the label argmax_c y_nc of each of the N samples x to dst (allocated if nil) and returns it.
// Ties go to the lower class. If the model has a floor, the label is the class with the largest probability;
// if it has costs, the label is the class with the lowest expected cost (see WithFloor and WithCosts). A row
// whose potentials are NaN gets the label −1. Predict panics in the same cases as Potentials.
func (m *Model) Predict(dst []int, x mat.Matrix) []int {
	dst = args.Slice("mpcvm", dst, x)
	if m.calibration.ByProba() {
		labels, _ := m.decide(m.Potentials(nil, x))
		copy(dst, labels)
		return dst
	}
	m.each(x, func(i int, _, y, _ []float64) { dst[i] = fitting.Argmax(y) })
	return dst
}

// decide converts potentials y (N×C) in place into probabilities p, and returns them with the labels.
func (m *Model) decide(y *mat.Dense) (labels []int, p *mat.Dense) {
	n, _ := y.Dims()
	labels = make([]int, n)
	for i := range labels {
		labels[i] = fitting.Argmax(y.RawRowView(i))
	}
	m.calibration.Proba(y)
	for i, label := range labels {
		labels[i] = m.calibration.Label(label, y.RawRowView(i))
	}
	return labels, y
}

// Proba writes the probabilities p(t = c | x_n) of the N samples x to dst (N×C; allocated if nil) and returns
// it: eq. p(tn,i) evaluated at y/T (see WithTemperature and WithFloor). Rows sum to one. A row whose
// potentials are NaN is NaN. Proba panics in the same cases as Potentials.
func (m *Model) Proba(dst *mat.Dense, x mat.Matrix) *mat.Dense {
	n, _ := x.Dims()
	dst = m.Potentials(args.Matrix("mpcvm", dst, n, m.classes), x)
	m.calibration.Proba(dst)
	return dst
}

// ProbaOne writes the probabilities p(t = c | x) of a single sample x to dst (length C; allocated if nil) and
// returns it. The result equals the row of Proba bit for bit. ProbaOne runs in the caller's goroutine and
// does not allocate memory if dst is not nil. It panics if x does not have D features or dst does not have C
// entries.
func (m *Model) ProbaOne(dst, x []float64) []float64 {
	if len(x) != m.dim {
		panic(fmt.Sprintf("mpcvm: x has %d features, but the model has %d", len(x), m.dim))
	}
	if dst == nil {
		dst = make([]float64, m.classes)
	}
	if len(dst) != m.classes {
		panic(fmt.Sprintf("mpcvm: destination of length %d for %d classes", len(dst), m.classes))
	}
	s := singles.Get().(*single)
	defer singles.Put(s)
	s.x = append(s.x[:0], x...)
	m.one(s, dst)
	s.y.SetRawMatrix(blas64.General{Rows: 1, Cols: m.classes, Stride: m.classes, Data: dst})
	m.calibration.Proba(&s.y)
	s.y.SetRawMatrix(blas64.General{}) // dst belongs to the caller
	return dst
}

// one standardises the sample s.x, and writes the kernel values to s.values and the potentials to y.
func (m *Model) one(s *single, y []float64) {
	m.standardise(s.x)
	s.values = slices.Grow(s.values[:0], len(m.index))[:len(m.index)]
	if m.vectors != nil {
		m.vectors().At(s.values, s.x)
	}
	if m.linear {
		s.values = append(s.values, s.x...)
	}
	if fitting.HasNaN(s.x) {
		fitting.Fill(s.values, math.NaN())
	}
	m.potentials(y, s.values, s.x)
}

// single is the working memory for a single sample.
type single struct {
	x, values, out []float64
	y              mat.Dense
}

var singles = sync.Pool{New: func() any { return new(single) }}

// predictGrain is the number of samples that a goroutine processes at a time.
const predictGrain = 64

// each calls f for every sample, on all cores, with its index, its standardised features, its potentials and
// its values as in Model.values (nil without weights). f may modify the slices and must not retain them.
func (m *Model) each(x mat.Matrix, f func(i int, x, y, k []float64)) {
	n, d := x.Dims()
	if d != m.dim {
		panic(fmt.Sprintf("mpcvm: x has %d features, but the model has %d", d, m.dim))
	}
	raw, _ := x.(*mat.Dense)
	if n == 1 { // with less memory
		s := singles.Get().(*single)
		defer singles.Put(s)
		s.x, s.out = mat.Row(slices.Grow(s.x[:0], d)[:d], 0, x), slices.Grow(s.out[:0], m.classes)[:m.classes]
		m.one(s, s.out)
		f(0, s.x, s.out, s.values)
		return
	}
	par.For(n, predictGrain, func(lo, hi int) {
		rows := mat.NewDense(hi-lo, d, nil)
		for i := lo; i < hi; i++ {
			row := rows.RawRowView(i - lo)
			if raw != nil {
				copy(row, raw.RawRowView(i))
				continue
			}
			for j := range row {
				row[j] = x.At(i, j)
			}
		}
		k := m.values(rows)
		y := make([]float64, m.classes)
		for i := lo; i < hi; i++ {
			var values []float64
			if k != nil {
				values = k.RawRowView(i - lo)
			}
			m.potentials(y, values, rows.RawRowView(i-lo))
			f(i, rows.RawRowView(i-lo), y, values)
		}
	})
}

// values standardises the samples x in place and returns the kernel values k(x_i, x_n) of the relevance
// vectors and, if the model has coefficients, the features, with a row for each sample, or nil if there are
// none. The row of a sample with a NaN feature is NaN, whatever the kernel returns.
func (m *Model) values(x *mat.Dense) *mat.Dense {
	n, _ := x.Dims()
	for i := range n {
		m.standardise(x.RawRowView(i))
	}
	switch {
	case m.vectors == nil && m.linear:
		return x
	case m.vectors == nil:
		return nil
	}
	k := m.vectors().Cross(nil, x)
	if m.linear {
		both := new(mat.Dense)
		both.Augment(k, x)
		k = both
	}
	for i := range n {
		if fitting.HasNaN(x.RawRowView(i)) {
			fitting.Fill(k.RawRowView(i), math.NaN())
		}
	}
	return k
}

// standardise scales a sample in place if the model has a scaling.
func (m *Model) standardise(row []float64) {
	if m.mean == nil {
		return
	}
	for d := range row {
		row[d] = (row[d] - m.mean[d]) / m.scale[d]
	}
}

// potentials writes the potentials of the standardised sample x to y, given a row of Model.values.
func (m *Model) potentials(y, values, x []float64) {
	if fitting.HasNaN(x) {
		fitting.Fill(y, math.NaN())
		return
	}
	finite := true
	for c, col := range m.weights {
		sum := m.bias[c]
		for j, v := range col.vector {
			// The conversion prevents the compiler from fusing product and sum, so that the contributions of
			// an Explanation add up to the potential.
			sum += float64(values[v] * col.w[j])
		}
		y[c] = sum
		finite = finite && fitting.IsFinite(sum)
	}
	if !finite {
		fitting.Fill(y, math.NaN())
	}
}

// WithTemperature returns a copy of the model that computes probabilities from the potentials y/T. A
// temperature T above 1 makes the probabilities more equal, and a T below 1 moves them towards 0 and 1.
// Potentials do not change, and labels change only if the model has a floor. The default is 1.
// WithTemperature panics if T is not positive and finite.
func (m *Model) WithTemperature(T float64) *Model {
	if err := checkTemperature(T); err != nil {
		panic("mpcvm: " + err.Error())
	}
	tempered := *m
	tempered.calibration.Temperature = T
	return &tempered
}

// Temperature returns the temperature T; see WithTemperature.
func (m *Model) Temperature() float64 { return cmp.Or(m.calibration.Temperature, 1) }

// WithFloor returns a copy of the model whose probabilities are p_c = f_c + (1 − Σf)·q_c, where q_c are the
// probabilities without a floor and f_c ≥ 0 is the floor of class c. No probability is below its floor. If
// the floor is λ times the class frequencies, the probabilities are a mixture of the model and the class
// frequencies, in which the class frequencies have weight λ. With a floor, the label is the class with the
// largest p_c; if two probabilities differ by less than 1e-9, the lower class wins. Potentials do not change.
// If floor is nil, the floor is removed. WithFloor panics if floor does not have C entries, an entry is
// negative, or the sum exceeds 1.
func (m *Model) WithFloor(floor []float64) *Model {
	if floor != nil {
		if err := checkFloor(floor, m.classes); err != nil {
			panic("mpcvm: " + err.Error())
		}
	}
	floored := *m
	floored.calibration.Floor = slices.Clone(floor)
	return &floored
}

// Floor returns a copy of the floor, or nil if there is none; see WithFloor.
func (m *Model) Floor() []float64 { return slices.Clone(m.calibration.Floor) }

// WithCosts returns a copy of the model that decides by the costs of errors: the label of a sample is the
// class with the lowest expected cost, as in Model.Decide. Probabilities and prediction sets do not change.
// If costs is nil, the costs are removed. WithCosts panics if costs is not C×C or a cost is not finite.
func (m *Model) WithCosts(costs mat.Matrix) *Model {
	decided := *m
	decided.calibration.Costs = nil
	if costs != nil {
		decided.calibration.Costs = m.rowsOf(costs)
	}
	return &decided
}

// Costs returns a copy of the costs, or nil if there are none; see WithCosts.
func (m *Model) Costs() *mat.Dense {
	if m.calibration.Costs == nil {
		return nil
	}
	costs := mat.NewDense(m.classes, m.classes, nil)
	for c, row := range m.calibration.Costs {
		costs.SetRow(c, row)
	}
	return costs
}

// rowsOf returns the rows of costs. It panics if costs is not C×C or not finite.
func (m *Model) rowsOf(costs mat.Matrix) [][]float64 {
	if rows, columns := costs.Dims(); rows != m.classes || columns != m.classes {
		panic(fmt.Sprintf("mpcvm: %d×%d costs for a model of %d classes", rows, columns, m.classes))
	}
	list := make([][]float64, m.classes)
	for c := range list {
		list[c] = mat.Row(nil, c, costs)
	}
	if err := checkCosts(list, m.classes); err != nil {
		panic("mpcvm: " + err.Error())
	}
	return list
}

// checkCosts returns an error if the costs do not fit c classes.
func checkCosts(costs [][]float64, c int) error {
	if len(costs) != c {
		return fmt.Errorf("costs: %d rows for %d classes", len(costs), c)
	}
	for i, row := range costs {
		if len(row) != c {
			return fmt.Errorf("costs[%d]: %d numbers for %d classes", i, len(row), c)
		}
		for j, v := range row {
			if !fitting.IsFinite(v) {
				return fmt.Errorf("costs[%d][%d]: %v is not finite", i, j, v)
			}
		}
	}
	return nil
}

// checkFloor returns an error if the floor does not fit c classes. The sum may exceed 1 by a rounding error.
func checkFloor(floor []float64, c int) error {
	if len(floor) != c {
		return fmt.Errorf("floor: %d numbers for %d classes", len(floor), c)
	}
	for i, v := range floor {
		if !(v >= 0 && v <= 1) {
			return fmt.Errorf("floor[%d]: %v is not between 0 and 1", i, v)
		}
	}
	if sum := floats.Sum(floor); sum > 1+1e-9 {
		return fmt.Errorf("floor: the sum %v exceeds 1", sum)
	}
	return nil
}

func checkTemperature(T float64) error {
	if !fitting.IsFinite(T) || T <= 0 {
		return fmt.Errorf("temperature: %v is not positive and finite", T)
	}
	return nil
}
