package assess

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/floats"

	"github.com/mpcvm/mpcvm/internal/cell"
	"github.com/mpcvm/mpcvm/internal/fitting"
)

// WriteFolds writes the folds as CSV with the columns row, repeat and fold, which count from 1. A
// row is one of the table, without the header. The fold is 0 for a row that belongs to every training
// part, such as the only one of its class: no prediction of it is needed. The training part of a fold
// has the rows of all other folds. If the folds follow a time, it has the earlier rows only: fold 0
// and the folds with larger numbers.
func (r *Results) WriteFolds(w io.Writer) error {
	c := csv.NewWriter(w)
	if err := c.Write([]string{"row", "repeat", "fold"}); err != nil {
		return err
	}
	for repeat, fold := range r.Fold {
		for i, row := range r.Rows {
			line := []string{strconv.Itoa(row + 1), strconv.Itoa(repeat + 1), strconv.Itoa((fold[i] + 1) % (r.Folds + 1))}
			if err := c.Write(line); err != nil {
				return err
			}
		}
	}
	c.Flush()
	return c.Error()
}

// Errors of ReadAgainst, for errors.Is.
var (
	ErrAgainst = errors.New("predictions do not fit the folds")
)

// against reads the predictions of a system from outside.
type against struct {
	*Results
	name   string
	header []string
	line   int
	out    Outcome
	place  map[int]int // of a row of the table (from 1) in Rows
	// columns; −1 without
	row, repeat, fold, class int
	label                    *cell.Labels
	p                        []int // of each class; nil without
}

// ReadAgainst adds the system of a CSV file: the predictions of any program on the same folds
// (see WriteFolds). name names the system, and file is for errors. The columns are
//
//   - row, and repeat if there are several, as WriteFolds writes them;
//   - class, the predicted class; or p(CLASS) with the probability of each class; or both.
//     Without class, the class is the one of the largest probability. A class may be written in
//     another way, such as 1.0 or 1e0 for 1, or in another letter case;
//   - fold, if it is there: it must agree with WriteFolds.
//
// Other columns are ignored. There must be a line for each row and repeat with a fold. Without
// probabilities log loss and AUC are not defined. An error names line and column; the results do
// not change then.
func (r *Results) ReadAgainst(in io.Reader, name, file string) error {
	c := csv.NewReader(in)
	c.FieldsPerRecord, c.ReuseRecord = -1, true
	header, err := c.Read()
	if err != nil {
		return &cell.Error{Package: "assess", Name: file, Line: 1, Err: fmt.Errorf("%w: no header: %w", ErrAgainst, err)}
	}
	header = slices.Clone(header)
	header[0] = strings.TrimPrefix(header[0], "\ufeff")
	a := &against{Results: r, name: file, header: header, line: 1, out: newOutcome(r, name), place: map[int]int{}, label: cell.NewLabels(r.Classes)}
	if err := a.columns(); err != nil {
		return err
	}
	for i, row := range r.Rows {
		a.place[row+1] = i
	}
	for {
		record, err := c.Read()
		if err == io.EOF {
			break
		}
		if err != nil {
			return &cell.Error{Package: "assess", Name: file, Err: err} // names the line
		}
		a.line, _ = c.FieldPos(0)
		if err := a.read(record); err != nil {
			return err
		}
	}
	for repeat, labels := range a.out.Labels {
		for n, label := range labels {
			if label < 0 && r.Fold[repeat][n] < r.Folds {
				a.line = 0
				return a.fail(-1, "", fmt.Sprintf("no line for row %d, repeat %d", r.Rows[n]+1, repeat+1))
			}
		}
	}
	if a.p == nil {
		a.out.Proba = nil
	}
	if r.done == nil && len(r.Systems) == 0 { // of Deal
		r.done = fitting.All(r.Folds * r.Repeats)
	}
	r.Systems = append(r.Systems, a.out)
	return nil
}

// fail is the error of a cell; column counts from 0, −1 for none.
func (a *against) fail(column int, value, format string, args ...any) error {
	e := &cell.Error{Package: "assess", Name: a.name, Line: a.line, Column: column + 1, Value: value, Err: fmt.Errorf("%w: "+format, append([]any{ErrAgainst}, args...)...)}
	if column >= 0 {
		e.Header = a.header[column]
	}
	return e
}

// columns finds the columns.
func (a *against) columns() error {
	find := func(name string) int { return slices.Index(a.header, name) }
	for j, name := range a.header {
		if slices.Contains(a.header[:j], name) {
			return a.fail(j, "", "the name is used twice")
		}
	}
	a.row, a.repeat, a.fold, a.class = find("row"), find("repeat"), find("fold"), find("class")
	if a.row < 0 {
		return a.fail(-1, "", "no column named row")
	}
	if a.repeat < 0 && a.Repeats > 1 {
		return a.fail(-1, "", "no column named repeat, and there are %d repeats", a.Repeats)
	}
	p := make([]int, len(a.Classes))
	for c := range p {
		p[c] = -1
	}
	for j, name := range a.header {
		rest, begins := strings.CutPrefix(name, "p(")
		class, ends := strings.CutSuffix(rest, ")")
		if !begins || !ends {
			continue
		}
		c := a.label.Find(class, nil)
		if c < 0 {
			return a.fail(j, "", "no class of the table is called %q", cell.Shorten(class))
		}
		if p[c] >= 0 {
			return a.fail(j, "", "%s is a column of the same class", a.header[p[c]])
		}
		p[c], a.p = j, p
	}
	missing := ""
	if c := slices.Index(p, -1); c >= 0 {
		missing = a.Classes[c]
	}
	switch {
	case a.p == nil && a.class < 0:
		return a.fail(-1, "", "no column named class, and none named p(%s)", cell.Shorten(a.Classes[0]))
	case a.p != nil && missing != "":
		return a.fail(-1, "", "no column named p(%s)", cell.Shorten(missing))
	}
	return nil
}

// read takes a line.
func (a *against) read(record []string) error {
	if len(record) != len(a.header) {
		return a.fail(-1, "", "%d cells for %d columns", len(record), len(a.header))
	}
	number := func(column, most int) (int, error) {
		v, err := strconv.Atoi(strings.TrimSpace(record[column]))
		if err != nil || v < 1 || v > most {
			return 0, a.fail(column, record[column], "a whole number from 1 to %d is expected", most)
		}
		return v, nil
	}
	row, err := number(a.row, a.Rows[len(a.Rows)-1]+1)
	if err != nil {
		return err
	}
	repeat := 1
	if a.repeat >= 0 {
		if repeat, err = number(a.repeat, a.Repeats); err != nil {
			return err
		}
	}
	n, dealt := a.place[row]
	if !dealt || a.Fold[repeat-1][n] == a.Folds {
		return nil // not scored
	}
	label := &a.out.Labels[repeat-1][n]
	if *label >= 0 {
		return a.fail(a.row, record[a.row], "a second line for this row and repeat %d", repeat)
	}
	if a.fold >= 0 {
		if want := strconv.Itoa(a.Fold[repeat-1][n] + 1); strings.TrimSpace(record[a.fold]) != want {
			return a.fail(a.fold, record[a.fold], "row %d is in fold %s of repeat %d", row, want, repeat)
		}
	}
	if a.p != nil {
		p := a.out.Proba[repeat-1].RawRowView(n)
		for c, j := range a.p {
			v, err := strconv.ParseFloat(strings.TrimSpace(record[j]), 64)
			if err != nil || !(v >= 0 && v <= 1+1e-6) {
				return a.fail(j, record[j], "a probability from 0 to 1 is expected")
			}
			p[c] = v
		}
		if sum := floats.Sum(p); math.Abs(sum-1) > 0.01 {
			return a.fail(a.p[0], "", "the probabilities of the row add up to %.4g, not 1", sum)
		}
		*label = fitting.Argmax(p)
	}
	if a.class >= 0 {
		if *label = a.label.Find(record[a.class], nil); *label < 0 {
			return a.fail(a.class, record[a.class], "no class of the table has this name")
		}
	}
	return nil
}
