package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
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

// explainOptions are the flags of explain.
type explainOptions struct {
	*reading
	model, report string
	row           int
	json          bool
	given         func(flag string) bool
}

func explainCommand() *cobra.Command {
	o := &explainOptions{}
	cmd := &cobra.Command{
		Use: "explain FILE", Short: "show which training samples speak for and against each class",
		Long: `It explains how a model classifies one row of FILE: the relevance vectors, which
are training samples that the model kept, and what each adds to each class.`,
		Example: "  mpcvm explain new.csv --model m.json --row 0 --report why.html",
		RunE:    task(o.run),
	}
	o.given = cmd.Flags().Changed
	o.reading = readingFlags(cmd, samplesToPredict)
	section(cmd, "What to explain", func(f *pflag.FlagSet) {
		f.StringVar(&o.model, "model", "", "the model `FILE`; required")
		f.IntVar(&o.row, "row", 0, "explain row `I`, counted from 0; required")
	})
	section(cmd, "Output", func(f *pflag.FlagSet) {
		f.StringVar(&o.report, "report", "", "write a page with a chart of the explanation to `FILE`, as HTML")
		f.BoolVar(&o.json, "json", false, "print JSON instead of a table")
	})
	return cmd
}

// run explains a row.
func (o *explainOptions) run(ctx context.Context, out, _ io.Writer) error {
	if err := needed("--model", o.model); err != nil {
		return err
	}
	if !o.given("row") || o.row < 0 {
		return misuse{errors.New("--row must be the number of a row, counted from 0")}
	}
	if err := checkOutputs([]file{{"--model", o.model}, o.file}, []file{{"--report", o.report}}); err != nil {
		return err
	}
	m, err := loadModel(ctx, o.model)
	if err != nil {
		return err
	}
	r := recipeOf(m)
	t, _, err := o.readRow(ctx, o.row, r)
	if err != nil {
		return err
	}
	samples, unusable, err := r.Encode(nil, t, []int{0})
	if err == nil && unusable != nil {
		err = unusable[0]
	}
	if err != nil {
		return err
	}
	x := mat.Row(nil, 0, samples)
	e := m.Explain(x)
	if e.Label < 0 || slices.ContainsFunc(e.Proba, math.IsNaN) {
		return fmt.Errorf("row %d, counted from 0: %w", o.row, predict.ErrTooFar)
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	truth := ""
	if k := t.Find(cmp.Or(r.Target, "class")); k >= 0 {
		truth = t.Columns[k].Text(0)
	}
	if o.report != "" {
		title := fmt.Sprintf("Row %d of %s", o.row, filepath.Base(o.path))
		err := writeReport(ctx, o.report, title, func() ([]nbhelpers.Block, error) {
			return []nbhelpers.Block{nbhelpers.Explanation(m, x)}, nil
		})
		if err != nil {
			return err
		}
	}
	if o.json {
		return writeJSON(out, newExplained(o.row, truth, e, m.ClassNames()))
	}
	return printExplanation(out, o.row, truth, e, m.ClassNames())
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
