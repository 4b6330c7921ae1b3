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

// costsUsage describes the flag --costs.
const costsUsage = "costs of wrong decisions: `PAIRS` such as ill:well=5, or a CSV file"

// parseCosts returns the costs of decisions for mpcvm.Model.Decide: rows are true classes and columns are
// decisions. spec is the value of --costs. The error is a misuse that names the wrong pair or cell.
func parseCosts(ctx context.Context, spec string, classes []string) (*mat.Dense, error) {
	costs, err := pairCosts(spec, classes)
	if !strings.Contains(spec, "=") || exists(spec) {
		if costs, err = costsFile(ctx, spec, classes); err != nil {
			err = named(spec, err)
		}
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	for i := range classes {
		for j := range classes {
			if err == nil && i != j && costs.At(i, j) < 0 {
				err = fmt.Errorf("%s:%s=%v: the cost of a wrong decision must not be negative; only a right decision "+
					"can have a negative cost, a gain", classes[i], classes[j], costs.At(i, j))
			}
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

// cost parses a cost.
func cost(text string) (float64, error) {
	v, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
		return 0, fmt.Errorf("%q is not a number", text)
	}
	return v, nil
}

// pairCosts parses pairs truth:decision=cost, separated by commas.
func pairCosts(spec string, classes []string) (*mat.Dense, error) {
	c := len(classes)
	costs := mat.NewDense(c, c, slices.Repeat([]float64{1}, c*c))
	for i := range c {
		costs.Set(i, i, 0)
	}
	parts, err := splitPairs(spec)
	if err != nil {
		return nil, err
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
		pair, pairs := strings.TrimSpace(part[:at]), []string(nil)
		for i, truth := range classes {
			for j, decision := range classes {
				if pairs = append(pairs, truth+":"+decision); pair == pairs[len(pairs)-1] {
					costs.Set(i, j, v)
				}
			}
		}
		if !slices.Contains(pairs, pair) {
			return nil, fmt.Errorf("%q is not a pair of classes, truth:decision; the classes are %s%s", pair,
				words.List(classes, 20), didYouMean(pair, "", pairs))
		}
	}
	return costs, nil
}

// costsFile reads a cost matrix with the names of the classes.
func costsFile(ctx context.Context, path string, classes []string) (*mat.Dense, error) {
	text, err := readFile(ctx, path)
	if err != nil {
		return nil, err
	}
	r := csv.NewReader(bytes.NewReader(text))
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
	for i, record := range records {
		for j, text := range record {
			line := func(err error) error { return fmt.Errorf("line %d, column %d: %w", i+1, j+1, err) }
			switch {
			case i == 0 && j == 0:
			case i == 0 || j == 0: // the name of a class
				record[j] = strings.TrimSpace(strings.TrimPrefix(text, "\ufeff"))
				if !slices.Contains(classes, record[j]) {
					return nil, line(fmt.Errorf("%q is not a class; the classes are %s", text, words.List(classes, 20)))
				}
			default:
				v, err := cost(text)
				if err != nil {
					return nil, line(err)
				}
				costs.Set(slices.Index(classes, record[0]), slices.Index(classes, records[0][j]), v)
			}
		}
	}
	for i := range c {
		for j := range c {
			if math.IsNaN(costs.At(i, j)) {
				return nil, fmt.Errorf("a class occurs twice, and %s:%s has no cost", classes[i], classes[j])
			}
		}
	}
	return costs, nil
}
