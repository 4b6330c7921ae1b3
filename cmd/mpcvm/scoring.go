package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"runtime"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/mpcvm"
)

// scoring predicts the batches of a file on all cores: one goroutine reads them, as
// many as there are cores parse, predict and encode them, and the caller writes them in
// order. The units of work go round, so that memory does not grow with the rows.
type scoring struct {
	model  *mpcvm.Model
	names  []string       // of the classes
	known  map[string]int // their labels
	proba  bool
	first  int64               // rows before the first unit
	encode func(u *unit) error // sets out, on any goroutine
}

// unit is a batch on its way.
type unit struct {
	batch   data.Batch
	values  *mat.Dense // potentials, or probabilities if they are asked for
	memory  []float64  // of values
	labels  []int
	classes []string // names of the labels
	out     encoded
	tally   tally
	bad     int // first row without a prediction, −1 if there is none
	err     error
	done    chan struct{}
}

// encoded is a piece of the output: text, or the row group of a Parquet file with its
// metadata.
type encoded struct {
	bytes, meta []byte
}

// tally counts how the classes that were given were predicted.
type tally struct {
	Given   int64 `json:"given"`
	Wrong   int64 `json:"wrong"`
	Unknown int64 `json:"unknown"` // to the model
}

func (t *tally) add(other tally) {
	t.Given += other.Given
	t.Wrong += other.Wrong
	t.Unknown += other.Unknown
}

func newScoring(m *mpcvm.Model, proba bool) *scoring {
	s := &scoring{model: m, names: m.ClassNames(), known: map[string]int{}, proba: proba}
	for c, name := range s.names {
		s.known[name] = c
	}
	return s
}

// run calls write with the units in order. It returns the first error of the reader, of
// a unit or of write, or that of ctx.
func (s *scoring) run(ctx context.Context, r data.BatchReader, write func(*unit) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel() // a reader that waits for a pipe is left alone
	workers := runtime.GOMAXPROCS(0)
	n := workers + 2 // one more is being read, and one written
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
			u.err = r.Read(&u.batch)
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
					u.err = s.score(u)
				}
				u.done <- struct{}{}
			}
		}()
	}
	rows := s.first
	for u := range order {
		select {
		case <-u.done:
		case <-ctx.Done():
			return ctx.Err()
		}
		switch {
		case ctx.Err() != nil: // the unit may not have been worked on
			return ctx.Err()
		case u.err == io.EOF:
			return nil
		case u.err != nil:
			return u.err
		case u.bad >= 0:
			return rowError(rows + int64(u.bad))
		}
		rows += int64(len(u.labels))
		if err := write(u); err != nil {
			return err
		}
		free <- u
	}
	return ctx.Err()
}

// score parses, predicts and encodes a batch.
func (s *scoring) score(u *unit) error {
	if err := u.batch.Parse(); err != nil {
		return err
	}
	n, _ := u.batch.X.Dims()
	u.bad, u.tally = -1, tally{}
	u.labels, u.classes, u.out.meta = slices.Grow(u.labels[:0], n)[:n], slices.Grow(u.classes[:0], n)[:n], nil
	if n == 0 { // blank lines
		u.out.bytes = u.out.bytes[:0]
		return nil
	}
	s.predict(u, n)
	if u.bad >= 0 {
		return nil
	}
	for i, label := range u.labels {
		u.classes[i] = s.names[label]
	}
	for i, class := range u.batch.Class {
		if class == "" {
			continue
		}
		label, known := s.known[class]
		u.tally.Given++
		if !known {
			u.tally.Unknown++
		}
		if !known || label != u.labels[i] {
			u.tally.Wrong++
		}
	}
	return s.encode(u)
}

// predict sets values, labels and bad.
func (s *scoring) predict(u *unit, n int) {
	u.memory = slices.Grow(u.memory[:0], n*len(s.names))[:n*len(s.names)]
	u.values = mat.NewDense(n, len(s.names), u.memory)
	if s.proba {
		s.model.Proba(u.values, u.batch.X)
	} else { // a third of the work
		s.model.Potentials(u.values, u.batch.X)
	}
	for i := range n {
		row := u.values.RawRowView(i)
		u.labels[i] = best(row)
		if u.labels[i] < 0 || math.IsInf(row[u.labels[i]], 0) {
			u.bad = i
			return
		}
	}
}

// best returns the first index of the largest value, −1 where one is no number: what
// Predict says, of potentials or of probabilities.
func best(row []float64) int {
	return slices.Index(row, slices.Max(row))
}

// rowError is the error of a sample, counted from 0, too far away for numbers: linear
// and polynomial kernels overflow.
type rowError int64

func (e rowError) Error() string {
	return fmt.Sprintf("row %d, counted from 0: its features are too large for the model", int64(e))
}
