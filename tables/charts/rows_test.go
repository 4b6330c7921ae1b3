package charts

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/internal/chart"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
	"github.com/mpcvm/mpcvm/nbhelpers"
	"github.com/mpcvm/mpcvm/tables"
	"github.com/mpcvm/mpcvm/tables/eval"
	"github.com/mpcvm/mpcvm/tables/model"
	"github.com/mpcvm/mpcvm/tables/table"
)

// birds returns the 344 penguins and a model of the table.
func birds(t *testing.T) (*table.Table, *model.Model) {
	t.Helper()
	ctx := context.Background()
	penguins, err := tables.Open("../../data/penguins.csv", tables.Options{ID: []string{"Individual ID"},
		Drop: []string{"studyName", "Sample Number", "Date Egg", "Comments", "Region", "Stage"}})
	if err != nil {
		t.Fatal(err)
	}
	m, _, err := model.Fit(ctx, penguins, "Species", mpcvm.BottomUp{Kernel: kernel.RBF{Theta: 0.1}})
	if err != nil {
		t.Fatal(err)
	}
	return penguins, m
}

// Charts of a table encode its rows as Predict does, and count the same errors.
func TestTableModelUnits(t *testing.T) {
	penguins, m := birds(t)
	predictions, err := m.Predict(context.Background(), penguins)
	if err != nil {
		t.Fatal(err)
	}
	wrong, species := 0, penguins.Columns[penguins.Find("Species")]
	for i, p := range predictions {
		if p.Class != species.Text(i) {
			wrong++
		}
	}
	told := fmt.Sprintf("%d of 344 samples misclassified", wrong)
	regions := Regions(m, penguins, nbhelpers.RegionsOptions{Cells: 20})
	for name, c := range map[string]nbhelpers.Chart{
		"Regions":   regions,
		"principal": Regions(m, penguins, nbhelpers.RegionsOptions{Cells: 20, Principal: true}),
	} {
		subtitle := chart.FigureOf(c).Subtitle
		if !strings.Contains(subtitle, told) || name != "principal" &&
			!strings.Contains(subtitle, "2 without a value not drawn") {
			t.Errorf("%s: %q, want %q", name, subtitle, told)
		}
		if strings.Contains(c.Alt, "missing") || !strings.HasPrefix(chart.FigureOf(c).Title, "penguins") {
			t.Errorf("%s: %q: %q", name, chart.FigureOf(c).Title, c.Alt)
		}
	}
	// The axes are the two most important numeric columns, in millimetres.
	p, err := eval.Predict(context.Background(), m, penguins)
	if err != nil {
		t.Fatal(err)
	}
	list, err := p.Importance(context.Background(), eval.ImportanceOptions{})
	if err != nil {
		t.Fatal(err)
	}
	x := chart.FigureOf(regions).Panels[0].X
	if !strings.Contains(x.Name, list[0].Column) && !strings.Contains(x.Name, list[1].Column) || x.Lo < 10 {
		t.Errorf("x is %q from %g; the most important columns are %q and %q", x.Name, x.Lo, list[0].Column,
			list[1].Column)
	}
	for name, tt := range map[string]struct {
		want string
		f    func()
	}{
		"scale of table": {"Scale must not be set",
			func() { Regions(m, penguins, nbhelpers.RegionsOptions{Scale: &data.Standardizer{}}) }},
		"indicator": {`is not one of the numeric columns`,
			func() {
				Regions(m, penguins, nbhelpers.RegionsOptions{Columns: [2]string{"Sex missing", "Body Mass (g)"}})
			}},
		"no table model": {"the model must have a recipe",
			func() { Regions(model.NewModel(m.Model(), nil), penguins, nbhelpers.RegionsOptions{}) }},
		"bad cell": {`"heavy"`, func() { Explanation(m, map[string]any{"Body Mass (g)": "heavy"}) }},
	} {
		text := refusalOf(tt.f)
		if !strings.Contains(text, tt.want) || strings.Contains(text, "\n") {
			t.Errorf("%s: %q, want %q", name, text, tt.want)
		}
	}

	if text := refusalOf(func() { Explanation(m, penguins.Row(3)) }); text != "" {
		t.Error(text)
	}
	lacking := chart.FigureOf(Explanation(m, map[string]any{"Body Mass (g)": 5000})).Subtitle
	if !strings.Contains(lacking, "treated as missing: Island") {
		t.Errorf("%q", lacking)
	}
}

// The cells returned by Table.Row lead PredictRow to the predictions of Predict.
func TestRowIsThatOfTheTable(t *testing.T) {
	penguins, m := birds(t)
	predictions, err := m.Predict(context.Background(), penguins)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range predictions {
		got, err := m.PredictRow(penguins.Row(i))
		if err != nil || got.Missing != nil || got.Class != want.Class ||
			math.Abs(got.Proba[0]-want.Proba[0]) > 1e-12 {
			t.Errorf("row %d: %+v, %v; Predict gives %+v", i+1, got, err, want)
		}
	}
}
