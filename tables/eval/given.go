package eval

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/internal/cell"
	"github.com/mpcvm/mpcvm/internal/fitting"
	"github.com/mpcvm/mpcvm/tables/internal/texts"
	"github.com/mpcvm/mpcvm/tables/table"
)

// Write writes the folds as CSV for other programs, with a line for each row in each fold: the repeat and the
// fold, the number of the row in the table, its class, and "train" or "test". All numbers count from 1.
func (f *Folds) Write(w io.Writer) error {
	records := [][]string{{"repeat", "fold", "row", "class", "part"}}
	for fold := range f.K * f.Repeats {
		in, out := f.parts(fold)
		for i, n := range slices.Concat(in, out) {
			part := "train"
			if i >= len(in) {
				part = "test"
			}
			records = append(records, []string{strconv.Itoa(fold/f.K + 1), strconv.Itoa(fold%f.K + 1),
				strconv.Itoa(f.Rows[n] + 1), f.Classes[f.T[n]], part})
		}
	}
	return csv.NewWriter(w).WriteAll(records)
}

// Given returns systems whose predictions another program has made for the folds of Write. r is a CSV text
// with the columns system, repeat, row and p(CLASS) for each class, and a line for each test row of each
// repeat. name is the name of the file, for errors.
func (f *Folds) Given(r io.Reader, name string) (systems []System, err error) {
	in := csv.NewReader(r)
	header, err := in.Read()
	if err != nil {
		return nil, &cell.Error{Name: name, Err: err}
	}
	want := []string{"system", "repeat", "row"}
	for _, class := range f.Classes {
		want = append(want, "p("+class+")")
	}
	at := make([]int, len(want))
	for j, column := range want {
		if at[j] = slices.Index(header, column); at[j] < 0 {
			return nil, &cell.Error{Name: name, Err: table.Finding{Code: texts.LackingScore, Column: column,
				Texts: header}}
		}
	}
	for line := 2; ; line++ {
		cells, err := in.Read()
		if err == io.EOF {
			break
		} else if err != nil {
			return nil, &cell.Error{Name: name, Err: err}
		}
		fault := func(j int, what string) error {
			return &cell.Error{Name: name, Line: line, Column: at[j] + 1, Header: want[j], Value: cells[at[j]],
				Err: table.Finding{Code: texts.WrongScore, Texts: []string{what}}}
		}
		s := slices.IndexFunc(systems, func(s System) bool { return s.Name == cells[at[0]] })
		if s < 0 {
			s, systems = len(systems), append(systems, System{Name: cells[at[0]], given: map[[2]int][]float64{}})
		}
		var key [2]int
		for j := range key {
			if key[j], err = strconv.Atoi(cells[at[1+j]]); err != nil {
				return nil, fault(1+j, "a whole number")
			}
		}
		if systems[s].given[key] != nil {
			return nil, fault(2, "in this repeat for the first time")
		}
		p := make([]float64, len(f.Classes))
		for c := range p {
			if p[c], err = strconv.ParseFloat(cells[at[3+c]], 64); err != nil || !(p[c] >= 0 && p[c] <= 1) {
				return nil, fault(3+c, "a probability from 0 to 1")
			}
		}
		sum := floats.Sum(p)
		if math.Abs(sum-1) > 1e-3 {
			return nil, fault(3, fmt.Sprintf("one of %d probabilities with the sum 1, not %.4g", len(p), sum))
		}
		floats.Scale(1/sum, p)
		systems[s].given[key] = p
	}
	for _, s := range systems {
		if err := f.complete(s); err != nil {
			return nil, &cell.Error{Name: name, Err: err}
		}
	}
	return systems, nil
}

// complete returns an error unless a system has a prediction for each held-out row.
func (f *Folds) complete(s System) error {
	lacking := table.Finding{Code: texts.LackingScores, Texts: []string{s.Name, "", ""}}
	for fold := range f.K * f.Repeats {
		_, out := f.parts(fold)
		lacking.Of += len(out)
		for _, row := range f.tableRows(out) {
			if s.given[[2]int{fold/f.K + 1, row + 1}] != nil {
				continue
			}
			if lacking.N++; lacking.N == 1 {
				lacking.Texts[1], lacking.Texts[2] = strconv.Itoa(row+1), strconv.Itoa(fold/f.K+1)
			}
		}
	}
	if lacking.N == 0 {
		return nil
	}
	return lacking
}

// given returns the predictions of a system for the held-out rows of a fold, given as indices of Rows.
func (f *Folds) given(s *System, fold int, out []int) fit {
	made := fit{ended: true, weights: math.NaN(), seconds: math.NaN()}
	made.p = mat.NewDense(len(out), len(f.Classes), nil)
	for i, row := range f.tableRows(out) {
		p := s.given[[2]int{fold/f.K + 1, row + 1}]
		made.p.SetRow(i, p)
		made.labels = append(made.labels, fitting.Argmax(p))
	}
	return made
}
