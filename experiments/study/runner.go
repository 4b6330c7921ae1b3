package study

import (
	"context"
	"errors"
	"sync"
	"time"
)

// runner executes the runs of a plan on several goroutines.
type runner struct {
	study   *Study
	store   *store
	plan    *plan
	observe func(Progress)
	start   time.Time

	mu   sync.Mutex
	stop func() // ends all runs
	err  error  // the error that ends the study
}

// work executes the tuning runs, then the test runs with the settings that they choose. It returns the
// error that ended the study early, or nil if ctx ended.
func (r *runner) work(ctx context.Context) error {
	ctx, r.stop = context.WithCancel(ctx)
	defer r.stop()
	var tuning, tests []*job
	for _, p := range r.plan.pairs {
		tuning = append(tuning, p.tuning...)
	}
	r.all(ctx, tuning)
	for _, p := range r.plan.pairs {
		if len(p.tuning) > 0 && r.study.Only == Both && ctx.Err() == nil {
			if err := p.choose(r.store); err != nil {
				return err
			}
		}
		tests = append(tests, p.tests...)
	}
	r.all(ctx, tests)
	return r.err
}

// all executes jobs until ctx ends.
func (r *runner) all(ctx context.Context, jobs []*job) {
	next := make(chan *job)
	var wg sync.WaitGroup
	for range min(r.study.Jobs, len(jobs)) {
		wg.Go(func() {
			for j := range next {
				r.make(ctx, j)
			}
		})
	}
	for _, j := range jobs {
		if ctx.Err() != nil {
			break
		}
		next <- j
	}
	close(next)
	wg.Wait()
}

// make executes a run and records it.
func (r *runner) make(ctx context.Context, j *job) {
	res, err := j.evaluate(ctx)

	r.mu.Lock()
	defer r.mu.Unlock()
	if err != nil && ctx.Err() != nil {
		return // the run was interrupted
	}
	if fatal := r.record(j, res, err); fatal != nil {
		r.err = errors.Join(r.err, fatal)
		r.stop()
		return
	}
	r.plan.Done++
	if err != nil {
		r.plan.Failed++
	}
	if r.observe != nil {
		r.plan.Seconds = time.Since(r.start).Seconds()
		r.observe(Progress{r.plan.Summary, j.run(), err})
	}
}

// record writes a run to the files and stores it for the choice of a setting.
func (r *runner) record(j *job, res Result, err error) error {
	s := r.store
	switch {
	case err != nil:
		f := j.failure(err)
		s.failed[f.key()] = f
		return s.add(s.failures, f)
	case j.tuning:
		s.doneTuning[j.key()] = res
		return s.add(s.tuning, res)
	default:
		s.doneResults[j.key()] = res
		return s.add(s.results, res)
	}
}
