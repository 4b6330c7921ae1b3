package complete

import (
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/mpcvm/mpcvm/internal/compose"
	"github.com/mpcvm/mpcvm/internal/testkit/must"
)

// TestItems completes names of packages, methods, fields and variables of programs that are not complete
// otherwise.
func TestItems(t *testing.T) {
	c := New(func(path string) (io.ReadCloser, error) {
		file, err := exec.Command("go", "list", "-export", "-f", "{{.Export}}", path).Output()
		if err != nil {
			return nil, err
		}
		return os.Open(strings.TrimSpace(string(file)))
	})
	c.Packages = compose.Packages{"encoding/json": "json", "fmt": "fmt"}
	for _, test := range []struct{ body, name, kind, text, path, key string }{
		{"fmt.CURSOR", "Println", "function", "func fmt.Println(a ...any) (n int, err error)",
			"fmt", "Println"},
		{"fmt.Println(mpcvm.CURSOR)", "BottomUp", "type", "type mpcvm.BottomUp struct{",
			"github.com/mpcvm/mpcvm/mpcvm", "BottomUp"},
		{"m, err := mpcvm.Load(nil)\nm.CURSOR", "WeightCount", "method",
			"func (*mpcvm.Model).WeightCount() int", "github.com/mpcvm/mpcvm/mpcvm", "Model.WeightCount"},
		{"s := mpcvm.Samples{CURSOR}", "X", "property", "field X ",
			"github.com/mpcvm/mpcvm/mpcvm", "Samples.X"},
		{"s := mpcvm.Samples{CURSOR: nil}", "T", "property", "field T ",
			"github.com/mpcvm/mpcvm/mpcvm", "Samples.T"},
		{"s := own{}\nvar wrong int = \"\"\ns.CURSOR", "hidden", "property", "field hidden int", "", ""},
		{"s := own{}\n{\ns := 1.5\nCURSOR\n}", "s", "variable", "var s float64", "", ""},
		{"type node struct{ *node; x int }\nvar n node\nn.CURSOR", "x", "property", "field x int", "", ""},
		{"CURSOR", "own", "type", "type own struct{", "", ""},
		{"CURSOR", "fmt", "namespace", "package fmt", "fmt", ""},
		{"CURSOR", "json", "namespace", `package json ("encoding/json")`, "encoding/json", ""},
		{"CURSOR", "append", "function", "builtin append", "", ""},
		{"new(strings.Builder).CURSOR", "WriteString", "method",
			"func (*strings.Builder).WriteString(s string) (int, error)", "strings", "Builder.WriteString"},
	} {
		items := c.Items("package main\nimport (\n\"fmt\"\n\"strings\"\n" +
			"\"github.com/mpcvm/mpcvm/mpcvm\"\n)\ntype own struct{ hidden int }\nfunc main() {\n" +
			strings.Replace(test.body, "CURSOR", Cursor, 1) + "\n}\n")
		i := slices.IndexFunc(items, func(item Item) bool { return item.Name == test.name })
		if i < 0 {
			t.Errorf("%s: no %s among %d names", test.body, test.name, len(items))
			continue
		}
		got := items[i]
		if got.Kind != test.kind || !strings.HasPrefix(got.Text, test.text) || got.Path != test.path ||
			got.Key != test.key {
			t.Errorf("%s: %+v", test.body, got)
		}
	}
	if items := c.Items("package main\nfunc main() { absent." + Cursor + " }"); items != nil {
		t.Errorf("members of an unknown name: %v", items)
	}
	if items := c.Items("no program"); items != nil {
		t.Errorf("items %v", items)
	}
	lacking := "package main\nimport \"no/such/package\"\nfunc main() { " + Cursor + " }"
	must.Equal(t, len(c.Items(lacking)) > 10, true)
}
