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
	"github.com/mpcvm/mpcvm/tables/assess"
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

// mostAlive is the maximum number of rows in the interactive section; of more rows, an evenly spaced sample
// is used.
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
	Typical   any       `json:"typical"`          // see assess.TypicalRow
}

type aliveVector struct {
	Name  string `json:"name"`
	Label int    `json:"label"`
	Cells []any  `json:"cells"` // of the columns that are shown
}

// shownCells and shownDigits limit what the page shows of a relevance vector.
const shownCells, shownDigits = 6, 5

// alive is the data of whatif.js.
type alive struct {
	Model   json.RawMessage `json:"model"` // see export.ScorerData
	Columns []aliveColumn   `json:"columns"`
	Rows    []int           `json:"rows"` // from 1
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

// aliveSet contains, for each class, the smallest margin with which it is in the prediction set of a
// coverage; null means no limit.
type aliveSet struct {
	Coverage float64   `json:"coverage"`
	Least    chart.Row `json:"least"`
}

// newWhatIf returns the interactive section of a report. It predicts rows in the page with the code that
// mpcvm export writes, and is hidden without JavaScript. Columns are in the order of their importance.
func newWhatIf(e *assess.Evaluation, important []assess.Importance) (nbhelpers.Block, error) {
	m, p := e.Model, e.Shown
	scorer, err := export.ScorerData(m)
	if err != nil {
		return nbhelpers.Text("Predictions are not available in this page: " + err.Error() + "."), nil
	}
	r, t, of, classes := m.Recipe(), p.Table, m.Model(), m.ClassNames()
	a := alive{Model: scorer, Of: e.Of, Colours: nbhelpers.ClassColors(classes),
		Note: "All computations run in this page; no data leave it."}
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
		i := slices.IndexFunc(important, func(i assess.Importance) bool { return i.Column == c.Name })
		if i < 0 {
			return len(important)
		}
		return i
	}
	order := slices.Clone(r.Columns)
	slices.SortStableFunc(order, func(a, b recipe.Column) int { return rank(a) - rank(b) })
	typical, err := assess.TypicalRow(r)
	if err != nil {
		return nil, err
	}
	for _, c := range order {
		a.Columns = append(a.Columns, newAliveColumn(&t.Columns[t.Find(c.Name)], c, at, typical[c.Name]))
	}
	a.Vectors = []aliveVector{}
	for i, v := range of.RelevanceVectors() {
		one := aliveVector{Name: cmp.Or(m.ID(i), "row "+strconv.Itoa(v.Index+1)), Label: v.Label}
		cells := m.Cells(v.Raw)
		for _, c := range order[:min(len(order), shownCells)] {
			one.Cells = append(one.Cells, shown(cells[slices.IndexFunc(r.Columns,
				func(o recipe.Column) bool { return o.Name == c.Name })]))
		}
		a.Vectors = append(a.Vectors, one)
	}
	return chart.Live{
		Body: func(id string) string {
			return `<section class="mpcvm-live" id="` + html.EscapeString(id) + `" hidden>` +
				chart.DataBlock("mpcvm-rows", chart.Quote(a)) + "</section>\n" + whatIfStyle
		},
		Module: whatIf(),
	}, nil
}

// shown returns a cell in the form in which it is shown.
func shown(cell any) any {
	if v, ok := cell.(float64); ok {
		return chart.Rounded(v, shownDigits)
	}
	return cell
}

// everyNth returns at most the given number of evenly spaced indices below n.
func everyNth(n, most int) (list []int) {
	for i := range min(n, most) {
		list = append(list, i*n/min(n, most))
	}
	return list
}

// newAliveColumn returns the cells of a column in some rows, and the cell of a typical row.
func newAliveColumn(c *table.Column, of recipe.Column, rows []int, typical any) aliveColumn {
	a := aliveColumn{Name: of.Name, Unit: of.Unit, Typical: typical}
	switch date, is := typical.(time.Time); {
	case is:
		a.Typical = table.FormatDate(float64(date.Unix()))
		for _, row := range rows {
			var text any
			if !c.Missing(row) {
				text = c.Text(row)
			}
			a.Cells = append(a.Cells, text)
		}
	case c.Kind == table.Number:
		a.numbers(c, rows)
	default:
		a.levels(c, rows)
	}
	return a
}

// numbers sets the cells of a column of numbers.
func (a *aliveColumn) numbers(c *table.Column, rows []int) {
	for _, row := range rows {
		if v := c.Numbers[row]; math.IsNaN(v) {
			a.Cells = append(a.Cells, nil)
		} else {
			a.Cells = append(a.Cells, v)
		}
	}
	p := c.Profile(rows)
	if a.Whole = p.Whole; p.Distinct == 0 {
		return
	}
	a.Min, a.Max = &p.Numbers[0], &p.Numbers[len(p.Numbers)-1]
	a.Quartiles = []float64{p.Quantile(.25), p.Quantile(.5), p.Quantile(.75)}
	a.Spread = a.Quartiles[2] - a.Quartiles[0]
}

// levels sets the cells of a column of texts, as codes of the levels that occur.
func (a *aliveColumn) levels(c *table.Column, rows []int) {
	code := map[string]int32{}
	for _, row := range rows {
		if c.Missing(row) {
			a.Codes = append(a.Codes, -1)
			continue
		}
		text := c.Text(row)
		if _, ok := code[text]; !ok {
			code[text] = int32(len(a.Levels)) //nolint:gosec // at most mostAlive
			a.Levels = append(a.Levels, text)
		}
		a.Codes = append(a.Codes, code[text])
	}
}

// whatIfStyle is the style sheet of the interactive section.
const whatIfStyle = `<style>
.mpcvm-live .wide{overflow-x:auto;margin:.7em 0}
.mpcvm-live table{border-collapse:collapse;font-size:.9rem;font-variant-numeric:tabular-nums}
.mpcvm-live caption{text-align:left;font-weight:600;padding:.2em 0}
.mpcvm-live :is(td,th){padding:3px 10px;border-bottom:1px solid #8884;text-align:left;font-weight:400;vertical-align:top}
.mpcvm-live thead th{font-weight:600}
.mpcvm-live :is(button,select,input:not([type=range])){font:inherit;color:inherit;background:transparent;border:1px solid #888;border-radius:4px;padding:2px 8px;max-width:100%}
.mpcvm-live select option{color:#222;background:#fff}
.mpcvm-live input[type=number]{width:5.5em}
.mpcvm-live input[type=range]{accent-color:#0072b2;min-width:0;width:100%}
.mpcvm-live button{cursor:pointer}
.mpcvm-live button.link{border:0;white-space:nowrap;padding:0;color:light-dark(#0b5cad,#7cc0ff);text-decoration:underline}
.mpcvm-live button.wrong{border-color:#d55e00;border-width:2px}
.mpcvm-live :focus-visible{outline:3px solid #e69f00;outline-offset:1px}
.mpcvm-live .choose{display:flex;flex-wrap:wrap;gap:8px;align-items:center;margin:.7em 0}
.mpcvm-live .choose input{width:7em}
.mpcvm-live .whatif{display:grid;grid-template-columns:minmax(0,1fr) minmax(0,1fr);gap:20px;align-items:start}
.mpcvm-live .control{display:grid;grid-template-columns:minmax(0,1fr) minmax(0,8.5em);gap:2px 10px;align-items:center;margin-bottom:8px;overflow-wrap:anywhere}
.mpcvm-live .control input[type=range]{grid-column:1/-1}
.mpcvm-live .bars>div{display:grid;grid-template-columns:minmax(0,9em) 1fr 5.5em;gap:8px;align-items:center;font-size:.92rem;font-variant-numeric:tabular-nums;margin:3px 0;overflow-wrap:anywhere}
.mpcvm-live .bars.signed>div{grid-template-columns:minmax(0,13em) 1fr 9em}
.mpcvm-live .bar{position:relative;height:12px;background:#8883;border-radius:2px;overflow:hidden}
.mpcvm-live .bar i{position:absolute;top:0;bottom:0;background:#0072b2}
.mpcvm-live .bar i.less{background:#d55e00}
.mpcvm-live .answers{position:sticky;top:8px}
@media screen and (prefers-color-scheme:dark){.mpcvm-live .bars:not(.signed) i{filter:invert(.93) hue-rotate(180deg) saturate(1.2)}}
@media (max-width:600px){.mpcvm-live .whatif,.mpcvm-live .bars.signed>div{grid-template-columns:minmax(0,1fr)}.mpcvm-live .answers{order:-1;position:static}}
@media print{.mpcvm-live{display:none}}
</style>
`
