package look

import (
	"slices"

	"github.com/mpcvm/mpcvm/tables/internal/texts"
	"github.com/mpcvm/mpcvm/tables/table"
)

// forFit lists the codes of the warnings that matter for a fit, and noted lists codes of other warnings that
// are notes in a report on a fit.
var (
	forFit = []table.Code{texts.Unlabelled, texts.Alike, texts.NamedMissing, texts.Few, texts.Imbalance,
		texts.Leak, texts.Groups, texts.Filled, texts.RepeatedID, texts.IDOverTime, texts.Duplicates,
		texts.Conflicts, texts.Sentinel, texts.Outlier, texts.Spelling, texts.OddCells, texts.Wide}
	noted = []table.Code{texts.Dates, texts.Levels, texts.Constant, texts.Empty}
)

// ForFit returns the warnings that matter for a fit, and others as notes. A report on a fit includes both.
func (f *Findings) ForFit() (warnings, notes []table.Finding) {
	for _, w := range f.Warnings {
		switch {
		case slices.Contains(forFit, w.Code):
			warnings = append(warnings, w)
		case slices.Contains(noted, w.Code):
			notes = append(notes, w)
		}
	}
	return warnings, notes
}
