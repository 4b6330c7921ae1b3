package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strconv"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/internal/predict"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/nbhelpers"
)

// explained is an explanation as JSON.
type explained struct {
	Row     int              `json:"row"`
	Class   string           `json:"class"`
	Truth   string           `json:"truth,omitempty"`
	Classes []explainedClass `json:"classes"`
}

type explainedClass struct {
	Class         string         `json:"class"`
	Proba         float64        `json:"proba"`
	Potential     float64        `json:"potential"`
	Bias          float64        `json:"bias"`
	Contributions []explainedSay `json:"contributions"`
}

type explainedSay struct {
	Index  int     `json:"index"`
	Class  string  `json:"class"`
	Kernel float64 `json:"kernel"`
	Weight float64 `json:"weight"`
	Value  float64 `json:"value"`
}

// explain shows which relevance vectors support and oppose each class.
func explain(ctx context.Context, c *call) error {
	f := c.flags()
	modelFile := f.String("model", "", "the model, a JSON `FILE`; required")
	dataFile := f.String("data", "", "the samples, a CSV or .parquet `FILE` of the model's features, in any order, and optionally the class; required")
	row := -1
	f.Func("row", "explain row `I` of the data, counted from 0; required", func(s string) (err error) {
		row, err = strconv.Atoi(s)
		return err
	})
	report := f.String("report", "", "write a page with a chart of the explanation to `FILE`, as HTML")
	asJSON := f.Bool("json", false, "print JSON instead of a table")
	if _, err := c.parse(f, 0, 0); err != nil {
		return err
	}
	if err := needed("--model", *modelFile, "--data", *dataFile); err != nil {
		return err
	}
	if row < 0 {
		return misuse{errors.New("--row must be the number of a row, counted from 0")}
	}
	if err := checkOutputs([]file{{"--model", *modelFile}, {"--data", *dataFile}}, []file{{"--report", *report}}); err != nil {
		return err
	}
	m, err := loadModel(ctx, *modelFile)
	if err != nil {
		return err
	}
	samples, classes, err := readFeatures(ctx, *dataFile, m.FeatureNames())
	if err != nil {
		return err
	}
	n, _ := samples.Dims()
	if row >= n {
		return fmt.Errorf("no row %d: the data have %d rows, counted from 0", row, n)
	}
	x := mat.Row(nil, row, samples)
	e := m.Explain(x)
	if e.Label < 0 || slices.ContainsFunc(e.Proba, math.IsNaN) {
		return fmt.Errorf("row %d, counted from 0: %w", row, predict.ErrTooFar)
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	truth := ""
	if classes != nil {
		truth = classes[row]
	}
	if *report != "" {
		title := fmt.Sprintf("Row %d of %s", row, filepath.Base(*dataFile))
		err := writeReport(ctx, *report, title, func() ([]nbhelpers.Block, error) {
			return []nbhelpers.Block{nbhelpers.Explanation(m, x)}, nil
		})
		if err != nil {
			return err
		}
	}
	if *asJSON {
		return writeJSON(c.out, newExplained(row, truth, e, m.ClassNames()))
	}
	return printExplanation(c.out, row, truth, e, m.ClassNames())
}

func newExplained(row int, truth string, e mpcvm.Explanation, names []string) explained {
	out := explained{Row: row, Class: names[e.Label], Truth: truth}
	for c, name := range names {
		class := explainedClass{
			Class: name, Proba: e.Proba[c], Potential: e.Potentials[c], Bias: e.Bias[c], Contributions: []explainedSay{},
		}
		for _, v := range e.Class(c) {
			class.Contributions = append(class.Contributions, explainedSay{v.Index, names[v.Label], v.Kernel, v.Weight, v.Value})
		}
		out.Classes = append(out.Classes, class)
	}
	return out
}

// printExplanation prints a table. It has a row for each relevance vector, the most
// influential first, and a column for each class, whose sum is the potential.
func printExplanation(out io.Writer, row int, truth string, e mpcvm.Explanation, names []string) error {
	fmt.Fprintf(out, "row %d: %s with probability %.3f", row, names[e.Label], e.Proba[e.Label])
	if truth != "" {
		fmt.Fprintf(out, "; in truth %s", truth)
	}
	fmt.Fprint(out, "\n\n")
	header := append(upper("training row", "class", "kernel"), names...)
	line := func(name, format string, values []float64) []string {
		cells := []string{name, "", ""}
		for _, v := range values {
			cells = append(cells, fmt.Sprintf(format, v))
		}
		return cells
	}
	var rows [][]string
	place := map[int]int{} // row of the table of each training row
	for _, v := range e.ByInfluence() {
		i, there := place[v.Index]
		if !there {
			i = len(rows)
			place[v.Index] = i
			rows = append(rows, append([]string{strconv.Itoa(v.Index), names[v.Label], fmt.Sprintf("%.4f", v.Kernel)}, make([]string, len(names))...))
		}
		rows[i][3+v.Class] = fmt.Sprintf("%+.4f", v.Value)
	}
	rows = append(rows,
		line("bias", "%+.4f", e.Bias),
		line("potential", "%+.4f", e.Potentials),
		line("probability", "%.4f", e.Proba))
	if err := printTable(out, header, rows); err != nil {
		return err
	}
	_, err := fmt.Fprintln(out, "\nA positive number supports the class of its column, a negative one opposes it. The sum of a column is the potential.")
	return err
}
