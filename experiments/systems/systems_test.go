package systems

import (
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/experiments/study"
	"github.com/mpcvm/mpcvm/internal/testkit/must"
	"github.com/mpcvm/mpcvm/mpcvm/score"
)

// TestChoose checks that every system fits with its first parameters, has few errors on simple data,
// and has the grids given by widths and tuning.
func TestChoose(t *testing.T) {
	set, fresh := data.Blobs(45, 3, 2, 0.3, 1), data.Blobs(90, 3, 2, 0.3, 2)
	all := Names(true)
	if usual := Names(false); len(usual) != 7 || !slices.Equal(usual, all[:7]) {
		t.Errorf("usual systems %q", usual)
	}
	systems := must.Get(Choose(strings.Join(all, ", "), []float64{0.5, 2}, false))(t)
	for i, s := range systems {
		params := study.Params{}
		if len(s.Grid) > 0 {
			params = s.Grid[0]
		}
		if s.Name != all[i] || params["theta"] != 0 && (params["theta"] != 0.5 || len(s.Grid) != 2) {
			t.Errorf("%s: named %s, grid %v", all[i], s.Name, s.Grid)
		}
		c, err := s.Fit(t.Context(), params, set.X, set.T, 1)
		if err != nil {
			t.Errorf("%s: %v", s.Name, err)
			continue
		}
		if e := must.Get(score.ErrorRate(c.Predict(nil, fresh.X), fresh.T))(t); e > 0.25 {
			t.Errorf("%s: error rate %g", s.Name, e)
		}
		_, scored := c.(study.Scorer)
		if scored != (s.Name == "dlsr") {
			t.Errorf("%s: AUC by scores is %v", s.Name, scored)
		}
		if note := c.(study.Noter).Note(); strings.Contains(note, "chose ") != (strings.HasSuffix(s.Name, "+cv") ||
			strings.HasPrefix(s.Name, "auto")) {
			t.Errorf("%s: note %q", s.Name, note)
		}
		if s.Labels != nil {
			c, err := s.Labels(t.Context(), params, set.X, set.T, 1)
			if err != nil || len(c.Predict(nil, mat.NewDense(1, 2, nil))) != 1 {
				t.Errorf("%s without probabilities: %v", s.Name, err)
			}
		}
	}
	tuned := must.Get(Choose("svm,dlsr,mlr,mpcvm1", []float64{0.5, 2}, true))(t)
	for i, want := range []int{10, 5, 1, 2} {
		if got := len(tuned[i].Grid); got != want {
			t.Errorf("%s has a grid of %d, want %d", tuned[i].Name, got, want)
		}
	}
	if _, err := Choose("svm,svn", nil, false); err == nil || !strings.Contains(err.Error(), `"svn"`) {
		t.Errorf("error %v", err)
	}
}
