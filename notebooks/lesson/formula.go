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

// operators lists the operators, with their ranks. Operators of a higher rank come first.
var operators = map[string]struct {
	rank int
	of   func(x, y float64) float64
}{
	">": {1, func(x, y float64) float64 { return map[bool]float64{true: 1}[x > y] }},
	"+": {2, func(x, y float64) float64 { return x + y }},
	"-": {2, func(x, y float64) float64 { return x - y }},
	"*": {3, func(x, y float64) float64 { return x * y }},
	"/": {3, func(x, y float64) float64 { return x / y }},
	"^": {power, math.Pow},
}

const power = 4 // the highest rank

var token = regexp.MustCompile(`[\pL∞][\pL\pM\pN]*|[\d.]+|\S`)

// formula is a formula in Go's notation that is being evaluated, with ^ for powers. A comparison is 1 or 0.
type formula struct {
	tokens []string // the last is empty
	vars
}

// value evaluates a formula.
func value(text string, v vars) float64 {
	f := &formula{append(token.FindAllString(text, -1), ""), v}
	x := f.operation(1)
	if f.tokens[0] != "" {
		panic(fmt.Sprintf("lesson: %q in %q", f.tokens[0], text))
	}
	return x
}

// next removes the next token if it is t.
func (f *formula) next(t string) bool {
	found := f.tokens[0] == t
	if found {
		f.tokens = f.tokens[1:]
	}
	return found
}

// operation evaluates operators of at least the given rank.
func (f *formula) operation(least int) float64 {
	x := f.operand()
	for {
		o := operators[f.tokens[0]]
		if o.rank < least {
			return x
		}
		f.tokens = f.tokens[1:]
		x = o.of(x, f.operation(o.rank+1))
	}
}

func (f *formula) operand() float64 {
	t := f.tokens[0]
	f.tokens = f.tokens[1:]
	if x, err := strconv.ParseFloat(t, 64); err == nil {
		return x
	}
	switch {
	case t == "-":
		return -f.operation(power)
	case t == "∞":
		return math.Inf(1)
	case t == "(" || f.next("("):
		args := []float64{f.operation(1)}
		for f.next(",") {
			args = append(args, f.operation(1))
		}
		f.next(")")
		if t == "(" {
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
