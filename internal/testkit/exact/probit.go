package exact

import "math"

// Probit returns log p(t | y) and the means E[z | t, y] of the multinomial probit. It applies the
// trapezoidal rule to exp(g), g(e) = −e²/2 + Σ_{j≠t} log Ψ(e + y_t − y_j), in steps of 0.5/√C from
// the maximum to both sides. As −C ≤ g″ ≤ −1, a step is at most half of the local width, and the
// error of the sum is about exp(−2π²/0.5²) = 5e-35.
func Probit(y []Num, t int) (logp Num, means []Num) {
	groups := gaps(y, t)
	m := mode(groups)
	_, top := height(m, groups, nil)
	step := Of(0.5 / math.Sqrt(float64(len(y))))
	sum, shifts := Of(0), All(make([]float64, len(groups)))
	r := make([]Num, len(groups))
	tiny := one.Shift(-120)
	take := func(e Num) bool {
		prod, square := height(e, groups, r)
		p := prod.Mul(Exp(square.Sub(top)))
		sum = sum.Add(p)
		for i := range r {
			shifts[i] = shifts[i].Add(p.Mul(r[i]))
		}
		return sum.Mul(tiny).Less(p)
	}
	take(m)
	for _, h := range []Num{step, step.Neg()} {
		for e := m.Add(h); take(e); {
			e = e.Add(h)
		}
	}
	means = make([]Num, len(y))
	means[t] = y[t]
	for i, g := range groups {
		shift := shifts[i].Div(sum)
		for _, j := range g.classes {
			means[j] = y[j].Sub(shift)
			means[t] = means[t].Add(shift)
		}
	}
	return Log(sum.Mul(step)).Add(top).Sub(LogRoot), means
}

// group is a set of classes with the same difference y_t − y_j.
type group struct {
	gap     Num
	classes []int
}

func gaps(y []Num, t int) (groups []group) {
next:
	for j, v := range y {
		if j == t {
			continue
		}
		gap := y[t].Sub(v)
		for i := range groups {
			if groups[i].gap.v.Cmp(gap.v) == 0 {
				groups[i].classes = append(groups[i].classes, j)
				continue next
			}
		}
		groups = append(groups, group{gap, []int{j}})
	}
	return groups
}

// height returns exp(g(e)) = prod·exp(square), square = −½(e² + Σ_{u<0} u²). If r is not nil, it
// writes r(u) of each group to r.
func height(e Num, groups []group, r []Num) (prod, square Num) {
	prod, square = one, e.Mul(e)
	for i, g := range groups {
		u := e.Add(g.gap)
		var factor, ri Num
		if u.Sign() < 0 {
			mills := Mills(u.Neg())
			factor, ri = mills.Div(root), one.Div(mills)
			square = square.Add(u.Mul(u).Times(len(g.classes)))
		} else {
			d := density(u)
			factor = one.Sub(d.Mul(Mills(u)))
			ri = d.Div(factor)
		}
		for range g.classes {
			prod = prod.Mul(factor)
		}
		if r != nil {
			r[i] = ri
		}
	}
	return prod, square.Shift(-1).Neg()
}

// mode returns the maximum point of g, to a thousandth of its width. Newton's iteration from 0 does
// not overshoot.
func mode(groups []group) Num {
	e := Of(0)
	for {
		d1, d2 := e.Neg(), one
		for _, g := range groups {
			u := e.Add(g.gap)
			r := ratio(u)
			d1 = d1.Add(r.Times(len(g.classes)))
			d2 = d2.Add(r.Mul(u.Add(r)).Times(len(g.classes)))
		}
		step := d1.Div(d2)
		e = e.Add(step)
		if step.Float()*math.Sqrt(d2.Float()) < 1e-3 {
			return e
		}
	}
}
