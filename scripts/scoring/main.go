//go:build unix

// Scoring measures the command predict on files of many rows, for docs/performance.md:
//
//	scoring [-rows 1e5,1e6,1e7] [-labels] [-dir out/scoring] [-mpcvm FILE] [data] [sizes] [formats]
//
// makes a model and the files (data), runs predict on them as a process of its own (sizes,
// formats), and prints tables. Without the name of a part it does all. It fails if an output is
// not complete.
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/scripts/measure"
	"github.com/mpcvm/mpcvm/tables/parquet"
)

// options are the flags.
type options struct {
	dir, mpcvm string
	sizes      []int
	train      int
	labels     bool
	parts      []string
	theta      float64
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "scoring:", err)
		os.Exit(1)
	}
}

func run() error {
	var o options
	rows := flag.String("rows", "1e5,1e6,1e7", "the `NUMBERS` of rows of the files")
	flag.StringVar(&o.dir, "dir", "out/scoring", "the `FOLDER` for the files; existing ones are used")
	flag.StringVar(&o.mpcvm, "mpcvm", "", "the command, a `FILE`; built if not given")
	flag.IntVar(&o.train, "train", 4000, "fit the model to `N` rows")
	flag.Float64Var(&o.theta, "theta", .15, "width of the model's kernel")
	flag.BoolVar(&o.labels, "labels", false, "predict labels alone in sizes, not probabilities")
	flag.Parse()
	o.parts = flag.Args()
	for text := range strings.SplitSeq(*rows, ",") {
		n, err := strconv.ParseFloat(text, 64)
		if err != nil || n < 1 {
			return errors.New("usage: scoring [-rows N,...] [-labels] [-dir FOLDER] [data] [sizes] [formats]")
		}
		o.sizes = append(o.sizes, int(n))
	}
	if err := os.MkdirAll(o.dir, 0o755); err != nil {
		return err
	}
	if o.mpcvm == "" {
		o.mpcvm = filepath.Join(o.dir, "mpcvm")
		build := exec.Command("go", "build", "-o", o.mpcvm, "./cmd/mpcvm")
		build.Stderr = os.Stderr
		if err := build.Run(); err != nil {
			return err
		}
	}
	m, err := o.model()
	if err != nil {
		return err
	}
	if o.does("data") {
		for _, rows := range o.sizes {
			if _, err := o.data(rows, "parquet"); err != nil {
				return err
			}
		}
	}
	var limits limit
	if o.does("sizes") || o.does("formats") {
		limits = measureLimits(m)
	}
	for _, part := range []struct {
		name string
		do   func(limit) error
	}{{"sizes", o.sizesTable}, {"formats", o.formatsTable}} {
		if !o.does(part.name) {
			continue
		}
		if err := part.do(limits); err != nil {
			return err
		}
	}
	return nil
}

// does reports whether a part is to be done.
func (o *options) does(part string) bool {
	return len(o.parts) == 0 || slices.Contains(o.parts, part)
}

func (o *options) file(name string) string { return filepath.Join(o.dir, name) }

// model loads the model, or makes it.
func (o *options) model() (*mpcvm.Model, error) {
	path := o.file("model.json")
	m, err := mpcvm.LoadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		m, err = writeModel(path, o.train, o.theta)
	}
	if err != nil {
		return nil, err
	}
	fmt.Printf("Model: mPCVM₂, %d classes, %d features, %d relevance vectors, %d weights, %v. ", m.Classes(), m.Features(), m.VectorCount(), m.WeightCount(), m.Kernel())
	fmt.Printf("%d cores, %s, %s.\n\n", runtime.GOMAXPROCS(0), runtime.Version(), time.Now().UTC().Format(time.DateOnly))
	return m, nil
}

// data makes the file of so many rows where it is missing.
func (o *options) data(rows int, extension string) (string, error) {
	path := o.file(fmt.Sprintf("rows-%d.%s", rows, extension))
	if _, err := os.Stat(path); err == nil {
		return path, nil
	}
	whole := o.file("unfinished." + extension)
	if err := writeData(whole, rows); err != nil {
		return "", err
	}
	return path, os.Rename(whole, path)
}

// limit is the CPU time of predicting a row of memory, with nothing else, in µs.
type limit struct{ labels, proba float64 }

// share is how much of the CPU time of a run that is at least.
func (l limit) share(proba bool, rows int, u usage) string {
	least := l.labels
	if proba {
		least = l.proba
	}
	return fmt.Sprintf("%.2f | %.0f %%", microseconds(u.cpu, rows), 100*least/microseconds(u.cpu, rows))
}

func microseconds(t time.Duration, rows int) float64 {
	return float64(t.Nanoseconds()) / 1e3 / float64(rows)
}

func measureLimits(m *mpcvm.Model) limit {
	x, _ := sample(0, block)
	y := mat.NewDense(block, m.Classes(), nil)
	least := func(f func(*mat.Dense, mat.Matrix) *mat.Dense) float64 {
		least := math.Inf(1)
		for range 5 { // the least, as what else the machine does only adds
			took, _ := measure.Repeat(0.25, func() error { f(y, x); return nil })
			least = min(least, 1e6*took.CPU/block)
		}
		return least
	}
	return limit{least(m.Potentials), least(m.Proba)}
}

// usage is what a run took.
type usage struct {
	wall, cpu time.Duration
	peak      float64 // 10⁶ bytes
	text      string
}

// predict runs the command.
func (o *options) predict(in, out string, proba bool) (usage, error) {
	args := []string{"predict", "--model", o.file("model.json"), "--data", in, "--out", out}
	if proba {
		args = append(args, "--proba")
	}
	var text bytes.Buffer
	c := exec.Command(o.mpcvm, args...)
	c.Stderr = &text
	start := time.Now()
	if err := c.Start(); err != nil {
		return usage{}, err
	}
	ended := make(chan struct{})
	peak := watch(c.Process.Pid, ended)
	err := c.Wait()
	close(ended)
	u := usage{wall: time.Since(start), cpu: c.ProcessState.UserTime() + c.ProcessState.SystemTime(), peak: <-peak, text: text.String()}
	if err != nil {
		return u, fmt.Errorf("%v: %s", err, text.String())
	}
	return u, nil
}

// watch asks for the peak of a process's memory until it ends: in 10⁶ bytes, 0 if it is not known.
func watch(pid int, ended <-chan struct{}) <-chan float64 {
	peak := make(chan float64, 1)
	go func() {
		most := 0.0
		for {
			most = max(most, measure.Peak(pid)/1e6)
			select {
			case <-ended:
				peak <- most
				return
			case <-time.After(20 * time.Millisecond):
			}
		}
	}()
	return peak
}

// sizesTable is memory and speed against the number of rows, Parquet to Parquet.
func (o *options) sizesTable(l limit) error {
	fmt.Printf("The limit: %.2f µs of CPU time a row for labels, %.2f for probabilities, of rows in memory.\n\n", l.labels, l.proba)
	fmt.Println("| rows | probabilities | s | CPU s | CPU µs a row | limit / that | peak MB | error |")
	fmt.Println("|---|---|---|---|---|---|---|---|")
	for _, rows := range o.sizes {
		in, err := o.data(rows, "parquet")
		if err != nil {
			return err
		}
		for _, proba := range []bool{false, true} {
			if proba && o.labels {
				continue
			}
			out := o.out(rows, proba, "parquet")
			os.Remove(out)
			u, err := o.predict(in, out, proba)
			if err != nil {
				return err
			}
			if n, err := countPredictions(out); err != nil || n != int64(rows) {
				return fmt.Errorf("%s has %d rows, not %d: %w", out, n, rows, err)
			}
			fmt.Printf("| %d | %s | %.1f | %.1f | %s | %.0f | %s |\n", rows, yes(proba), u.wall.Seconds(), u.cpu.Seconds(),
				l.share(proba, rows, u), u.peak, errorRate(u.text))
		}
	}
	fmt.Println()
	return nil
}

func (o *options) out(rows int, proba bool, extension string) string {
	return o.file(fmt.Sprintf("predicted-%d-%s.%s", rows, yes(proba), extension))
}

func yes(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

func errorRate(text string) string {
	_, rate, _ := strings.Cut(text, "error rate: ")
	rate, _, _ = strings.Cut(rate, " (")
	return rate
}

// countPredictions counts the rows of a Parquet file of predictions.
func countPredictions(path string) (int64, error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	t, err := parquet.OpenTable(f, info.Size(), path)
	if err != nil {
		return 0, err
	}
	return t.Rows(), nil
}

// formatsTable compares formats at the second largest size.
func (o *options) formatsTable(l limit) error {
	rows := o.sizes[max(len(o.sizes)-2, 0)]
	fmt.Printf("| %d rows | reading alone, CPU µs a row | CPU µs a row | limit / that | s | peak MB |\n|---|---|---|---|---|---|\n", rows)
	for _, from := range []string{"parquet", "csv"} {
		in, err := o.data(rows, from)
		if err != nil {
			return err
		}
		start := measure.CPU()
		if n, err := read(in); err != nil || n != int64(rows) {
			return fmt.Errorf("%s has %d rows: %w", in, n, err)
		}
		reading := 1e6 * (measure.CPU() - start) / float64(rows)
		for _, to := range []string{"parquet", "csv"} {
			for _, proba := range []bool{false, true} {
				out := o.file("way." + to)
				u, err := o.predict(in, out, proba)
				if err != nil {
					return err
				}
				what := ""
				if proba {
					what = ", probabilities"
				}
				fmt.Printf("| %s to %s%s | %.2f | %s | %.1f | %.0f |\n", from, to, what, reading, l.share(proba, rows, u), u.wall.Seconds(), u.peak)
			}
		}
	}
	fmt.Println()
	return nil
}
