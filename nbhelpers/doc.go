// Package nbhelpers draws what the classifiers of this module do: charts for a
// GoNB notebook cell, for an HTML file, or as a plain SVG picture. Nothing is
// loaded from the network, in a notebook or out of one.
//
// In a notebook, one cell calls [Init]; every later cell shows what it likes:
//
//	nbhelpers.Init() // embeds ECharts in the notebook, once
//
//	progress := nbhelpers.NewProgress("mPCVM₂")
//	model, result, err := learner.Fit(ctx, x, set.T, progress.Observe)
//	progress.Done(result)
//	nbhelpers.Convergence(nbhelpers.Trace{Name: "mPCVM₂", Steps: result.Trace}).Display()
//	nbhelpers.Regions(model, set, nbhelpers.RegionsOptions{Scale: &scale}).Display()
//
// Outside of a notebook the same charts go to files:
//
//	chart.WriteFile("regions.html")                                     // one chart
//	nbhelpers.WritePageFile("report.html", "Report", nbhelpers.Heading("Iris"), chart) // a report
//
// # Charts
//
// Every chart is a [Chart], described once as an Apache ECharts option. It is
// shown by ECharts where scripts may run, and by a small SVG picture drawn here
// from the same option where they may not (a notebook that is not trusted, a
// preview on the web), so a chart is never blank. [Wrap] does the same for any
// go-echarts chart.
//
//	what a fit did              [Convergence], [Sparsity], [Weights]
//	what the model decides      [Regions], [Explanation], [Importance]
//	how good it is              [Confusion], [Reliability], [ROC], [ROCPair]
//	systems compared            [Boxes], [CriticalDifference], [Results]
//	curves and points           [Lines]
//
// [Grid] lays charts and tables out side by side, in fewer columns where the page
// is narrow; [Table] and [Results] make tables.
//
// [Frames] lays charts behind one another, with a slider, for what changes with a
// parameter or from iteration to iteration; it needs no kernel. [Slider] does: it
// fits and draws anew while the reader moves it. [Context] ends with the notebook's
// Stop button.
//
// Classes keep one colour and one shape everywhere, in the order of their
// labels ([ClassColor]); the first eight colours are those of Okabe and Ito,
// which colour-blind readers can tell apart. Texts that come from data, such as
// class names, are never taken for HTML or JavaScript.
//
// The zero value of every option struct is the recommended setting. Mistakes of
// the programmer, such as a feature index out of range, panic with a message
// that begins "nbhelpers: ".
package nbhelpers
