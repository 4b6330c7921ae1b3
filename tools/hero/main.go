// Command hero draws the animation at the top of README: mPCVM₂ learning the set Overlap.
//
//	hero FILE.gif
package main

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/gif"
	"os"
	"slices"
	"strings"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
	"github.com/mpcvm/mpcvm/nbhelpers"
	"github.com/mpcvm/mpcvm/tools/browser"
	"github.com/mpcvm/mpcvm/tools/fewcolors"
)

func main() {
	err := fmt.Errorf("usage: hero FILE.gif")
	if len(os.Args) == 2 {
		err = draw(os.Args[1])
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "hero:", err)
		os.Exit(1)
	}
}

// Sizes in CSS pixels; the picture has scale times as many pixels.
const (
	width, height, scale = 868, 508, 1.25
	left                 = 440 // width of the left chart
)

// shown are the iterations with a frame, in addition to the last one.
var shown = []int{1, 2, 3, 5, 8, 12, 20, 50}

// Durations of the frames and of the last frame, in hundredths of a second, the unit of GIF.
const moment, rest = 90, 350

// draw writes the animation.
func draw(file string) error {
	set, err := data.Load("overlap")
	if err != nil {
		return err
	}
	models := map[int]*mpcvm.Model{}
	ctx := context.Background()
	learner := mpcvm.BottomUp{Kernel: kernel.RBF{Theta: 1}}
	last, result, err := learner.Fit(ctx, mpcvm.Samples{X: set.X, T: set.T}, func(s *mpcvm.Step) {
		if slices.Contains(shown, s.Iteration) {
			models[s.Iteration] = s.Model()
		}
	})
	if err != nil {
		return err
	}
	models[result.Iterations] = last
	ctx, stop := browser.Start(ctx)
	defer stop()
	moving := &gif.GIF{}
	for _, i := range append(slices.Clone(shown), result.Iterations) {
		model := models[i].WithNames(set.Classes, set.Features)
		title := fmt.Sprintf("Iteration %d of %d", i, result.Iterations)
		regions := nbhelpers.Regions(model, set, nbhelpers.RegionsOptions{Title: title, Cells: 240})
		img, err := shot(ctx, weights(set, result, i), regions)
		if err != nil {
			return err
		}
		moving.Image = append(moving.Image, fewcolors.Reduce(img, 128, 4))
		moving.Delay = append(moving.Delay, moment)
	}
	moving.Delay[len(moving.Delay)-1] = rest
	var b bytes.Buffer
	if err := gif.EncodeAll(&b, moving); err != nil {
		return err
	}
	return os.WriteFile(file, b.Bytes(), 0o644) //nolint:gosec // a file of the repository
}

// weights draws the number of non-zero weights of each class up to an iteration.
func weights(set *data.Set, result mpcvm.Result, last int) nbhelpers.Chart {
	colors, most := nbhelpers.ClassColors(set.Classes), 0
	series := make([]nbhelpers.Series, len(set.Classes))
	for _, s := range result.Trace {
		for c, n := range s.Weights {
			most = max(most, n)
			if s.Iteration <= last {
				series[c].X = append(series[c].X, float64(s.Iteration))
				series[c].Y = append(series[c].Y, float64(n))
			}
		}
	}
	now := result.Trace[last-1]
	for c, name := range set.Classes {
		series[c].Name, series[c].Color, series[c].Dots = name, colors[c], last == 1
	}
	return nbhelpers.Lines(series, nbhelpers.LinesOptions{
		Title:    fmt.Sprintf("%d of %d weights are not zero", now.NonZero(), set.N()*len(set.Classes)),
		Subtitle: "mPCVM₂ on the synthetic set Overlap",
		XName:    "iteration", YName: "non-zero weights of each class", LogX: true,
		XRange: [2]float64{1, float64(result.Iterations)}, YRange: [2]float64{0, float64(most + 1)},
	})
}

// shot draws two charts side by side in a browser.
func shot(ctx context.Context, one, two nbhelpers.Chart) (image.Image, error) {
	one.Width, one.Height = left, height
	two.Width, two.Height = width-left, height
	var b strings.Builder
	if err := nbhelpers.WritePage(&b, "", one, two); err != nil {
		return nil, err
	}
	style := fmt.Sprintf("<style>h1{display:none}.mpcvm-chart.mpcvm-chart{margin:0}main.main{display:flex;"+
		"max-width:none;width:%dpx;height:%dpx;padding:0}</style></head>", width, height)
	page := strings.NewReplacer("</head>", style,
		"<main>", `<main class="main" `+browser.Shot+">").Replace(b.String())
	shots, err := browser.Shots(ctx, page, scale)
	if err != nil {
		return nil, err
	}
	return shots[0], nil
}
