package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"

	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/tables"
	"github.com/mpcvm/mpcvm/tables/eval"
	"github.com/mpcvm/mpcvm/tables/export"
	tablemodel "github.com/mpcvm/mpcvm/tables/model"
	"github.com/mpcvm/mpcvm/tables/recipe"
	"github.com/mpcvm/mpcvm/tables/table"
)

// exported is the tolerance for the probabilities of exported programs.
const exported = 1e-12

// String returns the table as CSV, after its flags.
func (p pathTable) String() string {
	return fmt.Sprintf("%s %q\n%.5000s", p.name, p.flags(), p.text)
}

// flags returns the flags for look, fit and compare.
func (p pathTable) flags() (flags []string) {
	if p.target != "" {
		flags = append(flags, "--target", p.target)
	}
	if p.options.Missing != nil {
		flags = append(flags, "--na", strings.Join(p.options.Missing, ","))
	}
	for _, id := range p.options.ID {
		flags = append(flags, "--id", id)
	}
	for name, kind := range p.options.Kinds {
		flags = append(flags, "--kind", name+"="+kind.String())
	}
	return flags
}

// walk uses each verb on a table, like a user. A quick walk fits one small model and compares one system,
// without the exported programs. model reports whether the table has a model, and the error lists all
// problems.
func (p pathTable) walk(dir string, quick bool) (model bool, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = errors.Join(err, fmt.Errorf("panic: %v\n%s", v, debug.Stack()))
		}
	}()
	w := &pathWalk{pathTable: p, dir: dir, quick: quick, file: filepath.Join(dir, "it's a $(table)"+cmp.Or(p.ext,
		".csv")), saved: filepath.Join(dir, "model.json")}
	if err := os.WriteFile(w.file, []byte(p.text), 0o600); err != nil {
		return false, err
	}
	w.look()
	if model = w.fit(); model {
		w.predict()
		w.explain()
		w.compare()
		if !quick {
			w.export()
		}
	}
	return model, errors.Join(w.wrong...)
}

// pathWalk is the state of a walk.
type pathWalk struct {
	pathTable
	quick            bool
	unfit            bool // look reports that no model can be trained
	dir, file, saved string
	next             []string // the command on the last line of look, without its first word
	wrong            []error

	model       *tables.Model
	scores      eval.Evaluation         // from fit
	predictions []tablemodel.Prediction // of the rows of the file
}

func (w *pathWalk) errorf(format string, args ...any) {
	w.wrong = append(w.wrong, fmt.Errorf(format, args...))
}

// verb runs a verb on the file and returns its output. An error must be of a known kind, and is only allowed
// if may is true.
func (w *pathWalk) verb(may bool, args ...string) (out []byte, err error) {
	out, _, err = w.verbs(may, args...)
	return out, err
}

// verbs is like verb and also returns the output to standard error.
func (w *pathWalk) verbs(may bool, args ...string) (out, said []byte, err error) {
	var o, errOut bytes.Buffer
	to := &output{Writer: &o}
	root := newRoot(to, &errOut)
	root.SetArgs(args)
	if _, err = root.ExecuteContextC(context.Background()); err == nil {
		err = to.err
	}
	if panicked := (*fault)(nil); errors.As(err, &panicked) {
		w.errorf("%s: panic: %w\n%s", args[0], err, panicked.stack)
	} else if err != nil && !(may && tellable(err)) {
		w.errorf("%q: %w", args, err)
	}
	return o.Bytes(), errOut.Bytes(), err
}

// tellable reports whether an error is of a known kind.
func tellable(err error) bool {
	for _, is := range []error{
		recipe.ErrOneClass, recipe.ErrNotLabels, recipe.ErrNoFeatures, recipe.ErrNotKind, recipe.ErrNoColumn,
		recipe.ErrNoValue,
		tablemodel.ErrOverflow, tables.ErrFormat, eval.ErrNoRows,
	} {
		if errors.Is(err, is) {
			return true
		}
	}
	return errors.As(err, new(*mpcvm.CellError)) || errors.As(err, new(*mpcvm.MemoryError)) ||
		errors.As(err, new(misuse))
}

// odd returns the first trace of an unhandled case in a text, such as NaN, with its context. Pictures are
// random letters and digits without blanks.
func odd(text []byte) []byte {
	for _, word := range []string{"NaN", "+Inf", "-Inf", "%!d(", "%!s(", "%!v("} {
		if !bytes.Contains(text, []byte(word)) {
			continue
		}
		for _, before := range []string{" ", ">", "("} {
			for _, after := range []string{" ", "<", ",", ")", ".", ""} {
				if at := bytes.Index(text, []byte(before+word+after)); at >= 0 && (after != "" || word[0] == '%') {
					return text[max(0, at-60):min(len(text), at+60)]
				}
			}
		}
	}
	return nil
}

// withoutScripts returns a page without its scripts.
func withoutScripts(page []byte) (left []byte) {
	for {
		before, rest, found := bytes.Cut(page, []byte("<script"))
		left = append(left, before...)
		if !found {
			return left
		}
		_, page, _ = bytes.Cut(rest, []byte("</script>"))
	}
}

// page checks that a report was written, and removes it.
func (w *pathWalk) page(verb, path string) {
	page, err := os.ReadFile(path)
	if err != nil || !bytes.Contains(page, []byte("</html>")) {
		w.errorf("%s: a report of %d bytes, %v", verb, len(page), err)
	}
	if said := odd(withoutScripts(page)); said != nil && odd([]byte(w.text)) == nil {
		w.errorf("%s: the report contains %q", verb, said)
	}
	_ = os.Remove(path)
}

func (w *pathWalk) look() {
	report := filepath.Join(w.dir, "look.html")
	if out, err := w.verb(true, append([]string{"look", w.file, "--json", "--report", report},
		w.flags()...)...); err == nil {
		if !json.Valid(out) {
			w.errorf("look: invalid JSON: %s", out)
		}
		w.page("look", report)
	}
	out, err := w.verb(true, append([]string{"look", w.file}, w.flags()...)...)
	if err != nil {
		return
	}
	line, found := bytes.CutPrefix(out[bytes.LastIndexByte(bytes.TrimSpace(out), '\n')+1:], []byte("next: "))
	if !found {
		w.unfit = bytes.HasPrefix(line, []byte("No model can be trained: "))
		if w.fails == nil && !w.free || !w.unfit && !bytes.Contains(line, []byte("can be used as")) {
			w.errorf("look: the last line is not a command: %q", line)
		}
		return
	}
	if w.next, err = shellSplit(string(line)); err != nil {
		w.errorf("look: %w", err)
		return
	}
	if at := slices.Index(w.next, "--ragged"); at > 0 {
		w.options.Ragged = w.next[at+1]
	}
	if w.next[0] == "look" {
		_, _ = w.verb(false, w.next...)
	}
}

// fit reports whether there is a model, which it stores in w with its predictions.
func (w *pathWalk) fit() bool {
	report := filepath.Join(w.dir, "fit.html")
	args, promised := append([]string{"fit", w.file}, w.flags()...), len(w.next) > 0 && w.next[0] == "fit"
	if promised {
		args = w.next
	}
	args = append(slices.Clone(args), "--model", w.saved, "--report", report, "--json")
	if w.quick {
		args = append(args, tiny...)
	}
	out, err := w.verb(!promised, args...)
	if w.free && err != nil {
		return false
	}
	if w.unfit && !w.quick {
		w.errorf("fit: there is a model, although look reports that none can be trained")
	}
	if want := w.fails; !w.free && !promised && (!errors.Is(err, want) || (err == nil) != (want == nil)) {
		w.errorf("fit: error %v, want %v", err, w.fails)
	}
	if err != nil {
		return false
	}
	said := &w.scores
	if err := json.Unmarshal(out, said); err != nil {
		w.errorf("fit: %w: %s", err, out)
	}
	for _, warning := range said.Warnings {
		if slices.Contains([]table.Code{"failed", "no-cross-validation", "no-setting", "failed-cross-validation"},
			warning.Code) && !w.quick {
			w.errorf("fit: %v", warning)
		}
	}
	if said.Train == nil || !w.quick && (said.CV == nil || said.CV.LogLoss == nil) {
		w.errorf("fit: no scores: %s", out)
	}
	w.page("fit", report)
	if w.model, err = loadModel(context.Background(), w.saved); err != nil {
		w.errorf("load: %w", err)
		return false
	}
	t, err := openFor(context.Background(), w.file, w.options, w.model.Recipe())
	if err == nil {
		w.predictions, err = w.model.Predict(context.Background(), t)
	}
	if err != nil {
		w.errorf("Predict: %w", err)
		return false
	}
	usable := 0
	for i, p := range w.predictions {
		sum := 0.0
		for _, v := range p.Proba {
			sum += v
		}
		switch {
		case p.Err != nil && !tellable(p.Err):
			w.errorf("row %d: %w", i+1, p.Err)
		case p.Err == nil && !(math.Abs(sum-1) < 1e-9):
			w.errorf("row %d: the probabilities %v sum to %v", i+1, p.Proba, sum)
		case p.Err == nil:
			usable++
		}
	}
	if usable == 0 {
		w.errorf("Predict: no row of the training file can be used: %v", w.predictions[0].Err)
	}
	return true
}

// predict compares the output of the verb with Predict, its classes with the classes in the file, and its
// error rate with the training error of fit.
func (w *pathWalk) predict() {
	out, said, err := w.verbs(false, "predict", w.file, "--model", w.saved, "--proba")
	if err != nil {
		return
	}
	if w.options.Ragged == "" {
		w.equal("predict", out, 0)
	}
	if w.scores.Train == nil || w.options.Ragged != "" { // predict does not predict ragged rows
		return
	}
	wrong, given := 0, 0
	rate := regexp.MustCompile(`(?m)^error rate: .* \((\d+) of (\d+)\)(.*)$`).FindSubmatch(said)
	if rate == nil || len(rate[3]) > 0 {
		w.errorf("predict: the error rate of the training file: %s", said)
		return
	}
	if _, err := fmt.Sscan(string(rate[1])+" "+string(rate[2]), &wrong, &given); err != nil {
		w.errorf("predict: %v", err)
	}
	if train := w.scores.Train; given != train.Rows ||
		math.Abs(float64(wrong)/float64(given)-*train.Error) > 1e-9 {
		w.errorf("predict: %d of %d wrong, fit: %v of %d", wrong, given, *train.Error, train.Rows)
	}
	labels, ours := w.labels(), 0
	if labels == nil {
		return
	}
	if len(labels) != len(w.predictions) {
		w.errorf("predict: %d rows, the file has %d", len(w.predictions), len(labels))
		return
	}
	for i, p := range w.predictions {
		switch {
		case p.Err != nil || !slices.ContainsFunc(w.scores.Classes,
			func(c string) bool { return sameClass(labels[i], c) }):
			// the label is missing, also by --na
		case !slices.Contains(labels, p.Class):
			w.errorf("predict: row %d: class %q is not in the file", i+1, p.Class)
			return
		case !sameClass(labels[i], p.Class):
			ours++
		}
	}
	if ours != wrong {
		w.errorf("predict: %d rows are wrong according to the file, not %d", ours, wrong)
	}
}

// sameClass reports whether two texts are the same class: equal texts or equal numbers.
func sameClass(a, b string) bool {
	x, err := strconv.ParseFloat(a, 64)
	y, other := strconv.ParseFloat(b, 64)
	return a == b || err == nil && other == nil && x == y
}

// labels returns the classes of the rows as written in the file, without surrounding blanks, or nil if
// package csv cannot read the file.
func (w *pathWalk) labels() (labels []string) {
	if w.foreign {
		return nil
	}
	records, err := csv.NewReader(strings.NewReader(strings.TrimPrefix(cmp.Or(w.plain, w.text),
		"\ufeff"))).ReadAll()
	if err != nil {
		return nil
	}
	column := slices.Index(records[0], w.scores.Target)
	if column < 0 {
		return nil
	}
	for _, record := range records[1:] {
		labels = append(labels, strings.TrimSpace(record[column]))
	}
	return labels
}

// equal compares predictions in CSV, with the class first and the reason last, with Predict.
func (w *pathWalk) equal(who string, text []byte, tolerance float64) {
	records, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
	if err != nil || len(records) != len(w.predictions)+1 {
		w.errorf("%s: %d lines for %d rows, %v", who, len(records), len(w.predictions), err)
		return
	}
	wrong := 0
	for i, want := range w.predictions {
		cells := records[i+1]
		last := len(cells) - 1
		n := w.model.Model().Classes() + 1
		same := csvText(cells[0]) == csvText(want.Class) && (want.Err != nil) == (cells[last] != "")
		if who == "predict" { // with what the model cannot know
			same = same && last == n+3 && (cells[n] == "yes") == want.Unlike &&
				(cells[n+1] == "") == (len(want.Beyond) == 0) && (cells[n+2] == "") == (len(want.NewLevels) == 0)
		} else {
			same = same && last == n
		}
		for c, p := range want.Proba {
			if same && want.Err == nil {
				v, err := strconv.ParseFloat(cells[c+1], 64)
				same = err == nil && math.Abs(v-p) <= tolerance
			}
		}
		if !same {
			if wrong++; wrong <= 3 {
				w.errorf("%s: row %d: %q, want %+v", who, i+1, cells, want)
			}
		}
	}
	if wrong > 3 {
		w.errorf("%s: %d rows differ", who, wrong)
	}
}

// csvText returns a text as package csv reads it: without carriage returns before line feeds.
func csvText(s string) string { return strings.ReplaceAll(s, "\r\n", "\n") }

// explain explains the first usable row and one that cannot be used.
func (w *pathWalk) explain() {
	report := filepath.Join(w.dir, "explain.html")
	usable := slices.IndexFunc(w.predictions, func(p tablemodel.Prediction) bool { return p.Err == nil })
	unusable := slices.IndexFunc(w.predictions, func(p tablemodel.Prediction) bool { return p.Err != nil })
	for _, row := range []int{usable, unusable} {
		if row < 0 {
			continue
		}
		args := []string{"explain", w.file, "--model", w.saved, "--ragged", w.options.Ragged, "--row",
			strconv.Itoa(row + 1)}
		out, err := w.verb(row == unusable, append(args, "--json", "--report", report)...)
		if (err == nil) != (row == usable) {
			w.errorf("explain: row %d: error %v", row+1, err)
		}
		if err != nil {
			continue
		}
		w.page("explain", report)
		_, _ = w.verb(false, args...)
		var said explained
		if err := json.Unmarshal(out, &said); err != nil || said.Class != w.predictions[row].Class ||
			len(said.Classes) != w.model.Model().Classes() {
			w.errorf("explain: %v: %s", err, out)
			continue
		}
		for c, p := range w.predictions[row].Proba {
			if math.Abs(said.Classes[c].Proba-p) > exported {
				w.errorf("explain: row %d, class %q: probability %v, want %v", row+1, said.Classes[c].Class,
					said.Classes[c].Proba, p)
			}
		}
	}
}

// failure matches a line of compare about a system without scores.
var failure = regexp.MustCompile(`(?m)^warning: (.*) failed: (.*)$`)

// compare fits all systems.
func (w *pathWalk) compare() {
	report := filepath.Join(w.dir, "compare.html")
	args := append([]string{"compare", w.file, "--report", report}, w.flags()...)
	if len(w.next) > 0 && w.next[0] == "fit" { // the same file, classes and reading
		args = append([]string{"compare", "--report", report}, w.next[1:]...)
	}
	systems := eval.Systems(1)
	if w.quick {
		systems = systems[:1]
		args = append(args, "--systems", systems[0].Name)
	}
	if !w.defaults && len(w.predictions) >= 20 {
		args = append(args, "--folds-k", "2")
	}
	if !w.defaults {
		args = append(args, "--repeats", "1")
	}
	out, err := w.verb(true, args...)
	if err != nil {
		if !errors.Is(err, recipe.ErrNotLabels) {
			w.errorf("compare: %w", err)
		}
		return
	}
	w.page("compare", report)
	for _, s := range systems {
		if !bytes.Contains(out, []byte("\n"+s.Name+" ")) {
			w.errorf("compare: no system %s in\n%s", s.Name, out)
		}
	}
	for _, f := range failure.FindAllSubmatch(out, -1) {
		if !bytes.Contains(f[2], []byte("the model collapsed")) &&
			(!w.free || !bytes.Contains(f[2], []byte("cross-validation needs two of a class"))) {
			w.errorf("compare: %s", f[0])
		}
	}
}

// export runs the exported program on the file.
func (w *pathWalk) export() {
	for _, e := range [][]string{{"javascript", "node"}} {
		if _, err := exec.LookPath(e[1]); err != nil {
			continue
		}
		path := filepath.Join(w.dir, export.File(e[0]))
		if _, err := w.verb(false, "export", "--model", w.saved, "--to", e[0], "--out", path); err != nil {
			continue
		}
		c := exec.Command(e[1], append(e[2:], path)...)
		var errOut bytes.Buffer
		c.Stdin, c.Stderr = strings.NewReader(cmp.Or(w.plain, w.text)), &errOut
		out, err := c.Output()
		if err != nil {
			w.errorf("%s: %w: %s", e[0], err, errOut.String())
			continue
		}
		w.equal(e[0], out, exported)
	}
}
