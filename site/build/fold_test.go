package main

import (
	"strings"
	"testing"
)

// TestFolds checks which cells of a notebook are hidden, and how.
func TestFolds(t *testing.T) {
	for source, want := range map[string]bool{
		"// GoNB adds the others.\nimport nb \"x/nbhelpers\"\n\n%%\nnb.Init()":   true,
		"import (\n\t\"math/rand/v2\"\n\tnb \"x\"\n)\n\n%%\nnb.Init() // charts": true,
		"import nb \"x\"\n\n%%\nnb.Init()\nfmt.Println(1)":                       false,
		"func f() int { return 1 }":                                              false,
	} {
		if got := setsUp(source); got != want {
			t.Errorf("setsUp(%q) is %t", source, got)
		}
	}
	if m := foldedText.FindStringSubmatch("<details><summary>A</summary>\n\nb\n\n</details>"); m == nil || m[1] != "A" ||
		strings.TrimSpace(m[2]) != "b" {
		t.Errorf("the answer is %q", m)
	}
	if foldedText.MatchString("x <details><summary>A</summary>\nb\n</details>") {
		t.Error("a text with a detail is taken for an answer")
	}
}
