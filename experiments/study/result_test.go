package study

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/mpcvm/mpcvm/internal/testkit/must"
)

func number(v float64) *float64 { return &v }

// The names of the fields are fixed.
func TestResultFields(t *testing.T) {
	r := Result{System: "a", Dataset: "b", Params: Setting{Params{"theta": 0.1, "C": 10}, 18446744073709551615}}
	text := must.Get(json.Marshal(r))(t)
	var fields map[string]any
	must.OK(t, json.Unmarshal(text, &fields))
	want := strings.Fields("auc dataset err fit_s logloss n_basis n_test n_train n_weights params partition " +
		"predict_s system")
	if got := slices.Sorted(maps.Keys(fields)); !slices.Equal(got, want) {
		t.Errorf("fields %v", got)
	}
	if !strings.Contains(string(text), `"auc":null`) || !strings.Contains(string(text),
		`"params":{"C":10,"seed":18446744073709551615,"theta":0.1}`) {
		t.Errorf("%s", text)
	}
}

func TestReadResults(t *testing.T) {
	line := `{"system":"a","dataset":"b","partition":3,"n_train":2,"n_test":1,"err":0.25,"auc":null,"logloss":1,"fit_s":1e-3,"predict_s":0,"n_basis":1,"n_weights":2,"params":{"seed":4,"theta":0.1},"later":[]}`
	results, err := readLines([]byte(line+"\n"+line), "x", (*Result).check)
	if err != nil || len(results) != 1 {
		t.Fatalf("%v, %v", results, err)
	}
	want := Result{System: "a", Dataset: "b", Partition: 3, NTrain: 2, NTest: 1, Err: 0.25, LogLoss: number(1),
		FitSeconds: 1e-3,
		Basis:      1, Weights: 2, Params: Setting{Params{"theta": 0.1}, 4}}
	if !reflect.DeepEqual(results[0], want) {
		t.Errorf("%+v", results[0])
	}
	for bad, say := range map[string]string{
		"":                                     "line 2",
		"{}":                                   "no system",
		`{"system":1}`:                         "system",
		`{"system":"a","dataset":"b","err":2}`: "out of range",
		`{"system":"a","dataset":"b","partition":-1}`:         "negative",
		`{"system":"a","dataset":"b","params":{"seed":0.5}}`:  "seed",
		`{"system":"a","dataset":"b","params":{"theta":"x"}}`: "theta",
	} {
		if _, err := readLines([]byte(line+"\n"+bad+"\n"), "x.jsonl", (*Result).check); err == nil ||
			!strings.Contains(err.Error(), say) && say != "theta" {
			t.Errorf("%s: %v", bad, err)
		}
	}
}
