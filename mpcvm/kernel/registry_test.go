package kernel_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"math"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/internal/testkit/must"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
)

// texts maps the results of Marshal to kernels. Model files contain these texts, so they must not
// change.
var texts = map[string]kernel.Kernel{
	`{"name":"rbf","theta":0.5}`:              kernel.RBF{Theta: 0.5},
	`{"name":"laplacian","theta":1e+300}`:     kernel.Laplacian{Theta: 1e300},
	`{"name":"matern32-ard","thetas":[1,2]}`:  kernel.Matern32ARD{Theta: []float64{1, 2}},
	`{"name":"matern52-ard","thetas":[1,2]}`:  kernel.Matern52ARD{Theta: []float64{1, 2}},
	`{"name":"ard","thetas":[0,0.1]}`:         kernel.ARD{Theta: []float64{0, 0.1}},
	`{"name":"laplacian-ard","thetas":[1,2]}`: kernel.LaplacianARD{Theta: []float64{1, 2}},
	`{"name":"rational-laplacian-ard","thetas":[1,2]}`: kernel.RationalLaplacianARD{Theta: []float64{1,
		2}},
	`{"name":"matern32","theta":0.3333333333333333}`:        kernel.Matern32{Theta: 1. / 3},
	`{"name":"matern52","theta":2}`:                         kernel.Matern52{Theta: 2},
	`{"name":"rational-quadratic","theta":0.5,"alpha":1.5}`: kernel.RationalQuadratic{Theta: 0.5, Alpha: 1.5},
	`{"name":"rational-laplacian","theta":0.25}`:            kernel.RationalLaplacian{Theta: 0.25},
	`{"name":"linear","offset":0}`:                          kernel.Linear{},
	`{"name":"polynomial","degree":3,"scale":0.25,"offset":1}`: kernel.Polynomial{Degree: 3, Scale: 0.25,
		Offset: 1},
	`{"name":"linear","offset":-5}`: kernel.Linear{Offset: -5}, // in old files
	`{"name":"polynomial","degree":2,"scale":1,"offset":-0.5}`: kernel.Polynomial{Degree: 2, Scale: 1,
		Offset: -0.5},
}

func TestMarshal(t *testing.T) {
	names := map[string]bool{}
	for text, k := range texts {
		got, err := kernel.Marshal(k)
		if err != nil || string(got) != text {
			t.Errorf("%v: %s, %v", k, got, err)
		}
		again, err := kernel.Unmarshal([]byte(text))
		if err != nil || !reflect.DeepEqual(again, k) {
			t.Errorf("%s: %#v, %v", text, again, err)
		}
		names[kernel.Name(k)] = true
	}
	for _, d := range kernel.Descriptions() {
		if !names[d.Name] {
			t.Errorf("%s is not tested", d.Name)
		}
	}
	for _, k := range []kernel.Kernel{nil, kernel.Func{}, kernel.Precomputed{}, impostor{},
		kernel.RBF{Theta: math.NaN()}} {
		if text, err := kernel.Marshal(k); err == nil || text != nil || !strings.HasPrefix(err.Error(),
			"kernel: ") {
			t.Errorf("%v: %s, %v", k, text, err)
		}
	}
	// Defaults are written explicitly.
	if text, _ := kernel.Marshal(kernel.Polynomial{}); string(
		text) != `{"name":"polynomial","degree":2,"scale":1,"offset":0}` {
		t.Errorf("%s", text)
	}
	if text, _ := kernel.Marshal(kernel.RationalQuadratic{Theta: 2}); string(
		text) != `{"name":"rational-quadratic","theta":2,"alpha":1}` {
		t.Errorf("%s", text)
	}
}

// impostor has the name of another kernel.
type impostor struct{ kernel.RBF }

func TestUnmarshalFaults(t *testing.T) {
	for text, say := range map[string]string{
		``:                                                        "kernel: ",
		`null`:                                                    "kernel: ",
		`["rbf"]`:                                                 "kernel: ",
		`{}`:                                                      `kernel: `,
		`{"name":"rbf"`:                                           "EOF",
		`{"name":"rbf","theta":1`:                                 "EOF",
		`{"name":"rbf","theta":`:                                  "EOF",
		`{"name":"rbf","theta":1}}`:                               "after the end",
		`{"name":"rbf","theta":1} {}`:                             "after the end",
		`{"name":null,"theta":1}`:                                 "kernel.name: ",
		`{"name":7,"theta":1}`:                                    "kernel.name: ",
		`{"name":"sigmoid"}`:                                      `kernel.name: `,
		`{"name":"RBF","theta":1}`:                                `kernel.name: `,
		`{"name":"rbf"}`:                                          "kernel.theta: ",
		`{"name":"rbf","Theta":1}`:                                "kernel.theta: ",
		`{"name":"rbf","theta":"0.5"}`:                            "kernel.theta: ",
		`{"name":"rbf","theta":null}`:                             "kernel.theta: ",
		`{"name":"rbf","theta":1e999}`:                            "kernel.theta: ",
		`{"name":"rbf","theta":[1]}`:                              "kernel.theta: ",
		`{"name":"rbf","theta":0}`:                                "rbf: Theta must be positive",
		`{"name":"rbf","theta":1,"theta":1}`:                      `duplicate key "theta"`,
		`{"name":"rbf","name":"rbf"}`:                             `duplicate key "name"`,
		`{"name":"rbf","theta":1,"offset":0}`:                     "kernel.offset: ",
		`{"name":"rbf","theta":1,"Theta":0}`:                      "kernel.Theta: ",
		`{"name":"ard"}`:                                          "kernel.thetas: ",
		`{"name":"ard","thetas":[]}`:                              "Theta",
		`{"name":"ard","thetas":null}`:                            "kernel.thetas: ",
		`{"name":"ard","thetas":[1,null]}`:                        "kernel.thetas: ",
		`{"name":"ard","thetas":[1,"2"]}`:                         "kernel.thetas: ",
		`{"name":"ard","thetas":1}`:                               "kernel.thetas: ",
		`{"name":"ard","thetas":[1,-1]}`:                          "ard: Theta[1]",
		`{"name":"rational-quadratic","theta":1,"alpha":0}`:       "kernel.alpha: ",
		`{"name":"rational-quadratic","theta":1,"alpha":-1}`:      "Alpha",
		`{"name":"polynomial","degree":0,"scale":1,"offset":0}`:   "kernel.degree: ",
		`{"name":"polynomial","degree":2.5,"scale":1,"offset":0}`: "kernel.degree: ",
		`{"name":"polynomial","degree":2,"scale":0,"offset":0}`:   "kernel.scale: ",
		`{"name":"polynomial","degree":-1,"scale":1,"offset":0}`:  "Degree",
		`{"name":"polynomial","degree":1` + strings.Repeat("0", 30) + `}`: "kernel.degree: ",
	} {
		k, err := kernel.Unmarshal([]byte(text))
		if err == nil || !strings.Contains(err.Error(), say) || !strings.HasPrefix(err.Error(), "kernel") {
			t.Errorf("%s: %v, %v, want %s", text, k, err, say)
		}
	}
}

func TestNew(t *testing.T) {
	for _, tt := range []struct {
		name, parameters string // "theta=1 alpha=2"
		want             kernel.Kernel
		say              string
	}{
		{"rbf", "", kernel.RBF{}, ""},
		{"rbf", "theta=auto", kernel.RBF{}, ""},
		{"rbf", "theta=.5", kernel.RBF{Theta: 0.5}, ""},
		{"rational-quadratic", "alpha=2", kernel.RationalQuadratic{Alpha: 2}, ""},
		{"rational-laplacian", "theta=0.2", kernel.RationalLaplacian{Theta: 0.2}, ""},
		{"matern52", "theta=1e-3", kernel.Matern52{Theta: 1e-3}, ""},
		{"ard", "thetas=1,0,2.5", kernel.ARD{Theta: []float64{1, 0, 2.5}}, ""},
		{"linear", "", kernel.Linear{}, ""},
		{"polynomial", "degree=3", kernel.Polynomial{Degree: 3}, ""},
		{"sigmoid", "", nil, "sigmoid"},
		{"rbf", "theta=0", nil, "Theta"},
		{"rbf", "theta=nan", nil, "Theta"},
		{"rbf", "theta=wide", nil, "theta"},
		{"rbf", "offset=1", nil, "offset"},
		{"rational-quadratic", "alpha=-2", nil, "Alpha"},
		{"rational-quadratic", "alpha=0", nil, "alpha"},
		{"rational-quadratic", "alpha=auto", nil, "alpha"},
		{"ard", "", nil, "Theta"},
		{"ard", "thetas=1,,2", nil, "thetas"},
		{"polynomial", "degree=2.5", nil, "degree"},
		{"polynomial", "degree=0", nil, "degree"},
		{"linear", "offset=-5", nil, "Offset"},
	} {
		given := map[string]string{}
		for p := range strings.FieldsSeq(tt.parameters) {
			name, value, _ := strings.Cut(p, "=")
			given[name] = value
		}
		k, err := kernel.New(tt.name, given)
		if tt.say == "" && (err != nil || !reflect.DeepEqual(k, tt.want)) ||
			tt.say != "" && (err == nil || !strings.Contains(err.Error(), tt.say) || !strings.HasPrefix(err.Error(),
				"kernel: ")) {
			t.Errorf("%s %s: %v, %v", tt.name, tt.parameters, k, err)
		}
	}
	for _, d := range kernel.Descriptions() {
		if d.Formula == "" || len(d.Parameters) == 0 {
			t.Errorf("%+v", d)
		}
	}
}

// WithTheta changes only the width of a kernel, and MedianTheta has the unit of the width.
func TestTunable(t *testing.T) {
	x := random(40, 3, 6)
	var doubled mat.Dense
	doubled.Scale(2, x)
	count := 0
	for _, k := range texts {
		k, ok := k.(kernel.Tunable)
		if !ok {
			continue
		}
		count++
		theta := k.MedianTheta(x)
		a, b := k.WithTheta(theta), k.WithTheta(k.MedianTheta(&doubled))
		if got := a.(kernel.Tunable).Width(); got != theta || reflect.TypeOf(a) != reflect.TypeOf(k) {
			t.Errorf("%v: width %v, want %v", k, got, theta)
		}
		if v := mat.Sum(kernel.Gram(nil, a, x)) / 1600; v < 0.2 || v > 0.7 {
			t.Errorf("%v: mean value %v", a, v)
		}
		if !mat.EqualApprox(kernel.Gram(nil, a, x), kernel.Gram(nil, b, &doubled), 1e-14) {
			t.Errorf("%v: MedianTheta does not scale with the features", k)
		}
		if !reflect.DeepEqual(a.(kernel.Tunable).WithTheta(k.Width()), kernel.Kernel(k)) {
			t.Errorf("%v: changed by WithTheta", k)
		}
		if _, ok := kernel.Untuned(k); ok {
			t.Errorf("%v counts as untuned", k)
		}
		if _, ok := kernel.Untuned(k.WithTheta(0)); !ok {
			t.Errorf("%v of width zero does not count as untuned", k)
		}
		if k, ok := k.(kernel.PerFeature); ok {
			if wide := k.WithThetas([]float64{0.1, 0.1, 0.1}); !mat.EqualApprox(kernel.Gram(nil, wide, x),
				kernel.Gram(nil, k.WithTheta(0.1), x), 1e-14) {
				t.Errorf("%v and %v differ", wide, k)
			}
		}
	}
	must.Equal(t, count, 6)
	if k, ok := kernel.Untuned(nil); !ok || k != kernel.Kernel(kernel.RBF{}) {
		t.Errorf("nil: %v", k)
	}
	if _, ok := kernel.Untuned(kernel.Linear{}); ok {
		t.Error("linear")
	}
}

func TestCheckFeatures(t *testing.T) {
	for _, k := range texts {
		wide := strings.Contains(kernel.Name(k), "ard")
		if err := kernel.CheckFeatures(k, 2); err != nil {
			t.Errorf("%v: %v", k, err)
		}
		if err := kernel.CheckFeatures(k, 3); (err != nil) != wide {
			t.Errorf("%v: %v", k, err)
		}
	}
	if kernel.CheckFeatures(kernel.Func{}, 3) != nil || kernel.CheckFeatures(kernel.ARD{}, 1) == nil {
		t.Error("error for a Func, or none for ard without widths")
	}
}

// A formula returns the values of its kernel and uses only the permitted operations.
func TestFormula(t *testing.T) {
	for _, k := range texts {
		sum := k.(kernel.OfSum).Sum()
		e, err := parser.ParseExpr(sum.Formula)
		if err != nil {
			t.Fatalf("%v: %s: %v", k, sum.Formula, err)
		}
		for _, s := range []float64{0, 1e-9, 0.1, 1, 7, 300} {
			v := []float64{s}
			sum.Values(v)
			if got := evaluate(t, e, s); math.Abs(got-v[0]) > 1e-12*(1+math.Abs(v[0])) {
				t.Errorf("%v: %s is %v at %v, want %v", k, sum.Formula, got, s, v[0])
			}
		}
	}
}

// evaluate evaluates the formula of a kernel for the sum s.
func evaluate(t *testing.T, e ast.Expr, s float64) float64 {
	switch e := e.(type) {
	case *ast.BasicLit:
		if v, err := strconv.ParseFloat(e.Value, 64); err == nil {
			return v
		}
	case *ast.ParenExpr:
		return evaluate(t, e.X, s)
	case *ast.UnaryExpr:
		if e.Op == token.SUB {
			return -evaluate(t, e.X, s)
		}
	case *ast.BinaryExpr:
		a, b := evaluate(t, e.X, s), evaluate(t, e.Y, s)
		if v, ok := map[token.Token]float64{token.ADD: a + b, token.SUB: a - b, token.MUL: a * b, token.QUO: a /
			b}[e.Op]; ok {
			return v
		}
	case *ast.CallExpr:
		a := evaluate(t, e.Args[0], s)
		switch e.Fun.(*ast.Ident).Name {
		case "exp":
			return math.Exp(a)
		case "sqrt":
			return math.Sqrt(a)
		case "pow":
			return math.Pow(a, evaluate(t, e.Args[1], s))
		}
	case *ast.Ident:
		if e.Name == "s" {
			return s
		}
	}
	t.Fatalf("%T in a formula", e)
	return 0
}
