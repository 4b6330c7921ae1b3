package main

import (
	"errors"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// license is a licence text, with the name of the work and its use in the site.
type license struct{ Name, Use, file string }

// Page is the path of the text in the folder of licences.
func (l license) Page() string {
	return strings.Trim(regexp.MustCompile(`[^a-z0-9.]+`).ReplaceAllString(strings.ToLower(l.Name), "-"), "-") +
		".txt"
}

// licenses makes the folder of licences, for the project and for everything else that the site contains.
func (s *site) licenses() {
	root := checked(goTool("env", "GOROOT"))
	chroma := checked(goTool("list", "-m", "-f", "{{.Dir}}", "github.com/alecthomas/chroma/v2"))
	const echarts = "internal/chart/echarts/"
	all := []license{
		{"mPCVM", "this project", "LICENSE"},
		{"Apache ECharts", "charts", echarts + "LICENSE"}, {"Apache ECharts: notice", "charts", echarts + "NOTICE"},
		{"zrender", "part of ECharts", echarts + "LICENSE-zrender"},
		{"d3", "part of ECharts", echarts + "LICENSE-d3"},
		{"KaTeX", "style and fonts of formulas", katex + "/LICENSE"},
		{"Chroma", "colours of code", filepath.Join(chroma, "COPYING")},
		{"Go", "compiler, linker and standard library in the kernel of notebooks, standard library in the " +
			"playground's engine, wasm_exec.js", filepath.Join(root, "LICENSE")},
	}
	for _, f := range modulesOf("./site/playground/wasm", "./notebooks/lesson",
		"./tables/internal/workbook/excel", "./mpcvm/...", "./data/...", "./tables/...") {
		name, folder, _ := strings.Cut(f, " ")
		all = checked(withLicenses(all, name, "in the playground's engine or among the packages that cells may "+
			"import", folder))
	}
	for _, folder := range checked(filepath.Glob("site/build/vendored/*")) {
		all = checked(withLicenses(all, filepath.Base(folder), "npm package in the pages of notebooks", folder))
	}
	for _, l := range all {
		copyFile(filepath.Join(s.out, "licenses", l.Page()), l.file)
	}
	s.pages = append(s.pages, &page{path: "licenses/index.html", title: "Licences and notices",
		about: "The licences of this project and of the third-party files on its site.",
		body:  filled("licenses.html", all)})
}

// withLicenses appends the licence texts in a folder. It returns an error if there are none.
func withLicenses(all []license, name, use, folder string) ([]license, error) {
	before := len(all)
	for _, pattern := range []string{"LICEN[CS]E*", "NOTICE*", "THIRD_PARTY_LICENSES/*"} {
		for _, file := range checked(filepath.Glob(filepath.Join(folder, pattern))) {
			all = append(all, license{name + ": " + filepath.Base(file), use, file})
		}
	}
	if len(all) == before {
		return nil, errors.New("no licence in " + folder)
	}
	return all, nil
}

// modulesOf lists the other modules in programs for WebAssembly, each with its folder.
func modulesOf(programs ...string) (all []string) {
	out := wasmTool(append([]string{"list", "-deps", "-f", "{{with .Module}}{{if not .Main}}{{.Path}} {{.Dir}}" +
		"{{end}}{{end}}"}, programs...)...)
	for line := range strings.Lines(out) {
		if line = strings.TrimSpace(line); line != "" && !slices.Contains(all, line) {
			all = append(all, line)
		}
	}
	return all
}
