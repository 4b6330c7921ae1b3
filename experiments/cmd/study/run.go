package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/mpcvm/mpcvm/experiments/study"
	"github.com/mpcvm/mpcvm/experiments/systems"
	"github.com/mpcvm/mpcvm/internal/progress"
	"github.com/mpcvm/mpcvm/internal/tabular"
)

// thetas is the grid of widths of docs/method.md, roughly logarithmic.
var thetas = []float64{0.01, 0.02, 0.03, 0.05, 0.1, 0.2, 0.3, 0.5, 0.8, 1.2, 1.6, 3}

// options are the flags of run and the study that they describe.
type options struct {
	study.Study
	data                                                   []string
	missing                                                map[string]string
	thetas                                                 []float64
	systems, tune, test, split, classes, shard, phase, dir string
	repeats, perClass                                      int
	whole, raw, dryRun                                     bool
}

func runCommand() (*cobra.Command, work) {
	o := &options{}
	cmd := &cobra.Command{
		Use: "run", Short: "Run a study, or continue an interrupted one",
		Long: `Fit each system to the training rows of each partition and score it on the other rows. Finished runs
are recorded in the folder --out, and the same command skips them.`,
		Example: "  study run --data iris,wine --systems mpcvm1,mpcvm2,svm --out results",
	}
	f := cmd.Flags()
	f.StringSliceVar(&o.data, "data", nil, "CSV `FILES` or names of known sets")
	f.StringVar(&o.dir, "out", "", "the folder `DIR` of the results, created if necessary")
	f.StringVar(&o.systems, "systems", strings.Join(systems.Names(false), ","), "the `NAMES` of the systems")
	f.Uint64Var(&o.Seed, "seed", 1, "the seed `S` of --split; the fits on partition p get S + p")
	f.StringToStringVar(&o.missing, "missing", nil, "`NAME=V`,...: in the set NAME the number V marks a "+
		"missing value. It is replaced by the median of the training rows")
	f.BoolVar(&o.raw, "raw", false, "do not standardise the features")
	f.StringVar(&o.classes, "classes", "", "with --split, use the first `K` classes, such as 2-10 or 20,40; "+
		"each K gives a data set NAME-K")
	f.IntVar(&o.perClass, "per-class", 0, "with --classes, use the first `N` samples of each class; 0 for all")
	f.StringVar(&o.split, "split", "", "instead of the partitions of a known set, split at random by class; "+
		"`SHARE` is the share for training, such as 0.8 or 1/3")
	f.IntVar(&o.repeats, "repeats", 50, "the number `R` of partitions drawn by --split")
	f.BoolVar(&o.whole, "whole", false, "instead of partitions, train and test on all rows, to count weights")
	f.Float64SliceVar(&o.thetas, "theta", thetas, "widths `T` of the kernel exp(-T |x-y|²) to choose from. "+
		"Linear systems ignore them; the SVM also chooses its C")
	f.StringVar((*string)(&o.Rule), "rule", string(study.ByError), "choose by `RULE`: "+
		"error or logloss (the lowest mean), "+
		"or one-se (the lowest log loss among the settings within one standard error of the lowest error)")
	f.StringVar(&o.tune, "tune", "", "partitions `A-B` on which each system's parameters are chosen, or none; "+
		"by default 0-4, or none if --theta has one value")
	f.StringVar(&o.test, "test", "5-", "partitions `A-B` whose results are reported; A- goes to the last")
	f.IntVar(&o.Jobs, "jobs", runtime.GOMAXPROCS(0), "run `J` fits at a time, on J cores in total")
	f.StringVar(&o.shard, "shard", "1/1", "do part `I/N` of the work, counted from 1 (0 is the last); "+
		"processes may share the folder")
	f.StringVar(&o.phase, "only", "", "run only a `PHASE`, tune or test. "+
		"Shards then divide single runs, otherwise pairs of system and data set")
	f.BoolVar(&o.Retry, "retry", false, "repeat runs that failed before")
	f.BoolVar(&o.dryRun, "dry-run", false, "list the runs and write nothing")
	_, _ = cmd.MarkFlagRequired("data"), cmd.MarkFlagRequired("out")
	cmd.MarkFlagsMutuallyExclusive("split", "whole")
	return cmd, o.run
}

// settings completes the study, except for its data.
func (o *options) settings() (err error) {
	if !slices.Contains(study.Rules, o.Rule) {
		return fmt.Errorf("--rule %q is not error, logloss or one-se", o.Rule)
	}
	if o.Jobs < 1 {
		return errors.New("--jobs must be positive")
	}
	phases := map[string]study.Phase{"": study.Both, "tune": study.Tuning, "test": study.Testing}
	phase, known := phases[o.phase]
	if !known {
		return fmt.Errorf("--only %q is neither tune nor test", o.phase)
	}
	o.Only = phase
	part, of, _ := strings.Cut(o.shard, "/")
	shard, err := strconv.Atoi(part)
	shards, err2 := strconv.Atoi(of)
	if err != nil || err2 != nil || shards < 1 || shard < 0 || shard > shards {
		return fmt.Errorf("--shard %q is not I/N with I from 1 to N", o.shard)
	}
	o.Shard, o.Shards = cmp.Or(shard, shards), shards
	for _, theta := range o.thetas {
		if !(theta > 0) || math.IsInf(theta, 1) {
			return fmt.Errorf("--theta: %v is not a positive number", theta)
		}
	}
	switch {
	case o.tune == "" && len(o.thetas) > 1 && !o.whole:
		o.tune = "0-4"
	case o.tune == "":
		o.tune = "none"
	case o.whole && o.tune != "none":
		return errors.New("--whole leaves nothing to tune on: omit --tune")
	}
	if o.classes != "" && o.split == "" {
		return errors.New("--classes needs --split, because partitions contain all classes")
	}
	if o.perClass < 0 || o.perClass > 0 && o.classes == "" {
		return errors.New("--per-class must not be negative and needs --classes")
	}
	o.Systems, err = systems.Choose(o.systems, o.thetas, o.tune != "none")
	return err
}

// run executes the runs of a study.
func (o *options) run(ctx context.Context, out, errOut io.Writer) (err error) {
	if err := o.settings(); err != nil {
		return misuse{err}
	}
	if o.Problems, err = o.problems(); err != nil {
		return err
	}
	if err := o.choosePartitions(); err != nil {
		return err
	}
	if o.dryRun {
		return o.plan(out)
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(o.Jobs)) // no more cores than jobs
	p := progress.New(errOut)
	sum, err := o.Run(ctx, o.dir, func(s study.Progress) { showRun(p, s) })
	p.Clear()
	if ctx.Err() != nil {
		fmt.Fprintf(errOut, "stopped; the finished runs are in %s, and the same command continues\n", o.dir)
	}
	if sum.FailedBefore > 0 {
		fmt.Fprintf(errOut, "runs that failed before and were not repeated (see --retry): %d\n", sum.FailedBefore)
	}
	if sum.Total+sum.Skipped+sum.FailedBefore == 0 { // nothing to do
		return err
	}
	_, printed := fmt.Fprintf(out,
		"%d runs in %.1f s, %d of them failed; %d skipped because they were finished before; results: %s\n",
		sum.Done, sum.Seconds, sum.Failed, sum.Skipped, o.dir)
	return errors.Join(err, printed)
}

// showRun reports a run of a study that has ended.
func showRun(p *progress.Progress, s study.Progress) {
	run := fmt.Sprintf("%s on %s, partition %d", s.Run.System, s.Run.Dataset, s.Run.Partition)
	if s.Run.Tuning {
		run += " (tuning)"
	}
	if s.Err != nil {
		p.Print("%s failed: %v", run, s.Err)
	}
	text := fmt.Sprintf("%d/%d runs", s.Done, s.Total)
	if s.Failed > 0 {
		text += fmt.Sprintf(", %d failed", s.Failed)
	}
	text += fmt.Sprintf(", %v; last %s", time.Duration(s.Seconds*float64(time.Second)).Round(time.Second), run)
	if s.Done == s.Total {
		p.Print("%s", text)
	} else {
		p.Show(float64(s.Done)/float64(s.Total), "%s", text)
	}
}

// plan lists the runs that run would execute.
func (o *options) plan(out io.Writer) error {
	runs, err := o.Plan(o.dir)
	if err != nil {
		return err
	}
	var rows [][]string
	for _, r := range runs {
		phase, settings := "test", "to be chosen"
		if r.Tuning {
			phase = "tune"
		}
		if r.Params != nil {
			settings = r.Params.String()
		}
		rows = append(rows, []string{r.System, r.Dataset, strconv.Itoa(r.Partition), phase, settings})
	}
	header := []string{"system", "data set", "partition", "phase", "settings"}
	if err := tabular.Write(out, header, rows); err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "%d runs\n", len(runs))
	return err
}
