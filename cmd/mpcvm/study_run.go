package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strconv"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/mpcvm/mpcvm/internal/progress"
	"github.com/mpcvm/mpcvm/internal/tabular"
	"github.com/mpcvm/mpcvm/mpcvm/study"
)

func studyRunCommand() *cobra.Command {
	o := &studyOptions{}
	cmd := &cobra.Command{
		Use: "run", Short: "make the runs of a study, or continue after a stop",
		Long: `Fit each system to the training part of each partition and score it on the rest. What is finished is in the folder
of --out, and the same command skips it.`,
		Example: "  mpcvm study run --data iris,wine --systems mpcvm1,mpcvm2,svm --out results",
		Args:    arguments(0, 0, ""), RunE: task(o.run),
	}
	o.flags(cmd)
	section(cmd, theWork, func(f *pflag.FlagSet) {
		f.StringVar(&o.shard, "shard", "", "do part `I/N` of the work, counted from 1 (0 is the last); processes may share the folder")
		f.StringVar(&o.only, "only", "", "make only the runs of a `PHASE`, tune or test. Shards then share single runs, otherwise pairs of system and data set")
		f.DurationVar(&o.wait, "wait", 0, "wait for `TIME`, such as 90s, if another process writes to the same files")
		f.BoolVar(&o.retry, "retry", false, "repeat runs that failed before")
	})
	section(cmd, "Flags", func(f *pflag.FlagSet) {
		f.StringVar(&o.out, "out", "", "the folder `DIR` of the results, created if necessary; required")
		f.BoolVar(&o.dryRun, "dry-run", false, "list the runs and write nothing")
		f.BoolVar(&o.json, "json", false, "print JSON")
	})
	choices(cmd, "only", "tune", "test")
	return cmd
}

// run makes the runs of a study.
func (o *studyOptions) run(ctx context.Context, out, errOut io.Writer) error {
	s, err := o.study(ctx)
	if err != nil {
		return err
	}
	if o.dryRun {
		return o.plan(out, s)
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(o.jobs)) // no more cores than jobs
	p := progress.New(errOut)
	sum, err := s.Run(ctx, o.out, func(s study.Progress) { showRun(p, s) })
	p.Clear()
	if ctx.Err() != nil {
		fmt.Fprintf(errOut, "stopped; what is finished is in %s, and the same command continues with the rest\n", o.out)
	}
	if sum.FailedBefore > 0 {
		fmt.Fprintf(errOut, "runs that failed before and were not repeated (see --retry): %d\n", sum.FailedBefore)
	}
	if sum.Total+sum.Skipped+sum.FailedBefore > 0 { // the work began
		if o.json {
			err = errors.Join(err, writeJSON(out, "", map[string]any{
				"done": sum.Done, "failed": sum.Failed, "skipped": sum.Skipped, "total": sum.Total,
				"failed_before": sum.FailedBefore, "seconds": sum.Seconds, "out": o.out,
			}))
		} else {
			fmt.Fprintf(out, "%d runs in %.1f s, %d of them failed; %d had been made before; results: %s\n",
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
		p.Show(float64(s.Done)/float64(s.Total), text)
	}
}

// plan lists the runs that run would make.
func (o *studyOptions) plan(out io.Writer, s study.Study) error {
	runs, err := s.Plan(o.out)
	if err != nil {
		return err
	}
	if o.json {
		if runs == nil {
			runs = []study.Run{}
		}
		return writeJSON(out, "runs", runs)
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
	if err := tabular.Write(out, []string{"system", "data set", "partition", "phase", "settings"}, rows); err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "%d runs\n", len(runs))
	return err
}
