package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mpcvm/mpcvm/internal/ipynb"
	"github.com/mpcvm/mpcvm/internal/testkit/must"
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
		t.Error("a text that contains a folded part is taken for an answer")
	}
}

// TestCardsInPages counts the cells for readers, the folded cells and the answers in the pages of notebooks.
func TestCardsInPages(t *testing.T) {
	files, err := filepath.Glob("notebooks/*.ipynb")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		nb := must.Get(ipynb.Read(file))(t)
		page := must.Get(os.ReadFile(filepath.Join(built, strings.TrimSuffix(file, ".ipynb")+".html")))(t)
		want := map[string]int{`<p class="own-label">Your turn</p>`: 0, `<p class="own-label">Your guess</p>`: 0,
			"<summary>The finished function</summary>": 0, "<summary>Answer</summary>": 0}
		for _, c := range nb.Cells {
			switch is := c.Tagged; {
			case is("yours"):
				want[`<p class="own-label">Your turn</p>`]++
			case is("guess"):
				want[`<p class="own-label">Your guess</p>`]++
			case is("answer") && c.Type == "code":
				want["<summary>The finished function</summary>"]++
			case strings.HasPrefix(string(c.Source), "<details><summary>Answer</summary>"):
				want["<summary>Answer</summary>"]++
			}
		}
		for part, n := range want {
			if got := strings.Count(string(page), part); got != n {
				t.Errorf("%s has %s %d times, want %d", file, part, got, n)
			}
		}
	}
}
