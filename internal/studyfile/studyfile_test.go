package studyfile

import (
	"encoding/json"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/internal/systems"
	"github.com/mpcvm/mpcvm/mpcvm/study"
)

// TestFile: a study that was written and read is the same, its numbers to the last bit.
func TestFile(t *testing.T) {
	chosen, err := systems.Choose("svm,mpcvm2", []float64{0.1, 1. / 3}, true)
	if err != nil {
		t.Fatal(err)
	}
	set := data.Blobs(12, 3, 2, 1, 1)
	set.X.Set(3, 1, math.Nextafter(1, 2))
	missing := -9.5
	want := study.Study{
		Systems: chosen, Rule: study.ByOneSE, Seed: 1<<63 + 1, Jobs: 2, Tune: []int{0, 1}, Test: []int{2},
		Problems: []study.Problem{
			{Name: "a", Set: set, Partitions: [][]int{{0, 1, 2}, {3, 4, 5}, {6, 7, 8}}, Missing: &missing, Series: "s"},
			{Name: "b", Set: set.Subset([]int{0, 1, 2, 3}), Partitions: [][]int{{0, 1, 2}}, Raw: true},
		},
	}
	text, err := json.Marshal(New(want, []float64{0.1, 1. / 3}, true))
	if err != nil {
		t.Fatal(err)
	}
	f, err := Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	got, err := f.Study()
	if err != nil {
		t.Fatal(err)
	}
	for i, s := range got.Systems {
		if s.Name != chosen[i].Name || !reflect.DeepEqual(s.Grid, chosen[i].Grid) {
			t.Errorf("system %s with grid %v, want %s with %v", s.Name, s.Grid, chosen[i].Name, chosen[i].Grid)
		}
	}
	for i, p := range got.Problems {
		q := want.Problems[i]
		if !mat.Equal(p.Set.X, q.Set.X) || !slices.Equal(p.Set.T, q.Set.T) {
			t.Errorf("%s: %v", p.Name, mat.Formatted(p.Set.X))
		}
		got.Problems[i].Set, want.Problems[i].Set = nil, nil
	}
	got.Systems, want.Systems = nil, nil
	if !reflect.DeepEqual(got, want) {
		t.Errorf("read    %+v\nwritten %+v", got, want)
	}

	for what, bad := range map[string]string{
		"nothing":       "",
		"no format":     "{}",
		"other format":  strings.Replace(string(text), format, "mpcvm study 0", 1),
		"no system":     strings.Replace(string(text), `"svm"`, `"svn"`, 1),
		"lost a number": strings.Replace(string(text), `"x":[`, `"x":[1,`, 1),
		"no features":   strings.Replace(string(text), `"features":["`, `"features":[],"_":["`, 1),
	} {
		f, err := Parse([]byte(bad))
		if err == nil {
			_, err = f.Study()
		}
		if err == nil || !strings.HasPrefix(err.Error(), "study file: ") {
			t.Errorf("%s: error %v", what, err)
		}
	}
}
