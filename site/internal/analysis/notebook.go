package analysis

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/mpcvm/mpcvm/tables/table"
)

// Cell is a cell of a notebook.
type Cell struct {
	Type   string   `json:"type"` // code or markdown
	Source string   `json:"source"`
	Tags   []string `json:"tags,omitempty"`
}

// Notebook is the reply to notebook. Its cells read the file File, which the page attaches.
type Notebook struct {
	Title string `json:"title"`
	File  string `json:"file"`
	Cells []Cell `json:"cells"`
}

// notebook returns the cells of a notebook that opens the table, looks at it, trains a model and shows the
// report.
func (s *Session) notebook() (*Notebook, error) {
	if s.table == nil {
		return nil, errors.New("no file was opened")
	}
	file := path.Base(s.name)
	const imports = `import (
	"context"

	"github.com/mpcvm/mpcvm/mpcvm/search"
	nb "github.com/mpcvm/mpcvm/nbhelpers"
	"github.com/mpcvm/mpcvm/notebooks/lesson"
	"github.com/mpcvm/mpcvm/tables"
	"github.com/mpcvm/mpcvm/tables/assess"
	"github.com/mpcvm/mpcvm/tables/charts"%s
)

%%%%
nb.Init()`
	literal, usesTable := s.literal()
	extra := ""
	if usesTable {
		extra = "\n\t\"github.com/mpcvm/mpcvm/tables/table\""
	}
	target, auto := strconv.Quote(s.target), "search.Auto{Seed: 1}"
	if s.table.Rows > manyRows {
		auto = fmt.Sprintf("search.Auto{Seed: 1, Candidates: %d}", candidates)
	}
	return &Notebook{Title: s.name, File: file, Cells: []Cell{
		{Type: "markdown", Source: fmt.Sprintf("# %s\n\nThese cells do what the page did: they open the table, look "+
			"at it, train a model and show its report. The file is attached to this notebook and stays in this "+
			"browser.", strings.NewReplacer("#", `\#`, "*", `\*`, "_", `\_`, "`", "\\`", "<", "&lt;").Replace(s.name))},
		{Type: "code", Source: fmt.Sprintf(imports, extra), Tags: []string{"hide-input"}},
		{Type: "code", Source: fmt.Sprintf("var table1 = lesson.Must(tables.Open(%s, tables.Options{%s}))",
			strconv.Quote(file), literal)},
		{Type: "code", Source: "%%\ncharts.Look(table1).Display()"},
		{Type: "code", Source: fmt.Sprintf(`%%%%
ctx, auto := context.Background(), %s
model, result, err := tables.Fit(ctx, table1, %s, auto)
lesson.Try(err)
figures, err := assess.Evaluate(ctx, table1, model, assess.EvaluateOptions{
	Options: assess.Options{Folds: 5, Seed: 1}, Learner: auto, Result: result})
lesson.Try(err)
lesson.Must(charts.Report(ctx, figures, nil)).Display()`, auto, target)},
	}}, nil
}

// literal writes the fields of tables.Options that are set, as Go. usesTable reports whether they need
// package table.
func (s *Session) literal() (text string, usesTable bool) {
	var fields []string
	one := func(name, value string) {
		if value != "" {
			fields = append(fields, name+": "+strconv.Quote(value))
		}
	}
	list := func(name string, values []string) {
		if len(values) > 0 {
			fields = append(fields, name+": "+fmt.Sprintf("%#v", values))
		}
	}
	o := s.options
	one("Separator", o.Separator)
	one("Decimal", o.Decimal)
	one("Encoding", o.Encoding)
	one("Header", o.Header)
	one("Sheet", o.Sheet)
	one("Ragged", o.Ragged)
	one("Limits", o.Limits)
	list("Missing", o.Missing)
	list("Drop", o.Drop)
	list("ID", o.ID)
	one("Group", o.Group)
	one("Time", o.Time)
	var kinds []string
	for _, c := range s.table.Columns {
		if kind := o.Kinds[c.Name]; kind != "" {
			i := slices.IndexFunc([]table.Kind{table.Number, table.Category, table.Boolean, table.Date, table.ID,
				table.Text}, func(k table.Kind) bool { return k.String() == kind })
			name := []string{"Number", "Category", "Boolean", "Date", "ID", "Text"}[max(i, 0)]
			kinds = append(kinds, strconv.Quote(c.Name)+": table."+name)
		}
	}
	if len(kinds) > 0 {
		fields = append(fields, "Kinds: map[string]table.Kind{"+strings.Join(kinds, ", ")+"}")
	}
	return strings.Join(fields, ", "), len(kinds) > 0
}
