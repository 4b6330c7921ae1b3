package lesson

import (
	"fmt"
	"math"
	"regexp"
	"strconv"

	"gonum.org/v1/gonum/stat/distuv"
)

// vars are the variables of a formula.
type vars map[string]float64

// functions lists the functions that a formula may call. rank is the largest rank up to x, −∞ below 1.
var functions = map[string]func(x []float64) float64{
	"log":  func(x []float64) float64 { return math.Log(x[0]) },
	"exp":  func(x []float64) float64 { return math.Exp(x[0]) },
	"sqrt": func(x []float64) float64 { return math.Sqrt(x[0]) },
	"abs":  func(x []float64) float64 { return math.Abs(x[0]) },
	"max":  func(x []float64) float64 { return max(x[0], x[1]) },
	"Γ":    func(x []float64) float64 { return math.Gamma(x[0]) },
	"Ψ":    func(x []float64) float64 { return distuv.UnitNormal.CDF(x[0]) },
	"if": func(x []float64) float64 {
		if x[0] > 0 {
			return x[1]
		}
		return x[2]
	},
	"rank": func(x []float64) float64 {
		if k := math.Floor(x[0] + 1e-9); k > 0 {
			return k
		}
		return math.Inf(-1)
	},
}

var token = regexp.MustCompile(`[\pL∞][\pL\pM\pN]*|[\d.]+|\S`)

// formula is a formula in Go's notation that is being evaluated, with ^ for powers. A comparison is 1 or 0.
type formula struct {
	tokens []string
	vars
}

// value evaluates a formula.
func value(text string, v vars) float64 {
	f := &formula{token.FindAllString(text, -1), v}
	x := f.compared()
	if len(f.tokens) > 0 {
		panic(fmt.Sprintf("lesson: %q in %q", f.tokens[0], text))
	}
	return x
}

// next removes the next token if it is one of those listed.
func (f *formula) next(list ...string) string {
	for _, t := range list {
		if len(f.tokens) > 0 && f.tokens[0] == t {
			f.tokens = f.tokens[1:]
			return t
		}
	}
	return ""
}

func (f *formula) compared() float64 {
	x := f.sum()
	if f.next(">") != "" {
		return map[bool]float64{true: 1}[x > f.sum()]
	}
	return x
}

func (f *formula) sum() float64 {
	x := f.product()
	for {
		switch f.next("+", "-") {
		case "+":
			x += f.product()
		case "-":
			x -= f.product()
		default:
			return x
		}
	}
}

func (f *formula) product() float64 {
	x := f.power()
	for {
		switch f.next("*", "/") {
		case "*":
			x *= f.power()
		case "/":
			x /= f.power()
		default:
			return x
		}
	}
}

func (f *formula) power() float64 {
	if f.next("-") != "" {
		return -f.power()
	}
	x := f.operand()
	if f.next("^") != "" {
		return math.Pow(x, f.operand())
	}
	return x
}

func (f *formula) operand() float64 {
	t := f.tokens[0]
	f.tokens = f.tokens[1:]
	if x, err := strconv.ParseFloat(t, 64); err == nil {
		return x
	}
	if t == "∞" {
		return math.Inf(1)
	}
	args := []float64{}
	if open := t == "("; open || f.next("(") != "" {
		args = append(args, f.compared())
		for f.next(",") != "" {
			args = append(args, f.compared())
		}
		f.next(")")
		if open {
			return args[0]
		}
		return functions[t](args)
	}
	x, ok := f.vars[t]
	if !ok {
		panic(fmt.Sprintf("lesson: no variable %q", t))
	}
	return x
}
