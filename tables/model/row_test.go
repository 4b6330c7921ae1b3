package model_test

import (
	"bytes"
	"context"
	"reflect"
	"strings"
	"testing"

	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
	"github.com/mpcvm/mpcvm/tables"
	"github.com/mpcvm/mpcvm/tables/model"
	"github.com/mpcvm/mpcvm/tables/predict"
	"github.com/mpcvm/mpcvm/tables/recipe"
	"github.com/mpcvm/mpcvm/tables/table"
)

// TestNovelty: a row, a table and the formats name the same cells beyond the range of the training rows and
// the same new levels, and a row far away is unlike all training rows, also with a linear or a polynomial
// kernel.
func TestNovelty(t *testing.T) {
	for _, k := range []kernel.Kernel{kernel.RBF{Theta: 0.3}, kernel.Linear{},
		kernel.Polynomial{Degree: 1, Scale: 1}} {
		training := birds(1, 150)
		m, _, err := model.Fit(t.Context(), training, "", mpcvm.BottomUp{Kernel: k})
		if err != nil {
			t.Fatal(err)
		}
		m = load(t, save(t, m))
		rows := newTable(numberColumn("mass", 1e9, 4000, 4000), textColumn("male", table.Category, "no", "yes", ""),
			textColumn("island", table.Category, "Dream", "Atlantis", "Rare1"))
		x, unusable, err := m.Recipe().Encode(nil, rows, []int{0, 1, 2})
		if err != nil || unusable != nil {
			t.Fatal(unusable, err)
		}
		list, err := m.Predict(t.Context(), rows)
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range []recipe.Novelty{{Beyond: []string{"mass"}},
			{NewLevels: map[string]string{"island": "Atlantis"}}, {}} {
			one, err := m.PredictRow(map[string]any{"mass": rows.Columns[0].Numbers[i],
				"male": rows.Columns[1].Text(i), "island": rows.Columns[2].Text(i)})
			if !reflect.DeepEqual(one, list[i]) || !reflect.DeepEqual(one.Novelty, want) || err != nil ||
				one.Unlike != (i == 0) || one.ByClass()[one.Class] != one.Proba[one.Label] {
				t.Errorf("%v: row %d: %+v, %+v, %v", k, i, one, list[i], err)
			}
		}
		p := predict.New(m, false)
		var u predict.Predictions
		p.Predict(&u, &predict.Batch{X: x, Novelty: m.Recipe().Novelty(rows, []int{0, 1, 2}, x, nil)})
		for name, want := range map[string][]string{"csv": {",yes,mass,,\n", ",,,island=Atlantis,\n", ",,,,\n"},
			"jsonl": {`"unlike":true,"beyond":["mass"]}`, `"new_levels":{"island":"Atlantis"}}`}} {
			f, err := p.Format(name)
			var out strings.Builder
			if err == nil {
				err = predict.Write(&out, f, &u)
			}
			for _, part := range want {
				if err != nil || strings.Count(out.String(), part) != 1 {
					t.Errorf("%s: %v\n%s", name, err, out.String())
				}
			}
		}
	}
}

// A row is predicted with few allocations, also if numbers are strings and columns are missing.
func TestPredictRowAllocations(t *testing.T) {
	m, row := rowOfPenguins(t)
	texts := map[string]any{"Culmen Length (mm)": "46,5", "Flipper Length (mm)": "192 mm", "Island": "Dream"}
	for _, row := range []map[string]any{row, texts} {
		n := testing.AllocsPerRun(100, func() {
			if _, err := m.PredictRow(row); err != nil {
				t.Fatal(err)
			}
		})
		if n > 12 {
			t.Errorf("%v: %v allocations", row, n)
		}
	}
}

// BenchmarkPredictRow predicts a row of the penguins, and BenchmarkLoad loads the model.
func BenchmarkPredictRow(b *testing.B) {
	m, row := rowOfPenguins(b)
	for b.Loop() {
		if _, err := m.PredictRow(row); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkLoad(b *testing.B) {
	m, _ := rowOfPenguins(b)
	var file bytes.Buffer
	if err := m.Save(&file); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := model.Load(bytes.NewReader(file.Bytes())); err != nil {
			b.Fatal(err)
		}
	}
}

func rowOfPenguins(b testing.TB) (*model.Model, map[string]any) {
	t, err := tables.Open("../../data/penguins.csv",
		tables.Options{Drop: []string{"Sample Number", "Individual ID", "Comments"}})
	if err != nil {
		b.Fatal(err)
	}
	m, _, err := model.Fit(context.Background(), t, "Species", mpcvm.TopDown{Kernel: kernel.RBF{Theta: 0.1}})
	if err != nil {
		b.Fatal(err)
	}
	row := map[string]any{}
	for _, c := range m.RowRecipe().Columns {
		row[c.Name] = t.Columns[t.Find(c.Name)].Source(0)
		if n := t.Columns[t.Find(c.Name)].Numbers; c.Kind == "number" {
			row[c.Name] = n[0]
		}
	}
	return m, row
}
