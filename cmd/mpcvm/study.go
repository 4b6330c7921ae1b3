package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/mpcvm/mpcvm/internal/systems"
	"github.com/mpcvm/mpcvm/mpcvm/study"
)

// studyThetas is the grid of widths of docs/method.md, about logarithmic.
const studyThetas = "0.01,0.02,0.03,0.05,0.1,0.2,0.3,0.5,0.8,1.2,1.6,3"

// studyOptions are the flags of study run.
type studyOptions struct {
	data, partitions, systems, tune, test, theta, rule string
	split, classes, missing                            string
	repeats, perClass                                  int
	whole, raw, retry, dryRun, json                    bool
	jobs                                               int
	wait                                               time.Duration
	shard, only                                        string
	seed                                               uint64
	out                                                string
	given                                              func(flag string) bool
	thetas                                             []float64 // of theta
}

func studyCommand() *cobra.Command {
	return verbs(&cobra.Command{
		Use: "study VERB", Short: "compare systems over many partitions of data sets",
		Example: `  mpcvm study run --data iris,wine --systems mpcvm2,svm --out results
  mpcvm study tables --from results`,
	}, studies.command(), studyRunCommand(), studyTablesCommand(), studyCoverageCommand())
}

// flags adds the flags that describe a study.
func (o *studyOptions) flags(cmd *cobra.Command) {
	o.given = cmd.Flags().Changed
	section(cmd, "Flags", func(f *pflag.FlagSet) {
		f.StringVar(&o.data, "data", "", "CSV `FILES` or names of known sets, separated by commas; required")
		f.StringVar(&o.systems, "systems", strings.Join(systems.Names(false), ","), "the `NAMES` of the systems, separated by commas")
		f.Uint64Var(&o.seed, "seed", 1, "the seed `S` of --split; the fits on partition p get S + p")
	})
	section(cmd, theSets, func(f *pflag.FlagSet) {
		f.StringVar(&o.missing, "missing", "", "`NAME=V`, separated by commas: in the set NAME the number V is a missing value. It is replaced by the median of the training part")
		f.BoolVar(&o.raw, "raw", false, "do not standardise the features")
		f.StringVar(&o.classes, "classes", "", "use only the first `K` classes, such as 2-10 or 20,40; each K is a data set NAME-K. It needs --split")
		f.IntVar(&o.perClass, "per-class", 0, "with --classes, use only the first `N` samples of each class; 0 for all")
	})
	section(cmd, thePartitions, func(f *pflag.FlagSet) {
		f.StringVar(&o.partitions, "partitions", "", "`FILES` of partitions, one for each data set. Each line is a partition: its training rows, counted from 0. Known sets have their own")
		f.StringVar(&o.split, "split", "", "instead of partitions, split at random, class by class; `SHARE` is for training, such as 0.8 or 1/3")
		f.IntVar(&o.repeats, "repeats", 50, "the number `R` of partitions that --split makes")
		f.BoolVar(&o.whole, "whole", false, "instead of partitions, train and test on all rows, to count weights")
		f.StringVar(&o.theta, "theta", studyThetas, "widths `T` of the kernel exp(-T |x-y|²) to choose from. Linear systems ignore them; the SVM also chooses its C")
		f.StringVar(&o.rule, "rule", string(study.ByError), "choose by `RULE`: error or logloss (the smallest mean), or one-se (the smallest log loss of the settings within a standard error of the smallest error)")
		f.StringVar(&o.tune, "tune", "", "partitions `A-B` on which each system's parameters are chosen, or none; by default 0-4, or none if --theta has one value")
		f.StringVar(&o.test, "test", "5-", "partitions `A-B` whose results are reported; A- goes to the last")
	})
	section(cmd, theWork, func(f *pflag.FlagSet) {
		f.IntVar(&o.jobs, "jobs", runtime.GOMAXPROCS(0), "make `J` runs at a time, on J cores in all")
	})
	choices(cmd, "rule", study.Rules...)
}

// study returns the study that the flags describe.
func (o *studyOptions) study(ctx context.Context) (s study.Study, err error) {
	if err := needed("--data", o.data, "--out", o.out); err != nil {
		return s, err
	}
	if s, err = o.settings(); err != nil {
		return s, misuse{err}
	}
	if s.Problems, err = o.problems(ctx); err != nil {
		return s, err
	}
	return s, o.chosenPartitions(&s)
}

// settings returns the study without its data.
func (o *studyOptions) settings() (s study.Study, err error) {
	s = study.Study{Rule: study.Rule(o.rule), Seed: o.seed, Jobs: o.jobs, Retry: o.retry, Wait: o.wait}
	if !slices.Contains(study.Rules, s.Rule) {
		return s, fmt.Errorf("--rule %q is none of error, logloss, one-se", o.rule)
	}
	if o.jobs < 1 {
		return s, fmt.Errorf("--jobs must be positive: %d", o.jobs)
	}
	if o.wait < 0 {
		return s, fmt.Errorf("--wait must not be negative: %v", o.wait)
	}
	phases := map[string]study.Phase{"": study.Both, "tune": study.Tuning, "test": study.Testing}
	phase, known := phases[o.only]
	if !known {
		return s, fmt.Errorf("--only %q is neither tune nor test", o.only)
	}
	s.Only = phase
	if s.Shard, s.Shards, err = parseShard(o.shard); err != nil {
		return s, err
	}
	count := 0
	for _, name := range []string{"partitions", "split", "whole"} {
		if o.given(name) {
			count++
		}
	}
	if count > 1 {
		return s, errors.New("only one of --partitions, --split and --whole is allowed")
	}
	thetas := o.thetas[:0]
	for cell := range strings.SplitSeq(o.theta, ",") {
		theta, err := strconv.ParseFloat(strings.TrimSpace(cell), 64)
		if err != nil || !(theta > 0) || math.IsInf(theta, 1) {
			return s, fmt.Errorf("--theta: %q is not a positive number", cell)
		}
		thetas = append(thetas, theta)
	}
	switch {
	case !o.given("tune") && len(thetas) > 1 && !o.whole:
		o.tune = "0-4"
	case !o.given("tune"):
		o.tune = "none"
	case o.whole && o.tune != "none":
		return s, errors.New("--whole has nothing to tune on: leave --tune out")
	}
	if o.given("classes") && o.split == "" {
		return s, errors.New("--classes needs --split: partitions are of all classes")
	}
	if o.perClass < 0 || o.perClass > 0 && o.classes == "" {
		return s, errors.New("--per-class must not be negative and needs --classes")
	}
	o.thetas = thetas
	if s.Systems, err = systems.Choose(o.systems, thetas, o.tune != "none"); err != nil {
		return s, err
	}
	for _, system := range s.Systems {
		if o.tune == "none" && len(system.Grid) > 1 {
			return s, fmt.Errorf("%s has several values of --theta: --tune must name partitions on which to choose", system.Name)
		}
	}
	return s, nil
}

// parseShard reads I/N.
func parseShard(text string) (shard, shards int, err error) {
	if text == "" {
		return 1, 1, nil
	}
	part, of, ok := strings.Cut(text, "/")
	shard, err = strconv.Atoi(part)
	if err == nil {
		shards, err = strconv.Atoi(of)
	}
	if !ok || err != nil || shards < 1 || shard < 0 || shard > shards {
		return 0, 0, fmt.Errorf("--shard %q is not I/N with I from 1 to N", text)
	}
	shard = cmp.Or(shard, shards)
	return shard, shards, nil
}
