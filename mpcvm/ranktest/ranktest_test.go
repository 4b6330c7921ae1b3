package ranktest

import (
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/mpcvm/mpcvm/internal/testkit/must"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/floats/scalar"
	"gonum.org/v1/gonum/mat"
)

// tolerance is the tolerance for the golden vectors.
const tolerance = 1e-12

func near(t *testing.T, about string, got, want, tol float64) {
	t.Helper()
	if !scalar.EqualWithinAbsOrRel(got, want, tol, tol) {
		t.Errorf("%s: %.17g, want %.17g", about, got, want)
	}
}

func nearAll(t *testing.T, about string, got, want []float64, tol float64) {
	t.Helper()
	if !floats.EqualApprox(got, want, tol) {
		t.Errorf("%s: %v, want %v", about, got, want)
	}
}

// paper contains the table of the mPCVM paper and results computed from it independently.
type paper struct {
	Performance map[string]map[string][]float64
	Tests       []struct {
		Proposed, Metric string
		Algorithms       []string
		Ranks            [][]float64
		AverageRanks     []float64 `json:"average_ranks"`
		Q                float64   `json:"friedman_q"`
		P                float64   `json:"friedman_p"`
		QTies            float64   `json:"friedman_q_tie_corrected"`
		PTies            float64   `json:"friedman_p_tie_corrected"`
		Statistic        []float64 `json:"bonferroni_dunn_statistic"`
		StandardError    float64   `json:"standard_error"`
		F                float64   `json:"iman_davenport_f"`
		Printed          struct {
			AverageRanks []float64 `json:"average_ranks"`
			Q            float64   `json:"friedman_q"`
		} `json:"paper_printed"`
	}
	Critical struct {
		K    int
		Q10  float64 `json:"q_0_10"`
		Q05  float64 `json:"q_0_05"`
		CD10 float64 `json:"cd_0_10"`
		CD05 float64 `json:"cd_0_05"`
	} `json:"bonferroni_dunn_critical"`
}

func readPaper(t *testing.T) paper {
	t.Helper()
	text := must.Get(os.ReadFile("testdata/friedman_bonferroni_dunn.json"))(t)
	var p paper
	must.OK(t, json.Unmarshal(text, &p))
	must.Equal(t, len(p.Tests), 4)
	return p
}

// measures returns the table of a metric; lower is better.
func (p paper) measures(metric string, algorithms []string) *mat.Dense {
	e := mat.NewDense(8, len(algorithms), nil)
	for j, name := range algorithms {
		for i, v := range p.Performance[metric][name] {
			if metric == "AUC" {
				v = -v
			}
			e.Set(i, j, v)
		}
	}
	return e
}

func TestGolden(t *testing.T) {
	p := readPaper(t)
	for _, want := range p.Tests {
		about := want.Proposed + " " + want.Metric
		r := must.Get(Friedman(p.measures(want.Metric, want.Algorithms)))(t)
		for i, ranks := range want.Ranks {
			nearAll(t, about+" ranks", r.Ranks.RawRowView(i), ranks, 0)
		}
		nearAll(t, about+" average ranks", r.Average, want.AverageRanks, tolerance)
		near(t, about+" Q", r.Q, want.Q, tolerance)
		near(t, about+" p", r.P, want.P, tolerance)
		near(t, about+" Q corrected", r.QTies, want.QTies, tolerance)
		near(t, about+" p corrected", r.PTies, want.PTies, tolerance)
		near(t, about+" standard error", r.StdErr, want.StandardError, tolerance)
		near(t, about+" F", r.F, want.F, tolerance)
		for alpha, critical := range map[float64][2]float64{0.10: {p.Critical.Q10, p.Critical.CD10},
			0.05: {p.Critical.Q05, p.Critical.CD05}} {
			post := r.BonferroniDunn(5, alpha)
			near(t, about+" q", post.Critical, critical[0], tolerance)
			near(t, about+" CD", post.CD, critical[1], tolerance)
			if len(post.Pairs) != len(want.Statistic) {
				t.Fatalf("%s: %d pairs", about, len(post.Pairs))
			}
			for i, pair := range post.Pairs {
				near(t, about+" statistic", pair.Z, want.Statistic[i], tolerance)
				if pair.I != i || pair.J != 5 || pair.Differs != (want.Statistic[i] >= critical[0]) {
					t.Errorf("%s: %+v", about, pair)
				}
			}
		}
	}
}

// TestPaperSlips checks the statements of the package comment about the paper.
func TestPaperSlips(t *testing.T) {
	p := readPaper(t)
	differ := map[string][]bool{ // at 0.10: mRVM₁, mRVM₂, SVM, DLSR, MLR
		"mPCVM1 ERR": {false, false, true, true, true},
		"mPCVM1 AUC": {false, false, false, false, false},
		"mPCVM2 ERR": {true, true, true, true, true},
		"mPCVM2 AUC": {false, false, false, true, true},
	}
	for _, test := range p.Tests {
		about := test.Proposed + " " + test.Metric
		r := must.Get(Friedman(p.measures(test.Metric, test.Algorithms)))(t)
		for i, pair := range r.BonferroniDunn(5, 0.10).Pairs {
			if pair.Differs != differ[about][i] {
				t.Errorf("%s: %+v", about, pair)
			}
		}
		if test.Metric == "AUC" {
			near(t, about+" printed Q", test.Printed.Q, r.Q, 1e-3)
			continue
		}
		// The printed ERR ranks follow if MLR has a lower error on Heart.
		e := p.measures("ERR", test.Algorithms)
		must.Equal(t, e.At(2, 4), 35.104)
		e.Set(2, 4, 33.104)
		r = must.Get(Friedman(e))(t)
		nearAll(t, about+" printed ranks", test.Printed.AverageRanks, r.Average, tolerance)
		near(t, about+" printed Q", test.Printed.Q, r.Q, 1e-4)
	}
}

// TestDemsar: the example of Demšar (2006), four variants of C4.5 on fourteen data sets
// (table 6): average ranks 3.143, 2.000, 2.893, 1.964, χ² 9.28, F 3.69, critical
// differences 1.25 and 1.12 (Nemenyi), 1.16 and 1.04 (Bonferroni-Dunn). For Voting, the
// table contains 0.975 twice with the ranks 2 and 3, because it was rounded after ranking.
func TestDemsar(t *testing.T) {
	auc := mat.NewDense(14, 4, []float64{
		0.763, 0.768, 0.771, 0.798,
		0.599, 0.591, 0.590, 0.569,
		0.954, 0.971, 0.968, 0.967,
		0.628, 0.661, 0.654, 0.657,
		0.882, 0.888, 0.886, 0.898,
		0.936, 0.931, 0.916, 0.931,
		0.661, 0.668, 0.609, 0.685,
		0.583, 0.583, 0.563, 0.625,
		0.775, 0.838, 0.866, 0.875,
		1.000, 1.000, 1.000, 1.000,
		0.940, 0.962, 0.965, 0.962,
		0.619, 0.666, 0.614, 0.669,
		0.972, 0.981, 0.9751, 0.975,
		0.957, 0.978, 0.946, 0.970,
	})
	auc.Scale(-1, auc)
	r := must.Get(Friedman(auc))(t)
	nearAll(t, "ranks", r.Average, []float64{3.143, 2.000, 2.893, 1.964}, 5e-4)
	near(t, "Q", r.Q, 9.28, 1e-3)
	near(t, "F", r.F, 3.69, 2e-3)
	near(t, "Nemenyi 0.05", r.Nemenyi(0.05).CD, 1.25, 5e-3)
	near(t, "Nemenyi 0.10", r.Nemenyi(0.10).CD, 1.12, 5e-3)
	near(t, "Bonferroni-Dunn 0.05", r.BonferroniDunn(0, 0.05).CD, 1.16, 1e-2)
	near(t, "Bonferroni-Dunn 0.10", r.BonferroniDunn(0, 0.10).CD, 1.04, 5e-3)
}

// TestDemsarTables: tables 5a and 5b of Demšar (2006), for 2 to 10 systems. In table 5b,
// the value for nine systems at 0.05 is printed as 2.724; the quantile of 1 − 0.05/16 is
// 2.734.
func TestDemsarTables(t *testing.T) {
	for _, tt := range []struct {
		about    string
		critical func(int, float64) float64
		alpha    float64
		want     []float64
	}{
		{"Nemenyi", nemenyiCritical, 0.05, []float64{1.960, 2.343, 2.569, 2.728, 2.850, 2.949, 3.031, 3.102,
			3.164}},
		{"Nemenyi", nemenyiCritical, 0.10, []float64{1.645, 2.052, 2.291, 2.459, 2.589, 2.693, 2.780, 2.855,
			2.920}},
		{"Bonferroni-Dunn", bonferroniDunnCritical, 0.05, []float64{1.960, 2.241, 2.394, 2.498, 2.576, 2.638, 2.690,
			2.734, 2.773}},
		{"Bonferroni-Dunn", bonferroniDunnCritical, 0.10, []float64{1.645, 1.960, 2.128, 2.241, 2.326, 2.394, 2.450,
			2.498, 2.539}},
	} {
		for i, want := range tt.want {
			if got := tt.critical(i+2, tt.alpha); math.Abs(got-want) > 1e-3 {
				t.Errorf("%s at %v, %d systems: %v, want %v", tt.about, tt.alpha, i+2, got, want)
			}
		}
	}
}

// TestNormalRange compares with a 25-digit quadrature of the defining integral.
func TestNormalRange(t *testing.T) {
	for _, tt := range []struct {
		k       int
		q, want float64
	}{
		{2, 0.5, 0.72367360983176307},
		{3, 1, 0.75928735877066123},
		{6, 5, 0.0054503968461306617},
		{6, 10, 2.3058850089919531e-11},
		{20, 12, 4.0886972587078923e-15},
		{100, 5.8, 0.10304765406008788},
	} {
		if got := rangeSurvival(tt.q, tt.k); math.Abs(got-tt.want) > 1e-12*tt.want {
			t.Errorf("%d systems, range %v: %v, want %v", tt.k, tt.q, got, tt.want)
		}
	}
	for _, k := range []int{2, 3, 10, 200, 5000} {
		for _, alpha := range []float64{0.999, 0.5, 0.05, 1e-9} {
			q := nemenyiCritical(k, alpha) * math.Sqrt2
			near(t, "survival of quantile", rangeSurvival(q, k)/alpha, 1, 1e-12)
		}
		near(t, "certain", rangeSurvival(0, k), 1, 1e-12)
	}
	// For two variables, the range is the absolute value of √2 times a normal variable.
	near(t, "two", nemenyiCritical(2, 0.03), bonferroniDunnCritical(2, 0.03), 1e-12)
}

// TestRanks compares with ranks found by counting lower and equal values.
func TestRanks(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for range 200 {
		v := make([]float64, rng.IntN(8))
		for i := range v {
			v[i] = float64(rng.IntN(5)) - 2
		}
		want := make([]float64, len(v))
		for i, a := range v {
			want[i] = 0.5
			for _, b := range v {
				if b < a {
					want[i]++
				} else if b == a {
					want[i] += 0.5
				}
			}
		}
		if got := Ranks(nil, v); !slices.Equal(got, want) {
			t.Fatalf("ranks of %v: %v, want %v", v, got, want)
		}
		if got := Ranks(v, v); !slices.Equal(got, want) { // in place
			t.Fatalf("in place: %v, want %v", got, want)
		}
	}
	inf := math.Inf(1)
	if got := Ranks(nil, []float64{inf, 0, -inf, inf}); !slices.Equal(got, []float64{3.5, 2, 1, 3.5}) {
		t.Errorf("ranks with infinities: %v", got)
	}
}

func TestExtremes(t *testing.T) {
	alike := mat.NewDense(5, 3, []float64{1, 2, 3, 4, 5, 6, 1, 8, 9, 0, .1, .2, 5, 6, 7})
	r := must.Get(Friedman(alike))(t)
	if !math.IsInf(r.F, 1) || r.PF != 0 || math.Abs(r.Q-10) > 1e-12 {
		t.Errorf("equal ranks on all data sets: %+v", r)
	}
	level := must.Get(Friedman(mat.NewDense(5, 3, nil)))(t)
	if level.Q != 0 || level.QTies != 0 || level.P != 1 || level.PTies != 1 || level.F != 0 || level.PF != 1 {
		t.Errorf("all systems tied: %+v", level)
	}
	for _, pair := range level.Nemenyi(0.1).Pairs {
		if pair.Differs || math.Abs(pair.P-1) > 1e-12 {
			t.Errorf("all systems tied: %+v", pair)
		}
	}
	// scipy.stats.f.sf and friedmanchisquare
	almost := mat.NewDense(12, 3, nil)
	for i := range 12 {
		almost.SetRow(i, []float64{1, 2, 3})
	}
	almost.SetRow(0, []float64{2, 1, 3})
	r = must.Get(Friedman(almost))(t)
	near(t, "Q", r.Q, 22.166666666666657, 1e-12)
	near(t, "small p", r.P, 1.5366306526875732e-05, 1e-12)
	if math.Abs(r.PF/5.168114461554886e-13-1) > 1e-10 {
		t.Errorf("small p of F: %v", r.PF)
	}
}

func TestMistakes(t *testing.T) {
	var bad *ValueError
	_, err := Friedman(mat.NewDense(2, 2, []float64{1, 2, math.NaN(), 3}))
	if !errors.As(err, &bad) || bad.Row != 1 || bad.Column != 0 || err.Error() != "ranktest: row 2, column "+
		"1: NaN has no rank" {
		t.Errorf("NaN: %v", err)
	}
	for _, e := range []*mat.Dense{{}, mat.NewDense(1, 3, nil), mat.NewDense(3, 1, nil)} {
		if _, err := Friedman(e); !errors.Is(err, ErrUndefined) {
			t.Errorf("too few: %v", err)
		}
	}
	r := must.Get(Friedman(mat.NewDense(2, 2, []float64{1, 2, 2, 3})))(t)
	for name, f := range map[string]func(){
		"destination": func() { Ranks(make([]float64, 1), []float64{1, 2}) },
		"NaN":         func() { Ranks(nil, []float64{1, math.NaN()}) },
		"control":     func() { r.BonferroniDunn(2, 0.1) },
		"level":       func() { r.Nemenyi(1) },
		"NaN level":   func() { r.Nemenyi(math.NaN()) },
		"one system":  func() { nemenyiCritical(1, 0.1) },
	} {
		must.Panic(t, name, f)
	}
}
