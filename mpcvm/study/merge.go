package study

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"

	"github.com/mpcvm/mpcvm/internal/atomicfile"
)

// Merged has the numbers of lines that Merge wrote.
type Merged struct{ Results, Tuning, Failures int }

// Merge gathers the runs in the folders from, of all shards, into the folder dir, as if
// one process had made them: results.jsonl, tuning.ndjson and failures.ndjson, in the
// order of data set, system, partition and setting. Runs that dir holds already stay. A
// run that occurs more than once counts once; the first is kept. If such runs differ in
// more than their times and jobs, the error is ErrMismatch and nothing is written. Each
// file appears whole or not at all.
func Merge(dir string, from ...string) (m Merged, err error) {
	for _, f := range from {
		if _, err := os.Stat(f); err != nil {
			return m, fmt.Errorf("study: %w", err)
		}
	}
	st, err := open(context.Background(), dir, "", 0)
	if err != nil {
		return m, err
	}
	defer func() { err = errors.Join(err, st.close()) }()
	for _, f := range from {
		if err := st.read(f); err != nil {
			return m, err
		}
	}
	for _, f := range append([]string{dir}, from...) {
		if err := st.agree(f); err != nil {
			return m, err
		}
	}
	for k := range st.failed { // it may have succeeded in another folder
		_, tested := st.doneResults[k]
		_, tuned := st.doneTuning[k]
		if tested || tuned {
			delete(st.failed, k)
		}
	}
	if err := st.closeFiles(); err != nil { // they are replaced
		return m, err
	}
	m = Merged{len(st.doneResults), len(st.doneTuning), len(st.failed)}
	return m, errors.Join(
		writeSorted(filepath.Join(dir, resultsName+resultsExt), st.doneResults),
		writeSorted(filepath.Join(dir, tuningName+tuningExt), st.doneTuning),
		writeSorted(filepath.Join(dir, failuresName+failuresExt), st.failed))
}

// agree returns an error if a run in a folder differs from the one in the store.
func (s *store) agree(dir string) error {
	return s.each(dir, func(kept map[key]Result, k key, r Result) error {
		if !kept[k].sameAs(r) {
			return fmt.Errorf("study: %s: %w: %s on %s, partition %d, %s, occurs twice and differs",
				dir, ErrMismatch, r.System, r.Dataset, r.Partition, r.Params)
		}
		return nil
	})
}

// sameAs compares results without their times. If one is of tuning by labels only, it
// compares no figures of probabilities.
func (r Result) sameAs(o Result) bool {
	for _, v := range []*Result{&r, &o} {
		v.FitSeconds, v.PredictSeconds, v.Jobs = 0, 0, 0
	}
	if r.LogLoss == nil || o.LogLoss == nil {
		for _, v := range []*Result{&r, &o} {
			v.AUC, v.LogLoss, v.Unseen, v.Note = nil, nil, 0, ""
		}
	}
	return reflect.DeepEqual(r, o)
}

// writeSorted writes a line for each run, in the order of their keys.
func writeSorted[T any](path string, runs map[key]T) error {
	err := atomicfile.Write(path, func(w io.Writer) error {
		encoder := json.NewEncoder(w)
		for _, k := range slices.SortedFunc(maps.Keys(runs), key.compare) {
			if err := encoder.Encode(runs[k]); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("study: %w", err)
	}
	return nil
}

func (k key) compare(o key) int {
	return cmp.Or(cmp.Compare(k.dataset, o.dataset), cmp.Compare(k.system, o.system),
		cmp.Compare(k.partition, o.partition), cmp.Compare(k.params, o.params))
}
