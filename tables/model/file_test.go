package model_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/mpcvm/mpcvm/internal/testkit/watch"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
	"github.com/mpcvm/mpcvm/tables/model"
)

// A malicious file uses memory in proportion to its size, as with mpcvm.Load.
func TestLoadMemory(t *testing.T) {
	const size = 2 << 20
	head := func(rest string) string {
		return `{"format":"mpcvm-model","version":2,"kernel":{"name":"linear","offset":0},"classes":["a","b"],"features":["x"],"bias":[0,0],` + rest
	}
	many := func(n int, format string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, format, strconv.FormatInt(int64(i), 36))
		}
		return strings.TrimSuffix(b.String(), ",")
	}
	column := `{"name":%q,"kind":"number","fill":0,"missing":false,"levels":[]},`
	for name, tt := range map[string]struct {
		text  string
		loads bool
	}{
		"columns": {head(`"recipe":{"target":"","id":[],"unused":[],"columns":[`) + strings.Repeat("{},", size/3),
			false},
		"levels": {head(`"recipe":{"target":"","id":[],"unused":[],"columns":[{"levels":[`) +
			strings.Repeat(`"",`, size/3), false},
		"brackets": {head(`"recipe":`) + strings.Repeat("[", size), false},
		"ids":      {head(`"ids":[` + strings.Repeat(`"",`, size/3) + `""],"vectors":[]}`), false},
		"id":       {head(`"ids":["`) + strings.Repeat("x", size), false},
		"figures": {strings.Replace(head(`"record":{"figures":[`+strings.Repeat(`{"of":"","n":0},`,
			size/16)+`{"of":"","n":0}]},"vectors":[]}`), `"version":2`, `"version":4`, 1), true},
		"good ones": {strings.Replace(head(`"recipe":{"target":"class","id":[],"unused":[],"columns":[`+many(20000,
			column)+`]},"vectors":[]}`), `["x"]`, "["+many(20000, "%q,")+"]", 1), true},
	} {
		var err error
		most := 16*len(tt.text) + 8<<20
		taken := watch.Peak(most, func() { _, err = model.Load(strings.NewReader(tt.text)) })
		if (err == nil) != tt.loads || taken > most {
			t.Errorf("%s: %d KiB for %d KiB, %v", name, taken>>10, len(tt.text)>>10, err)
		}
	}
}

// Every model file of the corpus, written by an earlier version, can be loaded and is identical when saved
// again. Do NOT change the files.
func TestCorpusLoads(t *testing.T) {
	files, err := filepath.Glob("../../mpcvm/testdata/corpus/*.rows.json")
	if err != nil || len(files) < 30 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	ofTables := 0
	for _, file := range files {
		file = strings.TrimSuffix(file, ".rows.json") + ".json"
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		m, err := model.Load(bytes.NewReader(text))
		if strings.HasSuffix(file, "v4-dates.json") { // parts of dates are no longer supported
			if err == nil || !strings.Contains(err.Error(), "fit the model again") {
				t.Errorf("%s: %v", file, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		if saved := save(t, m); save(t, load(t, saved)) != saved {
			t.Errorf("%s: the file differs when saved again", file)
		}
		_, err = mpcvm.Load(bytes.NewReader(text))
		if (err != nil) != (m.Recipe() != nil) || err != nil && !strings.Contains(err.Error(), "tables.Load") {
			t.Errorf("%s: mpcvm.Load: %v", file, err)
		}
		if m.Recipe() != nil {
			ofTables++
		}
	}
	if ofTables == 0 || ofTables == len(files) {
		t.Errorf("%d of %d files are table models", ofTables, len(files))
	}
}

// A model of features that is loaded as a table model is saved unchanged.
func TestSaveFile(t *testing.T) {
	m, _, err := model.Fit(context.Background(), penguins(), "species",
		mpcvm.TopDown{Kernel: kernel.RBF{Theta: 0.5}})
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "m.json")
	if err := m.SaveFile(path); err != nil {
		t.Fatal(err)
	}
	again, err := model.LoadFile(path)
	if err != nil || save(t, again) != save(t, m) {
		t.Error(err)
	}
	if err := m.SaveFile(filepath.Join(dir, "none", "m.json")); err == nil || !strings.Contains(err.Error(),
		"tables: saving the model: ") {
		t.Error(err)
	}
	if _, err := model.LoadFile(filepath.Join(dir, "none.json")); err == nil || !strings.Contains(err.Error(),
		"none.json") {
		t.Error(err)
	}
	if files, err := os.ReadDir(dir); err != nil || len(files) != 1 {
		t.Errorf("%v, %v", files, err)
	}
}

// Every model that can be loaded can be saved and loaded again.
func FuzzLoad(f *testing.F) {
	f.Add([]byte(small))
	f.Add([]byte(withRecipe))
	f.Add([]byte(recorded))
	f.Fuzz(func(t *testing.T, text []byte) {
		var m *model.Model
		var err error
		watch.Within(t, len(text), func() { m, err = model.Load(bytes.NewReader(text)) })
		if err != nil {
			if !strings.Contains(err.Error(), ": model file: ") {
				t.Fatal(err)
			}
			return
		}
		saved := save(t, m)
		if again := load(t, saved); save(t, again) != saved {
			t.Fatal("the file differs when saved again")
		}
		_ = m.String()
		_, _ = m.PredictRow(map[string]any{})
	})
}
