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
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
	"github.com/mpcvm/mpcvm/tables"
	"github.com/mpcvm/mpcvm/tables/charts"
	"github.com/mpcvm/mpcvm/tables/eval"
	"github.com/mpcvm/mpcvm/tables/report"
)

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
