package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/mpcvm/mpcvm/mpcvm/study"
)

// tablesOptions are the flags of study tables.
type tablesOptions struct{ from, format string }

func studyTablesCommand() *cobra.Command {
	o := &tablesOptions{}
	cmd := &cobra.Command{
		Use: "tables", Short: "print the tables of the results in a folder",
		Example: "  mpcvm study tables --from results --format html > results.html",
		Args:    arguments(0, 0, ""), RunE: task(o.run),
	}
	section(cmd, "Flags", func(f *pflag.FlagSet) {
		f.StringVar(&o.from, "from", "", "the folder `DIR` of the results; required")
		f.StringVar(&o.format, "format", "text", "print as `FORMAT`: "+strings.Join(study.Formats, ", "))
	})
	choices(cmd, "format", study.Formats...)
	return cmd
}

// run prints the tables of the results in a folder.
func (o *tablesOptions) run(ctx context.Context, out, _ io.Writer) error {
	if err := needed("--from", o.from); err != nil {
		return err
	}
	if !slices.Contains(study.Formats, o.format) {
		return misuse{fmt.Errorf("--format %q is none of %s", o.format, strings.Join(study.Formats, ", "))}
	}
	report, err := study.ReadReport(o.from)
	if err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return report.Write(out, o.format)
}
