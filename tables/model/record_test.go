package model_test

import (
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/tables/model"
)

// recorded is withRecipe with a record.
var recorded = strings.NewReplacer(`"version": 2`, `"version": 4`, `"ids": [`, `"record": {"program": "v1", "learner": "mpcvm2", "seed": 18446744073709551615, "rows": [3, 0, 4],
  "figures": [{"of": "test", "n": 5, "err": 0.2, "logloss": 0.5, "auc": 0.75}]},
  "ids": [`).Replace(withRecipe)

// A record can be saved and loaded, is not shared with the caller, and changes nothing else in the file.
func TestRecord(t *testing.T) {
	bare := load(t, withRecipe)
	if bare.Record() != nil {
		t.Error("a record from a file without one")
	}
	r := model.Record{Program: "v1", Learner: "mpcvm2", Seed: math.MaxUint64, Rows: []int{3, 0, 4},
		Figures: []model.Figures{
			{Of: "test", Rows: 5, Error: new(0.2), LogLoss: new(0.5), AUC: new(0.75)},
		}}
	m := bare.WithRecord(r)
	want := save(t, m)
	if read := load(t, recorded); save(t, read) != want || !reflect.DeepEqual(*read.Record(), r) {
		t.Errorf("%+v, want %+v", read.Record(), r)
	}
	if !strings.Contains(want, `"version": 4`) || strings.Contains(save(t, bare), "record") {
		t.Error("wrong version, or WithRecord modified its receiver")
	}
	r.Rows[0], *r.Figures[0].Error, *m.Record().Figures[0].AUC = 9, 9, 9
	if save(t, m) != want || save(t, m.With(m.Model())) != want {
		t.Error("the record shares memory with the caller, or With dropped it")
	}
	// mpcvm.Load ignores the record of a model without a recipe.
	text := save(t, load(t, small).WithRecord(model.Record{Learner: "mpcvm1"}))
	if of, err := mpcvm.Load(strings.NewReader(text)); err != nil ||
		load(t, text).Record().Learner != "mpcvm1" || of.Classes() != 3 {
		t.Error(err)
	}
}

// A record may have keys of a later version, and the model is the same without them.
func TestRecordOfLaterVersion(t *testing.T) {
	later := strings.NewReplacer(`"seed"`, `"later": {"a": [1, null], "a": 2}, "seed"`, `"n": 5`,
		`"brier": 0.1, "n": 5`).Replace(recorded)
	if got := save(t, load(t, later)); got != save(t, load(t, recorded)) {
		t.Error(got)
	}
	for _, key := range []string{`"recipe": {`, `{"name": "mass",`, "{\n"} {
		text := strings.Replace(recorded, key, key+`"later": 1, `, 1)
		if _, err := model.Load(strings.NewReader(text)); text != recorded && (err == nil ||
			!strings.Contains(err.Error(), `unknown key "later": the file is damaged or from a newer program`)) {
			t.Errorf("%s: %v", key, err)
		}
	}
}

// The end of a fit follows from the result of the learner and of the search.
func TestFitInfo(t *testing.T) {
	trials := make([]mpcvm.Trial, 7)
	for _, tt := range []struct {
		of   mpcvm.Result
		want model.FitInfo
	}{
		{mpcvm.Result{Status: mpcvm.Converged, Iterations: 9}, model.FitInfo{Ended: model.Converged, Rows: 50,
			Iterations: 9}},
		{mpcvm.Result{Status: mpcvm.IterationLimit, Trials: trials}, model.FitInfo{Ended: model.Iterations,
			Rows:  50,
			Tried: 7, Of: 7}},
		{mpcvm.Result{Status: mpcvm.Converged, Trials: trials, Settings: 35}, model.FitInfo{Ended: model.Budget,
			Rows: 50, Tried: 7, Of: 35}},
		{mpcvm.Result{Status: mpcvm.TimeLimit, Trials: trials, Settings: 7, Samples: 40, Partial: "one fold"},
			model.FitInfo{Ended: model.Budget, Rows: 40, Tried: 7, Of: 7, Partial: "one fold"}},
		{mpcvm.Result{Status: mpcvm.Cancelled, Trials: trials, Settings: 35}, model.FitInfo{Ended: model.Stop,
			Rows:  50,
			Tried: 7, Of: 35}},
		{mpcvm.Result{Status: mpcvm.Collapsed}, model.FitInfo{Ended: model.Collapse, Rows: 50}},
	} {
		got := model.NewFitInfo(50, tt.of)
		if *got != tt.want || got.Complete() != (tt.want.Ended != model.Budget && tt.want.Ended != model.Stop) {
			t.Errorf("%+v, want %+v", *got, tt.want)
		}
	}
}

// Invalid records are rejected with the location of the error.
func TestRecordRefused(t *testing.T) {
	for _, tt := range []struct{ old, now, want string }{
		{`"version": 4`, `"version": 3`, "record: not allowed in version 3"},
		{"[3, 0, 4]", "[3, 4]", "record.rows: 2 counts for 3 classes"},
		{"[3, 0, 4]", "[3, -1, 4]", "record.rows[1]: -1 is negative"},
		{"18446744073709551615", "-1", "record.seed: not an integer from 0"},
		{`"v1"`, `"a\u001b[31m"`, "record.program: "},
		{`"test"`, `"` + strings.Repeat("x", 1025) + `"`, "record.figures[0].of: "},
		{`"n": 5`, `"n": -5`, "record.figures[0].n: -5 is negative"},
		{`"err": 0.2`, `"err": 1e999`, "record.figures[0].err: not a finite number"},
		{`"seed"`, `"learner"`, `record: key "learner" twice`},
	} {
		text := strings.Replace(recorded, tt.old, tt.now, 1)
		if _, err := model.Load(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %s", tt.now, err, tt.want)
		}
	}
	for _, r := range []model.Record{{Rows: []int{1}}, {Learner: "a\nb"},
		{Figures: []model.Figures{{Error: new(math.NaN())}}}} {
		if err := load(t, small).WithRecord(r).Save(new(strings.Builder)); err == nil ||
			!strings.Contains(err.Error(), "record") {
			t.Errorf("%+v is saved: %v", r, err)
		}
	}
}
