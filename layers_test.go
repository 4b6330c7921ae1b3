package mpcvm_test

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// module is the module path, which is written here and in go.mod alone.
const module = "github.com/mpcvm/mpcvm"

// TestLayers holds the floors of the house: what a package may depend on, in this
// module and beyond.
func TestLayers(t *testing.T) {
	deps := func(pattern string) map[string][]string {
		out, err := exec.Command("go", "list", "-f", "{{.ImportPath}} {{join .Deps \" \"}}", pattern).Output()
		if err != nil {
			t.Fatalf("go list %s: %v", pattern, err)
		}
		m := map[string][]string{}
		for line := range strings.Lines(string(out)) {
			fields := strings.Fields(line)
			m[fields[0]] = fields[1:]
		}
		return m
	}
	internal := module + "/mpcvm/internal/"
	ground := []string{"/mpcvm/kernel", "/mpcvm/probit", "/mpcvm/score", "/mpcvm/ranktest", "/data"}
	var base []string // what every package may use
	for _, name := range []string{"atomicfile", "cell", "filelock", "memory", "table"} {
		base = append(base, module+"/internal/"+name)
	}
	for path, list := range deps("./...") {
		for _, dep := range list {
			drawing := strings.HasPrefix(dep, "github.com/janpfeifer/gonb") || strings.HasPrefix(dep, "github.com/go-echarts/")
			core := strings.HasPrefix(path, module+"/mpcvm") || strings.HasPrefix(path, module+"/data")
			if strings.HasPrefix(dep, "github.com/parquet-go/") && strings.HasPrefix(path, module) &&
				(strings.HasPrefix(path, module+"/mpcvm") || path == module+"/data" || path == module+"/nbhelpers") {
				t.Errorf("%s need not know Parquet: it depends on %s", path, dep)
			}
			if core && drawing {
				t.Errorf("%s draws: it depends on %s", path, dep)
			}
			if strings.HasPrefix(dep, module+"/cluster") || strings.HasPrefix(dep, "github.com/apache/beam/") || strings.HasPrefix(dep, "k8s.io/kubernetes") {
				t.Errorf("%s depends on the top floor, modules of their own: %s", path, dep)
			}
			if !strings.HasPrefix(dep, module) || strings.HasPrefix(dep, internal) || slices.Contains(base, dep) {
				continue
			}
			for _, g := range ground {
				if path == module+g {
					t.Errorf("%s is on the ground floor but depends on %s", path, dep)
				}
			}
			if core &&
				(strings.HasPrefix(dep, module+"/nbhelpers") || strings.HasPrefix(dep, module+"/cmd") || strings.HasPrefix(dep, module+"/internal/")) {
				t.Errorf("%s depends on the floor above, %s", path, dep)
			}
		}
	}
	if n := len(deps("./mpcvm/...")); n < 5 {
		t.Errorf("only %d packages looked at", n)
	}
}
