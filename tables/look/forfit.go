package look

import "slices"

// forFit lists the codes of the warnings that matter for a fit, and inShort those whose first text is enough.
var (
	forFit = []string{"unlabelled", "alike", "named-missing", "few", "imbalance", "leak", "filled",
		"repeated-id", "duplicates", "conflicts", "sentinel", "outlier", "spelling", "odd-cells", "wide"}
	inShort = []string{"date", "levels", "constant", "empty"}
)

// ForFit returns the warnings that matter for a fit, and the texts of others as notes, without advice. A
// report on a fit includes both.
func (f *Findings) ForFit() (warnings []Warning, notes []string) {
	for _, w := range f.Warnings {
		switch {
		case slices.Contains(forFit, w.Code):
			warnings = append(warnings, w)
		case slices.Contains(inShort, w.Code):
			notes = append(notes, w.Text)
		}
	}
	return warnings, notes
}
