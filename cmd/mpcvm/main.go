// Command mpcvm trains and shows multi-class probabilistic classification vector
// machines. Run it without arguments for its commands.
//
// The exit status is 0, 1 if the work failed, or 2 if the arguments are wrong. An interrupt
// or a request to end (SIGTERM) is a failure: the command ends at once. The finished runs
// of a study and the finished part of a prediction stay; all other files are whole.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	"github.com/mpcvm/mpcvm/internal/memory"
)

func main() {
	limitMemory()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal kills
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// limitMemory has the runtime collect garbage before it takes the last tenth of the memory
// that is available, unless the user has set GOMEMLIMIT.
func limitMemory() {
	if bytes := memory.Available(); !math.IsInf(bytes, 1) && os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(int64(0.9 * bytes))
	}
}

// command is one of the verbs.
type command struct {
	name, usage, about string
	run                func(ctx context.Context, c *call) error
}

var commands = []command{
	{"demo", "demo [--out DIR] [--seed S] [--json]",
		"train both algorithms on Iris and Overlap; write DIR/report.html", demo},
	{"data", "data list [--json] | show NAME | fetch NAME... [--to DIR] [--json]",
		"list the data sets, write one as CSV, or fetch sets from the UCI repository by HTTPS and check them", dataCommand},
	{"fit", "fit --data F.csv --model M.json [--algorithm auto|mpcvm1|mpcvm2] [--budget TIME] [--per-feature] [--kernel NAME]\n" +
		"        [--theta T|auto] [--thetas T,...] [--alpha A] [--degree N] [--offset B] [--scale S] [--candidates K] [--single] [--evidence B] [--calibrate] [--test F2.csv] [--report R.html] [--seed S] [--json]",
		"train a model on a CSV or Parquet file; the features are standardised by the training data", fit},
	{"predict", "predict --model M.json --data F.csv [--proba] [--out P.csv|P.parquet] [--json]",
		"apply a model to a CSV or Parquet file of any number of rows; a prediction that was stopped can be continued", predictCommand},
	{"explain", "explain --model M.json --data F.csv --row I [--report R.html] [--json]",
		"show which relevance vectors support and oppose each class for row I, counted from 0", explain},
	{"study", "study run --data F.csv[,...] [--partitions P.csv[,...]] [--systems NAMES] [--tune 0-4] [--test 5-49] [--theta T,...]\n" +
		"        [--rule error|logloss|one-se] [--split SHARE [--repeats R] [--classes K,... [--per-class N]]] [--whole] [--raw] [--missing NAME=V]\n" +
		"        [--jobs J] [--shard I/N] [--only tune|test] [--wait TIME] [--retry] [--dry-run] [--seed S] [--json] --out DIR\n" +
		"  mpcvm study export [FLAGS of study run] --out STUDY.json\n" +
		"  mpcvm study merge --from DIR[,...] --out DIR [--json]\n" +
		"  mpcvm study tables --from DIR [--format text|md|html|json]",
		"run: compare systems over partitions by the paper's protocol, or continue after a stop; export: write a study and its data as one file, for engines; merge: merge the folders of several processes; tables: print the results in a folder", studyCommand},
}

// call has the arguments and outputs of a command.
type call struct {
	args        []string
	out, errOut io.Writer
	usage       string
	set         *flag.FlagSet // the flags of the command, for its help
}

// misuse is an error in the arguments.
type misuse struct{ error }

func (m misuse) Unwrap() error { return m.error }

// flags returns an empty set of flags. Parsing it returns errors and prints nothing.
func (c *call) flags() *flag.FlagSet {
	f := flag.NewFlagSet(c.usage, flag.ContinueOnError)
	f.SetOutput(io.Discard)
	c.set = f
	return f
}

// printFlags prints the flags of the command and their meaning.
func (c *call) printFlags() {
	fmt.Fprintln(c.out, "flags:")
	c.set.VisitAll(func(f *flag.Flag) {
		value, text := flag.UnquoteUsage(f)
		fmt.Fprintf(c.out, "  --%s", f.Name)
		if value != "" {
			fmt.Fprintf(c.out, " %s", value)
		}
		fmt.Fprintf(c.out, "\n      %s", text)
		if f.DefValue != "" && value != "" { // not of a switch
			fmt.Fprintf(c.out, " (default %s)", f.DefValue)
		}
		fmt.Fprintln(c.out)
	})
}

// parse parses the flags and returns the other arguments, of which there must be least to
// most.
func (c *call) parse(f *flag.FlagSet, least, most int) ([]string, error) {
	var rest []string
	args := c.args
	for { // flags may follow the other arguments
		if err := f.Parse(args); err != nil {
			return nil, misuse{err}
		}
		if args = f.Args(); len(args) == 0 {
			break
		}
		rest, args = append(rest, args[0]), args[1:]
	}
	switch {
	case len(rest) < least:
		return nil, misuse{errors.New("missing argument")}
	case len(rest) > most:
		return nil, misuse{fmt.Errorf("unknown argument %q", rest[most])}
	}
	return rest, nil
}

// output is standard output. It keeps the first error of writing to it.
type output struct {
	io.Writer
	err error
}

func (o *output) Write(p []byte) (int, error) {
	n, err := o.Writer.Write(p)
	if o.err == nil {
		o.err = err
	}
	return n, err
}

// run executes the command line args and returns the exit status. Output that could not be
// written is a failure: a reader would take a part for the whole.
func run(ctx context.Context, args []string, out, errOut io.Writer) int {
	o := &output{Writer: out}
	code := execute(ctx, args, o, errOut)
	if code == 0 && o.err != nil {
		fmt.Fprintf(errOut, "mpcvm: %v\n", o.err)
		code = 1
	}
	return code
}

// execute is run, but ignores errors of out.
func execute(ctx context.Context, args []string, out, errOut io.Writer) int {
	if len(args) == 0 {
		usage(errOut)
		return 2
	}
	if args[0] == "help" || args[0] == "-h" || args[0] == "--help" {
		usage(out)
		return 0
	}
	for _, cmd := range commands {
		if cmd.name != args[0] {
			continue
		}
		c := &call{args: args[1:], out: out, errOut: errOut, usage: cmd.usage}
		err := cmd.run(ctx, c)
		var wrong misuse
		switch {
		case err == nil:
			return 0
		case errors.Is(err, flag.ErrHelp):
			fmt.Fprintf(out, "usage: mpcvm %s\n  %s\n", cmd.usage, cmd.about)
			c.printFlags()
			return 0
		case errors.As(err, &wrong):
			fmt.Fprintf(errOut, "mpcvm %s: %v\nusage: mpcvm %s\n", cmd.name, err, cmd.usage)
			return 2
		default:
			fmt.Fprintf(errOut, "mpcvm %s: %v\n", cmd.name, err)
			return 1
		}
	}
	fmt.Fprintf(errOut, "mpcvm: unknown command %q\n", args[0])
	usage(errOut)
	return 2
}

func usage(w io.Writer) {
	fmt.Fprintln(w, "mpcvm: sparse Bayesian multi-class classification\n\nusage:")
	for _, c := range commands {
		fmt.Fprintf(w, "  mpcvm %s\n      %s\n", c.usage, c.about)
	}
}
