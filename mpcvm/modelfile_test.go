package mpcvm_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/internal/fitting"
	"github.com/mpcvm/mpcvm/internal/testkit/laws"
	"github.com/mpcvm/mpcvm/internal/testkit/must"
	"github.com/mpcvm/mpcvm/internal/testkit/watch"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/gp"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
)

// small is a valid model file; the tests insert errors into it.
const small = `{
  "format": "mpcvm-model",
  "version": 1,
  "kernel": {"name": "rbf", "theta": 0.5},
  "classes": ["red", "blue", "black"],
  "features": ["east", "north"],
  "bias": [0.25, -0.5, 0],
  "scaling": {"mean": [1, 2], "scale": [0.5, 3]},
  "temperature": 2,
  "vectors": [
    {"index": 3, "label": 0, "x": [0.1, -1], "weights": [{"class": 0, "weight": 1.5}, {"class": 2, "weight": -0.25}]},
    {"index": 8, "label": 2, "x": [2, 1e-3], "weights": [{"class": 2, "weight": 4}]}
  ]
}
`

func load(t testing.TB, text string) *mpcvm.Model {
	t.Helper()
	m := must.Get(mpcvm.Load(strings.NewReader(text)))(t)
	return m
}

func save(t testing.TB, m *mpcvm.Model) string {
	t.Helper()
	var b bytes.Buffer
	must.OK(t, m.Save(&b))
	return b.String()
}

// A saved and loaded model is the same to the last bit, for both learners, every kernel of the format and
// models without vectors.
func TestSaveLoad(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 3))
	for range 20 {
		x, labels, rbf, about := problem(rng)
		_, d := x.Dims()
		theta := make([]float64, d)
		for i := range theta {
			theta[i] = rng.Float64()
		}
		kernels := []kernel.Kernel{rbf, kernel.Laplacian{Theta: rng.ExpFloat64()}, kernel.ARD{Theta: theta},
			kernel.LaplacianARD{Theta: theta}, kernel.RationalLaplacianARD{Theta: theta},
			kernel.Linear{Offset: 1. / 3}, kernel.Polynomial{Scale: 0.1, Offset: 1},
			kernel.Matern32{Theta: theta[0]}, kernel.Matern52{Theta: theta[0]}, kernel.RationalQuadratic{
				Theta: theta[0], Alpha: 3},
			kernel.RationalLaplacian{Theta: theta[0]}}
		for name, l := range learners(kernels[rng.IntN(len(kernels))], 8) {
			m, _ := laws.Fit(t, l, x, labels)
			if rng.IntN(2) == 0 {
				m = m.WithScaling(x.RawRowView(0), ones(d)).WithTemperature(rng.ExpFloat64())
			}
			if rng.IntN(2) == 0 {
				floor := make([]float64, m.Classes())
				for c := range floor {
					floor[c] = rng.Float64() / float64(len(floor))
				}
				m = m.WithFloor(floor)
			}
			if rng.IntN(2) == 0 {
				costs := mat.NewDense(m.Classes(), m.Classes(), nil)
				costs.Apply(func(i, j int, _ float64) float64 { return rng.Float64() * float64(max(i-j, j-i)) }, costs)
				m = m.WithCosts(costs)
			}
			text := save(t, m)
			again := load(t, text)
			if save(t, again) != text {
				t.Fatalf("%s (%s): the file differs when saved again", name, about)
			}
			same(t, name+" "+about, m, again, x)
		}
	}
}

func ones(n int) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = 1
	}
	return v
}

// same checks that the two models are the same.
func same(t *testing.T, about string, a, b *mpcvm.Model, x mat.Matrix) {
	t.Helper()
	if !mat.Equal(a.Potentials(nil, x), b.Potentials(nil, x)) || !mat.Equal(a.Proba(nil, x), b.Proba(nil, x)) {
		t.Errorf("%s: predictions differ", about)
	}
	meanA, scaleA := a.Scaling()
	meanB, scaleB := b.Scaling()
	for _, pair := range [][2]any{
		{a.RelevanceVectors(), b.RelevanceVectors()}, {a.Bias(), b.Bias()}, {a.NonZero(), b.NonZero()},
		{a.ClassNames(), b.ClassNames()}, {a.FeatureNames(), b.FeatureNames()},
		{a.Kernel().String(), b.Kernel().String()}, {a.Temperature(), b.Temperature()}, {a.Floor(),
			b.Floor()}, {a.Costs(), b.Costs()}, {a.Predict(nil, x), b.Predict(nil, x)}, {a.Scores(),
			b.Scores()}, {meanA, meanB}, {scaleA, scaleB},
	} {
		if !reflect.DeepEqual(pair[0], pair[1]) {
			t.Errorf("%s: %v and %v", about, pair[0], pair[1])
		}
	}
}

type golden struct {
	X, Potentials, Proba [][]float64
	Labels               []int
}

// The files of version 1, one for each learner and kernel, must always load and give the same predictions. Do
// NOT change the files: if a program cannot read them, fix the program.
func TestGoldenModel(t *testing.T) {
	files, err := filepath.Glob("testdata/model-v*-predictions.json")
	if err != nil || len(files) < 5 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file),
			func(t *testing.T) { goldenModel(t, strings.TrimSuffix(file, "-predictions.json")) })
	}
}

func goldenModel(t *testing.T, file string) {
	m := must.Get(mpcvm.LoadFile(file + ".json"))(t)
	text := must.Get(os.ReadFile(file + "-predictions.json"))(t)
	var want golden
	must.OK(t, json.Unmarshal(text, &want))
	if len(want.X) < 5 {
		t.Fatalf("only %d samples", len(want.X))
	}
	const tol = 1e-13 // math.Exp differs between machines in the last place
	for i, x := range want.X {
		row := mat.NewDense(1, len(x), x)
		y, p := m.Potentials(nil, row), m.Proba(nil, row)
		for c := range m.Classes() {
			if math.Abs(y.At(0, c)-want.Potentials[i][c]) > tol || math.Abs(p.At(0, c)-want.Proba[i][c]) > tol {
				t.Errorf("sample %d, class %d: potential %v, probability %v, want %v, %v",
					i, c, y.At(0, c), p.At(0, c), want.Potentials[i][c], want.Proba[i][c])
			}
		}
		if label := m.Predict(nil, row)[0]; label != want.Labels[i] {
			t.Errorf("sample %d: label %d, want %d", i, label, want.Labels[i])
		}
	}
	written := must.Get(os.ReadFile(file + ".json"))(t)
	if m.Coefficients() != nil { // version 1 has the relevance vectors of linear models
		same(t, file, m, load(t, save(t, m)), mat.NewDense(1, len(want.X[0]), want.X[0]))
	} else if save(t, m) != string(written) {
		t.Error("the file differs when saved again; if the format has a new version, compare what is loaded")
	}
	if names := m.ClassNames(); names[0] != "setosa" || m.FeatureNames()[3] != "petal_width" ||
		m.Temperature() != 1.25 {
		t.Errorf("names %v, %v, temperature %v", names, m.FeatureNames(), m.Temperature())
	}
}

// The predictions follow from the numbers in the file, computed here by hand.
func TestLoadSmall(t *testing.T) {
	m := load(t, small)
	x := []float64{1.5, 5} // standardised: 1, 1
	k0 := math.Exp(-0.5 * (0.9*0.9 + 4))
	k1 := math.Exp(-0.5 * (1 + 0.999*0.999))
	want := []float64{0.25 + 1.5*k0, -0.5, -0.25*k0 + 4*k1}
	y := m.Potentials(nil, mat.NewDense(1, 2, x))
	for c, w := range want {
		if math.Abs(y.At(0, c)-w) > 1e-15 {
			t.Errorf("class %d: %v, want %v", c, y.At(0, c), w)
		}
	}
	v := m.RelevanceVectors()[0]
	if v.X[0] != 0.1 || math.Abs(v.Raw[0]-1.05) > 1e-15 || v.Raw[1] != -1 {
		t.Errorf("%+v", v)
	}
}

// A file can use any kernel that has a name, even one that learners no longer accept, such as a linear kernel
// with a negative offset, which version 1 could write.
func TestLoadKernels(t *testing.T) {
	for text, k := range map[string]kernel.Kernel{
		`{"name": "matern32", "theta": 0.5}`: kernel.Matern32{Theta: 0.5},
		`{"name": "matern52", "theta": 0.5}`: kernel.Matern52{Theta: 0.5},
		`{"name": "rational-quadratic", "theta": 0.5, "alpha": 2}`: kernel.RationalQuadratic{Theta: 0.5,
			Alpha: 2},
		`{"name": "rational-laplacian", "theta": 0.5}`: kernel.RationalLaplacian{Theta: 0.5},
		`{"name": "laplacian-ard", "thetas": [0.5, 0]}`: kernel.LaplacianARD{
			Theta: []float64{0.5, 0}},
		`{"name": "linear", "offset": -5}`: kernel.Linear{Offset: -5},
		`{"name": "polynomial", "degree": 3, "scale": 0.5, "offset": -0.25}`: kernel.Polynomial{Degree: 3,
			Scale: 0.5, Offset: -0.25},
	} {
		m := load(t, strings.Replace(small, `{"name": "rbf", "theta": 0.5}`, text, 1))
		if !reflect.DeepEqual(m.Kernel(), k) {
			t.Errorf("%s: kernel %v", text, m.Kernel())
		}
		z := []float64{1, 1}
		k0, k1 := k.Value(z, []float64{0.1, -1}), k.Value(z, []float64{2, 1e-3})
		x := mat.NewDense(1, 2, []float64{1.5, 5})
		y := m.Potentials(nil, x)
		for c, w := range []float64{0.25 + 1.5*k0, -0.5, -0.25*k0 + 4*k1} {
			if math.Abs(y.At(0, c)-w) > 1e-14*(1+math.Abs(w)) {
				t.Errorf("%s: class %d: %v, want %v", text, c, y.At(0, c), w)
			}
		}
		if e := m.Explain(x.RawRowView(0)); m.Coefficients() == nil && len(e.Contributions) != 3 ||
			m.Coefficients() == nil && e.Contributions[0].Kernel != k0 {
			t.Errorf("%s: %+v", text, e)
		}
		same(t, text, m, load(t, save(t, m)), x)
		_, _, err := mpcvm.BottomUp{Kernel: k}.Fit(bg,
			mpcvm.Samples{X: mat.NewDense(4, 2, []float64{0, 1, 1, 1, 2, 0, 3, 0}), T: []int{0, 0, 1, 1}})
		if old := strings.Contains(text, `"offset": -`); old != (err != nil && strings.Contains(err.Error(),
			"Offset must not be negative")) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestLoadFaults(t *testing.T) {
	for _, tt := range []struct{ old, new, say string }{
		{`"mpcvm-model"`, `"mpcvm"`, `format: "mpcvm" is`},
		{`"version": 1`, `"version": 7, "novelty": {}`, "version: 7 is newer"},
		{`"version": 1`, `"version": 0`, "version: 0 is not"},
		{`"version": 1`, `"version": "1"`, "version: not an"},
		{`  "version": 1,`, ``, `key "version" is`},
		{`"version": 1`, `"version": 1, "colour": 2`, `unknown key "colour"`},
		{`"version": 1`, `"version": 1, "version": 1`, `key "version" twice`},
		{`"version": 1`, `"version": 1, "\u0076ersion": 1`, `key "version" twice`},
		{`"version": 1`, `"version": 1, "` + strings.Repeat("y", 99) + `": 1`, strings.Repeat("y", 40) + `"`},
		{`{"name": "rbf", "theta": 0.5}`, `null`, "kernel: null"},
		{`"theta": 0.5`, `"theta": 0.5, "colour": 1`, "colour"},
		{`"rbf"`, `"sigmoid"`, `kernel.name: unknown kernel`},
		{`"theta": 0.5`, `"theta": 0`, "rbf: Theta must"},
		{`, "theta": 0.5`, ``, "kernel.theta: missing"},
		{`"theta": 0.5`, `"theta": 0.5, "offset": 0`, "kernel.offset: rbf has"},
		{`"rbf", "theta": 0.5`, `"ard", "thetas": [1]`, "kernel.thetas: 1 widths for 2"},
		{`"rbf", "theta": 0.5`, `"ard", "thetas": []`, "no positive entry"},
		{`"rbf", "theta": 0.5`, `"laplacian-ard"`, "kernel.thetas: missing"},
		{`"rbf", "theta": 0.5`, `"laplacian-ard", "thetas": [1, -1]`, "laplacian-ard: Theta[1]"},
		{`"rbf", "theta": 0.5`, `"polynomial", "degree": 0, "scale": 1, "offset": 0`, "kernel.degree: must be"},
		{`"rbf", "theta": 0.5`, `"polynomial", "degree": -1, "scale": 1, "offset": 0`, "Degree"},
		{`["red", "blue", "black"]`, `["red"]`, "classes: 1; want at"},
		{`["red", "blue", "black"]`, `["red", "blue", "red"]`, `classes[2]: duplicate name`},
		{`["red", "blue", "black"]`, `["red", "blue"]`, "bias: 3 numbers for 2"},
		{`["red", "blue", "black"]`, `null`, "classes: not an"},
		{`["east", "north"]`, `[]`, "features: the list"},
		{`["east", "north"]`, `["x"]`, "for 1 features"},
		{`0.25, -0.5, 0`, `0.25, -0.5, 1e999`, "bias[2]: not a"},
		{`"scale": [0.5, 3]`, `"scale": [0.5, 0]`, "scaling.scale[1]: 0 is not"},
		{`"scale": [0.5, 3]`, `"scale": [0.5]`, "scaling: 2 means and 1"},
		{`{"mean": [1, 2], "scale": [0.5, 3]}`, `null`, "scaling: not an"},
		{`"temperature": 2`, `"temperature": 0`, "temperature: 0 is not"},
		{`"temperature": 2`, `"temperature": 2, "floor": [0.1, 0.1, 0.1]`, "floor: not supported"},
		{`"version": 1`, `"version": 3, "floor": [0.1, 0.1]`, "floor: 2 numbers for 3"},
		{`"version": 1`, `"version": 3, "floor": [0.1, -0.1, 0]`, "floor[1]: -0.1 is not"},
		{`"version": 1`, `"version": 3, "floor": [0.5, 0.4, 0.2]`, "floor: the sum 1.1"},
		{`"version": 1`, `"version": 3, "scores": [{"count": 1, "values": [1]}]`, "scores: not supported"},
		{`"version": 1`, `"version": 4, "scores": []`, "scores: 0 lists for 3"},
		{`"version": 1`, `"version": 4, "scores": [{"count": 2, "values": [1]}]`, "scores[0]: 1 values for 2"},
		{`"version": 1`, `"version": 4, "scores": [{"count": 2, "values": [1, 0]}]`,
			"scores[0].values[1]: 0 is not"},
		{`"version": 1`, `"version": 3, "reach": 1`, "reach: not supported"},
		{`"version": 1`, `"version": 4, "reach": 0`, "reach: 0 is not"},
		{`"index": 3`, `"index": -3`, "vectors[0].index: -3 is negative"},
		{`"index": 8`, `"index": 3`, "vectors[1].index: 3 is not"},
		{`"index": 8`, `"index": 8.5`, "vectors[1].index: not an"},
		{`"label": 2`, `"label": 3`, "vectors[1].label: 3 is out"},
		{`[2, 1e-3]`, `[2]`, "vectors[1].x: 1 numbers for 2"},
		{`[2, 1e-3]`, `[2, [1]]`, "vectors[1].x[1]: not a"},
		{`[{"class": 2, "weight": 4}]`, `[]`, "vectors[1].weights: the list"},
		{`"weight": 4`, `"weight": 0`, "vectors[1].weights[0].weight: must not"},
		{`"weight": 4`, `"weight": 1e-999`, "vectors[1].weights[0].weight: must not"},
		{`"weight": 4`, `"weight": -4`, "vectors[1].weights[0].weight: -4 of a"},
		{`"weight": -0.25`, `"weight": 0.25`, "vectors[0].weights[1].weight: 0.25"},
		{`"class": 2, "weight": -`, `"class": 3, "weight": -`, "vectors[0].weights[1].class: 3 is out"},
		{`"class": 2, "weight": -`, `"class": 0, "weight": -`, "vectors[0].weights[1].class: 0 is not"},
		{`"class": 2, "weight": 4`, `"class": 2`, `vectors[1].weights[0]: key "weight"`},
		{`{"class": 2, "weight": 4}`, `4`, "vectors[1].weights[0]: not an"},
		{"}\n", "}\n{}", "after the end"},
		{"]\n}\n", "]\n", "EOF"},
	} {
		if strings.Count(small, tt.old) < 1 {
			t.Fatalf("%s is not in the file", tt.old)
		}
		i := strings.LastIndex(small, tt.old)
		text := small[:i] + tt.new + small[i+len(tt.old):]
		m, err := mpcvm.Load(strings.NewReader(text))
		if err == nil || m != nil {
			t.Errorf("%s for %s was accepted", tt.new, tt.old)
			continue
		}
		if !strings.HasPrefix(err.Error(), "mpcvm: model file: ") || !strings.Contains(err.Error(), tt.say) {
			t.Errorf("%s: %v, want %s", tt.new, err, tt.say)
		}
	}
	for n := range len(small) - 1 {
		if _, err := mpcvm.Load(strings.NewReader(small[:n])); err == nil {
			t.Errorf("the first %d bytes were accepted", n)
		}
	}
	broken := errors.New("broken")
	if _, err := mpcvm.Load(iotest.ErrReader(broken)); !errors.Is(err, broken) {
		t.Error(err)
	}
	if _, err := mpcvm.LoadFile(filepath.Join(t.TempDir(), "none")); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
}

// The order of keys is free, and optional keys may be absent.
func TestLoadOrder(t *testing.T) {
	text := `{"vectors":[],"bias":[1,0],"features":["x"],"classes":["a","b"],"kernel":{"offset":2,"name":"linear"},"version":1,"format":"mpcvm-model"}`
	m := load(t, text)
	if p := m.Predict(nil, mat.NewDense(2, 1, []float64{7, math.NaN()})); p[0] != 0 || p[1] != -1 {
		t.Errorf("%v", p)
	}
	if mean, scale := m.Scaling(); mean != nil || scale != nil || m.Temperature() != 1 {
		t.Errorf("%v %v %v", mean, scale, m.Temperature())
	}
}

func TestSaveRefuses(t *testing.T) {
	m := load(t, small)
	x, labels := mat.NewDense(4, 1, []float64{0, 1, 2, 3}), []int{0, 0, 1, 1}
	fit := func(k kernel.Kernel) *mpcvm.Model {
		m, _ := laws.Fit(t, mpcvm.BottomUp{Kernel: k}, x, labels)
		return m
	}
	mine := kernel.Func{Name: "mine", F: kernel.RBF{Theta: 1}.Value}
	for say, m := range map[string]*mpcvm.Model{
		"kernel: mine (kernel.Func)": fit(mine),
		"kernel: precomputed(4×4) (k": fit(kernel.Precomputed{K: mat.NewDense(4, 4, []float64{2, 1, 0, 0, 1, 2, 0,
			0, 0, 0, 2, 1, 0, 0, 1, 2})}),
		`classes[1]: duplicate name "a"`: m.WithNames([]string{"a", "a", "b"}, nil),
		`features[0]: "\xff" is not`:     m.WithNames(nil, []string{"\xff", "b"}),
	} {
		var b bytes.Buffer
		if err := m.Save(&b); err == nil || !strings.HasPrefix(err.Error(), "mpcvm: saving the model: "+say) ||
			b.Len() > 0 {
			t.Errorf("%v, want %s", err, say)
		}
	}
	// Names can contain any text.
	named := m.WithNames([]string{"<b>", "\"\n", "  \u2028é"}, []string{"", "x&y"})
	same(t, "names", named, load(t, save(t, named)), mat.NewDense(1, 2, nil))
}

func TestSaveFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "m.json")
	m := load(t, small)
	for range 2 { // the second replaces the first
		must.OK(t, m.SaveFile(path))
	}
	again := must.Get(mpcvm.LoadFile(path))(t)
	same(t, "file", m, again, mat.NewDense(1, 2, []float64{1, 2}))
	// A failed save leaves the old file and nothing else.
	bad := m.WithNames([]string{"a", "a", "a"}, nil)
	if err := bad.SaveFile(path); err == nil {
		t.Error("saved duplicate names")
	}
	if err := m.SaveFile(dir); err == nil {
		t.Error("replaced a directory")
	}
	if err := m.SaveFile(filepath.Join(dir, "none", "m.json")); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*")); len(left) != 1 {
		t.Errorf("left behind: %v", left)
	}
	if hidden, _ := filepath.Glob(filepath.Join(dir, ".*")); len(hidden) > 0 {
		t.Errorf("left behind: %v", hidden)
	}
	if _, err := mpcvm.LoadFile(path); err != nil {
		t.Error(err)
	}
	if err := m.Save(failing{}); err == nil || !strings.Contains(err.Error(), "full") {
		t.Error(err)
	}
}

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, errors.New("full") }

// head returns the start of small up to the vectors, with the replacements applied, followed by rest.
func head(rest string, replace ...string) string {
	start, _, _ := strings.Cut(small, `"vectors"`)
	return strings.NewReplacer(replace...).Replace(start) + rest
}

// The memory for loading a malicious file is proportional to its size, not to the sizes it claims. The
// allowance here is 8 MiB instead of 64 MiB, so that small files can fail.
func TestLoadMemory(t *testing.T) {
	watch.SkipUnderRace(t)
	const size = 2 << 20
	var keys strings.Builder
	for i := range size / 10 {
		fmt.Fprintf(&keys, `,"%06d":0`, i)
	}
	vector := head(`"vectors":[{"index":1,"label":0,"x":[1,2],"weights":[`)
	for name, text := range map[string]string{
		"numbers": head(`"vectors":[{"index":1,"label":0,"weights":[{"class":0,"weight":1}],"x":[`) +
			strings.Repeat("0,", size/2),
		"claims": head(
			`"vectors":[{"index":9000000000000000000,"label":9000000000000000000,"x":[1,2],"weights":[{"class":9000000000000000000,"weight":1}]}]}`),
		"deep":          strings.Repeat(`{"vectors":[`, size/12),
		"brackets":      head(`"vectors":`) + strings.Repeat("[", size),
		"deep number":   head(`"bias":[`) + strings.Repeat("[", size),
		"empty vectors": head(`"vectors":[`) + strings.Repeat("{},", size/3) + "{}]}",
		"no vectors":    head(`"vectors":[`) + strings.Repeat("0,", size/2) + "0]}",
		"empty weights": vector + strings.Repeat("{},", size/3) + "{}]}]}",
		"no weights":    vector + strings.Repeat("0,", size/2) + "0]}]}",
		"kernel":        `{"kernel":{"name":"ard","thetas":[` + strings.Repeat("0,", size/2) + `0]}}`,
		"kernel keys":   `{"kernel":{"name":"rbf"` + keys.String() + `}}`,
		"space":         `{"format":` + strings.Repeat(" ", size),
		"text":          `{"format":"` + strings.Repeat("x", size),
		"escapes":       `{"format":"` + strings.Repeat(`\u00e9`, size/6) + `"}`,
		"key":           `{"` + strings.Repeat("x", size),
		"names":         `{"classes":[` + strings.Repeat(`"",`, size/3),
		"columns": head(`"recipe":{"target":"","id":[],"unused":[],"columns":[`) + strings.Repeat("{},",
			size/3),
		"levels": head(`"recipe":{"target":"","id":[],"unused":[],"columns":[{"levels":[`) +
			strings.Repeat(`"",`, size/3),
		"same names": head(`"vectors":[]}`, `["red", "blue", "black"]`, `["a"`+strings.Repeat(`,""`,
			size/3)+`]`),
	} {
		if _, taken, err := loadWatched(text, 16*len(text)+8<<20); err == nil || taken > 16*len(text)+8<<20 {
			t.Errorf("%s: %d KiB for %d KiB, %v", name, taken>>10, len(text)>>10, err)
		}
	}
}

// loadWatched is Load; it also returns the peak memory use in bytes.
func loadWatched(text string, limit int) (m *mpcvm.Model, taken int, err error) {
	taken = watch.Peak(limit, func() { m, err = mpcvm.Load(strings.NewReader(text)) })
	runtime.KeepAlive(m)
	return m, taken, err
}

// Every document that loads gives a model that obeys the laws, and can be saved and loaded again.
func FuzzLoad(f *testing.F) {
	f.Add([]byte(small))
	if text, err := os.ReadFile("testdata/model-v1.json"); err == nil {
		f.Add(text)
	}
	for _, k := range []string{
		`{"name":"ard","thetas":[0,1]}`, `{"name":"laplacian-ard","thetas":[2,0]}`,
		`{"name":"laplacian","theta":1e300}`, `{"name":"linear","offset":-1}`,
		`{"name":"polynomial","degree":9,"scale":0.5,"offset":1}`, `{"name":"matern32","theta":2}`,
		`{"name":"rational-quadratic","theta":2,"alpha":0.1}`,
		`{"name":"rational-laplacian","theta":2}`,
	} {
		f.Add([]byte(strings.Replace(small, `{"name": "rbf", "theta": 0.5}`, k, 1)))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var m *mpcvm.Model
		var err error
		watch.Within(t, len(text), func() { m, err = mpcvm.Load(bytes.NewReader(text)) })
		if err != nil {
			if !strings.HasPrefix(err.Error(), "mpcvm: model file: ") {
				t.Fatal(err)
			}
			return
		}
		saved := save(t, m)
		again := load(t, saved)
		if save(t, again) != saved {
			t.Fatal("the file differs when saved again")
		}
		for _, v := range again.RelevanceVectors() {
			for c, w := range v.Weights {
				if c == v.Label && w < 0 || c != v.Label && w > 0 {
					t.Fatalf("weight %g of class %d in class %d", w, v.Label, c)
				}
			}
		}
		x := mat.NewDense(1, m.Features(), nil)
		if label := m.Predict(nil, x)[0]; label < -1 || label >= m.Classes() {
			t.Fatalf("label %d", label)
		}
		m.Proba(nil, x)
		m.Explain(x.RawRowView(0))
	})
}

// A linear model is saved as coefficients, without a training row, and explained by its features.
func TestCoefficientsFile(t *testing.T) {
	x := mat.NewDense(4, 2, []float64{0, 1, 1, 2, 5, 3, 7, 1})
	m := mpcvm.NewModel(kernel.Linear{Offset: 2}, x, []int{0, 0, 1, 1}, [][]int{{1, 2}, {3}},
		[][]float64{{3, -0.5}, {0.25}}, []float64{1, -1}).WithScaling([]float64{1, 0}, []float64{2, 1})
	if a := m.Coefficients(); !mat.Equal(a, mat.NewDense(2, 2, []float64{0.5, 4.5, 1.75, 0.25})) ||
		!slices.Equal(m.Bias(), []float64{6, -0.5}) {
		t.Errorf("coefficients %v, bias %v", a, m.Bias())
	}
	e := m.Explain([]float64{3, 2}) // standardised: 1, 2
	if v := e.Contributions[1]; len(e.Contributions) != 4 || v != (mpcvm.Contribution{Class: 0, Index: 1,
		Label:  -1,
		Kernel: 2, Weight: 4.5, Value: 9}) || e.Potentials[0] != 6+0.5+9 {
		t.Errorf("%+v", e)
	}
	text := save(t, m)
	same(t, "linear", m, load(t, text), x)
	for replace, with := range map[string]string{
		`"version": 5`: `"version": 4`, `[0.5,4.5],`: ``, `[0.5,4.5]`: `[0.5]`,
		`"linear","offset":2`: `"rbf","theta":1`,
		`"vectors": [`:        `"vectors": [{"index":0,"label":0,"x":[1,1],"weights":[{"class":0,"weight":1}]}`,
	} {
		bad := strings.Replace(text, replace, with, 1)
		if _, err := mpcvm.Load(strings.NewReader(bad)); err == nil || bad == text {
			t.Errorf("%s: %v", bad, err)
		}
	}
}

// The sum of a linear and a kernel model has both coefficients and relevance vectors, in the model, in its
// explanation and in its file. Programs that do not know such models refuse the file by its version.
func TestSumOfModels(t *testing.T) {
	set := data.NewMixture(3, 2, 3, 0.8, 1).Set(60, 1)
	linear, _ := laws.Fit(t, gp.KernelPrior{Kernel: kernel.Linear{Offset: 3}}, set.X, set.T)
	other, _ := laws.Fit(t, mpcvm.BottomUp{Kernel: kernel.RBF{Theta: 0.3}}, set.X, set.T)
	x := data.NewMixture(3, 2, 3, 0.8, 1).Set(90, 2).X
	a, b := linear.Potentials(nil, x), other.Potentials(nil, x)
	sum := fitting.SumOfModels(linear, other, 0.25, 2).(*mpcvm.Model)
	y := sum.Potentials(nil, x)
	for i, v := range y.RawMatrix().Data {
		if want := 0.25*a.RawMatrix().Data[i] + 2*b.RawMatrix().Data[i]; math.Abs(v-want) > 1e-12 {
			t.Fatalf("potential %d: %v, want %v", i, v, want)
		}
	}
	if sum.VectorCount() != other.VectorCount() || sum.WeightCount() != other.WeightCount()+9 {
		t.Errorf("%d vectors, %d weights", sum.VectorCount(), sum.WeightCount())
	}
	e := sum.Explain(x.RawRowView(0))
	for c, v := range e.Bias {
		for _, k := range e.Class(c) {
			v += k.Value
		}
		if v != e.Potentials[c] || v != y.At(0, c) ||
			!slices.Equal(sum.ProbaOne(nil, x.RawRowView(0)), sum.Proba(nil, x).RawRowView(0)) {
			t.Errorf("class %d: %v, potential %v", c, v, e.Potentials[c])
		}
	}
	known := sum.WithReach(set.X)
	if got := known.Unlike(nil, mat.NewDense(2, 3, []float64{1e3, 0, 0, 0, 0, 0})); !got[0] || got[1] {
		t.Errorf("unlike %v", got)
	}
	sum = known.WithScaling([]float64{1, 0, 0}, []float64{2, 1, 1})
	text := save(t, sum)
	same(t, "sum", sum, load(t, text), x)
	if again := load(t, text); !mat.Equal(again.Coefficients(), sum.Coefficients()) || save(t, again) != text {
		t.Error("the file differs when saved again")
	}
	for old, with := range map[string]string{
		`"version": 6`: `"version": 5`, `"rbf","theta":0.3`: `"linear","offset":1`,
	} {
		bad := strings.Replace(text, old, with, 1)
		if _, err := mpcvm.Load(strings.NewReader(bad)); err == nil || bad == text {
			t.Errorf("%s: %v", with, err)
		}
	}
}
