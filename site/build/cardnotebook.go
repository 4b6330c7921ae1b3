package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/token"
	"regexp"
	"strings"
)

var (
	// chartFile and pageFile match how a card writes a chart or a page of blocks. A notebook displays them
	// instead.
	chartFile = regexp.MustCompile(`(?m)^(\t*)if err := (.*)\.WriteFile\(".*"\); err != nil \{\n.*\n\t*\}$`)
	pageFile  = regexp.MustCompile(
		`(?m)^(\t*)if err := nbhelpers\.WritePageFile\("[^"]*", "[^"]*", (.*)\); err != nil \{\n.*\n\t*\}$`)
)

// notebook converts the card to a notebook: its comment as Markdown, its imports as a set-up cell, and its
// program.
func (c *card) notebook() []byte {
	fset, f, of := c.parse()
	text := func(from, to token.Pos) string {
		return c.source[fset.Position(from).Offset:fset.Position(to).Offset]
	}
	if len(f.Decls) != 2 {
		check(errors.New("card " + c.name + ": want one import declaration and main"))
	}
	imports, main := f.Decls[0], f.Decls[1].(*ast.FuncDecl)
	body := strings.ReplaceAll(strings.Trim(text(main.Body.Lbrace+1, main.Body.Rbrace), "\n"), "\n\t", "\n")
	body = strings.TrimPrefix(body, "\t")
	body = chartFile.ReplaceAllString(pageFile.ReplaceAllString(body, "${1}$2.Display()"), "${1}$2.Display()")
	body = strings.ReplaceAll(body, `"penguins.csv"`, `"../data/penguins.csv"`)
	if strings.Contains(body, ".html\"") {
		check(errors.New("card " + c.name + ": its notebook would write a page instead of displaying it"))
	}
	p := of.Printer()
	p.HeadingLevel, p.DocLinkBaseURL = 2, strings.TrimSuffix(reference, "/")
	cell := func(kind, id, source string, tags ...string) map[string]any {
		metadata := map[string]any{}
		if len(tags) > 0 {
			metadata["tags"] = tags
		}
		cell := map[string]any{"cell_type": kind, "id": id, "metadata": metadata,
			"source": strings.SplitAfter(strings.TrimSpace(source), "\n")}
		if kind == "code" {
			cell["execution_count"], cell["outputs"] = nil, []any{}
		}
		return cell
	}
	var b bytes.Buffer
	w := json.NewEncoder(&b)
	w.SetEscapeHTML(false)
	w.SetIndent("", " ")
	check(w.Encode(map[string]any{
		"cells": []any{
			cell("markdown", c.name+"-about", "# "+c.title+"\n\n"+string(p.Markdown(of.Parser().Parse(c.comment)))),
			cell("code", c.name+"-setup", text(imports.Pos(), imports.End())+"\n\n%%\nnbhelpers.Init()", "hide-input"),
			cell("code", c.name, "%%\n"+body),
		},
		"metadata": map[string]any{
			"kernelspec":    map[string]string{"display_name": "Go (gonb)", "language": "go", "name": "gonb"},
			"language_info": map[string]string{"file_extension": ".go", "mimetype": "text/x-go", "name": "go"},
		},
		"nbformat": 4, "nbformat_minor": 5,
	}))
	return b.Bytes()
}

// cardNotebook makes the live notebook of a card, which its page links to.
func (s *site) cardNotebook(c *card) {
	file := "cards/" + c.name + ".ipynb"
	s.files[file] = "cards/" + c.name + "-notebook.html"
	p, _ := s.notebook(file, c.notebook())
	p.section, p.title = "Cards", c.title+": the notebook"
	p.about = fmt.Sprintf("The card “%s” as a notebook whose Go code runs in your browser.", c.title)
	s.pages = append(s.pages, p)
}
