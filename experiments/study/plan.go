package study

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// job is a run with its inputs. params of a test run is nil until it is chosen.
type job struct {
	pair      *pair
	partition int
	tuning    bool
	params    *Params
}

// setting returns the setting of the fit. params must be set.
func (j *job) setting() Setting {
	return Setting{Params: *j.params, Seed: j.pair.study.Seed + uint64(j.partition)}
}

func (j *job) run() Run {
	r := Run{System: j.pair.system.Name, Dataset: j.pair.problem.Name, Partition: j.partition, Tuning: j.tuning}
	if j.params != nil {
		r.Params = new(j.setting())
	}
	return r
}

// key returns the key of the job's result.
func (j *job) key() key {
	f := Failure{System: j.pair.system.Name, Dataset: j.pair.problem.Name, Partition: j.partition,
		Tuning: j.tuning}
	if j.tuning {
		f.Params = j.setting()
	}
	return f.key()
}

// pair is a system on a data set.
type pair struct {
	study   *Study
	system  *System
	problem *Problem

	grid          []Params
	tuning, tests []*job // to be executed
	chosen        *Params
}

func newPair(s *Study, system *System, problem *Problem) *pair {
	p := &pair{study: s, system: system, problem: problem, grid: system.grid()}
	if !p.tuned() {
		p.chosen = &p.grid[0]
	}
	return p
}

// tuned reports whether there is more than one setting.
func (p *pair) tuned() bool { return len(p.grid) > 1 }

// plan holds the runs to be executed, pair by pair.
type plan struct {
	pairs []*pair
	Summary
}

// newPlan plans the runs of the study that are not in the folder.
func newPlan(s *Study, st *store) (*plan, error) {
	p := &plan{}
	next := 0 // index of the next unit of work
	mine := func() bool {
		next++
		return (next-1)%s.Shards == s.Shard-1
	}
	// add appends a job that is not done yet. Shards of a single phase divide the jobs.
	add := func(list *[]*job, j *job) error {
		if s.Only != Both && !mine() {
			return nil
		}
		todo, err := p.todo(s, st, j)
		if todo {
			*list = append(*list, j)
		}
		return err
	}
	for d := range s.Problems {
		for i := range s.Systems {
			pr := newPair(s, &s.Systems[i], &s.Problems[d])
			if s.Only == Both && !mine() {
				continue
			}
			p.pairs = append(p.pairs, pr)
			if s.Only != Testing && pr.tuned() {
				for g := range pr.grid {
					for _, partition := range s.Tune {
						if err := add(&pr.tuning, &job{pair: pr, partition: partition, tuning: true,
							params: &pr.grid[g]}); err != nil {
							return nil, err
						}
					}
				}
			}
			if s.Only == Tuning {
				continue
			}
			for _, partition := range s.Test {
				if err := add(&pr.tests, &job{pair: pr, partition: partition}); err != nil {
					return nil, err
				}
			}
			if len(pr.tuning) == 0 {
				if err := pr.choose(st); err != nil {
					return nil, err
				}
			}
		}
	}
	for _, pr := range p.pairs {
		p.Total += len(pr.tuning) + len(pr.tests)
	}
	return p, nil
}

// todo reports whether a job is still to be done, and counts it if not. A result in the folder must
// be for the same data.
func (p *plan) todo(s *Study, st *store, j *job) (bool, error) {
	done := st.doneResults
	if j.tuning {
		done = st.doneTuning
	}
	k := j.key()
	r, there := done[k]
	if j.tuning && r.LogLoss == nil && j.pair.system.Labels != nil && !j.labelsOnly() {
		there = false // it was made for another rule
	}
	if there {
		if r.Data != "" && r.Data != j.pair.problem.prints[j.partition] {
			return false, fmt.Errorf("study: %w: %s on %s, partition %d: the samples, the rows of the partition or "+
				"their scaling have changed",
				ErrMismatch, k.system, k.dataset, k.partition)
		}
		p.Skipped++
		return false, nil
	}
	if _, failed := st.failed[k]; failed && !s.Retry {
		p.FailedBefore++
		return false, nil
	}
	return true, nil
}

// choose sets the parameters of the test runs based on the tuning runs in the store, all of which
// must be finished. A setting with a failed run is not chosen. If every setting has a failed run,
// the test runs stay without parameters.
func (p *pair) choose(st *store) error {
	if p.chosen == nil {
		best, err := p.best(st)
		if err != nil {
			return err
		}
		p.chosen = best
	}
	if p.chosen == nil {
		return nil
	}
	for _, j := range p.tests {
		j.params = p.chosen
	}
	// Results of earlier processes must have the same setting.
	for _, partition := range p.study.Test {
		j := &job{pair: p, partition: partition, params: p.chosen}
		r, there := st.doneResults[j.key()]
		if there && !r.Params.equal(j.setting()) {
			return fmt.Errorf("study: %w: %s on %s, partition %d: %s, now %s",
				ErrMismatch, r.System, r.Dataset, r.Partition, r.Params, j.setting())
		}
	}
	return nil
}

// best returns the setting that the rule chooses, or nil if every setting has a failed run.
func (p *pair) best(st *store) (*Params, error) {
	var settings []tuned
	for g := range p.grid {
		t, ok, err := p.tunedBy(st, &p.grid[g])
		if err != nil {
			return nil, err
		}
		if ok {
			settings = append(settings, t)
		}
	}
	if len(settings) == 0 {
		return nil, nil
	}
	if p.study.Rule == ByOneSE {
		best := slices.MinFunc(settings, byError)
		limit := best.err + math.Sqrt(best.err*(1-best.err)/float64(best.samples))
		settings = slices.DeleteFunc(settings, func(t tuned) bool { return differ(t.err, limit) > 0 })
	}
	compare := byError
	if p.study.Rule != ByError {
		compare = byLogLoss
	}
	return slices.MinFunc(settings, compare).params, nil // the first on a tie
}

// tuned summarises a setting on the partitions for tuning.
type tuned struct {
	params       *Params
	err, logLoss float64 // means
	samples      int     // test samples of all partitions
}

func byError(a, b tuned) int { return cmp.Or(differ(a.err, b.err), differ(a.logLoss, b.logLoss)) }

func byLogLoss(a, b tuned) int { return cmp.Or(differ(a.logLoss, b.logLoss), differ(a.err, b.err)) }

// differ compares means. Means that differ only by rounding, as sums in a different order, are
// equal.
func differ(a, b float64) int {
	if a == b || math.Abs(a-b) < 1e-12 {
		return 0
	}
	return cmp.Compare(a, b)
}

// tunedBy summarises the tuning runs of a setting. ok is false if a run failed.
func (p *pair) tunedBy(st *store, params *Params) (t tuned, ok bool, err error) {
	t.params = params
	for _, partition := range p.study.Tune {
		j := &job{pair: p, partition: partition, tuning: true, params: params}
		r, there := st.doneTuning[j.key()]
		if !there {
			if _, failed := st.failed[j.key()]; failed {
				return t, false, nil
			}
			return t, false, fmt.Errorf("study: %w: %s on %s with %s, partition %d", ErrMissing, p.system.Name,
				p.problem.Name, params, partition)
		}
		share := 1 / float64(len(p.study.Tune))
		t.err += r.Err * share
		t.samples += r.NTest
		if r.LogLoss == nil {
			t.logLoss = math.Inf(1)
		} else {
			t.logLoss += *r.LogLoss * share
		}
	}
	return t, true, nil
}
