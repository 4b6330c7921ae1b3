package main

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// tested are the packages whose tests run on every machine.
var tested = []string{"./...", "./experiments/..."}

const (
	first       = "notebooks/01-quickstart.ipynb"
	report      = "out/demo/report.html"
	testTimeout = "-timeout=80m" // for busy machines; the tests of the site wait for browsers
)

// goTest runs go test without vet, which lint runs, and without debug information, which slows down
// linking.
func (r run) goTest(args ...string) error {
	return r.do("go", append([]string{"test", "-vet=off", "-ldflags=-w", testTimeout}, args...)...)
}

// newcomer runs make test. It installs nothing and skips checks for which a program is missing.
func newcomer(r run) error {
	defer r.printf("left to make check: linters, race detector, the other notebooks, live notebooks, the site\n")
	return r.all(2, []check{
		{name: "go test", run: func(r run) error { return r.goTest(tested...) }},
		{"the first notebook", lacking("Jupyter with the Go kernel; make setup installs it", r.kernelHere()),
			func(r run) error { return notebooks(r, "out/quickstart", []string{first}) }},
		{"charts", lacking("Chromium", chromiumHere()), func(r run) error { return charts(r, report) }},
	})
}

// lacking returns what a machine lacks, or "" if it is here.
func lacking(what string, here bool) string {
	if here {
		return ""
	}
	return what
}

// kernelHere reports whether Jupyter has the Go kernel.
func (r run) kernelHere() bool {
	data, err := r.output("jupyter", "--data-dir")
	return err == nil && have("gonb") &&
		exists(filepath.Join(strings.TrimSpace(data), "kernels/gonb/kernel.json"))
}

// charts writes the report of mpcvm demo and checks the charts of pages in Chromium.
func charts(r run, pages ...string) error {
	return errors.Join(r.do("go", "run", "./cmd/mpcvm", "demo", "--out", "out/demo"), look(r, pages...))
}

// look checks the charts of pages in Chromium. The arguments may start with options of the command look.
func look(r run, args ...string) error {
	return r.do("go", append([]string{"run", "./tools/look", "-out", "out/look"}, args...)...)
}

func chromiumHere() bool {
	return slices.ContainsFunc([]string{"chromium", "google-chrome", "chromium-browser",
		"/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
		"/Applications/Chromium.app/Contents/MacOS/Chromium"}, have)
}

// everything installs what the checks need and runs all except the parts of make long, three at a time.
func everything(r run) error {
	for _, old := range []string{"out/notebooks", "out/demo", "out/look"} {
		if err := os.RemoveAll(old); err != nil {
			return err
		}
	}
	setup := r
	setup.tty = true
	if err := setup.do("notebooks/setup.sh"); err != nil {
		return err
	}
	if err := setup.step("set up: Debian packages for the checks", debianPackages); err != nil {
		return err
	}
	if have("npm") { // without npm, the tests report what they skip
		if err := r.step("set up: npm packages for the checks", nodePackages); err != nil {
			return err
		}
	}
	version, err := r.output("jupyter", "notebook", "--version")
	live := err == nil && strings.HasPrefix(version, "6.") && chromiumHere()
	// The longest checks come first. The browser of the site's tests and Jupyter's kernels wait for a third of
	// their time, so a third check fills two processors.
	return errors.Join(r.all(3, []check{
		{name: "notebooks and charts", run: lessons},
		{name: "go test of the site", run: func(r run) error {
			return errors.Join(r.goTest("-count=1", "-tags=long", "./site/build"), r.goTest("./site/internal/..."))
		}},
		{name: "go test", run: func(r run) error { return r.goTest(tested...) }},
		{name: "lint", run: lint},
		{"data races", lacking("C compiler", have("gcc") || have("clang")), dataRaces},
		{name: "go test of the tools", run: func(r run) error {
			return r.goTest("-count=1", "-skip="+linted, "./tools/...")
		}},
		{name: "go test without assembly", run: withoutAssembly},
	}), r.all(1, []check{ // alone, because it waits for a browser and a server
		{"a live notebook", lacking("Chromium with Jupyter's classic notebook 6", live), liveNotebook},
	}))
}

// lessons executes all notebooks, compares the outputs with the committed ones, and checks the charts.
func lessons(r run) error {
	files := allNotebooks()
	if len(files) < 20 { // half of them are solutions
		return fmt.Errorf("%d notebooks, expected at least 20", len(files))
	}
	err := errors.Join(notebooks(r, "out/notebooks", files),
		r.do("nb", append([]string{"changed", "out/notebooks"}, files...)...), blanks(r))
	pages, _ := filepath.Glob("out/notebooks/*.html")
	solutions, _ := filepath.Glob("out/notebooks/solutions/*.html")
	return errors.Join(err, charts(r, append(pages, report)...),
		look(r, append([]string{"-out", "out/look/solutions", "-min", "0"}, solutions...)...))
}

// blanks executes the blank notebooks with functions to write, and checks that these stop what uses them.
func blanks(r run) error {
	files, _ := filepath.Glob("notebooks/blank/*.ipynb")
	files = slices.DeleteFunc(files, func(file string) bool {
		text, err := os.ReadFile(file)
		return err != nil || !bytes.Contains(text, []byte("lesson.Unwritten("))
	})
	if len(files) < 5 {
		return fmt.Errorf("%d blank notebooks, expected at least 5", len(files))
	}
	err := notebooks(r, "out/notebooks/blank", files)
	for i, file := range files {
		files[i] = filepath.Join("out/notebooks/blank", filepath.Base(file))
	}
	return errors.Join(err, r.do("nb", append([]string{"gated"}, files...)...))
}

// debianPackages installs the programs that the checks need. On other systems they must already be
// installed.
func debianPackages(r run) error {
	if !have("apt-get") {
		return nil
	}
	var packages []string
	if !have("gcc") {
		packages = append(packages, "gcc", "libc6-dev") // for go test -race
	}
	if !have("shellcheck") {
		packages = append(packages, "shellcheck")
	}
	if !chromiumHere() {
		packages = append(packages, "chromium", "fonts-dejavu-core")
	}
	return r.bash("apt_install", packages...)
}

// nodePackages installs the npm packages that check the site and run exported models.
func nodePackages(r run) error {
	for _, folder := range []string{"site/build", "tools/onnx"} {
		if exists(filepath.Join(folder, "node_modules")) {
			continue
		}
		if err := npm(r, folder); err != nil {
			return err
		}
	}
	return nil
}

func npm(r run, folder string) error {
	return r.do("npm", "ci", "--prefix", folder, "--ignore-scripts", "--no-audit", "--no-fund")
}

// concurrent matches code that needs the race detector: it starts goroutines or is safe for concurrent use.
var concurrent = regexp.MustCompile(
	`(?m)^\s*go (func|\w+)\b|"sync(/atomic)?"$|(internal/par|testkit/contract)"$`)

// dataRaces runs, with the race detector, all tests of the packages that compute for the learners, the laws of
// the contract on concurrency and cancellation for each learner, and the tests called TestConcurrent.
func dataRaces(r run) error {
	return errors.Join(
		racing(r, "./mpcvm/internal/...", "./mpcvm/kernel", "./mpcvm/probit", "./internal/...", "./nbhelpers/..."),
		r.goTest("-race", "-run=^Test/^/^(cores|cancelled|observers|concurrent)", "./mpcvm/baseline"),
		r.goTest("-race", "-run=^TestConcurrent", "./mpcvm", "./cmd/mpcvm", "./experiments/cmd/study",
			"./tools/checks"))
}

// racing runs, with the race detector, the tests of the packages with concurrent code. Tests that call
// watch.SkipUnderRace are skipped.
func racing(r run, patterns ...string) error {
	packages := map[string]bool{}
	err := eachFile(r, patterns, func(path string, text []byte) {
		if concurrent.Match(text) {
			packages[path] = true
		}
	})
	if err != nil {
		return err
	}
	return r.goTest(append([]string{"-race"}, slices.Sorted(maps.Keys(packages))...)...)
}

// withoutAssembly runs the tests of the packages with assembly.
func withoutAssembly(r run) error {
	return r.goTest("-tags=purego", "-skip=Memory|Spoilt|Fuzz", "./mpcvm/kernel", "./mpcvm/probit",
		"./mpcvm/internal/...")
}

// liveNotebook tests a real Jupyter server in a browser.
func liveNotebook(r run) error {
	if err := os.MkdirAll("out/look", 0o777); err != nil {
		return err
	}
	return r.with("LOOK_OUT=../../out/look", "MPCVM_LIVE=1").
		goTest("-count=1", "-v", "-run=^TestLive", "./tools/look")
}

// part is a part of make long.
type part struct {
	name, about string
	run         func(r run) error
}

var parts = []part{
	{"tests", "the tests called TestLong… (half an hour)", func(r run) error {
		return r.goTest("-tags=long", "-run=^TestLong", "./...", "./experiments/...", "./site/...")
	}},
	{"race", "the race detector on all packages below tables with concurrent code", func(r run) error {
		return racing(r, "./mpcvm/...", "./data/...", "./internal/...", "./nbhelpers/...", "./notebooks/...")
	}},
	{"purego", "the tests of the learners that compare with known results, without assembly", func(r run) error {
		return r.goTest("-tags=purego", "-run=Golden|Against|Exact|Determinism", "./mpcvm", "./mpcvm/gp")
	}},
	{"faults", "damaged files, full disks, signals, kills (6 minutes; as root: full disks)", faults},
	{"fuzz", "each fuzz test for FUZZTIME (30s)", fuzz},
	{"cover", "test coverage; fails below 90 %", cover},
	{"browsers", "playground and notebooks of the site in Chromium and Firefox (npm; an hour)", browsers},
	{"beam", "the Beam pipelines on Prism", beam},
	{"vuln", "known vulnerabilities (needs the network)", vulnerabilities},
}

// long runs parts, even if some of them fail.
func long(r run, names []string) error {
	var errs []error
	for _, name := range names {
		i := slices.IndexFunc(parts, func(p part) bool { return p.name == name })
		if i < 0 {
			return errUsage
		}
		errs = append(errs, r.step(name, parts[i].run))
	}
	return errors.Join(errs...)
}

func browsers(r run) error {
	if err := npm(r, "site/build"); err != nil {
		return err
	}
	return r.with("MPCVM_FIREFOX=1", "MPCVM_BROWSERS=1").do("go", "test", "-count=1", "-v", "-timeout=3h",
		"-run=TestPlayground|TestNotebooksInPage", "./site/build")
}

func beam(r run) error {
	alone := r.in("experiments/beam").with("GOWORK=off")
	return errors.Join(alone.do("go", "vet", "./..."),
		alone.do("go", "test", "-count=1", "-v", testTimeout, "./..."))
}

func faults(r run) error {
	r = r.with("MPCVM_FAULTS=1")
	verbose := []string{"-count=1", "-v", "-timeout=60m"}
	return errors.Join(
		r.goTest(append(verbose, "-tags=long", "-run=Spoilt|Memory|Concurrent|Signals|Full|ReadOnly|Killed", "./data",
			"./tables/parquet", "./mpcvm", "./experiments/study", "./experiments/cmd/study", "./cmd/mpcvm")...),
		r.goTest(append(verbose, "-run=Shuttle", "./mpcvm/search")...),
		r.goTest("-count=1", "-race", "-run=^TestConcurrent", "./mpcvm"),
		r.goTest(append(verbose, "-run=Hostile", "./tools/look")...))
}

// fuzz runs all fuzz tests one after another, even if some fail.
func fuzz(r run) error {
	time := os.Getenv("FUZZTIME")
	if time == "" {
		time = "30s"
	}
	var errs []error
	err := eachFile(r, tested, func(path string, text []byte) {
		for _, name := range regexp.MustCompile(`(?m)^func (Fuzz\w+)`).FindAllSubmatch(text, -1) {
			errs = append(errs, r.step(path+" "+string(name[1]), func(r run) error {
				return r.do("go", "test", path, "-run=^$", "-fuzz=^"+string(name[1])+"$", "-fuzztime="+time,
					"-fuzzminimizetime=5s")
			}))
		}
	})
	return errors.Join(append(errs, err)...)
}

// eachFile calls f with the path of a package and the text of each of its files and tests.
func eachFile(r run, patterns []string, f func(path string, text []byte)) error {
	const format = "{{.ImportPath}}\t{{.Dir}}{{range .GoFiles}}\t{{.}}{{end}}{{range " +
		".TestGoFiles}}\t{{.}}{{end}}" +
		"{{range .XTestGoFiles}}\t{{.}}{{end}}"
	list, err := r.output("go", append([]string{"list", "-f", format}, patterns...)...)
	if err != nil {
		return err
	}
	for line := range strings.Lines(list) {
		fields := strings.Split(strings.TrimSpace(line), "\t") // folder names may contain spaces
		for _, file := range fields[2:] {
			text, err := os.ReadFile(filepath.Join(fields[1], file))
			if err != nil {
				return err
			}
			f(fields[0], text)
		}
	}
	return nil
}

// cover measures the test coverage, excluding packages that are only used in tests.
func cover(r run) error {
	list, err := r.output("go", "list", "./mpcvm/...", "./data", "./tables/...", "./internal/...", "./nbhelpers",
		"./experiments/study")
	if err != nil {
		return err
	}
	packages := slices.DeleteFunc(strings.Fields(list),
		func(p string) bool { return strings.Contains(p, "/testkit/") })
	text := new(strings.Builder)
	quiet := r
	quiet.out = text
	err = quiet.goTest(append([]string{"-tags=long", "-cover", "-timeout=60m"}, packages...)...)
	r.printf("%s", text)
	for _, low := range regexp.MustCompile(`(?m)^.*coverage: [0-8]?[0-9]\.\d%.*$`).FindAllString(text.String(),
		-1) {
		err = errors.Join(err, fmt.Errorf("the coverage is below 90 %%: %s", low))
	}
	return err
}

func vulnerabilities(r run) error {
	dirs, err := modules()
	if err != nil {
		return err
	}
	var errs []error
	for _, dir := range dirs {
		errs = append(errs, r.in("notebooks/tools").with("GOWORK=off").do("go", "run",
			"golang.org/x/vuln/cmd/govulncheck", "-C", filepath.Join("../..", dir), "./..."))
	}
	return errors.Join(errs...)
}
