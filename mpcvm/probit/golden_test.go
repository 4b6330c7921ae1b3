package probit

import (
	"encoding/json"
	"math"
	"os"
	"testing"

	"github.com/mpcvm/mpcvm/internal/testkit/must"
)

// golden reads a file of test vectors that were computed with 30 digits.
func golden(t *testing.T, name string, cases any) {
	t.Helper()
	data := must.Get(os.ReadFile("testdata/" + name))(t)
	must.OK(t, json.Unmarshal(data, &struct {
		Cases any `json:"cases"`
	}{cases}))
}

// reldiff returns |a − b|/max(1, |b|).
func reldiff(a, b float64) float64 { return math.Abs(a-b) / max(1, math.Abs(b)) }

func TestGoldenProbabilities(t *testing.T) {
	var cases []struct {
		Name    string
		Y       []float64
		Targets []int
		P       []float64
		LogP    []float64 `json:"log_p"`
	}
	golden(t, "probit_probabilities.json", &cases)
	must.Equal(t, len(cases), 41)
	worstLog, worstP := 0.0, 0.0
	for _, c := range cases {
		p := Proba(nil, c.Y)
		for k, i := range c.Targets {
			got := LogProb(c.Y, i)
			worstLog = max(worstLog, reldiff(got, c.LogP[k]))
			if d := reldiff(got, c.LogP[k]); !(d <= 1e-10) {
				t.Errorf("%s %v: log p(%d) = %v, want %v (%g)", c.Name, c.Y, i, got, c.LogP[k], d)
			}
			d := math.Abs(p[i] - c.P[k])
			if c.P[k] > 1e-300 {
				d /= c.P[k]
			}
			worstP = max(worstP, d)
			if !(d <= 1e-10) {
				t.Errorf("%s %v: p(%d) = %v, want %v (%g)", c.Name, c.Y, i, p[i], c.P[k], d)
			}
		}
	}
	t.Logf("largest relative error: log p %.1e, p %.1e", worstLog, worstP)
}

func TestGoldenMeans(t *testing.T) {
	var cases []struct {
		Name  string
		Y     []float64
		Means []struct {
			T        int
			Zbar     []float64
			ShiftOwn float64 `json:"shift_own"`
		}
	}
	golden(t, "posterior_means.json", &cases)
	must.Equal(t, len(cases), 41)
	worst := 0.0
	for _, c := range cases {
		for _, m := range c.Means {
			zbar, logp := Means(nil, c.Y, m.T)
			if logp != LogProb(c.Y, m.T) {
				t.Errorf("%s: Means and LogProb differ in log p", c.Name)
			}
			for j, want := range m.Zbar {
				d := reldiff(zbar[j], want)
				worst = max(worst, d)
				if !(d <= 1e-9) {
					t.Errorf("%s %v: E[z_%d | t=%d] = %v, want %v", c.Name, c.Y, j, m.T, zbar[j], want)
				}
			}
			if d := math.Abs(zbar[m.T] - c.Y[m.T] - m.ShiftOwn); !(d <= 1e-9*max(1, m.ShiftOwn)) {
				t.Errorf("%s %v: the shift of the own class has an error of %g", c.Name, c.Y, d)
			}
		}
	}
	t.Logf("largest error of a mean: %.1e", worst)
}
