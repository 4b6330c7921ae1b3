package checks

import (
	"flag"
	"fmt"
	"go/ast"
	"go/build"
	"go/doc"
	"go/parser"
	"go/printer"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/mpcvm/mpcvm/internal/testkit/must"
)

var renew = flag.Bool("renew-api", false, "write api.txt")

// TestAPI compares the exported API of the packages with api.txt, to detect accidental changes. To change
// the API on purpose, update and commit the list:
//
//	go test -run TestAPI ./tools/checks -args -renew-api
func TestAPI(t *testing.T) {
	out, err := exec.Command("go", "list", "-f", "{{.ImportPath}} {{.Dir}} {{.Name}}", "./mpcvm/...",
		"./data/...", "./tables", "./tables/table", "./tables/recipe", "./tables/eval", "./tables/drift",
		"./tables/report", "./tables/charts", "./nbhelpers/...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var got []string
	for line := range strings.Lines(string(out)) {
		f := strings.Fields(line)
		if strings.Contains(f[0]+"/", "/internal/") || f[2] == "main" {
			continue
		}
		got = append(got, exported(t, f[0], f[1])...)
		if f[0] == module+"/nbhelpers" {
			got = aliased(t, got)
		}
	}
	const file = "tools/checks/api.txt"
	if *renew {
		must.OK(t, os.WriteFile(file, []byte(strings.Join(got, "\n")+"\n"), 0o644))
	}
	text := must.Get(os.ReadFile(file))(t)
	want := strings.Split(strings.TrimSpace(strings.ReplaceAll(string(text), "\r\n", "\n")), "\n")
	if len(want) < 300 {
		t.Fatalf("only %d lines in %s", len(want), file)
	}
	for _, line := range want {
		if !slices.Contains(got, line) {
			t.Errorf("removed: %s", line)
		}
	}
	for _, line := range got {
		if !slices.Contains(want, line) {
			t.Errorf("not in %s: %s", file, line)
		}
	}
	if t.Failed() {
		t.Logf("if this is intended, run go test -run TestAPI ./tools/checks -args -renew-api")
	}
}

// aliased adds the fields and methods of the types of internal/chart that nbhelpers exports under other
// names.
func aliased(t *testing.T, list []string) []string {
	t.Helper()
	inside := exported(t, module+"/nbhelpers", "internal/chart")
	for _, m := range regexp.MustCompile(`nbhelpers: type (\w+) = chart\.\w+`).FindAllStringSubmatch(
		strings.Join(list, "\n"), -1) {
		own := regexp.MustCompile(`^nbhelpers: (type ` + m[1] + ` has|func \(\w+ \*?` + m[1] + `\)) `)
		for _, line := range inside {
			if own.MatchString(line) {
				list = append(list, line)
			}
		}
	}
	return list
}

// exported lists the exported API of a package, one item per line: functions, types with their exported
// fields and methods, constants with their values, and variables.
func exported(t *testing.T, path, dir string) []string {
	t.Helper()
	fset := token.NewFileSet()
	var files []*ast.File
	names := must.Get(filepath.Glob(filepath.Join(dir, "*.go")))(t)
	context := build.Default
	// the list does not depend on the platform
	context.GOOS, context.GOARCH, context.CgoEnabled = "linux", "amd64", true
	for _, name := range names {
		if ok, err := context.MatchFile(dir, filepath.Base(name)); strings.HasSuffix(name, "_test.go") ||
			!ok || err != nil {
			continue
		}
		f := must.Get(parser.ParseFile(fset, name, nil, 0))(t)
		files = append(files, f)
	}
	p := must.Get(doc.NewFromFiles(fset, files, path))(t)
	path = strings.TrimPrefix(path, module+"/")
	var list []string
	add := func(prefix string, node any) {
		var b strings.Builder
		must.OK(t, (&printer.Config{Mode: printer.RawFormat}).Fprint(&b, fset, node))
		list = append(list, path+": "+prefix+strings.Join(strings.Fields(b.String()), " "))
	}
	values := func(all []*doc.Value) {
		for _, v := range all {
			for i, spec := range v.Decl.Specs {
				prefix := v.Decl.Tok.String()
				if v.Decl.Tok == token.CONST && len(v.Decl.Specs) > 1 {
					prefix += fmt.Sprintf(" %d:", i) // the position, for iota
				}
				add(prefix+" ", spec)
			}
		}
	}
	functions := func(all []*doc.Func) {
		for _, f := range all {
			f.Decl.Body, f.Decl.Doc = nil, nil
			add("", f.Decl)
		}
	}
	values(p.Consts)
	values(p.Vars)
	functions(p.Funcs)
	for _, typ := range p.Types {
		for _, spec := range typ.Decl.Specs {
			if s, ok := spec.(*ast.TypeSpec); ok {
				record, ok := s.Type.(*ast.StructType)
				if !ok || s.Assign.IsValid() {
					add("type ", s)
				} else {
					shape := *s
					shape.Type = &ast.StructType{Fields: &ast.FieldList{}}
					add("type ", &shape)
					for _, field := range record.Fields.List {
						for _, name := range field.Names {
							if name.IsExported() {
								add("type "+s.Name.Name+" has "+name.Name+" ", field.Type)
							}
						}
						if field.Names == nil {
							add("type "+s.Name.Name+" embeds ", field.Type)
						}
					}
				}
			}
		}
		values(typ.Consts)
		values(typ.Vars)
		functions(typ.Funcs)
		functions(typ.Methods)
	}
	return list
}
