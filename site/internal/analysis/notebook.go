package analysis

import (
	"errors"
	"fmt"
	"path"
	"regexp"
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

// punctuation matches what Markdown may interpret, unless a backslash is in front of it.
var punctuation = regexp.MustCompile("[!-/:-@[-`{-~]")

// notebook returns the cells of a notebook that opens the table, looks at it, trains a model and shows the
// report.
func (s *Session) notebook() (*Notebook, error) {
	if s.table == nil {
		return nil, errors.New("no file was opened")
	}
	file := path.Base(s.name)
	const own = "\n\t\"github.com/mpcvm/mpcvm/"
	settings, imports := fmt.Sprintf("Target: %q", s.target), ""
	if len(s.options.Merge) > 0 {
		settings += fmt.Sprintf(", Merge: %#v", s.options.Merge)
	}
	if s.table.Rows > manyRows {
		settings += fmt.Sprintf(", EvaluateOptions: eval.EvaluateOptions{Learner: search.Auto{Seed: 1, Candidates: %d}}",
			candidates)
		imports = own + `mpcvm/search"` + own + `tables/eval"`
	}
	if len(s.options.Kinds) > 0 {
		imports += own + `tables/table"`
	}
	return &Notebook{Title: s.name, File: file, Cells: []Cell{
		{Type: "markdown", Source: fmt.Sprintf("# %s\n\nThese cells do what the page did: they open the table, look "+
			"at it, train a model and show its report. The file is attached to this notebook and stays in this "+
			"browser.", punctuation.ReplaceAllString(s.name, `\$0`))},
		{Type: "code", Source: fmt.Sprintf(`import (
	"context"

	nb "github.com/mpcvm/mpcvm/nbhelpers"
	"github.com/mpcvm/mpcvm/notebooks/lesson"
	"github.com/mpcvm/mpcvm/tables"
	"github.com/mpcvm/mpcvm/tables/charts"
	"github.com/mpcvm/mpcvm/tables/report"%s
)

%%%%
nb.Init()`, imports), Tags: []string{"hide-input"}},
		{Type: "code", Source: fmt.Sprintf("var table1 = lesson.Must(tables.Open(%q, %s))", file, s.literal())},
		{Type: "code", Source: "%%\ncharts.Look(table1).Display()"},
		{Type: "code", Source: fmt.Sprintf(`%%%%
ctx := context.Background()
_, figures, err := tables.Train(ctx, table1, tables.Settings{%s})
lesson.Try(err)
lesson.Must(report.Full(ctx, figures, report.Options{})).Page().Display()`, settings)},
	}}, nil
}
