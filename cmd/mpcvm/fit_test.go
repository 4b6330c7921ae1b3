package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
	"github.com/mpcvm/mpcvm/mpcvm/search"
	"github.com/mpcvm/mpcvm/tables/assess"
)

// write puts a text into a file of the folder and returns its path.
func write(t *testing.T, dir, name, text string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// entries returns the names in a folder.
func entries(t *testing.T, dir string) []string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// good runs the command, which must succeed.
func good(t *testing.T, args ...string) (out, errOut string) {
	t.Helper()
	code, out, errOut := try(t, args...)
	if code != 0 {
		t.Fatalf("%q: status %d: %s", args, code, errOut)
	}
	return out, errOut
}

// irisModel is the file of the model that fit trains on iris by default.
var irisModel = sync.OnceValue(func() []byte {
	dir, err := os.MkdirTemp("", "iris")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	csvFile, modelFile := filepath.Join(dir, "flowers.csv"), filepath.Join(dir, "model.json")
	var set bytes.Buffer
	if code := run(context.Background(), []string{"data", "show", "iris"}, &set, io.Discard); code != 0 {
		panic("no iris")
	}
	if err := os.WriteFile(csvFile, set.Bytes(), 0o600); err != nil {
		panic(err)
	}
	var said bytes.Buffer
	if code := run(context.Background(), []string{"fit", "--data", csvFile, "--model", modelFile}, io.Discard,
		&said); code != 0 {
		panic(said.String())
	}
	text, err := os.ReadFile(modelFile)
	if err != nil {
		panic(err)
	}
	return text
})

// iris writes the set and a model of it: the default model of fit or, with further flags, a new one. out is
// the output of fit.
func iris(t *testing.T, args ...string) (dir, csvFile, modelFile, out string) {
	t.Helper()
	dir = t.TempDir()
	text, _ := good(t, "data", "show", "iris")
	csvFile, modelFile = write(t, dir, "flowers.csv", text), filepath.Join(dir, "model.json")
	if len(args) == 0 {
		return dir, csvFile, write(t, dir, "model.json", string(irisModel())), ""
	}
	out, _ = good(t, append([]string{"fit", "--data", csvFile, "--model", modelFile}, args...)...)
	return dir, csvFile, modelFile, out
}

// TestFitCandidates checks that only candidates enter the model, that all samples are used for training, and
// that another seed draws other candidates.
func TestFitCandidates(t *testing.T) {
	var models []string
	for _, args := range [][]string{
		{"--candidates", "36", "--theta", "0.1"},
		{"--candidates", "36", "--theta", "0.1", "--single", "--likelihood-power", "10"},
		{"--candidates", "36", "--theta", "0.1", "--algorithm", "mpcvm1"},
		{"--candidates", "36", "--theta", "0.1", "--seed", "2"},
	} {
		_, csvFile, modelFile, out := iris(t, append([]string{"--json"}, args...)...)
		var got assess.Evaluation
		if err := json.Unmarshal([]byte(out), &got); err != nil {
			t.Fatal(err)
		}
		if got.Candidates != 36 || got.RelevanceVectors > 36 || got.Train.Rows != 150 || *got.Train.Error > 0.1 {
			t.Errorf("%q: %s", args, out)
		}
		text, err := os.ReadFile(modelFile)
		if err != nil {
			t.Fatal(err)
		}
		for _, other := range models {
			if string(text) == other {
				t.Errorf("%q: the same model as with other flags", args)
			}
		}
		models = append(models, string(text))
		out, _ = good(t, append([]string{"fit", "--data", csvFile, "--model", modelFile}, args...)...)
		if !strings.Contains(out, "among 36 candidates") {
			t.Errorf("%q: %s", args, out)
		}
	}
}

// FILE and --data are equivalent, and a model is saved only on request.
func TestFitArguments(t *testing.T) {
	dir, csvFile, modelFile, _ := iris(t, "--theta", "0.1", "--likelihood-power", "10")
	want := read(t, modelFile)
	for _, line := range []string{
		"FILE --model M --theta 0.1 --likelihood-power 10", "--model=M --theta=0.1 FILE --likelihood-power=10",
		"--theta 0.1 --likelihood-power=10 --candidates all --model M -- FILE",
	} {
		good(t, append([]string{"fit"}, strings.Fields(strings.NewReplacer("FILE", csvFile, "M",
			modelFile).Replace(line))...)...)
		if !bytes.Equal(read(t, modelFile), want) {
			t.Errorf("%s: another model", line)
		}
	}
	good(t, "fit", csvFile, "--theta", "0.1", "--model", modelFile)
	if bytes.Equal(read(t, modelFile), want) {
		t.Error("--likelihood-power changes nothing")
	}
	for _, verb := range [][]string{{"predict"}, {"explain", "--row", "71"}} {
		a, _ := good(t, append(verb, csvFile, "--model", modelFile)...)
		b, _ := good(t, append(verb, "--data", csvFile, "--model", modelFile)...)
		if a != b || a == "" {
			t.Errorf("%s: %s%s", verb, a, b)
		}
	}
	before := entries(t, dir)
	out, _ := good(t, "fit", csvFile, "--theta", "0.1")
	if !strings.Contains(out, "training") || !strings.Contains(out, "model: not saved; --model FILE saves it") {
		t.Error(out)
	}
	if after := entries(t, dir); len(after) != len(before) {
		t.Errorf("%q, before %q", after, before)
	}
}

func TestFitReport(t *testing.T) {
	dir, csvFile, modelFile, _ := iris(t)
	report := filepath.Join(dir, "report.html")
	out, _ := good(t, "fit", "--data", csvFile, "--test", csvFile, "--model", modelFile, "--report", report)
	for _, want := range []string{"iterations", "training", "test", "150", "setosa", modelFile, report} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	page, err := os.ReadFile(report)
	if err != nil {
		t.Fatal(err)
	}
	// Confusion, ROC, precision and recall, gain, reliability, importance, four dependences, four charts of the
	// fit, and the trials.
	if n := bytes.Count(page, []byte(`class="mpcvm-chart"`)); n != 15 {
		t.Errorf("%d charts", n)
	}
	// The verdict comes first, and the content of the model after its errors.
	at := -1
	for _, want := range []string{"<p>On held-out rows, the model misclassifies", "⚠ 150 of 150 rows of " +
		"the test data have the same features", "cross-validation</td>",
		"training (optimistic)", `class="mpcvm-live"`, "<h2>Errors", ">most often taken for", "<h2>Importance",
		"<h2>Dependence", "<h2>The data", "<h2>Least certain predictions", "<h2>What the model consists of",
		"in the region of another class", "<h2>Appendix", "standard error of the paired difference"} {
		next := bytes.Index(page, []byte(want))
		if next <= at {
			t.Errorf("%q is at %d, its predecessor at %d", want, next, at)
		}
		at = next
	}
	// There are no regions for one feature.
	one := write(t, dir, "one.csv", "x,class\n0,a\n1,a\n4,b\n5,b\n")
	good(t, "fit", "--data", one, "--model", modelFile, "--report", report)
	if page, err := os.ReadFile(report); err != nil || bytes.Contains(page, []byte("in the region of another class")) ||
		!bytes.Contains(page, []byte("Dependence on x")) {
		t.Error("regions of one feature", err)
	}
}

func TestConcurrentCancelledFit(t *testing.T) {
	dir, csvFile, _, _ := iris(t)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	path := filepath.Join(dir, "cut.json")
	var o, e bytes.Buffer
	if code := run(ctx, []string{"fit", "--data", csvFile, "--model", path}, &o, &e); code != 130 ||
		!strings.Contains(e.String(), "canceled") {
		t.Errorf("status %d: %s", code, e.String())
	}
	if _, err := os.Stat(path); !os.IsNotExist(err) {
		t.Errorf("the model of an interrupted fit: %v", err)
	}
}

func TestFitPredictExplainFaults(t *testing.T) {
	dir, csvFile, modelFile, _ := iris(t)
	header := "sepal_length,sepal_width,petal_length,petal_width"
	other := write(t, dir, "other.csv", header+",class\n1,2,3,4,daisy\n")
	less := write(t, dir, "less.csv", "sepal_length,sepal_width,petal_length\n1,2,3\n")
	more := write(t, dir, "more.csv", header+",colour\n1,2,3,4,5\n")
	empty := write(t, dir, "empty.csv", "")
	one := write(t, dir, "one.csv", "x,class\n1,a\n2,a\n")
	bad := write(t, dir, "bad.json", "{}")
	huge := write(t, dir, "huge.csv", header+"\n1e308,1e308,-1e308,1\n")
	latin := write(t, dir, "latin.csv", "x,class\n1,a\n2,\xe9\n")
	semicolons := write(t, dir, "semicolons.csv", "x;y;class\n1;2;a\n")
	capital := write(t, dir, "capital.csv", "x,Class\n1,a\n")
	halved := write(t, dir, "halved.csv.gz", gzipped(header + "\n5.1,3.5,1.4,0.2\n")[:40])
	link := filepath.Join(dir, "link")
	if err := os.Link(csvFile, link); err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile(csvFile)
	if err != nil {
		t.Fatal(err)
	}
	linear := filepath.Join(dir, "linear.json")
	good(t, "fit", "--data", csvFile, "--model", linear, "--kernel", "polynomial", "--degree", "9", "--cv",
		"none")
	for _, tt := range []struct {
		args string
		code int
		say  string
	}{
		{"fit --data D --model M --algorithm rvm", misused, `unknown --algorithm "rvm"; want auto`},
		{"fit --data D --model M --algorithm auto --theta 1", misused,
			"--theta cannot be used with --algorithm auto"},
		{"fit --data D --model M --calibrate", misused, "--calibrate cannot be used with --algorithm auto"},
		{"fit --data D --model M --algorithm auto --candidates 20", misused, "only --candidates all is allowed"},
		{"fit --data D --model M --single", misused, "--single cannot be used with --algorithm auto"},
		{"fit --data D --model M --candidates -1", misused, "must not be negative: -1"},
		{"fit --data D --model M --candidates 9 --likelihood-power 0", misused, "--likelihood-power must be " +
			"positive and finite: 0"},
		{"fit --data D --model M --algorithm mpcvm1 --likelihood-power 3", misused, "--likelihood-power requires " +
			"--algorithm mpcvm2"},
		{"fit --data D --model M --budget -1s", misused, "must not be negative"},
		{"fit --data D --model M --prefer speed", misused,
			`--prefer: "speed" is not one of balance, accuracy, sparsity`},
		{"fit --data D --model M --algorithm mpcvm1 --prefer balance", misused,
			"--prefer requires --algorithm auto"},
		{"fit --data D --model M --theta 1 --prefer sparsity", misused, "--prefer requires --algorithm auto"},
		{"fit --data D --model M --kernel sigmoid", misused, `"sigmoid" is not one of`},
		{"fit --data D --model M --theta wide", misused, `theta: "wide" is not a number or auto`},
		{"fit --data D --model M --kernel polynomial --degree 2.5", misused, `degree: "2.5" is not an integer`},
		{"fit --data D --model M --kernel linear --offset -1", misused, "Offset must not be negative"},
		{"fit --data D --model M --kernel rational-quadratic --alpha 0", misused, "alpha must be positive"},
		{"fit --data D --model M --kernel ard --thetas 1,2,3", misused, "3 widths for 4 features"},
		{"fit --data D --model M --kernel ard", misused, "Theta has no positive entry"},
		{"fit --data D --model M --theta 0", misused, "Theta must be positive"},
		{"fit --data D --model M --kernel linear --theta 1", misused,
			"linear has no parameter theta; it has offset"},
		{"fit --data D --model M --degree 2", misused, "--degree cannot be used"},
		{"fit --data D --model M --kernel polynomial --degree 0", misused, "degree must be positive"},
		{"fit --data D --model M --kernel polynomial --degree -1", misused, "Degree"},
		{"fit --data D --model M now", misused, "now"},
		{"fit - --test -", misused, "both standard input"},
		{"fit D --sheet X", 1, `--sheet X is for .xlsx files only`},
		{"predict --model MODEL D --sheet X", 1, `--sheet X is for .xlsx files only`},
		{"predict --model MODEL " + halved, 1, "the gzip file is truncated"},
		{"fit " + halved, 1, "the gzip file is truncated"},
		{"fit D --costs setosa:virginica=-1", misused,
			"setosa:virginica=-1: the cost of a wrong decision must not be negative"},
		{"fit --data none.csv --model M", 1, "none.csv"},
		{"fit --data " + one + " --model M", 1, "it has only one value"},
		{"fit --data D --model " + filepath.Join(dir, "no", "m.json"), 1, "mpcvm fit: " + filepath.Join(dir, "no",
			"m.json") + ": no such file"},
		{"fit --data none.csv --model D", 1, "none.csv"},
		{"fit --data D --model M --report " + filepath.Join(dir, "no", "r.html"), 1,
			filepath.Join(dir, "no", "r.html") + ": no such file"},
		{"fit --data D --model " + dir, 1, "not a regular file"},
		{"fit D --model D", misused, "FILE and --model are the same file"},
		{"fit --data D --model D", misused, "--data and --model are the same file"},
		{"fit --data D --model " + dir + "/./flowers.csv", misused, "--data and --model are the same file"},
		{"fit --data D --model " + link, misused, "--data and --model are the same file"},
		{"fit --data " + other + " --test D --report D --model M", misused,
			"--test and --report are the same file"},
		{"fit --data D --model M --report " + dir + "/../" + filepath.Base(dir) + "/unwritten.json", misused,
			"--model and --report are the same file"},
		{"fit --data " + dir + " --model M", 1, dir + ": is a directory"},
		{"fit --data " + latin + " --model M", 1, "most of 2 samples are the only one of their class"},
		{"fit --data " + semicolons + " --model M", 1, "column 3 (class): the column cannot be used as classes"},
		{"fit --data " + capital + " --model M", 1, "column 2 (Class): the column cannot be used as classes"},
		{"predict --model MODEL --data D --out D", misused, "--data and --out are the same file"},
		{"predict --model MODEL --data D --out MODEL", misused, "--model and --out are the same file"},
		{"predict --model MODEL --data D --out " + filepath.Join(dir, "no", "p.csv"), 1,
			filepath.Join(dir, "no", "p.csv") + ": no such file"},
		{"predict --data D", misused, "missing flag --model"},
		{"predict --model none.json --data D", 1, "none.json"},
		{"predict --model " + bad + " --data D", 1, bad + `: mpcvm: model file: key "format" is missing`},
		{"predict --model MODEL --data " + less, 1, `lacks columns of the model: "petal_width"`},
		{"predict --model MODEL --keep colour --data " + less, 1, `lacks columns of the model: "petal_width"`},
		{"predict --model MODEL --keep colours --data " + more, 1,
			`; did you mean colour?`},
		{"predict --model MODEL --kind a=date --data " + more, misused, "unknown flag --kind"},
		{"predict --model MODEL --decimal x --data " + more, misused, "--decimal"},
		{"predict --model MODEL --data " + empty, 1, "no samples"},
		{"explain --model MODEL --data D", misused, "--row"},
		{"explain --model MODEL --data D --row -1", misused, "--row -1: rows are numbered from 1"},
		{"explain --model MODEL --data D --row 0", misused, "--row 0: rows are numbered from 1"},
		{"explain --model MODEL --data D --row 1 --report D", misused, "--data and --report are the same file"},
		{"explain --model MODEL --data D --row first", misused, "row"},
		{"explain --model MODEL --data D --row 151", 1,
			"row 151 does not exist: the data have 150 rows, counted from 1"},
		{"explain --model " + linear + " --row 1 --data " + huge, 1, "too large for the model"},
	} {
		args := strings.Fields(tt.args)
		for i, a := range args {
			switch a {
			case "D":
				args[i] = csvFile
			case "M":
				args[i] = filepath.Join(dir, "unwritten.json")
			case "MODEL":
				args[i] = modelFile
			}
		}
		code, out, errOut := try(t, args...)
		if code != tt.code || !strings.Contains(errOut, tt.say) || out != "" {
			t.Errorf("%s: status %d, %s, want %d, %s", tt.args, code, errOut, tt.code, tt.say)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "unwritten.json")); !os.IsNotExist(err) {
		t.Errorf("a failed fit wrote a model: %v", err)
	}
	if after, err := os.ReadFile(csvFile); err != nil || !bytes.Equal(after, before) {
		t.Errorf("the data were overwritten: %v", err)
	}
	if left, err := filepath.Glob(filepath.Join(dir, ".*")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	if _, errOut := good(t, "predict", "--model", modelFile, "--data", other); !strings.Contains(errOut,
		"error rate: 100.00 % (1 of 1); rows with a class that is not in the model: 1\n") {
		t.Errorf("a class that is not in the model: %s", errOut)
	}
}

func TestFitSeed(t *testing.T) {
	for _, algorithm := range []string{"mpcvm1", "mpcvm2"} {
		o := fitOptions{algorithm: algorithm, basis: kernel.RBF{}, power: 1, seed: 7}
		l, err := o.learner(2)
		if err != nil {
			t.Fatal(err)
		}
		var got uint64
		w := l.(search.Width)
		switch l := w.Learner.(type) {
		case mpcvm.TopDown:
			got = l.Seed
		case mpcvm.BottomUp:
			got = l.Seed
		}
		if got != 7 || w.Seed != 7 {
			t.Errorf("%s: seed %d", algorithm, got)
		}
	}
}

// A kernel whose values overflow is an error, not a stack trace.
func TestFitOverflow(t *testing.T) {
	dir := t.TempDir()
	file := write(t, dir, "x.csv", "x,class\n0,a\n1,a\n4,b\n5,b\n-99,b\n")
	for _, algorithm := range []string{"mpcvm1", "mpcvm2"} {
		code, out, errOut := try(t, "fit", "--data", file, "--model", filepath.Join(dir, "m.json"), "--algorithm",
			algorithm,
			"--kernel", "polynomial", "--degree", "5000")
		if code != 1 || out != "" || !strings.Contains(errOut, "\nmpcvm fit: ") {
			t.Errorf("%s: status %d, %s%s", algorithm, code, out, errOut)
		}
	}
}
