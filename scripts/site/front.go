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

// pictures draws the front page's pictures of mPCVM₂ on Overlap.
func (s *site) pictures() ([]tile, error) {
	set, err := data.Load("overlap")
	if err != nil {
		return nil, err
	}
	model, _, err := mpcvm.BottomUp{Kernel: kernel.RBF{Theta: 1}}.Fit(context.Background(), mpcvm.Samples{X: set.X, T: set.T})
	if err != nil {
		return nil, err
	}
	model = model.WithNames(set.Classes, set.Features)
	var tiles []tile
	for _, p := range []struct {
		card, title, about string
		chart              nbhelpers.Chart
	}{
		{"sparsity", "Sparse", fmt.Sprintf("%d of %d samples are enough: mPCVM₂ adds weights one by one and removes those that others make needless.", model.VectorCount(), set.N()), nbhelpers.Sparsity(model, set.N())},
		{"regions", "Probabilities everywhere", "Colour fades where classes are almost equally likely.", nbhelpers.Regions(model, set, nbhelpers.RegionsOptions{Title: "Decision regions"})},
		{"explain", "Every decision can be read", "Each bar is what a training sample says for a class or against it.", nbhelpers.Explanation(model, []float64{0.7, 0.3})},
	} {
		p.chart.Width, p.chart.Height = 400, 400
		image := "pictures/" + p.card + ".svg"
		if err := writeFile(filepath.Join(s.out, image), []byte(p.chart.SVG())); err != nil {
			return nil, err
		}
		tiles = append(tiles, tile{image, p.chart.Alt, "cards/" + p.card + ".html", p.title, p.about})
	}
	return tiles, nil
}

// front makes the front page.
func (s *site) front() error {
	pictures, err := s.pictures()
	if err != nil {
		return err
	}
	tiles := []tile{
		{Path: "playground/index.html", Title: "Playground", About: "Draw points and watch both algorithms learn them in your browser. No data leaves the page."},
		{Path: "notebooks/index.html", Title: "Notebooks", About: "Eleven lessons with exercises that run in your browser, from the model as a generator of data to methods beyond the paper."},
		{Path: "cards/index.html", Title: "Cards", About: fmt.Sprintf("%d programs of about thirty lines, each with its pictures.", len(s.cards))},
		{Path: "docs/index.html", Title: "Tables", About: "The reproduction of the paper, benchmarks beside other systems, times and sizes, formats."},
		{Path: "api/index.html", Title: "API", About: "The documentation of all packages, with examples."},
		{Path: "search.html", Title: "Search", About: "Finds pages, sections by the words in them, and names of the API."},
	}
	body, err := filled("front.html", map[string]any{"Pictures": pictures, "Parts": tiles})
	if err != nil {
		return err
	}
	s.pages = append(s.pages, &page{path: "index.html", title: "mPCVM: sparse Bayesian multi-class classification in Go",
		about: "A Go library, notebooks and a playground for the multi-class probabilistic classification vector machine.", body: body})
	return nil
}
