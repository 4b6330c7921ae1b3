// Package texts has the sentences for the findings of all packages of tables, each with its code. The files
// are named after the packages. An option in a sentence is written as {!Name value}, and the front end spells
// it; see table.Register.
package texts

import "github.com/mpcvm/mpcvm/tables/table"

// Findings about cells and columns of several packages.
var (
	NotOfKind = table.Register("not-of-kind",
		"{n:cell} ({0} in {place} first) {n?is|are} not a {1:plain}: use {!Missing 0} for a missing value")
)
