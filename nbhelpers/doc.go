// Package nbhelpers draws what the classifiers of this module do: charts for the
// cells of a GoNB notebook, for HTML files, or as SVG pictures. Nothing is loaded
// from the network.
//
// In a notebook one cell calls [Init]. Later cells show charts:
//
//	nbhelpers.Init() // embeds ECharts in the notebook, once
//
//	progress := nbhelpers.NewProgress("mPCVM₂")
//	model, result, err := learner.Fit(ctx, mpcvm.Samples{X: x, T: set.T}, progress.Observe)
//	progress.Done(result)
//	nbhelpers.Convergence(nbhelpers.Trace{Name: "mPCVM₂", Steps: result.Trace}).Display()
//	nbhelpers.Regions(model, set, nbhelpers.RegionsOptions{Scale: &scale}).Display()
//
// For a model of tables.Fit and its table, use [TableRegions], [TableProfile] and [TableWrong], and
// [TableExplanation] for the cells of a row.
//
// Outside of a notebook the same charts go to files:
//
//	chart.WriteFile("regions.html")                                     // one chart
//	nbhelpers.WritePageFile("report.html", "Report", nbhelpers.Heading("Iris"), chart) // a report
//
// # Charts
//
// A chart is a function of its data. If there is something to choose, its last
// parameter is an options struct, whose zero value is the recommended setting.
// [Convergence] and [Look] have a short form without options.
//
// Every chart is a [Chart]: live by Apache ECharts where scripts may run, and a still
// SVG picture where they may not (a notebook that is not trusted, a preview on the
// web). [Wrap] does the same for a chart of go-echarts.
//
//	what is in a table          [Look]
//	what a fit did              [Convergence], [Trials], [Frontier], [Sparsity], [Weights], [Stems]
//	what the model decides      [Regions], [Profile], [Explanation], [Importance]
//	how columns matter          [Permutation], [Dependence]
//	how good it is              [Confusion], [Reliability], [ROC], [ROCPair], [PrecisionRecall], [Gain], [Costs]
//	systems compared            [Comparison], [Boxes], [CriticalDifference], [Results]
//	curves and points           [Lines]
//	a model for later cells     [Keep]
//	all of a model on a page    [Report], [ExplainedReport], [ComparisonReport]
//
// [Grid] lays charts and tables out side by side. [Table] and [Results] make tables.
//
// [Frames] shows charts one after another with a slider, and needs no kernel. [Slider]
// needs one: it fits and draws anew while the reader moves it. [Context] ends with
// the Stop button of the notebook.
//
// Classes have the same colour and shape in every chart, in the order of their labels
// ([ClassColor]). Systems have a colour by their name in every chart that compares them
// ([SystemColor]). The first eight colours are by Okabe and Ito, which
// colour-blind readers can distinguish. Texts from data, such as class names, are
// never taken for HTML or JavaScript.
//
// Mistakes of the programmer, such as a feature index out of range, panic with a
// message that begins with "nbhelpers: ". In a notebook the cell ends with the message, on one line.
//
// GoNB runs each cell as a program of its own, together with the declarations of earlier cells. So a
// variable above %% whose value is a fit is fitted again in every later cell. [Keep] fits it once:
//
//	var model = nbhelpers.Keep("model.json", tables.LoadFile, func() (*tables.Model, error) {
//		m, _, err := tables.Fit(ctx, birds, "species", learner)
//		return m, err
//	}, birds, learner)
//
// # A new chart
//
// A chart is one file. It fills a figure: panels with axes, and marks in them, such as
// line, dots, bars, cells or sketch. It says nothing of pixels but the height of a row or a cell:
// figure.placed computes the margins from titles, legend, labels and names of the axes. A tooltip is
// lines of text with fields (base.tip). Both outputs come from the figure. This is a chart with a bar
// for each name:
//
//	f := &figure{title: "Rows"}
//	b := &bars{base: base{tip: []string{"{0 in names}", "rows *{2}*"}}, share: .6, color: ClassColor(0)}
//	for i, n := range counts {
//		b.rows = append(b.rows, row{float64(i), 0, n}) // row of the bar, where it begins and ends
//	}
//	f.add(b)
//	f.rows(names, countAxis(most, 6), 24, 0)
//	f.tip.trigger, f.tip.texts = "item", node{"names": names}
//	return f.chart("Bar chart of the rows.", 0)
//
// A new kind of mark implements the interface mark.
package nbhelpers
