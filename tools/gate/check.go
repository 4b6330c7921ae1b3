package main

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// tested are the packages whose tests run on every machine.
var tested = []string{"./...", "./experiments/..."}

const (
	first       = "notebooks/01-quickstart.ipynb"
	report      = "out/demo/report.html"
	npmOptions  = "--ignore-scripts --no-audit --no-fund"
	testTimeout = "-timeout=30m" // for busy machines
)

// goTest runs go test without vet, which lint runs, and without debug information, which slows down
// linking.
func (r run) goTest(args ...string) error {
	return r.do("go", append([]string{"test", "-vet=off", "-ldflags=-w", testTimeout}, args...)...)
}

// newcomer runs make test. It installs nothing and skips checks for which a program is missing.
func newcomer(l *checks) {
	l.check("go test", func(r run) error { return r.goTest(tested...) })
	firstNotebook(l)
	demo(l, func(r run) error { return look(r, report) })
	l.leave("long tests, linters, race detector, arm64, the other notebooks, live notebooks, the site (make " +
		"check)")
}

// firstNotebook executes the first notebook.
func firstNotebook(l *checks) {
	data, err := l.output("jupyter", "--data-dir")
	if err != nil || !have("gonb") ||
		!exists(filepath.Join(strings.TrimSpace(data), "kernels/gonb/kernel.json")) {
		l.missing("the first notebook", "Jupyter with the Go kernel; make setup installs it")
		return
	}
	l.check("the first notebook", func(r run) error { return notebooks(r, "out/quickstart", []string{first}) })
}

// demo creates the report of mpcvm demo and then checks charts.
func demo(l *checks, look func(r run) error) {
	l.check("demo", func(r run) error { return r.do("go", "run", "./cmd/mpcvm", "demo", "--out", "out/demo") })
	charts(l, look)
}

func charts(l *checks, f func(r run) error) {
	if chromiumHere() {
		l.check("charts in Chromium", f)
	} else {
		l.missing("charts in a browser", "Chromium")
	}
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

// everything installs what the checks need and runs all of them, in two lanes of about equal duration.
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
	return r.list(func(l *checks) {
		var lanes sync.WaitGroup
		lanes.Go(func() { goLane(l) })
		lanes.Go(func() { pageLane(l) })
		lanes.Wait()
		// Runs alone, because it waits for a browser and a server.
		version, err := l.output("jupyter", "notebook", "--version")
		if err == nil && strings.HasPrefix(version, "6.") && chromiumHere() {
			l.check("a live notebook", liveNotebook)
		} else {
			l.missing("a live notebook", "Chromium with Jupyter's classic notebook 6")
		}
	})
}

func goLane(l *checks) {
	l.check("go test", func(r run) error { return r.goTest(append([]string{"-tags=long"}, tested...)...) })
	if have("gcc") || have("clang") {
		l.check("data races", dataRaces)
	} else {
		l.missing("data races", "C compiler")
	}
	l.check("go test of the tools", func(r run) error { return r.goTest("-count=1", "./tools/...") })
}

func pageLane(l *checks) {
	l.check("lint", lint)
	l.check("notebooks", func(r run) error {
		files := allNotebooks()
		if len(files) < 20 { // half of them are solutions
			return fmt.Errorf("%d notebooks, expected at least 20", len(files))
		}
		return errors.Join(smallNotebooks(files), notebooks(r, "out/notebooks", files),
			r.do("nb", append([]string{"changed", "out/notebooks"}, files...)...))
	})
	demo(l, func(r run) error {
		pages, _ := filepath.Glob("out/notebooks/*.html")
		solutions, _ := filepath.Glob("out/notebooks/solutions/*.html")
		return errors.Join(look(r, append(pages, report)...),
			look(r, append([]string{"-out", "out/look/solutions", "-min", "0"}, solutions...)...))
	})
	l.check("go test without assembly", withoutAssembly)
	l.check("go test of the site", func(r run) error { return r.goTest("-count=1", "-tags=long", "./site/...") })
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
	if !have("svm-train") {
		packages = append(packages, "libsvm-tools") // reference for mpcvm/baseline/svm
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
		if err := r.do("npm", append([]string{"ci", "--prefix", folder},
			strings.Fields(npmOptions)...)...); err != nil {
			return err
		}
	}
	return nil
}

// concurrent matches code that needs the race detector: it starts goroutines or is safe for concurrent use.
var concurrent = regexp.MustCompile(
	`(?m)^\s*go (func|\w+)\b|"sync(/atomic)?"$|(internal/par|testkit/contract)"$`)

// dataRaces runs, with the race detector, all tests of packages in the root module with concurrent code,
// and the tests called TestConcurrent in other modules. Tests that call watch.SkipUnderRace are skipped.
func dataRaces(r run) error {
	packages := map[string]bool{}
	err := eachFile(r, []string{"./..."}, func(path string, text []byte) {
		if concurrent.Match(text) {
			packages[path] = true
		}
	})
	if err != nil {
		return err
	}
	return errors.Join(r.goTest(append([]string{"-race"}, slices.Sorted(maps.Keys(packages))...)...),
		r.goTest("-race", "-run=^TestConcurrent", "./cmd/mpcvm", "./experiments/cmd/study", "./tools/checks"))
}

// withoutAssembly runs all tests of the packages with assembly, and the tests of the learners that compare
// with known results.
func withoutAssembly(r run) error {
	return errors.Join(
		r.goTest("-tags=purego", "-skip=Memory|Spoilt|Fuzz", "./mpcvm/kernel", "./mpcvm/probit",
			"./mpcvm/internal/..."),
		r.goTest("-tags=purego", "-run=Golden|Against|Exact|Determinism", "./mpcvm", "./mpcvm/gp"))
}

// liveNotebook tests a real Jupyter server in a browser.
func liveNotebook(r run) error {
	top, err := os.Getwd()
	if err == nil {
		err = os.MkdirAll("out/look", 0o777)
	}
	if err != nil {
		return err
	}
	return r.with("LOOK_OUT="+filepath.Join(top, "out/look"), "MPCVM_LIVE=1").
		goTest("-count=1", "-v", "-run=^TestLive", "./tools/look")
}

// long runs the parts listed in the usage.
func long(r run, parts []string) error {
	for _, part := range parts {
		var err error
		switch part {
		case "faults":
			err = faults(r.with("MPCVM_FAULTS=1"))
		case "fuzz":
			err = fuzz(r)
		case "cover":
			err = cover(r)
		case "wild":
			top, _ := os.Getwd()
			err = r.goTest("-v", "-count=1", "-run=^TestWild$", "./tables", "-args", "-wild",
				filepath.Join(top, "out/wild"))
		case "browsers":
			err = r.do("npm", append([]string{"ci", "--prefix", "site/build"}, strings.Fields(npmOptions)...)...)
			if err == nil {
				err = r.with("MPCVM_FIREFOX=1", "MPCVM_BROWSERS=1").do("go", "test", "-count=1", "-v", "-timeout=3h",
					"-run=TestPlayground|TestNotebooksInPage", "./site/build")
			}
		case "beam":
			alone := r.in("experiments/beam").with("GOWORK=off")
			err = errors.Join(alone.do("go", "vet", "./..."), alone.do("go", "test", "-count=1", "-v", "./..."))
		case "vuln":
			err = vulnerabilities(r)
		default:
			return errUsage
		}
		if err != nil {
			return fmt.Errorf("%s: %w", part, err)
		}
	}
	return nil
}

func faults(r run) error {
	verbose := []string{"-count=1", "-v", "-timeout=60m"}
	return errors.Join(
		r.goTest(append(verbose, "-tags=long", "-run=Spoilt|Memory|Many|Signals|Full|ReadOnly|Killed", "./data",
			"./tables/parquet", "./mpcvm", "./experiments/study", "./experiments/cmd/study", "./cmd/mpcvm")...),
		r.goTest(append(verbose, "-run=Shuttle", "./mpcvm/search")...),
		r.goTest("-count=1", "-race", "-run=Many", "./mpcvm"),
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
	top, err := os.Getwd()
	if err != nil {
		return err
	}
	var errs []error
	for _, dir := range dirs {
		errs = append(errs, r.in("notebooks/tools").with("GOWORK=off").do("go", "run",
			"golang.org/x/vuln/cmd/govulncheck", "-C", filepath.Join(top, dir), "./..."))
	}
	return errors.Join(errs...)
}
