// Command study compares systems over many partitions of data sets: run executes the runs and tables
// prints their results.
//
// The exit status is 0 on success, 1 if the work failed, 64 if the arguments are wrong (EX_USAGE of
// sysexits.h), and 130 if a signal (SIGINT or SIGTERM) stopped the work. Finished runs are kept.
package main

import (
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/mpcvm/mpcvm/experiments/study"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal kills the process
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// misuse is an error in the arguments.
type misuse struct{ error }

// The non-zero exit statuses.
const (
	failed      = 1
	misused     = 64
	interrupted = 130
)

// work is the function of a subcommand.
type work func(ctx context.Context, out, errOut io.Writer) error

// run executes the command line args and returns the exit status.
func run(ctx context.Context, args []string, out, errOut io.Writer) int {
	root := &cobra.Command{
		Use: "study", Short: "Compare systems over many partitions of data sets", SilenceUsage: true,
	}
	root.SetArgs(args)
	root.SetOut(out)
	root.SetErr(errOut)
	started := false // set once cobra has accepted the arguments
	add := func(cmd *cobra.Command, f work) {
		cmd.Flags().SortFlags = false
		cmd.Args = cobra.NoArgs
		cmd.RunE = func(*cobra.Command, []string) error {
			started = true
			return f(ctx, out, errOut)
		}
		root.AddCommand(cmd)
	}
	add(runCommand())
	add(tablesCommand())
	switch err := root.Execute(); {
	case err == nil:
		return 0
	case !started, errors.As(err, new(misuse)), errors.Is(err, study.ErrNoTuning):
		return misused
	case ctx.Err() != nil:
		return interrupted
	}
	return failed
}

func tablesCommand() (*cobra.Command, work) {
	cmd := &cobra.Command{
		Use: "tables", Short: "Print the tables of the results in a folder",
		Example: "  study tables --from results",
	}
	from := cmd.Flags().String("from", "", "the folder `DIR` of the results")
	_ = cmd.MarkFlagRequired("from")
	return cmd, func(_ context.Context, out, _ io.Writer) error {
		report, err := study.ReadReport(*from)
		if err != nil {
			return err
		}
		return report.Write(out)
	}
}
