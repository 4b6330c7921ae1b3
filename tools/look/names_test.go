package main

import (
	"encoding/json"
	"math"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/internal/testkit/must"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
	"github.com/mpcvm/mpcvm/mpcvm/ranktest"
	"github.com/mpcvm/mpcvm/mpcvm/score"
	"github.com/mpcvm/mpcvm/nbhelpers"
)

// hostile are names that would set window.ran if treated as anything but text.
var hostile = []string{
	`<script>window.ran="script"</script>`,
	`</script><script>window.ran="end of script"</script>`,
	`<img src=x onerror='window.ran="image"'>`,
	`"onload="window.ran='attribute'" onmouseover='window.ran="attribute"' x="`,
	`</textarea></title></style><svg onload="window.ran='svg'">`,
	`{{constructor.constructor("window.ran='template'")()}}${window.ran="literal"}`,
	"\u2028window.ran=\"line\"\u2029//\n-->]]>",
	`__f__function(){window.ran="function"}()__f__`,
	`';window.ran='quote';'` + "\\\";window.ran=1;\"\\",
	`{a|javascript:window.ran="rich text"}`,
	"\x00\x08<b onclick=window.ran=1>\ufeff",
	strings.Repeat("very long name ", 700),
}

// ranJS returns which script ran, and the number of elements created from names.
const ranJS = `JSON.stringify([window.ran ?? "", document.querySelectorAll("[onload],[onerror],[onmouseover],[onclick],textarea,img[src=x],svg[onload]").length])`

// tipsJS returns the tooltips of the first datum of each series of each chart.
const tipsJS = `[...document.querySelectorAll(".mpcvm-chart")].flatMap(d => {
	const model = d.mpcvm.getModel(), [tip] = d.mpcvm.getOption().tooltip || [];
	return tip && !d.querySelector(".mpcvm-hover") ? model.getSeries().filter(s => s.getData().count() && !s.get("silent")).map(s => tip.formatter({ ...s.getDataParams(0), marker: "" })) : [];
}).join("\n---\n")`

// TestHostileNames draws every chart, text and table with names that contain code, moves the pointer over
// all of them, and tests that no code runs and that the names are shown.
func TestHostileNames(t *testing.T) {
	n := len(hostile)
	set := &data.Set{Name: hostile[0], Classes: hostile, Features: []string{hostile[1], hostile[3]}}
	x := mat.NewDense(8*n, 2, nil)
	for i := range 8 * n {
		c := i % n
		angle := 2 * math.Pi * float64(c) / float64(n)
		x.SetRow(i, []float64{3*math.Cos(angle) + .1*float64(i/n), 3*math.Sin(angle) + .05*float64(i/n*i/n%5)})
		set.T = append(set.T, c)
	}
	set.X = x
	var trace []mpcvm.Step
	m, result, err := mpcvm.BottomUp{Kernel: kernel.RBF{Theta: 1}, MaxIterations: 10}.Fit(t.Context(),
		mpcvm.Samples{X: x, T: set.T})
	must.OK(t, err)
	m, trace = m.WithNames(set.Classes, set.Features), result.Trace
	p, labels := m.Proba(nil, x), m.Predict(nil, x)
	bins, _, err := score.Reliability(p, set.T, 5)
	must.OK(t, err)
	confusion := must.Get(score.Confusion(labels, set.T, n))(t)
	ranks, err := ranktest.Friedman(mat.NewDense(6, 3, []float64{1, 2, 9, 2, 1, 9, 1, 2, 9, 2, 1, 9, 1, 2, 9, 2,
		1, 9}))
	must.OK(t, err)
	pages := 1
	if os.Getenv("MPCVM_FAULTS") != "" {
		pages = n // use every name in every position
	}
	var boxes []nbhelpers.Box
	var values []float64
	for i, name := range hostile {
		boxes, values = append(boxes, nbhelpers.Box{Name: name, Values: []float64{1, float64(i), 9}}),
			append(values, float64(i+1))
	}
	for page := range pages {
		t.Run(strconv.Itoa(page), func(t *testing.T) {
			name := func(i int) string { return hostile[(page+i)%n] }
			curve := nbhelpers.Lines([]nbhelpers.Series{{Name: name(5), X: []float64{1, 2, 3}, Y: []float64{3, 1, 2},
				Low: []float64{2, 0, 1}, High: []float64{4, 2, 3}}}, nbhelpers.LinesOptions{Title: name(0),
				Subtitle: name(1), XName: name(2), YName: name(3), Marks: []nbhelpers.Mark{{X: 1.5, Name: name(4)}}})
			blocks := []nbhelpers.Block{
				nbhelpers.Table(hostile, [][]string{hostile}),
				nbhelpers.Convergence(nbhelpers.Trace{Name: name(6), Steps: trace}, nbhelpers.Trace{Name: name(7),
					Steps: trace}),
				nbhelpers.Boxes(boxes, nbhelpers.BoxesOptions{Title: name(8), Name: name(9)}),
				nbhelpers.CriticalDifference([]string{name(10), name(11), name(0)}, ranks,
					nbhelpers.CriticalDifferenceOptions{Control: name(10)}),
				nbhelpers.Reliability([]nbhelpers.Calibration{{Name: name(2), Bins: bins}, {Name: name(3), Bins: bins}},
					nbhelpers.ReliabilityOptions{Title: name(1)}),
				nbhelpers.Importance(hostile, values, nbhelpers.ImportanceOptions{}),
				nbhelpers.Frames([]nbhelpers.Frame{{Label: name(5), Chart: curve}, {Label: name(6), Chart: curve}},
					nbhelpers.FramesOptions{Name: name(4)}),
				nbhelpers.Sparsity(m, set.N()), nbhelpers.Weights(m), nbhelpers.Confusion(confusion, hostile),
				nbhelpers.Regions(m, set, nbhelpers.RegionsOptions{Title: name(7), Errors: true,
					Cells: 40}), nbhelpers.Explanation(m, x.RawRowView(0)), nbhelpers.ROC(p, set.T, hostile),
			}
			for _, h := range hostile {
				blocks = append(blocks, nbhelpers.Heading(h), nbhelpers.Text(h))
			}
			ctx := opened(t, blocks...)
			charts := evaluate[int](ctx, t, `document.querySelectorAll(".mpcvm-chart").length`)
			if charts < 12 {
				t.Fatalf("%d charts", charts)
			}
			for c := range charts {
				box := evaluate[[]float64](ctx, t,
					`(() => { const d = `+nth(
						c)+`; d.scrollIntoView({block: "center"}); const r = d.getBoundingClientRect(); return [r.x, r.y, r.width, r.height] })()`)
				for k := range 15 {
					left, top := box[0]+box[2]*(.06+.21*float64(k%5)), box[1]+box[3]*(.08+.38*float64(k/5))
					must.OK(t, chromedp.Do(ctx, chromedp.MouseEvent(input.DispatchMouseEventTypeMouseMoved, left,
						top)))
				}
			}
			tips := evaluate[string](ctx, t, tipsJS)
			must.Contain(t, tips, "iteration 1<br>", "median ", "average rank <b>", "came true <b>",
				"importance <b>", "positive weights: <b>", "weight for class ", "true class ", "adds ")
			if fault := regexp.MustCompile(`undefined|NaN|\{(\d|#|series|marker|away)`).FindString(tips); fault != "" {
				t.Errorf("a tooltip contains %q: %s", fault, tips)
			}
			time.Sleep(100 * time.Millisecond)
			must.Equal(t, evaluate[string](ctx, t, ranJS), `["",0]`)
			texts := evaluate[string](ctx, t, `document.body.innerText`)
			drawn := evaluate[string](ctx, t,
				`[...document.querySelectorAll("svg text")].map(t => t.textContent).join("\n")`)
			for i, h := range hostile {
				want := strings.NewReplacer("\x00", "", "\x08", "", "\ufeff", "").Replace(h)
				want = strings.TrimLeft(want, "\u2028 ")
				want = want[:min(9, len(want))]
				if strings.Count(texts, want) < 2 || !strings.Contains(drawn, want) {
					t.Errorf("name %d: %q is shown %d times as text, %d in charts", i, want, strings.Count(texts, want),
						strings.Count(drawn, want))
				}
			}
		})
	}
}

// quoted returns a JSON string.
func quoted(s any) string {
	text, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return string(text)
}
