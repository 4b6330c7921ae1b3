package main

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
	"github.com/mpcvm/mpcvm/nbhelpers"
)

// tile is an entry of the front page.
type tile struct{ Image, Alt, Path, Title, About string }

// picture draws the front page's picture: the decision regions of mPCVM₂ on Overlap.
func (s *site) picture() (tile, error) {
	set, err := data.Load("overlap")
	if err != nil {
		return tile{}, err
	}
	model, _, err := mpcvm.BottomUp{Kernel: kernel.RBF{Theta: 1}}.Fit(context.Background(), mpcvm.Samples{X: set.X, T: set.T})
	if err != nil {
		return tile{}, err
	}
	model = model.WithNames(set.Classes, set.Features)
	chart := nbhelpers.Regions(model, set, nbhelpers.RegionsOptions{Title: "Three overlapping classes"})
	chart.Width, chart.Height = 400, 460
	about := fmt.Sprintf("The colour fades where classes are almost equally likely. The model needs only the %d circled samples of %d.", model.VectorCount(), set.N())
	t := tile{Image: "pictures/regions.svg", Alt: chart.Alt, About: about}
	return t, writeFile(filepath.Join(s.out, t.Image), []byte(chart.SVG()))
}

// front makes the front page.
func (s *site) front() error {
	picture, err := s.picture()
	if err != nil {
		return err
	}
	tiles := []tile{
		{Path: "playground/index.html", Title: "Playground", About: "Draw points and watch a classifier learn them, iteration by iteration. No data leaves the page."},
		{Path: "report.html", Title: "Sample report", About: "What the command writes about a table of 344 penguins. Change a bird and watch the probabilities follow."},
		{Path: "notebooks/index.html", Title: "Notebooks", About: fmt.Sprintf("%d lessons whose Go code runs in your browser, and a notebook of your own.", s.lessons)},
		{Path: "cards/index.html", Title: "Cards", About: fmt.Sprintf("%d programs of about thirty lines with their pictures. Each opens as a notebook.", len(s.cards))},
		{Path: "docs/index.html", Title: "Documents", About: "Guides, file formats, benchmarks, and the reproduction of the paper."},
		{Path: "search.html", Title: "Search", About: "Finds documents, notebooks, cards and their sections."},
	}
	body, err := filled("front.html", map[string]any{"Picture": picture, "Parts": tiles, "Lessons": s.lessons, "Reference": reference + module})
	if err != nil {
		return err
	}
	s.pages = append(s.pages, &page{path: "index.html", title: "mPCVM: classification with calibrated probabilities, in Go",
		about: "A Go library, a command, notebooks and a playground for classification with calibrated probabilities.", body: body})
	return nil
}
