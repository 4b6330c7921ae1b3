package checks

import (
	"os/exec"
	"strings"
	"testing"
)

// The method, the data sets and their charts do not depend on tables, so that programs that only use them
// do not link the readers.
func TestLayersWithoutTables(t *testing.T) {
	const sys = "golang.org/x/sys"
	const kernel = "github.com/janpfeifer/gonb"
	const gonum = "gonum.org/v1/gonum golang.org/x/tools" // golang.org/x/tools is a dependency of gonum
	for _, tt := range []struct {
		packages string // to check
		foreign  string // other modules that they may link
	}{
		{"./data", gonum},
		{"./mpcvm/... ./data/...", gonum + " " + sys},
		{"./nbhelpers", gonum + " " + sys + " " + kernel + " github.com/go-echarts/go-echarts/v2"},
	} {
		args := []string{"list", "-deps", "-f", "{{.ImportPath}} {{with .Module}}{{.Path}}{{end}}"}
		out, err := exec.Command("go", append(args, strings.Fields(tt.packages)...)...).Output()
		if err != nil {
			t.Fatalf("go list: %v", err)
		}
		for line := range strings.Lines(string(out)) {
			path, in, _ := strings.Cut(strings.TrimSpace(line), " ")
			if strings.HasPrefix(path, module+"/tables") {
				t.Errorf("%s links %s", tt.packages, path)
			}
			if in != "" && in != module && !strings.Contains(tt.foreign, in) {
				t.Errorf("%s links %s of module %s", tt.packages, path, in)
			}
		}
	}
}
