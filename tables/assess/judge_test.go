package assess_test

import (
	"testing"

	"github.com/mpcvm/mpcvm/tables/assess"
)

func TestInBrief(t *testing.T) {
	for name, want := range map[string]string{
		"rbf(theta=0.0012552973818531652)": "rbf(theta=0.001255)", "laplacian(theta=1.5e-07)": "laplacian(theta=1.5e-07)",
		"rbf(theta=9.360108489722848e-05)": "rbf(theta=9.36e-05)", "polynomial(degree=2, offset=1)": "polynomial(degree=2, offset=1)",
		"ard(theta=[0.12345 0.23456 0.34567 0.45678 0.56789])": "ard(theta=[0.1235 0.2346 0.3457 0.4568 0.5679])",
	} {
		if got := assess.InBrief(name); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}
