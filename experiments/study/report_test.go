package study

import (
	"bytes"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/mpcvm/mpcvm/internal/testkit/must"
)

// paperResults returns the paper's means as results. They give the ranks and tests recomputed in
// package ranktest.
func paperResults() []Result {
	var all []Result
	for _, s := range paperSystems {
		for _, d := range paperDatasets {
			all = append(all, Result{System: s, Dataset: d, Err: paper[paperKey{"err", s, d}].Mean / 100,
				AUC: new(paper[paperKey{"auc", s, d}].Mean / 100)})
		}
	}
	return all
}

func TestPaperTranscribed(t *testing.T) {
	must.Equal(t, len(paper), 2*len(paperSystems)*len(paperDatasets))
	must.Equal(t, paper[paperKey{"err", "mpcvm2", "vowel"}].WithDeviation(), "3.59 (1.45)")
}

func TestRankings(t *testing.T) {
	r := NewReport(paperResults(), nil, nil)
	must.Equal(t, len(r.Rankings), 6)
	k := r.Rankings[1] // ERR, mPCVM₂
	want := []float64{3.375, 3.3125, 3.75, 5.375, 4.1875, 1}
	for i, v := range want {
		if k.Friedman.Average[i] != v {
			t.Errorf("average rank of %s is %v, want %v", k.Systems[i], k.Friedman.Average[i], v)
		}
	}
	if math.Abs(k.Friedman.Q-23.661) > 1e-3 || math.Abs(k.Pairs[0].Z-2.539) > 1e-3 || !k.Pairs[0].Differs ||
		k.Systems[k.Pairs[0].J] != "mpcvm2" {
		t.Errorf("%+v", k)
	}
	k = r.Rankings[4] // AUC, mPCVM₂: higher is better
	for i, v := range []float64{3.625, 3.375, 3.375, 4.5, 4.5, 1.625} {
		if k.Friedman.Average[i] != v {
			t.Errorf("average rank of %s by AUC is %v, want %v", k.Systems[i], k.Friedman.Average[i], v)
		}
	}
	if all := r.Rankings[2]; all.Control != "" || len(all.Systems) != 7 || len(all.Pairs) != 21 {
		t.Errorf("%+v", all)
	}
	// A data set that a system lacks is ignored. A single data set gives no ranks.
	if k := NewReport(paperResults()[1:], nil, nil).Rankings[0]; len(k.Datasets) != 7 ||
		k.Datasets[0] != "glass" {
		t.Errorf("%v", k.Datasets)
	}
	if r := NewReport(paperResults()[:1], nil, nil); len(r.Rankings) != 0 {
		t.Error("ranks for a single result")
	}
}

func TestCell(t *testing.T) {
	r := NewReport([]Result{
		{System: "mlr", Dataset: "iris", Partition: 6, Err: 0.1, AUC: number(0.9), LogLoss: number(1),
			Params: Setting{Params{"ridge": 1}, 6}},
		{System: "mlr", Dataset: "iris", Partition: 5, Err: 0.3, LogLoss: number(2), Weights: 3,
			Params: Setting{Params{"ridge": 1}, 5}},
	}, nil, []Failure{{System: "mlr", Dataset: "iris", Partition: 7}, {System: "mlr", Dataset: "iris",
		Partition: 1, Tuning: true}})
	c := r.Cell("mlr", "iris")
	if math.Abs(c.Err.Mean-20) > 1e-12 || math.Abs(*c.Err.SE-10) > 1e-12 || c.AUC.N != 1 || c.AUC.SE != nil ||
		c.LogLoss.Mean != 1.5 ||
		c.Runs != 2 || c.Failed != 1 || len(c.Params) != 1 || c.Params[0] != "ridge=1" || c.Weights.Mean != 1.5 ||
		c.PaperErr.Mean != 4.519 {
		t.Errorf("%+v", c)
	}
}

// TestOrderOfResults checks that a report does not depend on the order of the lines, because shards
// are merged in any order.
func TestOrderOfResults(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	var results []Result
	for partition := range 45 {
		auc, loss := rng.Float64(), rng.ExpFloat64()
		results = append(results, Result{System: "svm", Dataset: "wine", Partition: partition, Err: rng.Float64(),
			AUC: &auc, LogLoss: &loss,
			FitSeconds: rng.Float64(), Params: Setting{Params{"theta": float64(partition % 3)}, 0}})
	}
	want := *NewReport(slices.Clone(results), nil, nil).Cell("svm", "wine")
	for range 5 {
		rng.Shuffle(len(results), func(i, j int) { results[i], results[j] = results[j], results[i] })
		if got := *NewReport(slices.Clone(results), nil, nil).Cell("svm", "wine"); !reflect.DeepEqual(got, want) {
			t.Fatalf("%+v, in another order %+v", want, got)
		}
	}
}

func TestBrief(t *testing.T) {
	for v, want := range map[float64]string{0.01234: "0.0123", 2.345: "2.35", 23.45: "23.4", 234.5: "234",
		7: "7", 0: "0", 1e5: "100000"} {
		if got := brief(v); got != want {
			t.Errorf("%v in brief is %s, want %s", v, got, want)
		}
	}
}

func TestWrite(t *testing.T) {
	results := append(paperResults(),
		Result{System: "svm", Dataset: "letter-10", Series: "letter", Classes: 10, Err: 0.03},
		Result{System: "svm", Dataset: "letter-4", Series: "letter", Classes: 4, Err: 0.01},
		Result{System: "mpcvm2", Dataset: "overlap", Whole: true, Basis: 9, Weights: 9, Err: 0.1},
		Result{System: "new|one", Dataset: "mine<", Err: 0.5})
	r := NewReport(results, results[:2], []Failure{{System: "svm", Dataset: "mine<", Partition: 3, Tuning: true,
		Error: "no <fit>\nat all"}})
	var b bytes.Buffer
	must.OK(t, r.Write(&b))
	out := b.String()
	if err := r.Write(&b); err != nil || b.String() != out+out {
		t.Error("the second time differs")
	}
	must.Contain(t, out, "Error rate in per cent", "SYSTEM", "9 (9), 10.0 %",
		"99.00", "3 (tuning)", "Time by system", "2.539 !")
	// Cells without runs are empty.
	table, _, _ := strings.Cut(out, "Generalised")
	for line := range strings.Lines(table) {
		if strings.HasPrefix(line, "new|one") && !strings.Contains(line, missing) {
			t.Errorf("%s", line)
		}
	}
	b.Reset()
	if err := NewReport(nil, nil, nil).Write(&b); err != nil || b.Len() > 0 {
		t.Errorf("an empty report: %v, %s", err, &b)
	}
}

// A variant comes after its system, next to the same numbers of the paper, and is not ranked.
func TestVariants(t *testing.T) {
	var results []Result
	for _, dataset := range []string{"iris", "wine"} {
		for _, system := range []string{"svm+linear", "mlr", "svm", "other", "mpcvm2+bias", "mpcvm2"} {
			results = append(results, Result{System: system, Dataset: dataset, Err: 0.1})
		}
	}
	r := NewReport(results, nil, nil)
	var order []string
	for _, c := range r.Cells[:6] {
		order = append(order, c.System)
		if (c.PaperErr == nil) != (c.System == "other") {
			t.Errorf("%s: the paper's %v", c.System, c.PaperErr)
		}
	}
	if want := []string{"svm", "svm+linear", "mlr", "mpcvm2", "mpcvm2+bias", "other"}; !slices.Equal(order,
		want) {
		t.Errorf("%v, want %v", order, want)
	}
	for _, k := range r.Rankings {
		for _, s := range k.Systems {
			if strings.Contains(s, "+") {
				t.Errorf("%s is ranked", s)
			}
		}
	}
	if len(r.Rankings) == 0 {
		t.Error("no ranking")
	}
}
