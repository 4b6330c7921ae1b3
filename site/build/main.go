// Command site builds the project's site from a checkout, without network access. Run it in the top folder
// of the checkout.
//
//	site [--playground] FOLDER
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

func main() {
	only := flag.Bool("playground", false, "build only the folder of the playground")
	flag.Parse()
	err := errors.New("usage: site [--playground] FOLDER")
	if flag.NArg() == 1 {
		_, err = buildSite(flag.Arg(0), *only)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "site:", err)
		os.Exit(1)
	}
}

// buildSite empties a folder and writes the site into it.
func buildSite(out string, onlyPlayground bool) (s *site, err error) {
	defer caught(&err)
	s = &site{out: out, files: map[string]string{}}
	check(os.RemoveAll(out))
	libraries := checked(os.MkdirTemp("", "libraries"))
	defer os.RemoveAll(libraries)
	patchLibraries(libraries)
	playground(out)
	if !onlyPlayground {
		s.build()
	}
	return s, nil
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

func (s *site) build() {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	reported := make(chan error, 1)
	go func() { reported <- sampleReport(ctx, s.out) }() // takes longest
	s.engine = yourTable(s.out)
	s.kernel = liveKernel(s.out)
	notebooks := s.notebookPages()
	for _, d := range documents {
		s.files[d.file] = d.path()
	}
	s.md = newMarkdown(s.files)
	s.notebooks(notebooks)
	s.cardPages()
	s.documents()
	s.licenses()
	s.write()
	s.limit()
	if len(s.md.faults) > 0 {
		check(errors.New("broken links:\n" + strings.Join(s.md.faults, "\n")))
	}
	check(<-reported)
}

// limit checks the size of all compressed files.
func (s *site) limit() {
	total := 0
	for _, folder := range []string{"*", "*/*"} {
		for _, file := range checked(filepath.Glob(filepath.Join(s.out, folder, "*.gz"))) {
			total += gzippedSize(file)
		}
	}
	if total > maxSite {
		check(fmt.Errorf("the site publishes %d bytes of compressed files, more than %d", total, maxSite))
	}
}

// write makes the pages that open tables, and writes all pages and the files that they share.
func (s *site) write() {
	s.front()
	s.tablePage()
	for _, name := range []string{"charts.js", "icon.svg"} {
		copyFile(filepath.Join(s.out, name), "site/"+name)
	}
	copyFiles(filepath.Join(s.out, "katex"), katex, "*.css")
	copyFiles(filepath.Join(s.out, "katex", "fonts"), filepath.Join(katex, "fonts"), "*.woff2")
	writeFile(filepath.Join(s.out, "style.css"), append(checked(os.ReadFile("site/style.css")), codeStyle()...))
	for _, p := range s.pages {
		p.write(s.out)
	}
}
