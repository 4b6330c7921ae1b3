package kernel

type (
	// RBF is the Gaussian kernel k(x, y) = exp(−Theta·‖x − y‖²). Theta is 1/(2ℓ²) for the length scale
	// ℓ. With standardised features, typical values are 0.01 to 3.
	RBF = Stationary[gaussian]
	// ARD is the Gaussian kernel k(x, y) = exp(−Σ_d Theta_d(x_d − y_d)²).
	ARD = StationaryARD[gaussian]

	gaussian struct{}
)

func (gaussian) names() (one, many string)         { return "rbf", "ard" }
func (gaussian) sum() SumKind                      { return Squares }
func (gaussian) values(theta float64, v []float64) { decays(theta, v) }
func (gaussian) fall(k float64) float64            { return k } // of exp(−t)
func (gaussian) formula(t string) string           { return "exp(-" + t + ")" }
