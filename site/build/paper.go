package main

import (
	"cmp"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/mpcvm/mpcvm/internal/ipynb"
)

// labels are the labels of the paper's numbered equations in its source, by which the code names them.
var labels = map[string]int{"f_rvm": 1, "pcvm_func": 2, "mc_principle": 3, "mpcvm_2": 4, "Y": 5,
	"hidden_var": 6, "Z": 7, "p(tn,i)": 10, "p(t)": 11, "truncatd_gaussian": 12, "w_prior": 13,
	"bias_gaussian": 14, "gamma_prior": 15, "full_prior_w": 17, "full_prior_b": 18, "complete_post": 19,
	"q_func": 20, "q": 21, "z_nj": 22, "z_nc": 23, "alpha_nc": 24, "beta_c": 25, "dqdw": 26, "dqdb": 27,
	"new_w": 28, "new_b": 29, "wpos": 30, "w_pos2": 31, "type2": 32, "snc": 37, "qnc": 38, "qgts": 39,
	"auc_define": 40}

// equation is a numbered equation of the paper: its formula, the section of a notebook that derives or
// defines it, a chart of it, the lines of code that compute it, the exercises in which readers write it, what
// it gives on the set Line, and the slips of the paper in it.
type equation struct {
	formula, home                          string
	figure, code, exercises, values, slips []string
}

var (
	formulaBlock = regexp.MustCompile(`(?s)\$\$.*?\$\$`)
	formulaTag   = regexp.MustCompile(`\\tag\{(\d+)\}`)
	heading      = regexp.MustCompile(`(?m)^## (.*)$`)
	numbered     = regexp.MustCompile(`\((\d+)\)`)

	slipKind   = regexp.MustCompile(`(?m)^- \*\*(.*?)\*\*: (.*)\.$`)
	slipEnd    = regexp.MustCompile(`(?: \(0[^)]*\))?(?:; |\. |$)`) // (04, 05) are notebooks
	slipNumber = regexp.MustCompile(`(by )?\(([1-9]\d*)\)`)
)

// equations collects the equations from the notebooks and the comments of the code, and the slips of the
// paper that name none.
func equations() (all map[int]*equation, otherSlips []string) {
	all = map[int]*equation{}
	for n := 1; n <= 42; n++ {
		all[n] = &equation{}
	}
	for _, file := range checked(filepath.Glob("notebooks/*.ipynb")) {
		nb := checked(ipynb.Read(file))
		number, _, _ := strings.Cut(filepath.Base(file), "-")
		section, link, exercises := "", "", map[int]bool{}
		var undrawn []*equation
		for _, c := range nb.Cells {
			source := string(c.Source)
			if m := heading.FindStringSubmatch(source); c.Type == "markdown" && m != nil {
				id := string(newIDs().Generate([]byte(m[1]), 0))
				section = number + ": " + m[1]
				link = fmt.Sprintf("[%s](../%s#%s)", section, file, id)
				undrawn = nil
			}
			here := fmt.Sprintf("[%s](../%s#cell-%s)", section, file, c.ID)
			if slices.ContainsFunc(c.Outputs, drawn) {
				for _, e := range undrawn {
					e.figure = []string{here}
				}
				undrawn = nil
			}
			for _, tag := range c.Metadata.Tags {
				kind, rest, _ := strings.Cut(tag, "-")
				digits, line, _ := strings.Cut(rest, "-")
				n, err := strconv.Atoi(digits)
				said := map[string]string{"derives": "Derived", "defines": "Defined"}[kind]
				if said != "" && err == nil {
					all[n].home = said + " in " + link
					all[n].formula = formulaOf(source, n)
					undrawn = append(undrawn, all[n])
				}
				if kind == "figure" {
					check(err)
					all[n].figure = []string{here}
				}
				if kind == "value" {
					check(err)
					all[n].values = append(all[n].values, here+", `"+printed(c, cmp.Or(line, "1"))+"`")
				}
			}
			if !c.Tagged("yours") {
				continue
			}
			for _, m := range numbered.FindAllStringSubmatch(source, -1) {
				if n, _ := strconv.Atoi(m[1]); all[n] != nil && strings.Contains(source, "// ") && !exercises[n] {
					exercises[n] = true
					all[n].exercises = append(all[n].exercises, link)
				}
			}
		}
	}
	check(filepath.WalkDir("mpcvm", func(file string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") {
			return err
		}
		line := 0
		for text := range strings.Lines(string(checked(os.ReadFile(file)))) {
			line++
			_, comment, _ := strings.Cut(text, "//")
			for label, n := range labels {
				if strings.Contains(comment, "eq. "+label) ||
					strings.Contains(comment, "("+label+")") && strings.Contains(comment, "eq") {
					all[n].code = append(all[n].code, fmt.Sprintf("[%s, line %d](../%s#L%d)",
						strings.TrimPrefix(file, "mpcvm/"), line, file, line))
				}
			}
		}
		return nil
	}))
	return all, addSlips(all)
}

// drawn reports whether an output is a chart or a diagram.
func drawn(o ipynb.Output) bool {
	return strings.Contains(o.HTML(), `class="mpcvm-chart"`) || strings.Contains(o.HTML(), "<picture>")
}

// printed returns a line of the text that a cell prints, where a line that ends in a colon continues on the
// next one. The tag value-22-2 names line 2 for equation (22), and value-22 line 1.
func printed(c ipynb.Cell, number string) string {
	text := ""
	for _, o := range c.Outputs {
		text += string(o.Text)
	}
	lines, at := strings.Split(strings.ReplaceAll(text, ":\n", ": "), "\n"), checked(strconv.Atoi(number))
	if at < 1 || at >= len(lines) { // the last one ends the text
		check(fmt.Errorf("cell %s does not print a line %d", c.ID, at))
	}
	return lines[at-1]
}

// addSlips adds the clauses of the list of slips that name an equation, except as the reason: "by (27)". It
// returns the other clauses.
func addSlips(all map[int]*equation) (others []string) {
	_, list, _ := strings.Cut(string(checked(os.ReadFile("notebooks/README.md"))), "\n## Slips of the paper\n")
	for _, kind := range slipKind.FindAllStringSubmatch(list, -1) {
		for _, clause := range slipEnd.Split(kind[2], -1) {
			slip := clause + " ([" + strings.ToLower(kind[1]) + "](../notebooks/README.md#slips-of-the-paper))"
			named := false
			for _, m := range slipNumber.FindAllStringSubmatch(clause, -1) {
				e := all[checked(strconv.Atoi(m[2]))]
				if named = named || e != nil; m[1] == "" && e != nil && !slices.Contains(e.slips, slip) {
					e.slips = append(e.slips, slip)
				}
			}
			if !named && clause != "" {
				others = append(others, slip)
			}
		}
	}
	return others
}

// formulaOf returns the block of a cell that contains an equation, without the numbers of the others.
func formulaOf(source string, n int) string {
	tag := fmt.Sprintf(`\tag{%d}`, n)
	for _, block := range formulaBlock.FindAllString(source, -1) {
		if strings.Contains(block, tag) {
			return formulaTag.ReplaceAllStringFunc(block, func(s string) string {
				if s == tag {
					return s
				}
				return ""
			})
		}
	}
	return ""
}

// paperText is the page for readers of the paper in Markdown: each equation with what is known about it, and
// the other slips.
func paperText(all map[int]*equation, otherSlips []string) string {
	var b, numbers strings.Builder
	for _, n := range slices.Sorted(maps.Keys(all)) {
		e := all[n]
		fmt.Fprintf(&numbers, "[(%d)](#equation-%d) ", n, n)
		fmt.Fprintf(&b, "## Equation %d\n\n%s\n\n- %s\n", n, e.formula, e.home)
		for _, list := range []struct {
			said  string
			links []string
		}{{"Figure", e.figure}, {"In the code", e.code}, {"Write it yourself", e.exercises},
			{"On the set Line", e.values}, {"Slip of the paper", e.slips}} {
			if len(list.links) > 0 {
				fmt.Fprintf(&b, "- %s: %s\n", list.said, strings.Join(list.links, "; "))
			}
		}
		b.WriteString("\n")
	}
	return "# The paper, equation by equation\n\nFor readers with the paper on the desk: its 42 numbered " +
		"equations, each with the section of a notebook that derives or defines it. Where they exist, the " +
		"page also lists a figure, the lines of code that compute the equation, the " +
		"exercise that checks your version of it, what a cell prints when it evaluates the equation on the " +
		"set Line, and slips of the paper.\n\n" + numbers.String() + "\n\n" + b.String() +
		"## Slips that name no equation\n\n- " + strings.Join(otherSlips, "\n- ") + "\n"
}
