// Package complete proposes names for Go programs that are being written, and describes them. The packages
// that a program imports are known by the archives that Go's compiler writes.
package complete

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"slices"
	"strings"

	"github.com/mpcvm/mpcvm/internal/compose"
)

// Cursor is the name that a program has in the place of the name that is asked for.
const Cursor = "mpcvmCursor"

// Item is a name that can stand there.
type Item struct {
	Name string `json:"name"`
	// Kind is function, method, property, type, variable, constant or namespace, as in CodeMirror.
	Kind string `json:"kind"`
	// Text is the declaration, in the form of go doc.
	Text string `json:"text"`
	// Path is the package that declares the name, and Key its name there, such as Model.Fit; both are
	// empty for names of the program.
	Path string `json:"path"`
	Key  string `json:"key"`
}

// Completer completes programs. It keeps the packages that it has read.
type Completer struct {
	// Packages are offered where the program does not import them.
	Packages compose.Packages
	archives types.Importer
}

// New returns a completer. archive returns the archive of a package.
func New(archive func(path string) (io.ReadCloser, error)) *Completer {
	return &Completer{archives: importer.ForCompiler(token.NewFileSet(), "gc", archive)}
}

// Items returns the names that can stand in the place of Cursor in a program of one file, sorted. Other
// errors in the program do not matter.
func (c *Completer) Items(source string) []Item {
	files := token.NewFileSet()
	file, _ := parser.ParseFile(files, "main.go", source, parser.SkipObjectResolution)
	if file == nil {
		return nil
	}
	info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Uses: map[*ast.Ident]types.Object{},
		Scopes: map[ast.Node]*types.Scope{}}
	conf := types.Config{Importer: c.archives, Error: func(error) {}}
	main, _ := conf.Check("main", files, []*ast.File{file}, info)
	p := place{main: main, info: info, packages: c.Packages, seen: map[string]bool{}}
	var above []ast.Node // what contains the cursor
	found := false
	ast.Inspect(file, func(n ast.Node) bool {
		switch id, ok := n.(*ast.Ident); {
		case found:
		case n == nil:
			above = above[:len(above)-1]
		case ok && id.Name == Cursor:
			found = true
			p.at(id, above)
		default:
			above = append(above, n)
		}
		return !found
	})
	slices.SortFunc(p.items, func(a, b Item) int {
		return cmp.Or(strings.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name)),
			strings.Compare(a.Name, b.Name))
	})
	return p.items
}

// place collects the names for the place of the cursor.
type place struct {
	main     *types.Package
	info     *types.Info
	packages compose.Packages
	items    []Item
	seen     map[string]bool
}

// at finds the names for the cursor, given the nodes that contain it.
func (p *place) at(cursor *ast.Ident, above []ast.Node) {
	for i := len(above) - 1; i >= 0; i-- {
		switch n := above[i].(type) {
		case *ast.SelectorExpr:
			if n.Sel == cursor {
				p.selected(n.X)
				return
			}
		case *ast.CompositeLit: // the name of a field
			key := i == len(above)-1 && n.Type != cursor
			if i == len(above)-2 {
				pair, ok := above[i+1].(*ast.KeyValueExpr)
				key = ok && pair.Key == cursor
			}
			if s, ok := under(p.info.Types[n].Type).(*types.Struct); ok && key {
				p.fields(p.info.Types[n].Type, s)
			}
		}
	}
	for scope := p.main.Scope().Innermost(cursor.Pos()); scope != nil; scope = scope.Parent() {
		for _, name := range scope.Names() {
			if _, o := scope.LookupParent(name, cursor.Pos()); o != nil {
				p.add(o, nil)
			}
		}
	}
	for _, name := range p.packages {
		if !p.seen[name] {
			p.seen[name] = true
			path := p.packages.Find(name)
			p.items = append(p.items, Item{name, "namespace", fmt.Sprintf("package %s (%q)", name, path), path, ""})
		}
	}
}

// selected adds what can follow x and a point.
func (p *place) selected(x ast.Expr) {
	if id, ok := x.(*ast.Ident); ok {
		if of, ok := p.info.Uses[id].(*types.PkgName); ok {
			for _, name := range of.Imported().Scope().Names() {
				p.add(of.Imported().Scope().Lookup(name), nil)
			}
			return
		}
	}
	t := p.info.Types[x].Type
	if t == nil {
		return
	}
	methods := types.NewMethodSet(t)
	if _, pointer := t.(*types.Pointer); !pointer && !types.IsInterface(t) {
		methods = types.NewMethodSet(types.NewPointer(t)) // of a variable
	}
	for s := range methods.Methods() {
		p.add(s.Obj(), t)
	}
	if s, ok := under(t).(*types.Struct); ok {
		p.fields(t, s)
	}
}

// fields adds the fields of a struct, and the fields of embedded structs.
func (p *place) fields(t types.Type, s *types.Struct) {
	for f := range s.Fields() {
		known := p.seen[f.Name()] // a struct may embed a pointer to itself
		p.add(f, t)
		p.seen[f.Name()] = true
		if inner, ok := under(f.Type()).(*types.Struct); ok && f.Embedded() && !known {
			p.fields(f.Type(), inner)
		}
	}
}

// under returns the type to which a type or pointer refers.
func under(t types.Type) types.Type {
	if t == nil {
		return nil
	}
	if pointer, ok := t.Underlying().(*types.Pointer); ok {
		t = pointer.Elem()
	}
	return t.Underlying()
}

// add adds an object, unless an inner one of its name is there or the program cannot use it. of is the
// type of which it is a method or a field.
func (p *place) add(o types.Object, of types.Type) {
	if p.seen[o.Name()] || o.Pkg() != nil && o.Pkg() != p.main && !o.Exported() || o.Name() == Cursor {
		return
	}
	p.seen[o.Name()] = true
	item := Item{Name: o.Name(), Kind: "type", Text: types.ObjectString(o, func(other *types.Package) string {
		if other == p.main {
			return ""
		}
		return other.Name()
	})}
	switch o := o.(type) {
	case *types.Func:
		item.Kind = "function"
		if recv := o.Signature().Recv(); recv != nil {
			item.Kind, of = "method", recv.Type()
		}
	case *types.Builtin:
		item.Kind = "function"
	case *types.Var:
		item.Kind = "variable"
		if o.IsField() {
			item.Kind = "property"
		}
	case *types.Const, *types.Nil:
		item.Kind = "constant"
	case *types.PkgName:
		item.Kind, item.Path = "namespace", o.Imported().Path()
	}
	if pkg := o.Pkg(); pkg != nil && pkg != p.main && item.Kind != "namespace" {
		item.Path, item.Key = pkg.Path(), o.Name()
		if of != nil {
			if pointer, ok := of.(*types.Pointer); ok {
				of = pointer.Elem()
			}
			if named, ok := types.Unalias(of).(*types.Named); ok {
				item.Key = named.Obj().Name() + "." + o.Name()
			}
		}
	}
	p.items = append(p.items, item)
}
