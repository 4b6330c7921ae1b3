package kernel

type (
	// Laplacian is the kernel k(x, y) = exp(−Theta·Σ_d|x_d − y_d|). With D standardised features, a
	// typical Theta is 1/D.
	Laplacian = Stationary[exponential]
	// LaplacianARD is the kernel k(x, y) = exp(−Σ_d Theta_d|x_d − y_d|).
	LaplacianARD = StationaryARD[exponential]

	exponential struct{}
)

func (exponential) names() (one, many string)         { return "laplacian", "laplacian-ard" }
func (exponential) sum() SumKind                      { return Absolutes }
func (exponential) values(theta float64, v []float64) { decays(theta, v) }
func (exponential) fall(k float64) float64            { return k } // of exp(−t)
func (exponential) formula(t string) string           { return "exp(-" + t + ")" }
