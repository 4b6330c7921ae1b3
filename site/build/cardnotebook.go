package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/doc"
	"go/parser"
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
func (c *card) notebook() ([]byte, error) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "main.go", c.source, parser.ParseComments)
	if err != nil {
		return nil, err
	}
	text := func(from, to token.Pos) string {
		return c.source[fset.Position(from).Offset:fset.Position(to).Offset]
	}
	var imports, declarations []string
	body := ""
	for _, d := range f.Decls {
		switch main, isFunc := d.(*ast.FuncDecl); {
		case isFunc && main.Name.Name == "main" && main.Recv == nil:
			body = strings.ReplaceAll(strings.Trim(text(main.Body.Lbrace+1, main.Body.Rbrace), "\n"), "\n\t", "\n")
			body = strings.TrimPrefix(body, "\t")
		case !isFunc && d.(*ast.GenDecl).Tok == token.IMPORT:
			imports = append(imports, text(d.Pos(), d.End()))
		default:
			declarations = append(declarations, text(declarationStart(d), d.End()))
		}
	}
	if body == "" || len(imports) == 0 {
		return nil, errors.New("card " + c.name + ": no imports, or no body of main")
	}
	body = chartFile.ReplaceAllString(pageFile.ReplaceAllString(body, "${1}$2.Display()"), "${1}$2.Display()")
	body = strings.ReplaceAll(body, `"penguins.csv"`, `"../data/penguins.csv"`)
	if strings.Contains(body, ".html\"") {
		return nil, errors.New("card " + c.name + ": its notebook would write a page instead of displaying it")
	}
	of, err := doc.NewFromFiles(fset, []*ast.File{f}, module+"/site/cards/"+c.name)
	if err != nil {
		return nil, err
	}
	p := of.Printer()
	p.HeadingLevel, p.DocLinkBaseURL = 2, strings.TrimSuffix(reference, "/")
	about := "# " + c.title + "\n\n" + string(p.Markdown(of.Parser().Parse(c.comment)))

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
	program := strings.Join(append(declarations, "%%\n"+body), "\n\n")
	var b bytes.Buffer
	w := json.NewEncoder(&b)
	w.SetEscapeHTML(false)
	w.SetIndent("", " ")
	err = w.Encode(map[string]any{
		"cells": []any{
			cell("markdown", c.name+"-about", about),
			cell("code", c.name+"-setup", strings.Join(imports, "\n")+"\n\n%%\nnbhelpers.Init()", "hide-input"),
			cell("code", c.name, program),
		},
		"metadata": map[string]any{
			"kernelspec":    map[string]string{"display_name": "Go (gonb)", "language": "go", "name": "gonb"},
			"language_info": map[string]string{"file_extension": ".go", "mimetype": "text/x-go", "name": "go"},
		},
		"nbformat": 4, "nbformat_minor": 5,
	})
	return b.Bytes(), err
}

// declarationStart returns the start of a declaration, including its comment.
func declarationStart(d ast.Decl) token.Pos {
	var comment *ast.CommentGroup
	switch d := d.(type) {
	case *ast.FuncDecl:
		comment = d.Doc
	case *ast.GenDecl:
		comment = d.Doc
	}
	if comment != nil {
		return comment.Pos()
	}
	return d.Pos()
}

// cardNotebook makes the live notebook of a card, which its page links to.
func (s *site) cardNotebook(c *card) error {
	file := "cards/" + c.name + ".ipynb"
	s.files[file] = "cards/" + c.name + "-notebook.html"
	text, err := c.notebook()
	if err != nil {
		return err
	}
	p, _, err := s.notebook(file, text)
	if err != nil {
		return err
	}
	p.section, p.title = "Cards", c.title+": the notebook"
	p.about = fmt.Sprintf("The card “%s” as a notebook whose Go code runs in your browser.", c.title)
	s.pages = append(s.pages, p)
	return nil
}
