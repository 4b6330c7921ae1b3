package main

import (
	"context"
	"fmt"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
	"github.com/mpcvm/mpcvm/nbhelpers"
)

// tile is an entry of the front page.
type tile struct{ Path, Title, About string }

// frontChart returns the chart of the front page, the decision regions of mPCVM₂ on Overlap, and its caption.
func frontChart() (chart nbhelpers.Chart, about string, err error) {
	set, err := data.Load("overlap")
	if err != nil {
		return chart, "", err
	}
	learner := mpcvm.BottomUp{Kernel: kernel.RBF{Theta: 1}}
	model, _, err := learner.Fit(context.Background(), mpcvm.Samples{X: set.X, T: set.T})
	if err != nil {
		return chart, "", err
	}
	model = model.WithNames(set.Classes, set.Features)
	chart = nbhelpers.Regions(model, set, nbhelpers.RegionsOptions{Title: "Three overlapping classes"})
	chart.Width, chart.Height = 400, 460
	return chart, fmt.Sprintf("The colour fades where classes are almost equally likely. "+
		"The model needs only the %d circled samples of %d.", model.VectorCount(), set.N()), nil
}

// front makes the front page.
func (s *site) front() error {
	chart, about, err := frontChart()
	if err != nil {
		return err
	}
	drop, err := filled("table/drop.html", nil)
	if err != nil {
		return err
	}
	p := &page{path: "index.html", table: true, title: "mPCVM: classification with calibrated probabilities, in Go",
		about: "A Go library, a command, notebooks and a playground for classification with calibrated " +
			"probabilities."}
	html, err := p.charts(chart.HTML())
	if err != nil {
		return err
	}
	tiles := []tile{
		{Path: "table/index.html", Title: "Your table", About: "Drop a CSV, Excel or Parquet file and get a model with " +
			"its report. No data leaves the page."},
		{Path: "playground/index.html", Title: "Playground", About: "Draw points and watch a classifier learn " +
			"them, iteration by iteration. No data leaves the page."},
		{Path: "report.html", Title: "Sample report", About: "The report of the command on a table of 344 " +
			"penguins. Change a bird and watch the probabilities change."},
		{Path: "notebooks/index.html", Title: "Notebooks", About: fmt.Sprintf("%d lessons whose Go code runs in "+
			"your browser, and a notebook of your own.", s.lessons)},
		{Path: "cards/index.html", Title: "Cards", About: fmt.Sprintf("%d programs of about thirty lines with "+
			"their pictures. You can open each as a notebook.", len(s.cards))},
		{Path: "docs/index.html", Title: "Documents", About: "Guides, file formats, benchmarks, and the " +
			"reproduction of the paper."},
	}
	p.body, err = filled("front.html", map[string]any{"Chart": html, "About": about, "Parts": tiles, "Drop": drop,
		"Lessons": s.lessons, "Reference": reference + module})
	s.pages = append(s.pages, p)
	return err
}
