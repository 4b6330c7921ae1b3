package export

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/mpcvm/kernel"
	"github.com/mpcvm/mpcvm/tables/internal/celltext"
	"github.com/mpcvm/mpcvm/tables/recipe"
	"github.com/mpcvm/mpcvm/tables/table"
)

// An ONNX model is a graph of operators of opset 13 in float64. Its inputs are the columns of the recipe (see
// cells). A model without a recipe has a single input "features" with N×D samples. The outputs are
// "label", which is −1 if a row cannot be predicted or a potential is not finite, and "probabilities" (N×C).
// The metadata "classes", "features" and "inputs" have the names as JSON.
//
// The ONNX runtime for CPUs has no Erf for float64. Therefore Ψ(−t) = φ(t)R(t) is computed from Mills' ratio
// R(t) = P(x)/(1 + t), x = (t − 3)/(t + 3), with a polynomial P.

// Constants of the ONNX format.
const (
	onnxInt64, onnxString, onnxDouble = 7, 8, 11
	onnxIR, onnxOpset                 = 8, 13
	onnxLearning                      = "ai.onnx.ml" // domain of the machine learning operators
)

type message []byte

// number appends an integer field.
func (m *message) number(field int, v int64) {
	*m = binary.AppendUvarint(*m, uint64(field)<<3)
	*m = binary.AppendUvarint(*m, uint64(v))
}

// bytes appends a field with a text, bytes or another message.
func (m *message) bytes(field int, v []byte) {
	*m = binary.AppendUvarint(*m, uint64(field)<<3|2)
	*m = binary.AppendUvarint(*m, uint64(len(v)))
	*m = append(*m, v...)
}

func (m *message) text(field int, v string) { m.bytes(field, []byte(v)) }

// graph is an ONNX graph under construction. Values are identified by their names.
type graph struct {
	message
	names int
	known map[string]string // names of scalars, by value
}

func (g *graph) name() string {
	g.names++
	return namePrefix + strconv.Itoa(g.names)
}

// namePrefix is the prefix of the names of values that are neither inputs nor outputs.
const namePrefix = "v/"

// op adds an operator and returns its result. An attribute is an integer, or a list of texts or integers.
func (g *graph) op(kind string, attributes map[string]any, inputs ...string) string {
	return g.named(g.name(), kind, attributes, inputs...)
}

// named is like op, with the given name of the result.
func (g *graph) named(result, kind string, attributes map[string]any, inputs ...string) string {
	var node message
	for _, in := range inputs {
		node.text(1, in)
	}
	node.text(2, result)
	node.text(4, kind)
	for _, name := range slices.Sorted(maps.Keys(attributes)) {
		var a message
		a.text(1, name)
		switch v := attributes[name].(type) {
		case []int64:
			for _, one := range v {
				a.number(8, one)
			}
			a.number(20, 7) // INTS
		case []string:
			for _, one := range v {
				a.text(9, one)
			}
			a.number(20, 8) // STRINGS
		case int:
			a.number(3, int64(v))
			a.number(20, 2) // INT
		default:
			panic(fmt.Sprintf("export: attribute %s of type %T", name, v))
		}
		node.bytes(5, a)
	}
	if kind == "LabelEncoder" {
		node.text(7, onnxLearning)
	}
	g.bytes(1, node)
	return result
}

// tensor adds a constant and returns its name.
func (g *graph) tensor(values []float64, dims ...int) string {
	raw := make([]byte, 0, 8*len(values))
	for _, v := range values {
		raw = binary.LittleEndian.AppendUint64(raw, math.Float64bits(v))
	}
	return g.constant(onnxDouble, raw, dims)
}

// whole adds a constant list of integers.
func (g *graph) whole(values ...int64) string {
	raw := make([]byte, 0, 8*len(values))
	for _, v := range values {
		raw = binary.LittleEndian.AppendUint64(raw, uint64(v))
	}
	return g.constant(onnxInt64, raw, []int{len(values)})
}

func (g *graph) constant(kind int64, raw []byte, dims []int) string {
	var t message
	for _, n := range dims {
		t.number(1, int64(n))
	}
	t.number(2, kind)
	name := g.name()
	t.text(8, name)
	t.bytes(9, raw)
	g.bytes(5, t)
	return name
}

// scalar returns the name of a constant number, which it adds only once.
func (g *graph) scalar(v float64) string {
	text := strconv.FormatFloat(v, 'g', -1, 64)
	if g.known[text] == "" {
		g.known[text] = g.tensor([]float64{v})
	}
	return g.known[text]
}

func (g *graph) add(a, b string) string { return g.op("Add", nil, a, b) }
func (g *graph) sub(a, b string) string { return g.op("Sub", nil, a, b) }
func (g *graph) mul(a, b string) string { return g.op("Mul", nil, a, b) }
func (g *graph) div(a, b string) string { return g.op("Div", nil, a, b) }

func (g *graph) sum(a string, axis int64, keep int) string {
	return g.op("ReduceSum", map[string]any{"keepdims": keep}, a, g.whole(axis))
}

// port adds an input or output with N rows.
func (g *graph) port(field int, name string, kind int64, columns int) {
	var rows, shape, tensor, of, value message
	rows.text(2, "N")
	shape.bytes(1, rows)
	if columns > 0 {
		var width message
		width.number(1, int64(columns))
		shape.bytes(1, width)
	}
	tensor.number(1, kind)
	tensor.bytes(2, shape)
	of.bytes(1, tensor)
	value.text(1, name)
	value.bytes(2, of)
	g.bytes(field, value)
}

func (f *model) onnx(withRecipe bool) ([]byte, error) {
	g := &graph{known: map[string]string{}}
	g.text(2, "mpcvm")
	x, inputs := "features", []onnxInput{}
	if withRecipe {
		x, inputs = g.cells(f)
	} else {
		g.port(11, x, onnxDouble, f.Model.Features())
	}
	g.port(12, "label", onnxInt64, 0)
	g.port(12, "probabilities", onnxDouble, len(f.Classes))
	y, err := g.potentials(f, x)
	if err != nil {
		return nil, err
	}
	g.label(f, y, g.probabilities(f, y))
	var out message
	out.number(1, onnxIR)
	out.text(2, "mpcvm")
	out.bytes(7, g.message)
	uses := func(domain string, version int64) {
		var opset message
		opset.text(1, domain)
		opset.number(2, version)
		out.bytes(8, opset)
	}
	if uses("", onnxOpset); withRecipe {
		uses(onnxLearning, 2)
	}
	for _, list := range []struct {
		name string
		of   any
	}{{"classes", f.Classes}, {"features", f.FeatureNames()}, {"inputs", inputs}} {
		text, _ := json.Marshal(list.of) // strings
		var property message
		property.text(1, list.name)
		property.bytes(2, text)
		out.bytes(14, property)
	}
	return out, nil
}

// overflow limits the squared and absolute differences of features; kernels are zero long before.
const overflow = 1e200

// potentials computes y_c = b_c + Σ_d a_cd z_d + Σ_n k(z, x_n) w_nc (N×C) for standardised features z.
func (g *graph) potentials(f *model, features string) (string, error) {
	m, d, c := f.VectorCount(), f.Model.Features(), len(f.Classes)
	z := g.div(g.sub(features, g.tensor(f.Mean, d)), g.tensor(f.Scale, d))
	y := g.tensor(f.Bias(), c)
	if a := f.linear(); a != nil || m == 0 {
		coefficients := mat.NewDense(d, c, nil)
		if a != nil {
			coefficients.Copy(a.T())
		}
		y = g.add(g.op("MatMul", nil, z, g.tensor(coefficients.RawMatrix().Data, d, c)), y)
	}
	if m == 0 {
		return y, nil
	}
	x, transposed, w := make([]float64, 0, m*d), make([]float64, m*d), make([]float64, 0, m*c)
	for i, v := range f.RelevanceVectors() {
		x = append(x, v.X...)
		for j, value := range v.X {
			transposed[j*m+i] = value
		}
		w = append(w, v.Weights...)
	}
	var s string // N×M sums
	if f.Sum.Kind == kernel.Products {
		s = g.op("MatMul", nil, z, g.tensor(transposed, d, m))
		// This step has no effect, but it prevents the ONNX runtime from fusing the product with the following
		// multiplication of a polynomial kernel, which would round the factor to float32.
		s = g.op("Max", nil, s, g.scalar(math.Inf(-1)))
	} else {
		s = g.sub(g.op("Unsqueeze", nil, z, g.whole(1)), g.tensor(x, m, d))
		if f.Sum.Kind == kernel.Squares {
			s = g.mul(s, s)
		} else {
			s = g.op("Abs", nil, s)
		}
		s = g.op("Min", nil, s, g.scalar(overflow)) // avoid ∞·0 = NaN
		if f.Sum.Weights != nil {
			s = g.mul(s, g.tensor(f.Sum.Weights, d))
		}
		s = g.sum(s, 2, 0)
	}
	tree, err := parser.ParseExpr(f.Formula)
	if err != nil {
		return "", fmt.Errorf("%w: %s: %w", ErrKernel, f.Formula, err)
	}
	k, err := g.formula(tree, s)
	y = g.add(g.op("MatMul", nil, k, g.tensor(w, m, c)), y)
	return g.add(y, g.sum(g.sub(features, features), 1, 1)), err // NaN if a feature is NaN
}

// formula computes the formula of a kernel from the sums s.
func (g *graph) formula(tree ast.Expr, s string) (string, error) {
	unknown := fmt.Errorf("%w: its formula is not supported by ONNX", ErrKernel)
	switch e := tree.(type) {
	case *ast.ParenExpr:
		return g.formula(e.X, s)
	case *ast.Ident:
		if e.Name == "s" {
			return s, nil
		}
	case *ast.BasicLit:
		v, err := strconv.ParseFloat(e.Value, 64)
		return g.scalar(v), err
	case *ast.UnaryExpr:
		a, err := g.formula(e.X, s)
		if err == nil && e.Op == token.SUB {
			return g.op("Neg", nil, a), nil
		}
		return a, err
	case *ast.BinaryExpr:
		a, err := g.formula(e.X, s)
		if err != nil {
			return "", err
		}
		b, err := g.formula(e.Y, s)
		if kind := map[token.Token]string{token.ADD: "Add", token.SUB: "Sub", token.MUL: "Mul",
			token.QUO: "Div"}[e.Op]; err != nil || kind != "" {
			return g.op(kind, nil, a, b), err
		}
	case *ast.CallExpr:
		var args []string
		for _, arg := range e.Args {
			a, err := g.formula(arg, s)
			if err != nil {
				return "", err
			}
			args = append(args, a)
		}
		switch name, _ := e.Fun.(*ast.Ident); name.Name {
		case "exp", "sqrt":
			return g.op(map[string]string{"exp": "Exp", "sqrt": "Sqrt"}[name.Name], nil, args...), nil
		case "log1p":
			return g.op("Log", nil, g.add(args[0], g.scalar(1))), nil
		case "pow":
			return g.op("Pow", nil, args...), nil
		}
	}
	return "", unknown
}

// largest computes the largest value of each row (N×1).
func (g *graph) largest(a string) string {
	return g.op("ReduceMax", map[string]any{"axes": []int64{1}, "keepdims": 1}, a)
}

// label computes the output "label" from the potentials y and the probabilities p.
func (g *graph) label(f *model, y, p string) {
	best := y
	if costs := f.costs(); costs != nil {
		best = g.op("Neg", nil, g.op("MatMul", nil, p, g.tensor(slices.Concat(costs...), len(costs), len(costs))))
	} else if f.Floor() != nil { // the first of the values that differ by less than 1e-9
		near := g.op("GreaterOrEqual", nil, p, g.sub(g.largest(p), g.scalar(1e-9)))
		best = g.op("Cast", map[string]any{"to": onnxDouble}, near)
	}
	label := g.op("ArgMax", map[string]any{"axis": 1, "keepdims": 0}, best)
	sum := g.sum(y, 1, 0)
	finite := g.op("Equal", nil, g.sub(sum, sum), g.scalar(0))
	g.named("label", "Where", nil, finite, label, g.whole(-1))
}

// Nodes of the trapezoidal sum. Potentials are clipped at −100, where the probability is zero.
const (
	farthest   = 100
	nodesBegin = -farthest/2 - 9
	nodesEnd   = 9
	nodesUnit  = 8 // nodes per unit
)

// probabilities computes the output "probabilities" from the potentials y and returns its name.
func (g *graph) probabilities(f *model, y string) string {
	v := g.op("Max", nil, g.div(g.sub(y, g.largest(y)), g.scalar(f.Temperature())), g.scalar(-farthest))
	var nodes []float64
	for i := nodesBegin * nodesUnit; i <= nodesEnd*nodesUnit; i++ {
		nodes = append(nodes, float64(i)/nodesUnit)
	}
	z := g.sub(g.tensor(nodes, len(nodes), 1), g.op("Unsqueeze", nil, v, g.whole(1))) // N×nodes×C
	square := g.mul(g.mul(z, z), g.scalar(-0.5))
	logPsi := g.logPsi(z, square)
	all := g.sum(logPsi, 2, 1)
	q := g.sum(g.op("Exp", nil, g.add(g.sub(all, logPsi), square)), 1, 0) // N×C
	q = g.div(q, g.sum(q, 1, 1))
	floor := f.Floor()
	if floor == nil {
		return g.named("probabilities", "Identity", nil, q)
	}
	rest := max(0, 1-floats.Sum(floor))
	return g.named("probabilities", "Add", nil, g.mul(q, g.scalar(rest)), g.tensor(floor, len(floor)))
}

// logPsi computes log Ψ(z), where square is −z²/2.
func (g *graph) logPsi(z, square string) string {
	t := g.op("Abs", nil, z)
	x := g.div(g.sub(t, g.scalar(millsMiddle)), g.add(t, g.scalar(millsMiddle)))
	polynomial := millsPolynomial()
	p := g.scalar(polynomial[len(polynomial)-1])
	for _, c := range slices.Backward(polynomial[:len(polynomial)-1]) {
		p = g.add(g.mul(p, x), g.scalar(c))
	}
	r := g.mul(g.div(p, g.add(t, g.scalar(1))), g.scalar(1/math.Sqrt(2*math.Pi))) // R/√(2π)
	below := g.add(g.op("Log", nil, r), square)
	above := g.op("Log", nil, g.sub(g.scalar(1), g.mul(g.op("Exp", nil, square), r)))
	return g.op("Where", nil, g.op("Greater", nil, z, g.scalar(0)), above, below)
}

const (
	millsMiddle = 3.0
	millsDegree = 26
)

// mills returns Mills' ratio Ψ(−t)/φ(t) for t ≥ 0.
func mills(t float64) float64 {
	if t < 20 {
		return math.Sqrt(math.Pi/2) * math.Exp(t*t/2) * math.Erfc(t/math.Sqrt2)
	}
	v, sum := 1/(t*t), 1.0
	for k := 19; k >= 1; k -= 2 { // the asymptotic series
		sum = 1 - float64(k)*v*sum
	}
	return sum / t
}

// millsPolynomial returns the coefficients of P, which interpolates (1 + t)R(t) at the Chebyshev nodes of x.
var millsPolynomial = sync.OnceValue(func() []float64 {
	const n = millsDegree + 1
	values := make([]float64, n)
	for k := range values {
		x := math.Cos(math.Pi * (float64(k) + 0.5) / n)
		t := millsMiddle * (1 + x) / (1 - x)
		values[k] = (1 + t) * mills(t)
	}
	// polynomials T_{j−1} and T_j
	sum, before, last := make([]float64, n), make([]float64, n), make([]float64, n)
	last[0] = 1
	for j := range n {
		c := 0.0
		for k, v := range values {
			c += v * math.Cos(math.Pi*float64(j)*(float64(k)+0.5)/n) * 2 / n
		}
		if j == 0 {
			c /= 2
		}
		floats.AddScaled(sum, c, last)
		next := make([]float64, n)
		for i := range n - 1 {
			next[i+1] = 2 * last[i]
		}
		if j == 0 {
			next[1] = 1
		}
		floats.Sub(next, before)
		before, last = last, next
	}
	return sum
})

// onnxInput is an input of the graph as listed in the metadata.
type onnxInput struct {
	Input  string `json:"input"`
	Column string `json:"column"`
	Kind   string `json:"kind"`
}

// Codes of texts that are not levels.
const missingCode, badCode = -1, -2

// cells adds the inputs and returns the features (N×D) before scaling. Rows that cannot be used are NaN. Each
// column is an input of N×1 cells: float64 for numbers, and for dates as seconds since 1970, with NaN for a
// missing cell; texts for booleans and categories, with "" for a missing cell. The graph recognises the texts of
// the training file and words such as yes and NA, in lower, upper or title case. The caller must convert other
// notations that the library supports, such as units, layouts of dates, or 1.0 for the level 1.
func (g *graph) cells(f *model) (features string, inputs []onnxInput) {
	var parts []string
	used := map[string]bool{"label": true, "probabilities": true}
	absent, invalid := "", g.scalar(0) // whether all cells are missing; NaN if a cell is invalid
	for _, c := range f.Columns {
		in := onnxInput{Input: c.Name, Column: c.Name, Kind: c.Kind}
		for used[in.Input] || strings.HasPrefix(in.Input, namePrefix) {
			in.Input = "column " + in.Input
		}
		used[in.Input] = true
		inputs = append(inputs, in)
		var missing string // N×1
		if c.Kind == table.Number.String() || c.Kind == table.Date.String() {
			g.port(11, in.Input, onnxDouble, 1)
			missing = g.op("IsNaN", nil, in.Input)
			v := g.where(missing, g.scalar(0), in.Input)
			invalid = g.add(invalid, g.sub(v, v)) // NaN if v is not finite
			parts = append(parts, g.where(missing, g.scalar(c.Fill), in.Input))
		} else {
			g.port(11, in.Input, onnxString, 1)
			code := g.code(f, c, in.Input)
			missing = g.op("Equal", nil, code, g.whole(missingCode))
			invalid = g.add(invalid, g.where(g.op("Equal", nil, code, g.whole(badCode)), g.scalar(math.NaN()),
				g.scalar(0)))
			parts = append(parts, g.levels(c, code, missing))
		}
		if c.Missing {
			parts = append(parts, g.double(missing))
		}
		if absent == "" {
			absent = missing
		} else {
			absent = g.op("And", nil, absent, missing)
		}
	}
	invalid = g.add(invalid, g.where(absent, g.scalar(math.NaN()), g.scalar(0)))
	return g.add(g.op("Concat", map[string]any{"axis": 1}, parts...), invalid), inputs
}

// levels computes the features of a boolean or category.
func (g *graph) levels(c recipe.Column, code, missing string) string {
	if c.Kind == table.Boolean.String() {
		return g.where(missing, g.scalar(c.Fill), g.double(code))
	}
	if !c.Missing { // without a feature for missing cells, they are other
		code = g.where(missing, g.whole(int64(len(c.Levels))), code)
	}
	indices := make([]int64, len(c.Levels)+1)
	for i := range indices {
		indices[i] = int64(i)
	}
	return g.double(g.op("Equal", nil, code, g.whole(indices...)))
}

func (g *graph) where(condition, yes, no string) string {
	return g.op("Where", nil, condition, yes, no)
}

func (g *graph) double(v string) string {
	return g.op("Cast", map[string]any{"to": onnxDouble}, v)
}

// code maps texts to the index of a level, missingCode or badCode, in the same way as the library.
func (g *graph) code(f *model, c recipe.Column, cell string) string {
	words := slices.Concat(c.Levels, c.Others, missingTexts, celltext.NoValueWords, f.Missing)
	for _, pair := range celltext.Truths {
		words = append(words, pair[:]...)
	}
	other := badCode
	if c.Kind == table.Category.String() {
		other = len(c.Levels)
	}
	one := recipe.Recipe{Missing: f.Missing, Columns: []recipe.Column{c,
		{Name: c.Name + "+", Kind: table.Number.String()}}}
	one.Columns[0].Missing = true // to recognise a missing cell
	var texts []string
	var codes []int64
	for _, word := range words {
		_, first := utf8.DecodeRuneInString(word)
		for _, text := range []string{word, strings.ToLower(word), strings.ToUpper(word),
			strings.ToUpper(word[:first]) + strings.ToLower(word[first:])} {
			if slices.Contains(texts, text) {
				continue
			}
			x, err := one.EncodeRow(map[string]any{c.Name: text, c.Name + "+": 0})
			code := int64(badCode)
			if err == nil {
				own := x[:len(x)-2]
				switch {
				case x[len(x)-2] == 1:
					code = missingCode
				case c.Kind == table.Boolean.String():
					code = int64(own[0])
				default:
					code = int64(slices.Index(own, 1))
				}
			}
			texts, codes = append(texts, text), append(codes, code)
		}
	}
	return g.op("LabelEncoder", map[string]any{"keys_strings": texts, "values_int64s": codes,
		"default_int64": other}, cell)
}
