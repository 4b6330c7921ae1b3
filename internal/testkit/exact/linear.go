package exact

// Dot returns aᵀb.
func Dot(a, b []Num) Num {
	sum := Of(0)
	for i, v := range a {
		sum = sum.Add(v.Mul(b[i]))
	}
	return sum
}

// Solve returns A⁻¹b for each b, by elimination with the largest pivot in each column.
func Solve(a [][]Num, b ...[]Num) [][]Num {
	n := len(a)
	rows := make([][]Num, n)
	for i := range rows {
		rows[i] = append([]Num(nil), a[i]...)
		for _, v := range b {
			rows[i] = append(rows[i], v[i])
		}
	}
	for k := range n {
		best := k
		for i := k + 1; i < n; i++ {
			if rows[best][k].Abs().Less(rows[i][k].Abs()) {
				best = i
			}
		}
		rows[k], rows[best] = rows[best], rows[k]
		for i := range n {
			if i == k {
				continue
			}
			f := rows[i][k].Div(rows[k][k])
			for j := k; j < len(rows[i]); j++ {
				rows[i][j] = rows[i][j].Sub(f.Mul(rows[k][j]))
			}
		}
	}
	x := make([][]Num, len(b))
	for j := range b {
		x[j] = make([]Num, n)
		for i := range n {
			x[j][i] = rows[i][n+j].Div(rows[i][i])
		}
	}
	return x
}

// Inverse returns the columns of A⁻¹, which are its rows if A is symmetric.
func Inverse(a [][]Num) [][]Num {
	unit := make([][]Num, len(a))
	for i := range unit {
		unit[i] = All(make([]float64, len(a)))
		unit[i][i] = one
	}
	return Solve(a, unit...)
}

// RBF returns exp(−θ‖x − y‖²).
func RBF(theta float64, x, y []float64) Num {
	sum := Of(0)
	for i, v := range x {
		d := Of(v).Sub(Of(y[i]))
		sum = sum.Add(d.Mul(d))
	}
	return Exp(sum.Mul(Of(theta)).Neg())
}
