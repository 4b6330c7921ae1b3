package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/mpcvm/mpcvm/internal/testkit/must"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
	"github.com/mpcvm/mpcvm/nbhelpers"
	"github.com/mpcvm/mpcvm/tools/browser"
)

// The cells of the notebook of TestLiveNotebook. ROOT is this checkout.
var liveCells = []string{
	`!*sed "s|\./|ROOT/|" "ROOT/go.work" >go.work && go work use .
%noautoget
%goflags -ldflags=-s`,
	`import (
	"context"
	"errors"
	"fmt"

	"gonum.org/v1/gonum/floats"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/tables"
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
		model, _, err := mpcvm.BottomUp{Kernel: kernel.RBF{Theta: theta}}.Fit(ctx, mpcvm.Samples{X: set.X, T: set.T})
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
model, result, err := learner.Fit(ctx, mpcvm.Samples{X: set.X, T: set.T}, progress.Observe)
progress.Done(result)
if model == nil {
	panic(err)
}
vectors := model.VectorCount()
fmt.Println("stopped:", errors.Is(err, context.Canceled), result.Status, "with a model:", vectors > 0)
if err := model.SaveFile("model.json"); err != nil {
	panic(err)
}`,
	`%%
model, err := mpcvm.LoadFile("model.json")
fmt.Println("next cell has the model:", err == nil && model.Classes() == 5)`,
}

// JavaScript in a page of Jupyter's classic notebook. %d is the number of a cell.
const (
	ready     = `window.Jupyter && Jupyter.notebook && Jupyter.notebook.kernel && Jupyter.notebook.kernel.is_connected() && !Jupyter.notebook.kernel_busy`
	runs      = `Jupyter.notebook.execute_cells([%d])`
	number    = `Jupyter.notebook.get_cell(%d).input_prompt_number` // after a run
	text      = `Jupyter.notebook.get_cell(%d).output_area.element.text()`
	interrupt = `document.querySelector('[data-jupyter-action="jupyter-notebook:interrupt-kernel"]').click()`
	// reloads the page, so that it certainly uses Jupyter's new kernel
	reload = `window.leaving = Jupyter.notebook.save_notebook().then(() => { window.onbeforeunload = null; location.reload() })`
	errors = `Jupyter.notebook.get_cells().flatMap(c => c.output_area.outputs).filter(o => o.output_type === "error" || o.name === "stderr").length`
)

const (
	knob   = `document.querySelector(".mpcvm-bar input")`
	label  = `document.querySelector(".mpcvm-bar output").value`
	status = `document.querySelector(".mpcvm-bar [role=status]").textContent`
)

// TestLiveNotebook tests a real Jupyter server behind a proxy with https and a base URL, as on JupyterHub:
// it opens and runs a notebook, moves the slider, stops a long fit, runs the next cell, and kills the
// kernel. It runs only if MPCVM_LIVE is set.
func TestLiveNotebook(t *testing.T) {
	server := classicServer(t, "/user/x/")
	upload(t, server, "live.ipynb", liveNotebook(t))
	upload(t, server, "untrusted.ipynb", executed(t))
	server = secured(t, server)
	p := open(t, server, "live.ipynb")
	for cell := range 2 {
		p.run(cell)
		p.done(cell)
	}
	// The first message of each kind that the slider sends and receives is lost, including the first Done.
	evaluate[bool](p.ctx, t, `(window.mpcvmLose = [/refused/, /"comm_open"/, /comm_open_ack/, /"comm_msg"/, / -1"/], window.WebSocket = class extends WebSocket {
		constructor(url, ...more) {
			const ours = !String(url).includes("session_id") && String(url).startsWith("wss:");
			super(ours && window.mpcvmLose[0]?.test("refused") ? String(window.mpcvmLose.shift()) && "wss://127.0.0.1:9/" : url, ...more);
			this.ours = ours;
		}
		loses(text) {
			const i = this.ours ? window.mpcvmLose.findIndex(r => r.test(text)) : -1;
			return i >= 0 && window.mpcvmLose.splice(i, 1);
		}
		send(data) { this.loses(data) || super.send(data) }
		set onmessage(hear) { super.onmessage = e => this.loses(e.data) || hear(e) }
	}, true)`)
	p.run(2)
	p.slide("live-slider.png")
	p.finish()
	must.Equal(t, evaluate[int](p.ctx, t, `5 - window.mpcvmLose.length`), 5)

	p.run(3)
	p.says(3, "long fit")
	p.run(4) // queued behind cell 3
	p.do(interrupt)
	p.done(3)
	p.says(3, "stopped: true cancelled with a model: true")
	p.says(3, "stopped after")
	if !evaluate[bool](p.ctx, t, fmt.Sprintf(number+` > 0`, 4)) { // an interrupt removes queued cells
		p.run(4)
	}
	p.done(4)
	p.says(4, "next cell has the model: true")
	if n := evaluate[int](p.ctx, t, errors); n > 0 {
		t.Errorf("%d error outputs", n)
	}

	// The kernel is killed while a slider waits or a fit runs, and Jupyter starts another; the last one is
	// restarted by the user. The program of the cell must end.
	const kills = 2
	const waits = knob + ` && ` + status + ` === ""`
	for i := range kills + 1 {
		cell, seen := 2, waits
		if i%2 == 1 && i < kills {
			cell, seen = 3, fmt.Sprintf(text+`.includes("long fit")`, 3)
		}
		p.clear()
		p.run(cell)
		p.wait("the cell to kill", seen)
		p.kill(i == kills)
		p.run(0)
		p.done(0)
		p.run(1)
		p.done(1)
	}
	p.clear()
	p.run(2)
	p.wait("the slider of the new kernel", waits)
	p.do(interrupt)
	p.done(2)
	p.says(2, "slider ended: <nil>") // an interrupt ends it like Done
	p.heardNothing()

	// In an untrusted notebook, the same charts are alternative texts, and no script runs.
	p = open(t, server, "untrusted.ipynb")
	const texts = `[...document.querySelectorAll(".output_html p")]` +
		`.filter(p => p.innerText.length > 20 && p.clientWidth > 300).length`
	p.wait("the alternative texts", texts+` === 2`)
	if evaluate[bool](p.ctx, t,
		`Jupyter.notebook.trusted`+` || "mpcvmLib" in window || "mpcvmWait" in window || document.querySelector(".output_html input") !== null`) {
		t.Error("the notebook is trusted, or a script has run")
	}
	if said := evaluate[string](p.ctx, t,
		`document.querySelector("#notebook").innerText`); !strings.Contains(said, "(2 frames)") {
		t.Errorf("the frame has no label: %q", said)
	}
	picture(p.ctx, t, "live-untrusted.png")
}

// TestLivePlain tests that the slider also works if GoNB's own script reaches the kernel and GoNB accepts
// only one connection.
func TestLivePlain(t *testing.T) {
	server := classicServer(t, "/")
	upload(t, server, "live.ipynb", liveNotebook(t))
	p := open(t, server, "live.ipynb")
	for cell := range 3 {
		p.run(cell)
		if cell < 2 {
			p.done(cell)
		}
	}
	p.slide("live-plain.png")
	p.finish()
	p.heardNothing()
}

// classicServer starts Jupyter's classic notebook, version 6, or skips the test.
func classicServer(t *testing.T, base string) (address string) {
	if os.Getenv("MPCVM_LIVE") == "" {
		t.Skip("MPCVM_LIVE is not set")
	}
	if version, err := exec.Command("jupyter", "notebook", "--version").Output(); err != nil ||
		!strings.HasPrefix(string(version), "6.") {
		t.Skipf("Jupyter's classic notebook, version 6, is not installed: %s, %v", version, err)
	}
	return serve(t, base)
}

// liveNotebook returns the notebook file with the cells in liveCells.
func liveNotebook(t *testing.T) []byte {
	root := must.Get(filepath.Abs("../.."))(t)
	var cells []cell
	for i, source := range liveCells {
		cells = append(cells, codeCell(i, strings.ReplaceAll(source, "ROOT", root)))
	}
	return notebook(t, cells)
}

// upload stores a notebook on a server, where it is untrusted.
func upload(t *testing.T, server, name string, file []byte) {
	t.Helper()
	body, err := json.Marshal(map[string]any{"type": "notebook", "format": "json",
		"content": json.RawMessage(file)})
	must.OK(t, err)
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPut, strings.Replace(server, "?",
		"api/contents/"+name+"?", 1), bytes.NewReader(body))
	must.OK(t, err)
	answer := must.Get(http.DefaultClient.Do(r))(t)
	defer answer.Body.Close()
	if answer.StatusCode/100 != 2 {
		t.Fatalf("%s was rejected: %s", name, answer.Status)
	}
}

// secured returns the address of an https proxy for the server.
func secured(t *testing.T, server string) string {
	to := must.Get(url.Parse(server))(t)
	origin := url.URL{Scheme: to.Scheme, Host: to.Host}
	proxy := httptest.NewUnstartedServer(&httputil.ReverseProxy{ErrorLog: log.New(io.Discard, "", 0),
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(&origin)
			r.Out.Host = r.In.Host // the server compares it with the origin of the page
		}})
	proxy.Config.ErrorLog = log.New(io.Discard, "", 0) // connections closed by the browser
	proxy.StartTLS()
	t.Cleanup(proxy.CloseClientConnections)
	return strings.Replace(server, origin.String(), proxy.URL, 1)
}

// open opens a notebook in a new browser, once the kernel is available.
func open(t *testing.T, server, name string) *tab {
	t.Helper()
	ctx, stop := browser.Start(t.Context(), chromedp.Flag("ignore-certificate-errors", true))
	t.Cleanup(stop)
	must.OK(t, chromedp.Do(ctx))
	ctx, cancel := context.WithTimeout(ctx, patience)
	t.Cleanup(cancel)
	p := &tab{t, ctx, &complaints{}}
	must.OK(t, chromedp.Listen(ctx, p.heard.event))
	address := strings.Replace(server, "?", "notebooks/"+name+"?", 1)
	must.OK(t, chromedp.Do(ctx, chromedp.Navigate(address)))
	p.wait("the kernel", ready)
	return p
}

// cell is a cell in a notebook file.
type cell map[string]any

func codeCell(i int, source string, outputs ...any) cell {
	return cell{"cell_type": "code", "id": fmt.Sprintf("c%d", i), "metadata": cell{}, "execution_count": nil,
		"outputs": append([]any{}, outputs...), "source": source}
}

// executed returns a notebook file with outputs, as if it had been run elsewhere.
func executed(t *testing.T) []byte {
	set := must.Load(t, "overlap")
	chart := nbhelpers.Regions(fit(t, kernel.RBF{Theta: 1}, set, set.X), set, nbhelpers.RegionsOptions{})
	var cells []cell
	for i, html := range []string{
		chart.HTML(),
		nbhelpers.Frames([]nbhelpers.Frame{{Label: "1", Chart: chart}, {Label: "2", Chart: chart}},
			nbhelpers.FramesOptions{Name: "θ"}).HTML(),
	} {
		cells = append(cells, codeCell(i, "", cell{"output_type": "display_data", "metadata": cell{},
			"data": cell{"text/html": html}}))
	}
	return notebook(t, cells)
}

// notebook returns a notebook file with the given cells.
func notebook(t *testing.T, cells []cell) []byte {
	b, err := json.Marshal(cell{"cells": cells, "nbformat": 4, "nbformat_minor": 5,
		"metadata": cell{"kernelspec": cell{"name": "gonb", "display_name": "Go (gonb)", "language": "go"}}})
	must.OK(t, err)
	return b
}

// serve starts Jupyter on a free port, with its own token and a base URL, and stops it at the end.
func serve(t *testing.T, base string) (address string) {
	listener := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
	port := listener.Addr().(*net.TCPAddr).Port
	listener.Close()
	token := rand.Text()
	var said bytes.Buffer
	cmd := exec.Command("jupyter", "notebook", "--no-browser", "--allow-root", "--ip=127.0.0.1",
		fmt.Sprintf("--port=%d", port),
		"--NotebookApp.port_retries=0", "--NotebookApp.token="+token, "--NotebookApp.base_url="+base,
		"--notebook-dir="+t.TempDir())
	cmd.Env = append(os.Environ(), "JUPYTER_CONFIG_DIR="+t.TempDir(), "JUPYTER_RUNTIME_DIR="+t.TempDir())
	cmd.Stdout, cmd.Stderr = &said, &said
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // together with its kernels
	must.OK(t, cmd.Start())
	ended := make(chan struct{})
	go func() {
		_ = cmd.Wait() // the exit status does not matter
		close(ended)
	}()
	t.Cleanup(func() {
		_ = syscall.Kill(cmd.Process.Pid, syscall.SIGTERM) // it shuts down its kernels
		select {
		case <-ended:
		case <-time.After(10 * time.Second):
			_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
			<-ended
		}
		if t.Failed() {
			t.Logf("output of Jupyter:\n%s", strings.ReplaceAll(said.String(), token, "…"))
		}
	})
	address = fmt.Sprintf("http://127.0.0.1:%d%s?token=%s", port, base, token)
	await(t, address, ended)
	return address
}

// await waits until a server responds, and fails if it has ended.
func await(t *testing.T, address string, ended <-chan struct{}) {
	t.Helper()
	for deadline := time.Now().Add(patience); ; time.Sleep(pollEvery) {
		if r, err := http.Get(strings.Replace(address, "?", "api?", 1)); err == nil {
			r.Body.Close()
			if r.StatusCode == http.StatusOK {
				return
			}
		}
		select {
		case <-ended:
			t.Fatal("Jupyter has ended")
		default:
		}
		if time.Now().After(deadline) {
			t.Fatal("Jupyter does not respond")
		}
	}
}

// tab is a browser tab with a notebook.
type tab struct {
	t     *testing.T
	ctx   context.Context
	heard *complaints
}

// wait waits for a JavaScript condition, and logs the outputs of the cells if it does not become true.
func (p *tab) wait(what, condition string) {
	p.t.Helper()
	for deadline := time.Now().Add(patience / 3); ; time.Sleep(pollEvery / 5) {
		ok, err := chromedp.Run(p.ctx, chromedp.Evaluate[bool](`!!(`+condition+`)`))
		if err == nil && ok {
			return
		}
		if time.Now().After(deadline) || p.ctx.Err() != nil {
			said, _ := chromedp.Run(p.ctx,
				chromedp.Evaluate[string](
					`[...document.querySelectorAll(".output_area")].map(o => o.textContent.slice(0, 2000)).join("\n")`))
			picture(p.ctx, p.t, "live-failed.png")
			p.t.Fatalf("%s does not come (%v); the outputs are\n%s\nthe page reports %q", what, err, said,
				p.heard.list())
		}
	}
}

// do evaluates JavaScript for its side effects.
func (p *tab) do(script string) {
	p.t.Helper()
	evaluate[bool](p.ctx, p.t, `(`+script+`, true)`)
}

func (p *tab) run(cell int) {
	p.t.Helper()
	p.do(fmt.Sprintf(runs, cell))
}

// done waits for the end of a cell, which then has its number.
func (p *tab) done(cell int) {
	p.t.Helper()
	p.wait(fmt.Sprintf("the end of cell %d", cell), fmt.Sprintf(number+` > 0`, cell))
}

func (p *tab) says(cell int, want string) {
	p.t.Helper()
	p.wait(fmt.Sprintf("cell %d says %q", cell, want), fmt.Sprintf(text+".includes(%q)", cell, want))
}

// clear removes all outputs and numbers of cells.
func (p *tab) clear() {
	p.t.Helper()
	p.do(`Jupyter.notebook.clear_all_output()`)
	for cell := range liveCells {
		p.wait("no number", fmt.Sprintf(`!(`+number+` > 0)`, cell))
	}
}

// slide moves the slider of cell 2 to its end.
func (p *tab) slide(shot string) {
	p.t.Helper()
	// the kernel has received the message
	p.wait("the slider", knob+` && `+nth(0)+`.querySelector("svg") && `+status+` === ""`)
	if got := evaluate[string](p.ctx, p.t, label); got != "1" {
		p.t.Errorf("the slider starts at %q", got)
	}
	p.do(knob + `.scrollIntoView({block: "center"}), ` + knob + `.focus()`)
	var took []float64
	for _, key := range []string{kb.ArrowRight, kb.ArrowRight, kb.ArrowLeft, kb.Home, kb.End} {
		evaluate[bool](p.ctx, p.t, fmt.Sprintf(`(() => { // measures the time until the chart changes
			const d = %s, before = d.querySelector("svg").outerHTML;
			let start = 0;
			window.mpcvmTook = 0;
			%s.addEventListener("input", () => start = performance.now(), {once: true});
			const look = () => start && d.querySelector("svg").outerHTML !== before ? window.mpcvmTook = performance.now() - start : requestAnimationFrame(look);
			look();
			return true })()`, nth(0), knob))
		if err := chromedp.Do(p.ctx, chromedp.KeyEvent(key)); err != nil {
			p.t.Fatal(err)
		}
		p.wait("another chart", `window.mpcvmTook > 0`)
		took = append(took, evaluate[float64](p.ctx, p.t, `window.mpcvmTook`))
	}
	p.t.Logf("from the key to the new chart: %.0f ms", took)
	const drawn = label + ` === "10" && /^drawn in/.test(` + status + `)`
	p.wait("θ at the end", drawn)
	// the state is stable
	if err := chromedp.Do(p.ctx, chromedp.Sleep(pause)); err != nil || !evaluate[bool](p.ctx, p.t, drawn) {
		p.t.Errorf("the status is %q (%v)", evaluate[string](p.ctx, p.t, status), err)
	}
	if got := evaluate[[]float64](p.ctx, p.t, nth(0)+`.mpcvmProba(0, 0)`); len(got) != 3 {
		p.t.Errorf("the redrawn chart has probabilities %v", got)
	}
	picture(p.ctx, p.t, shot)
}

// finish clicks Done.
func (p *tab) finish() {
	p.t.Helper()
	p.do(`[...document.querySelectorAll(".mpcvm-bar button")].find(b => b.textContent === "Done").click()`)
	p.done(2)
	p.says(2, "slider ended: <nil>")
	p.wait("the chart that stays", `!`+knob+` && /10$/.test(document.querySelector(".mpcvm-still").textContent) && `+nth(
		0)+`.querySelector("svg")`)
}

// kill kills or restarts the kernel, and waits until the program of its cell has ended and the next kernel
// is available. It requires Linux.
func (p *tab) kill(restart bool) {
	p.t.Helper()
	id := evaluate[string](p.ctx, p.t, `Jupyter.notebook.kernel.id`)
	var kernel int
	var cells []int
	processes, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		p.t.Fatal(err)
	}
	for _, process := range processes {
		pid, _ := strconv.Atoi(filepath.Base(process)) // digits
		command, _ := os.ReadFile(filepath.Join(process, "cmdline"))
		environment, _ := os.ReadFile(filepath.Join(process, "environ")) // both fail for processes that have ended
		switch {
		case bytes.Contains(command, []byte("gonb\x00")) && bytes.Contains(command, []byte(id)):
			kernel = pid
		case bytes.Contains(environment, []byte("GONB_PIPE=")) && bytes.Contains(environment, []byte(id)):
			cells = append(cells, pid)
		}
	}
	if kernel == 0 || len(cells) == 0 {
		p.t.Fatalf("the process ID of the kernel is %d, of the cell %d", kernel, cells)
	}
	if restart {
		p.do(`Jupyter.notebook.kernel.restart()`)
	} else if err := syscall.Kill(kernel, syscall.SIGKILL); err != nil {
		p.t.Fatal(err)
	}
	for _, cell := range cells {
		for deadline := time.Now().Add(patience); ; time.Sleep(pollEvery) {
			state, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", cell))
			if err != nil || bytes.Contains(state, []byte(") Z ")) {
				break
			}
			if time.Now().After(deadline) {
				_ = syscall.Kill(cell, syscall.SIGKILL)
				p.t.Fatal("the cell outlives its kernel")
			}
		}
	}
	if !restart {
		const notice = `document.querySelector(".modal.in .btn-primary")`
		p.wait("the notice of its death", notice)
		p.do(notice + `.click()`)
		p.wait("the end of the notice", `!`+notice)
	}
	p.do(reload)
	p.wait("another kernel", `!window.leaving && `+ready)
}

// heardNothing fails the test if the page reported errors.
func (p *tab) heardNothing() {
	p.t.Helper()
	for _, fault := range p.heard.list() {
		// Ignore messages about the server's own pages and requests to this machine. GoNB's own script may
		// fail to connect.
		if strings.Contains(fault, "gonb_comm") {
			continue
		}
		if strings.Contains(fault, "mpcvm") || strings.HasPrefix(fault, "script fails") {
			p.t.Error(fault)
		}
	}
}
