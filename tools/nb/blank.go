package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// writeBlank replaces dir/blank by the notebooks of dir for use in class.
func writeBlank(dir string) error {
	files, err := filepath.Glob(filepath.Join(dir, "*.ipynb"))
	if err != nil {
		return err
	}
	to := filepath.Join(dir, "blank")
	if err := os.RemoveAll(to); err != nil {
		return err
	}
	if err := os.Mkdir(to, 0o755); err != nil { //nolint:gosec // a folder of the repository
		return err
	}
	for _, file := range files {
		if err := rewritten(filepath.Join(to, filepath.Base(file)), file, blank); err != nil {
			return err
		}
	}
	return nil
}

var (
	// link is the target of a link in Markdown or HTML.
	link = regexp.MustCompile(`(\]\(|(?:href|src)=")([^)"]+)`)
	// away matches targets that are not files of the repository, and own matches notebooks in the same
	// folder, which also exist in the folder of blank notebooks.
	away = regexp.MustCompile(`^(#|[a-z]+:)`)
	own  = regexp.MustCompile(`^[^/]+\.ipynb$`)
	// above matches the start of a path in a code cell that leaves the notebook's folder.
	above = regexp.MustCompile(`("|\$GONB_DIR"?/)\.\./`)
	// solutions matches the line that links to the solutions.
	solutions = regexp.MustCompile(`(?m)^Solutions: .*\n?`)
)

// blank returns a notebook without outputs, without cells tagged answer, and without the line that links to
// the solutions. Without the answers, the reader's functions with the same names are used. Relative paths
// are adjusted, because the notebook is one folder deeper.
func blank(text []byte) ([]byte, error) {
	nb, err := decoded(text)
	if err != nil {
		return nil, err
	}
	cells := slices.DeleteFunc(list(nb["cells"]), func(c any) bool { return tagged(c, "answer") })
	nb["cells"] = cells
	for _, c := range cells {
		c, source := object(c), joined(object(c)["source"])
		if c["cell_type"] == "code" {
			c["outputs"], c["execution_count"] = []any{}, nil
			source = above.ReplaceAllString(source, "$0../")
		} else {
			source = link.ReplaceAllStringFunc(solutions.ReplaceAllString(source, ""), func(s string) string {
				m := link.FindStringSubmatch(s)
				if away.MatchString(m[2]) || own.MatchString(m[2]) {
					return s
				}
				return m[1] + "../" + m[2]
			})
		}
		c["source"] = slices.AppendSeq([]string{}, strings.Lines(source))
	}
	return encoded(nb)
}

// tagged reports whether a cell has a tag.
func tagged(cell any, tag string) bool {
	return slices.Contains(list(object(object(cell)["metadata"])["tags"]), any(tag))
}
