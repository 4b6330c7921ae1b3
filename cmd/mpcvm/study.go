package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mpcvm/mpcvm/internal/progress"
	"github.com/mpcvm/mpcvm/internal/studyfile"
	"github.com/mpcvm/mpcvm/internal/systems"
	"github.com/mpcvm/mpcvm/mpcvm/study"
)

// studyThetas is the grid of widths of docs/learners.md, about logarithmic.
const studyThetas = "0.01,0.02,0.03,0.05,0.1,0.2,0.3,0.5,0.8,1.2,1.6,3"

// studyOptions are the flags of study run and study tables.
type studyOptions struct {
	data, partitions, systems, tune, test, theta, rule string
	split, classes, missing                            string
	repeats, perClass                                  int
	whole, raw, retry, dryRun, json                    bool
	jobs                                               int
	wait                                               time.Duration
	shard, only                                        string
	seed                                               uint64
	out, from, format                                  string
	given                                              map[string]bool
	thetas                                             []float64 // of theta
}

// tablesFlags and mergeFlags are the flags of these verbs of study. study run has all flags
// but those of tables, study export has those of run but notExport.
var (
	tablesFlags = []string{"from", "format"}
	mergeFlags  = []string{"from", "out", "json"}
	notExport   = []string{"shard", "only", "retry", "dry-run", "json", "wait"}
)

// hasFlag reports whether a verb of study has a flag.
func hasFlag(verb, name string) bool {
	switch verb {
	case "tables":
		return slices.Contains(tablesFlags, name)
	case "merge":
		return slices.Contains(mergeFlags, name)
	}
	return !slices.Contains(tablesFlags, name) && (verb == "run" || !slices.Contains(notExport, name))
}

// studyCommand runs or exports a study, merges folders or prints tables.
func studyCommand(ctx context.Context, c *call) error {
	var o studyOptions
	f := c.flags()
	f.StringVar(&o.data, "data", "", "run: the data, CSV `FILES` or names of known sets, separated by commas; required")
	f.StringVar(&o.partitions, "partitions", "", "run: `FILES` of partitions, one for each data set. Each line is a partition: its training rows, counted from 0. The default for known sets are their own")
	f.StringVar(&o.systems, "systems", strings.Join(systems.Names(false), ","), "run: `NAMES` of the systems: "+strings.Join(systems.Names(true), ", "))
	f.StringVar(&o.tune, "tune", "", "run: partitions `A-B` on which each system's parameters are chosen by mean accuracy, or none. The default is 0-4, or none if --theta has one value")
	f.StringVar(&o.test, "test", "5-", "run: partitions `A-B` whose results are reported; A- goes to the last")
	f.StringVar(&o.theta, "theta", studyThetas, "run: widths `T` of the kernel exp(-T |x-y|²) to choose from. Linear systems ignore them; the SVM also chooses its C")
	f.StringVar(&o.rule, "rule", string(study.ByError), "run: choose by `RULE`: error or logloss (the smallest mean), or one-se (the smallest log loss of the settings within a standard error of the smallest error)")
	f.StringVar(&o.split, "split", "", "run: instead of partitions, split at random, class by class; `SHARE` is for training, such as 0.8 or 1/3")
	f.IntVar(&o.repeats, "repeats", 50, "run: number `R` of partitions that --split makes")
	f.StringVar(&o.classes, "classes", "", "run: only the first `K` classes, such as 2-10 or 20,40; each K is a data set NAME-K. It needs --split")
	f.IntVar(&o.perClass, "per-class", 0, "run: with --classes, only the first `N` samples of each class; 0 for all")
	f.StringVar(&o.missing, "missing", "", "run: `NAME=V`, separated by commas: in the set NAME the number V is a missing value. It is replaced by the median of the training part")
	f.BoolVar(&o.whole, "whole", false, "run: instead of partitions, train and test on all rows, to count weights")
	f.BoolVar(&o.raw, "raw", false, "run: do not standardise the features")
	f.IntVar(&o.jobs, "jobs", runtime.GOMAXPROCS(0), "run: make `J` runs at a time, on J cores in all")
	f.StringVar(&o.shard, "shard", "", "run: do part `I/N` of the work, counted from 1 (0 is the last); processes may share the folder")
	f.StringVar(&o.only, "only", "", "run: only `PHASE` tune or test. Shards then share single runs, otherwise pairs of system and data set")
	f.BoolVar(&o.retry, "retry", false, "run: repeat runs that failed before")
	f.BoolVar(&o.dryRun, "dry-run", false, "run: list the runs and write nothing")
	f.DurationVar(&o.wait, "wait", 0, "run: wait for `TIME`, such as 90s, if another process writes to the same files")
	f.BoolVar(&o.json, "json", false, "run, merge: print JSON")
	f.Uint64Var(&o.seed, "seed", 1, "run: seed `S` of --split; the fits on partition p get S + p")
	f.StringVar(&o.out, "out", "", "run, merge: the folder `DIR` of the results, created if necessary; runs that it holds are skipped. export: the file. Required")
	f.StringVar(&o.from, "from", "", "tables, merge: the folder `DIR` of the results; for merge one or more, separated by commas. Required")
	f.StringVar(&o.format, "format", "text", "tables: `FORMAT` text, md, html or json")
	rest, err := c.parse(f, 1, 1)
	if err != nil {
		return err
	}
	o.given = map[string]bool{}
	f.Visit(func(f *flag.Flag) { o.given[f.Name] = true })
	verbs := map[string]func(context.Context, *call) error{"run": o.run, "export": o.export, "tables": o.tables, "merge": o.merge}
	verb, known := verbs[rest[0]]
	if !known {
		return misuse{fmt.Errorf("unknown argument %q", rest[0])}
	}
	for name := range o.given {
		if !hasFlag(rest[0], name) {
			return misuse{fmt.Errorf("study %s has no --%s", rest[0], name)}
		}
	}
	return verb(ctx, c)
}

// merge merges folders, and the files of all shards in them.
func (o *studyOptions) merge(ctx context.Context, c *call) error {
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
		return writeJSON(c.out, map[string]any{"results": m.Results, "tuning": m.Tuning, "failures": m.Failures, "out": o.out})
	}
	_, err = fmt.Fprintf(c.out, "%d results, %d runs for tuning, %d failures: %s\n", m.Results, m.Tuning, m.Failures, o.out)
	return err
}

// tables prints the tables of the results in a folder.
func (o *studyOptions) tables(ctx context.Context, c *call) error {
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
	return report.Write(c.out, o.format)
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

// export writes the study and its data as one file.
func (o *studyOptions) export(ctx context.Context, c *call) error {
	s, err := o.study(ctx)
	if err != nil {
		return err
	}
	if err := checkOutputs(nil, []file{{"--out", o.out}}); err != nil {
		return err
	}
	runs, err := s.Plan("") // checks the study
	if err != nil {
		return err
	}
	if err := writeFile(o.out, func(w io.Writer) error {
		return json.NewEncoder(w).Encode(studyfile.New(s, o.thetas, o.tune != "none"))
	}); err != nil {
		return err
	}
	_, err = fmt.Fprintf(c.out, "a study of %d runs: %s\n", len(runs), o.out)
	return err
}

// run makes the runs of a study.
func (o *studyOptions) run(ctx context.Context, c *call) error {
	s, err := o.study(ctx)
	if err != nil {
		return err
	}
	if o.dryRun {
		return o.plan(c, s)
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(o.jobs)) // no more cores than jobs
	p := progress.New(c.errOut)
	sum, err := s.Run(ctx, o.out, func(s study.Progress) { showRun(p, s) })
	p.Clear()
	if ctx.Err() != nil {
		fmt.Fprintf(c.errOut, "stopped; what is finished is in %s, and the same command continues with the rest\n", o.out)
	}
	if sum.FailedBefore > 0 {
		fmt.Fprintf(c.errOut, "runs that failed before and were not repeated (see --retry): %d\n", sum.FailedBefore)
	}
	if sum.Total+sum.Skipped+sum.FailedBefore > 0 { // the work began
		if o.json {
			err = errors.Join(err, writeJSON(c.out, map[string]any{
				"done": sum.Done, "failed": sum.Failed, "skipped": sum.Skipped, "total": sum.Total,
				"failed_before": sum.FailedBefore, "seconds": sum.Seconds, "out": o.out,
			}))
		} else {
			fmt.Fprintf(c.out, "%d runs in %.1f s, %d of them failed; %d had been made before; results: %s\n",
				sum.Done, sum.Seconds, sum.Failed, sum.Skipped, o.out)
		}
	}
	return err
}

// showRun shows a run of a study that has ended.
func showRun(p *progress.Progress, s study.Progress) {
	run := fmt.Sprintf("%s on %s, partition %d", s.Run.System, s.Run.Dataset, s.Run.Partition)
	if s.Run.Tuning {
		run += " (tuning)"
	}
	if s.Err != nil {
		p.Print(fmt.Sprintf("%s failed: %v", run, s.Err))
	}
	text := fmt.Sprintf("%d/%d runs", s.Done, s.Total)
	if s.Failed > 0 {
		text += fmt.Sprintf(", %d failed", s.Failed)
	}
	text += fmt.Sprintf(", %v; last %s", s.Elapsed.Round(time.Second), run)
	if s.Done == s.Total {
		p.Print(text)
	} else {
		p.Show(float64(s.Done)/float64(s.Total), s.Left, text)
	}
}

// plan lists the runs that run would make.
func (o *studyOptions) plan(c *call, s study.Study) error {
	runs, err := s.Plan(o.out)
	if err != nil {
		return err
	}
	if o.json {
		if runs == nil {
			runs = []study.Run{}
		}
		return writeJSON(c.out, runs)
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
	if err := printTable(c.out, upper("system", "data set", "partition", "phase", "settings"), rows); err != nil {
		return err
	}
	_, err = fmt.Fprintf(c.out, "%d runs\n", len(runs))
	return err
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
		if o.given[name] {
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
	case !o.given["tune"] && len(thetas) > 1 && !o.whole:
		o.tune = "0-4"
	case !o.given["tune"]:
		o.tune = "none"
	case o.whole && o.tune != "none":
		return s, errors.New("--whole has nothing to tune on: leave --tune out")
	}
	if o.given["classes"] && o.split == "" {
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
