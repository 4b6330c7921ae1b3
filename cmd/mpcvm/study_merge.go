package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/mpcvm/mpcvm/mpcvm/study"
)

// mergeOptions are the flags of study merge.
type mergeOptions struct {
	from, out string
	json      bool
}

func studyMergeCommand() *cobra.Command {
	o := &mergeOptions{}
	cmd := &cobra.Command{
		Use: "merge", Short: "merge the results of several processes",
		Example: "  mpcvm study merge --from results1,results2 --out results",
		Args:    arguments(0, 0, ""), RunE: task(o.run),
	}
	section(cmd, "Flags", func(f *pflag.FlagSet) {
		f.StringVar(&o.from, "from", "", "the folders `DIR,...` of the results, separated by commas; required")
		f.StringVar(&o.out, "out", "", "the folder `DIR` of all results, created if necessary; required")
		f.BoolVar(&o.json, "json", false, "print JSON")
	})
	return cmd
}

// run merges folders, and the files of all shards in them.
func (o *mergeOptions) run(ctx context.Context, out, _ io.Writer) error {
	if err := needed("--from", o.from, "--out", o.out); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	m, err := study.Merge(o.out, strings.Split(o.from, ",")...)
	if err != nil {
		return err
	}
	if o.json {
		return writeJSON(out, "", map[string]any{"results": m.Results, "tuning": m.Tuning, "failures": m.Failures, "out": o.out})
	}
	_, err = fmt.Fprintf(out, "%d results, %d runs for tuning, %d failures: %s\n", m.Results, m.Tuning, m.Failures, o.out)
	return err
}
