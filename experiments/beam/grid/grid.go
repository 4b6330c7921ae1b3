// Package grid is a Beam pipeline that runs a study: the tuning runs, the choice of the setting of
// each system on each data set, and the test runs.
//
// A run is an element that any worker can process (Reshuffle). It does not depend on other runs;
// repeated, it gives the same line except for its times. The study is a small JSON file (Study),
// passed as a side input.
package grid

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/mpcvm/mpcvm/experiments/beam/internal/files"
	"github.com/mpcvm/mpcvm/experiments/study"
)

func init() {
	beam.RegisterFunction(plan)
	beam.RegisterFunction(makeRun)
	beam.RegisterFunction(byPair)
	beam.RegisterFunction(choose)
	beam.RegisterDoFn(&writeFn{})
}

// Options of the pipeline. Paths are local, gs:// or s3://.
type Options struct {
	Study string // the JSON file of a Study
	Out   string // the folder of the results
}

// Pipeline adds the pipeline to s. It writes the files of a study folder without shards, with sorted
// lines: results.jsonl, tuning.ndjson and, if runs failed, failures.ndjson.
func Pipeline(s beam.Scope, o Options) {
	s = s.Scope("Study")
	file := files.Text(s, o.Study)
	side := beam.SideInput{Input: file}
	tuning, tests := beam.ParDo2(s, plan, file)

	tuned, failedTuning := beam.ParDo2(s.Scope("Tune"), makeRun, beam.Reshuffle(s, tuning), side)
	pairs := beam.CoGroupByKey(s,
		beam.ParDo(s, byPair, tuned), beam.ParDo(s, byPair, failedTuning), beam.ParDo(s, byPair, tests))
	chosen := beam.ParDo(s, choose, pairs, side)
	results, failedTests := beam.ParDo2(s.Scope("Test"), makeRun, beam.Reshuffle(s, chosen), side)

	write := func(name string, lines ...beam.PCollection) {
		all := beam.GroupByKey(s, beam.AddFixedKey(s, beam.Flatten(s, lines...)))
		beam.ParDo0(s.Scope("Write "+name), &writeFn{Path: strings.TrimSuffix(o.Out, "/") + "/" + name}, all)
	}
	write("tuning.ndjson", tuned)
	write("results.jsonl", results)
	write("failures.ndjson", failedTuning, failedTests)
}

var studies = files.Cache[study.Study]{Parse: parse}

// plan emits the tuning and test runs, as JSON.
func plan(text string, tuning, tests func(string)) error {
	s, err := studies.Get(text)
	if err != nil {
		return err
	}
	runs, err := s.Plan("")
	if err != nil {
		return err
	}
	for _, r := range runs {
		if r.Tuning {
			tuning(line(r))
		} else {
			tests(line(r))
		}
	}
	return nil
}

// makeRun executes a run and emits the line of its result or its failure.
func makeRun(ctx context.Context, run, text string, result, failure func(string)) error {
	s, err := studies.Get(text)
	if err != nil {
		return err
	}
	var r study.Run
	if err := json.Unmarshal([]byte(run), &r); err != nil {
		return err
	}
	res, failed, err := s.Make(ctx, r)
	if err != nil {
		return err
	}
	if failed != nil {
		failure(line(failed))
	} else {
		result(line(res))
	}
	return nil
}

// line returns a run, its result or its failure as JSON.
func line(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic("grid: " + err.Error()) // none of them has a number that is not finite
	}
	return string(text)
}

// pair holds the fields by which runs, results and failures are grouped.
type pair struct {
	System  string `json:"system"`
	Dataset string `json:"dataset"`
}

// byPair keys a line by its system and data set.
func byPair(text string) (key, value string) {
	var p pair
	if err := json.Unmarshal([]byte(text), &p); err != nil {
		panic(fmt.Sprintf("grid: %v: %s", err, text)) // it was marshalled here
	}
	return line(p), text
}

// choose sets the setting of the test runs of a pair based on its tuning runs.
func choose(key string, tuning, failures, tests func(*string) bool, text string, emit func(string)) error {
	s, err := studies.Get(text)
	var p pair
	errKey := json.Unmarshal([]byte(key), &p)
	results, errResults := lines[study.Result](tuning)
	failed, errFailed := lines[study.Failure](failures)
	runs, errRuns := lines[study.Run](tests)
	if err := errors.Join(err, errKey, errResults, errFailed, errRuns); err != nil || len(runs) == 0 {
		return err
	}
	params, err := s.Choose(p.System, p.Dataset, results, failed)
	if err != nil {
		return err
	}
	for _, r := range runs {
		r.Params = nil // the run fails because no setting could be chosen
		if params != nil {
			r.Params = &study.Setting{Params: params}
		}
		emit(line(r))
	}
	return nil
}

// lines parses the JSON values of an iterator.
func lines[T any](next func(*string) bool) (all []T, err error) {
	var text string
	for next(&text) {
		var v T
		if err := json.Unmarshal([]byte(text), &v); err != nil {
			return nil, err
		}
		all = append(all, v)
	}
	return all, nil
}

// writeFn writes all lines to one file, sorted.
type writeFn struct{ Path string }

// ProcessElement writes the file.
func (fn *writeFn) ProcessElement(ctx context.Context, _ int, next func(*string) bool) error {
	var all []string
	var text string
	for next(&text) {
		all = append(all, text+"\n")
	}
	slices.Sort(all)
	return files.Write(ctx, fn.Path, []byte(strings.Join(all, "")))
}
