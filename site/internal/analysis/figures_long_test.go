//go:build long

package analysis

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mpcvm/mpcvm/internal/testkit/must"
)

// TestLongFiguresOfPage compares the figures of ten files with the figures of the program that a page runs,
// whose vector instructions differ. On other files they may differ in the last digits, and where two settings
// are nearly equal, the choice may.
func TestLongFiguresOfPage(t *testing.T) {
	if _, err := exec.LookPath("node"); err != nil {
		t.Skip("NOT TESTED: there is no node to run WebAssembly")
	}
	var files []string
	for _, name := range []string{"data/penguins.csv", "data/iris.csv", "data/wine.csv", "data/overlap.csv",
		"tables/testdata/wild/brink-n60.csv", "tables/testdata/wild/german-months.csv",
		"tables/testdata/wild/below-limit.csv", "tables/testdata/wild/label-percent.csv",
		"tables/testdata/wild/utf16.arff", "tables/testdata/wild/merged-class.xlsx"} {
		files = append(files, filepath.Join("../../..", name))
	}
	page := exec.CommandContext(t.Context(), "go", "test", "-count=1", "-v", "-tags=excel,simd128",
		"-run=^TestFigures$",
		"-exec="+must.Get(filepath.Abs("../../../tools/gate/wasm.sh"))(t), ".")
	page.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm", "MPCVM_FIGURES="+strings.Join(files, " "))
	out, err := page.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	parts := strings.Split(string(out), "\f")
	if len(parts) != len(files)+2 {
		t.Fatalf("%d files: %s", len(parts)-2, out)
	}
	for i, file := range files {
		if want := figuresOf(t.Context(), t, file); parts[i+1] != want {
			t.Errorf("%s: the page has\n%s\ninstead of\n%s", file, parts[i+1], want)
		}
	}
}
