package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
	"github.com/mpcvm/mpcvm/mpcvm/ranktest"
	"github.com/mpcvm/mpcvm/mpcvm/score"
	"github.com/mpcvm/mpcvm/mpcvm/study"
	"github.com/mpcvm/mpcvm/nbhelpers"
)

// hostile are names of which each, taken for more than text, would set window.ran.
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

// ranJS says what ran, and which elements came of names.
const ranJS = `JSON.stringify([window.ran ?? "", document.querySelectorAll("[onload],[onerror],[onmouseover],[onclick],textarea,img[src=x],svg[onload]").length])`

// TestHostileNames draws every chart, text and table with names that are code, moves the
// pointer over all of it, and sees that nothing runs and that the names are shown.
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
	m, result, err := mpcvm.BottomUp{Kernel: kernel.RBF{Theta: 1}, Epochs: 10}.Fit(t.Context(), x, set.T)
	if err != nil {
		t.Fatal(err)
	}
	m, trace = m.WithNames(set.Classes, set.Features), result.Trace
	p, labels := m.Proba(nil, x), m.Predict(nil, x)
	bins, _, err := score.Reliability(p, set.T, 5)
	if err != nil {
		t.Fatal(err)
	}
	confusion, err := score.Confusion(labels, set.T, n)
	if err != nil {
		t.Fatal(err)
	}
	ranks, err := ranktest.Friedman(mat.NewDense(6, 3, []float64{1, 2, 9, 2, 1, 9, 1, 2, 9, 2, 1, 9, 1, 2, 9, 2, 1, 9}))
	if err != nil {
		t.Fatal(err)
	}
	for i, name := range hostile {
		t.Run(strconv.Itoa(i), func(t *testing.T) {
			curve := nbhelpers.Lines(nbhelpers.LinesOptions{Title: name, Subtitle: name, XName: name, YName: name, Marks: []nbhelpers.Mark{{X: 1.5, Name: name}}},
				nbhelpers.Series{Name: name, X: []float64{1, 2, 3}, Y: []float64{3, 1, 2}, Low: []float64{2, 0, 1}, High: []float64{4, 2, 3}})
			blocks := []nbhelpers.Block{
				nbhelpers.Heading(name), nbhelpers.Text(name), nbhelpers.Table([]string{name, "b"}, [][]string{{"1", name}}), curve,
				nbhelpers.Convergence(nbhelpers.Trace{Name: name, Steps: trace}),
				nbhelpers.Boxes(nbhelpers.BoxesOptions{Title: name, Name: name}, nbhelpers.Box{Name: name, Values: []float64{1, 2, 9}}),
				nbhelpers.CriticalDifference(nbhelpers.CriticalDifferenceOptions{Control: name}, []string{name, "b", "c"}, ranks),
				nbhelpers.Reliability(nbhelpers.ReliabilityOptions{Title: name}, nbhelpers.Calibration{Name: name, Bins: bins}),
				nbhelpers.Importance([]string{name, "b"}, []float64{1, .5}),
				nbhelpers.Frames(nbhelpers.FramesOptions{Name: name}, nbhelpers.Frame{Label: name, Chart: curve}, nbhelpers.Frame{Label: "b", Chart: curve}),
			}
			if i == 0 { // those of the model, which show all names
				blocks = append(blocks, nbhelpers.Sparsity(m, set.N()), nbhelpers.Weights(m), nbhelpers.Confusion(confusion, hostile),
					nbhelpers.Regions(m, set, nbhelpers.RegionsOptions{Title: name, Errors: true}), nbhelpers.Explanation(m, x.RawRowView(0)), nbhelpers.ROC(p, set.T, hostile))
			}
			ctx := opened(t, blocks...)
			charts := evaluate[int](ctx, t, `document.querySelectorAll(".mpcvm-chart").length`)
			if charts < 7 {
				t.Fatalf("%d charts", charts)
			}
			for c := range charts {
				box := evaluate[[]float64](ctx, t, `(() => { const d = `+nth(c)+`; d.scrollIntoView({block: "center"}); const r = d.getBoundingClientRect(); return [r.x, r.y, r.width, r.height] })()`)
				for k := range 24 {
					left, top := box[0]+box[2]*(.06+.17*float64(k%6)), box[1]+box[3]*(.08+.27*float64(k/6))
					if err := chromedp.Do(ctx, chromedp.MouseEvent(input.DispatchMouseEventTypeMouseMoved, left, top)); err != nil {
						t.Fatal(err)
					}
				}
			}
			time.Sleep(100 * time.Millisecond)
			if got := evaluate[string](ctx, t, ranJS); got != `["",0]` {
				t.Errorf("%.60q: of names came %s", name, got)
			}
			visible := evaluate[string](ctx, t, `document.body.innerText + [...document.querySelectorAll("svg text")].map(t => t.textContent).join("\n")`)
			want := strings.TrimSpace(strings.NewReplacer("\x00", "", "\x08", "", "\ufeff", "").Replace(name))
			want, _, _ = strings.Cut(want, "\n")
			if want = strings.Trim(want, "\u2028\u2029 "); len(want) > 20 {
				want = want[:20]
			}
			if strings.Count(visible, want) < 3 {
				t.Errorf("%q is shown %d times", want, strings.Count(visible, want))
			}
		})
	}
}

// TestHostileResults is the same for the tables of a study, which come of a file.
func TestHostileResults(t *testing.T) {
	dir := t.TempDir()
	var lines bytes.Buffer
	for i, name := range hostile {
		fmt.Fprintf(&lines, `{"system":%s,"dataset":%s,"partition":%d,"n_train":2,"n_test":1,"err":0.25,"auc":0.5,"logloss":1,"params":{"seed":4},"rule":%s,"note":%s}`+"\n",
			quoted(name), quoted(hostile[(i+1)%len(hostile)]), i, quoted(name), quoted(name))
	}
	failure := fmt.Sprintf(`{"system":%s,"dataset":%s,"partition":40,"params":{"seed":4},"error":%s}`+"\n", quoted(hostile[2]), quoted(hostile[0]), quoted(hostile[1]))
	for name, text := range map[string]string{"results.jsonl": lines.String(), "failures.ndjson": failure} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	report, err := study.ReadReport(dir)
	if err != nil {
		t.Fatal(err)
	}
	var page bytes.Buffer
	if err := report.Write(&page, "html"); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "tables.html")
	if err := os.WriteFile(file, append([]byte("<!DOCTYPE html><meta charset=utf-8><body>"), page.Bytes()...), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, stop := browser(t.Context())
	defer stop()
	if err := chromedp.Do(ctx); err != nil {
		t.Skip("no Chromium: ", err)
	}
	var heard complaints
	if err := (looker{out: dir, wait: 20 * time.Second}).open(ctx, file, &heard); err != nil {
		t.Fatal(err)
	}
	if got := evaluate[string](ctx, t, ranJS); got != `["",0]` {
		t.Errorf("of names came %s", got)
	}
	if visible := evaluate[string](ctx, t, `document.body.innerText`); !strings.Contains(visible, hostile[0]) || !strings.Contains(visible, hostile[2]) {
		t.Errorf("the names are not shown: %.500s", visible)
	}
	for _, c := range heard.list() {
		t.Error(c)
	}
}

// quoted is a text in JSON.
func quoted(s string) string {
	text, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return string(text)
}
