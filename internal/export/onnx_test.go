package export_test

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/data/recipe"
	"github.com/mpcvm/mpcvm/internal/export"
)

// onnxRuntime runs a model of ONNX on samples and prints the labels and the probabilities as JSON.
const onnxRuntime = `
const ort = require('onnxruntime-node');
const fs = require('fs');
const rows = JSON.parse(fs.readFileSync('rows.json'));
ort.InferenceSession.create('model.onnx').then(async session => {
  const x = new ort.Tensor('float64', Float64Array.from(rows.flat().map(v => v === null ? NaN : v)), [rows.length, rows[0].length]);
  const out = await session.run({features: x});
  console.log(JSON.stringify({labels: Array.from(out.label.data, Number), proba: Array.from(out.probabilities.data), dims: out.probabilities.dims}));
});
`

// TestONNX runs every model in the ONNX runtime: labels are those of the library, and probabilities
// differ by less than 1e-9.
func TestONNX(t *testing.T) {
	modules, err := filepath.Abs("../../scripts/onnx/node_modules")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(modules, "onnxruntime-node")); err != nil {
		t.Skip("THE FILES OF ONNX ARE NOT TESTED: npm ci --prefix scripts/onnx --ignore-scripts installs the runtime")
	}
	if _, err := exec.LookPath("node"); err != nil {
		t.Skip("THE FILES OF ONNX ARE NOT TESTED: ", err)
	}
	t.Setenv("NODE_PATH", modules)
	for _, e := range examples(t) {
		t.Run(e.name, func(t *testing.T) { e.compareONNX(t) })
	}
}

// samples returns the samples of those rows of an example that can be used, and one with NaN.
func (e example) samples(t *testing.T) (rows [][]float64) {
	t.Helper()
	r := e.model.Recipe()
	if r == nil {
		r = recipe.Numbers(e.model.FeatureNames())
	}
	for _, row := range e.rows {
		cells := map[string]any{}
		for j, name := range e.header {
			cells[name] = row[j]
		}
		if r.Target != "" {
			delete(cells, r.Target)
		}
		if x, err := r.EncodeRow(cells); err == nil {
			rows = append(rows, x)
		}
	}
	bad := slices.Clone(rows[0])
	bad[len(bad)-1] = math.NaN()
	return append(rows, bad)
}

func (e example) compareONNX(t *testing.T) {
	var file bytes.Buffer
	if err := export.Write(&file, e.model, "onnx"); err != nil {
		t.Fatal(err)
	}
	rows := e.samples(t)
	numbers := make([][]*float64, len(rows)) // null is NaN
	for i, row := range rows {
		for j, v := range row {
			if numbers[i] = append(numbers[i], &rows[i][j]); math.IsNaN(v) {
				numbers[i][j] = nil
			}
		}
	}
	text, err := json.Marshal(numbers)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, content := range map[string][]byte{"model.onnx": file.Bytes(), "rows.json": text, "run.cjs": []byte(onnxRuntime)} {
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
	x := mat.NewDense(len(rows), e.model.Features(), nil)
	for i, row := range rows {
		x.SetRow(i, row)
	}
	labels, proba := e.model.Predict(nil, x), e.model.Proba(nil, x)
	worst := 0.0
	for i, label := range labels {
		if got.Labels[i] != label {
			t.Errorf("row %d: label %d, want %d", i, got.Labels[i], label)
		}
		for c, p := range proba.RawRowView(i) {
			v := math.NaN()
			if of := got.Proba[i*e.model.Classes()+c]; of != nil {
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
