package study

import (
	"context"
	"errors"
	"fmt"
	"slices"
)

// pairOf returns a pair for runs without a folder.
func (s *Study) pairOf(system, dataset string) (*pair, error) {
	i := slices.IndexFunc(s.Systems, func(v System) bool { return v.Name == system })
	d := slices.IndexFunc(s.Problems, func(v Problem) bool { return v.Name == dataset })
	if i < 0 || d < 0 {
		return nil, fmt.Errorf("study: the study does not include system %q on %q", system, dataset)
	}
	return newPair(s, &s.Systems[i], &s.Problems[d]), nil
}

// Make executes one run without a folder, for engines that distribute the runs of a Plan. It returns
// what Run would record: a result or a failure. Repeated, it returns the same except for the times.
// A test run needs its setting, whose seed is ignored; see Choose. The error is the error of ctx, or
// reports that the run is not in this study.
func (s Study) Make(ctx context.Context, r Run) (*Result, *Failure, error) {
	if err := s.check(); err != nil {
		return nil, nil, err
	}
	p, err := s.pairOf(r.System, r.Dataset)
	if err != nil {
		return nil, nil, err
	}
	if err := p.problem.has(r.Partition); err != nil {
		return nil, nil, err
	}
	j := &job{pair: p, partition: r.Partition, tuning: r.Tuning}
	if r.Params != nil {
		j.params = &r.Params.Params
	}
	res, err := j.evaluate(ctx)
	switch {
	case err == nil:
		return &res, nil, nil
	case ctx.Err() != nil:
		return nil, nil, fmt.Errorf("study: interrupted: %w", ctx.Err())
	}
	f := j.failure(err)
	return nil, &f, nil
}

// Choose returns the setting that the rule chooses for a system on a data set, given its tuning
// results and failures in any order. It is nil if every setting has a failed run. If a run is
// missing, the error is ErrMissing.
func (s Study) Choose(system, dataset string, tuning []Result, failures []Failure) (Params, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	p, err := s.pairOf(system, dataset)
	if err != nil {
		return nil, err
	}
	if p.chosen != nil {
		return *p.chosen, nil
	}
	st := newStore()
	for _, r := range tuning {
		st.doneTuning[r.key(true)] = r
	}
	for _, f := range failures {
		st.failed[f.key()] = f
	}
	best, err := p.best(st)
	if err != nil || best == nil {
		return nil, err
	}
	return *best, nil
}

// errNoSetting is the failure of a test run for which no setting could be chosen.
var errNoSetting = errors.New("every setting has a tuning run that failed")

// failure describes a run that failed.
func (j *job) failure(err error) Failure {
	f := Failure{
		System: j.pair.system.Name, Dataset: j.pair.problem.Name, Partition: j.partition, Tuning: j.tuning,
		Error: err.Error(), Data: j.pair.problem.prints[j.partition],
	}
	f.Params.Seed = j.pair.study.Seed + uint64(j.partition)
	if j.params != nil {
		f.Params = j.setting()
	}
	return f
}
