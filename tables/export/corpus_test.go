package export_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"io"
	"maps"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/mpcvm/kernel"
	"github.com/mpcvm/mpcvm/tables"
)

const corpus = "../../mpcvm/testdata/corpus"

// entry is a model of the corpus, with rows and the predictions of the program that saved it. Sets has the
// prediction sets by coverage.
type entry struct {
	Commit  string // of the program
	Learner string
	Rows    []struct {
		Cells map[string]string
		Label string
		Proba []float64
		Sets  map[string][]string
	}
	example `json:"-"`
}

// entries returns the models of the corpus.
func entries(t *testing.T) []entry {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(corpus, "*.rows.json"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	var all []entry
	for _, file := range files {
		text, err := os.ReadFile(file)
		var e entry
		if err == nil {
			err = json.Unmarshal(text, &e)
		}
		path := strings.TrimSuffix(file, ".rows.json") + ".json"
		if err == nil {
			e.model, err = tables.LoadFile(path)
		}
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		e.name = strings.TrimSuffix(filepath.Base(path), ".json")
		e.usable = true
		e.header = slices.Sorted(maps.Keys(e.Rows[0].Cells))
		for _, row := range e.Rows {
			var cells []string
			for _, name := range e.header {
				cells = append(cells, row.Cells[name])
			}
			e.rows = append(e.rows, cells)
		}
		all = append(all, e)
	}
	return all
}

// TestCorpus: model files saved by earlier versions still give the same predictions, with the library,
// docs/predict.py, JavaScript and the ONNX runtime. The corpus has every kernel, every learner and every
// version of the format. Do not change its files; add new ones for a new kernel or version.
func TestCorpus(t *testing.T) {
	all := entries(t)
	counts := map[string]map[string]int{"kernel": {}, "learner": {}, "version": {}}
	for _, e := range all {
		var doc struct {
			Version int
			Kernel  struct{ Name string }
		}
		text, err := os.ReadFile(filepath.Join(corpus, e.name+".json"))
		if err == nil {
			err = json.Unmarshal(text, &doc)
		}
		if err != nil {
			t.Fatal(err)
		}
		counts["kernel"][doc.Kernel.Name]++
		counts["learner"][e.Learner]++
		counts["version"][strconv.Itoa(doc.Version)]++
		t.Run(e.name, e.library)
		var again bytes.Buffer
		if doc.Kernel.Name == "linear" {
			doc.Version = 5 // vectors have become coefficients, and the model recognises rows far away
			if !(e.model.Model().Reach() > 0) {
				t.Errorf("%s does not recognise rows far away", e.name)
			}
		}
		if err := e.model.Save(&again); err != nil || !bytes.Contains(again.Bytes(),
			[]byte(`"version": `+strconv.Itoa(doc.Version)+",")) {
			t.Errorf("%s of version %d differs when saved again: %v", e.name, doc.Version, err)
		}
	}
	t.Logf("%d models: %v", len(all), counts)
	var kernels []string
	for _, d := range kernel.Descriptions() {
		kernels = append(kernels, d.Name)
	}
	for kind, needed := range map[string][]string{
		"kernel": kernels, "learner": {"TopDown", "BottomUp", "KernelPrior", "Auto", "frequencies"}, "version": {
			"1", "2", "3", "4", "6"},
	} {
		for _, name := range needed {
			if counts[kind][name] == 0 {
				t.Errorf("no model of the corpus has the %s %s", kind, name)
			}
		}
	}
	t.Run("predict.py", func(t *testing.T) {
		t.Parallel()
		python, err := exec.LookPath("python3")
		if err != nil || exec.Command(python, "-c",
			"import sys; sys.exit(sys.version_info < (3, 11))").Run() != nil {
			t.Skip("docs/predict.py IS NOT TESTED: no Python 3.11")
		}
		for i, e := range all {
			e.program(t, python, i%5 == 0)
		}
	})
	t.Run("javascript", func(t *testing.T) {
		t.Parallel()
		needNode(t)
		for _, e := range all {
			dir := t.TempDir()
			exported(t, e.model, dir)
			e.csv(t, filepath.Join(dir, "rows.csv"))
			e.compare(t, bytes.NewReader(predict(t, e.example, dir)))
		}
	})
	t.Run("onnx", func(t *testing.T) {
		useONNX(t)
		for _, e := range all {
			t.Run(e.name, e.compareONNX)
		}
	})
}

// library checks the predictions of the library. The last digits may differ between processors.
func (e entry) library(t *testing.T) {
	var rows []map[string]any
	for i, row := range e.Rows {
		cells := map[string]any{}
		for name, cell := range row.Cells {
			cells[name] = cell
		}
		rows = append(rows, cells)
		p, err := e.model.PredictRow(cells)
		if err != nil || p.Class != row.Label || !near(p.Proba, row.Proba) {
			t.Errorf("row %d: %s %v, %v; at %s it was %s %v", i, p.Class, p.Proba, err, e.Commit, row.Label, row.Proba)
		}
	}
	x := mat.NewDense(len(rows), e.model.Model().Features(), nil)
	for i, cells := range rows {
		row, err := e.model.RowRecipe().EncodeRow(cells)
		if err != nil {
			t.Fatal(err)
		}
		x.SetRow(i, row)
	}
	for i, row := range e.Rows {
		if (len(row.Sets) > 0) != (e.model.Model().Scores() != nil) {
			t.Errorf("row %d: sets %v of a model with scores %v", i, row.Sets, e.model.Model().Scores())
		}
		for coverage, want := range row.Sets {
			p, err := strconv.ParseFloat(coverage, 64)
			if err != nil {
				t.Fatal(err)
			}
			sets, err := e.model.Model().PredictSet(x, p)
			if err != nil {
				t.Fatal(err)
			}
			got := []string{}
			for _, c := range sets[i] {
				got = append(got, e.model.ClassNames()[c])
			}
			if !slices.Equal(got, want) {
				t.Errorf("row %d: set %q of %s, want %q", i, got, coverage, want)
			}
		}
	}
}

// program checks the predictions of docs/predict.py for JSON lines and, if also is true, for a CSV file.
func (e entry) program(t *testing.T, python string, also bool) {
	run := func(stdin io.Reader, args ...string) {
		args = append([]string{"../../docs/predict.py", filepath.Join(corpus, e.name+".json")}, args...)
		cmd := exec.Command(python, args...)
		cmd.Stdin = stdin
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%s: %v", e.name, err)
		}
		e.check(t, out)
	}
	var in, table bytes.Buffer
	for _, row := range e.Rows {
		if err := json.NewEncoder(&in).Encode(row.Cells); err != nil {
			t.Fatal(err)
		}
	}
	run(&in)
	if also {
		if err := csv.NewWriter(&table).WriteAll(append([][]string{e.header}, e.rows...)); err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(t.TempDir(), "rows.csv")
		if err := os.WriteFile(file, table.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
		run(nil, file)
	}
}

// check compares the output of docs/predict.py with the predictions of the corpus.
func (e entry) check(t *testing.T, out []byte) {
	dec := json.NewDecoder(bytes.NewReader(out))
	for i, row := range e.Rows {
		var got struct {
			Class string
			Proba []float64
		}
		if err := dec.Decode(&got); err != nil || got.Class != row.Label || !near(got.Proba, row.Proba) {
			t.Errorf("%s: row %d: %s %v, %v, want %s %v", e.name, i, got.Class, got.Proba, err, row.Label, row.Proba)
		}
	}
}

// near reports whether probabilities are equal up to rounding errors.
func near(a, b []float64) bool {
	for i, v := range a {
		if i >= len(b) || !(math.Abs(v-b[i]) <= tolerance) {
			return false
		}
	}
	return len(a) == len(b)
}
