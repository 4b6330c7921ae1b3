//go:build unix

// Large measures fits with candidates, for docs/LARGE.md: each run prints a [Run] as a
// line of JSON.
//
//	large letter -k 2000 ...         the first 16,000 letters for training, the last 4000 for the test
//	large mixture -n 1000000 ...     samples of ten classes, drawn from a density that is known
//	large read -data F.csv           only read a file
//	large write -n 1000000 -data F   only write one
//	large table FILE...              such lines as tables
//
// It runs on as many cores as GOMAXPROCS says. Seconds are wall time and CPU time, user
// and system, of the fit alone, memory is the peak of the process. A signal ends the fit, and the
// model so far is measured.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
	"github.com/mpcvm/mpcvm/mpcvm/score"
	"github.com/mpcvm/mpcvm/scripts/measure"
)

// Run is what one line tells.
type Run struct {
	Set        string  `json:"set"`
	Learner    string  `json:"learner"`
	N          int     `json:"n"`
	K          int     `json:"k"`
	Kernel     string  `json:"kernel"`
	Evidence   float64 `json:"evidence"`
	Single     bool    `json:"single"`
	Seed       uint64  `json:"seed"`
	Status     string  `json:"status"`
	Epochs     int     `json:"epochs"`
	Trials     int     `json:"trials"`
	Err        float64 `json:"err"` // a fraction, of the test samples
	AUC        float64 `json:"auc"`
	LogLoss    float64 `json:"logloss"`
	Temper     float64 `json:"temperature"`
	Vectors    int     `json:"vectors"`
	Weights    int     `json:"weights"`
	Wall       float64 `json:"wall_s"`
	CPU        float64 `json:"cpu_s"`
	EpochWall  float64 `json:"epoch_wall_s"` // mean
	EpochCPU   float64 `json:"epoch_cpu_s"`
	WidthsWall float64 `json:"widths_wall_s"` // to learn the widths of the features, in neither
	WidthsCPU  float64 `json:"widths_cpu_s"`
	PeakMiB    float64 `json:"peak_mib"`
	Cores      int     `json:"cores"`
	Load       float64 `json:"load"` // of the machine at the end
	Bayes      float64 `json:"bayes,omitempty"`
	BayesError float64 `json:"bayes_se,omitempty"`
}

func main() {
	if err := run(os.Args[1:]); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "large:", err)
		os.Exit(1)
	}
}

type options struct {
	set, learner, kernel, file, list      string
	n, k, epochs, additions, widths, test int
	theta, evidence, spread               float64
	single, calibrate, progress, validate bool
	seed                                  uint64
}

func run(args []string) error {
	if len(args) == 0 {
		return errors.New("usage: large letter|mixture|read|write|table ... (-h after one tells its options)")
	}
	var o options
	f := flag.NewFlagSet("large "+args[0], flag.ContinueOnError)
	f.StringVar(&o.learner, "learner", "mpcvm2", "mpcvm1 or mpcvm2")
	f.StringVar(&o.kernel, "kernel", "laplacian", "rbf or laplacian")
	f.StringVar(&o.file, "data", "", "CSV `FILE`: of mixture, training data in place of drawn ones")
	f.IntVar(&o.n, "n", 100000, "training samples of a mixture, or of letters if less than 16000")
	f.IntVar(&o.test, "test", 100000, "test samples of a mixture")
	f.StringVar(&o.list, "k", "1000", "candidates, or several numbers of them, `K,...`, for a fit each")
	f.IntVar(&o.additions, "additions", 0, "largest number a class may add in an epoch, of mpcvm2")
	f.IntVar(&o.epochs, "epochs", 0, "largest number of epochs")
	f.Float64Var(&o.theta, "theta", 0, "width of the kernel; 0 to choose")
	f.IntVar(&o.widths, "widths", 0, "learn a width for each feature, about -theta, from so many training samples")
	f.Float64Var(&o.evidence, "evidence", 1, "of mpcvm2")
	f.Float64Var(&o.spread, "spread", 1, "of the mixture")
	f.BoolVar(&o.single, "single", false, "Φ in float32")
	f.BoolVar(&o.calibrate, "calibrate", false, "with a temperature")
	f.BoolVar(&o.validate, "validate", false, "of letters: train on the first 12000 and test on the next 4000, to choose parameters by")
	f.BoolVar(&o.progress, "progress", false, "a line an epoch, to standard error")
	f.Uint64Var(&o.seed, "seed", 1, "of candidates and folds")
	if err := f.Parse(args[1:]); err != nil {
		return err
	}
	switch o.set = args[0]; o.set {
	case "letter":
		return o.letter()
	case "mixture":
		return o.mixture()
	case "read":
		return o.read()
	case "write":
		return o.write()
	case "table":
		return table(f.Args())
	}
	return fmt.Errorf("unknown argument %q", args[0])
}

func (o *options) letter() error {
	set, err := data.Load("letter")
	if err != nil {
		return err
	}
	first := 16000 // of the test
	if o.validate {
		first = 12000
	}
	train, test := make([]int, min(o.n, first)), make([]int, 4000)
	for i := range train {
		train[i] = i
	}
	for i := range test {
		test[i] = first + i
	}
	return o.fit(set.Subset(train), set.Subset(test), nil)
}

// density is that of the runs of docs/LARGE.md.
func (o *options) density() *data.Mixture { return data.NewMixture(10, 4, 16, o.spread, 1) }

func (o *options) mixture() error {
	m := o.density()
	var train *data.Set
	if o.file == "" {
		train = m.Set(o.n, 1)
	} else {
		var err error
		if train, err = data.ReadFile(o.file); err != nil {
			return err
		}
	}
	return o.fit(train, m.Set(o.test, 2), m)
}

func (o *options) read() error {
	start := time.Now()
	info, err := os.Stat(o.file)
	if err != nil {
		return err
	}
	set, err := data.ReadFile(o.file)
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(map[string]any{
		"n": set.N(), "d": set.D(), "file_mib": float64(info.Size()) / (1 << 20), "numbers_mib": float64(8*set.N()*set.D()) / (1 << 20),
		"peak_mib": measure.Peak(0) / (1 << 20), "wall_s": time.Since(start).Seconds(), "cpu_s": measure.CPU(), "load": measure.Load(),
	})
}

func (o *options) write() error {
	f, err := os.Create(o.file)
	if err != nil {
		return err
	}
	if err := o.density().WriteCSV(f, o.n, 1); err != nil {
		return errors.Join(err, f.Close())
	}
	return f.Close()
}

func (o *options) basis() (kernel.Kernel, error) {
	switch o.kernel {
	case "rbf":
		return kernel.RBF{Theta: o.theta}, nil
	case "laplacian":
		return kernel.Laplacian{Theta: o.theta}, nil
	}
	return nil, fmt.Errorf("unknown kernel %q", o.kernel)
}

// make is the learner.
func (o *options) make(k kernel.Kernel) mpcvm.Learner {
	tried := func(t mpcvm.Trial) {
		fmt.Fprintf(os.Stderr, "%s: log loss %.4f, error %.2f %%, %.0f s of CPU\n", t.Kernel, t.LogLoss, 100*t.ErrorRate, measure.CPU())
	}
	if o.learner == "mpcvm1" {
		return mpcvm.TopDown{Kernel: k, Candidates: o.k, Single: o.single, Calibrate: o.calibrate, Iterations: o.epochs, Seed: o.seed, Tried: tried}
	}
	return mpcvm.BottomUp{
		Kernel: k, Candidates: o.k, Evidence: o.evidence, Additions: o.additions, Single: o.single, Calibrate: o.calibrate,
		Epochs: o.epochs, Seed: o.seed, Tried: tried,
	}
}

// fit standardises in place, fits, and tells.
func (o *options) fit(train, test *data.Set, density *data.Mixture) error {
	k, err := o.basis()
	if err != nil {
		return err
	}
	scale := data.FitStandardizer(train.X)
	scale.Apply(train.X, train.X)
	r := Run{Set: o.set, Learner: o.learner, N: train.N(), Evidence: o.evidence, Single: o.single, Seed: o.seed, Cores: runtime.GOMAXPROCS(0)}
	start, before := time.Now(), measure.CPU()
	if o.widths > 0 {
		some, _ := train.Split(float64(o.widths)/float64(train.N()), o.seed)
		if k, _, err = (mpcvm.Widths{Kernel: k, Seed: o.seed}).Learn(context.Background(), some.X, some.T); err != nil {
			return err
		}
		r.WidthsWall, r.WidthsCPU = time.Since(start).Seconds(), measure.CPU()-before
	}
	if density != nil {
		r.Bayes, r.BayesError = density.BayesError(1000000, 3)
	}
	for text := range strings.SplitSeq(o.list, ",") {
		if o.k, err = strconv.Atoi(text); err != nil {
			return err
		}
		r.K = o.k
		debug.FreeOSMemory()
		_ = os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) // where that is, the peak begins anew
		if err := o.measure(r, k, train, test, scale); err != nil {
			return err
		}
	}
	return nil
}

// measure does a fit and prints what it came to.
func (o *options) measure(r Run, k kernel.Kernel, train, test *data.Set, scale data.Standardizer) error {
	var began bool
	var firstWall, firstCPU, lastWall, lastCPU float64
	start, before := time.Now(), measure.CPU()
	l := o.make(k)
	watch := func(s *mpcvm.Step) {
		if lastWall, lastCPU = time.Since(start).Seconds(), measure.CPU(); !began {
			began, firstWall, firstCPU = true, lastWall, lastCPU
		}
		if o.progress {
			fmt.Fprintf(os.Stderr, "%4d %14.6g %6d weights %8.3g %6.1f s, %6.1f s of CPU, %.0f MiB\n",
				s.Iteration, s.Objective, s.NonZero(), s.Change, lastWall, lastCPU-before, measure.Peak(0)/(1<<20))
		}
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	m, result, err := l.Fit(ctx, train.X, train.T, watch)
	if m == nil {
		return err
	}
	r.Wall, r.CPU, r.Load, r.PeakMiB = time.Since(start).Seconds(), measure.CPU()-before, measure.Load(), measure.Peak(0)/(1<<20)
	if n := result.Iterations - 1; n > 0 {
		r.EpochWall, r.EpochCPU = (lastWall-firstWall)/float64(n), (lastCPU-firstCPU)/float64(n)
	}
	r.Kernel, r.Status, r.Epochs, r.Trials, r.Temper = m.Kernel().String(), result.Status.String(), result.Iterations, len(result.Trials), m.Temperature()
	r.Vectors, r.Weights = m.Size()
	m = m.WithScaling(scale.Mean, scale.Scale)
	p := m.Proba(nil, test.X)
	r.Err = score.ErrorRate(m.Predict(nil, test.X), test.T)
	if r.LogLoss, err = score.LogLoss(p, test.T); err != nil {
		return err
	}
	if r.AUC, err = score.AUC(p, test.T); err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(r)
}
