package main

import (
	"context"
	"fmt"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
	"github.com/mpcvm/mpcvm/nbhelpers"
)

// frontChart returns the chart of the front page, the decision regions of mPCVM₂ on Overlap, and its caption.
func frontChart() (chart nbhelpers.Chart, about string) {
	set := checked(data.Load("overlap"))
	learner := mpcvm.BottomUp{Kernel: kernel.RBF{Theta: 1}}
	model, _, err := learner.Fit(context.Background(), mpcvm.Samples{X: set.X, T: set.T})
	check(err)
	model = model.WithNames(set.Classes, set.Features)
	chart = nbhelpers.Regions(model, set, nbhelpers.RegionsOptions{Title: "Three overlapping classes"})
	chart.Width, chart.Height = 400, 460
	return chart, fmt.Sprintf("The colour fades where classes are almost equally likely. "+
		"The model needs only the %d circled samples of %d.", model.VectorCount(), set.N())
}

// front makes the front page.
func (s *site) front() {
	chart, about := frontChart()
	p := &page{path: "index.html", table: true, title: "mPCVM: classification with calibrated probabilities, in Go",
		about: "A Go library, a command, notebooks and a playground for classification with calibrated " +
			"probabilities."}
	p.body = filled("front.html", map[string]any{"Chart": p.charts(chart.HTML()), "About": about,
		"Drop": filled("table/drop.html", nil), "Lessons": s.lessons, "Cards": len(s.cards),
		"Reference": reference + module})
	s.pages = append(s.pages, p)
}
