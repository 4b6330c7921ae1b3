package export_test

import (
	"bytes"
	"path/filepath"
	"slices"
	"testing"

	"github.com/mpcvm/mpcvm/mpcvm/kernel"
	tablemodel "github.com/mpcvm/mpcvm/tables/model"
	"github.com/mpcvm/mpcvm/tables/recipe"
)

// JavaScript reads cells like the library, including cells in unusual notations.
func TestCellsAsPeopleWriteThem(t *testing.T) {
	r := &recipe.Recipe{Target: "class", Limits: "half", Missing: []string{"9999-12-31"},
		Columns: []recipe.Column{
			{Name: "number", Kind: "number", Fill: 0.5, Missing: true}, {Name: "lap", Kind: "number", Unit: ":",
				Missing: true},
			{Name: "kilos", Kind: "number", Unit: "kg", Missing: true},
			{Name: "day", Kind: "date", Layout: "2. January 2006|2006/1/2", Fill: 1e9, Missing: true},
			{Name: "short", Kind: "date", Layout: "2 Jan 2006", Fill: 1e9, Missing: true},
			{Name: "place", Kind: "category", Levels: []string{"größer", "hi gh", "x\u00a0y"}},
		}}
	if err := r.Check(); err != nil {
		t.Fatal(err)
	}
	m, _ := synthetic(kernel.RBF{Theta: 0.01}, 3, r.Width(), 40, 1, 11)
	mean, scale := make([]float64, r.Width()), slices.Repeat([]float64{1}, r.Width())
	for j, name := range r.Features() {
		switch name {
		case "day", "short":
			mean[j], scale[j] = 1.6e9, 3e8
		case "number", "lap", "kilos":
			scale[j] = 1e3
		}
	}
	e := example{name: "people", model: tablemodel.NewModel(m.WithNames(nil, r.Features()).WithScaling(mean,
		scale),
		r)}
	plain := []string{"1.5", "12:28", "5 kg", "3. March 2024", "3 Mar 2024", "größer"}
	texts := [][]string{
		{`="1.288"`, "'1.288", "'x", "1.28D+05", "1.28d-2", "5D", "3D2", "１２．５", "٣٫٥", "12,345", "1,234,567.5",
			"1.234.567,5", "1 234,5",
			"1\u2009234.5", "1’234", "12_881", "1_2", "0x1F", "0X00ff", "0x1G", "0x123456789",
			"-0x1F", "13,59,366", "1,3,5", "01,234,567", "-1,234,567", "(1,234,567)", "12:28", "<0.5",
			"≤ 0.5", ">100", "<-3",
			"< 1,234.5", "LOD", "n.d.", "< x", "$1,234,567", "5\u200b.5"},
		{"1:02:03", "6:28 PM", "12:00am", "13:00 PM", "0:30 AM", "6:28:01pm", "6:28:01.5 pM", "6 PM",
			"75:30", "-1:30", "12:60", "1:2", "12:28.5", "12:28,5", "748", "１２：２８", "<1:30", "1:2:3:4",
			"12345:00"},
		{"5\u00a0kg", "１２ kg", "<5 kg", ">5kg", "12:28", "="},
		{"3. März 2024", "3. Maerz 2024", "Montag, 4. März 2024", "1. Jänner 2021", "2024/3/5", "2024-3-5",
			"5.3.2024", "9999-12-31", "31. Dezember 9999",
			"9999/12/31", "3. marzo 2024", "3. Foo 2024", "3. M\u0061\u0308rz 2024", "15. janv. 2024"},
		{"3 mars 2024", "1er janv. 2024", "3 de mar de 2024", "3 août 2024", "3 okt. 2024", "2nd Mar 2024",
			"3 Maerz 2024", "3 december 2024", "lundi 4 mars 2024"},
		{"gro\u0308ßer", "hi\u200b gh", "hi\u00a0gh", "x y", "x\u00a0y", "gr\u00adößer", "größer ", "grö\u200cßer"},
	}
	for _, c := range r.Columns {
		e.header = append(e.header, c.Name)
	}
	for j, list := range texts {
		for _, text := range list {
			row := slices.Clone(plain)
			row[j] = text
			e.rows = append(e.rows, row)
		}
	}
	needNode(t)
	dir := t.TempDir()
	e.csv(t, filepath.Join(dir, "rows.csv"))
	exported(t, e.model, dir)
	e.compare(t, bytes.NewReader(predict(t, e, dir)))
}
