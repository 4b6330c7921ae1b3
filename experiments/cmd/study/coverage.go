package main

import (
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/experiments/study"
	"github.com/mpcvm/mpcvm/internal/atomicfile"
	"github.com/mpcvm/mpcvm/internal/progress"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/search"
)

// coverageOptions are the flags of coverage.
type coverageOptions struct {
	data          []string
	missing       map[string]string
	nominal       []float64
	most, repeats int
	seed          uint64
	out           string
}

func coverageCommand() (*cobra.Command, work) {
	o := &coverageOptions{}
	cmd := &cobra.Command{
		Use: "coverage", Short: "Measure how often prediction sets contain the true class",
		Long: `Fit auto to random halves of data sets, form prediction sets on the other halves, and write a
CSV table: how often the sets contain the true class, with its standard error, and their mean size, for
all rows and each class. The set "mixture" has 5000 samples of three classes, drawn from a known density.`,
		Example: "  study coverage --data iris,wine,mixture --out coverage.csv",
	}
	f := cmd.Flags()
	f.StringSliceVar(&o.data, "data", nil, "CSV `FILES` or names of known sets")
	f.StringToStringVar(&o.missing, "missing", nil, missingUsage)
	f.Float64SliceVar(&o.nominal, "sets", []float64{0.8, 0.9, 0.95},
		"the probabilities `P,...` with which a set should contain the true class")
	f.IntVar(&o.most, "most", 500, "train on at most `N` rows, stratified by class, and test on the others")
	f.IntVar(&o.repeats, "repeats", 10, "number `R` of partitions")
	f.Uint64Var(&o.seed, "seed", 1, "seed `S` of the partitions")
	f.StringVar(&o.out, "out", "", "write to `FILE`; without it, to standard output")
	_ = cmd.MarkFlagRequired("data")
	return cmd, o.run
}

// run measures the coverage of sets on each of the data sets.
func (o *coverageOptions) run(ctx context.Context, out, errOut io.Writer) error {
	for _, p := range o.nominal {
		if !(p > 0 && p < 1) {
			return misuse{fmt.Errorf("--sets: a probability between 0 and 1, such as 0.9, not %v", p)}
		}
	}
	if o.most < 2 || o.repeats < 2 || o.repeats > mostRepeats {
		return misuse{fmt.Errorf("--most must be at least 2, and --repeats from 2 to %d", mostRepeats)}
	}
	missing, err := missingValues(o.missing)
	if err != nil {
		return err
	}
	shown := progress.New(errOut)
	defer shown.Clear()
	var all []study.Coverage
	for i, name := range o.data {
		set := data.NewMixture(3, 3, 2, 0.5, 7).Set(5000, o.seed)
		if name != "mixture" {
			if set, err = readSet(name); err != nil {
				return err
			}
		}
		p := study.Problem{Name: set.Name, Set: set, Missing: missing[set.Name]}
		p.Partitions = study.RandomPartitions(set, min(0.5, float64(o.most)/float64(set.N())), o.repeats, o.seed)
		show := func(partition int) {
			share := (float64(i) + float64(partition+1)/float64(o.repeats)) / float64(len(o.data))
			shown.Show(share, "%s: partition %d of %d", name, partition+1, o.repeats)
		}
		auto := func(seed uint64) mpcvm.Learner { return search.Auto{Seed: seed} }
		measured, err := study.MeasureCoverage(ctx, p, auto, o.nominal, show)
		if err != nil {
			return err
		}
		all = slices.Concat(all, measured)
	}
	shown.Clear()
	if o.out == "" {
		return study.WriteCoverage(out, all)
	}
	return atomicfile.Write(o.out, func(w io.Writer) error { return study.WriteCoverage(w, all) })
}
