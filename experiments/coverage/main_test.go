package main

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/internal/testkit/must"
	"github.com/mpcvm/mpcvm/mpcvm/search"
)

// TestMeasure checks that the figures for all rows are the means over the classes.
func TestMeasure(t *testing.T) {
	rows := must.Get(measure(t.Context(), "iris", 60, 2, search.Auto{}))(t)
	must.Equal(t, len(rows), 12)
	must.Equal(t, strings.Join(rows[4][:8], ","), "iris,3,60,90,2,2,0.9,")
	must.Equal(t, rows[7][7], "virginica")
	number := func(row, column int) float64 { return must.Get(strconv.ParseFloat(rows[row][column], 64))(t) }
	for column := 8; column < 16; column += 2 {
		sum := 0.0
		for row := 5; row < 8; row++ {
			sum += number(row, column) * number(row, 3) / 90
		}
		if math.Abs(sum-number(4, column)) > 2e-4 {
			t.Errorf("column %d: %v, mean over the classes %v", column, number(4, column), sum)
		}
	}
}

// TestProbable checks the fewest classes whose probabilities reach the coverage.
func TestProbable(t *testing.T) {
	p := mat.NewDense(3, 3, []float64{0.2, 0.7, 0.1, 0.05, 0.05, 0.9, 0.4, 0.35, 0.25})
	must.Equal(t, fmt.Sprint(probable(p, 0.6)), "[[1] [2] [0 1]]")
	must.Equal(t, fmt.Sprint(probable(p, 0.85)), "[[1 0] [2] [0 1 2]]")
}

// TestCoverageTable checks that the table of docs/method.md has the numbers of the recorded study.
// The coverage is at least the nominal one within three standard errors, for all rows and for each
// class that is covered separately.
func TestCoverageTable(t *testing.T) {
	recorded := must.Get(os.ReadFile("../../notebooks/results/coverage/coverage.csv"))(t)
	rows := must.Get(csv.NewReader(bytes.NewReader(recorded)).ReadAll())(t)
	doc := must.Get(os.ReadFile("../../docs/method.md"))(t)
	column := map[string]int{}
	for i, name := range rows[0] {
		column[name] = i
	}
	lines, sets := map[string]string{}, []string{}
	for _, row := range rows[1:] {
		of := func(name string) float64 {
			return must.Get(strconv.ParseFloat(row[column[name]], 64))(t)
		}
		set, class := row[column["set"]], row[column["class"]]
		coverage, se, nominal := of("coverage"), of("coverage_se"), of("nominal")
		byClass := of("by_class") == of("partitions")
		if (class == "" || byClass) && coverage < nominal-3*se-0.005 {
			t.Errorf("%s %s: %g ± %g of %g", set, class, coverage, se, nominal)
		}
		if class != "" {
			continue
		}
		if lines[set] == "" {
			sets = append(sets, set)
			covered := map[bool]string{true: "each class", false: "all rows"}[byClass]
			lines[set] = fmt.Sprintf("| %s | %g | %g | %s |", set, of("classes"), of("train"), covered)
		}
		if math.Abs(nominal-0.9) < 1e-9 {
			lines[set] += fmt.Sprintf(" %.1f ± %.1f | %.2f | %.1f | %.2f |", 100*coverage, 100*se, of("size"),
				100*of("scaled_coverage"), of("scaled_size"))
		}
	}
	for _, set := range sets {
		if !strings.Contains(string(doc), lines[set]+"\n") {
			t.Errorf("docs/method.md lacks\n%s", lines[set])
		}
	}
	if len(sets) < 11 {
		t.Errorf("%d sets", len(sets))
	}
}
