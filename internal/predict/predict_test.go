package predict

import (
	"bytes"
	"errors"
	"io"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/internal/cell"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
)

// model is of one feature, above zero for the class "a", "b", with a kernel that can
// overflow.
func model(t *testing.T) *mpcvm.Model {
	t.Helper()
	x := mat.NewDense(6, 1, []float64{-3, -2, -1, 1, 2, 3})
	m, _, err := mpcvm.BottomUp{Kernel: kernel.Linear{}}.Fit(t.Context(), x, []int{0, 0, 0, 1, 1, 1})
	if err != nil {
		t.Fatal(err)
	}
	return m.WithNames([]string{"low", `a "b", c`}, []string{"x"})
}

func TestPredict(t *testing.T) {
	p := New(model(t), false)
	var u Predictions
	if err := p.Predict(&u, mat.NewDense(4, 1, []float64{-2, 2, -3, 3}), []string{"low", "low", "", "else"}); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(u.Labels, []int{0, 1, 0, 1}) || u.Classes[1] != `a "b", c` || u.Tally != (Tally{Given: 3, Wrong: 2, Unknown: 1}) {
		t.Errorf("%v %q %+v", u.Labels, u.Classes, u.Tally)
	}
	sum := Tally{Given: 1}
	if sum.Add(u.Tally); sum != (Tally{4, 2, 1}) {
		t.Errorf("%+v", sum)
	}
	if err := p.Predict(&u, &mat.Dense{}, nil); err != nil || len(u.Labels) != 0 || u.Tally != (Tally{}) {
		t.Errorf("%+v, %v", u, err)
	}
	err := At(p.Predict(&u, mat.NewDense(2, 1, []float64{1, math.MaxFloat64}), nil), "far.csv", 10)
	var e *cell.Error
	if !errors.Is(err, ErrTooFar) || !errors.As(err, &e) || e.Row != 12 || err.Error() != "mpcvm: far.csv: row 12: its features are too large for the model" {
		t.Error(err)
	}
	if err := At(io.EOF, "x", 1); err != io.EOF {
		t.Error(err)
	}
}

// What is written in two pieces, by two outputs, is what is written at once.
func TestFormats(t *testing.T) {
	m := model(t)
	x := mat.NewDense(4, 1, []float64{-2, 2, -3, 3})
	for _, proba := range []bool{false, true} {
		p := New(m, proba)
		names := map[string]bool{}
		for _, f := range []Format{p.CSV(), p.JSON(), p.Parquet()} {
			names[f.Name()] = true
			if (strings.Contains(f.Name(), "with probabilities")) != proba {
				t.Errorf("%s of probabilities: %v", f.Name(), proba)
			}
			var parts [2]Predictions
			var once bytes.Buffer
			w := &CountingWriter{W: &once}
			s, err := f.Open(w, 0, nil)
			for i := range parts {
				err = errors.Join(err, p.Predict(&parts[i], x.Slice(2*i, 2*i+2, 0, 1).(*mat.Dense), nil), f.Encode(&parts[i]), s.Write(&parts[i]))
			}
			if err = errors.Join(err, s.Write(&Predictions{}), s.Close()); err != nil || w.N != int64(once.Len()) {
				t.Fatal(err)
			}
			var twice bytes.Buffer
			w = &CountingWriter{W: &twice}
			s, err = f.Open(w, 0, nil)
			err = errors.Join(err, s.Write(&parts[0]))
			var meta [][]byte
			if len(parts[0].Meta()) > 0 {
				meta = append(meta, parts[0].Meta())
			}
			s, errOpen := f.Open(w, 2, meta)
			if err = errors.Join(err, errOpen, s.Write(&parts[1]), s.Close()); err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(once.Bytes(), twice.Bytes()) {
				t.Errorf("%s: continued, it differs:\n%q\n%q", f.Name(), once.Bytes(), twice.Bytes())
			}
		}
		if len(names) != 3 {
			t.Errorf("%v", names)
		}
		var u Predictions
		var text bytes.Buffer
		if err := errors.Join(p.Predict(&u, x, nil), Write(&text, p.CSV(), &u)); err != nil {
			t.Fatal(err)
		}
		if got := text.String(); !strings.HasPrefix(got, "class") || strings.Contains(got, "p(low)") != proba || strings.Count(got, `"a ""b"", c"`) != 2 {
			t.Error(got)
		}
	}
	if _, err := New(m, true).Parquet().Open(&CountingWriter{W: io.Discard, N: 7}, 2, nil); err == nil {
		t.Error("another file is continued")
	}
}
