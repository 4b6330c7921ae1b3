package main

import (
	"strings"
	"testing"
)

// The page for readers of the paper has no hole: each equation has a formula and a section, and the equations
// of the two algorithms have code and exercises.
func TestPaper(t *testing.T) {
	all := equations()
	for n, e := range all {
		if !strings.Contains(e.formula, "$$") || strings.Count(e.formula, `\tag{`) != 1 {
			t.Errorf("equation (%d) has the formula %q", n, e.formula)
		}
		if !strings.HasPrefix(e.home, "De") || !strings.Contains(e.home, ".ipynb#") {
			t.Errorf("equation (%d) has the section %q", n, e.home)
		}
	}
	for _, n := range []int{3, 10, 12, 22, 23, 24, 28, 29, 37, 38, 39} {
		if len(all[n].code) == 0 {
			t.Errorf("no line of code names equation (%d)", n)
		}
	}
	for _, n := range []int{10, 22, 23, 24, 29, 36, 39} {
		if len(all[n].exercises) == 0 {
			t.Errorf("no exercise names equation (%d)", n)
		}
	}
	if text := paperText(all); strings.Count(text, "\n## Equation ") != 42 {
		t.Error("the page does not list 42 equations")
	}
}
