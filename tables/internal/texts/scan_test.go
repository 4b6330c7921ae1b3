package texts_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const root = "../.." // the folder tables

// families are the packages that report the findings of a file of this package, as folders in tables.
var families = map[string][]string{
	"read.go":    {".", "internal/detect", "internal/dialect", "internal/workbook", "parquet"},
	"look.go":    {".", "look", "internal/detect", "recipe", "eval"},
	"recipe.go":  {"recipe"},
	"drift.go":   {"drift"},
	"predict.go": {".", "predict"},
	"eval.go":    {"eval", "report"},
	"model.go":   {".", "model"},
}

// sources calls visit for each source file of tables that is not a test.
func sources(t *testing.T, visit func(folder, name string, f *ast.File)) {
	t.Helper()
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err == nil {
			folder, _ := filepath.Rel(root, filepath.Dir(path))
			visit(filepath.ToSlash(folder), d.Name(), f)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// Every code is reported by the packages of its file, and by no others.
func TestFamilies(t *testing.T) {
	codes := map[string]string{} // files by names of codes
	users := map[string][]string{}
	sources(t, func(folder, name string, f *ast.File) {
		local := "texts"
		for _, i := range f.Imports {
			if strings.HasSuffix(i.Path.Value, `/internal/texts"`) && i.Name != nil {
				local = i.Name.Name
			}
		}
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.ValueSpec:
				for i, v := range n.Values {
					if call, ok := v.(*ast.CallExpr); ok && folder == "internal/texts" && len(call.Args) == 2 {
						codes[n.Names[i].Name] = name
					}
				}
			case *ast.SelectorExpr:
				if x, ok := n.X.(*ast.Ident); ok && x.Name == local {
					users[n.Sel.Name] = append(users[n.Sel.Name], folder)
				}
			}
			return true
		})
	})
	if len(codes) < 80 {
		t.Fatalf("%d codes", len(codes))
	}
	for code, file := range codes {
		if len(users[code]) == 0 {
			t.Errorf("%s in %s is not used", code, file)
		}
		for _, folder := range users[code] {
			if !slices.Contains(families[file], folder) {
				t.Errorf("%s in %s is used by %s", code, file, folder)
			}
		}
	}
}

var option = regexp.MustCompile(`Options\.|(^| )--[a-z]`)

// Options have other names in a command and on a page, so no string below the front ends may name one.
func TestNoOptionsInStrings(t *testing.T) {
	sources(t, func(folder, name string, f *ast.File) {
		if folder == "internal/texts" || folder == "table" && name == "finding.go" {
			return
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
				if text, _ := strconv.Unquote(lit.Value); option.MatchString(text) {
					t.Errorf("%s/%s: %q", folder, name, text)
				}
			}
			return true
		})
	})
}
