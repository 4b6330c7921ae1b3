package study

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mpcvm/mpcvm/internal/testkit/must"
	"github.com/mpcvm/mpcvm/internal/testkit/spoil"
	"github.com/mpcvm/mpcvm/internal/testkit/watch"
)

// A folder with a damaged file is read without torn lines, or rejected with an error that gives file
// and line.
func TestSpoiltFolder(t *testing.T) {
	watch.SkipUnderRace(t)
	s, whole, flips := example(t), t.TempDir(), 200
	if spoil.Long() {
		flips = 1000
	}
	s.Problems, s.Test = s.Problems[:1], []int{2, 3}
	run(t, s, whole)
	failure := `{"system":"a","dataset":"b","partition":3,"tuning":true,"params":{"seed":1,"theta":0.5},"error":"no luck"}` + "\n"
	must.OK(t, os.WriteFile(filepath.Join(whole, "failures.ndjson"), []byte(failure), 0o600))
	for _, name := range []string{"results.jsonl", "tuning.ndjson", "failures.ndjson"} {
		text := must.Get(os.ReadFile(filepath.Join(whole, name)))(t)
		if second := bytes.IndexByte(text, '\n') + 1; !spoil.Long() && second < len(text) {
			text = text[:second+bytes.IndexByte(text[second:], '\n')+1] // two lines
		}
		dir, read, refused := t.TempDir(), 0, 0
		must.OK(t, os.CopyFS(dir, os.DirFS(whole)))
		spoil.Each(text, flips, func(how string, spoilt []byte) {
			must.OK(t, os.WriteFile(filepath.Join(dir, name), spoilt, 0o600))
			_, err := ReadReport(dir)
			if _, other := ReadTuning(dir); err == nil {
				err = other
			}
			if err == nil {
				read++
				return
			}
			if refused++; errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), name+": line ") {
				t.Errorf("%s, %s: %v", name, how, err)
			}
			if len(spoilt) < len(text) {
				t.Errorf("%s, %s: a torn line is reported as a fault: %v", name, how, err)
			}
		})
		t.Logf("%s: %d bytes; %d damaged ones read, %d rejected", name, len(text), read, refused)
		if read < len(text) || refused == 0 {
			t.Errorf("%s: %d read, %d rejected", name, read, refused)
		}
	}
}

// Reading results takes at most 4 times their size plus 64 MiB, whatever the file contains.
func TestReadResultsMemory(t *testing.T) {
	watch.SkipUnderRace(t)
	size := 3 << 20
	if spoil.Long() {
		size = 30 << 20
	}
	fill := func(head, text, end string) []byte {
		return []byte(head + strings.Repeat(text, (size-len(head))/len(text)) + end)
	}
	const line = `{"system":"mpcvm2","dataset":"wine-red","partition":17,"n_train":1279,"n_test":320,"err":0.3625,"auc":0.75,"logloss":0.91,"fit_s":1.25,` +
		`"predict_s":0.001,"n_basis":320,"n_weights":946,"params":{"seed":18,"theta":0.5},"n_classes":6,"rule":"one-se","jobs":2,"data":"0123456789abcdef"}` + "\n"
	for about, tt := range map[string]struct {
		text []byte
		good bool
	}{
		"results":      {fill("", line, ""), true},
		"a line":       {fill("", "x", "\n"), false},
		"torn":         {fill("", "x", ""), true},
		"a name":       {fill(`{"system":"`, "x", `","dataset":"b"}`+"\n"), false},
		"parameters":   {fill(`{"system":"a","dataset":"b","params":{`, `"p":1,`, `"q":1}}`+"\n"), false},
		"commas":       {fill("", "1,", "\n"), false},
		"newlines":     {fill("", "\n", ""), false},
		"quotes":       {fill("", `"`, "\n"), false},
		"brackets":     {fill("", "[", "\n"), false},
		"nested":       {fill(`{"x":`, `{"x":`, "\n"), false},
		"spaces":       {fill("", " ", line), false},
		"unknown keys": {fill(`{"system":"a",`, `"key":[1,2],`, `"dataset":"b"}`+"\n"), false},
	} {
		t.Run(about, func(t *testing.T) {
			var err error
			watch.Within(t, len(tt.text), func() { _, _, err = readResults(tt.text, "x") })
			if (err == nil) != tt.good || err != nil && len(err.Error()) > 300 {
				t.Errorf("%.400v", err)
			}
		})
	}
}
