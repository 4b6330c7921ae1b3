package compose_test

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/mpcvm/mpcvm/internal/compose"
	"github.com/mpcvm/mpcvm/internal/ipynb"
	"github.com/mpcvm/mpcvm/internal/testkit/must"
)

var packages = compose.Packages{
	"fmt": "fmt", "math": "math", "math/rand": "rand", "math/rand/v2": "rand", "crypto/rand": "rand",
	"strings": "strings", "os": "os",
	"gonum.org/v1/gonum/mat": "mat", "gonum.org/v1/gonum/graph/path": "path", "path": "path",
	"github.com/mpcvm/mpcvm/nbhelpers": "nbhelpers",
}

// run composes cells one after another and returns the last program.
func run(t *testing.T, cells ...string) compose.Program {
	t.Helper()
	var p compose.Program
	for i, source := range cells {
		var err error
		if p, err = compose.Compose(p.State, fmt.Sprintf("c%d", i+1), source, packages); err != nil {
			t.Fatalf("cell %d: %v", i+1, err)
		}
	}
	return p
}

// bare returns a program without directives and empty lines.
func bare(source string) string {
	var b strings.Builder
	for line := range strings.Lines(source) {
		if !strings.HasPrefix(line, "//line") && strings.TrimSpace(line) != "" {
			b.WriteString(line)
		}
	}
	return b.String()
}

// Each rule of GoNB, with the resulting program.
func TestRules(t *testing.T) {
	for _, test := range []struct {
		name  string
		cells []string
		want  string
	}{
		{"declarations accumulate", []string{"var a = 1", "var b = a", "%%\nprintln(a, b)"},
			"package main\nvar a = 1\nvar b = a\nfunc main() {\nprintln(a, b)\n}\n"},
		{"a later one of the same name replaces it", []string{"func f() int { return 1 }",
			"func f() int { return 2 }"},
			"package main\nfunc f() int { return 2 }\nfunc main() {}\n"},
		{"of another kind, too", []string{"var f = 1", "func f() {}"},
			"package main\nfunc f() {}\nfunc main() {}\n"},
		{"methods by type and name", []string{"type T int\nfunc (T) A() {}\nfunc (t *T) B() {}", "func (T) B() {}"},
			"package main\ntype T int\nfunc (T) A() {}\nfunc (T) B() {}\nfunc main() {}\n"},
		{"of generic types", []string{"type T[V any] struct{}\nfunc (T[V]) A() {}",
			"func (t *T[V]) A() int { return 1 }"},
			"package main\ntype T[V any] struct{}\nfunc (t *T[V]) A() int { return 1 }\nfunc main() {}\n"},
		{"one of a group", []string{"var (\n\ta = 1\n\tb = 2\n)", "var a = 3"}, "package main\nvar b = 2\nvar a " +
			"= 3\nfunc main() {}\n"},
		{"one of several", []string{"var a, b = f()\nfunc f() (int, int) { return 1, 2 }", "var a = 3"},
			"package main\nvar _, b = f()\nfunc f() (int, int) { return 1, 2 }\nvar a = 3\nfunc main() {}\n"},
		{"one constant of a group", []string{"const (\n\tone = iota\n\ttwo\n)", "const one = 5"},
			"package main\nconst (\n\t_   = iota\n\ttwo\n)\nconst one = 5\nfunc main() {}\n"},
		{"func main", []string{"func f() {}\nfunc main() { f() }", "%%"}, "package main\nfunc f() {}\nfunc " +
			"main() {\n}\n"},
		{"%main with arguments", []string{"%main -n 3\nprintln(1)"},
			"package main\nfunc main() {\nprintln(1)\n}\n"},
		{"init of a name", []string{"func init_a() {}", "func init_a() { println(1) }"},
			"package main\nfunc init  () { println(1) }\nfunc main() {}\n"},
		{"imports by name", []string{"%%\nfmt.Println(mat.NewDense(1, 1, nil), rand.IntN(3), path.Base(``))"},
			"package main\nimport fmt \"fmt\"\nimport mat \"gonum.org/v1/gonum/mat\"\nimport rand " +
				"\"math/rand/v2\"\nimport path \"path\"\n" +
				"func main() {\nfmt.Println(mat.NewDense(1, 1, nil), rand.IntN(3), path.Base(``))\n}\n"},
		{"imports under another name", []string{"import nb \"github.com/mpcvm/mpcvm/nbhelpers\"", "%%\nnb.Init()"},
			"package main\nimport nb \"github.com/mpcvm/mpcvm/nbhelpers\"\nfunc main() {\nnb.Init()\n}\n"},
		{"imports that are not used", []string{"import (\n\t\"os\"\n\t_ \"strings\"\n)\n%%\nprintln(1)"},
			"package main\nimport _ \"strings\"\nfunc main() {\nprintln(1)\n}\n"},
		{"a variable is not a package", []string{"%%\nvar os struct{ A int }\nprintln(os.A)"},
			"package main\nfunc main() {\nvar os struct{ A int }\nprintln(os.A)\n}\n"},
		{"statements without a mark", []string{"x := 1\nprintln(x)"}, "package main\nfunc main() {\nx := " +
			"1\nprintln(x)\n}\n"},
		{"statements below declarations", []string{"import \"fmt\"\nvar a = `\nb`\n!ls\n// here\nfor range 3 " +
			"{\n\tfmt.Print(a)\n}"},
			"package main\nimport fmt \"fmt\"\nvar a = `\nb`\nfunc main() {\nfor range 3 {\n\tfmt.Print(a)\n}\n}\n"},
		{"a declaration and a statement on a line", []string{"var a = 1; println(a)"}, "package main\nfunc " +
			"main() {\nvar a = 1; println(a)\n}\n"},
		{"special lines in raw strings and comments stay",
			[]string{"%%\nprintln(`\n%d`, '`', \"\\\"`\")\n/*\n!x\n*/"},
			"package main\nfunc main() {\nprintln(`\n%d`, '`', \"\\\"`\")\n/*\n!x\n*/\n}\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := run(t, test.cells...)
			if got := bare(p.Source); got != test.want {
				t.Errorf("got\n%s\nwant\n%s", got, test.want)
			}
			for _, path := range p.Imports {
				if !strings.Contains(p.Source, strconv.Quote(path)) {
					t.Errorf("%s is not imported", path)
				}
			}
		})
	}
}

// A cell that runs again has the same result, whatever ran in between.
func TestAgain(t *testing.T) {
	cell := "var _ = f()\nfunc f() int { return 1 }\nfunc init() { println(2) }\n%%\nprintln(f())"
	once := run(t, cell)
	again, err := compose.Compose(once.State, "c1", cell, packages)
	if err != nil || bare(again.Source) != bare(once.Source) {
		t.Errorf("%v:\n%s\nafter\n%s", err, again.Source, once.Source)
	}
}

func TestNotes(t *testing.T) {
	p := run(t, "!*rm -f go.work && go work init .\n%noautoget\n!ls \\\n  -l\n%env A=1\n%%\nprintln(1)")
	if len(p.Notes) != 2 || !strings.HasPrefix(p.Notes[0], "line 3: a shell command") ||
		!strings.HasPrefix(p.Notes[1], "line 5: a GoNB command") {
		t.Errorf("%q", p.Notes)
	}
}

// Errors have positions in the cell.
func TestFaults(t *testing.T) {
	for _, test := range []struct {
		cell, text   string
		line, column int
	}{
		{"var a = 1\nx := 1 +", "", 2, 0},
		{"x := 1\nfunc f() {}", "", 2, 0},
		{"var a = 1\n\nfunc f( {", "", 3, 9},
		{"import \"example.com/x\"", "package example.com/x is not available in this page", 1, 8},
		{"var a = 1\n%%\nprintln(1)\nif {", "missing condition", 4, 4},
		{"%%\nfor {\n", "", 3, 0},
	} {
		_, err := compose.Compose(compose.State{}, "c7", test.cell, packages)
		var faults compose.Errors
		if !errors.As(err, &faults) {
			t.Errorf("%q: %v", test.cell, err)
			continue
		}
		f := faults[0]
		if f.Cell != "c7" || f.Line != test.line || test.column > 0 && f.Column != test.column ||
			!strings.Contains(f.Text, test.text) {
			t.Errorf("%q: %+v", test.cell, f)
		}
	}
}

// Compiler errors and panics name cells and lines. The test compiles and runs programs.
func TestCompilerAndTrace(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles")
	}
	build := func(p compose.Program) (string, error) {
		folder := t.TempDir()
		file := filepath.Join(folder, "main.go")
		must.OK(t, os.WriteFile(file, []byte(p.Source), 0o600))
		out, err := exec.Command("go", "run", file).CombinedOutput() //nolint:gosec // a file of this test
		return string(out), err
	}
	out, err := build(run(t, "var (\n\ta = 1\n\tb int = \"x\"\n)", "%%\n\n\tvar unused int\n"))
	got := compose.Explain(strings.ReplaceAll(out, "# command-line-arguments\n", ""), "c2")
	if err == nil || len(got) != 2 || got[0].Cell != "c1" || got[0].Line != 3 || got[0].Column != 13 ||
		got[1].Cell != "c2" || got[1].Line != 3 || got[1].Column != 6 {
		t.Errorf("%v: %+v\n%s", err, got, out)
	}
	out, err = build(run(t, "func f(i int) int {\n\treturn []int{1}[i]\n}", "_ = 1\nprintln(f(3))"))
	want := "panic: runtime error: index out of range [3] with length 1\n\tf: cell c1, line 2\n\tmain: cell " +
		"c2, line 2\n"
	if got := compose.Trace(out); err == nil || got != want {
		t.Errorf("%v:\n%s\nof\n%s", err, got, out)
	}
	if got := compose.Explain("link: too large\n", "c3"); len(got) != 1 ||
		got[0] != (compose.Error{Cell: "c3", Text: "link: too large"}) {
		t.Errorf("%+v", got)
	}
}

// A cell with the line that GoNB needs gives the same program.
func TestUnmarked(t *testing.T) {
	for source, want := range map[string]int{
		"x := 1": 1, "!ls\nvar a = 1\n\nprintln(a)": 4, "var a = 1\n%%\nprintln(a)": 0, "%main -n 3\nprintln(1)": 0,
		"func f() {}": 0, "": 0,
	} {
		p := run(t, source)
		if p.Unmarked != want {
			t.Errorf("%q: line %d, want %d", source, p.Unmarked, want)
		}
		if lines := strings.Split(source, "\n"); want > 0 {
			marked := run(t, strings.Join(slices.Insert(lines, want-1, "%%"), "\n"))
			if marked.Unmarked != 0 || bare(marked.Source) != bare(p.Source) {
				t.Errorf("%q: marked\n%s\nwant\n%s", source, marked.Source, p.Source)
			}
		}
	}
}

func TestFormat(t *testing.T) {
	for in, want := range map[string]string{
		"%noautoget\nfunc  f( ) {\nx:=1\n_=x}\n%%\nif x:=1;x>0{\nprintln( x )\n}": "%noautoget\nfunc f() {\n\tx " +
			":= 1\n\t_ = x\n}\n%%\nif x := 1; x > 0 {\n\tprintln(x)\n}",
		"func  f( ) {}\nx:=f( )": "func f() {}\nx := f()",
		"var a = `\n% x`":        "var a = `\n% x`",
		"":                       "",
		"%%":                     "%%",
	} {
		if got, err := compose.Format(in); err != nil || got != want {
			t.Errorf("%q: %v, %q", in, err, got)
		}
	}
	if _, err := compose.Format("func {"); err == nil {
		t.Error("a cell with a syntax error is formatted")
	}
}

// Every cell of every notebook gives a program without errors, also after formatting. This includes blank
// notebooks, whose later cells use the functions of the reader.
func TestNotebooks(t *testing.T) {
	exports, known := exported(t)
	lookup := func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) }
	imported := importer.ForCompiler(token.NewFileSet(), runtime.Compiler, lookup)
	files, err := filepath.Glob("../../notebooks/*.ipynb")
	if err != nil || len(files) < 14 {
		t.Fatal(files, err)
	}
	for _, folder := range []string{"solutions", "blank"} {
		more := must.Get(filepath.Glob("../../notebooks/" + folder + "/*.ipynb"))(t)
		files = append(files, more...)
	}
	for _, file := range files {
		var state compose.State
		for i, source := range cells(t, file) {
			if formatted, err := compose.Format(source); err != nil {
				t.Errorf("%s, cell %d: %v", file, i, err)
			} else {
				source = formatted
			}
			p, err := compose.Compose(state, fmt.Sprint(i), source, known)
			if err != nil {
				t.Errorf("%s: %v", file, err)
				continue
			}
			state = p.State
			set := token.NewFileSet()
			parsed, err := parser.ParseFile(set, "main.go", p.Source, parser.SkipObjectResolution)
			if err == nil {
				_, err = (&types.Config{Importer: imported}).Check("main", set, []*ast.File{parsed}, nil)
			}
			if err != nil {
				t.Errorf("%s: %v", file, err)
			}
		}
	}
}

// exported compiles the packages that notebooks import, and lists their export files and names.
func exported(t *testing.T) (map[string]string, compose.Packages) {
	t.Helper()
	list := exec.Command("go", "list", "-export", "-deps", "-f", "{{.ImportPath}} {{.Name}} {{.Export}}",
		"../../notebooks/lesson",
		"../../nbhelpers", "../../tables/report", "../../tables/charts", "../../mpcvm/...",
		"../../experiments/records",
		"gonum.org/v1/gonum/stat/...", "gonum.org/v1/gonum/optimize", "gonum.org/v1/gonum/integrate/quad")
	list.Stderr = os.Stderr
	out := must.Get(list.Output())(t)
	exports, known := map[string]string{}, compose.Packages{}
	for s := bufio.NewScanner(bytes.NewReader(out)); s.Scan(); {
		if f := strings.Fields(s.Text()); len(f) == 3 {
			exports[f[0]] = f[2]
			if !regexp.MustCompile(`(^|/)(internal|vendor)(/|$)`).MatchString(f[0]) {
				known[f[0]] = f[1]
			}
		}
	}
	return exports, known
}

// cells returns the code cells of a notebook.
func cells(t *testing.T, file string) (list []string) {
	t.Helper()
	for _, c := range must.Get(ipynb.Read(file))(t).Cells {
		if c.Type == "code" {
			list = append(list, string(c.Source))
		}
	}
	return list
}

func FuzzCompose(f *testing.F) {
	f.Add("var a = 1\n%%\nprintln(a)", "func f() {}")
	f.Add("type T[V any] int\n!x \\\ny", "%%\n`\n%%")
	f.Add("const (\n\ta = iota\n\tb\n)", "var a, b = 1, 2")
	f.Fuzz(func(t *testing.T, a, b string) {
		var state compose.State
		for _, source := range []string{a, b, a} {
			p, err := compose.Compose(state, "c", source, packages)
			if err != nil {
				if faults := (compose.Errors)(nil); errors.As(err, &faults) && (len(faults) == 0 || faults[0].Line < 0) {
					t.Errorf("%q: %v", source, faults)
				}
				return
			}
			if _, err := parser.ParseFile(token.NewFileSet(), "", p.Source, parser.SkipObjectResolution); err != nil {
				t.Errorf("%q: %v\n%s", source, err, p.Source)
			}
			state = p.State
		}
	})
}
