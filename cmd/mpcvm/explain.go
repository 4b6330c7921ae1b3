package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/mpcvm/mpcvm/internal/words"
	"github.com/mpcvm/mpcvm/nbhelpers"
	"github.com/mpcvm/mpcvm/tables/eval"
	"github.com/mpcvm/mpcvm/tables/recipe"
	"github.com/mpcvm/mpcvm/tables/report"
	"github.com/mpcvm/mpcvm/tables/table"
)

type explainOptions struct {
	*reading
	model, report, rowID string
	row                  int
	json                 bool
}

func explainCommand() *cobra.Command {
	o := &explainOptions{}
	cmd := &cobra.Command{
		Use: "explain FILE", Short: "show which training samples support or oppose each class",
		Long: `Explain how a model classifies one row of FILE. Print what each relevance vector, which is a
training row stored in the model, contributes to each class, and its cells next to the cells of the row. For a
linear model, print what each column contributes.`,
		Example: "  mpcvm explain new.csv --model m.json --row 1 --report why.html",
		RunE:    task(o.run),
	}
	o.reading = readingFlags(cmd)
	section(cmd, "Flags", func(f *pflag.FlagSet) {
		f.StringVar(&o.model, "model", "", "the model `FILE`; required")
		f.IntVar(&o.row, "row", 0, "explain row `I`, counted from 1 without the header")
		f.StringVar(&o.rowID, "row-id", "",
			"explain the row with this `VALUE` in the columns that identify a row")
		f.StringVar(&o.report, "report", "", "write a page with a chart to `FILE`, as HTML")
		f.BoolVar(&o.json, "json", false, "print JSON instead of tables")
	})
	o.completions(cmd)
	return cmd
}

func (o *explainOptions) run(ctx context.Context, out, _ io.Writer) error {
	if err := needed("--model", o.model); err != nil {
		return err
	}
	switch {
	case o.given("row") == o.given("row-id"):
		return misuse{errors.New("want either --row or --row-id")}
	case o.given("row") && o.row < 1:
		return misuse{fmt.Errorf("--row %d: rows are numbered from 1, without the header", o.row)}
	}
	if err := checkOutputs([]file{{"--model", o.model}, o.file}, []file{{"--report", o.report}}); err != nil {
		return err
	}
	m, err := loadModel(ctx, o.model)
	if err != nil {
		return err
	}
	r := m.RowRecipe()
	t, err := openFor(ctx, o.path, o.options, r)
	if err != nil {
		return err
	}
	row := o.row - 1
	if o.given("row-id") {
		if row, err = find(t, r, o.rowID); err != nil {
			return named(o.path, err)
		}
	}
	x, err := eval.Explain(m, t, row)
	if err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if o.report != "" {
		title := fmt.Sprintf("Row %d of %s", row+1, filepath.Base(o.path))
		if err := writeReport(ctx, o.report, title,
			func() (nbhelpers.Block, error) { return report.Explanation(x).Page(), nil }); err != nil {
			return err
		}
	}
	if o.json {
		return writeJSON(out, "", x)
	}
	return report.Explanation(x).WriteText(out, false)
}

func find(t *table.Table, r *recipe.Recipe, id string) (int, error) {
	if len(r.ID) == 0 {
		return 0,
			misuse{errors.New("--row-id: the model has no column that identifies a row; use --row, or fit with " +
				"--id COLUMN")}
	}
	var ids []string
	for i := range t.Rows {
		if ids = append(ids, r.Identify(t, i)); ids[i] == id {
			return i, nil
		}
	}
	return 0, fmt.Errorf("no row with %q in %s%s", id, words.List(r.ID, 20), didYouMean(id, "", ids))
}
