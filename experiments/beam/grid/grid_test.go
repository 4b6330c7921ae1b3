package grid

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/testing/ptest"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/experiments/study"
	"github.com/mpcvm/mpcvm/experiments/systems"
	"github.com/mpcvm/mpcvm/internal/testkit/must"
)

// The tests run on Prism, in this process.
func TestMain(m *testing.M) { ptest.Main(m) }

var times = regexp.MustCompile(`"(fit|predict)_s":[^,]*,`)

// bare returns the lines of a file without their times, sorted.
func bare(t *testing.T, path string) []string {
	t.Helper()
	text := must.Get(os.ReadFile(path))(t)
	return slices.Sorted(strings.Lines(times.ReplaceAllString(string(text), "")))
}

// The pipeline gives the same lines as a single process, except for the times, for systems with and
// without tuning.
func TestPipeline(t *testing.T) {
	dir := t.TempDir()
	thetas := []float64{0.1, 0.3}
	chosen := must.Get(systems.Choose("mpcvm1,mpcvm2,svm,mlr", thetas, true))(t)
	s := study.Study{Systems: chosen, Tune: []int{0, 1}, Test: []int{5, 6, 7}, Rule: study.ByOneSE, Seed: 3,
		Jobs: 1}
	for _, name := range []string{"iris", "wine"} {
		set := must.Load(t, name)
		partitions := must.Get(data.Partitions(name))(t)
		s.Problems = append(s.Problems, study.Problem{Name: name, Set: set, Partitions: partitions})
	}
	one, out, file := filepath.Join(dir, "one"), filepath.Join(dir, "out"), filepath.Join(dir, "study.json")
	if _, err := s.Run(t.Context(), one, nil); err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(Study{
		Data: []string{"iris", "wine"}, Systems: []string{"mpcvm1", "mpcvm2", "svm", "mlr"}, Thetas: thetas,
		Rule: s.Rule, Seed: s.Seed, Tune: s.Tune, Test: s.Test,
	})
	must.OK(t, err)
	must.OK(t, os.WriteFile(file, text, 0o644))

	p, scope := beam.NewPipelineWithRoot()
	Pipeline(scope, Options{Study: file, Out: out})
	ptest.RunAndValidate(t, p)
	for name, lines := range map[string]int{"results.jsonl": 24, "tuning.ndjson": 56} {
		want, got := bare(t, filepath.Join(one, name)), bare(t, filepath.Join(out, name))
		if len(want) != lines || !slices.Equal(want, got) {
			t.Errorf("%s: %d lines differ from the %d lines of a single process:\n%s\n%s", name, len(got), len(want),
				got, want)
		}
	}
	if rest, err := s.Plan(out); err != nil || len(rest) != 0 {
		t.Errorf("%d runs remain, %v", len(rest), err)
	}
}

// A run that fails gives a line of the failures.
func TestFailure(t *testing.T) {
	text, err := json.Marshal(Study{
		Data: []string{"iris"}, Systems: []string{"mpcvm2"}, Thetas: []float64{0.1}, Test: []int{0},
		Partitions: map[string][][]int{"iris": {{0, 1, 2}}}, // with one class
	})
	must.OK(t, err)
	dir := t.TempDir()
	file := filepath.Join(dir, "study.json")
	must.OK(t, os.WriteFile(file, text, 0o644))
	p, scope := beam.NewPipelineWithRoot()
	Pipeline(scope, Options{Study: file, Out: dir})
	ptest.RunAndValidate(t, p)
	failures, err := study.ReadFailures(dir)
	if err != nil || len(failures) != 1 || failures[0].System != "mpcvm2" || failures[0].Error == "" {
		t.Errorf("%+v, %v", failures, err)
	}
}

// A file that does not describe a study is rejected.
func TestParseErrors(t *testing.T) {
	for text, say := range map[string]string{
		"": "EOF", `{"sets": ["iris"]}`: "unknown field",
		`{"data": ["irish"], "systems": ["mlr"], "thetas": [1]}`: "irish",
		`{"data": ["iris"], "systems": ["svn"], "thetas": [1]}`:  "svn",
	} {
		if _, err := parse(text); err == nil || !strings.Contains(err.Error(), say) {
			t.Errorf("%s: %v", text, err)
		}
	}
}
