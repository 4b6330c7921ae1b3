package main

import (
	"errors"
	"fmt"
	"html"
	"path/filepath"
	"regexp"
	"strings"
)

// license is a licence text, with the name of the work and its use in the site.
type license struct{ name, use, file string }

// licenses makes the folder of licences, for the project and for everything else that the site contains.
func (s *site) licenses() error {
	root, err := goTool("env", "GOROOT")
	if err != nil {
		return err
	}
	chroma, err := goTool("list", "-m", "-f", "{{.Dir}}", "github.com/alecthomas/chroma/v2")
	if err != nil {
		return err
	}
	all := []license{
		{"mPCVM", "this project", "LICENSE"},
		{"Apache ECharts", "charts", "internal/chart/echarts/LICENSE"}, {"Apache ECharts: notice", "charts",
			"internal/chart/echarts/NOTICE"},
		{"zrender", "part of ECharts", "internal/chart/echarts/LICENSE-zrender"}, {"d3", "part of ECharts",
			"internal/chart/echarts/LICENSE-d3"},
		{"KaTeX", "style and fonts of formulas", "site/build/katex/LICENSE"},
		{"Chroma", "colours of code", filepath.Join(chroma, "COPYING")},
		{"Go", "compiler, linker and standard library in the kernel of notebooks, standard library in the " +
			"playground's engine, wasm_exec.js", filepath.Join(root, "LICENSE")},
	}
	folders, err := modulesOf("./site/playground/wasm", "./notebooks/lesson", "./tables/internal/workbook/excel",
		"./mpcvm/...", "./data/...", "./tables/...")
	if err != nil {
		return err
	}
	for _, f := range folders {
		name, folder, _ := strings.Cut(f, " ")
		if all, err = withLicenses(all, name, "in the playground's engine or among the packages that cells may "+
			"import", folder); err != nil {
			return err
		}
	}
	vendored, err := filepath.Glob("site/build/vendored/*")
	if err != nil {
		return err
	}
	for _, folder := range vendored {
		if all, err = withLicenses(all, filepath.Base(folder), "npm package in the pages of notebooks",
			folder); err != nil {
			return err
		}
	}
	rows := ""
	for _, l := range all {
		text := strings.Trim(regexp.MustCompile(`[^a-z0-9.]+`).ReplaceAllString(strings.ToLower(l.name), "-"),
			"-") + ".txt"
		if err := copyFile(filepath.Join(s.out, "licenses", text), l.file); err != nil {
			return err
		}
		rows += fmt.Sprintf("<tr><td><a href=%q>%s</a></td><td>%s</td></tr>\n", text, html.EscapeString(l.name),
			html.EscapeString(l.use))
	}
	s.pages = append(s.pages, &page{path: "licenses/index.html", title: "Licences and notices",
		about: "The licences of this project and of the third-party files on its site.",
		body: "<h1>Licences and notices</h1>\n<p>The site consists of this project's files and the following " +
			"third-party files, under their own licences. The data sets have <a " +
			"href=\"../docs/data-sources.html\">separate licences</a>.</p>\n" +
			"<div class=\"wide\" tabindex=\"0\"><table><thead><tr><th>Licence</th>" +
			"<th>Used for</th></tr></thead><tbody>\n" + rows + "</tbody></table></div>\n"})
	return nil
}

// withLicenses appends the licence texts in a folder. It returns an error if there are none.
func withLicenses(all []license, name, use, folder string) ([]license, error) {
	var files []string
	for _, pattern := range []string{"LICEN[CS]E*", "NOTICE*", "THIRD_PARTY_LICENSES/*"} {
		more, err := filepath.Glob(filepath.Join(folder, pattern))
		if err != nil {
			return nil, err
		}
		files = append(files, more...)
	}
	if len(files) == 0 {
		return nil, errors.New("no licence in " + folder)
	}
	for _, file := range files {
		all = append(all, license{name + ": " + filepath.Base(file), use, file})
	}
	return all, nil
}

// modulesOf lists the other modules in programs for WebAssembly, each with its folder.
func modulesOf(programs ...string) ([]string, error) {
	out, err := wasmTool(append([]string{"list", "-deps", "-f", "{{with .Module}}{{if not .Main}}{{.Path}} " +
		"{{.Dir}}{{end}}{{end}}"}, programs...)...)
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
