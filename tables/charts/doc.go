// Package charts draws tables, models of tables and their evaluation, with the charts of package nbhelpers.
// Like those, a chart or a page can be displayed in a notebook or written to a file:
//
//	charts.Look(birds).Display()
//	nbhelpers.WritePageFile("look.html", "Birds", charts.Look(birds))
//
//	contents of a table         [Look]
//	decisions of a model        [Regions], [Explanation]
//	role of the columns         [Permutation], [Dependence]
//	costs of decisions          [Costs]
//	comparison of systems       [Comparison]
//
// Programming errors panic with a message that starts with "charts: " or "nbhelpers: ". In a notebook, the
// cell then ends with this message on a single line.
package charts
