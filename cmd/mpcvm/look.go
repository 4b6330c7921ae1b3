package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/nbhelpers"
	"github.com/mpcvm/mpcvm/tables"
	"github.com/mpcvm/mpcvm/tables/charts"
	"github.com/mpcvm/mpcvm/tables/drift"
	"github.com/mpcvm/mpcvm/tables/look"
	"github.com/mpcvm/mpcvm/tables/predict"
	"github.com/mpcvm/mpcvm/tables/recipe"
	"github.com/mpcvm/mpcvm/tables/table"
)

// lookOptions are the flags of look.
type lookOptions struct {
	*reading
	target, report, against string
	json                    bool
	flags                   *pflag.FlagSet
}

func lookCommand() *cobra.Command {
	o := &lookOptions{}
	cmd := &cobra.Command{
		Use: "look FILE", Short: "show the contents of a table and possible problems",
		Long: `Print how FILE was read, its columns and their kinds, the classes, repeated rows, and warnings with advice. The
last line is the next command. With --against, test which columns, and whether the predictions, differ in
distribution from the training rows of a model.`,
		Example: `  mpcvm look flowers.csv --report flowers.html
  mpcvm look new.csv --against m.json`,
		RunE: task(o.run),
	}
	o.flags = cmd.Flags()
	o.reading = readingFlags(cmd)
	section(cmd, "Flags", func(f *pflag.FlagSet) {
		targetFlag(f, &o.target)
		f.StringVar(&o.against, "against", "", "compare with the training rows of the model `FILE`")
		f.StringVar(&o.report, "report", "", "write a page with histograms, pairs and correlations to `FILE`, "+
			"as HTML")
		f.BoolVar(&o.json, "json", false, "print JSON instead of text")
	})
	o.completions(cmd)
	return cmd
}

// maxPiped is the maximum number of bytes of standard input, which look stores to read them again.
const maxPiped = 4 << 30

// open reads the whole table.
func (r *reading) open(ctx context.Context) (*table.Table, error) {
	return noted(ctx, func() (*table.Table, error) {
		if r.path != standardInput {
			return tables.OpenContext(ctx, r.path, r.options)
		}
		if r.piped == nil {
			piped, err := io.ReadAll(io.LimitReader(os.Stdin, maxPiped+1))
			if err == nil && len(piped) > maxPiped {
				err = fmt.Errorf("standard input exceeds %d GiB; save the table to a file", maxPiped>>30)
			}
			if err != nil {
				return nil, err
			}
			r.piped = piped
		}
		return tables.ReadContext(ctx, bytes.NewReader(r.piped), r.path, r.options)
	})
}

// run looks at a table.
func (o *lookOptions) run(ctx context.Context, out, _ io.Writer) error {
	if err := checkOutputs([]file{{"--against", o.against}, o.file},
		[]file{{"--report", o.report}}); err != nil {
		return err
	}
	if o.against != "" {
		return o.compare(ctx, out)
	}
	t, needs, err := o.openForFit(ctx)
	if err != nil {
		return err
	}
	found, err := waiting(ctx, func() (*look.Findings, error) { return findingsOf(ctx, t, o.target) })
	if err != nil {
		return err
	}
	found.Needs = slices.Concat(needs, found.Needs)
	if o.report != "" {
		err := writeReport(ctx, o.report, filepath.Base(o.path), func() (nbhelpers.Block, error) {
			return charts.LookWith(ctx, t, charts.LookOptions{Target: o.target, Findings: found})
		})
		if err != nil {
			return err
		}
	}
	if o.json {
		return writeJSON(out, "", found)
	}
	var text strings.Builder
	_ = found.Print(&text) // a Builder never fails
	_, err = fmt.Fprintf(out, "%s\n%s\n", inFlags(text.String()), o.goOn(found))
	return err
}

// findingsOf calls look.At and replaces the names of options by flags.
func findingsOf(ctx context.Context, t *table.Table, target string) (*look.Findings, error) {
	found, err := look.At(ctx, t, target)
	if err != nil {
		return nil, err
	}
	for i, note := range found.Notes {
		found.Notes[i] = inFlags(note)
	}
	for i, w := range found.Warnings {
		found.Warnings[i].Text, found.Warnings[i].Do = inFlags(w.Text), inFlags(w.Do)
	}
	for i, need := range found.Needs {
		found.Needs[i].Option = flagOf(need.Option)
	}
	return found, nil
}

// compare compares a table with the training rows of a model.
func (o *lookOptions) compare(ctx context.Context, out io.Writer) error {
	if o.target != "" || o.report != "" {
		return misuse{errors.New("--target and --report cannot be used with --against")}
	}
	m, err := loadModel(ctx, o.against)
	if err != nil {
		return err
	}
	t, err := openFor(ctx, o.path, o.options, predict.Recipe(m))
	if err != nil {
		return err
	}
	d, err := waiting(ctx, func() (*drift.Report, error) { return drift.Compare(ctx, m, t) })
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

// openForFit reads the table like fit. Where fit would require a flag to read the file, it chooses a value and
// adds a note. A table without rows is not an error.
func (o *lookOptions) openForFit(ctx context.Context) (t *table.Table, needs []look.Need, err error) {
	// a pipe, which can only be read once
	if info, err := os.Stat(o.path); err == nil && !info.Mode().IsRegular() && !info.IsDir() {
		o.options.Lenient = true
	}
	var notes []string
	for {
		if t, err = o.open(ctx); err == nil {
			t.Notes = slices.Concat(notes, t.Notes)
			return t, needs, nil
		}
		var option *string
		var need look.Need
		a, unclear := errors.AsType[*tables.Ambiguous](err)
		switch {
		case unclear:
			option = map[string]*string{"Separator": &o.options.Separator, "Decimal": &o.options.Decimal,
				"Header": &o.options.Header}[a.Option]
			need = look.Need{Option: flagOf(a.Option), Value: a.Guess()}
			readings := strings.Join(a.Readings, " or "+need.Option+" ")
			notes = append(notes, fmt.Sprintf("two readings are equally plausible: %s %s; fit requires one of them; "+
				"look used %[1]s %[3]s",
				need.Option, readings, need.Value))
		case errors.Is(err, data.ErrRagged):
			option, need = &o.options.Ragged, look.Need{Option: "--ragged", Value: "pad"}
			notes = append(notes, "some records have more or fewer cells than the header; fit requires --ragged pad, "+
				"which pads or truncates them as here, or --ragged drop")
		case errors.Is(err, data.ErrEmpty) && !o.options.Lenient:
			o.options.Lenient = true
			continue
		}
		if option == nil || *option != "" {
			return nil, nil, err
		}
		*option = need.Value
		needs = append(needs, need)
	}
}

// goOn returns the last line: the next command, or the reason why there is none.
func (o *lookOptions) goOn(found *look.Findings) string {
	switch {
	case found.Rows == 0:
		return "The table has no rows."
	case (found.Target == nil || found.Refused != "") && len(found.Candidates) == 0:
		return "No column can be used as classes. A model requires a column of classes."
	case found.Target == nil || found.Refused != "":
		return "next: " + o.next("look", found.Candidates[0], found)
	case found.Features == 0:
		return "No column can be used as a feature. A model requires numbers, categories or dates."
	}
	return "next: " + o.next("fit", *found.Target, found)
}

// next returns a command that reads the file in the same way.
func (o *lookOptions) next(verb, target string, found *look.Findings) string {
	words := []string{"mpcvm", verb, quoted(o.path), "--target", quoted(target)}
	o.flags.Visit(func(f *pflag.Flag) {
		if !topics[0].of(f) || f.Name == "data" {
			return
		}
		switch v := f.Value.(type) {
		case kindsFlag:
			for _, c := range found.Columns { // in the order of the table
				if kind, given := (*v.kinds)[c.Name]; given {
					words = append(words, "--kind", quoted(c.Name+"="+kind.String()))
				}
			}
		case pflag.SliceValue:
			words = append(words, "--"+f.Name, quoted(commaSeparated(v.GetSlice())))
		default:
			words = append(words, "--"+f.Name, quoted(f.Value.String()))
		}
	})
	for _, need := range found.Needs {
		if value := need.Value; verb == "fit" || need.Option != "--na" && need.Option != "--kind" {
			if need.Option == "--na" {
				value = commaSeparated([]string{value})
			}
			words = append(words, need.Option, quoted(value))
		}
	}
	return strings.Join(words, " ")
}

// commaSeparated writes a list as a record of CSV, as list flags read it.
func commaSeparated(list []string) string {
	cells := make([]string, len(list))
	for i, text := range list {
		if cells[i] = text; strings.ContainsAny(text, ",\"\r\n") || text == "" {
			cells[i] = `"` + strings.ReplaceAll(text, `"`, `""`) + `"`
		}
	}
	return strings.Join(cells, ",")
}

// plainWord matches a word that does not need quotes in a shell.
var plainWord = regexp.MustCompile(`^[\p{L}\p{N}_./:=,+@%-]+$`)

// quoted quotes a word for a shell.
func quoted(word string) string {
	if plainWord.MatchString(word) {
		return word
	}
	if strings.ContainsFunc(word, unicode.IsControl) { // on one line
		var b strings.Builder
		for _, c := range []byte(word) {
			if c < ' ' || c == '\\' || c == 127 {
				fmt.Fprintf(&b, `\0%03o`, c)
			} else {
				b.WriteByte(c)
			}
		}
		return `"$(printf %b '` + strings.ReplaceAll(b.String(), "'", `'\''`) + `')"`
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
