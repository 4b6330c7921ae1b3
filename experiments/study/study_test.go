package study

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/internal/testkit/must"
)

// nearest is a nearest-mean classifier with one parameter: the share of the labels that it changes
// on purpose.
type nearest struct {
	mean *mat.Dense
	temp float64
}

func fitNearest(_ context.Context, p Params, x mat.Matrix, t []int, seed uint64) (Classifier, error) {
	c := slices.Max(t) + 1
	n, d := x.Dims()
	m := nearest{mean: mat.NewDense(c, d, nil), temp: p["temp"]}
	for i := range n {
		count := 0.0
		for _, l := range t {
			if l == t[i] {
				count++
			}
		}
		for j := range d {
			m.mean.Set(t[i], j, m.mean.At(t[i], j)+x.At(i, j)/count)
		}
	}
	if m.temp == 0 {
		m.temp = 1 + float64(seed)/1000
	}
	return m, nil
}

func (m nearest) Proba(_ *mat.Dense, x mat.Matrix) *mat.Dense {
	n, d := x.Dims()
	c, _ := m.mean.Dims()
	dst := mat.NewDense(n, c, nil)
	for i := range n {
		sum := 0.0
		for k := range c {
			d2 := 0.0
			for j := range d {
				d2 += (x.At(i, j) - m.mean.At(k, j)) * (x.At(i, j) - m.mean.At(k, j))
			}
			dst.Set(i, k, math.Exp(-d2/m.temp)+1e-300)
			sum += dst.At(i, k)
		}
		for k := range c {
			dst.Set(i, k, dst.At(i, k)/sum)
		}
	}
	return dst
}

func (m nearest) Predict(_ []int, x mat.Matrix) []int {
	p := m.Proba(nil, x)
	n, _ := p.Dims()
	t := make([]int, n)
	for i := range t {
		t[i] = slices.Index(p.RawRowView(i), slices.Max(p.RawRowView(i)))
	}
	return t
}

func (m nearest) VectorCount() int { r, _ := m.mean.Dims(); return r }
func (m nearest) WeightCount() int { _, c := m.mean.Dims(); return c }

// blobs returns three classes of 20 points in the plane.
func blobs(t *testing.T) *data.Set {
	t.Helper()
	s := must.Load(t, "iris")
	var rows []int
	for n := range s.N() {
		if n%3 == 0 {
			rows = append(rows, n)
		}
	}
	s = s.Subset(rows)
	s.Name = "blobs"
	return s
}

func example(t *testing.T) Study {
	set := blobs(t)
	return Study{
		Systems: []System{
			{Name: "tuned", Grid: []Params{{"temp": 1}, {"temp": 0.1}, {"temp": 10}}, Fit: fitNearest},
			{Name: "plain", Fit: fitNearest},
		},
		Problems: []Problem{
			{Name: "blobs", Set: set, Partitions: RandomPartitions(set, 0.5, 8, 3)},
			{Name: "raw", Set: set, Partitions: RandomPartitions(set, 0.7, 8, 4), Raw: true},
		},
		Tune: []int{0, 1}, Test: []int{2, 3, 4, 5, 6, 7}, Seed: 1, Rule: ByLogLoss,
	}
}

// lines returns the result lines of a folder without times and jobs, sorted.
func lines(t *testing.T, dir string) []string {
	t.Helper()
	results := must.Get(ReadDir(dir))(t)
	var all []string
	for _, r := range results {
		r.FitSeconds, r.PredictSeconds, r.Jobs = 0, 0, 0
		text := must.Get(json.Marshal(r))(t)
		all = append(all, string(text))
	}
	slices.Sort(all)
	return all
}

func run(t *testing.T, s Study, dir string) Summary {
	t.Helper()
	return must.Get(s.Run(context.Background(), dir, nil))(t)
}

func TestStudy(t *testing.T) {
	s, dir := example(t), filepath.Join(t.TempDir(), "new", "folder")
	seen := 0
	sum, err := s.Run(context.Background(), dir, func(p Progress) {
		seen++
		if p.Done != seen || p.Total != 36 || p.Err != nil {
			t.Errorf("%+v", p)
		}
	})
	if err != nil || sum.Done != 36 || sum.Total != 36 || sum.Skipped != 0 || seen != 36 {
		t.Fatalf("%+v, %v", sum, err)
	}
	results, err := ReadDir(dir)
	if err != nil || len(results) != 24 {
		t.Fatalf("%d results, %v", len(results), err)
	}
	for _, r := range results {
		if r.NTrain+r.NTest != 50 || r.Err > 0.3 || r.AUC == nil || *r.AUC < 0.9 || r.Basis != 3 ||
			r.Weights != 4 ||
			r.Params.Seed != uint64(1+r.Partition) || (r.System == "tuned") != (r.Rule == "logloss") ||
			r.Raw != (r.Dataset == "raw") {
			t.Errorf("%+v", r)
		}
	}
	// The choice has the best mean over the tuning runs.
	tuning, err := readAll(dir, tuningRuns, (*Result).check)
	if err != nil || len(tuning) != 12 {
		t.Fatalf("%d tuning runs, %v", len(tuning), err)
	}
	loss := map[string]float64{}
	for _, r := range tuning {
		if r.Dataset == "blobs" {
			loss[r.Params.Params.String()] += *r.LogLoss
		}
	}
	for _, r := range results {
		if r.System == "tuned" && r.Dataset == "blobs" {
			for p, v := range loss {
				if v < loss[r.Params.Params.String()] {
					t.Errorf("%s was chosen, %s has less", r.Params.Params, p)
				}
			}
		}
	}
	// Run again: there is nothing to do, and nothing changes.
	before := lines(t, dir)
	if sum := run(t, s, dir); sum.Done != 0 || sum.Skipped != 36 {
		t.Errorf("%+v", sum)
	}
	if !slices.Equal(before, lines(t, dir)) {
		t.Error("a second run changed the results")
	}
}

// Jobs and shards do not change the results.
func TestJobsAndShards(t *testing.T) {
	s := example(t)
	root := t.TempDir()
	run(t, s, filepath.Join(root, "one"))
	want := lines(t, filepath.Join(root, "one"))

	s.Jobs = 5
	run(t, s, filepath.Join(root, "jobs"))
	if !slices.Equal(want, lines(t, filepath.Join(root, "jobs"))) {
		t.Error("five jobs give different results than one")
	}
	for _, phases := range [][]Phase{{Both}, {Tuning, Testing}} {
		dir := filepath.Join(root, fmt.Sprint("shards", len(phases)))
		total := 0
		for _, phase := range phases {
			for i := range 3 {
				s := s
				s.Shard, s.Shards, s.Only = i+1, 3, phase
				total += run(t, s, dir).Done
			}
		}
		if !slices.Equal(want, lines(t, dir)) || total != 36 {
			t.Errorf("shards in phases %v: results differ, %d runs", phases, total)
		}
	}
}

// A study is continued from every prefix of a results file: only the torn line is lost, and nothing
// is duplicated.
func TestTornLine(t *testing.T) {
	s := example(t)
	s.Problems, s.Test = s.Problems[:1], []int{2, 3}
	root := t.TempDir()
	whole := filepath.Join(root, "whole")
	run(t, s, whole)
	want := lines(t, whole)
	for _, name := range []string{"results.jsonl", "tuning.ndjson"} {
		text := must.Get(os.ReadFile(filepath.Join(whole, name)))(t)
		for cut := 0; cut < len(text); cut += 131 {
			dir := filepath.Join(root, fmt.Sprint(name, cut))
			must.OK(t, os.CopyFS(dir, os.DirFS(whole)))
			must.OK(t, os.WriteFile(filepath.Join(dir, name), text[:cut], 0o600))
			run(t, s, dir)
			if !slices.Equal(want, lines(t, dir)) {
				t.Fatalf("%s cut after %d bytes: results differ", name, cut)
			}
			again, err := os.ReadFile(filepath.Join(dir, name))
			if err != nil || strings.Count(string(again), "\n") != strings.Count(string(text), "\n") {
				t.Fatalf("%s cut after %d bytes: %s, %v", name, cut, again, err)
			}
		}
	}
}

// A fit that ends because of the context is not a failure.
func TestInterruptedFit(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	s, dir := example(t), t.TempDir()
	s.Systems = []System{{Name: "slow", Fit: func(ctx context.Context, _ Params, _ mat.Matrix, _ []int,
		_ uint64) (Classifier, error) {
		cancel()
		<-ctx.Done()
		return nil, ctx.Err()
	}}}
	sum, err := s.Run(ctx, dir, nil)
	if !errors.Is(err, context.Canceled) || sum.Failed != 0 || sum.Done != 0 {
		t.Errorf("%+v, %v", sum, err)
	}
	if f, err := ReadFailures(dir); err != nil || len(f) != 0 {
		t.Errorf("%v, %v", f, err)
	}
}

// Failures are recorded, do not stop the other runs, and are repeated if requested.
func TestFailures(t *testing.T) {
	s, dir := example(t), t.TempDir()
	s.Problems = s.Problems[:1]
	var broken atomic.Bool
	broken.Store(true)
	fragile := func(ctx context.Context, p Params, x mat.Matrix, l []int, seed uint64) (Classifier, error) {
		if broken.Load() {
			switch {
			case p["temp"] == 0.1 && seed == 2: // tuning: this setting is excluded
				return nil, errors.New("cold")
			case seed == 5:
				return nil, errors.New("no fit")
			case seed == 6:
				panic("at partition five")
			}
		}
		return fitNearest(ctx, p, x, l, seed)
	}
	s.Systems[0].Fit = fragile
	s.Systems = append(s.Systems, System{Name: "never", Grid: []Params{{"a": 1}, {"a": 2}},
		Fit: func(context.Context, Params, mat.Matrix, []int, uint64) (Classifier, error) {
			return nil, errors.New("never")
		}})
	sum, err := s.Run(context.Background(), dir, nil)
	if !errors.Is(err, ErrFailed) || sum.Failed != 3+4+6 || sum.Done != 6+6+6+4+6 {
		t.Fatalf("%+v, %v", sum, err)
	}
	failures, err := ReadFailures(dir)
	if err != nil || len(failures) != 13 {
		t.Fatalf("%d failures, %v", len(failures), err)
	}
	report, err := ReadReport(dir)
	if err != nil || len(report.Failures) != 13 || report.Cell("never", s.Problems[0].Name) != nil {
		t.Errorf("%+v, %v", report, err)
	}
	text := fmt.Sprint(failures)
	must.Contain(t, text, "cold", "no fit", "panic: at partition five", "never",
		"every setting has a tuning run that failed")
	// They are not repeated, but still reported.
	sum, err = s.Run(context.Background(), dir, nil)
	if !errors.Is(err, ErrFailed) || sum.Done != 0 || sum.FailedBefore != 13 {
		t.Errorf("%+v, %v", sum, err)
	}
	broken.Store(false)
	s.Retry, s.Systems = true, s.Systems[:2]
	if sum := run(t, s, dir); sum.Done != 3 {
		t.Errorf("%+v", sum)
	}
	other := t.TempDir()
	run(t, s, other)
	if !slices.Equal(lines(t, other), lines(t, dir)) {
		t.Error("results differ after failures were repeated")
	}
}

// If a run failed twice, only the later failure is reported.
func TestLaterFailure(t *testing.T) {
	dir := t.TempDir()
	text := `{"system":"a","dataset":"b","partition":3,"params":{"seed":3},"error":"first"}
{"system":"a","dataset":"b","partition":4,"params":{"seed":4},"error":"other"}
{"system":"a","dataset":"b","partition":3,"params":{"seed":3},"error":"second"}
`
	must.OK(t, os.WriteFile(filepath.Join(dir, "failures.ndjson"), []byte(text), 0o600))
	failures, err := ReadFailures(dir)
	told := map[int]string{}
	for _, f := range failures {
		told[f.Partition] = f.Error
	}
	if err != nil || len(failures) != 2 || told[3] != "second" || told[4] != "other" {
		t.Errorf("%v, %v", failures, err)
	}
}

// A folder with other settings or data is rejected.
func TestMismatch(t *testing.T) {
	for name, change := range map[string]func(*Study){
		"rule":  func(s *Study) { s.Systems[0].Grid = s.Systems[0].Grid[1:] },
		"seed":  func(s *Study) { s.Seed = 7 },
		"rows":  func(s *Study) { s.Problems[0].Partitions = RandomPartitions(s.Problems[0].Set, 0.5, 8, 9) },
		"scale": func(s *Study) { s.Problems[0].Raw = true },
		"data":  func(s *Study) { s.Problems[0].Set.X.Set(1, 1, 7) },
		"labels": func(s *Study) {
			s.Problems[0].Set.T[0] = 1
		},
	} {
		s, dir := example(t), t.TempDir()
		s.Systems[0].Grid = []Params{{"temp": 1}, {"temp": 1000}, {"temp": 900}}
		run(t, s, dir)
		before := lines(t, dir)
		change(&s)
		if name == "rule" { // the chosen setting is gone
			s.Tune = s.Tune[:1]
		}
		if _, err := s.Run(context.Background(), dir, nil); !errors.Is(err, ErrMismatch) {
			t.Errorf("%s: %v", name, err)
		}
		if !slices.Equal(before, lines(t, dir)) {
			t.Errorf("%s: results changed", name)
		}
	}
}

func TestLock(t *testing.T) {
	s, dir := example(t), t.TempDir()
	s.Test = s.Test[:1]
	s.Systems = s.Systems[1:]
	inner := func(suffix string, shard, shards int) error {
		s := s
		s.Shard, s.Shards = shard, shards
		_, err := s.Run(context.Background(), filepath.Join(dir, suffix), nil)
		return err
	}
	var whole, shared, same error
	_, err := s.Run(context.Background(), dir, func(p Progress) {
		whole = inner("", 1, 1)
		shared = inner("", 1, 2)
	})
	if err != nil || !errors.Is(whole, ErrBusy) || !errors.Is(shared, ErrBusy) {
		t.Errorf("%v, %v, %v", err, whole, shared)
	}
	outer := s
	outer.Shard, outer.Shards = 1, 2
	if _, err := outer.Run(context.Background(), filepath.Join(dir, "x"), func(Progress) {
		whole, shared, same = inner("x", 1, 1), inner("x", 2, 2), inner("x", 1, 2)
	}); err != nil || !errors.Is(whole, ErrBusy) || shared != nil || !errors.Is(same, ErrBusy) {
		t.Errorf("%v, %v, %v, %v", err, whole, shared, same)
	}
}

func TestPlan(t *testing.T) {
	s, dir := example(t), filepath.Join(t.TempDir(), "none")
	plan, err := s.Plan(dir)
	if err != nil || len(plan) != 36 {
		t.Fatalf("%d runs, %v", len(plan), err)
	}
	if _, err := os.Stat(dir); err == nil {
		t.Error("the folder was created")
	}
	tuning := 0
	for _, r := range plan {
		if r.Tuning {
			tuning++
		}
		if (r.Params == nil) != (r.System == "tuned" && !r.Tuning) {
			t.Errorf("%+v", r)
		}
	}
	must.Equal(t, tuning, 12)
	run(t, s, dir)
	if plan, err = s.Plan(dir); err != nil || len(plan) != 0 {
		t.Errorf("%v, %v", plan, err)
	}
}

func TestBadStudies(t *testing.T) {
	for name, change := range map[string]func(*Study){
		"no tuning":          func(s *Study) { s.Tune = nil },
		"no such partition":  func(s *Study) { s.Test = []int{8} },
		"listed twice":       func(s *Study) { s.Test = []int{1, 1} },
		`named "tuned"`:      func(s *Study) { s.Systems[1].Name = "tuned" },
		`named "blobs"`:      func(s *Study) { s.Problems[1].Name = "blobs" },
		"without a name":     func(s *Study) { s.Problems[1].Name = "" },
		"rule":               func(s *Study) { s.Rule = "luck" },
		"shard 3 of 2":       func(s *Study) { s.Shard, s.Shards = 3, 2 },
		`named "seed"`:       func(s *Study) { s.Systems[1].Grid = []Params{{"seed": 1}} },
		"setting":            func(s *Study) { s.Systems[1].Grid = []Params{{"a": 1}, {"a": 1}} },
		"NaN":                func(s *Study) { s.Systems[1].Grid = []Params{{"a": math.NaN()}} },
		"partition 0 must":   func(s *Study) { s.Problems[0].Partitions[0] = []int{0, 0} },
		"partitions for tun": func(s *Study) { s.Tune = nil },
	} {
		s := example(t)
		change(&s)
		dir := filepath.Join(t.TempDir(), "none")
		_, err := s.Run(context.Background(), dir, nil)
		if err == nil || name != "no tuning" && !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := os.Stat(dir); err == nil {
			t.Errorf("%s: the folder was created", name)
		}
	}
}

// single returns the result of one run.
func single(t *testing.T, set *data.Set, partitions [][]int) Result {
	s, dir := example(t), t.TempDir()
	s.Systems, s.Tune, s.Test = s.Systems[1:], nil, []int{0}
	s.Problems = []Problem{{Name: "blobs", Set: set, Partitions: partitions}}
	run(t, s, dir)
	return must.Get(ReadDir(dir))(t)[0]
}

// Test samples of a class that the training set lacks count as errors; the log loss ignores them.
func TestUnseenClass(t *testing.T) {
	set := blobs(t)
	var rows []int
	for n, l := range set.T {
		if l != 1 && n%2 == 0 {
			rows = append(rows, n)
		}
	}
	r := single(t, set, [][]int{rows})
	count := set.Counts()[1]
	if r.Unseen != count || r.Err != float64(count)/float64(r.NTest) || r.LogLoss == nil || *r.LogLoss > 0.5 ||
		r.AUC == nil || *r.AUC > 0.95 {
		t.Errorf("%+v, AUC %v, log loss %v", r, *r.AUC, *r.LogLoss)
	}
}

func TestFirstClasses(t *testing.T) {
	set := blobs(t)
	two := FirstClasses(set, 2, 10)
	if two.Name != "blobs-2" || two.C() != 2 || !slices.Equal(two.Counts(), []int{10, 10}) ||
		two.CheckTrainable() != nil {
		t.Errorf("%s, %v", two.Name, two.Counts())
	}
	// Training sets for fewer classes are contained in those for more.
	all := FirstClasses(set, 3, 10)
	small, large := RandomPartitions(two, 0.3, 3, 5), RandomPartitions(all, 0.3, 3, 5)
	for p := range small {
		for _, n := range small[p] {
			if !slices.Contains(large[p], n) { // the first rows of the two agree
				t.Errorf("partition %d: row %d is missing", p, n)
			}
		}
	}
	if slices.Equal(small[0], small[1]) {
		t.Error("two partitions are the same")
	}
}

func TestMissingValues(t *testing.T) {
	set := blobs(t)
	missing := -9.0
	p := Problem{Missing: &missing}
	train, test := set.Subset([]int{0, 1, 2, 3}), set.Subset([]int{4, 5})
	for i, v := range []float64{1, -9, 5, 3} {
		train.X.Set(i, 0, v)
		train.X.Set(i, 1, -9)
	}
	test.X.Set(0, 0, -9)
	test.X.Set(0, 1, -9)
	kept := test.X.At(1, 0)
	p.impute(train.X, test.X)
	for name, got := range map[string]float64{
		"train": train.X.At(1, 0) - 3, "test": test.X.At(0, 0) - 3, "kept": test.X.At(1, 0) -
			kept, "none known": train.X.At(0, 1),
	} {
		if got != 0 {
			t.Errorf("%s: off by %v", name, got)
		}
	}
	before, p2 := Problem{digest: []byte{1}, Partitions: [][]int{{0}}}, Problem{digest: []byte{1},
		Partitions: [][]int{{0}}, Missing: &missing}
	if before.fingerprint(0) == p2.fingerprint(0) {
		t.Error("the fingerprint does not depend on missing values")
	}
}

// Tuning by error can do without probabilities; another rule repeats these runs.
func TestLabels(t *testing.T) {
	s, dir := example(t), t.TempDir()
	s.Rule, s.Systems, s.Problems = ByError, s.Systems[:1], s.Problems[:1]
	var labels atomic.Int32
	s.Systems[0].Labels = func(ctx context.Context, p Params, x mat.Matrix, l []int, seed uint64) (Classifier,
		error) {
		labels.Add(1)
		c, err := fitNearest(ctx, p, x, l, seed)
		return labelsOnly{c}, err
	}
	if run(t, s, dir); labels.Load() != 6 {
		t.Errorf("%d fits of labels", labels.Load())
	}
	if results, err := ReadDir(dir); err != nil || results[0].LogLoss == nil ||
		results[0].Params.Params["temp"] != 1 {
		t.Errorf("%+v, %v", results, err)
	}
	s.Rule, s.Only = ByLogLoss, Tuning
	if sum := run(t, s, dir); sum.Done != 6 || labels.Load() != 6 {
		t.Errorf("%+v", sum)
	}
	if sum := run(t, s, dir); sum.Done != 0 {
		t.Errorf("%+v", sum)
	}
}

// labelsOnly has no probabilities.
type labelsOnly struct{ Classifier }

func (labelsOnly) Proba(*mat.Dense, mat.Matrix) *mat.Dense { panic("asked for probabilities") }

// The package depends only on the interface mpcvm.Classifier of the systems.
func TestKnowsNoSystem(t *testing.T) {
	out := must.Get(exec.Command("go", "list", "-deps", ".").Output())(t)
	for dep := range strings.Lines(string(out)) {
		dep = strings.TrimSpace(dep)
		if strings.Contains(dep, "/mpcvm/baseline/") || strings.HasSuffix(dep, "/mpcvm/gp") ||
			strings.HasSuffix(dep, "/mpcvm/search") {
			t.Errorf("study depends on %s", dep)
		}
	}
}

// Runs made by two overlapping shards count once; torn lines do not count.
func TestReadDir(t *testing.T) {
	s, dir := example(t), t.TempDir()
	if _, err := ReadDir(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no results: %v", err)
	}
	run(t, s, dir)
	want := lines(t, dir)
	text := must.Get(os.ReadFile(filepath.Join(dir, "results.jsonl")))(t)
	for name, more := range map[string][]byte{"results-1-of-2.jsonl": text[:len(text)-5],
		"results-2-of-2.jsonl": nil} {
		must.OK(t, os.WriteFile(filepath.Join(dir, name), more, 0o600))
	}
	if !slices.Equal(want, lines(t, dir)) {
		t.Error("results differ")
	}
	tuning, err := ReadTuning(dir)
	if err != nil || len(tuning) != 12 {
		t.Errorf("%d runs for tuning, %v", len(tuning), err)
	}
	report, err := ReadReport(dir)
	if err != nil || len(report.Failures) != 0 {
		t.Fatalf("%+v, %v", report, err)
	}
	tested, tuned := 0, 0
	for _, c := range report.Cells {
		tested += c.Runs
	}
	for _, time := range report.Times {
		tuned += time.Tuning
	}
	if tested != len(want) || tuned != len(tuning) {
		t.Errorf("%d and %d runs, want %d and %d", tested, tuned, len(want), len(tuning))
	}
	must.OK(t, os.WriteFile(filepath.Join(dir, "results-2-of-2.jsonl"), []byte("{}\n"), 0o600))
	if _, err := ReadDir(dir); err == nil || !strings.Contains(err.Error(), "results-2-of-2.jsonl: line 1") {
		t.Error(err)
	}
	if _, err := ReadReport(dir); err == nil {
		t.Error("no error for a damaged folder")
	}
	if _, err := s.Run(context.Background(), dir, nil); err == nil {
		t.Error("a damaged folder was written to")
	}
}

// Each rule chooses as documented, here with given runs.
func TestRules(t *testing.T) {
	settings := []struct {
		theta        float64
		err, logLoss [2]float64 // on two partitions
	}{
		{0.1, [2]float64{0.30, 0.30}, [2]float64{0.1, 0.1}}, // the lowest log loss
		{0.2, [2]float64{0.12, 0.12}, [2]float64{0.5, 0.5}}, // within a standard error of the best
		{0.3, [2]float64{0.08, 0.12}, [2]float64{0.9, 0.9}}, // the best: 0.10, ± √(0.10·0.90/200) = 0.0212
		{0.4, [2]float64{0.10, 0.10}, [2]float64{0.8, 0.8}}, // as good, and a smaller loss
		{0.5, [2]float64{0.13, 0.13}, [2]float64{0.2, 0.2}}, // beyond the standard error
	}
	p := &pair{system: &System{Name: "a"}, problem: &Problem{Name: "b"}, study: &Study{Tune: []int{0, 1}}}
	st := &store{doneTuning: map[key]Result{}, failed: map[key]Failure{}}
	for _, s := range settings {
		p.grid = append(p.grid, Params{"theta": s.theta})
	}
	for g, s := range settings {
		for partition := range 2 {
			j := &job{pair: p, partition: partition, tuning: true, params: &p.grid[g]}
			st.doneTuning[j.key()] = Result{Err: s.err[partition], LogLoss: &s.logLoss[partition], NTest: 100}
		}
	}
	for rule, want := range map[Rule]float64{ByError: 0.4, ByLogLoss: 0.1, ByOneSE: 0.2} {
		p.study.Rule = rule
		if best, err := p.best(st); err != nil || best == nil || (*best)["theta"] != want {
			t.Errorf("%s: %v, %v; want theta=%g", rule, best, err, want)
		}
	}
	// Settings with a failed run are not chosen, and without log losses errors decide.
	for k := range st.doneTuning {
		r := st.doneTuning[k]
		r.LogLoss = nil
		st.doneTuning[k] = r
	}
	for g := range p.grid[:3] {
		k := (&job{pair: p, partition: 1, tuning: true, params: &p.grid[g]}).key()
		delete(st.doneTuning, k)
		st.failed[k] = Failure{}
	}
	for _, rule := range Rules {
		p.study.Rule = rule
		if best, err := p.best(st); err != nil || (*best)["theta"] != 0.4 {
			t.Errorf("%s: %v, %v", rule, best, err)
		}
	}
}
