package study

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mpcvm/mpcvm/internal/testkit/must"
	"github.com/mpcvm/mpcvm/internal/testkit/watch"
)

// Any content of a folder of results, including shards, is read and reported, or rejected with an
// error; the files are not changed.
func FuzzReadFolder(f *testing.F) {
	result := `{"system":"a","dataset":"b","partition":3,"n_train":2,"n_test":1,"err":0.25,"auc":0.5,"logloss":1,"fit_s":1,"predict_s":0,"n_basis":2,"n_weights":3,"params":{"seed":4,"theta":0.1},"n_classes":3,"series":"b","rule":"error"}` + "\n"
	failure := `{"system":"a","dataset":"b","partition":4,"tuning":true,"params":{"seed":4,"theta":0.1},"error":"no luck"}` + "\n"
	other := strings.Replace(result, `"a"`, `"c"`, 1)
	f.Add([]byte(result+other), []byte(result), []byte(other), []byte(failure))
	f.Add([]byte(result+`{"system":"torn`), []byte(strings.Replace(result, `"partition":3`, `"partition":9`, 1)),
		[]byte(nil), []byte(failure+failure))
	f.Add([]byte(strings.Replace(result, "0.5", "null", 1)),
		[]byte(strings.Replace(result, `"logloss":1`, `"logloss":null,"whole":true,"raw":true`, 1)), []byte(
			"\n"), []byte("{}\n"))
	f.Fuzz(func(t *testing.T, whole, shard, tuning, failures []byte) {
		dir, size := t.TempDir(), 0
		files := map[string][]byte{"results.jsonl": whole, "results-1-of-2.jsonl": shard, "tuning.ndjson": tuning,
			"failures.ndjson": failures}
		for name, text := range files {
			size += len(text)
			must.OK(t, os.WriteFile(filepath.Join(dir, name), text, 0o600))
		}
		var (
			report *Report
			err    error
		)
		watch.Within(t, size, func() { report, err = ReadReport(dir) })
		if err == nil {
			must.OK(t, report.Write(io.Discard))
		} else if !strings.HasPrefix(err.Error(), "study: ") {
			t.Fatal(err)
		}
		results, err := ReadDir(dir)
		if err == nil {
			seen := map[key]bool{}
			for _, r := range results {
				if seen[r.key(false)] {
					t.Fatalf("%v twice", r.key(false))
				}
				seen[r.key(false)] = true
			}
		} else if errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
		for name, text := range files {
			if left, err := os.ReadFile(filepath.Join(dir, name)); err != nil || !bytes.Equal(left, text) {
				t.Fatalf("%s was changed: %v", name, err)
			}
		}
	})
}
