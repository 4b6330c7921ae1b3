// Command site builds the project's site from a checkout, without network access. Run it in the top folder
// of the checkout.
//
//	site [--playground | --table] FOLDER
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
)

func main() {
	only := flag.Bool("playground", false, "build only the folder of the playground")
	table := flag.Bool("table", false, "build only the front page and the folder of the page for tables")
	flag.Parse()
	err := errors.New("usage: site [--playground | --table] FOLDER")
	if flag.NArg() == 1 {
		_, err = buildSite(flag.Arg(0), *only, *table)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "site:", err)
		os.Exit(1)
	}
}

// buildSite empties a folder and writes the site into it.
func buildSite(out string, onlyPlayground, onlyTable bool) (*site, error) {
	s := &site{out: out, files: map[string]string{}}
	err := os.RemoveAll(out)
	if err == nil && !onlyTable {
		err = playground(out)
	}
	if err == nil && !onlyPlayground {
		s.engine, err = yourTable(out)
	}
	switch {
	case err != nil || onlyPlayground:
	case onlyTable:
		err = s.buildTable()
	default:
		err = s.build()
	}
	return s, err
}

// site is the state of a build.
type site struct {
	out    string
	kernel *manifest         // of the live notebooks
	files  map[string]string // the pages by the file or folder of the checkout that they show
	md     *markdown
	pages  []*page
	cards  []*card

	engine  int // the size of the engine of "Your table" in bytes
	lessons int // the number of notebooks, without solutions
}

func (s *site) build() error {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	reported := make(chan error, 1)
	go func() { reported <- sampleReport(ctx, s.out) }() // takes longest
	var err error
	if s.kernel, err = liveKernel(s.out); err != nil {
		return err
	}
	notebooks, err := s.notebookPages()
	if err != nil {
		return err
	}
	for _, d := range documents {
		s.files[d.file] = d.path()
	}
	if s.md, err = newMarkdown(s.files); err != nil {
		return err
	}
	for _, step := range []func() error{
		func() error { return s.notebooks(notebooks) },
		s.cardPages,
		s.documents,
		s.licenses,
		s.front,
		s.tablePage,
		s.styles,
	} {
		if err := step(); err != nil {
			return err
		}
	}
	if len(s.md.faults) > 0 {
		return errors.New("broken links:\n" + strings.Join(s.md.faults, "\n"))
	}
	for _, p := range s.pages {
		if err := p.write(s.out); err != nil {
			return err
		}
	}
	return <-reported
}

// buildTable builds the pages that open tables, without the pages that they link to.
func (s *site) buildTable() error {
	for _, from := range []string{"site/playground", "site/notebook"} {
		if err := copyFiles(filepath.Join(s.out, path.Base(from)), from, "*.js"); err != nil {
			return err
		}
	}
	for _, step := range []func() error{func() error { return sandbox(s.out) },
		func() error { return chartModules(filepath.Join(s.out, "playground")) }, s.front, s.tablePage, s.styles} {
		if err := step(); err != nil {
			return err
		}
	}
	for _, p := range s.pages {
		if err := p.write(s.out); err != nil {
			return err
		}
	}
	return nil
}

// styles writes the files that the pages share.
func (s *site) styles() error {
	style, err := os.ReadFile("site/style.css")
	if err != nil {
		return err
	}
	code, err := codeStyle()
	if err != nil {
		return err
	}
	for _, name := range []string{"charts.js", "icon.svg"} {
		if err := copyFile(filepath.Join(s.out, name), "site/"+name); err != nil {
			return err
		}
	}
	formulas, err := fs.Sub(katex, "katex")
	if err != nil {
		return err
	}
	err = fs.WalkDir(formulas, ".", func(name string, d fs.DirEntry, err error) error {
		if ext := path.Ext(name); err != nil || ext != ".css" && ext != ".woff2" {
			return err
		}
		b, err := fs.ReadFile(formulas, name)
		if err != nil {
			return err
		}
		return writeFile(filepath.Join(s.out, "katex", name), b)
	})
	if err != nil {
		return err
	}
	return writeFile(filepath.Join(s.out, "style.css"), append(style, code...))
}
