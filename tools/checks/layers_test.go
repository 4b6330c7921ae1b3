package checks

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// layers lists the packages of the published module from the inside out. A package may import packages of
// its own layer and of those above it in the list. "x/..." stands for x and everything below it; if several
// patterns match a package, the longest one applies.
var layers = []string{
	"internal/... data/...",
	"internal/fitting mpcvm/kernel mpcvm/probit mpcvm/score mpcvm/ranktest mpcvm/internal/...",
	"mpcvm internal/testkit/contract internal/testkit/laws",
	"mpcvm/...",
	"nbhelpers",
	"notebooks/lesson",
	"tables/...",
	"cmd/...",
}

// links lists the modules that the packages of a pattern may link besides the standard library.
var links = []struct{ packages, modules string }{
	{"./data", "gonum.org/v1/gonum"},
	{"./mpcvm/...", "gonum.org/v1/gonum golang.org/x/sys golang.org/x/tools"}, // the last one for gonum's graphs
	{"./nbhelpers", "gonum.org/v1/gonum golang.org/x/sys github.com/janpfeifer/gonb " +
		"github.com/go-echarts/go-echarts/v2"},
	{"./tables/model", "gonum.org/v1/gonum golang.org/x/sys golang.org/x/text"}, // a service that predicts
}

// layer returns the index of the layer of a package, or -1 if there is none.
func layer(path string) int {
	best, longest := -1, -1
	for i, patterns := range layers {
		for pattern := range strings.FieldsSeq(patterns) {
			prefix, below := strings.CutSuffix(pattern, "/...")
			if path == prefix && !below {
				return i
			}
			if below && strings.HasPrefix(path+"/", prefix+"/") && len(prefix) > longest {
				best, longest = i, len(prefix)
			}
		}
	}
	return best
}

func TestLayers(t *testing.T) {
	packages := 0
	for line := range strings.Lines(goList(t, `{{.ImportPath}} {{join .Imports " "}}`, "./...")) {
		fields := strings.Fields(strings.ReplaceAll(line, module+"/", "./"))
		path := strings.TrimPrefix(fields[0], "./")
		mine := layer(path)
		if mine < 0 {
			t.Errorf("%s is in no layer; add it to the list", path)
			continue
		}
		packages++
		for _, dep := range fields[1:] {
			if dep, ours := strings.CutPrefix(dep, "./"); ours && (layer(dep) < 0 || layer(dep) > mine) {
				t.Errorf("%s imports %s, of an outer layer", path, dep)
			}
		}
	}
	if packages < 20 {
		t.Errorf("only %d packages were checked", packages)
	}
	for path, want := range map[string]int{"mpcvm": 2, "mpcvm/internal/gram": 1, "mpcvm/other": 3, "other": -1,
		"cmdline": -1} {
		if got := layer(path); got != want {
			t.Errorf("%s is in layer %d, want %d", path, got, want)
		}
	}
}

// Programs link only the libraries of the packages that they use.
func TestLayersLinked(t *testing.T) {
	for _, l := range links {
		linked := strings.Fields(goList(t, "{{with .Module}}{{.Path}}{{end}}", "-deps", l.packages))
		slices.Sort(linked)
		want := append(strings.Fields(l.modules), module)
		slices.Sort(want)
		if linked = slices.Compact(linked); !slices.Equal(linked, want) {
			t.Errorf("%s links %v, want %v", l.packages, linked, want)
		}
	}
}

// goList returns the output of go list.
func goList(t *testing.T, format string, args ...string) string {
	t.Helper()
	out, err := exec.Command("go", append([]string{"list", "-f", format}, args...)...).Output()
	if err != nil {
		t.Fatalf("go list %v: %v", args, err)
	}
	return string(out)
}
