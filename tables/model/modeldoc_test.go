package model_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/mpcvm/kernel"
	"github.com/mpcvm/mpcvm/tables/internal/celltext"
	"github.com/mpcvm/mpcvm/tables/model"
)

// The example in docs/model.md can be loaded, and the table there lists every kernel.
func TestModelDoc(t *testing.T) {
	text, err := os.ReadFile("../../docs/model.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), "```json\n")
	example, _, ok := strings.Cut(rest, "```")
	if !ok {
		t.Fatal("no JSON in docs/model.md")
	}
	m := load(t, example)
	if p, err := m.PredictRow(map[string]any{"mass": 3700, "island": "Dream", "tag": "N1"}); err != nil ||
		p.Class != "Adelie" {
		t.Error(p, err)
	}
	for _, d := range kernel.Descriptions() {
		if row := "| `" + d.Name + "` | `" + strings.Join(d.Parameters, "`, `"); !strings.Contains(string(text),
			row) {
			t.Errorf("docs/model.md has no row %q", row)
		}
	}
}

// docs/predict.py gives the same predictions as the library. TestCorpus of package export runs it with every
// kernel.
func TestModelDocProgram(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil || exec.Command(python, "-c",
		"import sys; sys.exit(sys.version_info < (3, 11))").Run() != nil {
		t.Skip("no Python 3.11")
	}
	dir := t.TempDir()
	const program = "../../docs/predict.py"
	check := func(file string, m *model.Model, rows []map[string]any) {
		t.Helper()
		var in bytes.Buffer
		for _, row := range rows {
			if err := json.NewEncoder(&in).Encode(row); err != nil {
				t.Fatal(err)
			}
		}
		cmd := exec.Command(python, program, file)
		cmd.Stdin = &in
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		dec := json.NewDecoder(bytes.NewReader(out))
		for i, row := range rows {
			var got struct {
				Class           string
				Proba           []float64
				Unlike          bool
				Beyond, Missing []string
			}
			want, err := m.PredictRow(row)
			if err := dec.Decode(&got); err != nil {
				t.Fatal(err)
			}
			if err != nil || got.Class != want.Class || got.Unlike != want.Unlike ||
				!slices.Equal(got.Beyond, want.Beyond) || !slices.Equal(got.Missing, want.Missing) {
				t.Fatalf("%s: row %d: %+v, want %+v, %v", file, i, got, want, err)
			}
			for c, p := range want.Proba {
				if math.Abs(got.Proba[c]-p) > 1e-13 {
					t.Errorf("%s: row %d, class %d: %v, want %v", file, i, c, got.Proba[c], p)
				}
			}
		}
	}

	t.Run("DataFrame", func(t *testing.T) {
		python := cmp.Or(os.Getenv("PEERS_PYTHON"), "/usr/bin/python3")
		if err := exec.Command(python, "-c", "import datetime, pandas; datetime.UTC").Run(); err != nil {
			t.Skipf("NOT TESTED: docs/predict.py with a DataFrame: %s is not Python 3.11 with pandas: %v", python, err)
		}
		cmd := exec.Command(python, "-B", "-c", `
from pandas import DataFrame
from predict import Model
m = Model("../tables/model/testdata/recipe-v2.json")
rows = [{"mass": "3700,5", "island": "Dream"}, {"mass": 1e9, "island": None}]
frame = DataFrame(rows, columns=["island", "mass"]).astype({"island": "category"})
one, two = m.predict(rows), m.predict(frame)
assert one == two and abs(sum(one[0]["proba"].values()) - 1) < 1e-9, (one, two)
assert one[1]["missing"] == ["male", "day"], one`)
		cmd.Dir = filepath.Dir(program)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
	})

	var golden []struct{ Row map[string]any }
	text, err := os.ReadFile("testdata/recipe-v2-rows.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &golden); err != nil {
		t.Fatal(err)
	}
	m, err := model.LoadFile("testdata/recipe-v2.json")
	if err != nil {
		t.Fatal(err)
	}
	var rows []map[string]any
	for _, g := range golden {
		rows = append(rows, g.Row)
	}
	check("testdata/recipe-v2.json", m, rows)

	// Special words, and amounts in columns with and without a unit.
	text, err = os.ReadFile("testdata/recipe-v2.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, unit := range []string{"", "g"} {
		file := filepath.Join(dir, "unit.json")
		text := strings.Replace(string(text), `"name":"mass",`, `"name":"mass","unit":"`+unit+`",`, 1)
		if unit == "" {
			text = strings.Replace(text, `"unit":"",`, "", 1)
		}
		text = strings.NewReplacer(`"target":`, `"limits":"half","target":`, `"version": 2`, `"version": 4`,
			`"bias":`, `"reach":5,"bias":`).Replace(text)
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		m := load(t, text)
		sign := cmp.Or(unit, "$")
		cells := []string{"3900", "(3900)", "3900-", "\u22123900", "- 3900", "3900 " + sign, sign + "3900",
			"-" + sign + " 3900", "(3900 " + sign + ")", "(3900) " + sign, "3900- " + sign,
			`="3900"`, "'3900", "3.9D+03", "３９００", "12_881",
			"0x1F", "1,234,567", "1 234,5", "1\u2009234.5", "12,34,567", "<3900",
			"≤ 3900 " + sign, ">3900", "<-5", "LOD", "n.d."}
		var rows []map[string]any
		for _, mass := range slices.Concat(cells, celltext.MissingWords, celltext.NoValueWords) {
			rows = append(rows, map[string]any{"mass": mass, "male": "ja", "island": "Dream", "day": "1971-03-01"})
		}
		for _, pair := range celltext.Truths {
			rows = append(rows, map[string]any{"mass": 3900, "male": pair[0]}, map[string]any{"mass": 3900,
				"male": strings.ToUpper(pair[1])})
		}
		check(file, m, rows)
	}

	// Additional missing values and date layouts.
	m = load(t, `{"format":"mpcvm-model","version":2,"kernel":{"name":"linear","offset":0},"classes":["a","b"],
		"features":["n","n missing","d","d missing","e","k=01","k=other","k missing"],"bias":[0,0.5],
		"scaling":{"mean":[0,0,1.4e9,0,1.4e9,0,0,0],"scale":[1,1,1e8,1,1e8,1,1,1]},
		"recipe":{"target":"class","id":[],"unused":[],"na":["-999","k/A","not:NULL"],"columns":[
			{"name":"n","kind":"number","fill":0.5,"missing":true,"levels":[]},
			{"name":"d","kind":"date","fill":1.5e9,"missing":true,"levels":[],"layout":"2/1/2006"},
			{"name":"e","kind":"date","fill":1.5e9,"missing":false,"levels":[],"layout":"2-Jan-06|2/Jan/2006"},
			{"name":"k","kind":"category","fill":0,"missing":true,"levels":["01"]}]},
		"vectors":[{"index":0,"label":0,"x":[0.1,0.2,0.3,0.4,0.5,0.6,0.7,0.8],"weights":[{"class":0,"weight":1}]}]}`)
	file := filepath.Join(dir, "cells.json")
	if err := m.SaveFile(file); err != nil {
		t.Fatal(err)
	}
	rows = nil
	for _, cells := range [][4]any{
		{"1.5", "05/04/2013", "5-Apr-13", "01"}, {"-999.0", "5/4/2013 16:07", "2013-04-05T16:07:08+02:00",
			"1.0"}, {-999, "k/A", "1-Jan-70", "k/A"}, {"0x10", "null", "[05/Apr/2013:04:05:06 +0100]", "NULL"},
		{"0", "k/A", "none", "#n/a"},
		{"-", "-999", "05-apr-68 3:04 PM", "-999"}, {"$5", "2013-04-05 16:07:08.5", "#N/A", "--"}, {"-7 %", nil,
			"5-Apr-69, 12:04 am", 1},
	} {
		rows = append(rows, map[string]any{"n": cells[0], "d": cells[1], "e": cells[2], "k": cells[3]})
	}
	check(file, m, rows)

	// Many classes, with close and distant potentials.
	const classes = 30
	w := make([]float64, classes)
	var names strings.Builder
	for c := range w {
		w[c] = float64(c*c%17) - 3*float64(c%3)*float64(c%3)*float64(c%3)
		names.WriteString(`,"c` + strings.Repeat("x", c) + `"`)
	}
	bias, err := json.Marshal(w)
	if err != nil {
		t.Fatal(err)
	}
	many := load(t,
		`{"format":"mpcvm-model","version":1,"kernel":{"name":"linear","offset":0},"classes":[`+names.String()[1:]+`],"features":["x"],"bias":`+string(bias)+`,"vectors":[]}`)
	file = filepath.Join(dir, "many.json")
	for _, T := range []float64{0.3, 1, 10} {
		m := many.With(many.Model().WithTemperature(T))
		if err := m.SaveFile(file); err != nil {
			t.Fatal(err)
		}
		check(file, m, []map[string]any{{"x": 1}})
	}

	// Floors, the last of which sums to 1. The class with the largest probability may differ from the class
	// with the largest potential, which is d.
	four := load(t,
		`{"format":"mpcvm-model","version":1,"kernel":{"name":"linear","offset":0},"classes":["a","b","c","d"],"features":["x"],"bias":[0,0,0,0.1],"vectors":[]}`)
	file = filepath.Join(dir, "floor.json")
	for floor, class := range map[[4]float64]string{{0.001, 0, 0.002, 0}: "d", {0.1, 0.3, 0.3, 0.1}: "b",
		{0.1, 0.1, 0.5, 0.3}: "c", {0.25, 0.25, 0.25, 0.25}: "a"} {
		m := four.With(four.Model().WithFloor(floor[:]).WithTemperature(0.5))
		if err := m.SaveFile(file); err != nil {
			t.Fatal(err)
		}
		check(file, m, []map[string]any{{"x": 1}})
		if p, err := m.PredictRow(map[string]any{"x": 1}); err != nil || p.Class != class {
			t.Errorf("floor %v: class %s (%v)", floor, p.Class, err)
		}
		m = m.With(m.Model().WithCosts(mat.NewDense(4, 4, []float64{0, 1, 1, 1, 1, 0, 1, 1, 1, 1, 0, 1, 1, 1e6, 1,
			0})))
		if err := m.SaveFile(file); err != nil {
			t.Fatal(err)
		}
		check(file, m, []map[string]any{{"x": 1}})
	}
}
