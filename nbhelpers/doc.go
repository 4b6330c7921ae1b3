// Package nbhelpers draws charts of classifiers, their fits and their predictions, for the cells of
// a GoNB notebook and for HTML files. It loads nothing from the network.
//
// In a notebook, one cell calls [Init], and later cells show charts:
//
//	nbhelpers.Init() // embeds ECharts in the notebook, once
//
//	progress := nbhelpers.NewProgress("mPCVM₂")
//	model, result, err := learner.Fit(ctx, mpcvm.Samples{X: x, T: set.T}, progress.Observe)
//	progress.Done(result)
//	nbhelpers.Convergence(nbhelpers.Trace{Name: "mPCVM₂", Steps: result.Trace}).Display()
//	nbhelpers.Regions(model, set, nbhelpers.RegionsOptions{Scale: &scale}).Display()
//
// Package tables/charts draws tables, models of tables and their evaluation.
//
// Outside a notebook, write the same charts to files:
//
//	chart.WriteFile("regions.html")                                     // one chart
//	nbhelpers.WritePageFile("report.html", "Report", nbhelpers.Heading("Iris"), chart) // a report
//
// # Charts
//
// Each chart is drawn by one function. If the chart has options, the last parameter is a struct whose
// zero value is the recommended setting. [Convergence] has no options; [ConvergenceWith] is the same
// with options.
//
// Every function returns a [Chart], which Apache ECharts draws in the browser. Where scripts are not
// allowed to run (in a notebook that is not trusted, or in a preview on the web), its alternative
// text is shown. [Wrap] does the same for a go-echarts chart.
//
//	what a fit did              [Convergence], [Trials], [Sparsity], [Weights], [Stems]
//	what the model decides      [Regions], [Profile], [Explanation], [Importance]
//	how good it is              [Confusion], [Reliability], [ROC], [PrecisionRecall], [Gain]
//	systems compared            [Boxes], [CriticalDifference], [Results]
//	curves and points           [Lines]
//	a model for later cells     [Keep]
//
// [Grid] lays out charts and tables side by side. [Table] and [Results] make tables.
//
// [Frames] shows charts one after another with a slider and does not need a kernel. [Slider] needs
// one: it fits and draws again while the reader moves it. [Context] returns a context that the Stop
// button of the notebook cancels.
//
// Classes have the same colour and shape in every chart, in the order of their labels
// ([ClassColor]). Systems are coloured by name in every chart that compares them.
// The first eight colours are from Okabe and Ito's palette, which colour-blind readers can
// distinguish. Text from data, such as class names, is never interpreted as HTML or JavaScript.
//
// Programming errors, such as a feature index out of range, cause a panic with a message that begins
// with "nbhelpers: ". In a notebook the cell ends with the message on one line.
//
// GoNB runs each cell as a separate program, together with the declarations of earlier cells. A model
// that is fitted in a variable declaration above %% is therefore fitted again in every later cell. Use
// [Keep] to fit it once.
package nbhelpers
