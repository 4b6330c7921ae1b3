package main

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
)

// Show shows every model file that an older program wrote.
func TestShow(t *testing.T) {
	files, err := filepath.Glob("../../mpcvm/testdata/corpus/v*.json")
	if err != nil || len(files) < 40 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, file := range files {
		if strings.HasSuffix(file, ".rows.json") {
			continue
		}
		code, text, errOut := try(t, "show", file)
		if code != 0 {
			if filepath.Base(file) != "v4-dates.json" || !strings.Contains(errOut, "no longer supported") {
				t.Errorf("%s: status %d, %s", file, code, errOut)
			}
			continue
		}
		out, _ := good(t, "show", file, "--json")
		var s shown
		if err := json.Unmarshal([]byte(out), &s); err != nil || s.Version < 1 || len(s.Classes) != 3 || len(s.Columns) == 0 {
			t.Errorf("%s: %v\n%s", file, err, out)
		}
		for _, c := range s.Classes {
			if !strings.Contains(text, "\n"+c.Name+" ") {
				t.Errorf("%s: no class %s in\n%s", file, c.Name, text)
			}
		}
		features := 0
		for _, c := range s.Columns {
			features += len(c.Features)
		}
		if features != s.Features || s.Weights == 0 != strings.Contains(text, "class frequencies: it has no weights") {
			t.Errorf("%s: %d of %d features, %d weights\n%s", file, features, s.Features, s.Weights, text)
		}
	}
	text, _ := good(t, "show", mixedModel)
	for _, want := range []string{"4 columns and 11 features; file format 4", "kernel: rbf(theta=0.2)", "temperature of the probabilities: 1.127", "identified by: tag", "Biscoe, Dream, Föhr, other, missing"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	for _, tt := range []struct {
		code int
		args string
		say  string
	}{{misused, "show", "missing argument MODEL"}, {1, "show show.go", "show.go: mpcvm: model file"}, {1, "show nothing.json", "no such file"}} {
		if code, _, errOut := try(t, strings.Fields(tt.args)...); code != tt.code || !strings.Contains(errOut, tt.say) {
			t.Errorf("%s: status %d, %s", tt.args, code, errOut)
		}
	}
}
