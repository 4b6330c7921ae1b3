package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/data/parquet"
	"github.com/mpcvm/mpcvm/internal/filelock"
	"github.com/mpcvm/mpcvm/internal/predict"
	"github.com/mpcvm/mpcvm/internal/progress"
	"github.com/mpcvm/mpcvm/internal/table"
	"github.com/mpcvm/mpcvm/internal/watch"
	"github.com/mpcvm/mpcvm/mpcvm"
)

// many writes n rows, each another flower, as CSV and as Parquet.
func many(t testing.TB, dir string, n int) (csvFile, parquetFile string, x *mat.Dense, classes []string) {
	t.Helper()
	set, err := data.Load("iris")
	if err != nil {
		t.Fatal(err)
	}
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
	if err := os.WriteFile(csvFile, text.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	l := parquet.Layout{Text: "class", Numbers: set.Features, Last: true}
	var out bytes.Buffer
	w, err := parquet.NewWriter(&out, l)
	for lo := 0; err == nil && lo < n; lo += 10007 {
		hi := min(lo+10007, n)
		g, errEncode := l.Encode(parquet.Group{}, x.Slice(lo, hi, 0, 4).(*mat.Dense), classes[lo:hi])
		err = errors.Join(errEncode, w.Append(g))
	}
	if err = errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	parquetFile = filepath.Join(dir, "many.parquet")
	if err := os.WriteFile(parquetFile, out.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return csvFile, parquetFile, x, classes
}

func read(t testing.TB, path string) []byte {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// Around the bounds of batches, from CSV and from Parquet, predictions have the bits of
// Proba and Predict at once, whatever they are written as.
func TestPredictInBatches(t *testing.T) {
	dir, _, modelFile, _ := iris(t, "--theta", "0.1")
	m, err := mpcvm.LoadFile(modelFile)
	if err != nil {
		t.Fatal(err)
	}
	batch := table.Rows(4)
	for _, n := range []int{1, batch - 1, batch, batch + 1} {
		csvFile, parquetFile, x, classes := many(t, dir, n)
		p, labels := m.Proba(nil, x), m.Predict(nil, x)
		var want strings.Builder
		want.WriteString("class,p(setosa),p(versicolor),p(virginica),problem\n")
		wrong := 0
		for i, label := range labels {
			name := m.ClassNames()[label]
			fmt.Fprintf(&want, "%s,%v,%v,%v,\n", name, p.At(i, 0), p.At(i, 1), p.At(i, 2))
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
				if i < n && line != m.ClassNames()[labels[i]]+"," {
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
			back, err := data.Open(asParquet, data.Options{})
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
	left, err := filepath.Glob(filepath.Join(dir, "*.partial*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %q %v", left, err)
	}
}

// A fault in a late batch leaves its row blank and is told of with its row.
func TestPredictLateFault(t *testing.T) {
	dir, _, modelFile, _ := iris(t, "--theta", "0.1")
	n := table.Rows(4) + 100
	csvFile, _, x, classes := many(t, dir, n)
	lines := strings.SplitAfter(string(read(t, csvFile)), "\n")
	lines[n-1] = "1,2,three,4,setosa\n"
	if err := os.WriteFile(csvFile, []byte(strings.Join(lines, "")), 0o600); err != nil {
		t.Fatal(err)
	}
	x.Set(n-3, 1, math.Inf(-1))
	l := parquet.Layout{Text: "class", Numbers: []string{"sepal_length", "sepal_width", "petal_length", "petal_width"}}
	var out bytes.Buffer
	w, err := parquet.NewWriter(&out, l)
	if err != nil {
		t.Fatal(err)
	}
	g, err := l.Encode(parquet.Group{}, x, classes)
	if err = errors.Join(err, w.Append(g), w.Close()); err != nil {
		t.Fatal(err)
	}
	parquetFile := write(t, dir, "late.parquet", out.String())
	for in, say := range map[string]string{
		csvFile:     fmt.Sprintf("row %d, column petal_length: not of the kind of its column: a number is expected (if it means a missing value: --na): \"three\")", n-1),
		parquetFile: fmt.Sprintf("row %d, column sepal_width: not of the kind of its column: a number is expected (if it means a missing value: --na): \"-Inf\")", n-2),
	} {
		target := filepath.Join(dir, "p.csv")
		code, _, errOut := try(t, "predict", "--model", modelFile, "--data", in, "--out", target)
		if want := fmt.Sprintf("predicted %d rows, 1 row could not be used (first: ", n-1); code != 0 || !strings.Contains(errOut, want+say) {
			t.Errorf("status %d, %s, want %s", code, errOut, want+say)
		}
		if lines := strings.Count(string(read(t, target)), "\n"); lines != n+1 {
			t.Errorf("%d lines for %d rows", lines, n)
		}
	}
}

// failing is a format whose output fails after some units.
type failing struct {
	predict.Format
	units int
}

type failingSink struct {
	predict.Sink
	left *int
}

var errStop = errors.New("no more")

func (f *failing) Open(w *predict.CountingWriter, rows int64, meta [][]byte) (predict.Sink, error) {
	s, err := f.Format.Open(w, rows, meta)
	return failingSink{s, &f.units}, err
}

func (f failingSink) Write(u *predict.Predictions) error {
	if *f.left == 0 {
		return errStop
	}
	*f.left--
	return f.Sink.Write(u)
}

// stop predicts some units and leaves the rest.
func stop(t *testing.T, modelFile, in, out string, units int) {
	t.Helper()
	m, err := mpcvm.LoadFile(modelFile)
	if err != nil {
		t.Fatal(err)
	}
	r := &reading{file: file{"FILE", in}}
	src, err := r.openSource(context.Background(), predict.Layout{Recipe: predict.Recipe(m)})
	if err != nil {
		t.Fatal(err)
	}
	defer src.file.Close()
	text, err := readFile(context.Background(), modelFile)
	if err != nil {
		t.Fatal(err)
	}
	s := predict.New(m, true)
	f := &failing{s.CSV(), units}
	switch {
	case strings.HasSuffix(out, "json"):
		f.Format = s.JSON()
	case isParquet(out):
		f.Format = s.Parquet()
	}
	var said bytes.Buffer
	p := partial{path: out, errOut: &said}
	if p.header, err = newJournalHeader(src, sum(text), f, fmt.Sprintf("%+v ", r.options)); err != nil {
		t.Fatal(err)
	}
	if _, err := p.score(context.Background(), src, s, f, &pace{Progress: progress.New(&said), in: src}); !errors.Is(err, errStop) || !strings.Contains(err.Error(), out+".partial") {
		t.Fatal(err)
	}
}

// A prediction that was stopped goes on where it was, or where what is there of it is
// whole; of other data, another model or other options it starts anew.
func TestPredictGoesOn(t *testing.T) {
	if !watch.Long() {
		t.Skip("a long test: make check")
	}
	dir, _, modelFile, _ := iris(t, "--theta", "0.1")
	csvFile, parquetFile, _, _ := many(t, dir, 3*table.Rows(4)+7)
	flip := func(path string, at func(size int) int) func() {
		return func() {
			text := read(t, path)
			text[at(len(text))] ^= 1
			write(t, dir, filepath.Base(path), string(text))
		}
	}
	cut := func(path string, to func(size int) int) func() {
		return func() {
			text := read(t, path)
			write(t, dir, filepath.Base(path), string(text[:to(len(text))]))
		}
	}
	half := func(size int) int { return size / 2 }
	last := func(size int) int { return size - 1 }
	first := func(int) int { return 0 }
	for _, in := range []string{csvFile, parquetFile} {
		for _, name := range []string{"p.csv", "p.json", "p.parquet"} {
			out := filepath.Join(dir, name)
			args := []string{"predict", "--model", modelFile, "--data", in, "--proba", "--out", out}
			if name == "p.json" {
				args = append(args, "--json")
			}
			_, tally := good(t, args...)
			_, tally, _ = strings.Cut(tally, "error rate") // without the progress of a busy machine
			whole := read(t, out)
			rest, journal := out+".partial", out+".partial.journal"
			for what, tt := range map[string]struct {
				spoil func()
				rows  string // to go on after
				say   string
			}{
				"as it was":         {func() {}, "65536", "going on after"},
				"torn journal":      {cut(journal, last), "32768", "going on after"},
				"half a journal":    {flip(journal, half), "", ""},
				"no journal":        {cut(journal, first), "", ""},
				"a longer journal":  {func() { write(t, dir, name+".partial.journal", string(read(t, journal))+"00000000 {\"rows\":9") }, "65536", "going on after"},
				"torn output":       {cut(rest, last), "32768", "going on after"},
				"damaged output":    {flip(rest, half), "", ""},
				"no output":         {cut(rest, first), "", ""},
				"more output":       {func() { write(t, dir, name+".partial", string(read(t, rest))+"more") }, "65536", "going on after"},
				"a later input":     {func() { _ = os.Chtimes(in, time.Now(), time.Now().Add(time.Hour)) }, "", "starting anew"},
				"an earlier input":  {func() { _ = os.Chtimes(in, time.Now(), time.Now().Add(-time.Hour)) }, "", "starting anew"},
				"other permissions": {func() { _ = os.Chmod(in, 0o640) }, "65536", "going on after"},
			} {
				if what != "as it was" && (name == "p.json" || (in == csvFile) != (name == "p.csv")) || name == "p.parquet" && strings.HasSuffix(what, "input") {
					continue // enough of it
				}
				os.Remove(out)
				stop(t, modelFile, in, out, 2)
				tt.spoil()
				_, errOut := good(t, args...)
				if !bytes.Equal(read(t, out), whole) {
					t.Errorf("%s of %s, %s: another output", name, in, what)
				}
				switch _, after, _ := strings.Cut(errOut, "going on after "); {
				case !strings.Contains(errOut, tt.say), tt.rows != "" && in == parquetFile && !strings.HasPrefix(after, tt.rows+" "):
					t.Errorf("%s of %s, %s: %s", name, in, what, errOut)
				case !strings.HasSuffix(errOut, tally):
					t.Errorf("%s of %s, %s: %s, want %s", name, in, what, errOut, tally)
				}
				if left, err := filepath.Glob(out + ".*"); err != nil || len(left) > 0 {
					t.Errorf("left behind: %q %v", left, err)
				}
			}
		}
	}
	// Other options, another model.
	out := filepath.Join(dir, "p.csv")
	stop(t, modelFile, csvFile, out, 2)
	if _, errOut := good(t, "predict", "--model", modelFile, "--data", csvFile, "--out", out); !strings.Contains(errOut, "starting anew") || !bytes.HasPrefix(read(t, out), []byte("class,problem\n")) {
		t.Error(errOut)
	}
	stop(t, modelFile, csvFile, out, 2)
	other := filepath.Join(dir, "other.json")
	write(t, dir, "other.json", string(read(t, modelFile))+"\n")
	if _, errOut := good(t, "predict", "--model", other, "--data", csvFile, "--proba", "--out", out); !strings.Contains(errOut, "starting anew") {
		t.Error(errOut)
	}
}

// fit and explain read Parquet.
func TestFitParquet(t *testing.T) {
	dir, csvFile, modelFile, _ := iris(t, "--theta", "0.1")
	set, err := data.ReadFile(csvFile)
	if err != nil {
		t.Fatal(err)
	}
	l := parquet.Layout{Text: "class", Numbers: set.Features}
	names := make([]string, set.N())
	for i, label := range set.T {
		names[i] = set.Classes[label]
	}
	var b bytes.Buffer
	w, err := parquet.NewWriter(&b, l)
	if err != nil {
		t.Fatal(err)
	}
	g, err := l.Encode(parquet.Group{}, set.X, names)
	if err = errors.Join(err, w.Append(g), w.Close()); err != nil {
		t.Fatal(err)
	}
	path, again := write(t, dir, "flowers.PARQUET", b.String()), filepath.Join(dir, "again.json")
	good(t, "fit", "--data", path, "--test", path, "--model", again, "--theta", "0.1")
	if !bytes.Equal(read(t, again), read(t, modelFile)) {
		t.Error("another model from Parquet than from CSV")
	}
	a, _ := good(t, "explain", "--model", again, "--data", path, "--row", "77", "--json")
	c, _ := good(t, "explain", "--model", again, "--data", csvFile, "--row", "77", "--json")
	if a != c {
		t.Errorf("%s\n%s", a, c)
	}
	for _, line := range []string{"predict --model M --data P --json --out X.parquet 2", "fit --data F.csv --model M 1", "predict --model M --data F.parquet 1"} {
		f := strings.Fields(strings.NewReplacer("M ", again+" ", "P ", path+" ", "X.", filepath.Join(dir, "x."), "F.", filepath.Join(dir, "nothing.")).Replace(line))
		want := f[len(f)-1]
		if code, _, errOut := try(t, f[:len(f)-1]...); strconv.Itoa(code) != want {
			t.Errorf("%s: status %d, %s", line, code, errOut)
		}
	}
}

// Two processes do not write the same predictions at the same time.
func TestPredictLocks(t *testing.T) {
	dir, csvFile, modelFile, _ := iris(t, "--theta", "0.1")
	out := filepath.Join(dir, "p.csv")
	held, err := filelock.Exclusive(out + ".partial.lock")
	if err != nil {
		t.Fatal(err)
	}
	args := []string{"predict", "--model", modelFile, "--data", csvFile, "--out", out}
	if code, _, errOut := try(t, args...); code != 1 || !strings.Contains(errOut, out+".partial: another process is writing to it") {
		t.Errorf("status %d, %s", code, errOut)
	}
	if err := held.Release(); err != nil {
		t.Fatal(err)
	}
	good(t, args...)
	if left, err := filepath.Glob(out + "?*"); err != nil || len(left) > 0 {
		t.Errorf("left behind: %q %v", left, err)
	}
}
