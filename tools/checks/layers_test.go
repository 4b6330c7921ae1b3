package checks

import (
	"os/exec"
	"strings"
	"testing"
)

// modules lists which modules of this repository each module may require. Other imports are limited by its
// go.mod.
var modules = map[string]string{
	".":           "",
	"tables":      ".",
	"cmd":         ". tables",
	"experiments": ". tables",
	"tools":       ". tables experiments",
	"site":        ". tables experiments tools", // tools only for its tests
}

// layers lists what a package of the root module or of tables may import: all packages of lower layers, and
// the listed packages of its own layer. "x/..." stands for x and everything below it; if several patterns
// match a package, the longest one applies.
var layers = []struct {
	layer            int
	packages, mayUse string
}{
	{1, "internal/...", "internal/..."},
	{1, "internal/fitting", "internal/... mpcvm/kernel mpcvm/probit"},
	{1, "internal/testkit/sets data/internal/gensynthetic", "data internal/..."},
	{1, "data", "internal/..."},
	{1, "mpcvm/kernel mpcvm/probit mpcvm/score mpcvm/ranktest", "internal/... mpcvm/internal/..."},
	{1, "mpcvm/internal/...", "internal/... mpcvm/internal/... mpcvm/kernel mpcvm/probit mpcvm/score"},
	{2, "mpcvm", ""},
	{2, "internal/testkit/contract internal/testkit/laws", "mpcvm"},
	{3, "mpcvm/gp mpcvm/search mpcvm/baseline/...", "mpcvm/gp mpcvm/search mpcvm/baseline/..."},
	{3, "tables tables/table tables/recipe tables/look tables/parquet tables/internal/...",
		"tables tables/table tables/recipe tables/parquet tables/internal/..."},
	{4, "tables/assess", ""},
	{4, "tables/export", ""},
	{4, "tables/drift", ""},
	{5, "nbhelpers", ""},
	{5, "tables/predict tables/summary", ""},
	{5, "tables/charts", "nbhelpers tables/summary"},
	{6, "notebooks/lesson", ""},
}

// charting lists the packages that may import the libraries for charts and notebooks, including their
// tests.
const charting = "internal/chart nbhelpers"

// match returns the length of the longest pattern in a list that matches a path, or 0 if none does.
func match(patterns, path string) (longest int) {
	for pattern := range strings.FieldsSeq(patterns) {
		prefix, below := strings.CutSuffix(pattern, "/...")
		if path == prefix || below && strings.HasPrefix(path, prefix+"/") {
			longest = max(longest, len(pattern))
		}
	}
	return longest
}

// row returns the row of layers for a package, or -1 if there is none.
func row(path string) int {
	best, longest := -1, 0
	for i, l := range layers {
		if n := match(l.packages, path); n > longest {
			best, longest = i, n
		}
	}
	return best
}

// TestLayersOfModules compares the requirements in the go.mod files and the folders in go.work with
// modules.
func TestLayersOfModules(t *testing.T) {
	used, err := exec.Command("go", "list", "-m", "-f", "{{.Path}}").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	if n := len(strings.Fields(string(used))); n != len(modules) {
		t.Errorf("go.work uses %d modules, want %d", n, len(modules))
	}
	for folder, allowed := range modules {
		text := contents(t, folder+"/go.mod")
		if strings.Contains(text, "\nreplace") {
			t.Errorf("%s/go.mod replaces modules", folder)
		}
		for required := range modules {
			path := strings.TrimSuffix(module+"/"+required, "/.")
			if strings.Contains(text, path+" v") && match(allowed, required) == 0 {
				t.Errorf("module %s requires %s", folder, required)
			}
		}
	}
}

func TestLayers(t *testing.T) {
	out, err := exec.Command("go", "list", "-f",
		`{{.ImportPath}}|{{join .Imports " "}}|{{join .TestImports " "}} {{join .XTestImports " "}}`, "./...",
		"./tables/...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	packages := 0
	for line := range strings.Lines(string(out)) {
		columns := strings.Split(strings.TrimSpace(line), "|")
		path := strings.TrimPrefix(columns[0], module+"/")
		mine := row(path)
		if mine < 0 {
			t.Errorf("%s is in no layer; add it to the table", path)
			continue
		}
		packages++
		for dep := range strings.FieldsSeq(columns[1]) {
			dep, ours := strings.CutPrefix(dep, module+"/")
			if !ours {
				continue
			}
			theirs := row(dep)
			if theirs < 0 || layers[theirs].layer >= layers[mine].layer &&
				match(layers[mine].mayUse, dep) == 0 {
				t.Errorf("%s, in layer %d, imports %s", path, layers[mine].layer, dep)
			}
		}
		for dep := range strings.FieldsSeq(columns[1] + " " + columns[2]) {
			if match("github.com/janpfeifer/gonb/... github.com/go-echarts/...", dep) > 0 &&
				match(charting, path) == 0 {
				t.Errorf("%s, or one of its tests, imports %s", path, dep)
			}
		}
	}
	if packages < 20 {
		t.Errorf("only %d packages were checked", packages)
	}
}

// TestLayersTable tests the rules for matching packages.
func TestLayersTable(t *testing.T) {
	for path, want := range map[string]string{
		"mpcvm": "mpcvm", "mpcvm/internal/gram": "mpcvm/internal/...",
		"mpcvm/baseline/svm": "mpcvm/gp mpcvm/search mpcvm/baseline/...",
		"tables/assess":      "tables/assess", "internal/memory": "internal/...",
	} {
		if got := layers[row(path)].packages; got != want {
			t.Errorf("%s is in the row of %s, want %s", path, got, want)
		}
	}
	if row("mpcvm/other") >= 0 || match("mpcvm/baseline/...", "mpcvm/baselines") > 0 {
		t.Error("an unlisted package matches a row")
	}
}
