package kernel

type (
	// RationalLaplacian is the kernel k(x, y) = 1/(1 + Theta·Σ_d|x_d − y_d|). It is the mixture of
	// [Laplacian] kernels with the width u·Theta, where u has the density exp(−u), and therefore
	// positive definite. It has a sharp peak, like the Laplacian, and a longer tail.
	RationalLaplacian = Stationary[rational]
	// RationalLaplacianARD is the kernel k(x, y) = 1/(1 + Σ_d Theta_d|x_d − y_d|).
	RationalLaplacianARD = StationaryARD[rational]

	rational struct{}
)

func (rational) names() (one, many string) { return "rational-laplacian", "rational-laplacian-ard" }
func (rational) sum() SumKind              { return Absolutes }

func (rational) values(theta float64, v []float64) {
	for i, s := range v {
		v[i] = 1 / (1 + float64(times(theta, s))) // the conversion prevents fusing
	}
}

func (rational) fall(k float64) float64  { return k * k } // of 1/(1+t)
func (rational) formula(t string) string { return "1/(1+" + t + ")" }
