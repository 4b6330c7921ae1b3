package checks

import (
	"os/exec"
	"strings"
	"testing"
)

// layers says what a package of this module may import: every package of a lower layer, and
// of its own layer those listed. "x/..." stands for x and all below it; where several
// patterns match a package, the longest one counts.
//
// Layer 6 is imported by nothing here: the programs of site/cards, and cluster and scripts, which are
// modules of their own.
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
	{4, "mpcvm/study", ""},
	{4, "internal/play", ""},
	{4, "tables/export", ""},
	{5, "nbhelpers", ""},
	{5, "site/playground/wasm", "internal/play"},
	{5, "site/notebook/wasm", ""},
	{5, "tables/charts", "nbhelpers"},
	{5, "cmd/... tables/predict internal/systems", "nbhelpers tables/charts tables/predict internal/systems"},
	{5, "notebooks/lesson", "nbhelpers"},
	{6, "site/cards/...", ""},
}

// foreign says who may use other modules: by importing them, tests included, and through
// packages that do.
var foreign = []struct{ modules, mayImport, mayDepend string }{
	{"github.com/janpfeifer/gonb github.com/go-echarts gonum.org/v1/plot", "internal/chart nbhelpers",
		"internal/chart nbhelpers tables/charts notebooks/lesson site/cards/... cmd/..."},
	{"github.com/spf13", "cmd/...", "cmd/..."},
	{"github.com/parquet-go github.com/apache/arrow-go github.com/xuri github.com/pierrec",
		"tables tables/parquet tables/internal/workbook/excel cmd/...",
		"tables/... internal/play site/cards/... cmd/..."},
	{"golang.org/x/text", "tables/...", "tables/... internal/play site/... cmd/..."},
	{module + "/cluster " + module + "/scripts", "", ""},
}

// match returns the length of the longest pattern of a list that matches a path, 0 if none does.
func match(patterns, path string) (longest int) {
	for pattern := range strings.FieldsSeq(patterns) {
		prefix, below := strings.CutSuffix(pattern, "/...")
		if path == prefix || below && strings.HasPrefix(path, prefix+"/") {
			longest = max(longest, len(pattern))
		}
	}
	return longest
}

// row returns the row of layers for a package, -1 if there is none.
func row(path string) int {
	best, longest := -1, 0
	for i, l := range layers {
		if n := match(l.packages, path); n > longest {
			best, longest = i, n
		}
	}
	return best
}

func TestLayers(t *testing.T) {
	out, err := exec.Command("go", "list", "-f",
		`{{.ImportPath}}|{{join .Imports " "}}|{{join .TestImports " "}} {{join .XTestImports " "}}|{{join .Deps " "}}`, "./...").Output()
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
		for _, f := range foreign {
			for pattern := range strings.FieldsSeq(f.modules) {
				for dep := range strings.FieldsSeq(columns[1] + " " + columns[2]) {
					if match(pattern+"/...", dep) > 0 && match(f.mayImport, path) == 0 {
						t.Errorf("%s, or a test of it, imports %s", path, dep)
					}
				}
				for dep := range strings.FieldsSeq(columns[3]) {
					if match(pattern+"/...", dep) > 0 && match(f.mayDepend, path) == 0 {
						t.Errorf("%s depends on %s", path, dep)
					}
				}
			}
		}
	}
	if packages < 20 {
		t.Errorf("only %d packages looked at", packages)
	}
}

// TestLayersTable holds the table itself to what it is meant to refuse.
func TestLayersTable(t *testing.T) {
	for path, want := range map[string]string{
		"mpcvm": "mpcvm", "mpcvm/internal/gram": "mpcvm/internal/...",
		"mpcvm/baseline/svm": "mpcvm/gp mpcvm/search mpcvm/baseline/...",
		"internal/systems":   "cmd/... tables/predict internal/systems", "internal/memory": "internal/...",
	} {
		if got := layers[row(path)].packages; got != want {
			t.Errorf("%s is in the row of %s, want %s", path, got, want)
		}
	}
	if row("mpcvm/other") >= 0 || match("mpcvm/baseline/...", "mpcvm/baselines") > 0 {
		t.Error("a package that the table does not name is in it")
	}
}
