// Package nbhelpers draws what the classifiers of this module do: charts for the
// cells of a GoNB notebook and for HTML files. Nothing is loaded from the network.
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
// The package tables/charts has the charts of tables, of models of tables and of their reports.
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
// [Convergence] is a short form without options.
//
// Every chart is a [Chart], which Apache ECharts draws where scripts may run. Where they
// may not (a notebook that is not trusted, a preview on the web), there is its alternative
// text. [Wrap] does the same for a chart of go-echarts.
//
//	what a fit did              [Convergence], [Trials], [Sparsity], [Weights], [Stems]
//	what the model decides      [Regions], [Profile], [Explanation], [Importance]
//	how good it is              [Confusion], [Reliability], [ROC], [ROCPair], [PrecisionRecall], [Gain]
//	systems compared            [Boxes], [CriticalDifference], [Results]
//	curves and points           [Lines]
//	a model for later cells     [Keep]
//
// [Grid] lays charts and tables out side by side. [Table] and [Results] make tables.
//
// [Frames] shows charts one after another with a slider, and needs no kernel. [Slider]
// needs one: it fits and draws again while the reader moves it. [Context] ends with
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
//	var model = nbhelpers.Keep("model.json", mpcvm.LoadFile, func() (*mpcvm.Model, error) {
//		m, _, err := learner.Fit(ctx, mpcvm.Samples{X: set.X, T: set.T})
//		return m, err
//	}, set, learner)
package nbhelpers
