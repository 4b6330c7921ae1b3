package main

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"time"

	"github.com/mpcvm/mpcvm/internal/progress"
	"github.com/mpcvm/mpcvm/tables/predict"
)

// unit is a batch with its predictions.
type unit struct {
	predict.Predictions
	parse func() (*predict.Batch, error)
	err   error
	done  chan struct{}
}

// score predicts the batches of a file on all cores. One goroutine reads batches, one per core parses,
// predicts and encodes them, and write receives them in order. Units are reused, so memory does not grow with
// the number of rows. score returns the first error of the reader, a unit or write, or ctx.Err().
func (s *source) score(ctx context.Context, p *predict.Predictor, form predict.Format,
	write func(*unit) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel() // the reader may still wait for a pipe
	workers := runtime.GOMAXPROCS(0)
	n := workers + 2 // one more for the reader and one for write
	free, work, order := make(chan *unit, n), make(chan *unit, n), make(chan *unit, n)
	for range n {
		free <- &unit{done: make(chan struct{}, 1)}
	}
	go func() {
		defer close(work)
		defer close(order)
		for {
			var u *unit
			select {
			case u = <-free:
			case <-ctx.Done():
				return
			}
			u.err = guarded(func() (err error) {
				u.parse, err = s.Next(ctx)
				return err
			})
			if u.err != nil {
				u.done <- struct{}{}
				order <- u
				return
			}
			order <- u
			work <- u
		}
	}()
	for range workers {
		go func() {
			for u := range work {
				if ctx.Err() == nil {
					u.err = guarded(func() error { return u.predict(p, form) })
				}
				u.done <- struct{}{}
			}
		}()
	}
	for u := range order {
		select {
		case <-u.done:
		case <-ctx.Done():
			return ctx.Err()
		}
		switch {
		case ctx.Err() != nil: // the unit may not have been processed
			return ctx.Err()
		case u.err == io.EOF:
			return nil
		case u.err != nil:
			return u.err
		}
		if err := write(u); err != nil {
			return err
		}
		free <- u
	}
	return ctx.Err()
}

// predict parses, predicts and encodes a batch.
func (u *unit) predict(p *predict.Predictor, form predict.Format) error {
	batch, err := u.parse()
	if err != nil {
		return err
	}
	if p.Predict(&u.Predictions, batch); len(u.Labels) == 0 {
		return nil // the batch is blank lines
	}
	return form.Encode(&u.Predictions)
}

// pace shows the progress of a prediction.
type pace struct {
	*progress.Progress
	in    *source
	start time.Time
}

// show updates the number of rows done.
func (p *pace) show(rows int64) {
	p.Show(p.in.Share(), fmt.Sprintf("%d rows, %.0f per second", rows,
		float64(rows)/time.Since(p.start).Seconds()))
}
