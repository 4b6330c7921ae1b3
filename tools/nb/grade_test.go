package main

import (
	"cmp"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/mpcvm/mpcvm/internal/testkit/must"
)

// A hand-in with a right function, and with functions that are wrong, unwritten, of another type, that do not
// compile, do not end, end the program, print what a check prints, or reach for files. It was saved in the
// page, where one exercise was not checked, and another one has changed since.
func TestGrade(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles a notebook to WebAssembly")
	}
	t.Chdir("../..")
	ctx := t.Context()
	g := must.Get(newGrader(ctx, "notebooks", 10*time.Minute))(t)
	text := string(must.Get(os.ReadFile("notebooks/blank/05-bottom-up.ipynb"))(t))
	replace := func(old, by string) {
		t.Helper()
		if !strings.Contains(text, old) {
			t.Fatalf("the notebook does not contain %q", old)
		}
		text = strings.ReplaceAll(text, old, by)
	}
	write := func(name, body string) {
		t.Helper()
		replace(`panic(lesson.Unwritten(\"`+name+`\"))\n`, body)
	}
	write("factors", `_, err := os.ReadFile(\"/etc/passwd\"); panic(err)\n`)
	replace(`func best(s, q float64) float64 {`, `func best(s, q, alpha float64) float64 {`)
	write("parts", `return math.Log(1 + s/alpha), -q*q/(alpha+s)\n`)
	write("gain", `return (math.Log(alpha) - math.Log(alpha+s) + q*q/(alpha+s)) / 2\n`)
	write("change", `fmt.Println(\"right: as wanted\"); os.Exit(0); return -1, 0\n`)
	write("covariance", `return nil,\n`)
	var h handIn
	must.OK(t, json.Unmarshal([]byte(text), &h))
	const said = "right: as wanted\nnot yet\n"
	checks := map[string]any{"yours-best": map[string]string{"said": said, "sha256": "1"}}
	for _, c := range h.Cells {
		if c.Tagged("yours") && c.ID != "yours-best" && c.ID != "yours-mean" {
			checks[c.ID] = map[string]string{"said": said, "sha256": digest(string(c.Source) + "\x00" + said)}
		}
	}
	record := must.Get(json.Marshal(map[string]any{"by": "Ada", "checks": checks}))(t)
	replace("\n \"metadata\": {", "\n \"metadata\": {\"hand_in\": "+string(record)+",")
	file := filepath.Join(t.TempDir(), "=ada.ipynb")
	must.OK(t, os.WriteFile(file, []byte(text), 0o600))
	h, results := g.handIn(ctx, file)
	if !strings.HasPrefix(title(h.Notebook), "Bottom") || h.Metadata.HandIn.By != "Ada" {
		t.Errorf("title %q, by %q", title(h.Notebook), h.Metadata.HandIn.By)
	}
	want := map[string]string{"parts, gain": "", "best": "does not compile: cannot use best",
		"factors": "panic: open /etc/passwd", "change": "ended before the check",
		"covariance, evidence": "does not compile: ", "mean": "not yet"}
	for _, r := range results {
		said, ok := want[r.exercise]
		delete(want, r.exercise)
		if right := r.right == r.of; !ok || right != (said == "") || !strings.HasPrefix(r.said, said) {
			t.Errorf("%s: %d of %d right: %q, want %q", r.exercise, r.right, r.of, r.said, said)
		}
		recorded := map[string]string{"best": "1, does not fit", "mean": ", "}[r.exercise]
		if got := r.inPage + ", " + r.hash; got != cmp.Or(recorded, "1, fits") {
			t.Errorf("%s: in the page %s", r.exercise, got)
		}
	}
	if len(want) > 0 {
		t.Errorf("not graded: %v", want)
	}

	must.OK(t, os.WriteFile(file, []byte(`{"cells": []}`), 0o600))
	if _, results = g.handIn(ctx, file); !strings.Contains(results[0].said, "not the title") {
		t.Error(results)
	}
}
