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
	"gonum.org/v1/gonum/floats"

	"github.com/mpcvm/mpcvm/data/recipe"
	"github.com/mpcvm/mpcvm/data/table"
	"github.com/mpcvm/mpcvm/internal/predict"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/nbhelpers"
)

// explained is an explanation as JSON. Rows count from 1, without the header.
type explained struct {
	Row        int                  `json:"row"`
	ID         string               `json:"id,omitempty"`
	Class      string               `json:"class"`
	Mixed      float64              `json:"mixed,omitempty"` // part of the probabilities that the floor of the model is
	Truth      string               `json:"truth,omitempty"`
	Cells      map[string]string    `json:"cells"`
	Classes    []explainedClass     `json:"classes"`
	Neighbours []explainedNeighbour `json:"neighbours"`
}

type explainedClass struct {
	Class         string         `json:"class"`
	Proba         float64        `json:"proba"`
	Potential     float64        `json:"potential"`
	Bias          float64        `json:"bias"`
	Contributions []explainedSay `json:"contributions"`
}

type explainedSay struct {
	Row    int     `json:"row"` // of the training data
	Class  string  `json:"class"`
	Kernel float64 `json:"kernel"`
	Weight float64 `json:"weight"`
	Value  float64 `json:"value"`
}

// explainedNeighbour is a relevance vector, a row of the training data.
type explainedNeighbour struct {
	Row    int               `json:"row"` // of the training data
	ID     string            `json:"id,omitempty"`
	Class  string            `json:"class"`
	Kernel float64           `json:"kernel"`
	Cells  map[string]string `json:"cells"`
}

// explainOptions are the flags of explain.
type explainOptions struct {
	*reading
	model, report, rowID string
	row                  int
	json                 bool
	given                func(flag string) bool
}

func explainCommand() *cobra.Command {
	o := &explainOptions{}
	cmd := &cobra.Command{
		Use: "explain FILE", Short: "show which training samples speak for and against each class",
		Long: `It explains how a model classifies one row of FILE: the relevance vectors, which
are training samples that the model kept, what each adds to each class, and
their cells beside those of the row. Rows count from 1, without the header.`,
		Example: "  mpcvm explain new.csv --model m.json --row 1 --report why.html",
		RunE:    task(o.run),
	}
	o.given = cmd.Flags().Changed
	o.reading = readingFlags(cmd, "the rows: the columns of the model, in any order, and perhaps the class")
	section(cmd, "What to explain", func(f *pflag.FlagSet) {
		f.StringVar(&o.model, "model", "", "the model `FILE`; required")
		f.IntVar(&o.row, "row", 0, "explain row `I`, counted from 1 without the header")
		f.StringVar(&o.rowID, "row-id", "", "explain the row with this `VALUE` in the columns that identify a row")
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
	switch {
	case o.given("row") == o.given("row-id"):
		return misuse{errors.New("either --row or --row-id must say which row")}
	case o.given("row") && o.row < 1:
		return misuse{fmt.Errorf("--row %d: rows count from 1, without the header", o.row)}
	}
	if err := checkOutputs([]file{{"--model", o.model}, o.file}, []file{{"--report", o.report}}); err != nil {
		return err
	}
	m, err := loadModel(ctx, o.model)
	if err != nil {
		return err
	}
	x := &explanation{model: m, recipe: predict.Recipe(m)}
	if x.table, err = openFor(ctx, o.path, o.options, x.recipe); err != nil {
		return err
	}
	if x.row = o.row - 1; o.given("row-id") {
		if x.row, err = x.find(o.rowID); err != nil {
			return named(o.path, err)
		}
	}
	if err := x.explain(); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if o.report != "" {
		title := fmt.Sprintf("Row %d of %s", x.row+1, filepath.Base(o.path))
		if err := writeReport(ctx, o.report, title, func() ([]nbhelpers.Block, error) { return x.page(), nil }); err != nil {
			return err
		}
	}
	if o.json {
		return writeJSON(out, x.json())
	}
	return x.print(out)
}

// explanation is why a model decides as it does on a row of a table.
type explanation struct {
	mpcvm.Explanation
	model  *mpcvm.Model
	recipe *recipe.Recipe
	table  *table.Table
	row    int // from 0
	id     string
	truth  string    // "" if it is not known
	x      []float64 // the sample
	near   []neighbour
}

// find returns the row of an id, from 0.
func (x *explanation) find(id string) (int, error) {
	if len(x.recipe.ID) == 0 {
		return 0, misuse{errors.New("--row-id: the model knows no column that identifies a row; use --row, or fit with --id COLUMN")}
	}
	for i := range x.table.Rows {
		if x.recipe.Identify(x.table, i) == id {
			return i, nil
		}
	}
	return 0, fmt.Errorf("no row has %q in %s", id, list(x.recipe.ID))
}

// explain fills in the rest.
func (x *explanation) explain() error {
	t := x.table
	if x.row >= t.Rows {
		return fmt.Errorf("no row %d: the data have %d rows, counted from 1 without the header", x.row+1, t.Rows)
	}
	sample, unusable, err := x.recipe.Encode(nil, t, []int{x.row})
	switch {
	case err != nil:
		return err
	case unusable != nil && unusable[0] != nil:
		return unusable[0]
	}
	x.x = sample.RawRowView(0)
	x.Explanation = x.model.Explain(x.x)
	if x.Label < 0 || slices.ContainsFunc(x.Proba, math.IsNaN) {
		return fmt.Errorf("row %d: %w", x.row+1, predict.ErrTooFar)
	}
	x.id = x.recipe.Identify(t, x.row)
	if column := t.Find(cmp.Or(x.recipe.Target, "class")); column >= 0 {
		x.truth = t.Columns[column].Text(x.row)
	}
	x.near = neighboursOf(x.model).nearest(x.x, -1, len(x.Contributions))
	return nil
}

// columns of the model.
func (x *explanation) columns() []string {
	var names []string
	for _, c := range x.recipe.Columns {
		names = append(names, c.Name)
	}
	return names
}

// cells are those of the row in the columns of the model.
func (x *explanation) cells() []string {
	var cells []string
	for _, name := range x.columns() {
		cells = append(cells, x.table.Columns[x.table.Find(name)].Text(x.row))
	}
	return cells
}

func (x *explanation) json() explained {
	names := x.model.ClassNames()
	byName := func(cells []string) map[string]string {
		m := map[string]string{}
		for i, name := range x.columns() {
			m[name] = cells[i]
		}
		return m
	}
	out := explained{Row: x.row + 1, ID: x.id, Class: names[x.Label], Mixed: floats.Sum(x.model.Floor()), Truth: x.truth, Cells: byName(x.cells()), Neighbours: []explainedNeighbour{}}
	for c, name := range names {
		class := explainedClass{
			Class: name, Proba: x.Proba[c], Potential: x.Potentials[c], Bias: x.Bias[c], Contributions: []explainedSay{},
		}
		for _, v := range x.Class(c) {
			class.Contributions = append(class.Contributions, explainedSay{v.Index + 1, names[v.Label], v.Kernel, v.Weight, v.Value})
		}
		out.Classes = append(out.Classes, class)
	}
	for _, n := range x.near {
		out.Neighbours = append(out.Neighbours, explainedNeighbour{n.Index + 1, n.ID, names[n.Label], n.kernel, byName(x.model.Cells(n.Raw))})
	}
	return out
}

// verdict is a sentence on what the model says.
func (x *explanation) verdict() string {
	names := x.model.ClassNames()
	text := fmt.Sprintf("row %d", x.row+1)
	if x.id != "" {
		text += " (" + x.id + ")"
	}
	text += fmt.Sprintf(": %s with probability %.3f", names[x.Label], x.Proba[x.Label])
	if x.truth != "" {
		text += "; in truth " + x.truth
	}
	return text
}

// sums is a table with a row for each relevance vector, the most influential first, and a column
// for each class, whose sum is the potential.
func (x *explanation) sums() (header []string, rows [][]string) {
	names := x.model.ClassNames()
	header = append([]string{"training row", "class", "kernel"}, names...)
	line := func(name, format string, values []float64) []string {
		cells := []string{name, "", ""}
		for _, v := range values {
			cells = append(cells, fmt.Sprintf(format, v))
		}
		return cells
	}
	vectors := neighboursOf(x.model)
	place := map[int]int{} // row of the table of each training row
	for _, v := range x.ByInfluence() {
		i, there := place[v.Index]
		if !there {
			i = len(rows)
			place[v.Index] = i
			name := strconv.Itoa(v.Index + 1)
			if id := vectors.vectors[v.Index].ID; id != "" {
				name += " · " + id
			}
			rows = append(rows, append([]string{name, names[v.Label], fmt.Sprintf("%.4f", v.Kernel)}, make([]string, len(names))...))
		}
		rows[i][3+v.Class] = fmt.Sprintf("%+.4f", v.Value)
	}
	return header, append(rows,
		line("bias", "%+.4f", x.Bias),
		line("potential", "%+.4f", x.Potentials),
		line("probability", "%.4f", x.Proba))
}

// beside is a table of the cells of the row and of its nearest relevance vectors.
func (x *explanation) beside() (header []string, rows [][]string) {
	const most = 4
	header = []string{"column", "this row"}
	cells := [][]string{x.cells()}
	for _, n := range x.near[:min(len(x.near), most)] {
		header = append(header, fmt.Sprintf("%s (%s)", n.name(), x.model.ClassNames()[n.Label]))
		cells = append(cells, x.model.Cells(n.Raw))
	}
	for i, name := range x.columns() {
		row := []string{name}
		for _, of := range cells {
			if of[i] == "" {
				row = append(row, "–")
			} else {
				row = append(row, inBrief(of[i]))
			}
		}
		rows = append(rows, row)
	}
	return header, rows
}

// mixed says how much of the probabilities comes from the floor of the model; it is empty below 1 %.
func (x *explanation) mixed() string {
	if share := floats.Sum(x.model.Floor()); share >= 0.01 {
		return fmt.Sprintf(" The probabilities are mixed: %.0f %% of them are the frequencies of the classes in the training data, the rest comes from the potentials.", 100*share)
	}
	return ""
}

// What the tables of an explanation mean.
const (
	sumsMean   = "A positive number supports the class of its column, a negative one opposes it. The sum of a column is the potential."
	besideMean = "The cells of the row, and of the training rows most like it by the kernel:"
)

// page is the report.
func (x *explanation) page() []nbhelpers.Block {
	header, rows := x.sums()
	const most = 20 // and the three last ones
	if len(rows) > most+3 {
		rows = slices.Concat(rows[:most], [][]string{{fmt.Sprintf("%d more", len(rows)-most-3)}}, rows[len(rows)-3:])
	}
	cells, of := x.beside()
	return []nbhelpers.Block{
		nbhelpers.Text("This is " + x.verdict() + "."), nbhelpers.Explanation(x.model, x.x),
		nbhelpers.Heading("Beside training rows"), nbhelpers.Text(besideMean), nbhelpers.Table(cells, of),
		nbhelpers.Heading("What each training row adds"), nbhelpers.Text(sumsMean + x.mixed()), nbhelpers.Table(header, rows),
	}
}

func (x *explanation) print(out io.Writer) error {
	fmt.Fprint(out, x.verdict(), "\n\n")
	header, rows := x.sums()
	if err := printTable(out, append(upper(header[:3]...), header[3:]...), rows); err != nil {
		return err
	}
	fmt.Fprint(out, "\n", sumsMean, x.mixed(), "\n\n", besideMean, "\n\n")
	header, rows = x.beside()
	return printTable(out, append(upper(header[:2]...), header[2:]...), rows)
}
