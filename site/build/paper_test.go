package main

import (
	"slices"
	"strings"
	"testing"
)

// The page for readers of the paper has no hole: each equation has a formula and a section, and the equations
// of the two algorithms have code and exercises.
func TestPaper(t *testing.T) {
	all, otherSlips := equations()
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
	var undrawn, printed, wrong []int
	for n := 1; n <= 42; n++ {
		e := all[n]
		if len(e.figure) == 0 {
			undrawn = append(undrawn, n)
		}
		if len(e.values) > 0 {
			printed = append(printed, n)
			if _, line, _ := strings.Cut(e.values[0], "`"); !strings.ContainsAny(line, "0123456789") {
				t.Errorf("equation (%d) has no number in %q", n, e.values[0])
			}
		}
		if len(e.slips) > 0 {
			wrong = append(wrong, n)
		}
	}
	if want := []int{14, 27, 29, 30, 32, 33, 34, 35, 40}; !slices.Equal(undrawn, want) {
		t.Errorf("the equations without a figure are %v, want %v", undrawn, want)
	}
	if want := []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 20, 21, 22, 23, 24, 25, 26, 27,
		28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40}; !slices.Equal(printed, want) {
		t.Errorf("the equations with a value on Line are %v, want %v", printed, want)
	}
	if want := []int{13, 15, 16, 20, 28, 29, 31, 32, 33, 41, 42}; !slices.Equal(wrong, want) {
		t.Errorf("the equations with a slip are %v, want %v", wrong, want)
	}
	if len(otherSlips) != 12 || !strings.Contains(otherSlips[11], "the cost of mPCVM₂") {
		t.Errorf("the other slips are %q", otherSlips)
	}
	if text := paperText(all, otherSlips); strings.Count(text, "\n## Equation ") != 42 {
		t.Error("the page does not list 42 equations")
	}
}
