package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/go-echarts/go-echarts/v2/charts"
	"github.com/go-echarts/go-echarts/v2/opts"
	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/internal/testkit/must"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
	"github.com/mpcvm/mpcvm/nbhelpers"
	"github.com/mpcvm/mpcvm/tools/browser"
)

// patience is the time limit for tests that hang. Tests wait for what a page shows, not for a fixed time.
const patience = 15 * time.Minute

// chromium starts a browser, or skips the test.
func chromium(t *testing.T) context.Context {
	t.Helper()
	ctx, stop := browser.Start(t.Context())
	t.Cleanup(stop)
	if err := chromedp.Do(ctx); err != nil {
		t.Skip("no Chromium: ", err)
	}
	return ctx
}

// opened opens a page with the given blocks in a tab, once its charts are drawn.
func opened(t *testing.T, blocks ...nbhelpers.Block) context.Context {
	t.Helper()
	ctx := quiet(t)
	file := filepath.Join(t.TempDir(), "page.html")
	must.OK(t, nbhelpers.WritePageFile(file, "Page", blocks...))
	must.OK(t, chromedp.Do(ctx, chromedp.Navigate("file://"+file)))
	for i, c := range must.Get(looker{wait: patience / 4}.charts(ctx))(t) {
		if c.Fault != "" {
			t.Fatalf("chart %d: %s", i+1, c.Fault)
		}
	}
	return ctx
}

// until waits for a JavaScript condition to become true.
func until(ctx context.Context, fault, condition string) error {
	return within(ctx, patience, fault, condition)
}

// evaluate returns the value of a JavaScript expression or promise.
func evaluate[T any](ctx context.Context, t *testing.T, expression string) T {
	t.Helper()
	v, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		t.Fatalf("%v in %s", err, expression)
	}
	return v
}

func fit(t *testing.T, k kernel.Kernel, set *data.Set, x *mat.Dense) *mpcvm.Model {
	t.Helper()
	m, _, err := mpcvm.BottomUp{Kernel: k, MaxIterations: 30}.Fit(t.Context(), mpcvm.Samples{X: x, T: set.T})
	must.OK(t, err)
	return m
}

// TestProbabilitiesInThePage compares the probabilities that the page computes with the probabilities of
// the model, in the view and far beyond, for potentials that are nearly equal and for potentials that
// differ by a hundred.
func TestProbabilitiesInThePage(t *testing.T) {
	overlap := must.Load(t, "overlap")
	iris := must.Load(t, "iris")
	scale := data.FitStandardizer(iris.X)
	z := scale.Apply(nil, iris.X)
	two, many := data.Blobs(80, 2, 2, .8, 1), data.Blobs(400, 26, 2, .3, 1)
	cases := []struct {
		name string
		m    *mpcvm.Model
		set  *data.Set
		opt  nbhelpers.RegionsOptions
	}{
		{"overlap", fit(t, kernel.RBF{Theta: 1}, overlap, overlap.X), overlap, nbhelpers.RegionsOptions{}},
		{"sure", fit(t, kernel.RBF{Theta: 1}, overlap, overlap.X).WithTemperature(.02), overlap,
			nbhelpers.RegionsOptions{}},
		{"unsure", fit(t, kernel.Laplacian{Theta: 1}, overlap, overlap.X).WithTemperature(19), overlap,
			nbhelpers.RegionsOptions{}},
		{"with a floor", fit(t, kernel.RBF{Theta: 1}, overlap, overlap.X).WithFloor([]float64{.05, .2, .1}),
			overlap, nbhelpers.RegionsOptions{}},
		{"linear", fit(t, kernel.Linear{Offset: 1}, overlap, overlap.X), overlap, nbhelpers.RegionsOptions{}},
		{"polynomial", fit(t, kernel.Polynomial{Degree: 3, Offset: 1}, overlap, overlap.X), overlap,
			nbhelpers.RegionsOptions{}},
		{"iris", fit(t, kernel.RBF{Theta: .1}, iris, z), iris, nbhelpers.RegionsOptions{Scale: &scale,
			Features: [2]int{2, 3}}},
		{"axes", fit(t, kernel.ARD{Theta: []float64{.1, .2, .3, .4}}, iris, z), iris,
			nbhelpers.RegionsOptions{Scale: &scale, Principal: true}},
		{"axes by Laplace", fit(t, kernel.Laplacian{Theta: .1}, iris, z), iris,
			nbhelpers.RegionsOptions{Scale: &scale, Principal: true}},
		{"two classes", fit(t, kernel.RBF{Theta: .5}, two, two.X), two, nbhelpers.RegionsOptions{}},
		{"many classes", fit(t, kernel.RBF{Theta: .5}, many, many.X), many, nbhelpers.RegionsOptions{}},
	}
	var blocks []nbhelpers.Block
	probes := make([]*asked, len(cases))
	for i, c := range cases {
		probes[i] = &asked{Model: c.m}
		c.opt.Cells = 20
		nbhelpers.Regions(probes[i], c.set, c.opt) // records the grid of the view
		blocks = append(blocks, nbhelpers.Regions(c.m, c.set, c.opt))
	}
	ctx := opened(t, blocks...)
	for i, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			chart := nth(i)
			axes := evaluate[[]float64](ctx, t,
				fmt.Sprintf(
					`(o => [o.xAxis[0].min, o.xAxis[0].max, o.yAxis[0].min, o.yAxis[0].max])(%s.mpcvm.getOption())`, chart))
			at := probes[i]
			var corners [][2]float64 // the corners of the cells, as nbhelpers asks for them: row by row from below
			for row := range at.down + 1 {
				for column := range at.across + 1 {
					corners = append(corners, [2]float64{
						axes[0] + (axes[1]-axes[0])*float64(column)/float64(at.across),
						axes[2] + (axes[3]-axes[2])*float64(row)/float64(at.down)})
				}
			}
			want := c.m.Proba(nil, at.x)
			list := must.Get(json.Marshal(corners))(t)
			got := evaluate[[][]float64](ctx, t, fmt.Sprintf(`%s.map(p => %s.mpcvmProba(...p))`, list, chart))
			worst, extremes := 0.0, 0
			for n, row := range got {
				for k, p := range row {
					q := want.At(n, k)
					worst = math.Max(worst, math.Abs(p-q))
					if q > 1-1e-9 || q < 1e-9 {
						extremes++
					}
				}
			}
			t.Logf("%d points, %d probabilities near 0 or 1, largest difference %.1e", len(got), extremes, worst)
			if !(worst < 1e-6) || len(got) != len(corners) || len(got) < 200 {
				t.Errorf("%d points, largest difference %v", len(got), worst)
			}
			if c.name == "sure" && extremes < 100 {
				t.Errorf("only %d extremes", extremes)
			}
			// Far away, beyond the view of the chart.
			if c.set.D() == 2 {
				far := [][2]float64{{1e3, -1e3}, {1e6, 1e6}, {-30, 25}}
				x := mat.NewDense(len(far), 2, nil)
				for n, p := range far {
					x.SetRow(n, p[:])
				}
				want := c.m.Proba(nil, x)
				for n, p := range far {
					for k, got := range evaluate[[]float64](ctx, t, fmt.Sprintf(`%s.mpcvmProba(%v, %v)`, chart, p[0],
						p[1])) {
						if math.Abs(got-want.At(n, k)) > 1e-6 {
							t.Errorf("class %d at %v: %v, want %v", k, p, got, want.At(n, k))
						}
					}
				}
			}
		})
	}
}

// asked is a model that records the samples of the first grid.
type asked struct {
	*mpcvm.Model
	x            mat.Matrix
	across, down int
}

func (a *asked) Proba(dst *mat.Dense, x mat.Matrix) *mat.Dense {
	if a.x == nil { // the grid comes first
		a.x, a.across = x, 20
		n, _ := x.Dims()
		a.down = n/(a.across+1) - 1
	}
	return a.Model.Proba(dst, x)
}

// TestReadout moves a real pointer over charts of models and of another classifier.
func TestReadout(t *testing.T) {
	set := must.Load(t, "overlap")
	set.Classes = []string{"<b>black", "blue & co", `"red"`}
	m := fit(t, kernel.RBF{Theta: 1}, set, set.X)
	hidden := struct{ nbhelpers.Classifier }{m}
	ctx := opened(t, nbhelpers.Regions(m, set, nbhelpers.RegionsOptions{}), nbhelpers.Regions(hidden, set,
		nbhelpers.RegionsOptions{}))
	// three decimals are computed from coordinates with four digits; a coarse grid
	for i, tolerance := range []float64{.0011, .03} {
		evaluate[bool](ctx, t, `(`+nth(i)+`.scrollIntoView({block: "center"}), true)`)
		said := must.Get(readout(ctx, i))(t)
		lines := strings.Split(said, "\n")
		var at, p []float64
		for _, line := range lines {
			fields := strings.Fields(strings.NewReplacer("≈", "", ">", "", "<", "").Replace(line))
			if len(fields) == 0 {
				continue
			}
			v, err := strconv.ParseFloat(fields[len(fields)-1], 64)
			switch {
			case err != nil:
			case strings.HasPrefix(line, "x:"), strings.HasPrefix(line, "y:"):
				at = append(at, v)
			default:
				p = append(p, v)
			}
		}
		if len(at) != 2 || len(p) != 3 || !slices.Contains(lines, "<b>black") {
			t.Fatalf("the readout is %q", said)
		}
		for k, want := range m.Proba(nil, mat.NewDense(1, 2, at)).RawRowView(0) {
			if math.Abs(p[k]-want) > tolerance {
				t.Errorf("chart %d: class %d has %v at %v, want %v", i, k, p[k], at, want)
			}
		}
	}
}

// TestAddedSeries points at series that a user added to charts whose tooltips are functions.
func TestAddedSeries(t *testing.T) {
	set := must.Load(t, "overlap")
	curve := nbhelpers.Lines([]nbhelpers.Series{{Name: "ours", X: []float64{1, 2}, Y: []float64{3, 4}}},
		nbhelpers.LinesOptions{XName: "epoch"})
	curve.Echarts().AddSeries("<b>theirs", []opts.LineData{{Value: []any{1, 7.5}}, {Value: []any{9, 8}}})
	m := fit(t, kernel.RBF{Theta: 1}, set, set.X)
	regions := nbhelpers.Regions(m, set, nbhelpers.RegionsOptions{Cells: 30})
	dots := charts.NewScatter()
	dots.AddSeries("new", []opts.ScatterData{{Value: []any{20, 1.5}}})
	regions.Echarts().Overlap(dots)
	ctx := opened(t, curve, regions)
	for i, want := range []string{"epoch 1\nours: 3\n<b>theirs: 7.5", "new: 20, 1.5"} {
		got := evaluate[string](ctx, t, fmt.Sprintf(`new Promise(done => {
			const d = %s, c = d.mpcvm;
			c.dispatchAction({ type: "showTip", seriesIndex: c.getOption().series.length - 1, dataIndex: 0 });
			setTimeout(() => done([...d.children].slice(1).map(e => e.innerText).join("")), 500);
		})`, nth(i)))
		must.Equal(t, got, want)
	}
}

// TestFrames uses the slider and the button of frames, whose charts must be identical to the separate
// charts on the page.
func TestFrames(t *testing.T) {
	set := must.Load(t, "overlap")
	var frames []nbhelpers.Frame
	var blocks []nbhelpers.Block
	for _, theta := range []float64{.1, 1, 10, 30} {
		chart := nbhelpers.Regions(fit(t, kernel.RBF{Theta: theta}, set, set.X), set,
			nbhelpers.RegionsOptions{Cells: 30})
		frames = append(frames, nbhelpers.Frame{Label: fmt.Sprint(theta), Chart: chart})
		blocks = append(blocks, chart)
	}
	slider := nbhelpers.Frames(frames, nbhelpers.FramesOptions{Name: "θ", Start: 1})
	ctx := opened(t, append([]nbhelpers.Block{slider}, blocks...)...)
	label := func() string {
		return evaluate[string](ctx, t,
			`document.querySelector(".mpcvm-bar output").value`)
	}
	same := func(frame int) {
		t.Helper()
		must.Equal(t, label(), frames[frame].Label)
		// Both instances must draw the same, although one drew other frames before. Names of clip paths are
		// numbered
		const drawing = `.querySelector("svg").outerHTML.replace(/zr\d+[-\w]*/g, "")`
		if !evaluate[bool](ctx, t, fmt.Sprintf(`%s%s === %s%s`, nth(0), drawing, nth(frame+1), drawing)) {
			t.Errorf("frame %d differs from its chart", frame)
		}
		if p := evaluate[[][]float64](ctx, t,
			fmt.Sprintf(`new Promise(r => setTimeout(r, 50)).then(() => [%s.mpcvmProba(1, 2), %s.mpcvmProba(1, 2)])`,
				nth(0), nth(frame+1))); !slices.Equal(p[0], p[1]) {
			t.Errorf("frame %d has probabilities %v, its chart %v", frame, p[0], p[1])
		}
	}
	press := func(key string) {
		t.Helper()
		must.OK(t, chromedp.Do(ctx, chromedp.KeyEvent(key)))
	}
	same(1)
	evaluate[bool](ctx, t, `(document.querySelector(".mpcvm-bar input").focus(), true)`)
	press(kb.ArrowRight)
	same(2)
	press(kb.Home)
	same(0)
	press(kb.End)
	same(3)
	// Tab leads back to the button, which plays from the start because the slider is at the end.
	evaluate[bool](ctx, t, `(document.querySelector(".mpcvm-bar button").focus(), true)`)
	press(" ")
	must.OK(t, until(ctx, "playing does not restart",
		`document.querySelector(".mpcvm-bar output").value === "0.1"`))
	must.Equal(t, evaluate[string](ctx, t,
		`document.querySelector(".mpcvm-bar button").getAttribute("aria-label")`), "Pause")
	must.OK(t, until(ctx, "it does not play to the end",
		`document.querySelector(".mpcvm-bar output").value === "30" && document.querySelector(".mpcvm-bar button").getAttribute("aria-label") === "Play"`))
	same(3)
}

// TestFramesBy points at the position of a frame in the chart next to the frames.
func TestFramesBy(t *testing.T) {
	var frames []nbhelpers.Frame
	points := nbhelpers.Series{Name: "points", NoLine: true}
	for i := range 4 {
		x, y := float64(i), float64(i*i)
		points.X, points.Y = append(points.X, x), append(points.Y, y)
		curve := nbhelpers.Curve("curve", []float64{0, 1, 2}, func(t float64) float64 { return x * t })
		frames = append(frames, nbhelpers.Frame{Label: fmt.Sprint(i), At: [2]float64{x, y},
			Chart: nbhelpers.Lines([]nbhelpers.Series{curve}, nbhelpers.LinesOptions{YRange: [2]float64{0, 6}})})
	}
	by := nbhelpers.Lines([]nbhelpers.Series{points}, nbhelpers.LinesOptions{})
	ctx := opened(t, nbhelpers.Frames(frames, nbhelpers.FramesOptions{Name: "point", Start: 1, By: &by}))
	for _, frame := range []int{3, 0, 2} {
		at := evaluate[[]float64](ctx, t, fmt.Sprintf(`(() => {
			const d = %s, r = d.getBoundingClientRect(), [x, y] = d.mpcvm.convertToPixel({ gridIndex: 0 }, [%d, %d]);
			return [r.left + x + 3, r.top + y - 3];
		})()`, nth(0), frame, frame*frame))
		must.OK(t, chromedp.Do(ctx, chromedp.MouseEvent(input.DispatchMouseEventTypeMouseMoved, at[0],
			at[1])))
		shown := fmt.Sprintf(`document.querySelector(".mpcvm-bar output").value === "%d"`, frame)
		must.OK(t, until(ctx, "pointing at it does not show the frame", shown))
		away := evaluate[float64](ctx, t, nth(0)+`.lastElementChild.getBoundingClientRect().left`)
		if math.Abs(away+11-at[0]+3) > 1.5 {
			t.Errorf("frame %d: the ring is at %g, the point at %g", frame, away+11, at[0]-3)
		}
	}
}

// TestAsJupyterLab inserts outputs into a page like JupyterLab: by innerHTML, with scripts recreated and
// run afterwards, and a chart before the library.
func TestAsJupyterLab(t *testing.T) {
	set := must.Load(t, "overlap")
	chart := nbhelpers.Regions(fit(t, kernel.RBF{Theta: 1}, set, set.X), set, nbhelpers.RegionsOptions{})
	frames := nbhelpers.Frames([]nbhelpers.Frame{{Label: "a", Chart: chart},
		{Label: "b", Chart: nbhelpers.Sparsity(fit(t, kernel.RBF{Theta: 1}, set, set.X),
			set.N())}}, nbhelpers.FramesOptions{})
	var page strings.Builder
	must.OK(t, nbhelpers.WritePage(&page, "x", chart))
	library := page.String()[strings.Index(page.String(), "<!-- Apache ECharts"):strings.Index(page.String(),
		"</body>")]
	ctx := opened(t, nbhelpers.Text("no chart, and so no library"))
	// Unlike our pages, Jupyter has no policy that restricts scripts of outputs.
	must.OK(t, chromedp.Do(ctx, chromedp.Navigate("data:text/html,<main></main>")))
	outputs := must.Get(json.Marshal([]string{chart.HTML(), library, frames.HTML(), library}))(t)
	evaluate[bool](ctx, t, fmt.Sprintf(`(() => {
		window.define = () => { throw "caught by requirejs" };
		window.define.amd = {};
		for (const html of %s) {
			const output = document.createElement("div");
			output.innerHTML = html;
			for (const script of output.querySelectorAll("script")) {
				const again = document.createElement("script");
				again.textContent = script.textContent;
				script.replaceWith(again);
			}
			document.querySelector("main").append(output);
		}
		return true })()`, outputs))
	for i := range 2 {
		must.OK(t, until(ctx, "no chart", nth(i)+`?.querySelector("svg text") != null`))
		if faults := (looker{wait: patience}).touch(ctx, i); faults != nil {
			t.Error(faults)
		}
	}
}
