package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/mpcvm/mpcvm/internal/words"
	"github.com/mpcvm/mpcvm/nbhelpers"
	"github.com/mpcvm/mpcvm/tables"
	"github.com/mpcvm/mpcvm/tables/charts"
	"github.com/mpcvm/mpcvm/tables/drift"
	"github.com/mpcvm/mpcvm/tables/look"
	"github.com/mpcvm/mpcvm/tables/recipe"
	"github.com/mpcvm/mpcvm/tables/table"
)

type lookOptions struct {
	*reading
	target, report, against string
	json                    bool
	flags                   *pflag.FlagSet
}

func lookCommand() *cobra.Command {
	o := &lookOptions{}
	cmd := &cobra.Command{
		Use: "look FILE...", SuggestFor: []string{"describe", "inspect", "summary"},
		Short: "show the contents of a table and possible problems",
		Long: `Print how FILE was read, its columns and their kinds, the classes, repeated rows, and warnings with
advice. The last line is the next command. With --against, compare FILE with the training rows of a model, and
print which columns have shifted, with the p-value of a test.`,
		Example: `  mpcvm look flowers.csv --report flowers.html
  mpcvm look new.csv --against m.json`,
		RunE: task(o.run),
	}
	o.flags = cmd.Flags()
	o.reading = readingFlags(cmd)
	section(cmd, "Flags", func(f *pflag.FlagSet) {
		targetFlag(f, &o.target)
		f.StringVar(&o.against, "against", "", "compare with the training rows of the model `FILE`")
		f.StringVar(&o.report, "report", "", "write a page with histograms, scatter plots and correlations to `FILE`, "+
			"as HTML")
		f.BoolVar(&o.json, "json", false, "print JSON instead of text")
	})
	o.completions(cmd)
	return cmd
}

func (o *lookOptions) run(ctx context.Context, out, _ io.Writer) error {
	if err := checkOutputs(o.inputs(file{"--against", o.against}), []file{{"--report", o.report}}); err != nil {
		return err
	}
	if o.against != "" {
		return o.compare(ctx, out)
	}
	t, needs, err := o.openForFit(ctx)
	if err != nil {
		return err
	}
	found, err := waiting(ctx, func() (*look.Findings, error) { return look.At(ctx, t, o.target) })
	if err != nil {
		return err
	}
	found.Needs, found.Notes = slices.Concat(needs, found.Needs), slices.Concat(needs, found.Notes)
	if o.report != "" {
		err := writeReport(ctx, o.report, filepath.Base(o.path), func() (nbhelpers.Block, error) {
			return charts.LookWith(ctx, t, charts.LookOptions{Target: o.target, Findings: found, Voice: voice})
		})
		if err != nil {
			return err
		}
	}
	if o.json {
		return writeJSON(out, "", found.Said(voice))
	}
	if err = found.Print(out, voice); err == nil {
		_, err = fmt.Fprintf(out, "\n%s\n", o.goOn(found))
	}
	return err
}

// compare compares a table with the training rows of a model.
func (o *lookOptions) compare(ctx context.Context, out io.Writer) error {
	if o.target != "" || o.report != "" || o.others != nil {
		return misuse{errors.New("--target, --report and a second FILE cannot be used with --against")}
	}
	m, err := loadModel(ctx, o.against)
	if err != nil {
		return err
	}
	t, err := openFor(ctx, o.path, o.options, m.RowRecipe())
	if err != nil {
		return err
	}
	d, err := waiting(ctx, func() (*drift.Report, error) { return drift.Compare(m, t) })
	switch {
	case errors.Is(err, recipe.ErrNoProfile):
		return fmt.Errorf("%s: %w", o.against, err)
	case err != nil:
		return named(o.path, err)
	case o.json:
		return writeJSON(out, "", d)
	}
	return d.Print(out)
}

// openForFit reads the table as fit does; see tables.Inspect.
func (o *lookOptions) openForFit(ctx context.Context) (*table.Table, []table.Finding, error) {
	// a pipe, which can only be read once
	if info, err := os.Stat(o.path); err == nil && !info.Mode().IsRegular() && !info.IsDir() {
		o.options.Lenient = true
	}
	return tables.Inspect(&o.options, func(tables.Options) (*table.Table, error) { return o.open(ctx) })
}

// goOn returns the last line: the next command, or the reason why there is none.
func (o *lookOptions) goOn(found *look.Findings) string {
	switch {
	case found.Rows == 0:
		return "The table has no rows."
	case (found.Target == nil || found.Refused != nil) && len(found.Candidates) == 0:
		return "No column can be used as classes. A model requires a column of classes."
	case found.Target == nil || found.Refused != nil:
		return "next: " + o.next("look", found.Candidates[0], found)
	case found.Features == 0:
		return "No column can be used as a feature. A model requires numbers, categories or dates."
	case found.Unfit != nil:
		return "No model can be trained: " + voice.Explain(found.Unfit) + "."
	}
	return "next: " + o.next("fit", *found.Target, found)
}

// next returns a command that reads the file in the same way.
func (o *lookOptions) next(verb, target string, found *look.Findings) string {
	line := []string{"mpcvm", verb}
	for _, f := range o.inputs() {
		line = append(line, words.Shell(f.path))
	}
	line = append(line, "--target", words.Shell(target))
	o.flags.Visit(func(f *pflag.Flag) {
		if !topics[0].of(f) || f.Name == "data" {
			return
		}
		list, isList := f.Value.(pflag.SliceValue)
		switch {
		case f.Name == "kind":
			for _, c := range found.Columns { // in the order of the table
				if kind, given := o.options.Kinds[c.Name]; given {
					line = append(line, "--kind", words.Shell(c.Name+"="+kind.String()))
				}
			}
		case isList:
			line = append(line, "--"+f.Name, words.Shell(words.CommaSeparated(list.GetSlice())))
		default:
			line = append(line, "--"+f.Name, words.Shell(f.Value.String()))
		}
	})
	if verb == "fit" && manyClasses(len(found.Classes), found.Rows) && o.options.Kinds[target] != table.Category {
		line = append(line, flagFor("Kinds", target+"=category"))
	}
	for _, need := range found.Needs {
		if value := need.Value; verb == "fit" || need.Option != "Missing" && need.Option != "Kinds" {
			if need.Option == "Missing" {
				value = words.CommaSeparated([]string{value})
			}
			line = append(line, flagFor(need.Option, value))
		}
	}
	return strings.Join(line, " ")
}
