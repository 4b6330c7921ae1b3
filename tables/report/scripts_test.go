package report_test

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
	"github.com/mpcvm/mpcvm/nbhelpers"
	"github.com/mpcvm/mpcvm/tables"
	"github.com/mpcvm/mpcvm/tables/eval"
	"github.com/mpcvm/mpcvm/tables/report"
)

// reportOf is the report of a model of a table.
func reportOf(t *testing.T, path string, k kernel.Kernel, costs *mat.Dense) nbhelpers.Block {
	t.Helper()
	all, err := tables.Open(path, tables.Options{})
	if err != nil {
		t.Fatal(err)
	}
	learner := mpcvm.BottomUp{Kernel: k}
	m, result, err := tables.Fit(t.Context(), all, "", learner)
	if err != nil {
		t.Fatal(err)
	}
	opt := eval.EvaluateOptions{Learner: learner, Result: result}
	if costs != nil {
		m, opt.Costs = m.With(m.Model().WithCosts(costs)), costs
	}
	figures, err := eval.Evaluate(t.Context(), all, m, opt)
	if err != nil {
		t.Fatal(err)
	}
	document, err := report.Full(t.Context(), figures, report.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return document.Page()
}

// TestScripts: every report contains the same scripts, Scripts, and the same policy.
func TestScripts(t *testing.T) {
	var hashes []string
	for _, script := range report.Scripts() {
		sum := sha256.Sum256([]byte(script))
		hashes = append(hashes, "'sha256-"+base64.StdEncoding.EncodeToString(sum[:])+"'")
	}
	slices.Sort(hashes)
	penguins := reportOf(t, "../../data/penguins.csv", kernel.RBF{Theta: 0.1}, nil)
	iris := reportOf(t, "../../data/iris.csv", kernel.Polynomial{Degree: 2, Offset: 1},
		mat.NewDense(3, 3, []float64{0, 1, 5, 1, 0, 1, 2, 1, 0}))
	var first []string
	for i, blocks := range [][]nbhelpers.Block{{penguins}, {iris}, {iris, penguins}} {
		var b strings.Builder
		if err := nbhelpers.WritePage(&b, fmt.Sprint("report ", i), blocks...); err != nil {
			t.Fatal(err)
		}
		var scripts []string
		data := 0
		for _, m := range regexp.MustCompile(`(?s)<script([^>]*)>(.*?)</script>`).FindAllStringSubmatch(b.String(), -1) {
			if strings.Contains(m[1], `type="text/plain"`) {
				data++
				continue
			}
			scripts = append(scripts, m[2])
			if !slices.Contains(report.Scripts(), m[2]) {
				t.Errorf("page %d contains another script: %.80q", i, m[2])
			}
		}
		if want := len(blocks) + 1; data != want { // the rows of each report, and the charts
			t.Errorf("page %d has %d blocks of data, want %d", i, data, want)
		}
		if i == 0 {
			first = scripts
		}
		if !slices.Equal(scripts, first) {
			t.Errorf("page %d differs from the first in its scripts", i)
		}
		policy := regexp.MustCompile(`script-src ([^;]*);`).FindStringSubmatch(b.String())[1]
		if got := slices.Sorted(slices.Values(strings.Fields(policy))); !slices.Equal(got, hashes) {
			t.Errorf("page %d allows %q, want %q", i, got, hashes)
		}
	}
}

// A page of your own can show reports in frames (<iframe srcdoc>) if its policy allows their scripts.
func ExampleScripts() {
	policy := "default-src 'none'; img-src data: blob:; style-src 'unsafe-inline'; script-src"
	for _, script := range report.Scripts() {
		sum := sha256.Sum256([]byte(script))
		policy += " 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	}
	fmt.Println(strings.Count(policy, "sha256-"), "scripts")
	// Output: 4 scripts
}
