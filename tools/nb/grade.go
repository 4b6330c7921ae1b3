package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"
	"github.com/tetratelabs/wazero/sys"

	"github.com/mpcvm/mpcvm/internal/atomicfile"
	spreadsheet "github.com/mpcvm/mpcvm/internal/cell"
	"github.com/mpcvm/mpcvm/internal/compose"
	"github.com/mpcvm/mpcvm/internal/ipynb"
)

// grader checks what students wrote in the cells tagged yours. Their functions are compiled to WebAssembly
// and run without files, environment or network, because a hand-in is a program of somebody else.
type grader struct {
	lessons  map[string][]ipynb.Cell // the blank notebooks, by their titles
	packages compose.Packages
	limit    time.Duration // of one exercise
	runtime  wazero.Runtime
}

const (
	mostHandIn = 64 << 20 // bytes of a notebook
	mostOutput = 64 << 10 // bytes that an exercise may print
	mostPages  = 8192     // of memory, 64 kB each
)

// grade checks the notebooks in folder and writes folder/grades.csv, with a row for each exercise.
func grade(folder string) error {
	ctx := context.Background()
	g, err := newGrader(ctx, "notebooks", time.Minute)
	if err != nil {
		return err
	}
	defer g.runtime.Close(ctx) //nolint:errcheck // closes nothing but memory
	rows := [][]string{{"hand_in", "by", "notebook", "exercise", "right", "of", "right_in_page", "hash", "said"}}
	err = filepath.WalkDir(folder, func(file string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || filepath.Ext(file) != ".ipynb" ||
			strings.Contains(file, ".ipynb_checkpoints") {
			return err
		}
		name, err := filepath.Rel(folder, file)
		if err != nil {
			return err
		}
		h, results := g.handIn(ctx, file)
		right, of, note := 0, 0, ""
		for _, r := range results {
			right, of = right+r.right, of+r.of
			if r.hash == changed {
				note = ", changed after it was handed in"
			}
			rows = append(rows, []string{spreadsheet.Safe(name), spreadsheet.Safe(h.Metadata.HandIn.By),
				spreadsheet.Safe(title(h.Notebook)), r.exercise, strconv.Itoa(r.right), strconv.Itoa(r.of), r.inPage,
				r.hash, spreadsheet.Safe(r.said)})
		}
		fmt.Printf("%-40q %2d of %2d checks right%s\n", name, right, of, note)
		return nil
	})
	if err != nil {
		return err
	}
	return atomicfile.Write(filepath.Join(folder, "grades.csv"), func(w io.Writer) error {
		return csv.NewWriter(w).WriteAll(rows)
	})
}

// newGrader reads the notebooks of dir.
func newGrader(ctx context.Context, dir string, limit time.Duration) (*grader, error) {
	g := &grader{lessons: map[string][]ipynb.Cell{}, packages: compose.Packages{}, limit: limit}
	files, err := filepath.Glob(filepath.Join(dir, "blank", "*.ipynb"))
	if err != nil || len(files) == 0 {
		return nil, errors.Join(err, fmt.Errorf("%s contains no blank notebooks", dir))
	}
	for _, file := range files {
		nb, err := ipynb.Read(file)
		if err != nil {
			return nil, err
		}
		g.lessons[title(nb)] = nb.Cells
	}
	list, err := exec.CommandContext(ctx, "go", "list", "-f", "{{.ImportPath}} {{.Name}}", "std",
		"gonum.org/v1/gonum/...", "./mpcvm/...", "./data", "./tables", "./nbhelpers", "./notebooks/lesson").Output()
	if err != nil {
		return nil, fmt.Errorf("list the packages: %w", err)
	}
	for line := range strings.Lines(string(list)) {
		path, name, _ := strings.Cut(strings.TrimSpace(line), " ")
		if compose.Importable(path) && name != "main" {
			g.packages[path] = name
		}
	}
	g.runtime = wazero.NewRuntimeWithConfig(ctx,
		wazero.NewRuntimeConfig().WithCloseOnContextDone(true).WithMemoryLimitPages(mostPages))
	_, err = wasi_snapshot_preview1.Instantiate(ctx, g.runtime)
	return g, err
}

// title returns the first heading of a notebook.
func title(nb ipynb.Notebook) string {
	for _, c := range nb.Cells {
		first, _, _ := strings.Cut(string(c.Source), "\n")
		if heading, ok := strings.CutPrefix(first, "# "); ok && c.Type == "markdown" {
			return strings.TrimSpace(heading)
		}
	}
	return ""
}

// handIn is a notebook. If it was saved with "Hand in" in the page, it contains what the checks of each
// exercise printed there, by the id of the cell, and the hash of the cell and of that text.
type handIn struct {
	ipynb.Notebook
	Metadata struct {
		HandIn struct {
			By     string
			Checks map[string]struct{ Said, SHA256 string }
		} `json:"hand_in"`
	}
}

// changed is the result of an exercise whose hash does not fit.
const changed = "does not fit"

// inPage returns the result of a cell in the page. It is empty if the page has not checked it.
func (h *handIn) inPage(id string) (r result) {
	if checked, ok := h.Metadata.HandIn.Checks[id]; ok {
		r.inPage, r.hash = strconv.Itoa(strings.Count("\n"+checked.Said, "\nright")), changed
		at := slices.IndexFunc(h.Cells, func(c ipynb.Cell) bool { return c.ID == id })
		if at >= 0 && digest(string(h.Cells[at].Source)+"\x00"+checked.Said) == checked.SHA256 {
			r.hash = "fits"
		}
	}
	return r
}

func digest(text string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(text))) }

// result is the number of right checks of an exercise, what the first other one said, how many were right in
// the page, and whether the hash fits.
type result struct {
	exercise           string
	right, of          int
	said, inPage, hash string
}

// handIn returns a notebook and its results, one without an exercise if it cannot be graded.
func (g *grader) handIn(ctx context.Context, file string) (h handIn, results []result) {
	info, err := os.Stat(file)
	if err == nil && info.Size() > mostHandIn {
		err = fmt.Errorf("the file has %d MB; clear the outputs", info.Size()>>20)
	}
	var text []byte
	if err == nil {
		text, err = os.ReadFile(file)
	}
	if err == nil {
		err = json.Unmarshal(text, &h)
	}
	lesson := g.lessons[title(h.Notebook)]
	if err == nil && lesson == nil {
		err = fmt.Errorf("%q is not the title of a notebook of the course", title(h.Notebook))
	}
	if err != nil {
		return h, []result{{said: err.Error()}}
	}
	w := &work{grader: g, secret: rand.Text()}
	w.add("lesson ", lesson)
	w.add("", h.Cells)
	for _, c := range lesson {
		if c.Tagged("yours") {
			w.exercise(string(c.Source))
			results = append(results, h.inPage(c.ID))
		}
	}
	if len(results) == 0 {
		return h, []result{{said: "the notebook has no exercises with checks"}}
	}
	w.grade(ctx, results)
	return h, results
}

// work is a hand-in: the declarations of the lesson, some replaced by the student's, and a function for each
// exercise that prints its checks.
type work struct {
	*grader
	secret    string // before each result; a function cannot print it, because it is chosen after it was written
	cells     []*declared
	exercises []exercise
}

// declared is a cell with declarations.
type declared struct {
	name, source string
	fault        string // why it is left out
	line         int    // of the fault
}

type exercise struct {
	names  string // of the functions to write
	of     int    // checks
	checks *declared
}

var mainLine = regexp.MustCompile(`(?m)^%(%|main)[ \t]*$`)

// parts splits a cell into its declarations and the body of main.
func parts(source string) (declarations, body string) {
	if at := mainLine.FindStringIndex(source); at != nil {
		return source[:at[0]], source[at[1]:]
	}
	return source, ""
}

// add adds the declarations of cells. Their bodies of main do not run.
func (w *work) add(prefix string, cells []ipynb.Cell) {
	for i, c := range cells {
		if c.Type != "code" || c.Tagged("answer") {
			continue
		}
		if declarations, _ := parts(string(c.Source)); strings.TrimSpace(declarations) != "" {
			w.cells = append(w.cells, &declared{name: prefix + strconv.Itoa(i+1), source: declarations})
		}
	}
}

// function returns the name of the function with the checks of an exercise, which other functions cannot
// call.
func (w *work) function(i int) string { return fmt.Sprintf("check%d%s", i, w.secret) }

func (w *work) exercise(source string) {
	declarations, body := parts(source)
	var functions []string
	for _, m := range declaration.FindAllStringSubmatch(declarations, -1) {
		functions = append(functions, m[1])
	}
	name := w.function(len(w.exercises))
	checks := &declared{name: name, source: fmt.Sprintf("func %s() {\n%s\n}\n", name,
		strings.ReplaceAll(body, "fmt.Println(", fmt.Sprintf("fmt.Println(%q, ", w.secret)))}
	w.cells = append(w.cells, checks)
	w.exercises = append(w.exercises,
		exercise{strings.Join(functions, ", "), strings.Count(body, "fmt.Println("), checks})
}

// grade compiles the work, without the cells that do not compile, and runs the check of each exercise for
// its result.
func (w *work) grade(ctx context.Context, results []result) {
	program, err := w.program(ctx)
	var code wazero.CompiledModule
	if err == nil {
		code, err = w.runtime.CompileModule(ctx, program)
	}
	for i, e := range w.exercises {
		r := &results[i]
		r.exercise, r.of = e.names, e.of
		if r.said = w.fault(e); r.said == "" && err != nil {
			r.said = err.Error()
		}
		if r.said == "" {
			r.right, r.said = w.run(ctx, code, i, e.of)
		}
	}
	if code != nil {
		_ = code.Close(ctx)
	}
}

// fault returns why the functions of an exercise, or its checks, do not compile, or "".
func (w *work) fault(e exercise) string {
	if e.checks.fault != "" {
		return e.checks.fault
	}
	for _, c := range w.cells {
		for _, m := range declaration.FindAllStringSubmatch(c.source, -1) {
			if c.fault != "" && slices.Contains(strings.Split(e.names, ", "), m[1]) {
				return fmt.Sprintf("%s (cell %s, line %d)", c.fault, c.name, c.line)
			}
		}
	}
	return ""
}

// program returns a program in WebAssembly that runs the check of the exercise with the number given as its
// argument. Each round leaves out one cell or check that does not compile.
func (w *work) program(ctx context.Context) ([]byte, error) {
	dir, err := os.MkdirTemp("", "grade")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir) //nolint:errcheck // a folder of temporary files
	file, binary := filepath.Join(dir, "main.go"), filepath.Join(dir, "main.wasm")
	for range w.cells {
		source, err := w.source()
		var faults compose.Errors
		if err == nil {
			if err := os.WriteFile(file, []byte(source), 0o600); err != nil {
				return nil, err
			}
			within, cancel := context.WithTimeout(ctx, 5*w.limit)
			build := exec.CommandContext(within, "go", "build", "-ldflags=-s -w", "-o", binary, file)
			build.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm", "CGO_ENABLED=0")
			said, err := build.CombinedOutput()
			cancel()
			if err == nil {
				return os.ReadFile(binary)
			}
			faults = append(compose.Errors{{Text: err.Error()}}, compose.Explain(string(said), "")...)
		} else if !errors.As(err, &faults) {
			return nil, err
		}
		if !w.leaveOut(faults) {
			return nil, fmt.Errorf("the notebook does not compile: %s", faults[len(faults)-1].Text)
		}
	}
	return nil, errors.New("the notebook does not compile")
}

// leaveOut marks the first cell with a fault, and reports whether there is one.
func (w *work) leaveOut(faults compose.Errors) bool {
	for _, f := range faults {
		for _, c := range w.cells {
			if c.name == f.Cell && c.fault == "" {
				c.fault, c.line = "does not compile: "+f.Text, f.Line
				return true
			}
		}
	}
	return false
}

// source returns the program in Go.
func (w *work) source() (string, error) {
	var state compose.State
	body := "%%\nswitch os.Args[1] {\n"
	for _, c := range w.cells {
		if c.fault != "" {
			continue
		}
		p, err := compose.Compose(state, c.name, c.source+"\n%%\n", w.packages)
		if err != nil {
			return "", err
		}
		state = p.State
	}
	for i, e := range w.exercises {
		if e.checks.fault == "" {
			body += fmt.Sprintf("case \"%d\":\n%s()\n", i, w.function(i))
		}
	}
	p, err := compose.Compose(state, "main", body+"}\n", w.packages)
	return p.Source, err
}

// run runs the check of an exercise. It returns how many of its lines are right, and the first other one.
func (w *work) run(ctx context.Context, code wazero.CompiledModule, i, of int) (int, string) {
	within, cancel := context.WithTimeout(ctx, w.limit)
	defer cancel()
	var out, failed limited
	module, err := w.runtime.InstantiateModule(within, code, wazero.NewModuleConfig().WithName("").
		WithArgs("check", strconv.Itoa(i)).WithStdout(&out).WithStderr(&failed).
		WithRandSource(rand.Reader).WithSysWalltime().WithSysNanotime())
	if module != nil {
		_ = module.Close(ctx)
	}
	right, said := 0, ""
	for line := range strings.Lines(out.String()) {
		if rest, ok := strings.CutPrefix(strings.TrimSpace(line), w.secret+" "); !ok {
			continue
		} else if strings.HasPrefix(rest, "right") {
			right++
		} else if said == "" {
			said = rest
		}
	}
	var exit *sys.ExitError
	switch trace := compose.Trace(failed.String()); {
	case within.Err() != nil:
		said = fmt.Sprintf("stopped after %v", w.limit)
	case err != nil && (!errors.As(err, &exit) || exit.ExitCode() != 0):
		said = strings.TrimSpace(trace)
		if said == "" {
			said = err.Error()
		}
	case right < of && said == "":
		said = "ended before the check"
	}
	return min(right, of), said
}

// limited keeps the beginning of an output.
type limited struct{ bytes.Buffer }

func (l *limited) Write(p []byte) (int, error) {
	if rest := mostOutput - l.Len(); len(p) > rest {
		_, _ = l.Buffer.Write(p[:rest])
		return rest, errors.New("too much output")
	}
	return l.Buffer.Write(p)
}
