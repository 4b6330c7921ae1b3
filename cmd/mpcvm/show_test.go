package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/mpcvm/mpcvm/internal/tabular"
	"github.com/mpcvm/mpcvm/internal/testkit/must"
	"github.com/mpcvm/mpcvm/tables/export"
)

// Show shows every model file of older versions.
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
		if code == 0 && !strings.Contains(file, "later-record") && !strings.Contains(text,
			"\nlearner, seed and scores: not recorded\n") {
			t.Errorf("%s has no record, but show prints one:\n%s", file, text)
		}
		if code != 0 {
			if filepath.Base(file) != "v4-dates.json" || !strings.Contains(errOut, "parts of a date") {
				t.Errorf("%s: status %d, %s", file, code, errOut)
			}
			continue
		}
		out, _ := good(t, "show", file, "--json")
		var s shown
		if err := json.Unmarshal([]byte(out), &s); err != nil || s.Version < 1 || len(s.Classes) != 3 ||
			len(s.Columns) == 0 {
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
		if features != s.Features || s.Weights == 0 != strings.Contains(text,
			"has no weights; it predicts the class frequencies") {
			t.Errorf("%s: %d of %d features, %d weights\n%s", file, features, s.Features, s.Weights, text)
		}
	}
	text, _ := good(t, "show", mixedModel)
	for _, want := range []string{"4 columns and 11 features; file format 4", "kernel: rbf(theta=0.2)",
		"temperature of the probabilities: 1.127", "identified by: tag", "Biscoe, Dream, Föhr, other, missing"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

// Show prints the same scores as fit, and the same fit gives the same file.
func TestShowRecord(t *testing.T) {
	dir := t.TempDir()
	rows := func(n int) string {
		text := "x,y,class\n"
		for i := range n {
			text += fmt.Sprintf("%d,%d,%c\n", i%5+i%2, i*7%11, 'a'+i%2)
		}
		return text
	}
	file, test, model := write(t, dir, "few.csv", rows(31)), write(t, dir, "test.csv", rows(8)),
		filepath.Join(dir, "m.json")
	args := []string{file, "--model", model, "--algorithm", "mpcvm2", "--theta", "0.5", "--test", test, "--seed",
		"7"}
	fitted, _ := fitJSON(t, args...)
	text := must.Get(os.ReadFile(model))(t)
	show := func() (s shown, plain string) {
		out, _ := good(t, "show", model, "--json")
		if err := json.Unmarshal([]byte(out), &s); err != nil || s.Record == nil {
			t.Fatalf("%v: %s", err, out)
		}
		plain, _ = good(t, "show", model)
		return s, plain
	}
	s, plain := show()
	cv, tested := fitted.CV.Figures, fitted.Test.Figures
	r := s.Record
	if r.Learner != fitted.Algorithm || r.Program != fitted.Version || r.Seed != 7 || !reflect.DeepEqual(r.Rows,
		[]int{16, 15}) ||
		len(r.Figures) != 4 || !reflect.DeepEqual(r.Figures[1], cv) || !reflect.DeepEqual(r.Figures[2], tested) ||
		*s.Classes[0].Samples != 16 {
		t.Errorf("%+v\nof %+v", r, fitted)
	}
	for _, want := range []string{"learner: mpcvm2; seed 7; training rows: 31\n", "cross-validation: 5 folds;",
		tabular.Number(*cv.LogLoss) + " ± " + tabular.Number(*cv.LogLossSE)} {
		if !strings.Contains(plain, want) {
			t.Errorf("no %q in\n%s", want, plain)
		}
	}
	fitJSON(t, args...)
	if again, err := os.ReadFile(model); err != nil || !bytes.Equal(again, text) {
		t.Errorf("the same fit gives another file: %v", err)
	}
	fitted, _ = fitJSON(t, file, "--model", model, "--algorithm", "mpcvm1", "--theta", "0.5", "--cv", "none")
	if s, plain := show(); len(s.Record.Figures) != 2 || *s.Record.Figures[1].Error != *fitted.Train.Error ||
		strings.Contains(plain, "cross-validation") {
		t.Errorf("%+v: %s", s.Record, plain)
	}
	// Errors of package tables are printed without the package name.
	if code, _, errOut := try(t, "predict", write(t, dir, "bare.csv", "x,x\n1,2\n"), "--model",
		model); code != 1 || strings.Contains(errOut, "tables: ") {
		t.Errorf("status %d, %s", code, errOut)
	}
}

// explained has the fields of the JSON of explain that the tests use.
type explained struct {
	Row              int
	ID, Class, Truth string
	Cells            map[string]string
	Classes          []struct {
		Class                  string
		Proba, Potential, Bias float64
		Contributions          []struct {
			Row                   int
			Class                 string
			Kernel, Weight, Value float64
		}
	}
	Neighbours []struct {
		Row       int
		ID, Class string
		Kernel    float64
		Cells     map[string]string
	}
}

// The verb writes the output of package export, completely or not at all.
func TestExport(t *testing.T) {
	dir, _, modelFile, _ := iris(t)
	m := must.Get(loadModel(t.Context(), modelFile))(t)
	for _, language := range export.Languages() {
		var want bytes.Buffer
		must.OK(t, export.Write(&want, m, language))
		if out, errOut := good(t, "export", "--model", modelFile, "--to", language); out != want.String() ||
			errOut != "" {
			t.Errorf("%s: %d bytes, want %d; %s", language, len(out), want.Len(), errOut)
		}
		file := filepath.Join(dir, export.File(language))
		out, _ := good(t, "export", "--model", modelFile, "--to", language, "--out", file)
		if text, err := os.ReadFile(file); err != nil || out != "" || !bytes.Equal(text, want.Bytes()) {
			t.Errorf("%s: %v, %d bytes", language, err, len(text))
		}
	}
}
