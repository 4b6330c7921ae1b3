// Package compose turns the cells of a notebook into Go programs, by the rules of GoNB, and reports errors by
// cell and line.
//
// A cell adds its declarations to the declarations of earlier cells, and replaces earlier ones of the same
// name. The text after a line %% or %main is the body of main. Without such a line, the body begins at the
// first statement that is not a declaration; GoNB does not allow this, and Program.Unmarked is the line above
// which it needs a line %%. Missing imports are found by the name of the package. Lines that begin with ! or
// another % are for the shell or the kernel of GoNB, and are ignored. Each run is a new program.
//
// The package has no state: [Compose] takes the declarations of earlier cells and returns the declarations
// after the cell.
package compose

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"regexp"
	"slices"
	"strings"
)

// State contains the declarations of all cells so far.
type State struct {
	Imports      []Import      `json:"imports"`
	Declarations []Declaration `json:"declarations"`
}

// Import is a package that a cell imports. Name is its name in the program, "_", or ".".
type Import struct {
	Name string `json:"name"`
	Path string `json:"path"`
}

// Declaration is a declaration in a cell, with all names that it declares. Methods are named TYPE.METHOD. The
// names of `func init` and of `_` are empty.
type Declaration struct {
	Names []string `json:"names"`
	Cell  string   `json:"cell"`
	Line  int      `json:"line"`
	Text  string   `json:"text"`
}

// Packages maps the paths of packages that a program may import to their names.
type Packages map[string]string

// Program is a program of one file.
type Program struct {
	Source  string   `json:"source"`
	Imports []string `json:"imports"` // paths
	Notes   []string `json:"notes"`   // messages about ignored lines
	State   State    `json:"state"`   // after the cell

	// Unmarked is the line of the cell above which GoNB needs a line %%, from 1, or 0.
	Unmarked int `json:"unmarked"`
}

// hidden matches internal packages, and gonum's packages for tests.
var hidden = regexp.MustCompile(`(^|/)(internal|vendor|cmd)(/|$)|^gonum\.org/.*/test`)

// Importable reports whether a cell can import the package with a path.
func Importable(path string) bool { return !hidden.MatchString(path) }

// Error is an error in a cell. Line and Column count from 1; they are 0 if the position is unknown.
type Error struct {
	Cell   string `json:"cell"`
	Line   int    `json:"line"`
	Column int    `json:"column"`
	Text   string `json:"text"`
}

// Errors is the list of errors in a cell.
type Errors []Error

// Error implements error.
func (e Errors) Error() string {
	return fmt.Sprintf("%s:%d:%d: %s", e[0].Cell, e[0].Line, e[0].Column, e[0].Text)
}

// Compose returns the program of a cell. Errors in the text of the cell are of type [Errors].
func Compose(state State, cell, source string, packages Packages) (Program, error) {
	s := split(source)
	unnamed := func(d Declaration) bool { return d.Cell == cell && strings.Join(d.Names, "") == "" }
	c := &composer{cell: cell, packages: packages, State: State{slices.Clone(state.Imports),
		slices.DeleteFunc(slices.Clone(state.Declarations), unnamed)}} // they would be repeated
	if err := c.declare(s.declarations); err != nil {
		return Program{}, err
	}
	return c.program(s)
}

type composer struct {
	State
	cell     string
	packages Packages
	main     *Declaration // func main of the cell

	text string // of the declarations, which declare parses
	set  *token.FileSet
	base int // the position in set where the text begins
}

// opening precedes the declarations of a cell for the parser.
const opening = "package main\n"

// declare adds the imports and declarations of a text.
func (c *composer) declare(text string) error {
	c.text, c.set = text, token.NewFileSet()
	file, err := parser.ParseFile(c.set, "", opening+text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return c.faults(err, text)
	}
	c.base = c.set.File(file.Pos()).Base() + len(opening)
	for _, d := range file.Decls {
		g, ok := d.(*ast.GenDecl)
		switch {
		case !ok:
			c.function(d.(*ast.FuncDecl))
		case g.Tok == token.IMPORT:
			for _, spec := range g.Specs {
				if err := c.imports(spec.(*ast.ImportSpec)); err != nil {
					return err
				}
			}
		case g.Lparen.IsValid() && g.Tok != token.CONST: // separately, so that each can be replaced
			for _, spec := range g.Specs {
				c.add(names(spec), spec, g.Tok.String()+" ")
			}
		default:
			var all []string
			for _, spec := range g.Specs {
				all = append(all, names(spec)...)
			}
			c.add(all, g, "")
		}
	}
	return nil
}

// faults converts errors of the parser to positions in the cell.
func (c *composer) faults(err error, text string) error {
	list, ok := err.(scanner.ErrorList)
	if !ok {
		return err
	}
	var faults Errors
	for _, e := range list {
		f := Error{c.cell, e.Pos.Line - strings.Count(opening, "\n"), e.Pos.Column, e.Msg}
		if e.Pos.Filename != "" {
			f.Line = e.Pos.Line
		}
		f.Line = min(max(f.Line, 1), strings.Count(text, "\n")+1)
		faults = append(faults, f)
	}
	return faults
}

// imports adds an import.
func (c *composer) imports(spec *ast.ImportSpec) error {
	path := strings.Trim(spec.Path.Value, "\"`")
	name, carried := c.packages[path]
	if !carried && path != "unsafe" {
		at := c.set.Position(spec.Pos())
		return Errors{{c.cell, at.Line - 1, at.Column, fmt.Sprintf("package %s is not available in this page, "+
			"which includes gonum, this project, and the standard library except for networks, public keys, "+
			"processes and executables; run the notebook in Jupyter with GoNB to use it", path)}}
	}
	if spec.Name != nil {
		name = spec.Name.Name
	}
	same := func(i Import) bool {
		if name == "_" || name == "." {
			return i == Import{name, path}
		}
		return i.Name == name
	}
	c.Imports = append(slices.DeleteFunc(c.Imports, same), Import{name, path})
	return nil
}

// function adds a function or method.
func (c *composer) function(f *ast.FuncDecl) {
	name := f.Name.Name
	switch {
	case f.Recv != nil && len(f.Recv.List) > 0:
		name = receiver(f.Recv.List[0].Type) + "." + name
	case name == "init" || name == "_":
		name = ""
	case name == "main":
		c.main = new(c.declaration([]string{name}, f, ""))
		return
	}
	c.add([]string{name}, f, "")
	if f.Recv == nil && strings.HasPrefix(name, "init_") { // GoNB runs it before main
		d := &c.Declarations[len(c.Declarations)-1]
		d.Text = blanked(d.Text, name, "init")
	}
}

// receiver returns the type name of a receiver.
func receiver(x ast.Expr) string {
	switch x := x.(type) {
	case *ast.StarExpr:
		return receiver(x.X)
	case *ast.ParenExpr:
		return receiver(x.X)
	case *ast.IndexExpr:
		return receiver(x.X)
	case *ast.IndexListExpr:
		return receiver(x.X)
	case *ast.Ident:
		return x.Name
	}
	return ""
}

// names returns the names declared by a constant, variable or type.
func names(spec ast.Spec) (list []string) {
	switch s := spec.(type) {
	case *ast.TypeSpec:
		list = append(list, s.Name.Name)
	case *ast.ValueSpec:
		for _, n := range s.Names {
			if n.Name == "_" {
				n.Name = ""
			}
			list = append(list, n.Name)
		}
	}
	return list
}

// add adds a declaration and removes earlier ones of the same names.
func (c *composer) add(names []string, node ast.Node, keyword string) {
	for _, name := range names {
		if name != "" {
			c.Declarations = without(c.Declarations, name)
		}
	}
	c.Declarations = append(c.Declarations, c.declaration(names, node, keyword))
}

// declaration extracts a declaration from the text, with the keyword of its group.
func (c *composer) declaration(names []string, node ast.Node, keyword string) Declaration {
	from, to := int(node.Pos())-c.base, int(node.End())-c.base
	begin := strings.LastIndexByte(c.text[:from], '\n') + 1
	indent := strings.Repeat(" ", max(0, from-begin-len(keyword))) // to preserve columns
	return Declaration{names, c.cell, c.set.Position(node.Pos()).Line - 1, indent + keyword + c.text[from:to]}
}

// without removes the declaration of a name. If it declares several names, the name is replaced by _.
func without(all []Declaration, name string) (rest []Declaration) {
	for _, d := range all {
		if i := slices.Index(d.Names, name); i >= 0 {
			d.Names = slices.Clone(d.Names)
			if d.Names[i] = ""; strings.Join(d.Names, "") == "" {
				continue
			}
			d.Text = blanked(d.Text, name, "_")
		}
		rest = append(rest, d)
	}
	return rest
}

// blanked replaces the first occurrence of name by other, padded to the same length.
func blanked(text, name, other string) string {
	at := regexp.MustCompile(`\b` + regexp.QuoteMeta(name) + `\b`).FindStringIndex(text)
	if at == nil {
		return text
	}
	return text[:at[0]] + other + strings.Repeat(" ", max(0, len(name)-len(other))) + text[at[1]:]
}

// place is the prefix of the file names of cells for the compiler.
const place = "/cell/"

// line returns the directive that assigns the following text to a line of a cell.
func line(cell string, n int) string { return fmt.Sprintf("//line %s%s:%d:1\n", place, cell, n) }

// program returns the program of all declarations with the main function of the cell.
func (c *composer) program(s parts) (Program, error) {
	var body strings.Builder
	for _, d := range c.Declarations {
		body.WriteString(line(d.Cell, d.Line) + d.Text + "\n")
	}
	switch {
	case s.hasMain:
		body.WriteString("func main() {\n" + line(c.cell, s.mainLine) + s.main + "\n}\n")
	case c.main != nil:
		body.WriteString(line(c.cell, c.main.Line) + c.main.Text + "\n")
	default:
		body.WriteString("func main() {}\n")
	}
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, "", opening+body.String(), 0)
	if err != nil {
		return Program{}, c.faults(err, s.all)
	}
	used, paths := c.used(file), []string{}
	var head strings.Builder
	for _, i := range used {
		fmt.Fprintf(&head, "import %s %q\n", i.Name, i.Path)
		if i.Path != "unsafe" {
			paths = append(paths, i.Path)
		}
	}
	slices.Sort(paths)
	p := Program{Source: opening + head.String() + body.String(), Imports: slices.Compact(paths), Notes: s.notes,
		State: c.State}
	if s.unmarked {
		p.Unmarked = s.mainLine
	}
	return p, nil
}

// used lists the imports that a program needs, by name or for their side effects.
func (c *composer) used(file *ast.File) (list []Import) {
	open := map[*ast.Ident]bool{}
	for _, id := range file.Unresolved {
		open[id] = true
	}
	asked := map[string]string{} // a selector of each package
	ast.Inspect(file, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			if id, ok := s.X.(*ast.Ident); ok && open[id] {
				asked[id.Name] = s.Sel.Name
			}
		}
		return true
	})
	for _, i := range c.Imports {
		if _, ok := asked[i.Name]; ok || i.Name == "_" || i.Name == "." {
			list = append(list, i)
			delete(asked, i.Name)
		}
	}
	for name := range asked {
		if path := c.packages.Find(name); path != "" {
			list = append(list, Import{name, path})
		}
	}
	slices.SortFunc(list, func(a, b Import) int {
		return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Name, b.Name))
	})
	return list
}

// preferred lists the packages meant by names that several packages share.
var preferred = map[string]string{"rand": "math/rand/v2", "template": "text/template",
	"scanner": "text/scanner"}

// Find returns the path of the package with a name, or "". It prefers the standard library, then the shortest
// path.
func (p Packages) Find(name string) string {
	if path := preferred[name]; p[path] == name {
		return path
	}
	found := ""
	rank := func(path string) string {
		return fmt.Sprintf("%t %04d %s", strings.Contains(path, "."), len(path), path)
	}
	for path, n := range p {
		if n == name && (found == "" || rank(path) < rank(found)) {
			found = path
		}
	}
	return found
}
