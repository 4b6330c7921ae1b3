package scoring

import (
	"bytes"
	"context"
	"encoding/csv"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/testing/ptest"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/internal/testkit/must"
	"github.com/mpcvm/mpcvm/tables"
	"github.com/mpcvm/mpcvm/tables/parquet"
)

// The tests run on Prism, in this process.
func TestMain(m *testing.M) { ptest.Main(m) }

// command builds mpcvm and returns a function that runs it.
func command(t *testing.T, dir string) func(args ...string) {
	t.Helper()
	mpcvm := filepath.Join(dir, "mpcvm")
	build := exec.Command("go", "build", "-o", mpcvm, "./cmd/mpcvm")
	build.Dir = "../../.."
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return func(args ...string) {
		t.Helper()
		if out, err := exec.Command(mpcvm, args...).CombinedOutput(); err != nil {
			t.Fatalf("%q: %v: %s", args, err, out)
		}
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	text := must.Get(os.ReadFile(path))(t)
	return string(text)
}

func write(t *testing.T, path, text string) {
	t.Helper()
	must.OK(t, os.MkdirAll(filepath.Dir(path), 0o755))
	must.OK(t, os.WriteFile(path, []byte(text), 0o644))
}

// run runs the pipeline and returns its parts by the names of their files.
func run(t *testing.T, o Options) []string {
	t.Helper()
	p, s := beam.NewPipelineWithRoot()
	Pipeline(s, o)
	ptest.RunAndValidate(t, p)
	var parts []string
	err := filepath.WalkDir(o.Out, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			parts = append(parts, path)
		}
		return err
	})
	must.OK(t, err)
	slices.Sort(parts)
	return parts
}

// compare compares the parts of a file with the output of mpcvm predict, byte by byte.
func compare(t *testing.T, mpcvm func(...string), model, in, out string, proba bool) {
	t.Helper()
	whole := filepath.Join(t.TempDir(), "whole.csv")
	args := []string{"predict", "--model", model, "--data", in, "--out", whole}
	if proba {
		args = append(args, "--proba")
	}
	mpcvm(args...)
	parts := must.Get(filepath.Glob(out + "-*"))(t)
	got := ""
	for _, part := range parts {
		text := read(t, part)
		if got != "" { // each part has a header
			_, text, _ = strings.Cut(text, "\n")
		}
		got += text
	}
	// The command names its flag, the pipeline the option.
	if want := strings.ReplaceAll(read(t, whole), "use --na", "use Options.Missing"); got != want {
		t.Errorf("%s, proba %v: %d bytes, want the %d bytes of predict:\n%.500s\n%.500s", in, proba, len(got),
			len(want), got, want)
	}
}

// The pipeline writes the same bytes as mpcvm predict, file by file, for two folders of CSV, with
// one file longer than a batch, and one folder of Parquet.
func TestPipeline(t *testing.T) {
	dir := t.TempDir()
	mpcvm := command(t, dir)
	set := must.Load(t, "iris")
	var text bytes.Buffer
	must.OK(t, data.WriteCSV(&text, set))
	header, rows, _ := strings.Cut(text.String(), "\n")
	train, model := filepath.Join(dir, "iris.csv"), filepath.Join(dir, "model.json")
	write(t, train, text.String())
	mpcvm("fit", "--data", train, "--model", model, "--algorithm", "mpcvm2", "--theta", "0.1")

	in := filepath.Join(dir, "in")
	copies := (1<<15)/set.N() + 2 // more than a batch, less than two
	write(t, filepath.Join(in, "a", "long.csv"), header+"\n"+strings.Repeat(rows, copies))
	write(t, filepath.Join(in, "a", "short.csv"), text.String())
	write(t, filepath.Join(in, "b", "short.csv"), header+"\n"+rows[:strings.Index(rows, "\n")+1])
	layout := parquet.Layout{Before: []string{"class"}, Numbers: set.Features}
	var flowers bytes.Buffer
	w := parquet.NewWriter(&flowers, layout)
	classes := make([]string, set.N())
	for i, label := range set.T {
		classes[i] = set.Classes[label]
	}
	must.OK(t, w.Write(set.X, classes))
	must.OK(t, w.Close())
	write(t, filepath.Join(in, "b", "table.parquet"), flowers.String())

	for _, proba := range []bool{false, true} {
		out := filepath.Join(dir, fmt.Sprint("out-", proba))
		parts := run(t, Options{Model: model, Data: in + "/*/*", Out: out, Proba: proba})
		if len(parts) != 5 {
			t.Fatalf("%d parts: %q", len(parts), parts)
		}
		for _, name := range []string{"a/long.csv", "a/short.csv", "b/short.csv", "b/table.parquet"} {
			compare(t, mpcvm, model, filepath.Join(in, name), filepath.Join(out, name), proba)
		}
	}

	// A second run into the same folder changes nothing.
	out := filepath.Join(dir, "out-true")
	before := read(t, filepath.Join(out, "a/long.csv-000001.csv"))
	if parts := run(t, Options{Model: model, Data: in + "/*/*", Out: out, Proba: true}); len(parts) != 5 {
		t.Errorf("remaining files: %q", parts)
	}
	if read(t, filepath.Join(out, "a/long.csv-000001.csv")) != before {
		t.Error("scored again, a part differs")
	}

	// With Parquet output.
	parts := run(t, Options{Model: model, Data: in + "/a/short.csv", Out: filepath.Join(dir, "pq"),
		Parquet: true, Proba: true})
	if len(parts) != 1 {
		t.Fatalf("%q", parts)
	}
	columns := func(path string) string {
		got := must.Get(tables.Open(path, tables.Options{}))(t)
		var all []any
		for _, name := range []string{"class", "p(setosa)", "p(versicolor)", "p(virginica)"} {
			c := got.Columns[got.Find(name)]
			for i := range got.Rows {
				all = append(all, c.Text(i))
			}
		}
		return fmt.Sprint(all...)
	}
	if columns(parts[0]) != columns(filepath.Join(out, "a/short.csv-000000.csv")) {
		t.Error("the predictions in Parquet and CSV differ")
	}
}

// The pipeline scores a table like mpcvm predict, for a model of mpcvm fit, with texts, missing cells, rare
// levels and rows that cannot be used.
func TestTables(t *testing.T) {
	dir := t.TempDir()
	mpcvm := command(t, dir)
	penguins := must.Get(csv.NewReader(strings.NewReader(read(t, "../../../data/penguins.csv"))).ReadAll())(t)
	rare := [][]string{{"size", "rate", "city", "seen", "note, \"x\"", "class"}}
	for i := range 300 {
		city := []string{"Bern", "Zürich", "Basel"}[i%3]
		if i%60 == 7 {
			city = fmt.Sprint("village ", i) // a level with one row
		}
		rare = append(rare, []string{fmt.Sprint(i%2*20 + i%7), fmt.Sprintf("%.2f", float64(i*i%97)/7), city,
			[]string{"yes", "No", "", "YES"}[i%4],
			fmt.Sprint("n", i%5), []string{"1000000", "2000000"}[i%2]})
	}
	rare[9][0], rare[11][1] = "", "NA"
	for name, tt := range map[string]struct {
		rows    [][]string
		numbers []int
		fit     []string
	}{
		"penguins": {penguins, []int{9, 10, 11, 12, 14, 15}, []string{"--target", "Species", "--id",
			"Individual ID", "--drop", "studyName,Sample Number,Date Egg,Comments,Region,Stage"}},
		"rare": {rare, []int{0, 1}, []string{"--target", "class"}},
	} {
		in, model := filepath.Join(dir, name), filepath.Join(dir, name+".json")
		train := filepath.Join(dir, name+"-train.csv")
		var text bytes.Buffer
		must.OK(t, csv.NewWriter(&text).WriteAll(tt.rows))
		write(t, train, text.String())
		mpcvm(append([]string{"fit", train, "--model", model, "--algorithm", "mpcvm2", "--theta", "0.1", "--cv",
			"none"}, tt.fit...)...)
		unlike := slices.Clone(tt.rows)
		for i, row := range unlike[1:] {
			if row = slices.Clone(row); i%50 == 1 {
				for j := range row {
					if !slices.Contains(tt.numbers, j) && j < len(row)-1 {
						row[j] = "new"
					}
				}
			}
			unlike[i+1] = row
		}
		text.Reset()
		must.OK(t, csv.NewWriter(&text).WriteAll(unlike))
		write(t, filepath.Join(in, "table.csv"), text.String())
		bad := slices.Clone(tt.rows[:20])
		bad[3] = slices.Clone(bad[3])
		bad[3][tt.numbers[0]] = "many"
		bad[5] = make([]string, len(bad[5])) // no value at all
		text.Reset()
		must.OK(t, csv.NewWriter(&text).WriteAll(bad))
		write(t, filepath.Join(in, "bad.csv"), text.String()+"x,y\n")
		for _, proba := range []bool{false, true} {
			out := filepath.Join(dir, fmt.Sprint(name, "-", proba))
			parts := run(t, Options{Model: model, Data: in + "/*", Out: out, Proba: proba})
			if len(parts) != 2 {
				t.Fatalf("%d parts: %q", len(parts), parts)
			}
			for _, file := range []string{"table.csv", "bad.csv"} {
				compare(t, mpcvm, model, filepath.Join(in, file), filepath.Join(out, file), proba)
			}
		}
	}
}

// Faults in a file are reported, and the pipeline fails.
func TestErrors(t *testing.T) {
	dir := t.TempDir()
	model := filepath.Join(dir, "model.json")
	set := must.Load(t, "iris")
	var text bytes.Buffer
	must.OK(t, data.WriteCSV(&text, set))
	write(t, filepath.Join(dir, "iris.csv"), text.String())
	command(t, dir)("fit", "--data", filepath.Join(dir, "iris.csv"), "--model", model, "--algorithm", "mpcvm2",
		"--theta", "0.1")
	header, rows, _ := strings.Cut(text.String(), "\n")
	first, _, _ := strings.Cut(rows, "\n")
	write(t, filepath.Join(dir, "less.csv"), "sepal_length,class\n1,setosa\n")
	write(t, filepath.Join(dir, "bad.csv"), header+"\n"+strings.Replace(first, ",", ",x", 1)+"\n")
	write(t, filepath.Join(dir, "head.csv"), header+"\n")
	for pattern, say := range map[string]string{
		"less.csv": `lacks columns of the model: "sepal_width"`, "none*.csv": "no files matching",
		"head.csv": "no samples",
		"bad.csv":  "bad.csv: no usable rows (1 read); the first error: column sepal_width: not of the kind",
	} {
		p, s := beam.NewPipelineWithRoot()
		Pipeline(s, Options{Model: model, Data: filepath.Join(dir, pattern), Out: filepath.Join(dir, "out")})
		if _, err := beam.Run(context.Background(), "prism", p); err == nil || !strings.Contains(err.Error(), say) {
			t.Errorf("%s: %v", pattern, err)
		}
	}
	if text := read(t, filepath.Join(dir, "out", "bad.csv-000000.csv")); !strings.HasPrefix(text,
		"class,unlike,beyond,new_levels,problem\n,") {
		t.Errorf("%q", text)
	}
}
