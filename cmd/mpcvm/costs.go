package main

import (
	"bytes"
	"context"
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/internal/words"
)

const costsUsage = "costs of wrong decisions: `PAIRS` such as ill:well=5, or a CSV file"

// classPair is a true class and a decision, with their indices.
type classPair struct {
	truth, decision string
	i, j            int
}

func (p classPair) String() string { return p.truth + ":" + p.decision }

func classPairs(classes []string) (all []classPair) {
	for i, truth := range classes {
		for j, decision := range classes {
			all = append(all, classPair{truth, decision, i, j})
		}
	}
	return all
}

// parseCosts returns the costs of decisions for mpcvm.Model.Decide: rows are true classes and columns are
// decisions. spec is the value of --costs. The error is a misuse that names the wrong pair or cell.
func parseCosts(ctx context.Context, spec string, classes []string) (*mat.Dense, error) {
	costs, err := pairCosts(spec, classes)
	if !strings.Contains(spec, "=") || exists(spec) {
		text, failed := readFile(ctx, spec)
		if costs, err = nil, failed; err == nil {
			costs, err = costsFile(text, classes)
		}
		err = named(spec, err)
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	for _, pair := range classPairs(classes) {
		if err == nil && pair.i != pair.j && costs.At(pair.i, pair.j) < 0 {
			err = fmt.Errorf("%v=%v: the cost of a wrong decision must not be negative; only a right decision "+
				"can have a negative cost, a gain", pair, costs.At(pair.i, pair.j))
		}
	}
	if err != nil {
		return nil, misuse{fmt.Errorf("--costs: %w", err)}
	}
	return costs, nil
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func cost(text string) (float64, error) {
	v, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
		return 0, fmt.Errorf("%q is not a number", text)
	}
	return v, nil
}

// pairCosts parses pairs truth:decision=cost, separated by commas.
func pairCosts(spec string, classes []string) (*mat.Dense, error) {
	parts, err := splitPairs(spec)
	if err != nil {
		return nil, err
	}
	costs, all := mat.NewDense(len(classes), len(classes), nil), classPairs(classes)
	var names []string
	for _, pair := range all {
		names = append(names, pair.String())
		if pair.i != pair.j {
			costs.Set(pair.i, pair.j, 1)
		}
	}
	for _, part := range parts {
		at := strings.LastIndexByte(part, '=')
		if at < 0 {
			return nil, fmt.Errorf("%q is not truth:decision=cost; put a pair with a comma in double quotes or in "+
				"a file", part)
		}
		v, err := cost(part[at+1:])
		if err != nil {
			return nil, fmt.Errorf("%q: %w", part, err)
		}
		pair := strings.TrimSpace(part[:at])
		if !slices.Contains(names, pair) {
			return nil, fmt.Errorf("%q is not a pair of classes, truth:decision; the classes are %s%s", pair,
				words.List(classes, 20), didYouMean(pair, "", names))
		}
		for k, name := range names { // with a colon in a class, there may be two
			if name == pair {
				costs.Set(all[k].i, all[k].j, v)
			}
		}
	}
	return costs, nil
}

// costsFile parses a cost matrix with the names of the classes.
func costsFile(text []byte, classes []string) (*mat.Dense, error) {
	r := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(text, []byte("\ufeff"))))
	r.TrimLeadingSpace = true
	records, err := r.ReadAll() // it checks that all lines have the same number of cells
	if err != nil {
		return nil, err
	}
	c := len(classes)
	if len(records) != c+1 || len(records[0]) != c+1 {
		return nil, fmt.Errorf("want a header and %d lines of %d cells, for the classes %s", c, c+1,
			words.List(classes, 20))
	}
	costs := mat.NewDense(c, c, slices.Repeat([]float64{math.NaN()}, c*c))
	decisions := records[0]
	for i, record := range records {
		truth := slices.Index(classes, strings.TrimSpace(record[0]))
		for j, text := range record {
			var v float64
			switch name := strings.TrimSpace(text); {
			case i == 0 && j == 0:
			case i > 0 && j > 0:
				if v, err = cost(text); err == nil {
					costs.Set(truth, slices.Index(classes, strings.TrimSpace(decisions[j])), v)
				}
			case !slices.Contains(classes, name):
				err = fmt.Errorf("%q is not a class; the classes are %s%s", text, words.List(classes, 20),
					didYouMean(name, "", classes))
			}
			if err != nil {
				return nil, fmt.Errorf("line %d, column %d: %w", i+1, j+1, err)
			}
		}
	}
	for _, pair := range classPairs(classes) {
		if math.IsNaN(costs.At(pair.i, pair.j)) {
			return nil, fmt.Errorf("a class occurs twice, and %v has no cost", pair)
		}
	}
	return costs, nil
}
