package play

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/mpcvm/mpcvm/internal/cell"
	"github.com/mpcvm/mpcvm/tables/recipe"
	"github.com/mpcvm/mpcvm/tables/table"
)

// Origin describes how the axes of the plane are computed from two columns of a file. The page returns it in
// a request for the model, so that the model file accepts the rows of that file.
type Origin struct {
	Recipe *recipe.Recipe `json:"recipe"` // of the two columns
	Mean   []float64      `json:"mean"`   // of each axis, in the units of the column
	Scale  []float64      `json:"scale"`
	// Classes are the names of the classes of the points.
	Classes []string `json:"classes"`
}

// origin returns nil if an axis is not a column, or if both are the same.
func origin(t *table.Table, s *recipe.Samples, rows []int, q Request) (*Origin, error) {
	x, y, target := t.Find(q.X), t.Find(q.Y), t.Find(s.Recipe.Target)
	if x < 0 || y < 0 || x == y || x == target || y == target {
		return nil, nil
	}
	two := &table.Table{Name: t.Name, Rows: t.Rows, Missing: t.Missing, Columns: []table.Column{t.Columns[x],
		t.Columns[y], t.Columns[target]}}
	// only rows with both values, so that there are no features for missing cells
	r, err := recipe.Fit(two, 2, rows)
	if err != nil {
		return nil, err
	}
	r.ID = slices.Clone(s.Recipe.ID)
	return &Origin{Recipe: r}, nil
}

// className returns the name of a class of the points, which may not be in the file.
func (o *Origin) className(c int) string {
	switch {
	case o == nil:
		return className(c)
	case c < len(o.Classes):
		return o.Classes[c]
	}
	name := fmt.Sprintf("class %d", c+1) // as on the page
	for slices.Contains(o.Classes, name) {
		name += "′"
	}
	return name
}

// check returns an error if an origin is not valid. It may come from a link.
func (o *Origin) check() error {
	ok := o.Recipe != nil && o.Recipe.Check() == nil && o.Recipe.Width() == 2 && len(o.Mean) == 2 &&
		len(o.Scale) == 2
	for i := range 2 {
		ok = ok && !math.IsNaN(o.Mean[i]) && !math.IsInf(o.Mean[i], 0) && o.Scale[i] > 0 &&
			!math.IsInf(o.Scale[i], 1)
	}
	if !ok {
		return errors.New("the columns in this link are damaged; open the file again")
	}
	return nil
}

// flags matches advice about flags of the command, with the preceding punctuation.
var flags = regexp.MustCompile(`\s?[:;(]([^:;(]* )?Options\.[A-Z].*$`)

// withoutFlags removes advice for users of the command.
func withoutFlags(text string) string { return flags.ReplaceAllString(text, "") }

// inWords rewrites an error of a table for the page, which has no flags. choose is the advice if the column
// of the classes is wrong.
func inWords(err error, choose string) error {
	if err == nil {
		return nil
	}
	header := "the chosen one"
	if c, ok := errors.AsType[*cell.Error](err); ok && c.Header != "" {
		header = fmt.Sprintf("%q", cell.Shorten(c.Header))
	}
	switch {
	case errors.Is(err, recipe.ErrOneClass):
		return fmt.Errorf("the column %s has only one value, and at least two classes are required%s",
			header, choose)
	case errors.Is(err, recipe.ErrNotLabels):
		return fmt.Errorf("the column %s has too many different values to be used as classes%s", header, choose)
	case errors.Is(err, recipe.ErrNoFeatures):
		return errors.New("the file has no column except the classes that can be drawn")
	}
	return errors.New(strings.TrimPrefix(withoutFlags(err.Error()), "tables: "))
}
