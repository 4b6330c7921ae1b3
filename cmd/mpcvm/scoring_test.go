package main

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/internal/testkit/must"
	"github.com/mpcvm/mpcvm/tables"
	"github.com/mpcvm/mpcvm/tables/parquet"
)

// many writes n different rows as CSV and as Parquet.
func many(t testing.TB, dir string, n int) (csvFile, parquetFile string, x *mat.Dense, classes []string) {
	t.Helper()
	set := must.Get(data.Load("iris"))(t)
	x, classes = mat.NewDense(n, 4, nil), make([]string, n)
	for i := range n {
		k := i % set.N()
		for d, v := range set.X.RawRowView(k) {
			x.Set(i, d, v+float64(i)/float64(4*n))
		}
		classes[i] = set.Classes[set.T[k]]
	}
	var text bytes.Buffer
	fmt.Fprintf(&text, "%s,class\n", strings.Join(set.Features, ","))
	for i := range n {
		for _, v := range x.RawRowView(i) {
			text.WriteString(strconv.FormatFloat(v, 'g', -1, 64) + ",")
		}
		text.WriteString(classes[i] + "\n")
	}
	csvFile = filepath.Join(dir, "many.csv")
	must.OK(t, os.WriteFile(csvFile, text.Bytes(), 0o600))
	l := parquet.Layout{Before: []string{"class"}, Numbers: set.Features}
	var out bytes.Buffer
	w := parquet.NewWriter(&out, l)
	var wrong error
	for lo := 0; wrong == nil && lo < n; lo += 10007 {
		hi := min(lo+10007, n)
		wrong = w.Write(x.Slice(lo, hi, 0, 4).(*mat.Dense), classes[lo:hi])
	}
	must.OK(t, errors.Join(wrong, w.Close()))
	parquetFile = filepath.Join(dir, "many.parquet")
	must.OK(t, os.WriteFile(parquetFile, out.Bytes(), 0o600))
	return csvFile, parquetFile, x, classes
}

func read(t testing.TB, path string) []byte {
	t.Helper()
	text := must.Get(os.ReadFile(path))(t)
	return text
}

// For numbers of rows around the batch size, predictions from CSV and Parquet in each output format equal
// Proba and Predict on all rows, bit for bit.
func TestConcurrentBatches(t *testing.T) {
	dir, _, modelFile, _ := iris(t, "--theta", "0.1")
	m := must.Get(tables.LoadFile(modelFile))(t)
	const batch = 1 << 15
	for _, n := range []int{1, batch - 1, batch, batch + 1} {
		csvFile, parquetFile, x, classes := many(t, dir, n)
		p, labels, unlike := m.Model().Proba(nil, x), m.Model().Predict(nil, x), m.Model().Unlike(nil, x)
		var want strings.Builder
		want.WriteString("class,p(setosa),p(versicolor),p(virginica),unlike,beyond,new_levels,problem\n")
		wrong := 0
		for i, label := range labels {
			name := m.ClassNames()[label]
			far, beyond := "", []string(nil)
			if unlike[i] {
				far = "yes"
			}
			for j, c := range m.RowRecipe().Columns {
				if v := x.At(i, j); v < c.Range[0] || v > c.Range[1] {
					beyond = append(beyond, c.Name)
				}
			}
			fmt.Fprintf(&want, "%s,%v,%v,%v,%s,%s,,\n", name, p.At(i, 0), p.At(i, 1), p.At(i, 2), far,
				strings.Join(beyond, " | "))
			if name != classes[i] {
				wrong++
			}
		}
		out := filepath.Join(dir, "p.csv")
		var first []byte
		for _, in := range []string{csvFile, parquetFile} {
			_, errOut := good(t, "predict", "--model", modelFile, "--data", in, "--proba", "--out", out)
			if got := string(read(t, out)); got != want.String() {
				t.Fatalf("%d rows of %s: other predictions", n, in)
			}
			if want := fmt.Sprintf("(%d of %d)", wrong, n); !strings.Contains(errOut, want) {
				t.Errorf("%s, want %s", errOut, want)
			}
			if text, _ := good(t, "predict", "--model", modelFile, "--data", in, "--proba"); text != want.String() {
				t.Fatalf("%d rows of %s: standard output differs", n, in)
			}
			text, _ := good(t, "predict", "--model", modelFile, "--data", in)
			for i, line := range strings.Split(text, "\n")[1:] {
				if i < n && !strings.HasPrefix(line, m.ClassNames()[labels[i]]+",") {
					t.Fatalf("row %d of %d: %s", i, n, line)
				}
			}
			if strings.Count(text, "\n") != n+1 {
				t.Errorf("%d lines for %d rows", strings.Count(text, "\n"), n)
			}
			asParquet := filepath.Join(dir, "p.parquet")
			good(t, "predict", "--model", modelFile, "--data", in, "--proba", "--out", asParquet)
			bits := read(t, asParquet)
			if first == nil {
				first = bits
			}
			back, err := tables.Open(asParquet, tables.Options{})
			if err != nil || back.Rows != n {
				t.Fatalf("%d rows: %v", n, err)
			}
			if got := back.Columns[back.Find("class")].Text(n - 1); got != m.ClassNames()[labels[n-1]] {
				t.Errorf("%d rows: the last is %s", n, got)
			}
			for c, name := range m.ClassNames() {
				if !slices.Equal(back.Columns[back.Find("p("+name+")")].Numbers, mat.Col(nil, c, p)) {
					t.Errorf("%d rows: other probabilities of %s", n, name)
				}
			}
			if !bytes.Equal(bits, first) {
				t.Error("Parquet from Parquet and from CSV differ")
			}
		}
	}
	left, err := filepath.Glob(filepath.Join(dir, ".p.*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %q %v", left, err)
	}
}

// An invalid row in a late batch has no prediction, and its number is printed.
func TestPredictLateFault(t *testing.T) {
	dir, _, modelFile, _ := iris(t, "--theta", "0.1")
	n := 1<<15 + 100 // more than a batch
	csvFile, _, x, classes := many(t, dir, n)
	lines := strings.SplitAfter(string(read(t, csvFile)), "\n")
	lines[n-1] = "1,2,three,4,setosa\n"
	must.OK(t, os.WriteFile(csvFile, []byte(strings.Join(lines, "")), 0o600))
	x.Set(n-3, 1, math.Inf(-1))
	l := parquet.Layout{Before: []string{"class"}, Numbers: []string{"sepal_length", "sepal_width", "petal_length",
		"petal_width"}}
	var out bytes.Buffer
	w := parquet.NewWriter(&out, l)
	must.OK(t, errors.Join(w.Write(x, classes), w.Close()))
	parquetFile := write(t, dir, "late.parquet", out.String())
	for in, say := range map[string]string{
		csvFile: fmt.Sprintf("row %d, column petal_length: not of the kind of its column: a number is "+
			"expected (use --na three for a missing value): \"three\")", n-1),
		parquetFile: fmt.Sprintf("row %d, column sepal_width: not of the kind of its column: a number is "+
			"expected (use --na -Inf for a missing value): \"-Inf\")", n-2),
	} {
		target := filepath.Join(dir, "p.csv")
		code, _, errOut := try(t, "predict", "--model", modelFile, "--data", in, "--out", target)
		if want := fmt.Sprintf("predicted %d rows, 1 row could not be used (first: ", n-1); code != 0 ||
			!strings.Contains(errOut, want+say) {
			t.Errorf("status %d, %s, want %s", code, errOut, want+say)
		}
		if lines := strings.Count(string(read(t, target)), "\n"); lines != n+1 {
			t.Errorf("%d lines for %d rows", lines, n)
		}
	}
}
