package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/mpcvm/mpcvm/internal/tabular"
	"github.com/mpcvm/mpcvm/internal/words"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/tables"
	tablemodel "github.com/mpcvm/mpcvm/tables/model"
	"github.com/mpcvm/mpcvm/tables/report"
	"github.com/mpcvm/mpcvm/tables/table"
)

type showOptions struct {
	model string
	json  bool
}

func showModelCommand() *cobra.Command {
	o := &showOptions{}
	cmd := &cobra.Command{
		Use: "show MODEL", Short: "show the contents of a model file",
		Long: `Print the learner, the kernel and the size of a model, the scores from its fit, its classes and
weights, and its columns with their kinds and how their cells become features.`,
		Example: "  mpcvm show m.json",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				o.model = args[0]
			}
			return arguments(1, 1, "MODEL")(cmd, args)
		},
		RunE: task(o.run),
	}
	section(cmd, "Flags", func(f *pflag.FlagSet) {
		f.BoolVar(&o.json, "json", false, "print JSON instead of tables")
	})
	return cmd
}

// shown is the JSON output of show. Values that are not in the file are null or omitted.
type shown struct {
	Version     int                `json:"version"` // of the file format
	Program     string             `json:"program"` // version that reads it
	Record      *tablemodel.Record `json:"record"`  // of the fit
	Kernel      json.RawMessage    `json:"kernel"`
	Vectors     int                `json:"n_vectors"`
	Weights     int                `json:"n_weights"`
	Features    int                `json:"n_features"`
	Target      string             `json:"target,omitempty"`
	ID          []string           `json:"id,omitempty"` // columns that identify a row
	Classes     []shownClass       `json:"classes"`
	Columns     []shownColumn      `json:"columns"`
	Temperature float64            `json:"temperature"`
	Mixed       float64            `json:"mixed"` // share of the probabilities that does not depend on the sample
	Costs       [][]float64        `json:"costs,omitempty"`
	Scored      int                `json:"n_scores"` // number of samples that calibrate prediction sets
	ScoredBy    bool               `json:"scores_by_class"`
	// Coefficients of each class for the standardised features; empty if there are none.
	Coefficients [][]float64  `json:"coefficients,omitempty"`
	coefficients report.Table // of the same
}

type shownClass struct {
	Name    string  `json:"name"`
	Samples *int    `json:"n_samples"` // in the training data; null if unknown
	Vectors int     `json:"n_vectors"` // of the class
	Bias    float64 `json:"bias"`
	For     int     `json:"n_positive"` // weights
	Against int     `json:"n_negative"`
}

type shownColumn struct {
	Name     string   `json:"name"`
	Kind     string   `json:"kind"`
	Unit     string   `json:"unit,omitempty"`
	Training string   `json:"training"` // summary of the training rows; "" if unknown
	Fill     string   `json:"fill"`     // replaces missing cells; "" if they are not replaced
	Features []string `json:"features"`
}

func (o *showOptions) run(ctx context.Context, out, _ io.Writer) error {
	text, err := readFile(ctx, o.model)
	if err != nil {
		return err
	}
	m, err := parseModel(ctx, text, o.model)
	if err != nil {
		return err
	}
	s, err := newShown(m, text)
	if err != nil {
		return named(o.model, err)
	}
	if o.json {
		return writeJSON(out, "", s)
	}
	return s.print(out, o.model, m.Model().Kernel().String())
}

func newShown(of *tables.Model, file []byte) (*shown, error) {
	m := of.Model()
	s := &shown{
		Program: mpcvm.Version(), Record: of.Record(), Vectors: m.VectorCount(), Weights: m.WeightCount(),
		Features:     m.Features(),
		Temperature:  m.Temperature(),
		coefficients: report.CoefficientTable(m),
	}
	if err := json.Unmarshal(file, &struct {
		Version *int             `json:"version"`
		Kernel  *json.RawMessage `json:"kernel"`
	}{&s.Version, &s.Kernel}); err != nil {
		return nil, err
	}
	if s.coefficients.Rows != nil {
		for c, a := 0, m.Coefficients(); c < m.Classes(); c++ {
			s.Coefficients = append(s.Coefficients, a.RawRowView(c))
		}
	}
	vectors := make([]int, m.Classes())
	for _, v := range m.RelevanceVectors() {
		vectors[v.Label]++
	}
	for _, v := range m.Floor() {
		s.Mixed += v
	}
	scores := m.Scores()
	for c, sum := range m.Summary() {
		class := shownClass{Name: sum.Name, Vectors: vectors[c], Bias: sum.Bias, For: sum.Positive,
			Against: sum.Negative}
		switch {
		case s.Record != nil && s.Record.Rows != nil:
			class.Samples = &s.Record.Rows[c]
		case scores.ByClass():
			class.Samples = &scores[c].Count
		}
		s.Classes = append(s.Classes, class)
	}
	if costs := m.Costs(); costs != nil {
		for i := range m.Classes() {
			s.Costs = append(s.Costs, costs.RawRowView(i))
		}
	}
	for _, list := range scores {
		s.Scored += list.Count
	}
	s.ScoredBy = scores.ByClass()
	r := of.RowRecipe()
	s.Target, s.ID = r.Target, r.ID
	features, sources := r.Features(), r.Sources()
	for i := range r.Columns {
		c := &r.Columns[i]
		column := shownColumn{Name: c.Name, Kind: c.Kind, Unit: c.Unit}
		value := func(v float64) string { return strconv.FormatFloat(v, 'g', 6, 64) }
		switch c.Kind {
		case table.Date.String():
			value = table.FormatDate
		case table.Boolean.String():
			value = func(v float64) string { return c.Levels[int(v)] }
		}
		if of.Recipe() != nil && c.Kind != table.Category.String() {
			column.Fill = value(c.Fill)
		}
		switch {
		case len(c.Range) == 2:
			column.Training = "from " + value(c.Range[0]) + " to " + value(c.Range[1])
		case len(c.Levels) > 0:
			column.Training = strings.Join(c.Levels, ", ")
		}
		if c.Absent > 0 {
			column.Training += fmt.Sprintf("; %.1f %% missing", 100*c.Absent)
		}
		for j, feature := range features {
			if sources[j] == i {
				column.Features = append(column.Features, feature)
			}
		}
		s.Columns = append(s.Columns, column)
	}
	return s, nil
}

func (s *shown) print(w io.Writer, path, kernel string) error {
	fmt.Fprintf(w, "%s: model of %d classes, %d columns and %d features; file format %d, read by mpcvm %s\n",
		path, len(s.Classes), len(s.Columns), s.Features, s.Version, s.Program)
	s.printRecord(w)
	switch {
	case s.Weights == 0:
		fmt.Fprintln(w, "The model has no weights; it predicts the class frequencies.")
	case s.Vectors == 0:
		fmt.Fprintf(w, "linear model: %d coefficients and %d biases; it contains no training rows\n", s.Weights,
			len(s.Classes))
	default:
		weights := "weights"
		if s.Coefficients != nil {
			weights += " and coefficients"
		}
		fmt.Fprintf(w, "kernel: %s\nrelevance vectors: %d; %s: %d\n", report.InBrief(kernel), s.Vectors,
			weights, s.Weights)
	}
	if s.Temperature != 1 {
		fmt.Fprintf(w, "temperature of the probabilities: %.4g\n", s.Temperature)
	}
	if s.Mixed > 0 {
		fmt.Fprintf(w, "constant share of the probabilities: %.2g %%\n", 100*s.Mixed)
	}
	if s.Scored > 0 {
		fmt.Fprintf(w, "prediction sets: from %d training rows\n", s.Scored)
	}
	if s.Target != "" {
		fmt.Fprintf(w, "classes: column %q\n", s.Target)
	}
	if len(s.ID) > 0 {
		fmt.Fprintf(w, "rows are identified by: %s\n", words.List(s.ID, 20))
	}
	var rows [][]string
	for _, c := range s.Classes {
		samples := ""
		if c.Samples != nil {
			samples = strconv.Itoa(*c.Samples)
		}
		rows = append(rows, []string{c.Name, samples, strconv.Itoa(c.Vectors), strconv.Itoa(c.For),
			strconv.Itoa(c.Against), fmt.Sprintf("%.4g", c.Bias)})
	}
	header := []string{"class", "training rows", "relevance vectors", "weights for", "weights against", "bias"}
	without := func(from, to int) {
		header = slices.Delete(header, from, to)
		for i := range rows {
			rows[i] = slices.Delete(rows[i], from, to)
		}
	}
	if s.coefficients.Rows != nil && s.Vectors == 0 {
		without(2, 5)
	}
	if s.Classes[0].Samples == nil {
		without(1, 2)
	}
	var failed error
	write := func(header []string, rows [][]string) {
		if failed == nil && rows != nil {
			fmt.Fprintln(w)
			failed = tabular.Write(w, header, rows)
		}
	}
	write(header, rows)
	if s.coefficients.Rows != nil {
		fmt.Fprintln(w, "\n"+report.CoefficientMeaning)
	}
	write(s.coefficients.Header, s.coefficients.Rows)
	if s.Record != nil && s.Record.Figures != nil { // measured when the model was fitted
		figures := report.FigureTable(s.Record.Figures)
		figures.Header[0] = "scores of the fit"
		write(figures.Header, figures.Rows)
	}
	rows = nil
	for _, c := range s.Columns {
		var features []string
		for _, name := range c.Features {
			features = append(features, cmp.Or(strings.TrimLeft(strings.TrimPrefix(name, c.Name), "= "), "value"))
		}
		kind := c.Kind
		if c.Unit != "" {
			kind += " (" + c.Unit + ")"
		}
		rows = append(rows, []string{c.Name, kind, report.InBrief(c.Training), cmp.Or(c.Fill, "–"),
			report.InBrief(strings.Join(features, ", "))})
	}
	write([]string{"column", "kind", "training rows", "if missing", "features"}, rows)
	rows = nil
	for i, costs := range s.Costs {
		for j, cost := range costs {
			if i != j || cost != 0 {
				rows = append(rows, []string{s.Classes[i].Name, s.Classes[j].Name, fmt.Sprintf("%g", cost)})
			}
		}
	}
	write([]string{"true class", "decision", "cost"}, rows)
	return failed
}

func (s *shown) printRecord(w io.Writer) {
	r := s.Record
	if r == nil {
		fmt.Fprintln(w, "learner, seed and scores: not recorded")
		return
	}
	fmt.Fprintf(w, "learner: %s; seed %d", cmp.Or(r.Learner, "not recorded"), r.Seed)
	if r.Rows != nil {
		rows, used := 0, ""
		for _, n := range r.Rows {
			rows += n
		}
		if r.Fit != nil && r.Fit.Rows < rows {
			used = fmt.Sprintf("%d of ", r.Fit.Rows)
		}
		fmt.Fprintf(w, "; training rows: %s%d", used, rows)
	}
	if r.Fit != nil {
		fmt.Fprintf(w, "\nfit: %s", report.Ended(r.Fit))
	}
	fmt.Fprintf(w, "\nfitted by mpcvm %s\n", cmp.Or(r.Program, "(unknown)"))
	if r.Figures == nil {
		fmt.Fprintln(w, "scores: not recorded")
	}
	for _, f := range r.Figures {
		if f.How != "" {
			fmt.Fprintf(w, "%s: %s; ± is one standard error\n", f.Of, f.How)
		}
	}
}
