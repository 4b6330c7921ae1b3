// Package charts draws tables, the models of tables and how good they are, with the charts of package
// nbhelpers. A chart or a page is shown in a notebook, or written to a file, like the charts of nbhelpers:
//
//	charts.Look(birds).Display()
//	nbhelpers.WritePageFile("look.html", "Birds", charts.Look(birds))
//
//	what is in a table          [Look]
//	what the model decides      [Regions], [Profile], [Explanation], [Wrong]
//	how columns matter          [Permutation], [Dependence]
//	how good it is              [Costs]
//	systems compared            [Comparison]
//	all of a model on a page    [Report], [ExplainedReport], [ComparisonReport]
//
// Mistakes of the programmer panic with a message that begins with "charts: " or "nbhelpers: ". In a
// notebook the cell ends with the message, on one line.
package charts
