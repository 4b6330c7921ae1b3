package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mpcvm/mpcvm/experiments/study"
	"github.com/mpcvm/mpcvm/internal/testkit/must"
)

// The documents contain the current tables of the recorded results.
func TestCurrent(t *testing.T) {
	r := reports{dir: "../../notebooks/results", read: map[string]*study.Report{}}
	for _, name := range []string{"reproduction.md"} {
		text := must.Get(os.ReadFile("../../docs/" + name))(t)
		next := must.Get(r.fill(string(text)))(t)
		if next != string(text) {
			t.Errorf("docs/%s does not match the recorded results; run make figures PARTS=reproduction", name)
		}
	}
}

// line is a result of a system on iris.
func line(system, partition, err string) string {
	return `{"system":"` + system + `","dataset":"iris","partition":` + partition +
		`,"n_train":1,"n_test":2,"err":` + err +
		`,"auc":0.99,"logloss":1,"fit_s":1,"predict_s":0,"n_basis":1,"n_weights":2,"params":{"seed":4}}` + "\n"
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
	r := reports{dir: dir, read: map[string]*study.Report{}}
	got, err := r.fill("before\n<!-- table a: Error rate -->\nold\n<!-- end -->\nbetween\n" +
		"<!-- a comment that is none of ours\n<!-- paper err b -->\n<!-- end -->\nafter\n")
	must.OK(t, err)
	// The paper: 3.185 with a deviation of 3.175 over 45 runs. One run has no deviation.
	for _, want := range []string{
		"before\n<!-- table a: Error rate -->\n", "| mpcvm2 | 3.500 (0.500) |\n| *paper* | *3.185 (0.473)* |\n",
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
		"<!-- table a: Error rate -->\n", "<!-- end -->\n", "<!-- table a: Nothing -->\n<!-- end -->\n",
		"<!-- table c: Error -->\n<!-- end -->\n",
		"<!-- paper err -->\n<!-- end -->\n", "<!-- paper size a -->\n<!-- end -->\n",
		"<!-- paper err c -->\n<!-- end -->\n",
		"<!-- classes nothing -->\n<!-- end -->\n", "<!-- what -->\n<!-- end -->\n",
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
	r := reports{dir: dir}
	got, err := r.against("err", []string{"a:x", "b:y", "b:w"})
	want := "| system | iris | average rank |\n|---|---|---|\n| y | **15.00±5.00** | 1.00 |\n| x | 20.00±10.00 | 2.50 |\n| w | 20.00±0.00 | 2.50 |\n| *partitions* | 2 | |\n"
	if err != nil || got != want {
		t.Errorf("%v\n%s", err, got)
	}
	for _, wrong := range [][]string{{"err", "a:x", "a:z"}, {"size", "a:x", "b:y"}, {"err", "a:x", "c:y"}} {
		if _, err := r.against(wrong[0], wrong[1:]); err == nil {
			t.Errorf("%v: no error", wrong)
		}
	}
	if _, err := r.table("against err a:x"); err == nil {
		t.Error("no error for a single system")
	}
}

// On Overclass, the mPCVMs do not miss any class.
func TestClasses(t *testing.T) {
	table := must.Get(classes("overclass"))(t)
	if strings.Count(table, "\n") != 12 || !strings.Contains(table, "| 10-pink | 3 |") {
		t.Errorf("\n%s", table)
	}
	for row := range strings.Lines(table) {
		if cells := strings.Split(row, "|"); strings.Contains(cells[5], "wrong") || strings.Contains(cells[6],
			"wrong") {
			t.Errorf("an mPCVM has errors: %s", row)
		}
	}
	for name, counts := range paperCounts {
		sum := 0
		for _, n := range counts {
			sum += n
		}
		// The paper's text gives these numbers of vectors of the mRVMs and of weights of the mPCVMs.
		if want := map[string]int{"mrvm1": 28, "mrvm2": 16, "mpcvm1": 76, "mpcvm2": 13}[name]; sum != want {
			t.Errorf("%s: the paper's counts add up to %d, want %d", name, sum, want)
		}
	}
}
