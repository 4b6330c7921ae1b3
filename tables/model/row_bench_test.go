package model_test

import (
	"bytes"
	"testing"

	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
	"github.com/mpcvm/mpcvm/tables"
	"github.com/mpcvm/mpcvm/tables/model"
)

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
	m, _, err := model.Fit(b.Context(), t, "Species", mpcvm.TopDown{Kernel: kernel.RBF{Theta: 0.1}})
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
