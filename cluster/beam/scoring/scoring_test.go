package scoring

import (
	"bytes"
	"context"
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
	"github.com/mpcvm/mpcvm/data/parquet"
	"github.com/mpcvm/mpcvm/internal/table"
)

// On Prism, in this process.
func TestMain(m *testing.M) { ptest.Main(m) }

// command builds mpcvm and returns what runs it.
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
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
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
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(parts)
	return parts
}

// What the pipeline writes is what mpcvm predict writes, file by file and bit by bit:
// two folders of CSV, one file longer than a batch, and one of Parquet.
func TestPipeline(t *testing.T) {
	dir := t.TempDir()
	mpcvm := command(t, dir)
	set, err := data.Load("iris")
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if err := data.WriteCSV(&text, set); err != nil {
		t.Fatal(err)
	}
	header, rows, _ := strings.Cut(text.String(), "\n")
	train, model := filepath.Join(dir, "iris.csv"), filepath.Join(dir, "model.json")
	write(t, train, text.String())
	mpcvm("fit", "--data", train, "--model", model, "--algorithm", "mpcvm2", "--theta", "0.1")

	in := filepath.Join(dir, "in")
	copies := table.Rows(set.D())/set.N() + 2 // more than a batch, less than two
	write(t, filepath.Join(in, "a", "long.csv"), header+"\n"+strings.Repeat(rows, copies))
	write(t, filepath.Join(in, "a", "short.csv"), text.String())
	write(t, filepath.Join(in, "b", "short.csv"), header+"\n"+rows[:strings.Index(rows, "\n")+1])
	layout := parquet.Layout{Text: "class", Numbers: set.Features, Last: true}
	var flowers bytes.Buffer
	w, err := parquet.NewWriter(&flowers, layout)
	if err != nil {
		t.Fatal(err)
	}
	classes := make([]string, set.N())
	for i, label := range set.T {
		classes[i] = set.Classes[label]
	}
	group, err := layout.Encode(parquet.Group{}, set.X, classes)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Append(group); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(in, "b", "table.parquet"), flowers.String())

	for _, proba := range []bool{false, true} {
		out := filepath.Join(dir, fmt.Sprint("out-", proba))
		parts := run(t, Options{Model: model, Data: in + "/*/*", Out: out, Proba: proba})
		if len(parts) != 5 {
			t.Fatalf("%d parts: %q", len(parts), parts)
		}
		for _, name := range []string{"a/long.csv", "a/short.csv", "b/short.csv", "b/table.parquet"} {
			whole := filepath.Join(dir, "whole.csv")
			args := []string{"predict", "--model", model, "--data", filepath.Join(in, name), "--out", whole}
			if proba {
				args = append(args, "--proba")
			}
			mpcvm(args...)
			got := ""
			for _, part := range parts {
				if !strings.HasPrefix(part, filepath.Join(out, name)+"-") {
					continue
				}
				text := read(t, part)
				if got != "" { // the header stands in each part
					_, text, _ = strings.Cut(text, "\n")
				}
				got += text
			}
			if want := read(t, whole); got != want {
				t.Errorf("%s, proba %v: %d bytes, not the %d that predict writes", name, proba, len(got), len(want))
			}
		}
	}

	// Again into the same folder: nothing changes.
	out := filepath.Join(dir, "out-true")
	before := read(t, filepath.Join(out, "a/long.csv-000001.csv"))
	if parts := run(t, Options{Model: model, Data: in + "/*/*", Out: out, Proba: true}); len(parts) != 5 {
		t.Errorf("left over: %q", parts)
	}
	if read(t, filepath.Join(out, "a/long.csv-000001.csv")) != before {
		t.Error("scored again, a part is another")
	}

	// As Parquet.
	parts := run(t, Options{Model: model, Data: in + "/a/short.csv", Out: filepath.Join(dir, "pq"), Parquet: true, Proba: true})
	if len(parts) != 1 {
		t.Fatalf("%q", parts)
	}
	columns := func(path string) string {
		got, err := data.Open(path, data.Options{})
		if err != nil {
			t.Fatal(err)
		}
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
		t.Error("Parquet has other predictions than CSV")
	}
}

// The row of a mistake is named, and the pipeline fails.
func TestErrors(t *testing.T) {
	dir := t.TempDir()
	model := filepath.Join(dir, "model.json")
	set, err := data.Load("iris")
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if err := data.WriteCSV(&text, set); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "iris.csv"), text.String())
	command(t, dir)("fit", "--data", filepath.Join(dir, "iris.csv"), "--model", model, "--algorithm", "mpcvm2", "--theta", "0.1")
	header, rows, _ := strings.Cut(text.String(), "\n")
	first, _, _ := strings.Cut(rows, "\n")
	write(t, filepath.Join(dir, "bad.csv"), header+"\n"+first+"\n"+strings.Replace(first, ",", ",x", 1)+"\n")
	for pattern, say := range map[string]string{"bad.csv": "line 3", "none*.csv": "no file matches"} {
		p, s := beam.NewPipelineWithRoot()
		Pipeline(s, Options{Model: model, Data: filepath.Join(dir, pattern), Out: filepath.Join(dir, "out")})
		if _, err := beam.Run(context.Background(), "prism", p); err == nil || !strings.Contains(err.Error(), say) {
			t.Errorf("%s: %v", pattern, err)
		}
	}
}
