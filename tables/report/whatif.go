package report

import (
	"cmp"
	_ "embed"
	"encoding/json"
	"fmt"
	"html"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/mpcvm/mpcvm/internal/chart"
	"github.com/mpcvm/mpcvm/nbhelpers"
	"github.com/mpcvm/mpcvm/tables/eval"
	"github.com/mpcvm/mpcvm/tables/export"
	"github.com/mpcvm/mpcvm/tables/recipe"
	"github.com/mpcvm/mpcvm/tables/table"
)

//go:embed whatif.js
var whatIfJS string

// whatIf is the module of the interactive sections of reports, which predicts rows with the code that mpcvm
// export writes.
var whatIf = sync.OnceValue(func() string {
	return strings.ReplaceAll("\n"+export.Scorer()+"\n"+whatIfJS, "</", `<\/`)
})

// Scripts returns the scripts of reports, which are the same in every report that nbhelpers.WritePage
// writes. If the policy of another page allows them, it can show reports in frames.
func Scripts() []string { return append(chart.PageScripts(), whatIf()) }

// mostAlive is the maximum number of rows in the interactive section; of more, there is a sample.
const mostAlive = 10000

// aliveColumn is a column of the model for whatif.js: numbers and texts, or codes of levels.
type aliveColumn struct {
	Name      string    `json:"name"`
	Unit      string    `json:"unit,omitempty"`
	Levels    []string  `json:"levels,omitempty"`
	Codes     []int32   `json:"codes,omitempty"`
	Cells     []any     `json:"cells,omitempty"`
	Min       *float64  `json:"min,omitempty"`
	Max       *float64  `json:"max,omitempty"`
	Whole     bool      `json:"whole,omitempty"`
	Quartiles []float64 `json:"quartiles,omitempty"`
	Spread    float64   `json:"spread,omitempty"` // interquartile range
	Typical   any       `json:"typical"`          // see eval.TypicalRow
	Range     []float64 `json:"range,omitempty"`  // of the training rows
}

type aliveVector struct {
	Name  string   `json:"name"`
	Label int      `json:"label"`
	Cells []string `json:"cells"` // of the columns that are shown
}

const shownCells = 6 // columns of a relevance vector that the page shows

type alive struct {
	Model   json.RawMessage `json:"model"` // see export.ScorerData
	Columns []aliveColumn   `json:"columns"`
	Rows    []int           `json:"rows"`            // from 1
	Start   map[string]any  `json:"start,omitempty"` // cells of the first row, if Rows is empty
	IDs     []string        `json:"ids,omitempty"`
	Truth   []int           `json:"truth"`
	Labels  []int           `json:"labels"` // predicted labels, with the probabilities Proba
	Proba   []chart.Row     `json:"proba"`
	Sets    []aliveSet      `json:"sets,omitempty"`
	Reach   float64         `json:"reach,omitempty"` // rows below it are unlike the training rows
	Vectors []aliveVector   `json:"vectors"`
	Colours []string        `json:"colours"`
	Of      string          `json:"of"`
	Note    string          `json:"note"`
}

// aliveSet contains the smallest margin with which each class is in a prediction set; null means none.
type aliveSet struct {
	Coverage float64   `json:"coverage"`
	Least    chart.Row `json:"least"`
}

// newWhatIf returns the interactive section of a report. It predicts rows in the page with the code that
// mpcvm export writes, and is hidden without JavaScript. Columns are in the order of their importance. start
// contains the cells to start with if the evaluation shows no rows.
func newWhatIf(e *eval.Evaluation, important []eval.Importance, start map[string]any) (nbhelpers.Block, error) {
	m, p := e.Model, cmp.Or(e.Shown, &eval.Matrix{})
	scorer, err := export.ScorerData(m)
	if err != nil {
		return nbhelpers.Text("Predictions are not available in this page: " + err.Error() + "."), nil
	}
	r, t, of, classes := m.Recipe(), p.Table, m.Model(), m.ClassNames()
	a := alive{Model: scorer, Of: e.Of, Colours: nbhelpers.ClassColors(classes),
		Note: "Nothing leaves this page.", Rows: []int{}, Start: start}
	keep := everyNth(len(p.Rows), mostAlive)
	slices.SortStableFunc(keep, func(a, b int) int { return p.Rows[a] - p.Rows[b] })
	if len(keep) < len(p.Rows) {
		a.Note += fmt.Sprintf(" The page contains %d of the %d rows.", len(keep), len(p.Rows))
	}
	var at []int // row numbers in the table
	for _, i := range keep {
		row := p.Rows[i]
		at = append(at, row)
		a.Rows, a.Truth = append(a.Rows, row+1), append(a.Truth, p.T[i])
		a.Labels, a.Proba = append(a.Labels, p.Labels[i]),
			append(a.Proba, chart.RoundedAll(p.Proba.RawRowView(i), 4))
		if len(r.ID) > 0 {
			a.IDs = append(a.IDs, r.Identify(t, row))
		}
	}
	a.Reach = of.Reach()
	if scores := of.Scores(); scores != nil {
		for _, coverage := range []float64{0.8, 0.9, 0.95} {
			a.Sets = append(a.Sets, aliveSet{coverage, scores.Thresholds(coverage, len(classes))})
		}
	}
	rank := func(c recipe.Column) int {
		i := slices.IndexFunc(important, func(i eval.Importance) bool { return i.Column == c.Name })
		if i < 0 {
			return len(important)
		}
		return i
	}
	order := slices.Clone(r.Columns)
	slices.SortStableFunc(order, func(a, b recipe.Column) int { return rank(a) - rank(b) })
	typical, err := eval.TypicalRow(r)
	if err != nil {
		return nil, err
	}
	for _, c := range order {
		a.Columns = append(a.Columns, newAliveColumn(c, typical[c.Name], t, at))
	}
	a.Vectors = []aliveVector{}
	for i, v := range of.RelevanceVectors() {
		one := aliveVector{Name: cmp.Or(m.ID(i), "row "+strconv.Itoa(v.Index+1)), Label: v.Label}
		cells := m.Cells(v.Raw)
		for _, c := range order[:min(len(order), shownCells)] {
			one.Cells = append(one.Cells, cells[slices.IndexFunc(r.Columns,
				func(o recipe.Column) bool { return o.Name == c.Name })])
		}
		a.Vectors = append(a.Vectors, one)
	}
	return chart.Live{
		Body: func(id string) string {
			return `<section class="mpcvm-live" id="` + html.EscapeString(id) + `" hidden>` +
				chart.DataBlock("mpcvm-rows", chart.Quote(a)) + "</section>\n"
		},
		Module: whatIf(),
	}, nil
}

// everyNth returns at most the given number of evenly spaced indices below n.
func everyNth(n, most int) (list []int) {
	for i := range min(n, most) {
		list = append(list, i*n/min(n, most))
	}
	return list
}

// newAliveColumn returns a column with the cell of a typical row and the cells of some rows of a table, or,
// without a table, with the range and the levels of the training rows. Texts are codes of their levels.
func newAliveColumn(of recipe.Column, typical any, t *table.Table, rows []int) aliveColumn {
	a, code := aliveColumn{Name: of.Name, Unit: of.Unit, Typical: typical}, map[string]int32{"": -1}
	date, isDate := typical.(time.Time)
	if isDate {
		a.Typical = table.FormatDate(float64(date.Unix()))
	}
	if of.Kind == table.Number.String() {
		a.Range = of.Range
	}
	if t == nil {
		a.Levels = slices.Concat(of.Levels, of.Others)
		if n := len(of.Quantiles); n > 0 && !isDate {
			a.Min, a.Max, a.Spread = &of.Quantiles[0], &of.Quantiles[n-1], of.Quantiles[3*n/4]-of.Quantiles[n/4]
			a.Whole = !slices.ContainsFunc(of.Quantiles, func(v float64) bool { return v != math.Trunc(v) })
		}
		return a
	}
	c := &t.Columns[t.Find(of.Name)]
	for _, row := range rows {
		switch missing := c.Missing(row); {
		case !isDate && c.Kind != table.Number:
			text := c.Text(row)
			if _, ok := code[text]; !ok {
				code[text] = int32(len(a.Levels)) //nolint:gosec // at most mostAlive
				a.Levels = append(a.Levels, text)
			}
			a.Codes = append(a.Codes, code[text])
		case missing:
			a.Cells = append(a.Cells, nil)
		case isDate:
			a.Cells = append(a.Cells, c.Text(row))
		default:
			a.Cells = append(a.Cells, c.Numbers[row])
		}
	}
	if c.Kind == table.Number && !isDate {
		p := c.Profile(rows)
		if a.Whole = p.Whole; p.Distinct > 0 {
			a.Min, a.Max = &p.Numbers[0], &p.Numbers[len(p.Numbers)-1]
			a.Quartiles = []float64{p.Quantile(.25), p.Quantile(.5), p.Quantile(.75)}
			a.Spread = a.Quartiles[2] - a.Quartiles[0]
		}
	}
	return a
}
