package main

import (
	"io"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/mpcvm/mpcvm/internal/ipynb"
	"github.com/mpcvm/mpcvm/internal/testkit/must"
)

func TestUngated(t *testing.T) {
	code := func(source, said string, tags ...string) ipynb.Cell {
		c := ipynb.Cell{Type: "code", Source: ipynb.Text(source), Outputs: []ipynb.Output{{Type: "stream", Text: ipynb.Text(said)}}}
		c.Metadata.Tags = tags
		return c
	}
	const stub = "func f() float64 {\n\tpanic(lesson.Unwritten(\"f\"))\n}\n\n%%\nfmt.Println(lesson.Check(f))"
	const user = "func (s *em) g() float64 { return f() }\n\nfunc h() {} // like f"
	for _, c := range []struct {
		source, said string
		want         int
	}{
		{"%%\nfmt.Println(s.g())", "write f first\n", 0},
		{"%%\nfmt.Println(s.g())", "56.1 ± 0.3\n", 1},
		{"%%\nfmt.Println(f())", "Ridge: 180\nwrite f first\n", 0},
		{"%%\nfmt.Println(f())", "It is 180: write f first\n", 1},
		{"%%\nh(\"f\")", "12\n", 0},
	} {
		nb := ipynb.Notebook{Cells: []ipynb.Cell{code(stub, "not yet", "yours"), code(user, ""), code(c.source, c.said)}}
		if got := ungated(io.Discard, "", nb); got != c.want {
			t.Errorf("%q with %q: %d cells, want %d", c.source, c.said, got, c.want)
		}
	}
}

// Each function that the reader writes stops what uses it until it is written.
func TestUnwritten(t *testing.T) {
	function := regexp.MustCompile(`(?ms)^func (?:\([^)]*\) )?(\w+)\(.*?^\}`)
	n := 0
	for _, file := range must.Get(filepath.Glob("../../notebooks/*.ipynb"))(t) {
		for i, c := range must.Get(ipynb.Read(file))(t).Cells {
			if !c.Tagged("yours") {
				continue
			}
			found := 0
			for _, m := range function.FindAllStringSubmatch(string(c.Source), -1) {
				if strings.Contains(m[0], "\tpanic(lesson.Unwritten(\""+m[1]+"\"))\n}") {
					found++
				}
			}
			if n += found; found == 0 || found != strings.Count(string(c.Source), "lesson.Unwritten(") {
				t.Errorf("%s, cell %d: a function does not panic with lesson.Unwritten and its name", file, i)
			}
		}
	}
	if n < 20 {
		t.Errorf("%d functions", n)
	}
}
