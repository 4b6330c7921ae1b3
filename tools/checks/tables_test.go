package checks

import (
	"os/exec"
	"strings"
	"testing"
)

// The method, the data sets and their charts know nothing of tables, so that a program that only needs them
// links none of the readers.
func TestLayersWithoutTables(t *testing.T) {
	const sys = "golang.org/x/sys"
	const kernel = "github.com/janpfeifer/gonb"
	const gonum = "gonum.org/v1/gonum golang.org/x/tools" // gonum uses the latter
	for _, tt := range []struct {
		packages string // that are looked at
		foreign  string // modules that they may link
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
				t.Errorf("%s: linked with %s", tt.packages, path)
			}
			if in != "" && in != module && !strings.Contains(tt.foreign, in) {
				t.Errorf("%s: linked with %s of module %s", tt.packages, path, in)
			}
		}
	}
}
