package study

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"github.com/mpcvm/mpcvm/internal/testkit/must"
)

// Runs made one by one, in any order and some twice, give the lines of a study.
func TestMake(t *testing.T) {
	s, dir := example(t), filepath.Join(t.TempDir(), "one")
	run(t, s, dir)
	plan := must.Get(s.Plan(filepath.Join(dir, "none")))(t)
	plan = append(plan, plan[:3]...)
	rand.New(rand.NewPCG(1, 1)).Shuffle(len(plan), func(i, j int) { plan[i], plan[j] = plan[j], plan[i] })

	type of struct{ system, dataset string }
	tuning := map[of][]Result{}
	do := func(r Run) Result {
		res, failure, err := s.Make(context.Background(), r)
		if err != nil || failure != nil {
			t.Fatalf("%+v: %v, %+v", r, err, failure)
		}
		return *res
	}
	for _, r := range plan {
		if r.Tuning {
			k := of{r.System, r.Dataset}
			tuning[k] = append(tuning[k], do(r))
		}
	}
	all := map[string]bool{}
	for _, r := range plan {
		if r.Tuning {
			continue
		}
		params := must.Get(s.Choose(r.System, r.Dataset, tuning[of{r.System, r.Dataset}], nil))(t)
		r.Params = &Setting{Params: params}
		res := do(r)
		res.FitSeconds, res.PredictSeconds, res.Jobs = 0, 0, 0
		text := must.Get(json.Marshal(res))(t)
		all[string(text)] = true
	}
	if !slices.Equal(slices.Sorted(maps.Keys(all)), lines(t, dir)) {
		t.Errorf("%d lines, which differ from the study's", len(all))
	}
}

func TestMakeErrors(t *testing.T) {
	s := example(t)
	ctx := context.Background()
	if _, _, err := s.Make(ctx, Run{System: "none", Dataset: "blobs"}); err == nil {
		t.Error("no error for an unknown system")
	}
	if _, _, err := s.Make(ctx, Run{System: "plain", Dataset: "blobs", Partition: 8}); !errors.Is(err,
		ErrPartition) {
		t.Error(err)
	}
	if _, err := s.Choose("tuned", "blobs", nil, nil); !errors.Is(err, ErrMissing) {
		t.Error(err)
	}
	_, failure, err := s.Make(ctx, Run{System: "tuned", Dataset: "blobs", Partition: 2})
	if err != nil || failure == nil || failure.Error != errNoSetting.Error() || failure.Params.Seed != 3 ||
		failure.Data == "" {
		t.Errorf("%+v, %v", failure, err)
	}
	var failures []Failure
	for _, v := range []float64{1, 0.1, 10} {
		failures = append(failures, Failure{System: "tuned", Dataset: "blobs", Partition: 0, Tuning: true,
			Params: Setting{Params{"temp": v}, 1}})
	}
	if params, err := s.Choose("tuned", "blobs", nil, failures); params != nil || err != nil {
		t.Errorf("%v, %v", params, err)
	}
	stopped, cancel := context.WithCancel(ctx)
	cancel()
	if _, _, err := s.Make(stopped, Run{System: "plain", Dataset: "blobs", Partition: 2,
		Params: &Setting{}}); !errors.Is(err, context.Canceled) && err != nil {
		t.Error(err)
	}
}
