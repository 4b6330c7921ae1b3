package study

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

// Rule is the rule by which tuning chooses a setting.
type Rule string

const (
	// ByError chooses the highest mean accuracy over the partitions, the paper's rule; on a tie the
	// lower mean log loss, then the earlier in the grid.
	ByError Rule = "error"
	// ByLogLoss chooses the lowest mean log loss; on a tie the lower mean error, then the earlier in
	// the grid.
	ByLogLoss Rule = "logloss"
	// ByOneSE chooses the lowest mean log loss among the settings whose mean error is within one
	// standard error of the lowest mean error e: √(e(1 − e)/n) for the n test samples of all
	// partitions for tuning. (Breiman, Friedman, Olshen and Stone 1984, "Classification and
	// Regression Trees", section 3.4.3, choose the simplest of these settings.)
	ByOneSE Rule = "one-se"
)

// Rules lists all rules.
var Rules = []Rule{ByError, ByLogLoss, ByOneSE}

// Phase selects the runs of a study.
type Phase int

const (
	// Both runs tuning and test. Shards divide the pairs of system and data set.
	Both Phase = iota
	// Tuning runs only the tuning. Shards divide single runs.
	Tuning
	// Testing runs only the test; the tuning must be finished. Shards divide single runs.
	Testing
)

// Study compares systems on problems. Its results, apart from times, do not depend on Jobs,
// on shards or on interruptions.
type Study struct {
	Systems  []System
	Problems []Problem
	// Tune and Test are the indices of the partitions for tuning and for the test. Systems with one
	// setting are not tuned.
	Tune, Test []int
	// Rule chooses the settings. The default is ByError.
	Rule Rule
	// Seed is the seed of the fits: fits on partition p use Seed + p.
	Seed uint64
	// Jobs is the number of runs at a time. The default is 1.
	Jobs int
	// Only restricts the study to a phase.
	Only Phase
	// Shard, from 1 to Shards, selects a share of the work. Each shard writes files of its own and
	// may share the folder with the others. If both are zero, the study is not divided.
	Shard, Shards int
	// Retry repeats runs that failed before. By default they are skipped.
	Retry bool
}

// Run is a fit of a system and its test.
type Run struct {
	System    string `json:"system"`
	Dataset   string `json:"dataset"`
	Partition int    `json:"partition"`
	Tuning    bool   `json:"tuning"` // true for a tuning run
	// Params is nil until tuning has chosen it.
	Params *Setting `json:"params"`
}

// Progress is the progress of a study: the Run that has ended, with Err if it failed, and the runs so far.
type Progress struct {
	Summary
	Run Run
	Err error
}

// Summary counts the runs of a study.
type Summary struct {
	// Done is the number of runs since the start, Failed the number of failed ones among them, and
	// Total the number of runs to be executed. Skipped is the number of runs that were finished
	// before, and FailedBefore of runs that were skipped because they failed before.
	Done, Failed, Skipped, FailedBefore, Total int
	// Seconds is the time since the start.
	Seconds float64
}

// Causes of errors of Study, for use with errors.Is.
var (
	ErrNoTuning  = errors.New("several settings and no partitions for tuning")
	ErrPartition = errors.New("no such partition")
	ErrMissing   = errors.New("not tuned yet")
	ErrMismatch  = errors.New("the folder holds results of other data or settings")
	ErrFailed    = errors.New("runs failed")
	ErrBusy      = errors.New("another process is writing to it")
)

// check checks the study and fills in defaults.
func (s *Study) check() error {
	s.Rule = cmp.Or(s.Rule, ByError)
	if !slices.Contains(Rules, s.Rule) {
		return fmt.Errorf("study: unknown rule %q", s.Rule)
	}
	s.Jobs = max(s.Jobs, 1)
	if s.Shards == 0 && s.Shard == 0 {
		s.Shard, s.Shards = 1, 1
	}
	if s.Shard < 1 || s.Shard > s.Shards {
		return fmt.Errorf("study: shard %d of %d", s.Shard, s.Shards)
	}
	names := map[string]bool{}
	s.Systems, s.Problems = slices.Clone(s.Systems), slices.Clone(s.Problems)
	for i := range s.Systems {
		sys := &s.Systems[i]
		if err := sys.check(); err != nil {
			return err
		}
		if names[sys.Name] {
			return fmt.Errorf("study: two systems are named %q", sys.Name)
		}
		names[sys.Name] = true
		if len(sys.Grid) > 1 && len(s.Tune) == 0 {
			return fmt.Errorf("study: %s: %w", sys.Name, ErrNoTuning)
		}
	}
	clear(names)
	for i := range s.Problems {
		p := &s.Problems[i]
		if err := p.check(); err != nil {
			return err
		}
		if names[p.Name] {
			return fmt.Errorf("study: two data sets are named %q", p.Name)
		}
		names[p.Name] = true
		for _, partition := range slices.Concat(s.Tune, s.Test) {
			if err := p.has(partition); err != nil {
				return err
			}
		}
	}
	for _, list := range [][]int{s.Tune, s.Test} {
		if sorted := slices.Sorted(slices.Values(list)); len(slices.Compact(sorted)) < len(list) {
			return errors.New("study: a partition is listed twice")
		}
	}
	return nil
}

// suffix is common to the names of a shard's files; "" without shards.
func (s *Study) suffix() string {
	if s.Shards == 1 {
		return ""
	}
	return fmt.Sprintf("-%d-of-%d", s.Shard, s.Shards)
}

// Plan lists the runs that Run would execute in the folder, without writing to it. A folder that
// does not exist counts as empty. With dir "" it lists all runs of the study.
func (s Study) Plan(dir string) ([]Run, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	st := newStore()
	if dir != "" {
		if err := st.read(dir); err != nil {
			return nil, err
		}
	}
	p, err := newPlan(&s, st)
	if err != nil {
		return nil, err
	}
	var runs []Run
	for _, pr := range p.pairs {
		for _, j := range slices.Concat(pr.tuning, pr.tests) {
			runs = append(runs, j.run())
		}
	}
	return runs, nil
}

// Run executes the runs of the study that are not in the folder yet and appends them to its files.
// After each run it calls observe, unless it is nil, from one goroutine at a time.
//
// A run that fails is recorded as a failure and the others continue; at the end the error is
// ErrFailed. If ctx ends first, the finished runs are kept and the error wraps ctx.Err().
func (s Study) Run(ctx context.Context, dir string, observe func(Progress)) (sum Summary, err error) {
	start := time.Now()
	if err := s.check(); err != nil {
		return sum, err
	}
	st, err := open(dir, s.suffix())
	if err != nil {
		return sum, err
	}
	defer func() { err = errors.Join(err, st.close()) }()
	p, err := newPlan(&s, st)
	if err != nil {
		return sum, err
	}
	r := &runner{study: &s, store: st, plan: p, observe: observe, start: start}
	err = r.work(ctx)
	p.Seconds = time.Since(start).Seconds()
	sum = p.Summary
	switch {
	case err != nil:
		return sum, err
	case ctx.Err() != nil:
		return sum, fmt.Errorf("study: interrupted: %w", ctx.Err())
	case sum.Failed+sum.FailedBefore > 0:
		return sum, fmt.Errorf("study: %w: %d", ErrFailed, sum.Failed+sum.FailedBefore)
	}
	return sum, nil
}
