package svm_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/internal/testkit/laws"
	"github.com/mpcvm/mpcvm/internal/testkit/must"
	"github.com/mpcvm/mpcvm/mpcvm/baseline/svm"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
	"github.com/mpcvm/mpcvm/mpcvm/score"
)

// The reference is the output of LIBSVM's svm-train and svm-predict, recorded in testdata/libsvm.json so that
// the comparison runs without them.
const goldenFile = "testdata/libsvm.json"

var update = flag.Bool("update", false, "rewrite "+goldenFile+"; needs svm-train and svm-predict")

// oracle is the result of LIBSVM on a set, trained on 80 % of the rows and predicted on all rows.
type oracle struct {
	Set       string    `json:"set"`
	Theta     float64   `json:"theta"`
	C         float64   `json:"c"`
	Objective []float64 `json:"objective"` // −D of each pair
	Rho       []float64 `json:"rho"`       // −b of each pair
	Vectors   int       `json:"vectors"`   // distinct support vectors
	Weights   int       `json:"weights"`   // non-zero coefficients
	Predicted string    `json:"predicted"` // a letter for each row, A for class 0
	LogLoss   float64   `json:"logloss"`   // of the test part, with -b 1
}

var oracles = []oracle{
	{Set: "iris", Theta: 0.25, C: 1},
	{Set: "wine", Theta: 0.08, C: 10},
	{Set: "glass", Theta: 0.5, C: 10},
	{Set: "breast", Theta: 0.1, C: 1},
	{Set: "breast", Theta: 0.01, C: 1000},
	{Set: "heart", Theta: 0.05, C: 2},
	{Set: "vowel", Theta: 0.5, C: 10},
}

func (o oracle) String() string { return fmt.Sprintf("%s/theta=%g/C=%g", o.Set, o.Theta, o.C) }

// parts returns the training part of a set, sorted by class so that LIBSVM orders the pairs as this package
// does, the test part and the whole set, all standardised.
func parts(tb testing.TB, name string) (train, test, all *data.Set) {
	tb.Helper()
	set, err := data.Load(name)
	if err != nil {
		tb.Skipf("NOT RUN: %v", err)
	}
	train, test = set.Split(0.8, 1)
	rows := make([]int, train.N())
	for i := range rows {
		rows[i] = i
	}
	slices.SortStableFunc(rows, func(i, j int) int { return train.T[i] - train.T[j] })
	train = train.Subset(rows)
	scale := data.FitStandardizer(train.X)
	for _, s := range []*data.Set{train, test, set} {
		s.X = scale.Apply(nil, s.X)
	}
	return train, test, set
}

// TestLIBSVMGolden compares with the recorded output of LIBSVM.
func TestLIBSVMGolden(t *testing.T) {
	if *update {
		t.Skip("-update rewrites the file")
	}
	text, err := os.ReadFile(goldenFile)
	must.OK(t, err)
	var golden []oracle
	must.OK(t, json.Unmarshal(text, &golden))
	if len(golden) != len(oracles) {
		t.Fatalf("%d cases, want %d", len(golden), len(oracles))
	}
	for _, o := range golden {
		t.Run(o.String(), func(t *testing.T) { compare(t, o) })
	}
}

// TestLIBSVM compares with the installed LIBSVM.
func TestLIBSVM(t *testing.T) {
	for _, tool := range []string{"svm-train", "svm-predict"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("NOT RUN: %v; it is in Debian's libsvm-tools", err)
		}
	}
	var fresh []oracle
	for _, o := range oracles {
		t.Run(o.String(), func(t *testing.T) {
			o.ask(t)
			fresh = append(fresh, o)
			compare(t, o)
		})
	}
	if *update {
		if len(fresh) != len(oracles) {
			t.Fatal("some sets are missing; set MPCVM_DATA")
		}
		text, err := json.MarshalIndent(fresh, "", "\t")
		must.OK(t, err)
		must.OK(t, os.WriteFile(goldenFile, append(text, '\n'), 0o644))
	}
}

// compare compares a fit with the result of LIBSVM.
func compare(t *testing.T, o oracle) {
	train, test, all := parts(t, o.Set)
	l := svm.SVM{Kernel: kernel.RBF{Theta: o.Theta}, C: o.C}
	model, result := laws.Fit(t, l, train.X, train.T)
	objective := 0.0
	for _, v := range o.Objective {
		objective -= v
	}
	if d := math.Abs(result.Objective/objective - 1); !(d < 1e-4) {
		t.Errorf("objective %v, LIBSVM's %v", result.Objective, objective)
	}
	bias := model.Bias()
	for p, rho := range o.Rho {
		if math.Abs(bias[p]+rho) > 0.01 {
			t.Errorf("pair %d: bias %v, LIBSVM's %v", p, bias[p], -rho)
		}
	}
	vectors, weights := model.VectorCount(), model.WeightCount()
	if near := func(a, b int) bool { return math.Abs(float64(a-b)) <= max(1, 0.01*float64(b)) }; !near(vectors,
		o.Vectors) || !near(weights, o.Weights) {
		t.Errorf("%d support vectors and %d coefficients, LIBSVM's %d and %d", vectors, weights, o.Vectors,
			o.Weights)
	}
	differ := 0
	for i, c := range model.Predict(nil, all.X) {
		if c != int(o.Predicted[i]-'A') {
			differ++
		}
	}
	if float64(differ) > 0.005*float64(all.N()) {
		t.Errorf("%d of %d predictions differ", differ, all.N())
	}
	loss, err := score.LogLoss(model.Proba(nil, test.X), test.T)
	must.OK(t, err)
	// The folds differ, so the values agree only approximately.
	if math.Abs(loss-o.LogLoss) > 0.03+0.1*o.LogLoss {
		t.Errorf("log loss %v, LIBSVM's %v", loss, o.LogLoss)
	}
	t.Logf("objective %.5g (%.5g), vectors %d (%d), weights %d (%d), %d differ, log loss %.4f (%.4f)",
		result.Objective, objective, vectors, o.Vectors, weights, o.Weights, differ, loss, o.LogLoss)
}

// ask runs the tools and sets the fields of the oracle.
func (o *oracle) ask(t *testing.T) {
	train, test, all := parts(t, o.Set)
	dir := t.TempDir()
	trainFile := filepath.Join(dir, "train")
	write(t, trainFile, train.X, train.T)
	write(t, filepath.Join(dir, "all"), all.X, all.T)
	write(t, filepath.Join(dir, "test"), test.X, test.T)
	run := func(name string, args ...string) string {
		cmd := exec.Command(name, args...)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%s", name, err, out)
		}
		return string(out)
	}
	options := []string{"-t", "2", "-g", fmt.Sprint(o.Theta), "-c", fmt.Sprint(o.C), "-e", "0.001"}
	output := run("svm-train", append(options, "train", "model")...)
	for _, m := range regexp.MustCompile(`obj = (\S+), rho = (\S+)\nnSV = (\d+)`).FindAllStringSubmatch(output,
		-1) {
		o.Objective = append(o.Objective, number(t, m[1]))
		o.Rho = append(o.Rho, number(t, m[2]))
		o.Weights += int(number(t, m[3]))
	}
	o.Vectors = o.Weights // with two classes LIBSVM does not print it
	if m := regexp.MustCompile(`Total nSV = (\d+)`).FindStringSubmatch(output); m != nil {
		o.Vectors = int(number(t, m[1]))
	}
	run("svm-predict", "all", "model", "out")
	for _, line := range lines(t, filepath.Join(dir, "out")) {
		o.Predicted += string(rune('A' + int(number(t, line))))
	}
	run("svm-train", append(options, "-b", "1", "train", "model")...)
	run("svm-predict", "-b", "1", "test", "model", "out")
	rows := lines(t, filepath.Join(dir, "out"))[1:] // after the labels
	p := mat.NewDense(len(rows), train.C(), nil)
	for i, line := range rows {
		for c, text := range strings.Fields(line)[1:] {
			p.Set(i, c, number(t, text))
		}
	}
	var err error
	if o.LogLoss, err = score.LogLoss(p, test.T); err != nil {
		t.Fatal(err)
	}
}

// write writes samples in LIBSVM's format.
func write(t *testing.T, path string, x *mat.Dense, labels []int) {
	var b bytes.Buffer
	for i, c := range labels {
		fmt.Fprint(&b, c)
		for j, v := range x.RawRowView(i) {
			fmt.Fprintf(&b, " %d:%v", j+1, v)
		}
		fmt.Fprintln(&b)
	}
	must.OK(t, os.WriteFile(path, b.Bytes(), 0o644))
}

func lines(t *testing.T, path string) []string {
	text, err := os.ReadFile(path)
	must.OK(t, err)
	return strings.Split(strings.TrimSpace(string(text)), "\n")
}

func number(t *testing.T, text string) float64 {
	v, err := strconv.ParseFloat(text, 64)
	must.OK(t, err)
	return v
}
