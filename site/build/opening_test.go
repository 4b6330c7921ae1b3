package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/mpcvm/mpcvm/internal/compose"
	"github.com/mpcvm/mpcvm/internal/ipynb"
	"github.com/mpcvm/mpcvm/internal/testkit/must"
	"github.com/mpcvm/mpcvm/site/internal/play"
)

// TestSampleReport checks that the sample report is the same in every build and begins like the output of the
// command.
func TestSampleReport(t *testing.T) {
	have, err := os.ReadFile(filepath.Join(built, "report.html"))
	must.OK(t, err)
	dir := t.TempDir()
	must.OK(t, sampleReport(t.Context(), dir))
	if again, err := os.ReadFile(filepath.Join(dir, "report.html")); err != nil ||
		string(again) != string(have) {
		t.Errorf("two builds make different reports: %v", err)
	}
	printed, err := goTool("run", "./cmd/mpcvm", "fit", "data/penguins.csv", "--drop",
		"Sample Number,Date Egg,Comments", "--id", "Individual ID")
	must.OK(t, err)
	verdict, _, _ := strings.Cut(printed, "\n")
	verdict = strings.ReplaceAll(verdict, `"`, "&#34;")
	if !strings.Contains(string(have), verdict) {
		t.Errorf("the report does not begin like the output of the command: %s", verdict)
	}
}

// TestCardNotebooks type-checks the programs that the page makes from the notebooks of cards.
func TestCardNotebooks(t *testing.T) {
	packages := compose.Packages{}
	for path, p := range made.kernel.Packages {
		if p.Name != "" {
			packages[path] = p.Name
		}
	}
	dir, replaced := t.TempDir(), map[string]string{}
	for _, c := range made.cards {
		nb, err := ipynb.Read(filepath.Join(built, "cards", c.name+".ipynb"))
		must.OK(t, err)
		if len(nb.Cells) != 3 || !strings.HasPrefix(string(nb.Cells[0].Source), "# "+c.title+"\n") {
			t.Errorf("%s: %d cells, the first one %.60q", c.name, len(nb.Cells), nb.Cells[0].Source)
		}
		var program compose.Program
		for _, cell := range nb.Cells[1:] {
			if program, err = compose.Compose(program.State, cell.ID, string(cell.Source), packages); err != nil {
				t.Fatalf("%s: %v", c.name, err)
			}
		}
		if strings.Contains(program.Source, "WriteFile") || strings.Count(program.Source, ".Display()") != len(
			c.charts) {
			t.Errorf("%s does not display its %d charts", c.name, len(c.charts))
		}
		file := filepath.Join(dir, c.name+".go")
		must.OK(t, os.WriteFile(file, []byte(program.Source), 0o600))
		place, err := filepath.Abs("site/cards/" + c.name + "/main.go")
		must.OK(t, err)
		replaced[place] = file
	}
	overlay := filepath.Join(dir, "overlay.json")
	text, err := json.Marshal(map[string]any{"Replace": replaced})
	if err == nil {
		err = os.WriteFile(overlay, text, 0o600)
	}
	must.OK(t, err)
	if _, err := goTool("build", "-overlay", overlay, "-o", dir+string(filepath.Separator),
		"./site/cards/..."); err != nil {
		t.Error(err)
	}
}

// TestOpenInNotebook opens a card and the state of the playground as notebooks. They must run without a
// question and print the same as the card and the playground's model.
func TestOpenInNotebook(t *testing.T) {
	ctx, server, f := open(t)
	visit(ctx, t, f, server+"/cards/predict.html")
	click(ctx, t, `[...document.querySelectorAll("#main a")].find(a => a.textContent === "Open in a notebook")`)
	printed := runNotebook(ctx, t, server+"/cards/predict-notebook.html")
	if c := made.cards[0]; c.name != "predict" || trimmed(printed) != trimmed(c.printed) {
		t.Errorf("the notebook prints %q, the card %q", printed, c.printed)
	}

	visit(ctx, t, f, server+"/playground/index.html")
	var state struct {
		Setup  play.Setup   `json:"a"`
		Points []play.Point `json:"points"`
	}
	comes(ctx, t, `window.playground?.state.now.points.length`)
	must.OK(t, json.Unmarshal([]byte(value[string](ctx, t,
		`playground.idle().then(() => JSON.stringify(playground.state.now))`)), &state))
	click(ctx, t, `document.getElementById("notebook")`)
	printed = runNotebook(ctx, t, server+"/notebooks/new.html#own:")
	var end struct {
		Status     string
		Iterations int
	}
	err := new(play.Engine).Do(t.Context(), play.Request{Op: "fit", Setup: state.Setup, Points: state.Points},
		func(r play.Reply) {
			text, err := json.Marshal(r.Value)
			if err == nil {
				err = json.Unmarshal(text, &end)
			}
			if err != nil {
				t.Error(err)
			}
		})
	if want := fmt.Sprintf("%s after %d iterations, ", end.Status, end.Iterations); err != nil ||
		end.Iterations == 0 || !strings.HasPrefix(printed, want) {
		t.Errorf("the notebook of the playground prints %q, want %q first: %v", printed, want, err)
	}
}

// click clicks an element, given as an expression.
func click(ctx context.Context, t *testing.T, element string) {
	t.Helper()
	must.OK(t, chromedp.Do(ctx, chromedp.Evaluate[chromedp.Void]("void "+element+".click()")))
}

// runNotebook waits for the notebook at an address, runs its cells and returns the output of the last. The
// set-up cells must be hidden, and the page must not ask before they run.
func runNotebook(ctx context.Context, t *testing.T, address string) string {
	t.Helper()
	comes(ctx, t, fmt.Sprintf(`location.href.startsWith(%q) && document.documentElement.dataset.ready === "1"`,
		address))
	if hidden := value[string](ctx, t,
		`[...document.querySelectorAll(".cell.setup")].map(e => getComputedStyle(e).display).join()`); hidden != "none" {
		t.Errorf("%s: set-up cells are visible: %q", address, hidden)
	}
	click(ctx, t,
		`[...document.querySelectorAll(".controls button")].find(b => b.textContent.includes("Run all"))`)
	const last = `[...document.querySelectorAll(".cell.code")].at(-1)`
	comes(ctx, t, last+`.dataset.mark === "done"`)
	return value[string](ctx, t, last+`.querySelector("pre.out").textContent`)
}
