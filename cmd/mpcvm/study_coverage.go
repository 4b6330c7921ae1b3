package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/internal/progress"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/search"
	"github.com/mpcvm/mpcvm/mpcvm/study"
)

// coverageOptions are the flags of study coverage.
type coverageOptions struct {
	studyOptions
	nominal []float64
	most    int
}

// mixtureName is a set of two features that study coverage draws.
const mixtureName = "mixture"

func studyCoverageCommand() *cobra.Command {
	o := &coverageOptions{}
	cmd := &cobra.Command{
		Use: "coverage", Short: "measure how often prediction sets have the true class",
		Long: `Fit auto to random halves of data sets, make prediction sets of the other
halves, and write a CSV table: how often the sets have the true class, with its standard error, and how large they are,
for all rows and each class. The set "mixture" has 5000 samples of three classes, drawn from a known density.`,
		Example: "  mpcvm study coverage --data iris,wine,mixture --out coverage.csv",
		Args:    arguments(0, 0, ""), RunE: task(o.run),
	}
	section(cmd, "Flags", func(f *pflag.FlagSet) {
		f.StringVar(&o.data, "data", "", "the data, CSV `FILES` or names of known sets, separated by commas; required")
		f.StringVar(&o.missing, "missing", "", "`NAME=V`, separated by commas: in the set NAME the number V is a missing value. It is replaced by the median of the training part")
		f.Float64SliceVar(&o.nominal, "sets", []float64{0.8, 0.9, 0.95}, "the probabilities `P,...` with which a set shall have the true class")
		f.IntVar(&o.most, "most", 500, "train on `N` rows at most, drawn class by class; the others are for the test")
		f.IntVar(&o.repeats, "repeats", 10, "number `R` of partitions")
		f.Uint64Var(&o.seed, "seed", 1, "seed `S` of the partitions")
		f.StringVar(&o.out, "out", "", "write to `FILE`; without it, to standard output")
	})
	return cmd
}

// run measures the coverage of sets on each of the data sets.
func (o *coverageOptions) run(ctx context.Context, out, errOut io.Writer) error {
	if err := needed("--data", o.data); err != nil {
		return err
	}
	for _, p := range o.nominal {
		if !(p > 0 && p < 1) {
			return misuse{fmt.Errorf("--sets: a probability between 0 and 1, such as 0.9, not %v", p)}
		}
	}
	if o.most < 2 || o.repeats < 2 || o.repeats > mostRepeats {
		return misuse{fmt.Errorf("--most must be at least 2, and --repeats from 2 to %d", mostRepeats)}
	}
	missing, err := o.missingValues()
	if err != nil {
		return misuse{err}
	}
	shown := progress.New(errOut)
	defer shown.Clear()
	names := strings.Split(o.data, ",")
	var all []study.Coverage
	for i, name := range names {
		set, err := o.set(ctx, name)
		if err != nil {
			return err
		}
		p := study.Problem{Name: set.Name, Set: set, Missing: missing[set.Name]}
		p.Partitions = study.RandomPartitions(set, min(0.5, float64(o.most)/float64(set.N())), o.repeats, o.seed)
		show := func(partition int) {
			shown.Show((float64(i)+float64(partition+1)/float64(o.repeats))/float64(len(names)), fmt.Sprintf("%s: partition %d of %d", name, partition+1, o.repeats))
		}
		measured, err := study.MeasureCoverage(ctx, p, func(seed uint64) mpcvm.Learner { return search.Auto{Seed: seed} }, o.nominal, show)
		if err != nil {
			return err
		}
		all = slices.Concat(all, measured)
	}
	shown.Clear()
	if o.out == "" {
		return study.WriteCoverage(out, all)
	}
	return writeFile(o.out, func(w io.Writer) error { return study.WriteCoverage(w, all) })
}

// set reads a data set, or draws the mixture.
func (o *coverageOptions) set(ctx context.Context, name string) (*data.Set, error) {
	if name == mixtureName {
		return data.NewMixture(3, 3, 2, 0.5, 7).Set(5000, o.seed), nil
	}
	set, _, err := readSet(ctx, name)
	return set, err
}
