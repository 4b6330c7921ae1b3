package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mpcvm/mpcvm/internal/testkit/must"
)

// The documents contain the current tables of the recorded results.
func TestCurrent(t *testing.T) {
	text := must.Get(os.ReadFile("../../docs/reproduction.md"))(t)
	if next := must.Get(reports("../../notebooks/results").fill(string(text)))(t); next != string(text) {
		t.Error("docs/reproduction.md does not match the recorded results; run make figures PARTS=reproduction")
	}
}

// line is a result of a system on iris.
func line(system, partition, err string) string {
	auc := strings.Replace(err, "0.", "0.9", 1)
	return `{"system":"` + system + `","dataset":"iris","partition":` + partition +
		`,"n_train":1,"n_test":2,"err":` + err + `,"auc":` + auc +
		`,"logloss":1,"fit_s":1,"predict_s":0,"n_basis":1,"n_weights":2,"params":{"seed":4}}` + "\n"
}

func TestFill(t *testing.T) {
	dir := t.TempDir()
	for folder, text := range map[string]string{
		"a": line("mpcvm2", "5", "0.03") + line("mpcvm2", "6", "0.04"),
		"b": line("mpcvm2", "5", "0.03") + line("mpcvm2", "6", "0.04") + line("svm", "5", "0") +
			line("svm", "6", "0.001") + line("mlr", "5", "0"),
	} {
		must.OK(t, os.Mkdir(filepath.Join(dir, folder), 0o755))
		must.OK(t, os.WriteFile(filepath.Join(dir, folder, "results.jsonl"), []byte(text), 0o644))
	}
	r := reports(dir)
	got, err := r.fill("before\n<!-- paper a -->\nold\n<!-- end -->\nbetween\n" +
		"<!-- a comment that is none of ours\n<!-- paper b -->\n<!-- end -->\nafter\n")
	must.OK(t, err)
	// The paper: 3.185 with a deviation of 3.175 over 45 runs. One run has no deviation.
	for _, want := range []string{
		"before\n<!-- paper a -->\n", "| ERR in % | iris |\n|---|---|\n| mPCVM₂ | 3.50 (0.71) |\n",
		"<!-- end -->\nbetween\n",
		"| SVM | **0.05 (0.07)** |\n| *paper* | 4.37 (3.94) |\n| mPCVM₂ | 3.50 (0.71) |\n| *paper* | 3.19 (3.17) |\n",
		"\nBold: more than two standard errors from the paper's mean (1 of 2).\n",
		"<!-- end -->\nafter\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	if strings.Contains(got, "\nold\n") || strings.Contains(got, "| svm") {
		t.Errorf("the old text remains:\n%s", got)
	}
	again, err := r.fill(got)
	if err != nil || again != got {
		t.Errorf("filling again changes the text (%v)", err)
	}
	for _, wrong := range []string{
		"<!-- paper a -->\n", "<!-- end -->\n", "<!-- paper -->\n<!-- end -->\n",
		"<!-- paper c -->\n<!-- end -->\n", "<!-- what -->\n<!-- end -->\n",
	} {
		if _, err := r.fill(wrong); err == nil {
			t.Errorf("%q: no error", wrong)
		}
	}
}

// Systems of two studies are compared on common data sets and partitions.
func TestAgainst(t *testing.T) {
	dir := t.TempDir()
	for folder, text := range map[string]string{
		"a": line("x", "5", "0.5") + line("x", "6", "0.3") + line("x", "7", "0.1") + line("z", "9", "0.1"),
		"b": line("y", "6", "0.1") + line("y", "7", "0.2") + line("y", "8", "0.9") + line("w", "6", "0.2") +
			line("w", "7", "0.2"),
	} {
		must.OK(t, os.Mkdir(filepath.Join(dir, folder), 0o755))
		must.OK(t, os.WriteFile(filepath.Join(dir, folder, "results.jsonl"), []byte(text), 0o644))
	}
	r := reports(dir)
	got, err := r.against("err", []string{"a:x", "b:y", "b:w"})
	want := "| system | iris | average rank |\n|---|---|---|\n| y | **15.00±5.00** | 1.00 |\n" +
		"| x | 20.00±10.00 | 2.50 |\n| w | 20.00±0.00 | 2.50 |\n| *partitions* | 2 |  |\n"
	if err != nil || got != want {
		t.Errorf("%v\n%s", err, got)
	}
	got, err = r.against("auc", []string{"a:x", "b:y"})
	if err != nil || !strings.Contains(got, "\n| x | **92.00±1.00** | 1.00 |\n| y | 91.50±0.50 | 2.00 |") {
		t.Errorf("%v\n%s", err, got)
	}
	for _, wrong := range [][]string{{"err", "a:x", "a:z"}, {"size", "a:x", "b:y"}, {"err", "a:x", "c:y"}} {
		if _, err := r.against(wrong[0], wrong[1:]); err == nil {
			t.Errorf("%v: no error", wrong)
		}
	}
	if _, err := r.table(strings.Fields("against err a:x")); err == nil {
		t.Error("no error for a single system")
	}
}
