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

	"github.com/mpcvm/mpcvm/tables/export"
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
