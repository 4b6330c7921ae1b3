package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
	"github.com/mpcvm/mpcvm/nbhelpers"
)

// The notebook of TestLiveNotebook, a cell an entry. ROOT is this checkout, DIR the folder of the notebook.
var liveCells = []string{
	`!*rm -f go.work && go work init . "ROOT"
%noautoget
%goflags -ldflags=-s`,
	`import (
	"context"
	"errors"
	"fmt"

	"gonum.org/v1/gonum/floats"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
	nb "github.com/mpcvm/mpcvm/nbhelpers"
)

func overlap() *data.Set {
	set, err := data.Load("overlap")
	if err != nil {
		panic(err)
	}
	return set
}

%%
nb.Init()`,
	`%%
set := overlap()
err := nb.Slider{Name: "θ", Values: floats.LogSpan(make([]float64, 21), 0.1, 10), Start: 10}.Run(
	func(ctx context.Context, theta float64) (nb.Chart, error) {
		model, _, err := mpcvm.BottomUp{Kernel: kernel.RBF{Theta: theta}}.Fit(ctx, set.X, set.T)
		if err != nil {
			return nb.Chart{}, err
		}
		return nb.Regions(model, set, nb.RegionsOptions{}), nil
	})
fmt.Println("slider ended:", err)`,
	`%%
set := data.Blobs(1500, 5, 4, 2, 1)
ctx, stop := nb.Context()
defer stop()
progress := nb.NewProgress("long fit")
learner := mpcvm.TopDown{Kernel: kernel.RBF{Theta: 0.5}, Tol: -1, MaxIterations: 1000000}
model, result, err := learner.Fit(ctx, set.X, set.T, progress.Observe)
progress.Done(result)
if model == nil {
	panic(err)
}
vectors := model.VectorCount()
fmt.Println("stopped:", errors.Is(err, context.Canceled), result.Status, "with a model:", vectors > 0)
if err := model.SaveFile("DIR/model.json"); err != nil {
	panic(err)
}`,
	`%%
model, err := mpcvm.LoadFile("DIR/model.json")
fmt.Println("next cell has the model:", err == nil && model.Classes() == 5)`,
}

// TestLiveNotebook drives a real Jupyter server: a notebook is opened and run, the
// slider moved, a long fit stopped, the next cell run. It takes about a minute, and
// runs where MPCVM_LIVE is set. It knows the classic notebook, version 6.
func TestLiveNotebook(t *testing.T) {
	if os.Getenv("MPCVM_LIVE") == "" {
		t.Skip("MPCVM_LIVE is not set")
	}
	if version, err := exec.Command("jupyter", "notebook", "--version").Output(); err != nil || !strings.HasPrefix(string(version), "6.") {
		t.Skipf("Jupyter's classic notebook, version 6, is not here: %s, %v", version, err)
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	var cells []cell
	for i, source := range liveCells {
		cells = append(cells, codeCell(i, strings.NewReplacer("ROOT", root, "DIR", dir).Replace(source)))
	}
	for name, file := range map[string][]byte{"live.ipynb": notebook(t, cells), "untrusted.ipynb": executed(t)} {
		if err := os.WriteFile(filepath.Join(dir, name), file, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	address, token := serve(t, dir)

	ctx, stop := browser(t.Context())
	t.Cleanup(stop)
	if err := chromedp.Do(ctx); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(ctx, 8*time.Minute)
	t.Cleanup(cancel)
	var heard complaints
	if err := chromedp.Listen(ctx, heard.event); err != nil {
		t.Fatal(err)
	}
	p := &tab{t, ctx, &heard}
	if err := chromedp.Do(ctx, chromedp.Navigate(address+"/notebooks/live.ipynb?token="+url.QueryEscape(token))); err != nil {
		t.Fatal(err)
	}
	p.wait("the kernel", 60*time.Second, `window.Jupyter && Jupyter.notebook && Jupyter.notebook.kernel && Jupyter.notebook.kernel.is_connected() && !Jupyter.notebook.kernel_busy`)

	p.run(0)
	p.done(0, 30*time.Second)
	p.run(1)
	p.done(1, 120*time.Second) // compiles
	p.run(2)
	const slider, label, status = `document.querySelector(".mpcvm-bar input")`, `document.querySelector(".mpcvm-bar output").value`, `document.querySelector(".mpcvm-bar [role=status]").textContent`
	p.wait("the slider", 60*time.Second, slider+` && `+nth(0)+`.querySelector("svg") && `+status+` === ""`) // the kernel has heard
	if got := evaluate[string](ctx, t, label); got != "1" {
		t.Errorf("the slider starts at %q", got)
	}
	evaluate[bool](ctx, t, `(`+slider+`.scrollIntoView({block: "center"}), `+slider+`.focus(), true)`)
	var took []float64
	for _, key := range []string{kb.ArrowRight, kb.ArrowRight, kb.ArrowLeft, kb.Home, kb.End} {
		evaluate[bool](ctx, t, fmt.Sprintf(`(() => { // how long until the chart is another
			const d = %s, before = d.querySelector("svg").outerHTML;
			let start = 0;
			window.mpcvmTook = 0;
			%s.addEventListener("input", () => start = performance.now(), {once: true});
			const look = () => start && d.querySelector("svg").outerHTML !== before ? window.mpcvmTook = performance.now() - start : requestAnimationFrame(look);
			look();
			return true })()`, nth(0), slider))
		if err := chromedp.Do(ctx, chromedp.KeyEvent(key)); err != nil {
			t.Fatal(err)
		}
		p.wait("another chart", 20*time.Second, `window.mpcvmTook > 0`)
		took = append(took, evaluate[float64](ctx, t, `window.mpcvmTook`))
	}
	t.Logf("from the key to the new chart: %.0f ms", took)
	p.wait("θ at the end", 5*time.Second, label+` === "10" && /^drawn in/.test(`+status+`)`)
	if p := evaluate[[]float64](ctx, t, nth(0)+`.mpcvmProba(0, 0)`); len(p) != 3 {
		t.Errorf("the chart redrawn has probabilities %v", p)
	}
	if err := p.picture("live-slider.png"); err != nil {
		t.Error(err)
	}
	evaluate[bool](ctx, t, `([...document.querySelectorAll(".mpcvm-bar button")].find(b => b.textContent === "Done").click(), true)`)
	p.done(2, 10*time.Second)
	p.says(2, "slider ended: <nil>")
	p.wait("the chart that stays", 10*time.Second, `!`+slider+` && /10$/.test(document.querySelector(".mpcvm-still").textContent) && `+nth(0)+`.querySelector("svg")`)

	p.run(3)
	p.wait("the long fit", 60*time.Second, `Jupyter.notebook.get_cell(3).output_area.element.find("[role=progressbar]").length > 0`)
	p.run(4) // waits behind it
	evaluate[bool](ctx, t, `(document.querySelector('[data-jupyter-action="jupyter-notebook:interrupt-kernel"]').click(), true)`)
	p.done(3, 15*time.Second)
	p.says(3, "stopped: true cancelled with a model: true")
	if !evaluate[bool](ctx, t, `Jupyter.notebook.get_cell(4).input_prompt_number > 0`) { // a stop takes back the cells that wait
		p.run(4)
	}
	p.done(4, 60*time.Second)
	p.says(4, "next cell has the model: true")

	// A page that has known another kernel, and that GoNB's answer does not reach at first, as it happens on a busy
	// machine: the slider must find the new one.
	evaluate[bool](ctx, t, `(window.mpcvmLost = 0, window.WebSocket = class extends WebSocket {
		set onmessage(hear) {
			super.onmessage = e => String(e.data).includes("#comm_open_ack") && !window.mpcvmLost++ || hear(e);
		}
	}, true)`)
	evaluate[bool](ctx, t, `(Jupyter.notebook.clear_all_output(), Jupyter.notebook.kernel.restart(), true)`)
	p.wait("the kernel again", 60*time.Second, `Jupyter.notebook.kernel.is_connected() && !Jupyter.notebook.kernel_busy && Jupyter.notebook.get_cells().every(c => !c.input_prompt_number)`)
	for _, cell := range []int{0, 1, 2} {
		p.run(cell)
	}
	p.wait("the slider of the new kernel", 60*time.Second, slider+` && `+status+` === ""`)
	if n := evaluate[int](ctx, t, `window.mpcvmLost`); n < 2 {
		t.Errorf("GoNB has answered %d times, want once more than was lost", n)
	}
	evaluate[bool](ctx, t, `(document.querySelector('[data-jupyter-action="jupyter-notebook:interrupt-kernel"]').click(), true)`)
	p.done(2, 10*time.Second)
	p.says(2, "slider ended: <nil>") // a stop ends it as Done does

	if errors := evaluate[int](ctx, t, `Jupyter.notebook.get_cells().flatMap(c => c.output_area.outputs).filter(o => o.output_type === "error" || o.name === "stderr").length`); errors > 0 {
		t.Errorf("%d outputs are errors", errors)
	}
	// The same charts in a notebook that is not trusted: pictures, and no script runs.
	p.leave(address + "/notebooks/untrusted.ipynb")
	const pictures = `[...document.querySelectorAll(".output_html img")].filter(i => i.src.startsWith("data:image/svg+xml") && i.complete && i.naturalWidth && i.clientWidth > 300).length`
	p.wait("the still pictures", 60*time.Second, `window.Jupyter && Jupyter.notebook && `+pictures+` === 2`)
	if evaluate[bool](ctx, t, `Jupyter.notebook.trusted || "mpcvmLib" in window || "mpcvmWait" in window || document.querySelector(".output_html input") !== null`) {
		t.Error("the notebook is trusted, or a script has run")
	}
	if said := evaluate[string](ctx, t, `document.querySelector("#notebook").innerText`); !strings.Contains(said, "θ: 1 (1 of 2)") {
		t.Errorf("the still picture of the frames has no label: %q", said)
	}
	if err := p.picture("live-untrusted.png"); err != nil {
		t.Error(err)
	}

	for _, fault := range heard.list() {
		// What the server itself says of its own pages is not ours; the network is that of this machine.
		// GoNB's script may fail to connect, which Slider mends.
		if strings.Contains(fault, "comm_open_ack not received in time") {
			continue
		}
		if strings.Contains(fault, "mpcvm") || strings.HasPrefix(fault, "script fails") {
			t.Error(fault)
		}
	}
}

// cell is a part of a notebook's file.
type cell map[string]any

func codeCell(i int, source string, outputs ...any) cell {
	return cell{"cell_type": "code", "id": fmt.Sprintf("c%d", i), "metadata": cell{}, "execution_count": nil, "outputs": append([]any{}, outputs...), "source": source}
}

// executed is a notebook with the outputs of one that was run elsewhere.
func executed(t *testing.T) []byte {
	set, err := data.Load("overlap")
	if err != nil {
		t.Fatal(err)
	}
	chart := nbhelpers.Regions(fit(t, kernel.RBF{Theta: 1}, set, set.X), set, nbhelpers.RegionsOptions{})
	var cells []cell
	for i, html := range []string{
		chart.HTML(),
		nbhelpers.Frames([]nbhelpers.Frame{{Label: "1", Chart: chart}, {Label: "2", Chart: chart}}, nbhelpers.FramesOptions{Name: "θ"}).HTML(),
	} {
		cells = append(cells, codeCell(i, "", cell{"output_type": "display_data", "metadata": cell{}, "data": cell{"text/html": html}}))
	}
	return notebook(t, cells)
}

// notebook is the file of those cells.
func notebook(t *testing.T, cells []cell) []byte {
	b, err := json.Marshal(cell{"cells": cells, "nbformat": 4, "nbformat_minor": 5,
		"metadata": cell{"kernelspec": cell{"name": "gonb", "display_name": "Go (gonb)", "language": "go"}}})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// serve starts Jupyter on a free port, with a token of its own, and stops it at the end.
func serve(t *testing.T, dir string) (address, token string) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := listener.Addr().(*net.TCPAddr).Port
	listener.Close()
	token = rand.Text()
	var said bytes.Buffer
	cmd := exec.Command("jupyter", "notebook", "--no-browser", "--allow-root", "--ip=127.0.0.1", fmt.Sprintf("--port=%d", port),
		"--NotebookApp.port_retries=0", "--NotebookApp.token="+token, "--notebook-dir="+dir)
	cmd.Env = append(os.Environ(), "JUPYTER_CONFIG_DIR="+t.TempDir(), "JUPYTER_RUNTIME_DIR="+t.TempDir())
	cmd.Stdout, cmd.Stderr = &said, &said
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // with its kernels
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		_ = cmd.Wait() // how it ends does not matter
		close(ended)
	}()
	t.Cleanup(func() {
		_ = syscall.Kill(cmd.Process.Pid, syscall.SIGTERM) // it shuts its kernels down
		select {
		case <-ended:
		case <-time.After(10 * time.Second):
			_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
			<-ended
		}
		if t.Failed() {
			t.Logf("Jupyter said:\n%s", strings.ReplaceAll(said.String(), token, "…"))
		}
	})
	address = fmt.Sprintf("http://127.0.0.1:%d", port)
	for deadline := time.Now().Add(60 * time.Second); ; time.Sleep(pollEvery) {
		if r, err := http.Get(address + "/api?token=" + token); err == nil {
			r.Body.Close()
			if r.StatusCode == http.StatusOK {
				return address, token
			}
		}
		select {
		case <-ended:
			t.Fatal("Jupyter has ended")
		default:
		}
		if time.Now().After(deadline) {
			t.Fatal("Jupyter does not answer")
		}
	}
}

// tab is a browser's tab with the notebook.
type tab struct {
	t     *testing.T
	ctx   context.Context
	heard *complaints
}

// wait waits for a condition in JavaScript, and tells what the cells say if it does not come.
func (p *tab) wait(what string, most time.Duration, condition string) {
	p.t.Helper()
	for deadline := time.Now().Add(most); ; time.Sleep(pollEvery / 5) {
		ok, err := chromedp.Run(p.ctx, chromedp.Evaluate[bool](`!!(`+condition+`)`))
		if err == nil && ok {
			return
		}
		if time.Now().After(deadline) || p.ctx.Err() != nil {
			cells, _ := chromedp.Run(p.ctx, chromedp.Evaluate[string](`Jupyter.notebook.get_cells().map((c, i) => i + ": " + c.output_area.element.text().slice(0, 2000)).join("\n")`))
			if err := p.picture("live-failed.png"); err != nil {
				p.t.Log(err)
			}
			p.t.Fatalf("%s: not within %v (%v); the cells say\n%s\nthe page says %q", what, most, err, cells, p.heard.list())
		}
	}
}

// leave goes to another page without being asked whether to save this one.
func (p *tab) leave(address string) {
	p.t.Helper()
	evaluate[bool](p.ctx, p.t, `(window.onbeforeunload = null, Jupyter.notebook.dirty = false, Jupyter.notebook.kernel_busy = false, true)`)
	if err := chromedp.Do(p.ctx, chromedp.Navigate(address)); err != nil {
		p.t.Fatal(err)
	}
}

func (p *tab) run(cell int) {
	p.t.Helper()
	evaluate[bool](p.ctx, p.t, fmt.Sprintf(`(Jupyter.notebook.execute_cells([%d]), true)`, cell))
}

// done waits for the end of a cell, which has its number then.
func (p *tab) done(cell int, most time.Duration) {
	p.t.Helper()
	p.wait(fmt.Sprintf("the end of cell %d", cell), most, fmt.Sprintf(`Jupyter.notebook.get_cell(%d).input_prompt_number > 0`, cell))
}

func (p *tab) says(cell int, want string) {
	p.t.Helper()
	got := fmt.Sprintf(`Jupyter.notebook.get_cell(%d).output_area.element.text()`, cell)
	p.wait(fmt.Sprintf("cell %d says %q", cell, want), 5*time.Second, fmt.Sprintf("%s.includes(%q)", got, want))
}

// picture leaves a picture of the tab in LOOK_OUT, if that is set.
func (p *tab) picture(name string) error {
	dir := os.Getenv("LOOK_OUT")
	if dir == "" {
		return nil
	}
	shot, err := chromedp.Run(p.ctx, chromedp.CaptureScreenshot())
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, name), shot, 0o644)
}
