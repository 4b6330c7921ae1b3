package checks

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// TestReadme compiles and runs the Go snippets of README.md and notebooks/README.md, and compiles the
// service in docs/deploy.md, which runs until it is stopped. The rules for snippets are:
//
//   - A block ```go that starts with a package clause is a complete program.
//
//   - All other blocks of a section (## or #) form one program, in order. A later block can use
//     the variables of earlier blocks and may redeclare them. A block contains either statements or
//     declarations (func, type, const, var).
//
//   - Imports are added automatically: packages of this module, gonum's mat, and the packages of
//     the standard library listed in importable.
//
//   - ctx is a context. Unused variables are allowed. If a block sets err, it must be nil at
//     the end of the block.
//
//   - Code that the program needs but the reader does not is put in a comment, which counts as
//     a block:
//
//     <!-- go
//     frames := ...
//     -->
//
//   - A program that ends with the comment "// Output:", as in an example of package testing, must print
//     the lines of this comment. They are compared only on amd64, because other processors round
//     differently.
//
//   - The program runs in a folder with penguins.csv. A program that opens this file also runs in
//     a folder without it, where it must end with an error that names the file, without a panic.
//
// Compiler errors and panics refer to the lines of README.md.
func TestReadme(t *testing.T) {
	var programs []program
	for _, file := range []string{"README.md", "notebooks/README.md", "docs/deploy.md"} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		more, err := snippets(file, string(text), importable(t))
		if err != nil {
			t.Fatal(err)
		}
		if len(more) == 0 {
			t.Fatalf("%s has no Go snippet", file)
		}
		programs = append(programs, more...)
	}
	penguins, err := os.ReadFile("data/penguins.csv")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range programs {
		t.Run(p.name, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, "main.go"), []byte(p.text), 0o600); err != nil {
				t.Fatal(err)
			}
			binary := filepath.Join(dir, "snippet.exe")
			if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", binary,
				filepath.Join(dir, "main.go")).CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s\nof the program\n%s", err, out, p.text)
			}
			if strings.HasPrefix(p.name, "docs/deploy.md") {
				return
			}
			run := func() ([]byte, error) {
				command := exec.CommandContext(t.Context(), binary)
				command.Dir = dir
				return command.CombinedOutput()
			}
			if strings.Contains(p.text, `"penguins.csv"`) {
				if out, err := run(); err == nil || !bytes.Contains(out, []byte("penguins.csv")) ||
					bytes.Contains(out, []byte("goroutine")) {
					t.Errorf("without the file: %v\n%s", err, out)
				}
			}
			if err := os.WriteFile(filepath.Join(dir, "penguins.csv"), penguins, 0o600); err != nil {
				t.Fatal(err)
			}
			out, err := run()
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			if want, ok := output(p.text); ok && want != string(out) && runtime.GOARCH == "amd64" {
				t.Errorf("%s should print\n%sbut prints\n%s", p.name, want, out)
			}
		})
	}
}

// TestDoors checks the structure of README.md: at most 700 words, and the sections Teach, Analyse and
// Program with one example each. git clone must come before make.
func TestDoors(t *testing.T) {
	content, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	text := string(content)
	if words := len(strings.Fields(text)); words > 700 {
		t.Errorf("README.md has %d words, more than 700", words)
	}
	for name, example := range map[string]string{"Teach": "\ngit clone ", "Analyse": "\n$ mpcvm fit ",
		"Program": "\n```go\n"} {
		_, section, found := strings.Cut(text, "\n## "+name+"\n")
		section, _, _ = strings.Cut(section, "\n## ")
		if !found || strings.Count(section, example) != 1 {
			t.Errorf("README.md has no section %s with exactly one %q", name, strings.TrimSpace(example))
		}
	}
	if clone, run := strings.Index(text, "\ngit clone "), strings.Index(text, "\nmake "); clone < 0 ||
		run < clone || !strings.Contains(text, "\nmake test\n") {
		t.Errorf("git clone is at %d and make at %d, or make test is missing", clone, run)
	}
}

// importable maps the names of packages that snippets may use to their paths.
func importable(t *testing.T) map[string]string {
	t.Helper()
	paths := map[string]string{"mat": "gonum.org/v1/gonum/mat"}
	for _, p := range []string{"bytes", "context", "errors", "fmt", "log", "math", "os", "slices", "strings",
		"time"} {
		paths[p] = p
	}
	out, err := exec.Command("go", "list", "-f", "{{.Name}} {{.ImportPath}}", "./...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	for line := range strings.Lines(string(out)) {
		if f := strings.Fields(line); f[0] != "main" && !strings.Contains(f[1], "/internal/") {
			paths[f[0]] = f[1]
		}
	}
	paths["nb"] = paths["nbhelpers"] // the name used in the notebooks
	return paths
}

// output returns the lines of the comment "// Output:" in a program.
func output(program string) (want string, ok bool) {
	_, comment, ok := strings.Cut(program, "// Output:\n")
	for line := range strings.Lines(comment) {
		line, is := strings.CutPrefix(strings.TrimSpace(line), "// ")
		if !is {
			break
		}
		want += line + "\n"
	}
	return want, ok
}

// program is the text of a main package, named after its section.
type program struct{ name, text string }

// snippets returns the programs in a Markdown text.
func snippets(file, text string, paths map[string]string) (programs []program, err error) {
	section := newSection("the beginning")
	flush := func() {
		if section.blocks > 0 || section.declarations.Len() > 0 {
			programs = append(programs, section.program(paths))
		}
	}
	var block strings.Builder
	end, first := "", 0 // of the current block: its last line and the number of its first line
	number := 0
	for line := range strings.Lines(text) {
		number++
		trimmed := strings.TrimSpace(line)
		switch {
		case end != "" && trimmed == end:
			end = ""
			code := fmt.Sprintf("//line %s:%d\n%s", file, first, &block)
			if strings.HasPrefix(strings.TrimSpace(block.String()), "package ") {
				programs = append(programs, program{fmt.Sprintf("%s line %d", file, first), code})
			} else if err := section.add(code); err != nil {
				return nil, err
			}
		case end != "":
			block.WriteString(line)
		case trimmed == "```go" || trimmed == "<!-- go":
			block.Reset()
			first, end = number+1, "```"
			if trimmed == "<!-- go" {
				end = "-->"
			}
		case strings.HasPrefix(line, "# ") || strings.HasPrefix(line, "## "):
			flush()
			section = newSection(strings.TrimLeft(trimmed, "# "))
		}
	}
	if end != "" {
		return nil, fmt.Errorf("%s:%d: the block is not closed", file, first-1)
	}
	flush()
	return programs, nil
}

// section collects the blocks of a section.
type section struct {
	name              string
	declarations, run strings.Builder
	blocks            int             // number of blocks with statements
	used              map[string]bool // names followed by a point: packages and variables
}

func newSection(name string) *section {
	return &section{name: name, used: map[string]bool{"context": true}}
}

// add adds a block. Statements are put in a new scope inside the scope of the previous block.
func (s *section) add(code string) error {
	files := token.NewFileSet()
	tree, err := parser.ParseFile(files, "", "package p; func _() {\n"+code+"\n}", parser.SkipObjectResolution)
	if err != nil {
		declarations, errDeclarations := parser.ParseFile(files, "", "package p\n"+code,
			parser.SkipObjectResolution)
		if errDeclarations != nil {
			return err
		}
		s.note(declarations)
		s.declarations.WriteString(code)
		return nil
	}
	s.note(tree)
	s.blocks++
	fmt.Fprintf(&s.run, "{\n%s\n", code)
	for _, name := range declared(tree.Decls[0].(*ast.FuncDecl).Body.List) {
		fmt.Fprintf(&s.run, "_ = %s\n", name)
		if name == "err" {
			s.run.WriteString("if err != nil { panic(err) }\n")
		}
	}
	return nil
}

// note records the names that are followed by a point.
func (s *section) note(tree ast.Node) {
	ast.Inspect(tree, func(n ast.Node) bool {
		if selector, ok := n.(*ast.SelectorExpr); ok {
			if name, ok := selector.X.(*ast.Ident); ok {
				s.used[name.Name] = true
			}
		}
		return true
	})
}

// declared lists the variables that statements declare or assign.
func declared(statements []ast.Stmt) (names []string) {
	add := func(e ast.Expr) {
		if name, ok := e.(*ast.Ident); ok && name.Name != "_" && !slices.Contains(names, name.Name) {
			names = append(names, name.Name)
		}
	}
	for _, s := range statements {
		switch s := s.(type) {
		case *ast.AssignStmt:
			for _, e := range s.Lhs {
				add(e)
			}
		case *ast.DeclStmt:
			for _, spec := range s.Decl.(*ast.GenDecl).Specs {
				if values, ok := spec.(*ast.ValueSpec); ok {
					for _, name := range values.Names {
						add(name)
					}
				}
			}
		}
	}
	return names
}

// program joins the blocks to a program.
func (s *section) program(paths map[string]string) program {
	var b strings.Builder
	b.WriteString("package main\n\n")
	for name := range s.used {
		if path, ok := paths[name]; ok {
			fmt.Fprintf(&b, "import %s %q\n", name, path)
		}
	}
	fmt.Fprintf(&b, "\nfunc main() {\nctx := context.Background()\n_ = ctx\n%s%s}\n\n%s", &s.run,
		strings.Repeat("}\n", s.blocks), &s.declarations)
	return program{s.name, b.String()}
}

// TestSnippets tests the rules for snippets.
func TestSnippets(t *testing.T) {
	const text = "# A\n```go\nm, err := fit.Run()\n```\n```sh\nls\n```\n<!-- go\nerr = " +
		"use(m)\n-->\n```go\nfunc use(m fit.Model) error { return nil }\n```\n" +
		"## B\n```go\npackage main\n```\n## C\n```go\nvar fit, x = 1, 2\n```\n"
	got, err := snippets("F", text, map[string]string{"fit": "p/fit", "context": "context", "os": "os"})
	if err != nil || len(got) != 3 {
		t.Fatalf("%d programs, %v", len(got), err)
	}
	for i, parts := range [][]string{
		{"import fit \"p/fit\"", "//line F:3\nm, err := fit.Run()\n\n_ = m\n_ = err\nif err != nil",
			"{\n//line F:9\nerr = use(m)", "}\n}\n}\n\n//line F:12\nfunc use"},
		{"//line F:16\npackage main\n"},
		{"_ = fit\n_ = x\n"},
	} {
		for _, part := range parts {
			if !strings.Contains(got[i].text, part) {
				t.Errorf("missing %q in\n%s", part, got[i].text)
			}
		}
	}
	if strings.Contains(got[0].text, "\"os\"") || strings.Contains(got[2].text, "p/fit") {
		t.Error("an unused package is imported")
	}
	for _, bad := range []string{"```go\nx :=\n```\n", "```go\nx := 1\n"} {
		if _, err := snippets("F", bad, nil); err == nil {
			t.Errorf("%q: no error", bad)
		}
	}
}
