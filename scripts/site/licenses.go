package main

import (
	"errors"
	"fmt"
	"html"
	"path/filepath"
	"regexp"
	"strings"
)

// licenses makes the folder of licences: the project's licence, and the licences of what the site carries.
func (s *site) licenses() error {
	root, err := goTool("env", "GOROOT")
	if err != nil {
		return err
	}
	chroma, err := goTool("-C", "scripts", "list", "-m", "-f", "{{.Dir}}", "github.com/alecthomas/chroma/v2")
	if err != nil {
		return err
	}
	type owner struct{ name, use, file string }
	all := []owner{
		{"mPCVM", "this project", "LICENSE"},
		{"Apache ECharts", "charts", "nbhelpers/echarts/LICENSE"}, {"Apache ECharts: notice", "charts", "nbhelpers/echarts/NOTICE"},
		{"zrender", "part of ECharts", "nbhelpers/echarts/LICENSE-zrender"}, {"d3", "part of ECharts", "nbhelpers/echarts/LICENSE-d3"},
		{"KaTeX", "style and fonts of formulas", "scripts/site/katex/LICENSE"},
		{"Chroma", "colours of code", filepath.Join(chroma, "COPYING")},
		{"Go", "wasm_exec.js, the standard library, and the compiler and linker that run in the page", filepath.Join(root, "LICENSE")},
	}
	folders, err := modulesOf("./site/playground/wasm", "./notebooks/lesson", "./internal/workbook/excel", "./mpcvm/...", "./data/...")
	if err != nil {
		return err
	}
	for _, f := range folders {
		name, folder, _ := strings.Cut(f, " ")
		var files []string
		for _, pattern := range []string{"LICEN[CS]E*", "NOTICE*", "THIRD_PARTY_LICENSES/*"} {
			more, err := filepath.Glob(filepath.Join(folder, pattern))
			if err != nil {
				return err
			}
			files = append(files, more...)
		}
		if len(files) == 0 {
			return errors.New("no licence in " + folder)
		}
		for _, file := range files {
			all = append(all, owner{name + ": " + filepath.Base(file), "in the playground's engine or among the packages that cells may import", file})
		}
	}
	rows := ""
	for _, l := range all {
		text := strings.Trim(regexp.MustCompile(`[^a-z0-9.]+`).ReplaceAllString(strings.ToLower(l.name), "-"), "-") + ".txt"
		if err := copyFile(filepath.Join(s.out, "licenses", text), l.file); err != nil {
			return err
		}
		rows += fmt.Sprintf("<tr><td><a href=%q>%s</a></td><td>%s</td></tr>\n", text, html.EscapeString(l.name), html.EscapeString(l.use))
	}
	s.pages = append(s.pages, &page{path: "licenses/index.html", title: "Licences and notices", about: "The licences of this project and of what its site carries.",
		body: "<h1>Licences and notices</h1>\n<p>The site is made of this project's files. These parts of it come from others, with their licences. The data sets have <a href=\"../docs/data-sources.html\">licences of their own</a>.</p>\n" +
			"<div class=\"wide\" tabindex=\"0\"><table><thead><tr><th>Licence</th><th>Of what</th></tr></thead><tbody>\n" + rows + "</tbody></table></div>\n"})
	return nil
}

// modulesOf lists the other modules in a program for WebAssembly, each with its folder.
func modulesOf(programs ...string) ([]string, error) {
	out, err := wasmTool(append([]string{"list", "-deps", "-f", "{{with .Module}}{{if not .Main}}{{.Path}} {{.Dir}}{{end}}{{end}}"}, programs...)...)
	seen := map[string]bool{}
	var all []string
	for line := range strings.Lines(out) {
		if line = strings.TrimSpace(line); line != "" && !seen[line] {
			seen[line] = true
			all = append(all, line)
		}
	}
	return all, err
}
