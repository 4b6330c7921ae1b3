package nbhelpers

import (
	"fmt"
	"strings"
)

// Heading is a heading below the title of the page.
func Heading(text string) Block { return Element("<h2>", text, "</h2>") }

// Text is a paragraph.
func Text(text string) Block { return Element("<p>", text, "</p>") }

// Code is a text in a fixed-width font that keeps its lines.
func Code(text string) Block { return Element(`<pre tabindex="0">`, text, "</pre>") }

// Row makes the cells of a row for Table. The format is as of fmt.Sprintf, and | stands
// between two cells: Row("%s|%.1f", name, err).
func Row(format string, values ...any) []string {
	return strings.Split(fmt.Sprintf(format, values...), "|")
}
