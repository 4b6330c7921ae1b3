package lesson

import (
	_ "embed" // slips.txt
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"reflect"
	"runtime"
	"slices"
	"strings"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// notYet is the result of a check for a function that is not written yet.
const notYet = "not yet: write the function, then run the cell again"

// rounding is the tolerance for numbers that may differ only by rounding.
const rounding = 1e-6

// near reports whether two numbers agree to a tolerance, which is relative for numbers above 1, or are both
// infinite.
func near(a, b, tol float64) bool { return a == b || math.Abs(a-b) < tol*max(1, math.Abs(b)) }

// unwritten is the panic of a function that is not written yet, and checking the number of running checks.
type unwritten string

var checking int

// Unwritten is what a function panics with until it is written. In a cell that uses the function, it prints
// "write NAME first" and ends the cell, so that nothing is computed from an empty function.
func Unwritten(name string) any {
	if checking == 0 && (os.Getenv("GONB_PIPE") != "" || runtime.GOOS == "js") {
		fmt.Printf("write %s first\n", name)
		os.Exit(0)
	}
	return unwritten(name)
}

// checked returns the verdict of a check, or notYet if a function that it calls is not written.
func checked(check func() string) (verdict string) {
	defer func() {
		checking--
		if p := recover(); p != nil {
			if _, ok := p.(unwritten); !ok {
				panic(p)
			}
			verdict = notYet
		}
	}()
	checking++
	return check()
}

// A card compares a function that the reader writes with the right one at several points.
type card struct {
	name  string                          // the heading in slips.txt
	args  string                          // the names of the arguments
	draw  func(r *rand.Rand, i int) []any // the arguments of point i
	n     int                             // the number of points
	right any                             // the right function, or the left side of an equation by brute force
	tol   float64                         // if zero, rounding
	ok    string                          // what a right function is told
	// vars returns the variables of the formulas for each number of the result. If nil, these are the arguments
	// and, for the second of two results, second.
	vars func(args []any) []vars
}

//go:embed slips.txt
var slipsText string

// slip is a wrong formula and what is wrong with it.
type slip struct{ formula, text string }

// of returns the value of the formula for an argument x.
func (s slip) of(x float64) float64 { return value(s.formula, vars{"x": x}) }

// slips returns the mistakes below a heading of slips.txt.
func slips(name string) (list []slip) {
	_, text, _ := strings.Cut(slipsText, "\n# "+name+"\n")
	text, _, _ = strings.Cut(text, "\n\n")
	for line := range strings.Lines(text) {
		formula, what, _ := strings.Cut(strings.TrimSpace(line), " | ")
		list = append(list, slip{formula, "; " + what})
	}
	return list
}

// variables returns the variables of each number of the result at a point. All include the right value.
func (c card) variables(point []any, right []float64) (list []vars) {
	if c.vars != nil {
		list = c.vars(point)
	} else {
		for j := range right {
			v := vars{"second": float64(j)}
			for i, a := range point {
				switch a := a.(type) {
				case int:
					v[c.argument(i)] = float64(a)
				case float64:
					v[c.argument(i)] = a
				}
			}
			list = append(list, v)
		}
	}
	for i, v := range list {
		v["right"] = right[i]
	}
	return list
}

// call returns the results of a function as a list, and the index of the first argument that it overwrites,
// or −1.
func call(f any, args []any) (out []float64, overwrites int) {
	in, overwrites := make([]reflect.Value, len(args)), -1
	for i, a := range args {
		in[i] = reflect.ValueOf(a)
		switch a := a.(type) {
		case []float64:
			in[i] = reflect.ValueOf(slices.Clone(a))
		case *mat.Dense:
			in[i] = reflect.ValueOf(mat.DenseCopyOf(a))
		}
	}
	for _, v := range reflect.ValueOf(f).Call(in) {
		switch v := v.Interface().(type) {
		case float64:
			out = append(out, v)
		case []float64:
			out = append(out, v...)
		case *mat.SymDense:
			if v != nil {
				out = append(out, mat.DenseCopyOf(v).RawMatrix().Data...)
			}
		}
	}
	for i, a := range args {
		if overwrites < 0 && !reflect.DeepEqual(in[i].Interface(), a) {
			overwrites = i
		}
	}
	return out, overwrites
}

// values returns the results at all points, or nil if the function fails.
func values(f any, points [][]any) (all []float64) {
	defer func() {
		if recover() != nil {
			all = nil
		}
	}()
	for _, p := range points {
		out, _ := call(f, p)
		all = append(all, out...)
	}
	return all
}

// check returns the verdict on a function: that it is right, or the slip that explains every wrong value.
func (c card) check(f any) string {
	return checked(func() string {
		if c.tol == 0 {
			c.tol = rounding
		}
		var got, want []float64
		var points [][]any
		var all []vars
		where, r := "", rand.New(rand.NewPCG(7, 0))
		for i := range c.n {
			p := c.draw(r, i)
			out, overwrites := call(f, p)
			right, _ := call(c.right, p)
			at := c.at(p)
			switch {
			case overwrites >= 0:
				return fmt.Sprintf("%sthe function overwrites %s, which its caller needs", at, c.argument(overwrites))
			case len(out) != len(right):
				return fmt.Sprintf("%sthe result has %d numbers; it should have %d", at, len(out), len(right))
			}
			for j := range out {
				switch {
				case where != "" || near(out[j], right[j], c.tol):
				case len(out) == 1:
					where = fmt.Sprintf("%s%.4f", at, out[0])
				case len(out) < 5:
					where = fmt.Sprintf("%s%.4f", at, out)
				default:
					where = fmt.Sprintf("%snumber %d of the result is %.4f", at, j, out[j])
				}
			}
			points, got, want = append(points, p), append(got, out...), append(want, right...)
			all = append(all, c.variables(p, right)...)
		}
		if where == "" {
			return "right: " + c.ok
		}
		return where + c.slip(points, all, got, want)
	})
}

func (c card) argument(i int) string { return strings.Split(c.args, ", ")[i] }

// at describes a point by its numbers and short lists.
func (c card) at(point []any) string {
	var parts []string
	for i, a := range point {
		switch a := a.(type) {
		case int:
			parts = append(parts, fmt.Sprintf("%s = %d", c.argument(i), a))
		case float64:
			parts = append(parts, fmt.Sprintf("%s = %.4g", c.argument(i), a))
		case []float64:
			if len(a) < 5 {
				parts = append(parts, fmt.Sprintf("%s = %.3g", c.argument(i), a))
			}
		}
	}
	if parts == nil {
		return ""
	}
	return strings.Join(parts, ", ") + ": "
}

// equal reports whether two values are the same, as which NaN counts here.
func (c card) equal(a, b float64) bool { return near(a, b, c.tol) || math.IsNaN(a) && math.IsNaN(b) }

// slip returns the text of the first mistake that explains every wrong value, or the right value.
func (c card) slip(points [][]any, all []vars, got, want []float64) string {
	// by reports whether a value for each number of the results explains those that are wrong.
	by := func(value func(i int) float64) bool {
		for i, v := range got {
			if !near(v, want[i], c.tol) && !near(v, value(i), c.tol) {
				return false
			}
		}
		return true
	}
	explained := func(f any, points [][]any) bool {
		v := values(f, points)
		return len(v) == len(got) && by(func(i int) float64 { return v[i] })
	}
	for _, s := range slips(c.name) {
		if slices.EqualFunc(got, all, func(v float64, x vars) bool { return c.equal(v, value(s.formula, x)) }) {
			return s.text
		}
	}
	for _, s := range slips("any result") {
		if by(func(i int) float64 { return value(s.formula, all[i]) }) {
			return s.text
		}
	}
	if text := c.inArguments(points, explained); text != "" {
		return text
	}
	if slices.ContainsFunc(got, math.IsNaN) {
		return "; NaN is a root or a logarithm of a negative number, or 0/0"
	}
	first := 0
	for near(got[first], want[first], c.tol) {
		first++
	}
	if d := got[first] - want[first]; by(func(i int) float64 { return want[i] + d }) {
		return fmt.Sprintf("; each value is too large by %.4g", d)
	}
	if q := got[first] / want[first]; by(func(i int) float64 { return want[i] * q }) {
		return fmt.Sprintf("; each value is %.4g times the right one", q)
	}
	return fmt.Sprintf("; it should be %.4f", want[first])
}

// inArguments returns the text of a mistake in the arguments that gives the values, or "".
func (c card) inArguments(points [][]any, explained func(f any, points [][]any) bool) string {
	with := func(change func(p []any)) bool {
		changed := make([][]any, len(points))
		for i, p := range points {
			changed[i] = slices.Clone(p)
			change(changed[i])
		}
		return explained(c.right, changed)
	}
	for i, a := range points[0] {
		for _, s := range slips("any argument") {
			if with(func(p []any) { p[i] = changedBy(s.of, p[i]) }) {
				return strings.ReplaceAll(s.text, "x", c.argument(i))
			}
		}
		if _, ok := a.([]float64); ok && with(func(p []any) {
			list := p[i].([]float64)
			p[i] = append(slices.Clone(list[1:]), list[0])
		}) {
			return fmt.Sprintf("; the index of %s is off by one", c.argument(i))
		}
		if n, ok := a.(int); ok && n > 0 {
			for _, d := range []int{-1, 1} {
				if with(func(p []any) { p[i] = p[i].(int) + d }) {
					return fmt.Sprintf("; %s is off by one", c.argument(i))
				}
			}
		}
		for j := range i {
			if reflect.TypeOf(a) == reflect.TypeOf(points[0][j]) && with(func(p []any) { p[i], p[j] = p[j], p[i] }) {
				return fmt.Sprintf("; %s and %s are swapped", c.argument(j), c.argument(i))
			}
			zero := slip{formula: "0"}
			if with(func(p []any) { p[i], p[j] = changedBy(zero.of, p[i]), changedBy(zero.of, p[j]) }) {
				return fmt.Sprintf("; %s and %s are missing", c.argument(j), c.argument(i))
			}
		}
	}
	return ""
}

// changedBy applies a function to a number or to the numbers of a list.
func changedBy(f func(float64) float64, a any) any {
	switch a := a.(type) {
	case float64:
		return f(a)
	case []float64:
		b := make([]float64, len(a))
		for i, v := range a {
			b[i] = f(v)
		}
		return b
	}
	return a
}

// scalars draws n numbers between lo and hi.
func scalars(r *rand.Rand, n int, lo, hi float64) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = lo + (hi-lo)*r.Float64()
	}
	return x
}

// numbers draws as many arguments as there are pairs of limits.
func numbers(limits ...[2]float64) func(r *rand.Rand, _ int) []any {
	return func(r *rand.Rand, _ int) (args []any) {
		for _, l := range limits {
			args = append(args, floats.Sum(scalars(r, 1, l[0], l[1])))
		}
		return args
	}
}

// checkOf returns the check of a function that the reader writes, by a card, the right function and, unless
// the card draws them, the points at which the two are compared.
func checkOf[F any](c card, right F, points ...[]any) func(f F) string {
	if c.right = right; points != nil {
		c.draw, c.n = func(_ *rand.Rand, i int) []any { return points[i] }, len(points)
	}
	return func(f F) string { return c.check(f) }
}
