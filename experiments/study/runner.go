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

	mu     sync.Mutex
	wake   *sync.Cond
	stop   func() // ends all runs
	active int
	err    error // the error that ends the study
}

// work executes all runs. It returns the error that ended the study early, or nil if ctx ended.
func (r *runner) work(ctx context.Context) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	r.wake, r.stop = sync.NewCond(&r.mu), stop
	defer context.AfterFunc(ctx, func() { // wakes waiting goroutines
		r.mu.Lock()
		defer r.mu.Unlock()
		r.wake.Broadcast()
	})()
	var wg sync.WaitGroup
	for range min(r.study.Jobs, r.plan.Total) {
		wg.Go(func() {
			for {
				j := r.take(ctx)
				if j == nil {
					return
				}
				r.make(ctx, j)
			}
		})
	}
	wg.Wait()
	return r.err
}

// take returns the next job, or nil if there is none left or the study ends. It waits if the next
// job needs a choice that depends on unfinished runs.
func (r *runner) take(ctx context.Context) *job {
	r.mu.Lock()
	defer r.mu.Unlock()
	for {
		if ctx.Err() != nil || r.err != nil {
			return nil
		}
		for _, p := range r.plan.pairs {
			list := &p.tuning
			if len(*list) == 0 {
				if p.waiting > 0 {
					continue
				}
				list = &p.tests
			}
			if len(*list) > 0 {
				j := (*list)[0]
				*list = (*list)[1:]
				r.active++
				return j
			}
		}
		if r.active == 0 {
			return nil
		}
		r.wake.Wait()
	}
}

// make executes a run and records it.
func (r *runner) make(ctx context.Context, j *job) {
	res, err := j.evaluate(ctx)

	r.mu.Lock()
	defer r.mu.Unlock()
	defer r.wake.Broadcast()
	r.active--
	if err != nil && ctx.Err() != nil {
		return // the run was interrupted
	}
	if fatal := r.record(j, res, err); fatal != nil {
		r.fail(fatal)
		return
	}
	r.plan.Done++
	if err != nil {
		r.plan.Failed++
	}
	if j.tuning {
		j.pair.waiting--
		if j.pair.waiting == 0 && len(j.pair.tuning) == 0 && r.study.Only == Both {
			if fatal := j.pair.choose(r.store); fatal != nil {
				r.fail(fatal)
				return
			}
		}
	}
	if r.observe != nil {
		r.plan.Seconds = time.Since(r.start).Seconds()
		r.observe(Progress{r.plan.Summary, j.run(), err})
	}
}

// fail ends the study.
func (r *runner) fail(err error) {
	r.err = errors.Join(r.err, err)
	r.stop()
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
