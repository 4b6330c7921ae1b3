package analysis

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/yuin/goldmark"

	"github.com/mpcvm/mpcvm/internal/testkit/must"
	"github.com/mpcvm/mpcvm/tables"
	"github.com/mpcvm/mpcvm/tables/eval"
	"github.com/mpcvm/mpcvm/tables/model"
	"github.com/mpcvm/mpcvm/tables/table"
)

// do asks a session, and returns the last answer.
func do[T any](ctx context.Context, t *testing.T, s *Session, q Request) (v T, content []byte) {
	t.Helper()
	var last Reply
	if err := s.Do(ctx, q, func(r Reply) { last = r }); err != nil {
		t.Fatalf("%s: %v", q.Op, err)
	}
	v, ok := last.Value.(T)
	if !ok {
		t.Fatalf("%s: the last answer is a %T", q.Op, last.Value)
	}
	return v, last.Bytes
}

// file returns a file of the folder data.
func file(t *testing.T, name string) []byte {
	t.Helper()
	b := must.Get(os.ReadFile(filepath.Join("../../../data", name)))(t)
	return b
}

// some returns the header of a CSV file and every nth row.
func some(text []byte, n int) []byte {
	var b bytes.Buffer
	i := 0
	for line := range bytes.Lines(text) {
		if i%n == 0 {
			b.Write(line)
		}
		i++
	}
	return b.Bytes()
}

// untimed leaves out of figures what differs from run to run, and what only the command knows.
func untimed(f *eval.Evaluation) *eval.Evaluation {
	f.Seconds, f.Date, f.Command, f.ModelFile, f.ReportFile = 0, "", "", "", ""
	for i := range f.Trials {
		f.Trials[i].Seconds = 0
	}
	for i, w := range f.Warnings { // the command adds their text
		f.Warnings[i] = table.Finding{Code: w.Code}
	}
	for i := range f.Columns { // the report measures them
		f.Columns[i].Importance, f.Columns[i].ImportanceErr = nil, nil
	}
	return f
}

// TestAsCommand goes from a table to predictions, and compares the figures and the model with what the
// command that the session shows makes of the same file.
func TestAsCommand(t *testing.T) {
	content := []byte("; a comma is the decimal mark\nlength;width;note;kind\n")
	content = content[bytes.IndexByte(content, '\n')+1:]
	for i := range 60 {
		width := fmt.Sprintf("%d,%d", i%5, i%7)
		if i%9 == 0 {
			width = "<0,5"
		}
		class := []string{"a", "b"}[min(i%11/6, 1)]
		switch {
		case i%13 == 7:
			class = strings.ToUpper(class)
		case i > 55:
			class = []string{"rare", "rare, too"}[i%2]
		}
		content = fmt.Appendf(content, "%d,%d;%s;row %d;%s\n", i%11, i%3, width, i, class)
	}
	s, ctx := new(Session), t.Context()
	look, _ := do[*Look](ctx, t, s, Request{Op: "look", Name: "my table.csv", Bytes: content})
	for _, code := range []table.Code{"alike", "few"} {
		i := slices.IndexFunc(look.Findings.Warnings, func(f table.Finding) bool { return f.Code == code })
		look, _ = do[*Look](ctx, t, s, Request{Op: "look", Options: look.Options, Fixes: look.Fixes[i][:1],
			Settled: true})
	}
	joined := map[string]string{"A": "a", "B": "b", "rare": "other", "rare, too": "other"}
	if !reflect.DeepEqual(look.Options.Merge, joined) || len(look.Findings.Classes) != 3 {
		t.Errorf("joined %v to %v", look.Options.Merge, look.Findings.Classes)
	}
	if look.Options.Limits != "half" || look.Asides["kind"] != "target" || len(look.Findings.Columns) != 4 {
		t.Errorf("options %+v, asides %v", look.Options, look.Asides)
	}
	if page, _ := do[page](ctx, t, s, Request{Op: "charts"}); !strings.Contains(page.HTML, "<h2>Columns</h2>") {
		t.Errorf("the page of charts: %.300s", page.HTML)
	}
	fitted, _ := do[Fitted](ctx, t, s, Request{Op: "fit"})
	if !fitted.Done || !fitted.Figures.Fit.Complete() ||
		!strings.Contains(fitted.HTML, "<h1>mPCVM on my table</h1>") {
		t.Errorf("fitted %v, %+v: %.200s", fitted.Done, fitted.Figures.Fit, fitted.HTML[max(strings.Index(fitted.HTML, "<h1>"), 0):])
	}
	dir := t.TempDir()
	must.OK(t, os.WriteFile(filepath.Join(dir, "my table.csv"), content, 0o600))
	command := filepath.Join(dir, "mpcvm")
	build := exec.CommandContext(ctx, "go", "build", "-o", command, "./cmd/mpcvm")
	build.Dir = "../../.."
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	shell := exec.CommandContext(ctx, "sh", "-c", look.Command+" --json")
	shell.Dir, shell.Env = dir, append(os.Environ(), "PATH="+dir+":"+os.Getenv("PATH"))
	out, err := shell.Output()
	if err != nil {
		t.Fatalf("%s: %v", look.Command, err)
	}
	var want eval.Evaluation
	must.OK(t, json.Unmarshal(out, &want))
	version := []byte(fitted.Figures.Version) // which has the tags of the test
	fitted.Figures.Version = want.Version
	if fitted.Figures.Command != look.Command {
		t.Errorf("the report is made by %q", fitted.Figures.Command)
	}
	a, _ := json.MarshalIndent(untimed(fitted.Figures), "", " ")
	b, _ := json.MarshalIndent(untimed(&want), "", " ")
	if !bytes.Equal(a, b) {
		t.Errorf("figures\n%s\nof the command\n%s", a, b)
	}
	f, model := do[File](ctx, t, s, Request{Op: "save", What: "model"})
	saved, err := os.ReadFile(filepath.Join(dir, "model.json"))
	if f.Name != "my table-model.json" || err != nil ||
		!bytes.Equal(bytes.ReplaceAll(model, version, []byte(want.Version)), saved) {
		t.Errorf("%s differs from the model of the command: %v", f.Name, err)
	}
}

// TestScore predicts the rows of another table, some of which cannot be used, and saves the files.
func TestScore(t *testing.T) {
	s, ctx := new(Session), t.Context()
	iris := file(t, "iris.csv")
	if err := s.Do(ctx, Request{Op: "score", Name: "x.csv", Bytes: iris}, nil); err == nil {
		t.Error("no error without a model")
	}
	do[*Look](ctx, t, s, Request{Op: "look", Name: "iris.csv", Bytes: some(iris, 2)})
	do[Fitted](ctx, t, s, Request{Op: "fit"})
	more := append(some(iris, 5), []byte("what,3,4,1,Iris-setosa\n99,3,4,1,\n")...)
	scored, _ := do[*Scored](ctx, t, s, Request{Op: "score", Name: "more.csv", Bytes: more, Sets: 0.9})
	if scored.Rows != 32 || len(scored.First) != shown || len(scored.Summary) != 4 ||
		!strings.Contains(scored.Summary[1], "row 31") || scored.Header[0] != "sepal_length" && len(scored.Header) < 8 {
		t.Errorf("%+v", scored)
	}
	for what, start := range map[string]string{"model": "{", "javascript": "//",
		"predictions": scored.Header[0], "onnx": "\b"} {
		if f, content := do[File](ctx, t, s, Request{Op: "save", What: what}); !strings.HasPrefix(string(content), start) ||
			!strings.HasPrefix(f.Name, "iris-") {
			t.Errorf("%s: %s is %.40q", what, f.Name, content)
		}
	}
	_, model := do[File](ctx, t, s, Request{Op: "save", What: "model"})
	if m, err := tables.Load(bytes.NewReader(model)); err != nil || m.Record() == nil {
		t.Errorf("the model: %v", err)
	}
	// somebody who has only the model gets its scores, a row to change, and the same predictions
	other := new(Session)
	opened, _ := do[*Fitted](ctx, t, other, Request{Op: "open", Name: "iris-model.json", Bytes: model,
		Row: [][2]any{{"petal_width", 1.5}}})
	again, _ := do[*Scored](ctx, t, other, Request{Op: "score", Name: "more.csv", Bytes: more, Sets: 0.9})
	if !strings.Contains(opened.HTML, "Right in ") || !strings.Contains(opened.HTML, "mpcvm-live") ||
		!reflect.DeepEqual(again, scored) {
		t.Errorf("the model alone predicts %+v", again)
	}
	if _, saved := do[File](ctx, t, other, Request{Op: "save", What: "model"}); !bytes.Equal(saved, model) {
		t.Error("the model changes when it is opened and saved")
	}
	for _, bad := range [][]byte{nil, []byte("{}"), model[:len(model)/2], file(t, "iris.csv")} {
		if err := other.Do(ctx, Request{Op: "open", Name: "x.json", Bytes: bad}, nil); err == nil {
			t.Errorf("%.20q is opened as a model", bad)
		}
	}
	n, _ := do[*Notebook](ctx, t, s, Request{Op: "notebook"})
	if len(n.Cells) != 5 || n.File != "iris.csv" || !strings.Contains(n.Cells[4].Source, "report.Full(ctx") {
		t.Errorf("%+v", n)
	}
	s.name = `\[_a_](https://example.org)*b*.csv`
	n, _ = do[*Notebook](ctx, t, s, Request{Op: "notebook"})
	title, _, _ := strings.Cut(n.Cells[0].Source, "\n")
	var html bytes.Buffer
	must.OK(t, goldmark.Convert([]byte(title), &html))
	must.Equal(t, strings.TrimSpace(html.String()), "<h1>"+s.name+"</h1>")
	wrong := "sepal_length,sepal_width,petal_length,petal_width\nq,1,2,3\n"
	said := fmt.Sprint(s.Do(ctx, Request{Op: "score", Name: "bad.csv", Bytes: []byte(wrong)}, nil))
	if strings.Count(said, ":") > 2 || !strings.Contains(said, "a number is expected") {
		t.Errorf("a cell that is not a number: %s", said)
	}
	// another table takes the place of the model
	do[*Look](ctx, t, s, Request{Op: "look", Name: "more.csv", Bytes: more})
	if err := s.Do(ctx, Request{Op: "save", What: "model"}, nil); err == nil {
		t.Error("a model of the table before")
	}
}

// stopping is a context that ends at the nth call of Err.
type stopping struct {
	context.Context
	calls *int
	at    int
}

func (s stopping) Err() error {
	if *s.calls++; *s.calls > s.at {
		return context.Canceled
	}
	return nil
}

// TestStop stops a search: with a model, it is evaluated; without, the error says so.
func TestStop(t *testing.T) {
	s := new(Session)
	do[*Look](t.Context(), t, s, Request{Op: "look", Name: "glass.csv", Bytes: file(t, "glass.csv")})
	fitted, _ := do[Fitted](stopping{t.Context(), new(int), 20000}, t, s, Request{Op: "fit"})
	if fitted.Figures.Fit.Ended != model.Stop || fitted.Figures.CV == nil || fitted.Figures.Partial == "" ||
		fitted.Figures.Command != "" {
		t.Errorf("%+v, cross-validation %v, part %q", fitted.Figures.Fit, fitted.Figures.CV, fitted.Figures.Partial)
	}
	if err := s.Do(stopping{t.Context(), new(int), 5}, Request{Op: "fit"}, func(Reply) {}); err == nil {
		t.Error("no error of a fit that was stopped before there was a model")
	}
}

// TestFaults: an error is one sentence with the names of the page's controls, and the table before stays.
func TestFaults(t *testing.T) {
	s, ctx := new(Session), t.Context()
	for _, op := range []string{"look", "charts", "fit", "notebook", "save", "dance"} {
		if err := s.Do(ctx, Request{Op: op}, nil); err == nil {
			t.Errorf("%s: no error without a table", op)
		}
	}
	do[*Look](ctx, t, s, Request{Op: "look", Name: "iris.csv", Bytes: file(t, "iris.csv")})
	for name, content := range map[string]string{"picture.png": "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR",
		"page.html": "<!DOCTYPE html><html><body>x</body></html>", "empty.csv": ""} {
		err := s.Do(ctx, Request{Op: "look", Name: name, Bytes: []byte(content)}, func(Reply) {})
		if err == nil || errors.Is(err, tables.ErrFormat) != (name != "empty.csv") || strings.Contains(err.Error(),
			"\n") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if l, _ := do[*Look](ctx, t, s, Request{Op: "look"}); l.Findings.Name != "iris.csv" {
		t.Errorf("the table is %q after an error", l.Findings.Name)
	}
	var numbers strings.Builder
	for i := range 60 {
		fmt.Fprintf(&numbers, "%v,%v\n", 0.37*float64(i), 0.11*float64(i*i))
	}
	for name, content := range map[string]string{
		"one.csv":    "x,y,class\n" + strings.Repeat("1,2,a\n", 30),
		"none.csv":   "x,y\n" + numbers.String(),
		"ragged.csv": "x,y,class\n1,2,a\n1,2,b\n1,a\n2,3,b,4\n1,2,a\n",
	} {
		l, _ := do[*Look](ctx, t, s, Request{Op: "look", Name: name, Bytes: []byte(content)})
		err := s.Do(ctx, Request{Op: "fit"}, func(Reply) {})
		if name == "ragged.csv" {
			if l.Options.Ragged != "pad" || !slices.ContainsFunc(l.Findings.Notes, func(f table.Finding) bool {
				return f.Code == "ragged-padded"
			}) {
				t.Errorf("%s: %+v %q", name, l.Options, l.Findings.Notes)
			}
		} else if err == nil {
			t.Errorf("%s: no error, refused %v", name, l.Findings.Refused)
		}
	}
}
