package report

import (
	"errors"
	"slices"

	"github.com/mpcvm/mpcvm/internal/chart"
	"github.com/mpcvm/mpcvm/tables/eval"
	"github.com/mpcvm/mpcvm/tables/model"
)

// Shared returns a page for somebody who has a model, but not its table: how good the model was when it was
// fitted, and a row to change. The row starts with the given cells, by column; the others come from a
// typical row. The columns in first are shown first. Shared returns an error if the model has no columns or
// no profile of its training rows.
func Shared(m *model.Model, row map[string]any, first []string) (Document, error) {
	if m.Recipe() == nil {
		return Document{}, errors.New("the model is for a matrix, so it has no columns to change")
	}
	e := &eval.Evaluation{Model: m, Classes: m.ClassNames()}
	if record := m.Record(); record != nil && len(record.Rows) > 0 {
		e.Baseline.Class = e.Classes[slices.Index(record.Rows, slices.Max(record.Rows))]
		for _, f := range record.Figures {
			switch f.Of {
			case "majority baseline":
				e.Baseline.Figures = f
			case "cross-validation":
				if f.Error != nil && f.ErrorSE != nil {
					e.CV = &eval.CrossValidation{Figures: f}
				}
			}
		}
	}
	r := full{Evaluation: e}
	r.charts(page, chart.Markup("<div>\n"))
	if e.Baseline.Error != nil {
		r.headline()
	} else {
		r.text(page, "The file has no scores of the model.")
	}
	r.charts(page, chart.Markup("</div>\n"))
	order := make([]eval.Importance, len(first))
	for i, name := range first {
		order[i].Column = name
	}
	block, err := newWhatIf(e, order, row)
	if err != nil {
		return Document{}, err
	}
	r.interactive(block)
	return r.Document, nil
}
