package main

import (
	"fmt"
	"math"
	"path/filepath"
	"regexp"
	"strings"
	"unicode"

	"github.com/mpcvm/mpcvm/internal/ipynb"
)

var (
	displayed = regexp.MustCompile(`(?s)\$\$.*?\$\$`)
	inline    = regexp.MustCompile(`\$[^$]*\$`)
	target    = regexp.MustCompile(`\]\([^)]*\)`)
)

// size returns the number of words in a notebook without formulas and addresses, of lines of code in cells
// without the tag hide-input, and of displayed formulas.
func size(nb ipynb.Notebook) (words, lines, formulas int) {
	for _, c := range nb.Cells {
		source := string(c.Source)
		switch {
		case c.Type == "markdown":
			formulas += len(displayed.FindAllString(source, -1))
			source = inline.ReplaceAllString(displayed.ReplaceAllString(source, ""), "")
			for _, w := range strings.Fields(target.ReplaceAllString(source, "]")) {
				if strings.ContainsFunc(w, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) {
					words++
				}
			}
		case !c.Tagged("hide-input"):
			for line := range strings.Lines(source) {
				if strings.TrimSpace(line) != "" {
					lines++
				}
			}
		}
	}
	return words, lines, formulas
}

// takes returns the number of minutes that a reader needs, at 130 words or 12 lines of code per minute and
// a minute per formula, rounded to a multiple of five.
func takes(words, lines, formulas int) int {
	return 5 * int(math.Round((float64(words)/130+float64(lines)/12+float64(formulas))/5))
}

// count prints the size of each notebook in a folder as a Markdown table.
func count(dir string) error {
	files, err := filepath.Glob(filepath.Join(dir, "*.ipynb"))
	if err != nil {
		return err
	}
	fmt.Println("| notebook | words | lines | formulas | minutes |\n|---|---|---|---|---|")
	var sum [4]int
	for _, file := range files {
		nb, err := ipynb.Read(file)
		if err != nil {
			return err
		}
		w, l, f := size(nb)
		for i, v := range []int{w, l, f, takes(w, l, f)} {
			sum[i] += v
		}
		fmt.Printf("| %s | %d | %d | %d | %d |\n", strings.TrimSuffix(filepath.Base(file), ".ipynb"), w, l, f,
			takes(w, l, f))
	}
	fmt.Printf("| all | %d | %d | %d | %d |\n", sum[0], sum[1], sum[2], sum[3])
	return nil
}
