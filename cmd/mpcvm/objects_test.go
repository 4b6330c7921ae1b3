package main

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// mixedModel is a small model with columns of all kinds.
const mixedModel = "../../mpcvm/testdata/corpus/v4-mixed-bottomup.json"

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
