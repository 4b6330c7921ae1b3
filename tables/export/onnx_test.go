package export_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/mpcvm/kernel"
	"github.com/mpcvm/mpcvm/tables/export"
	tablemodel "github.com/mpcvm/mpcvm/tables/model"
	"github.com/mpcvm/mpcvm/tables/recipe"
)

// onnxRuntime is a program that runs an ONNX model and prints the labels and the probabilities as JSON.
const onnxRuntime = `
const ort = require('onnxruntime-node');
const fs = require('fs');
const inputs = JSON.parse(fs.readFileSync('rows.json'));
ort.InferenceSession.create('model.onnx').then(async session => {
  const out = await session.run(Object.fromEntries(Object.entries(inputs).map(([name, rows]) => {
    const all = rows.flat(), dims = [rows.length, rows[0].length];
    return [name, typeof all[0] === 'string' ? new ort.Tensor('string', all, dims) : new ort.Tensor('float64', Float64Array.from(all.map(v => v === null ? NaN : v)), dims)];
  })));
  console.log(JSON.stringify({labels: Array.from(out.label.data, Number), proba: Array.from(out.probabilities.data), dims: out.probabilities.dims}));
});
`

// TestONNX runs every model in the ONNX runtime. The labels equal the labels of the library, and the
// probabilities differ by less than 1e-9.
func TestONNX(t *testing.T) {
	useONNX(t)
	for _, e := range examples(t) {
		t.Run(e.name, func(t *testing.T) { e.compareONNX(t) })
	}
}

// useONNX sets the path of the ONNX runtime for Node.js. It skips the test if the runtime is not installed.
func useONNX(t *testing.T) {
	t.Helper()
	modules, err := filepath.Abs("../../tools/onnx/node_modules")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(modules, "onnxruntime-node")); err != nil {
		t.Skip("THE ONNX FILES ARE NOT TESTED: npm ci --prefix tools/onnx --ignore-scripts installs the runtime")
	}
	if _, err := exec.LookPath("node"); err != nil {
		t.Skip("THE ONNX FILES ARE NOT TESTED: ", err)
	}
	t.Setenv("NODE_PATH", modules)
}

// samples returns the samples of the usable rows of an example, and one with NaN. inputs has the inputs of
// the graph: the cells by column, or the samples of a model without a recipe, with null for NaN.
func (e example) samples(t *testing.T) (rows [][]float64, inputs map[string][][]any) {
	t.Helper()
	r, withRecipe := e.model.RowRecipe(), e.model.Recipe() != nil
	inputs = map[string][][]any{}
	for _, row := range e.rows {
		cells := e.cells(row)
		x, err := r.EncodeRow(cells)
		if err != nil {
			continue
		}
		rows = append(rows, x)
		if !withRecipe {
			inputs["features"] = append(inputs["features"], anys(x))
			continue
		}
		for _, c := range r.Columns {
			inputs[inputName(c)] = append(inputs[inputName(c)], []any{e.cell(t, r, c, cells[c.Name])})
		}
	}
	bad := slices.Repeat([]float64{math.NaN()}, len(rows[0]))
	if !withRecipe {
		inputs["features"] = append(inputs["features"], anys(bad))
		return append(rows, bad), inputs
	}
	rows = append(rows, bad) // a row without any value
	for _, c := range r.Columns {
		var cell any
		if c.Kind == "boolean" || c.Kind == "category" {
			cell = ""
		}
		inputs[inputName(c)] = append(inputs[inputName(c)], []any{cell})
	}
	for _, c := range r.Columns { // a row with an invalid boolean
		if c.Kind != "boolean" {
			continue
		}
		rows = append(rows, bad)
		for name, of := range inputs {
			if name == inputName(c) {
				inputs[name] = append(of, []any{"perhaps"})
			} else {
				inputs[name] = append(of, of[0])
			}
		}
	}
	return rows, inputs
}

// inputName returns the name of the input of a column.
func inputName(c recipe.Column) string {
	if c.Name == "label" || c.Name == "probabilities" || strings.HasPrefix(c.Name, "v/") {
		return "column " + c.Name
	}
	return c.Name
}

// anys returns numbers for JSON, with nil for NaN.
func anys(x []float64) (list []any) {
	for _, v := range x {
		if math.IsNaN(v) {
			list = append(list, nil)
		} else {
			list = append(list, v)
		}
	}
	return list
}

// cell returns the input of the graph for a cell: a number or date as read by the library, or a text without
// surrounding blanks. If the text is a level in a different notation of a number, it returns the level.
func (e example) cell(t *testing.T, r *recipe.Recipe, c recipe.Column, value any) any {
	one := recipe.Recipe{Missing: r.Missing, Columns: []recipe.Column{c, {Name: "and", Kind: "number"}}}
	one.Columns[0].Missing = true
	x, err := one.EncodeRow(map[string]any{c.Name: value, "and": 0})
	if err != nil {
		t.Fatal(err)
	}
	missing, text := x[len(x)-2] == 1, strings.TrimFunc(fmt.Sprint(value),
		func(r rune) bool { return unicode.IsSpace(r) || r == '\ufeff' })
	switch {
	case c.Kind == "boolean" || c.Kind == "category":
		if at := slices.Index(x[:len(x)-2], 1); c.Kind == "category" && at >= 0 && at < len(c.Levels) {
			return c.Levels[at]
		}
		if c.Kind == "boolean" && !missing {
			return c.Levels[int(x[0])]
		}
		if missing && !slices.Contains([]string{"NA", "na", "?", "None", "none"}, text) {
			return ""
		}
		return text
	case missing:
		return nil
	}
	return x[0]
}

func (e example) compareONNX(t *testing.T) {
	var file bytes.Buffer
	if err := export.Write(&file, e.model, "onnx"); err != nil {
		t.Fatal(err)
	}
	rows, inputs := e.samples(t)
	text, err := json.Marshal(inputs)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, content := range map[string][]byte{"model.onnx": file.Bytes(), "rows.json": text,
		"run.cjs": []byte(onnxRuntime)} {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var got struct {
		Labels []int
		Proba  []*float64
		Dims   []int
	}
	if err := json.Unmarshal(run(t, dir, "", "node", "run.cjs"), &got); err != nil {
		t.Fatal(err)
	}
	x := mat.NewDense(len(rows), e.model.Model().Features(), nil)
	for i, row := range rows {
		x.SetRow(i, row)
	}
	labels, proba := e.model.Model().Predict(nil, x), e.model.Model().Proba(nil, x)
	worst := 0.0
	for i, label := range labels {
		if got.Labels[i] != label {
			t.Errorf("row %d: label %d, want %d", i, got.Labels[i], label)
		}
		for c, p := range proba.RawRowView(i) {
			v := math.NaN()
			if of := got.Proba[i*e.model.Model().Classes()+c]; of != nil {
				v = *of
			}
			if math.IsNaN(v) != math.IsNaN(p) {
				t.Errorf("row %d: probability %v, want %v", i, v, p)
			}
			if d := math.Abs(v - p); d > worst {
				worst = d
			}
		}
	}
	if worst > 1e-9 {
		t.Errorf("largest difference %.2g", worst)
	}
	t.Logf("largest difference %.1e, %d rows, %d bytes", worst, len(rows), file.Len())
}

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
