package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/mpcvm/mpcvm/internal/testkit/must"
	"github.com/mpcvm/mpcvm/internal/words"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
	"github.com/mpcvm/mpcvm/tables"
	"github.com/mpcvm/mpcvm/tables/charts"
	"github.com/mpcvm/mpcvm/tables/drift"
	"github.com/mpcvm/mpcvm/tables/eval"
	"github.com/mpcvm/mpcvm/tables/report"
)

// messy is a table as written by a spreadsheet, with an unusual name of the class column.
const messy = "id;Länge;colour;kind of it\nA1;1,5;red;a b\nA2;2,25;blue;c\nA3;;red;a " +
	"b\nA4;3,5;-999;c\nA5;3,25;blue;a b\nA6;0,5;red;c\n"

// Look ends with a command that reads the file in the same way and uses the same classes.
func TestLookNext(t *testing.T) {
	dir := t.TempDir()
	path := write(t, dir, "it's messy.csv", messy)
	for line, want := range map[string]string{
		"":                    "mpcvm fit FILE --target 'kind of it'",
		"--target id":         "mpcvm look FILE --target 'kind of it'",
		"--target colour":     "mpcvm fit FILE --target colour",
		"--drop colour,id":    "mpcvm fit FILE --target 'kind of it' --drop colour,id",
		"--na -999,none":      "mpcvm fit FILE --target 'kind of it' --na -999,none",
		"--kind Länge=number": "mpcvm fit FILE --target 'kind of it' --kind Länge=number",
		"--separator ;":       "mpcvm fit FILE --target 'kind of it' --separator ';'",
		"--decimal ,":         "mpcvm fit FILE --target 'kind of it' --decimal ,",
		"--kind id=category":  "mpcvm fit FILE --target 'kind of it' --kind id=category",
		"--skip 0 --id id":    "mpcvm fit FILE --target 'kind of it' --skip 0 --id id",
		"--header yes":        "mpcvm fit FILE --target 'kind of it' --header yes",
	} {
		out, _ := good(t, append([]string{"look", path}, strings.Fields(line)...)...)
		want = "\nnext: " + strings.Replace(want, "FILE", `'`+strings.ReplaceAll(path, "'", `'\''`)+`'`, 1) +
			"\n"
		if !strings.HasSuffix(out, want) || !strings.Contains(out, "(semicolon,") {
			t.Errorf("%s: no %s\nin %s", line, want, out)
		}
	}
	if got := words.CommaSeparated([]string{"a", `b,"c"`, ""}); got != `a,"b,""c""",""` {
		t.Error(got)
	}
}

// Look also shows files that fit rejects unless a flag determines how to read them.
func TestLookLenient(t *testing.T) {
	dir := t.TempDir()
	for text, say := range map[string]string{
		"a;b\n1,234;x\n2,345;y\n3,456;x\n": "--decimal",
		"a,b\n1,x\n2,y,z\n3\n4,x\n":        "--ragged",
		"a,b\n":                            "0 rows",
	} {
		path := write(t, dir, "odd.csv", text)
		out, _ := good(t, "look", path)
		if !strings.Contains(out, say) {
			t.Errorf("%q: no %q in\n%s", text, say, out)
		}
		good(t, "look", path, "--json")
		good(t, "look", path, "--report", filepath.Join(dir, "look.html"))
		if code, _, _ := try(t, "compare", path); code != 1 {
			t.Errorf("%q: compare ends with status %d", text, code)
		}
	}
}

// TestLookAgainst checks that a shifted column is detected, and that the training rows themselves have none.
// Old model files are rejected.
func TestLookAgainst(t *testing.T) {
	dir := t.TempDir()
	model := visitsModel(t, dir)
	same, _ := good(t, "look", filepath.Join(dir, "visits.csv"), "--against", model)
	if !strings.HasPrefix(same, "80 rows; 0 of 5 columns have moved since training") {
		t.Error(same)
	}
	rows := visits(80)
	for _, row := range rows[1:] {
		age := must.Get(strconv.Atoi(row[1]))(t)
		row[1] = strconv.Itoa(age + 30)
	}
	path := write(t, dir, "later.csv", asCSV(rows, ','))
	out, _ := good(t, "look", path, "--against", model, "--json")
	var d drift.Report
	if err := json.Unmarshal([]byte(out), &d); err != nil || d.Rows != 80 || len(d.Columns) != 5 {
		t.Fatalf("%v, %s", err, out)
	}
	if c := d.Columns[0]; c.Name != "age" || !c.Moved || c.What != "median" || c.Training != "49.5" ||
		c.Here != "79.5" || d.Columns[1].Moved {
		t.Errorf("%+v", d)
	}
	if text, _ := good(t, "look", path, "--against", model); !strings.Contains(text,
		"1 of 5 columns have moved") || !strings.Contains(text, "age     median      49.5  79.5  < 0.0001") {
		t.Error(text)
	}
	old := regexp.MustCompile(`,"(quantiles|below|counts)":\[[^]]*\]`).ReplaceAllString(string(read(t, model)),
		"")
	if code, _, errOut := try(t, "look", path, "--against", write(t, dir, "old.json", old)); code != 1 ||
		!strings.Contains(errOut, "fit it again") {
		t.Errorf("%d, %s", code, errOut)
	}
}

// A row has the same number in explain, in the data of the report and in the tooltips of charts. Numbers
// start at 1; indices in Go start at 0.
func TestOneRowNumber(t *testing.T) {
	const path = "../../data/penguins.csv"
	ctx := context.Background()
	birds, err := tables.Open(path, tables.Options{ID: []string{"Individual ID"},
		Drop: []string{"studyName", "Sample Number", "Date Egg", "Comments", "Region", "Stage"}})
	if err != nil {
		t.Fatal(err)
	}
	learner := mpcvm.BottomUp{Kernel: kernel.RBF{Theta: 0.1}}
	model, result, err := tables.Fit(ctx, birds, "Species", learner)
	if err != nil {
		t.Fatal(err)
	}
	vector := model.Model().RelevanceVectors()[model.Model().VectorCount()/2]
	index, number, id := vector.Index, vector.Index+1, model.ID(model.Model().VectorCount()/2)
	species := birds.Columns[birds.Find("Species")].Text(index)

	file := filepath.Join(t.TempDir(), "m.json")
	must.OK(t, model.SaveFile(file))
	code, out, errOut := try(t, "explain", path, "--model", file, "--row", strconv.Itoa(number), "--json")
	var said explained
	if err := json.Unmarshal([]byte(out), &said); code != 0 || err != nil {
		t.Fatalf("%d, %v: %s", code, err, errOut)
	}
	if said.Row != number || said.ID != id || said.Truth != species {
		t.Errorf("explain has row %d, %s, %s; want row %d, %s, %s", said.Row, said.ID, said.Truth, number, id,
			species)
	}
	if near := said.Neighbours[0]; near.Row != number || near.Kernel != 1 {
		t.Errorf("the row is nearest to row %d, by a kernel of %g", near.Row, near.Kernel)
	}

	figures, err := eval.Evaluate(ctx, birds, model,
		eval.EvaluateOptions{Options: eval.Options{Folds: -1}, Learner: learner, Result: result})
	if err != nil {
		t.Fatal(err)
	}
	document := must.Get(report.Full(ctx, figures, report.Options{}))(t)
	live := liveData(t, document.Page().HTML())
	at := slices.Index(live.Rows, number)
	if at < 0 || live.IDs[at] != id || model.ClassNames()[live.Truth[at]] != species {
		t.Errorf("the page has no row %d of %s, %s", number, id, species)
	}
	const name = "Body Mass (g)"
	mass := live.Columns[slices.IndexFunc(live.Columns,
		func(c liveColumn) bool { return c.Name == name })].Cells[at]
	if mass != birds.Row(index)[name] {
		t.Errorf("the page has the mass %v in row %d", mass, number)
	}

	chart := charts.Explanation(model, birds.Row(index))
	if want := fmt.Sprintf("row %d of class %s", number, species); !strings.Contains(string(chart.Option()),
		want) {
		t.Errorf("no tooltip of the chart has %q", want)
	}
	_, err = eval.Explain(model, birds, birds.Rows)
	if err == nil || !strings.Contains(err.Error(), "row 345 does not exist: the data have 344 rows") {
		t.Errorf("after the last row: %v", err)
	}
}

type liveColumn struct {
	Name  string
	Cells []any
}

// liveData is the data for the script of a report.
func liveData(t *testing.T, html string) (live struct {
	Rows, Truth []int
	IDs         []string
	Columns     []liveColumn
}) {
	for _, found := range regexp.MustCompile(`[">](H4sI[A-Za-z0-9+/=]+)["<]`).FindAllStringSubmatch(html, -1) {
		zipped, err := base64.StdEncoding.DecodeString(found[1])
		if err != nil {
			continue
		}
		z, err := gzip.NewReader(bytes.NewReader(zipped))
		if err == nil && json.NewDecoder(z).Decode(&live) == nil && live.Rows != nil {
			return live
		}
	}
	t.Fatal("the page has no data of its rows")
	return live
}
