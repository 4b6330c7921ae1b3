package main

import (
	"encoding/json"
	"go/ast"
	"go/build"
	"go/doc"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
)

// docs packs the first paragraph of the documentation of each name that cells can import.
func (m *manifest) docs(folder string) {
	all, wasm := map[string]map[string]string{}, build.Default
	wasm.GOOS, wasm.GOARCH, wasm.CgoEnabled = "js", "wasm", false
	for path, p := range m.Packages {
		if p.Name == "" {
			continue
		}
		set, files := token.NewFileSet(), []*ast.File(nil)
		for _, name := range checked(wasm.ImportDir(p.folder, 0)).GoFiles {
			file := filepath.Join(p.folder, name)
			files = append(files, checked(parser.ParseFile(set, file, nil, parser.ParseComments)))
		}
		all[path] = documented(checked(doc.NewFromFiles(set, files, path)))
	}
	m.Docs = pack(folder, "docs", "", checked(json.Marshal(all)))
}

// documented returns the first paragraphs for a package: by name, and by Type.Name for methods and fields.
// The paragraph of the package itself has the key "".
func documented(p *doc.Package) map[string]string {
	texts := map[string]string{}
	add := func(key, text string) {
		text, _, _ = strings.Cut(string(p.Text(text)), "\n\n") // without the brackets of links
		if text = strings.Join(strings.Fields(text), " "); text != "" {
			texts[key] = text
		}
	}
	values := func(list []*doc.Value) {
		for _, v := range list {
			for _, spec := range v.Decl.Specs {
				s := spec.(*ast.ValueSpec)
				for _, name := range s.Names {
					add(name.Name, v.Doc)
					add(name.Name, s.Comment.Text())
					add(name.Name, s.Doc.Text())
				}
			}
		}
	}
	functions := func(list []*doc.Func, of string) {
		for _, f := range list {
			add(of+f.Name, f.Doc)
		}
	}
	add("", p.Doc)
	values(p.Consts)
	values(p.Vars)
	functions(p.Funcs, "")
	for _, t := range p.Types {
		add(t.Name, t.Doc)
		values(t.Consts)
		values(t.Vars)
		functions(t.Funcs, "")
		functions(t.Methods, t.Name+".")
		for _, spec := range t.Decl.Specs {
			var list *ast.FieldList
			switch of := spec.(*ast.TypeSpec).Type.(type) {
			case *ast.StructType:
				list = of.Fields
			case *ast.InterfaceType:
				list = of.Methods
			default:
				continue
			}
			for _, f := range list.List {
				for _, name := range f.Names {
					add(t.Name+"."+name.Name, f.Comment.Text())
					add(t.Name+"."+name.Name, f.Doc.Text())
				}
			}
		}
	}
	return texts
}
