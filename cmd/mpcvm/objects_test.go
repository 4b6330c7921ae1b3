package main

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mpcvm/mpcvm/tables/predict"
)

// mixedModel is a small model with columns of all kinds.
const mixedModel = "../../mpcvm/testdata/corpus/v4-mixed-bottomup.json"

// Rows in JSON Lines have the same predictions as in CSV, and predictions can be written as JSON Lines.
func TestJSONLines(t *testing.T) {
	dir := t.TempDir()
	const header = "tag,mass,island,born,tame,note\n"
	asCSV := write(t, dir, "rows.csv", header+"x1,3700,Dream,2012-05-03,yes,\"a, "+
		"\"\"b\"\"\"\nx2,4100,Föhr,2016-02-28,no,\nx3,,Biscoe,,,c\n")
	asLines := write(t, dir, "rows.jsonl", `{"tag": "x1", "mass": 3700, "island": "Dream", "born": "2012-05-03", "tame": "yes", "note": "a, \"b\""}
{"tame": "no", "mass": 4.1e3, "island": "F\u00f6hr", "born": "2016-02-28", "tag": "x2", "note": ""}

{"tag": "x3", "mass": null, "island": "Biscoe", "note": "c"}`)
	flags := []string{"--model", mixedModel, "--proba", "--keep", "tag,note"}
	want, _ := good(t, append([]string{"predict", asCSV}, flags...)...)
	if got, _ := good(t, append([]string{"predict", asLines}, flags...)...); got != want ||
		strings.Count(got, "\n") != 4 {
		t.Errorf("%s\nwant %s", got, want)
	}
	out := filepath.Join(dir, "out.jsonl")
	good(t, append([]string{"predict", asLines, "--out", out}, flags...)...)
	rows := strings.Split(strings.TrimSpace(string(read(t, out))), "\n")
	for i, line := range rows {
		var p predict.Prediction
		cells := strings.Split(strings.Split(want, "\n")[i+1], ",")
		if err := json.Unmarshal([]byte(line), &p); err != nil || p.Kept["tag"] != cells[0] ||
			!strings.Contains(strings.Join(cells, ","), ","+p.Class+",") || len(p.Proba) != 3 {
			t.Errorf("%s: %v; want %q", line, err, cells)
		}
	}
	if len(rows) != 3 {
		t.Errorf("%d lines", len(rows))
	}
}

// twoClasses writes a table with a number near 1 for one class and near another number for the other.
func twoClasses(t *testing.T, other int) string {
	return tableFile(t, "x,class", 24, func(i int) string {
		return fmt.Sprintf("%d.%d,%c", 1+i%2*(other-1), i%7, 'a'+i%2)
	})
}

// The JSON output of every verb is an object with the number of the schema.
func TestSchema(t *testing.T) {
	dir := t.TempDir()
	file, model := twoClasses(t, 4), filepath.Join(dir, "m.json")
	for _, args := range [][]string{
		{"fit", file, "--algorithm", "mpcvm2", "--theta", "1", "--cv", "2", "--model", model},
		{"look", file}, {"look", file, "--against", model}, {"predict", file, "--model", model}, {"explain", file,
			"--model", model, "--row", "1"},
		{"compare", file, "--systems", "logistic", "--repeats", "1", "--folds-k", "2"},
		{"data", "list"}, {"data", "fetch", "iris", "--to", dir},
	} {
		out, _ := good(t, append(args, "--json")...)
		var object struct {
			Schema int `json:"schema"`
		}
		if err := json.Unmarshal([]byte(out), &object); err != nil || object.Schema != 2 {
			t.Errorf("%q: %v, schema %d: %.200s", args, err, object.Schema, out)
		}
	}
}

// --precision sets the decimals of the scores for this run only.
func TestPrecision(t *testing.T) {
	args := []string{"compare", twoClasses(t, 2), "--systems", "logistic", "--repeats", "1", "--folds-k", "2"}
	for _, tt := range []struct{ digits, want string }{{"2", "50 ± "}, {"", "50.00 ± "}, {"6", "50.0000 ± "},
		{"", "0.5000 ± 0.0000"}, {"2", " 0.50 ± 0.00"}} {
		line := args
		if tt.digits != "" {
			line = append(line, "--precision", tt.digits)
		}
		if out, _ := good(t, line...); !strings.Contains(out, tt.want) {
			t.Errorf("--precision %s: no %q in\n%s", tt.digits, tt.want, out)
		}
	}
}
