// Command mutants asks whether the tests would notice a fault. It puts the faults of a
// list (list.go) into the library one at a time, by an overlay that leaves the files as
// they are, runs the tests of the packages that should notice, and prints for each by
// which test it was caught. A time limit counts as caught. The exit status is 1 if fewer than
// 95 per cent are caught, 2 if the list does not fit the sources or a test fails without a
// fault.
//
//	go -C scripts run ./mutants                  all, about 20 minutes on two cores
//	go -C scripts run ./mutants -run bottomup.go those whose file or description match
//	go -C scripts run ./mutants -timings FILE    keeps there how long each test takes, for the next run
package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// enough is the least share of the mutants that must be caught.
const enough = 0.95

func main() {
	run := flag.String("run", "", "regular expression: only the mutants whose file or description matches")
	limit := flag.Duration("timeout", 10*time.Minute, "time limit of the tests of a package")
	timings := flag.String("timings", "", "file for the tests of each package by the time they take: read if it is there, else written")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	caught, total, err := work(ctx, *run, *timings, *limit)
	stop()
	switch {
	case err != nil:
		fmt.Fprintln(os.Stderr, "mutants:", err)
		os.Exit(2)
	case float64(caught) < enough*float64(total):
		os.Exit(1)
	}
}

// work makes the mutants that match a pattern, prints the table and counts those caught.
func work(ctx context.Context, pattern, timings string, limit time.Duration) (caught, total int, err error) {
	match, err := regexp.Compile(pattern)
	if err != nil {
		return 0, 0, err
	}
	root, err := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}", "github.com/mpcvm/mpcvm").Output()
	if err != nil {
		return 0, 0, fmt.Errorf("go list: %w", err)
	}
	t := tester{root: strings.TrimSpace(string(root)), limit: limit, tests: map[string][]test{}}
	all, err := places(t.root, mutants)
	if err != nil {
		return 0, 0, err
	}
	if t.dir, err = os.MkdirTemp("", "mutants"); err != nil {
		return 0, 0, err
	}
	defer os.RemoveAll(t.dir)

	var chosen []place
	var packages []string
	for _, m := range all {
		if match.MatchString(m.file) || match.MatchString(m.why) {
			chosen = append(chosen, m)
			packages = append(packages, notices(m.file)...)
		}
	}
	if len(chosen) == 0 {
		return 0, 0, errors.New("no mutant matches")
	}
	slices.Sort(packages)
	if err := t.prepare(ctx, timings, slices.Compact(packages)); err != nil {
		return 0, 0, err
	}
	fmt.Println("| file | mutant | caught by | s |\n|---|---|---|---|")
	var survivors []place
	var errs []error
	for _, m := range chosen {
		by, seconds, err := t.try(ctx, m)
		if ctx.Err() != nil {
			return caught, total, ctx.Err()
		}
		total++
		switch {
		case err != nil:
			by = "(error)"
			errs = append(errs, err)
		case by == "":
			by = "**nothing**"
			survivors = append(survivors, m)
		default:
			caught++
		}
		fmt.Printf("| %s:%d | %s | %s | %.0f |\n", strings.TrimPrefix(m.file, "mpcvm/"), m.line, m.why, by, seconds)
	}
	fmt.Printf("\n%d of %d caught, %.1f %%.\n", caught, total, 100*float64(caught)/float64(total))
	for _, m := range survivors {
		fmt.Printf("\nSurvived in %s, %s:\n-%s\n+%s\n", m.file, m.why, m.from, m.to)
	}
	return caught, total, errors.Join(errs...)
}

// tester runs tests.
type tester struct {
	root  string // of the module
	dir   string // for what it writes
	limit time.Duration
	tests map[string][]test // of each package, the cheapest first
}

// test is one of a package: its file, and how long it takes.
type test struct {
	Name, File string
	Seconds    float64
}

// place is where a mutant belongs.
type place struct {
	mutant
	file    string // from the root, with slashes
	line    int
	mutated string // the file's text with the fault
}

// blanks are equal to any others in the text of a mutant.
var blanks = regexp.MustCompile(`\s+`)

// places finds mutants in the Go files of the library, those of mpcvm, data and internal, tests
// left out. It is an error if the text of one does not occur exactly once.
func places(root string, mutants []mutant) (found []place, err error) {
	sources := map[string]string{}
	for _, tree := range []string{"data", "internal", "mpcvm"} {
		err := filepath.WalkDir(filepath.Join(root, tree), func(name string, _ fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
				return err
			}
			text, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			name, err = filepath.Rel(root, name)
			sources[filepath.ToSlash(name)] = string(text)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	var errs []error
	for _, m := range mutants {
		from := regexp.MustCompile(blanks.ReplaceAllLiteralString(regexp.QuoteMeta(m.from), `\s+`))
		var here []place
		for file, text := range sources {
			for _, at := range from.FindAllStringIndex(text, -1) {
				here = append(here, place{m, file, 1 + strings.Count(text[:at[0]], "\n"), text[:at[0]] + m.to + text[at[1]:]})
			}
		}
		if len(here) == 1 {
			found = append(found, here[0])
			continue
		}
		files := []string{}
		for _, p := range here {
			files = append(files, fmt.Sprintf("%s:%d", p.file, p.line))
		}
		errs = append(errs, fmt.Errorf("the text of the mutant %q occurs %d times, not once:\n%s\n%s", m.why, len(here), m.from, strings.Join(files, " ")))
	}
	return found, errors.Join(errs...)
}

// contract is the package whose tests hold every classifier to the same contract.
const contract = "./mpcvm/baseline"

// notices lists the packages whose tests should notice a fault in a file, the cheapest
// first: its own; of what the learners share those that use it; of a learner the contract.
func notices(file string) []string {
	own := "./" + path.Dir(file)
	list := []string{own}
	switch {
	case own == "./mpcvm/internal/par":
		list = append(list, "./mpcvm/kernel", "./mpcvm/internal/dense", "./mpcvm")
	case strings.HasPrefix(own, "./mpcvm/internal/"):
		list = append(list, "./mpcvm/gp", "./mpcvm/search", "./mpcvm")
	case strings.HasPrefix(own, "./internal/"):
		list = append(list, "./data", "./mpcvm")
	case own == "./mpcvm" || slices.Contains([]string{"gp", "search", "baseline"}, strings.Split(own+"//", "/")[2]):
		list = append(list, contract)
	}
	return list
}

// try says which test caught a mutant, "" if none did.
func (t tester) try(ctx context.Context, m place) (by string, seconds float64, err error) {
	start := time.Now()
	overlay, err := t.overlay(m)
	if err != nil {
		return "", 0, err
	}
	for _, p := range notices(m.file) {
		if by, err = t.test(ctx, p, m.file, overlay); err != nil {
			return "", 0, fmt.Errorf("%s, %s: %w", m.file, m.why, err)
		}
		if by != "" {
			break
		}
	}
	return by, time.Since(start).Seconds(), nil
}

// overlay writes a file for go test -overlay.
func (t tester) overlay(m place) (file string, err error) {
	source := filepath.Join(t.dir, "source.go")
	if err := os.WriteFile(source, []byte(m.mutated), 0o600); err != nil {
		return "", err
	}
	file = filepath.Join(t.dir, "overlay.json")
	original := filepath.Join(t.root, filepath.FromSlash(m.file))
	return file, os.WriteFile(file, fmt.Appendf(nil, `{"Replace": {%q: %q}}`, original, source), 0o600)
}

// prepare measures packages that a file of timings, "" for none, has not, and writes it.
func (t tester) prepare(ctx context.Context, timings string, packages []string) error {
	text, err := os.ReadFile(timings)
	if err == nil {
		err = json.Unmarshal(text, &t.tests)
	}
	if timings != "" && err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, p := range packages {
		if t.tests[p] != nil {
			continue
		}
		if err := t.measure(ctx, p); err != nil {
			return err
		}
		if timings == "" {
			continue
		}
		if text, err = json.MarshalIndent(t.tests, "", " "); err != nil {
			return err
		}
		if err := os.WriteFile(timings, text, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// passed is a line of a test that passed, or was skipped, and how long it took.
var passed = regexp.MustCompile(`(?m)^--- (?:PASS|SKIP): (\S+) \(([0-9.]+)s\)`)

// declared is the declaration of a test.
var declared = regexp.MustCompile(`(?m)^func ((?:Test|Fuzz|Example)\w*)\(`)

// measure runs the tests of a package without a fault, all of which must pass, and lists
// them by the time that they take.
func (t tester) measure(ctx context.Context, pkg string) error {
	files, err := filepath.Glob(filepath.Join(t.root, filepath.FromSlash(pkg), "*_test.go"))
	if err != nil || len(files) == 0 {
		return err
	}
	binary, err := t.build(ctx, pkg, "")
	if err != nil {
		return err
	}
	t.limit *= 4 // all of them
	output, err := t.run(ctx, pkg, binary, "-test.v")
	if err != nil {
		return fmt.Errorf("without a fault, tests of %s: %w\n%s", pkg, err, output)
	}
	file := map[string]string{}
	for _, path := range files {
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for _, m := range declared.FindAllSubmatch(text, -1) {
			file[string(m[1])] = filepath.Base(path)
		}
	}
	for _, m := range passed.FindAllStringSubmatch(output, -1) {
		seconds, _ := strconv.ParseFloat(m[2], 64) // digits
		t.tests[pkg] = append(t.tests[pkg], test{m[1], file[m[1]], seconds})
	}
	slices.SortStableFunc(t.tests[pkg], func(a, b test) int { return cmp.Compare(a.Seconds, b.Seconds) })
	return nil
}

// parts deals the tests of a package out as regular expressions: first those in the test
// files that are named as the file with the fault, then the others. Each part, but the first,
// takes about as long as all before it, so that what a cheap test catches waits for no dear one.
func (t tester) parts(pkg, file string) []string {
	stem, _, _ := strings.Cut(strings.TrimSuffix(path.Base(file), ".go"), "_")
	var near, far []test
	for _, test := range t.tests[pkg] {
		if strings.HasPrefix(test.File, stem+"_") {
			near = append(near, test)
		} else {
			far = append(far, test)
		}
	}
	var parts, names []string
	before, part := 0.2, 0.0
	for _, group := range [][]test{near, far} {
		for i, test := range group {
			names = append(names, test.Name)
			if part += test.Seconds; part >= before || i == len(group)-1 {
				parts = append(parts, "^("+strings.Join(names, "|")+")$")
				names, before, part = nil, before+part, 0
			}
		}
	}
	return parts
}

// build builds the tests of a package. Vet is left out: a mutant is for the tests to catch.
func (t tester) build(ctx context.Context, pkg, overlay string) (binary string, err error) {
	binary = filepath.Join(t.dir, "tests.exe")
	arguments := []string{"test", "-c", "-vet=off", "-ldflags=-s -w", "-o", binary}
	if overlay != "" {
		arguments = append(arguments, "-overlay", overlay)
	}
	cmd := exec.CommandContext(ctx, "go", append(arguments, pkg)...)
	cmd.Dir = t.root
	if text, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go %s: %w\n%s", strings.Join(cmd.Args[1:], " "), err, text)
	}
	return binary, nil
}

// run runs tests in the folder of their package, as go test does.
func (t tester) run(ctx context.Context, pkg, binary string, flags ...string) (output string, err error) {
	cmd := exec.CommandContext(ctx, binary, append(flags, "-test.timeout", t.limit.String(), "-test.paniconexit0")...)
	cmd.Dir = filepath.Join(t.root, filepath.FromSlash(pkg))
	cmd.Env = append(os.Environ(), "MPCVM_LONG=1") // long tests as well
	cmd.WaitDelay = time.Second
	text, err := cmd.CombinedOutput()
	return string(text), errors.Join(err, ctx.Err())
}

// test runs the tests of a package, with a fault in a file, until one fails and returns its
// name, "" if none does.
func (t tester) test(ctx context.Context, pkg, file, overlay string) (failed string, err error) {
	if len(t.tests[pkg]) == 0 {
		return "", nil
	}
	binary, err := t.build(ctx, pkg, overlay)
	if err != nil {
		return "", err
	}
	for _, part := range t.parts(pkg, file) {
		output, err := t.run(ctx, pkg, binary, "-test.failfast", "-test.run", part)
		if ctx.Err() != nil {
			return "", err
		}
		if err == nil {
			continue
		}
		if failed = blame(output); failed == "" {
			return "", fmt.Errorf("%w\n%s", err, output)
		}
		return failed, nil
	}
	return "", nil
}

var (
	failure = regexp.MustCompile(`(?m)^ *--- FAIL: (\S+) `)
	frame   = regexp.MustCompile(`(?m)\.(Test[A-Z]\w*|Fuzz[A-Z]\w*|Example\w*)\(`)
)

// blame finds the first test that failed in the output of go test: of subtests the innermost.
func blame(output string) string {
	if strings.Contains(output, "panic: test timed out after") {
		return "time limit"
	}
	name := ""
	for _, m := range failure.FindAllStringSubmatch(output, -1) {
		if name != "" && !strings.HasPrefix(m[1], name+"/") {
			break
		}
		name = m[1]
	}
	if i := strings.Index(output, "panic: "); i >= 0 && name == "" {
		if m := frame.FindStringSubmatch(output[i:]); m != nil {
			return m[1] + " (panic)"
		}
		return "panic"
	}
	if name == "" && strings.Contains(output, "fatal error: ") {
		return "fatal error"
	}
	return name
}
