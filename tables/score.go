package tables

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/internal/polled"
	"github.com/mpcvm/mpcvm/tables/predict"
	"github.com/mpcvm/mpcvm/tables/table"
)

// ScoreSettings configure [Score].
type ScoreSettings struct {
	Model *Model
	// Name is the name of the file, for errors, and Options describe how it is written; what they leave out is
	// detected.
	Name    string
	Options Options
	// Layout lists which columns are read and which are passed through.
	Layout
	// Format is the format of the output: "csv", "json", "jsonl" or "parquet". If it is empty, it is "csv".
	Format string
	// Proba adds the probability of each class, and Sets, if positive, the prediction set with this coverage.
	Proba bool
	Sets  float64
	// Costs replaces the costs of the model; see mpcvm.Model.Decide. It may be nil.
	Costs *mat.Dense
	// Voice puts the reasons why rows cannot be used, and the warnings of the formats, into words. If it is nil,
	// table.Go is used.
	Voice *table.Voice
	// Progress, if not nil, is called after each batch with the number of rows so far and the share of the file
	// that has been read, 0 if unknown.
	Progress func(rows int64, share float64)
}

// Tally is the result of [Score].
type Tally struct {
	predict.Tally
	// Kept lists the columns that were passed through, and Warnings are what the reader noticed and how the
	// rows differ from the training rows.
	Kept     []string
	Warnings []table.Finding
}

// Score predicts the rows of a file of any format and any size, and writes the predictions to w. Rows that
// cannot be used have a reason instead of a class; see predict.Tally.Failure. If the context ends, Score
// returns its error at once, even while it waits for r.
func Score(ctx context.Context, r io.Reader, w io.Writer, s ScoreSettings) (Tally, error) {
	p := predict.New(s.Model, s.Proba)
	if err := p.Configure(s.Costs, s.Sets, s.Voice); err != nil {
		return Tally{}, err
	}
	ctx, cancel := polled.WithCancel(ctx)
	defer cancel() // the reader may still wait for a pipe
	in, err := opened(ctx, r, s)
	if err != nil {
		return Tally{}, err
	}
	p.Keep(in.Kept)
	total := Tally{Kept: in.Kept}
	form, err := p.Format(s.Format)
	if err != nil {
		return total, err
	}
	to := form.Open(w)
	err = in.score(ctx, p, form, func(u *predict.Predictions) error {
		total.Add(u.Tally)
		if s.Progress != nil {
			defer func() { s.Progress(total.Rows, in.Share()) }()
		}
		return to.Write(u)
	})
	if err != nil {
		return total, err
	}
	total.Warnings = slices.Concat(in.Notes(), p.Warnings(total.Tally))
	return total, to.Close(total.Warnings)
}

// opened opens the source. It returns when ctx is done, even while r waits for a pipe.
func opened(ctx context.Context, r io.Reader, s ScoreSettings) (in *Source, err error) {
	done := make(chan error, 1)
	go func() {
		var of *Source
		err := guarded(func() (err error) {
			of, err = OpenSource(ctx, r, s.Name, s.Model, s.Options, s.Layout)
			return err
		})
		in = of
		done <- err
	}()
	select {
	case err := <-done:
		return in, raise(err)
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// unit is a batch with its predictions.
type unit struct {
	predict.Predictions
	parse func() (*predict.Batch, error)
	err   error
	done  chan struct{}
}

// score predicts the batches of a file on all cores. One goroutine reads batches, others parse, predict and
// encode them, and write receives them in order. Units are reused, so memory does not grow with the number of
// rows. score returns the first error of the reader, a unit or write, or ctx.Err().
func (s *Source) score(ctx context.Context, p *predict.Predictor, form predict.Format,
	write func(*predict.Predictions) error) error {
	n := runtime.GOMAXPROCS(0) + 2 // one more for the reader and one for write
	free, order := make(chan *unit, n), make(chan *unit, n)
	for range n {
		free <- &unit{done: make(chan struct{}, 1)}
	}
	go func() {
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
			go func() {
				if ctx.Err() == nil {
					u.err = guarded(func() error { return u.predict(p, form) })
				}
				u.done <- struct{}{}
			}()
		}
	}()
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
			return raise(u.err)
		}
		if err := write(&u.Predictions); err != nil {
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

// crash is a panic of a goroutine with its stack.
type crash string

func (c crash) Error() string { return string(c) }

// guarded calls f and returns its error, or a crash if f panics.
func guarded(f func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = crash(fmt.Sprintf("%v\n\n%s", v, debug.Stack()))
		}
	}()
	return f()
}

// raise panics if an error is a crash, so that the caller of Score can recover it.
func raise(err error) error {
	if c, ok := err.(crash); ok {
		panic(c)
	}
	return err
}
