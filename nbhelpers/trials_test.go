package nbhelpers_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/internal/testkit/drawn"
	"github.com/mpcvm/mpcvm/internal/testkit/must"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
	"github.com/mpcvm/mpcvm/mpcvm/search"
	nb "github.com/mpcvm/mpcvm/nbhelpers"
)

func TestTrials(t *testing.T) {
	auto := mpcvm.Result{Trials: []mpcvm.Trial{
		{Learner: "kernel prior s²=100, dense", Kernel: kernel.RBF{Theta: 0.123456}, LogLoss: 0.5,
			Weights: 300},
		{Learner: "kernel prior s²=1, dense", Kernel: kernel.RBF{Theta: 0.2}, LogLoss: 0.4, Weights: 300},
		{Learner: "kernel prior s²=1, cut to 0.7", Kernel: kernel.RBF{Theta: 0.2}, LogLoss: 0.45,
			Weights: 70},
		{Learner: "bottom up, likelihood power 10, 60 candidates", Kernel: kernel.Laplacian{Theta: 0.2},
			LogLoss: 0.3, ErrorRate: 0.125, Temperature: 2, Weights: 20, Seconds: 0.25, Chosen: true},
		{Learner: "bottom up, likelihood power 1", Kernel: kernel.ARD{Theta: []float64{1, 2}}, LogLoss: 0.35,
			Weights: 22},
		{Learner: "bottom up, likelihood power 10", GivenUp: true, Kernel: kernel.RBF{Theta: 0.2},
			LogLoss: 0.2, Weights: 10, Seconds: 1},
	}}
	table, chart := nb.Trials(auto)
	if got := strings.Join(table.Rows[0],
		"|"); got != "bottom up, likelihood power 10, 60 candidates|laplacian, θ = "+
		"0.2|0.300|12.5|2.00|20|0.25|chosen" || len(table.Rows) != 1 {
		t.Errorf("the first of %d rows is %s", len(table.Rows), got)
	}
	var option struct {
		Legend struct{ Data []struct{ Name string } }
	}
	if err := json.Unmarshal(chart.Option(), &option); err != nil {
		t.Fatal(err)
	}
	for _, family := range []string{"kernel prior, dense", "kernel prior, cut", "bottom up",
		"given up after a fold", "chosen"} {
		n := 0
		for _, entry := range option.Legend.Data {
			if entry.Name == family {
				n++
			}
		}
		if n != 1 {
			t.Errorf("the legend names %q %d times", family, n)
		}
	}
	if option := string(chart.Option()); !strings.Contains(option, `{"symbolSize":12,"value":[20,0.3]}`) {
		t.Errorf("the dot of a quarter of the longest time has the wrong size: %s", option)
	}
	once := mpcvm.Result{Trials: []mpcvm.Trial{{Learner: "top down", Kernel: kernel.RBF{Theta: 0.123456},
		LogLoss: 0.5, Weights: 3, Chosen: true}}}
	if table, _ := nb.Trials(once); len(table.Rows) != 1 || table.Rows[0][1] != "rbf, θ = 0.123" {
		t.Errorf("one trial: %v", table.Rows)
	}
	once.Trials[0].Kernel = kernel.ARD{Theta: []float64{0.25, 1.5, 0}}
	if table, _ := nb.Trials(once); table.Rows[0][1] != "ard, θ 0 to 1.5" {
		t.Errorf("a width for each feature: %v", table.Rows)
	}

	set, err := data.Load("iris")
	if err != nil {
		t.Fatal(err)
	}
	_, result := nb.Fit(search.Width{Learner: mpcvm.BottomUp{}}, set)
	table, chart = nb.Trials(result)
	if len(table.Rows) != len(result.Trials) || len(table.Header) != 3 ||
		!strings.Contains(drawn.Texts(t, chart), "\nθ\n") {
		t.Errorf("trials of a width: %v, %d rows for %d trials", table.Header, len(table.Rows),
			len(result.Trials))
	}
	must.PanicWith(t, "no trials", "tried no settings", func() { nb.Trials(mpcvm.Result{}) })
}
