package export_test

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"go/format"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/data/recipe"
	"github.com/mpcvm/mpcvm/data/table"
	"github.com/mpcvm/mpcvm/internal/export"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
	"github.com/mpcvm/mpcvm/mpcvm/probit"
)

// tolerance is the largest difference to the library's probabilities.
const tolerance = 1e-12

// example is a model with rows of cells.
type example struct {
	name   string
	model  *mpcvm.Model
	header []string
	rows   [][]string
}

// numeric makes an example of a model without recipe, and rows of its features.
func numeric(name string, m *mpcvm.Model, x *mat.Dense) example {
	e := example{name: name, model: m, header: m.FeatureNames()}
	n, _ := x.Dims()
	for i := range n {
		var row []string
		for _, v := range x.RawRowView(i) {
			row = append(row, strconv.FormatFloat(v, 'g', -1, 64))
		}
		e.rows = append(e.rows, row)
	}
	bad := slices.Clone(e.rows[0])
	for _, text := range []string{"", "NA", "abc", "1e999", "0x1p2", "1_0", "+1.5e+0", ".5", " 7. "} {
		bad[len(bad)-1] = text
		e.rows = append(e.rows, slices.Clone(bad))
	}
	return e
}

// synthetic is a model of random vectors and weights, with rows near and far.
func synthetic(k kernel.Kernel, classes, features, vectors int, spread float64, seed uint64) (*mpcvm.Model, *mat.Dense) {
	rng := rand.New(rand.NewPCG(seed, 1))
	normal := func(n, d int) *mat.Dense {
		x := mat.NewDense(n, d, nil)
		x.Apply(func(_, _ int, _ float64) float64 { return rng.NormFloat64() }, x)
		return x
	}
	x, t := normal(vectors, features), make([]int, vectors)
	bases, w, bias := make([][]int, classes), make([][]float64, classes), make([]float64, classes)
	for n := range t {
		t[n] = n % classes
		for _, c := range rng.Perm(classes)[:min(3, classes)] {
			v := -spread * rng.ExpFloat64()
			if c == t[n] {
				v = -v
			}
			bases[c], w[c] = append(bases[c], n), append(w[c], v)
		}
	}
	for c := range bias {
		bias[c] = rng.NormFloat64()
	}
	rows := normal(24, features)
	for i := range 6 {
		for j, v := range rows.RawRowView(i) {
			rows.Set(i, j, v*math.Pow(10, float64(2*i)))
		}
	}
	rows.Set(6, 0, 1e200)
	rows.Set(7, 0, -1e308)
	return mpcvm.NewModel(k, x, t, bases, w, bias), rows
}

// fitted is a model of an embedded set, with rows of the set and far away.
func fitted(t *testing.T, name string, k kernel.Kernel, temperature float64) example {
	t.Helper()
	set, err := data.Load(name)
	if err != nil {
		t.Fatal(err)
	}
	s := data.FitStandardizer(set.X)
	m, _, err := mpcvm.BottomUp{Kernel: k}.Fit(context.Background(), s.Apply(nil, set.X), set.T)
	if err != nil {
		t.Fatal(err)
	}
	m = m.WithNames(set.Classes, set.Features).WithScaling(s.Mean, s.Scale).WithTemperature(temperature)
	n, d := set.X.Dims()
	rows := mat.NewDense(40, d, nil)
	for i := range 40 {
		rows.SetRow(i, set.X.RawRowView(i*n/40))
		if i < 4 {
			rows.Set(i, 0, math.Pow(1000, float64(i+1)))
		}
	}
	return numeric(name, m, rows)
}

// mixed is a model of a table with every kind of column and missing cells, with rows that have
// cells of all sorts.
func mixed(t *testing.T) example {
	t.Helper()
	const n = 120
	rng := rand.New(rand.NewPCG(3, 3))
	tab := &table.Table{Name: "mixed", Rows: n, Columns: []table.Column{
		{Name: "mass", Kind: table.Number}, {Name: `size "Ø", mm`, Kind: table.Number},
		{Name: "sold", Kind: table.Date}, {Name: "new", Kind: table.Boolean, Levels: []string{"FALSE", "TRUE"}},
		{Name: "sex", Kind: table.Boolean, Levels: []string{"Frau", "Mann"}},
		{Name: "Insel", Kind: table.Category, Levels: []string{"1", "Biscoe", "Dream", "Föhr", "rare"}},
		{Name: "shape", Kind: table.Category, Levels: []string{"flat", "long", "round"}},
		{Name: "species", Kind: table.Category, Levels: []string{"a", `b "2", or`, "ç"}},
	}}
	for i := range n {
		c := i % 3
		for j, v := range []float64{40 + 3*float64(c) + rng.NormFloat64(), rng.ExpFloat64(), 1e9 + 86400*float64(rng.IntN(1e4)), float64(rng.IntN(2)), float64(rng.IntN(2))} {
			if j > 0 && rng.IntN(6) == 0 {
				v = math.NaN()
			}
			tab.Columns[j].Numbers = append(tab.Columns[j].Numbers, v)
		}
		island, shape := int32((c+rng.IntN(2))%4), int32(rng.IntN(3))
		if i < 2 {
			island = 4
		}
		if rng.IntN(6) == 0 {
			shape = -1
		}
		for j, code := range []int32{island, shape, int32(c)} {
			tab.Columns[5+j].Codes = append(tab.Columns[5+j].Codes, code)
		}
	}
	m, _, err := mpcvm.FitTable(context.Background(), tab, "species", mpcvm.BottomUp{Kernel: kernel.RBF{Theta: 0.1}})
	if err != nil {
		t.Fatal(err)
	}
	e := example{name: "mixed", model: m, header: tab.Names()}
	for i := range 60 {
		var cells []string
		for j := range tab.Columns {
			cells = append(cells, tab.Columns[j].Text(i))
		}
		e.rows = append(e.rows, cells)
	}
	for j, texts := range [][]string{
		{"", "NA", "\tn/A ", "x", "1e5", "-.5", "5.", "+3", "1e", "--1", "1 2", "infinity", "1e400"},
		{"?", ".", "NaN", "0", "null"},
		{"2020-02-29", "2021-02-29", "1899-12-31", "1600-02-29", "1900-02-29", "0001-01-01", "9999-12-31T23:59:59", "2020-13-01", "2020-00-01", "2020-01-00",
			"2020-04-31", "2020-01-02T03:04:05.25", "2020-01-02 03:04", "2020-01-02T03:04", "2020-01-02 3:04:05", "2020-01-02T24:00:00", "2020-01-02T23:60:00", "2020-01-02T23:59:60",
			"2020-01-02T03:04:05Z", "2020-01-02T03:04:05.125-05:30", "2020-01-02T03:04:05+14:00", "2020-01-02T", "2020-1-2", "02.01.2020", "1577923200", "2020-01-02x", "na"},
		{"true", "yes", "Y", "off", "0", "1", "2", "Mann", "?"},
		{"MANN", "frau", "true", "1"},
		{"1", "1.0", "dream", " Dream ", "rare", "other", "Föhr", "", "NULL", "Elsewhere, \"far\"\nor near"},
		{"", "round", "square", "."},
	} {
		for _, text := range texts {
			cells := slices.Clone(e.rows[rng.IntN(20)])
			cells[j] = text
			e.rows = append(e.rows, cells)
		}
	}
	return e
}

// hostile has names that would break out of comments and texts.
func hostile() example {
	names := []string{
		`"""`, "*/", "/*", "\n", `\`, `\"`, "#{x}", "${x}", "`", "??/", "???/\"", "</script>", "<!--", "'", "%s%d", "{{.}}", "\u2028", "\u202e", "\ufeffx",
		"\r", "\t.", "\x01" + "7", "𝛉", "Größe", "-1", "__proto__", "constructor", "toString", "é" + strings.Repeat("x", 900),
		"coding: latin-1", "//go:build ignore", "*/ int x; /*", "\u0301", "\x7f", "=1+1",
	}
	columns := &recipe.Recipe{}
	for _, name := range names[:8] {
		columns.Columns = append(columns.Columns, recipe.Column{Name: "c" + name, Kind: "category", Levels: []string{name, "plain"}, Missing: true})
	}
	for _, name := range names {
		columns.Columns = append(columns.Columns, recipe.Column{Name: name, Kind: "number", Fill: 0.5})
	}
	columns.Columns = append(columns.Columns, recipe.Column{Name: "yes or no", Kind: "boolean", Levels: []string{`"no"`, `\yes\`}})
	m, _ := synthetic(kernel.RBF{Theta: 0.02}, len(names), columns.Width(), 60, 1, 5)
	e := example{name: "hostile", model: m.WithNames(names, nil).WithRecipe(columns)}
	rng := rand.New(rand.NewPCG(8, 8))
	for i := range 30 {
		var row []string
		for _, c := range columns.Columns {
			if i == 0 {
				e.header = append(e.header, c.Name)
			}
			switch c.Kind {
			case "number":
				row = append(row, fmt.Sprint(rng.NormFloat64()))
			default:
				row = append(row, c.Levels[rng.IntN(2)])
			}
		}
		e.rows = append(e.rows, row)
	}
	return e
}

// examples are all models that the tests export.
func examples(t *testing.T) []example {
	t.Helper()
	all := []example{
		fitted(t, "iris", kernel.RBF{Theta: 0.1}, 1), fitted(t, "glass", kernel.Laplacian{Theta: 0.1}, 1.7),
		fitted(t, "breast", kernel.Polynomial{Degree: 3, Offset: 1}, 0.3), mixed(t), hostile(),
	}
	add := func(name string, k kernel.Kernel, classes, features, vectors int, spread float64) {
		m, rows := synthetic(k, classes, features, vectors, spread, uint64(len(all)))
		all = append(all, numeric(name, m, rows))
	}
	for _, d := range kernel.Descriptions() {
		given := map[string]string{}
		for _, p := range d.Parameters {
			switch p {
			case "thetas":
				given[p] = "0.3,0,1.5,0.01,2"
			default:
				given[p] = "3"
			}
		}
		k, err := kernel.New(d.Name, given)
		if err != nil {
			t.Fatalf("%s: %v", d.Name, err)
		}
		add(d.Name, k, 4, 5, 40, 2)
	}
	add("letters", kernel.RBF{Theta: 0.05}, 26, 16, 200, 3)
	add("gaps", kernel.Linear{}, 7, 2, 30, 20)
	add("two", kernel.RationalQuadratic{Theta: 0.2, Alpha: 1e5}, 2, 3, 20, 4)
	collapsed := mpcvm.NewModel(kernel.RBF{Theta: 1}, mat.NewDense(1, 2, nil), []int{0}, make([][]int, 3), make([][]float64, 3), []float64{0.1, -2, 0.1})
	return append(all, numeric("collapsed", collapsed, mat.NewDense(2, 2, []float64{0, 1, 1e9, 2})))
}

// csv writes the rows with columns in reverse order, one more column and a blank line, and
// unusual ends.
func (e example) csv(t *testing.T, path string) {
	t.Helper()
	var b bytes.Buffer
	b.WriteString("\ufeff")
	w := csv.NewWriter(&b)
	w.UseCRLF = len(e.name)%2 == 0
	write := func(last string, cells []string) {
		cells = append(slices.Clone(cells), last)
		slices.Reverse(cells)
		if err := w.Write(cells); err != nil {
			t.Fatal(err)
		}
	}
	write(`a "further", column`, e.header)
	w.Flush()
	b.WriteString("\n")
	for i, row := range e.rows {
		write(fmt.Sprintf("%d,\n", i), row)
	}
	w.Flush()
	b.WriteString("a,b") // cells of a row that is cut off
	if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
}

// compare checks an output and returns the largest difference.
func (e example) compare(t *testing.T, output io.Reader) (worst float64) {
	t.Helper()
	r := csv.NewReader(output)
	lines, err := r.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if len(lines) != len(e.rows)+2 {
		t.Fatalf("%d lines for %d rows", len(lines), len(e.rows))
	}
	names := e.model.ClassNames()
	// encoding/csv reads \r\n within a text as \n.
	if got, want := strings.Join(lines[0], "|"), "class|p("+strings.Join(names, ")|p(")+")|reason"; got != want {
		t.Errorf("header %q, want %q", got, want)
	}
	if last := lines[len(lines)-1]; last[0] != "" || last[len(last)-1] != fmt.Sprintf("2 cells, the header has %d", len(e.header)+1) {
		t.Errorf("the short row: %q", last)
	}
	for i, row := range e.rows {
		line := lines[i+1]
		cells := map[string]any{}
		for j, name := range e.header {
			cells[name] = row[j]
		}
		if r := e.model.Recipe(); r != nil && r.Target != "" {
			delete(cells, r.Target)
		}
		want, err := e.model.PredictRow(cells)
		reason := line[len(line)-1]
		if last := row[len(row)-1]; last == "0x1p2" || last == "1_0" { // numbers of strconv.ParseFloat alone
			err = recipe.ErrNotKind
			want = mpcvm.Prediction{}
		}
		if (err != nil) != (reason != "") || line[0] != want.Class {
			t.Errorf("row %d %.200q: class %q, reason %q; want %q, %v", i, row, line[0], reason, want.Class, err)
			continue
		}
		for c, p := range want.Proba {
			got, err := strconv.ParseFloat(line[c+1], 64)
			if err != nil {
				t.Fatal(err)
			}
			worst = max(worst, math.Abs(got-p))
		}
	}
	if worst > tolerance {
		t.Errorf("largest difference %.2g", worst)
	}
	return worst
}

// run runs a command and returns its output.
func run(t *testing.T, dir, stdin, name string, args ...string) []byte {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GO111MODULE=on", "GOWORK=off", "GOFLAGS=", "LC_ALL=C", "PYTHONDONTWRITEBYTECODE=1")
	if stdin != "" {
		f, err := os.Open(stdin)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		cmd.Stdin = f
	}
	var out, errors bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errors
	if err := cmd.Run(); err != nil || errors.Len() > 0 {
		t.Fatalf("%s %q: %v\n%.4000s", name, args, err, &errors)
	}
	return out.Bytes()
}

// goMain is a program that predicts with one of many models.
const goMain = `package main

import (
	"io"
	"os"
%s)

func main() {
	predict := map[string]func(io.Reader, io.Writer) error{
%s	}
	if err := predict[os.Args[1]](os.Stdin, os.Stdout); err != nil {
		panic(err)
	}
}
`

// TestLanguages runs every model in every language.
func TestLanguages(t *testing.T) {
	all := examples(t)
	dir := t.TempDir()
	where := func(e example, file string) string { return filepath.Join(dir, e.name, file) }
	var imports, models strings.Builder
	sizes := map[string]int{}
	for i, e := range all {
		if err := os.Mkdir(where(e, ""), 0o700); err != nil {
			t.Fatal(err)
		}
		e.csv(t, where(e, "rows.csv"))
		for _, language := range export.Languages() {
			var b bytes.Buffer
			if err := export.Write(&b, e.model, language); err != nil {
				t.Fatal(err)
			}
			path := where(e, export.File(language))
			if language == "go" { // a folder without C
				path = filepath.Join(dir, "go", e.name, "model.go")
				if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
					t.Fatal(err)
				}
			}
			sizes[language+e.name] = b.Len()
			if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		fmt.Fprintf(&imports, "\tm%d \"models/%s\"\n", i, e.name)
		fmt.Fprintf(&models, "\t\t%q: m%d.PredictCSV,\n", e.name, i)
	}
	for _, language := range []struct {
		name, tool string
		prepare    func(t *testing.T)
		predict    func(t *testing.T, e example) []byte
	}{
		{"python", "python3", nil, func(t *testing.T, e example) []byte {
			return run(t, where(e, ""), where(e, "rows.csv"), "python3", "-W", "error", "model.py")
		}},
		{"javascript", "node", nil, func(t *testing.T, e example) []byte {
			if e.name == "hostile" {
				run(t, where(e, ""), "", "node", "--check", "model.mjs")
			}
			return run(t, where(e, ""), where(e, "rows.csv"), "node", "model.mjs")
		}},
		{"c", "cc", nil, func(t *testing.T, e example) []byte {
			flags := []string{"-std=c99", "-Wall", "-Wextra", "-pedantic", "-Werror"}
			if e.name == "hostile" || e.name == "mixed" || e.name == "collapsed" {
				run(t, where(e, ""), "", "cc", append(flags, "-fsyntax-only", "model.c")...)
				flags = append(flags, "-fsanitize=address,undefined", "-fno-sanitize-recover")
			}
			run(t, where(e, ""), "", "cc", append(flags, "-DMPCVM_MAIN", "-o", "model", "model.c", "-lm")...)
			return run(t, where(e, ""), where(e, "rows.csv"), "./model")
		}},
		{"go", "go", func(t *testing.T) {
			main, err := format.Source(fmt.Appendf(nil, goMain, &imports, &models))
			if err != nil {
				t.Fatal(err)
			}
			for name, text := range map[string]string{"go.mod": "module models\n\ngo 1.21\n", "main.go": string(main)} {
				if err := os.WriteFile(filepath.Join(dir, "go", name), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			dir := filepath.Join(dir, "go")
			if out := run(t, dir, "", "gofmt", "-l", "."); len(out) > 0 {
				t.Errorf("gofmt would change %s", out)
			}
			run(t, dir, "", "go", "vet", "./...")
			run(t, dir, "", "go", "build", "-o", "predict", ".")
		}, func(t *testing.T, e example) []byte {
			return run(t, filepath.Join(dir, "go"), where(e, "rows.csv"), "./predict", e.name)
		}},
	} {
		t.Run(language.name, func(t *testing.T) {
			if _, err := exec.LookPath(language.tool); err != nil {
				t.Skipf("THE FILES OF %s ARE NOT TESTED: %v", strings.ToUpper(language.name), err)
			}
			if language.prepare != nil {
				language.prepare(t)
			}
			for _, e := range all {
				t.Run(e.name, func(t *testing.T) {
					worst := e.compare(t, bytes.NewReader(language.predict(t, e)))
					t.Logf("largest difference %.1e, %d vectors, %d weights, %d bytes", worst, e.model.VectorCount(), e.model.WeightCount(), sizes[language.name+e.name])
				})
			}
		})
	}
}

var _ = errors.Is
var _ = probit.Proba
