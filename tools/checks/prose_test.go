package checks

import (
	"encoding/json"
	"fmt"
	"go/scanner"
	"go/token"
	"os"
	"os/exec"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/mpcvm/mpcvm/internal/ipynb"
	"github.com/mpcvm/mpcvm/internal/testkit/must"
)

// constructions are turns of phrase that a native reader stops at, with what to write instead. They are
// searched in comments, texts and documents, without regard to line breaks.
var constructions = []struct {
	pattern *regexp.Regexp
	instead string
}{
	{regexp.MustCompile(`\b[Tt](?:hat|hose) of\b`), "name the thing again"},
	{regexp.MustCompile(`\b[Tt]he ones? (?:of|which)\b`), "name the thing again"},
	{regexp.MustCompile(`\b(?:[Tt]here )?(?:is|are|was|were|be) no [a-z]+`), `"is not a", "without", "if nothing"`},
	{regexp.MustCompile(`\b(?:says?|tells?|told|said) (?:how|what|whether|which|where|who|why|of)\b`),
		`"reports", "describes", "shows"`},
	{regexp.MustCompile(`\b(?:[Bb]eside|[Aa]new|[Ii]n place of|[Bb]ut for|[Aa]ll the same|[Bb]y (?:itself|themselves)|such as of|as of)\b`),
		`"next to", "again", "instead of", "except", "still", "on its own"`},
	{regexp.MustCompile(`(?:^|[.:;] )Of (?:an?|each|what|which|these|those|it|them)\b`), "begin with the subject"},
	{regexp.MustCompile(`\b(?:[Ss]o|[Nn]either|[Nn]or) (?:does|do|did) [a-z]|\b[Ss]o (?:has|have|is|are) (?:the|it|they|this|that|its|each)\b|` +
		`\b(?:[Nn]either|[Nn]or) (?:has|have|is|are|can) (?:the|it|they|an?|this|that|its)\b`),
		`"it also has", "does the same"`},
	{regexp.MustCompile(`(?:^|[.:;] |\bfor )[Ww]ho(?:ever)? [a-z]+s?\b`), `"if you", "readers who"`},
	{regexp.MustCompile(`\b[Oo]f the (?:least|fewest) [a-z]+|\bthe least (?:log loss|loss|errors?|score|cost)\b`),
		`"with the lowest"`},
	{regexp.MustCompile(`\b(?:is|are|was|were) to be (?:had|found|installed)\b`), `"is available", "is in"`},
	{regexp.MustCompile(`\bha(?:s|ve|d) (?:no )?other [a-z]+ than\b`), `"contains only", "contains others than"`},
	{regexp.MustCompile(`, or all[.;)]|, and (?:one|two|three|some) more\b`), "a clause"},
	{regexp.MustCompile(`\b(?:may|can) (?:have|hold|take) (?:at most |up to )?[0-9]`), `"the limit is"`},
}

// natural are uses of the constructions that are idiomatic.
var natural = regexp.MustCompile(`^[Tt]here (?:is|are|was|were) no|\b(?:is|are|was|were|be) no (?:longer|more|doubt|better|worse|larger|smaller|higher|lower|fewer|different|less)`)

// mostConstructions is how many uses of the constructions may stay, each with its reason in prose.txt.
const mostConstructions = 60

// TestProse finds constructions that do not read as English. One that must stay is a line of prose.txt: the
// file, the words and the reason, with tabs between them.
func TestProse(t *testing.T) {
	out, err := exec.Command("git", "ls-files").Output()
	if err != nil {
		t.Skipf("NOT TESTED: git ls-files: %v", err)
	}
	text := must.Get(os.ReadFile("tools/checks/prose.txt"))(t)
	reasons := map[string]int{}
	for line := range strings.Lines(string(text)) {
		parts := strings.Split(strings.TrimSpace(line), "\t")
		if len(parts) != 3 {
			t.Fatalf("prose.txt: %q is not a file, words and a reason", line)
		}
		reasons[parts[0]+"\t"+parts[1]]++
	}
	if n := len(strings.Split(strings.TrimSpace(string(text)), "\n")); n > mostConstructions {
		t.Errorf("prose.txt has %d lines, more than %d", n, mostConstructions)
	}
	files := 0
	for _, file := range strings.Fields(string(out)) {
		if strings.Contains(file, "testdata/") || strings.Contains(file, "vendored/") || strings.Contains(file, "/katex/") ||
			file == "CHANGELOG.md" || strings.HasPrefix(file, "tools/checks/prose") ||
			strings.HasPrefix(file, "notebooks/blank/") { // made from the others
			continue
		}
		pieces, err := prose(file)
		if err != nil {
			t.Errorf("%s: %v", file, err)
		}
		if pieces != nil {
			files++
		}
		for _, piece := range pieces {
			for _, c := range constructions {
				for _, found := range c.pattern.FindAllString(piece, -1) {
					if natural.MatchString(found) {
						continue
					}
					key := file + "\t" + strings.Trim(found, " .,:;)")
					if reasons[key]--; reasons[key] < 0 {
						at := max(strings.Index(piece, found)-60, 0)
						t.Errorf("%s: %q in “…%s…”: instead %s", file, found,
							strings.ToValidUTF8(piece[at:min(at+160, len(piece))], ""), c.instead)
					}
				}
			}
		}
	}
	for key, left := range reasons {
		if left > 0 {
			t.Errorf("prose.txt: %q is not in the file any more", key)
		}
	}
	if files < 300 {
		t.Errorf("only %d files with prose", files)
	}
}

var (
	blanks   = regexp.MustCompile(`\s+`)
	fence    = regexp.MustCompile("(?s)```.*?```|`[^`\n]*`")
	jsText   = regexp.MustCompile("//.*|(?s:/\\*.*?\\*/)|\"(?:[^\"\\\\\n]|\\\\.)*\"|`(?:[^`\\\\]|\\\\.)*`")
	jsLead   = regexp.MustCompile(`(?m)^\s*(?://|\*+/?|/\*+)\s?`)
	shLine   = regexp.MustCompile(`(?m)(?:^|\s)#.*$|"[^"\n]*"`)
	element  = regexp.MustCompile(`(?s)<(?:script|style|pre|code)\b.*?</(?:script|style|pre|code)>|<[^>]*>`)
	comments = regexp.MustCompile(`(?m)(?:^\s*//.*\n?)+`)
)

// prose returns the pieces of a file that people read, nil if it has none: comments, of consecutive lines
// together, and texts.
func prose(file string) ([]string, error) {
	ext := path.Ext(file)
	if !slices.Contains([]string{".go", ".md", ".js", ".mjs", ".html", ".sh", ".py", ".ipynb", ".tmpl"}, ext) {
		return nil, nil
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	return proseOf(ext, text)
}

func proseOf(ext string, text []byte) (pieces []string, err error) {
	add := func(piece string) { pieces = append(pieces, strings.TrimSpace(blanks.ReplaceAllString(piece, " "))) }
	switch ext {
	case ".go":
		return goProse(text), nil
	case ".md":
		for block := range strings.SplitSeq(fence.ReplaceAllString(string(text), "code"), "\n\n") {
			add(block)
		}
	case ".ipynb":
		var n ipynb.Notebook
		if err := json.Unmarshal(text, &n); err != nil {
			return nil, err
		}
		for _, c := range n.Cells {
			if c.Type == "code" {
				pieces = append(pieces, goProse([]byte(strings.ReplaceAll(string(c.Source), "%%", "")))...)
				continue
			}
			more, _ := proseOf(".md", []byte(c.Source))
			pieces = append(pieces, more...)
		}
	case ".html":
		for block := range strings.SplitSeq(element.ReplaceAllString(string(text), "\n"), "\n") {
			add(block)
		}
	case ".sh", ".py":
		for _, piece := range shLine.FindAllString(string(text), -1) {
			add(strings.TrimLeft(piece, " \t#"))
		}
	default:
		joined := comments.ReplaceAllStringFunc(string(text), func(lines string) string {
			return "/*" + jsLead.ReplaceAllString(strings.ReplaceAll(lines, "*/", ""), "") + "*/\n"
		})
		for _, piece := range jsText.FindAllString(joined, -1) {
			add(jsLead.ReplaceAllString(piece, ""))
		}
	}
	return pieces, nil
}

// goProse returns the comments and texts of Go code, with texts that are added to each other joined.
func goProse(text []byte) (pieces []string) {
	set := token.NewFileSet()
	var s scanner.Scanner
	s.Init(set.AddFile("", -1, len(text)), text, func(token.Position, string) {}, scanner.ScanComments)
	var comment, texts strings.Builder
	last := 0 // the line of the last comment
	end := func(b *strings.Builder) {
		if piece := strings.TrimSpace(blanks.ReplaceAllString(b.String(), " ")); piece != "" {
			pieces = append(pieces, piece)
		}
		b.Reset()
	}
	for {
		pos, tok, lit := s.Scan()
		switch line := set.Position(pos).Line; {
		case tok == token.EOF:
			end(&comment)
			end(&texts)
			return pieces
		case tok == token.COMMENT:
			if line != last+1 {
				end(&comment)
			}
			last = line + strings.Count(lit, "\n")
			lit = strings.TrimSuffix(strings.TrimPrefix(strings.TrimPrefix(lit, "//"), "/*"), "*/")
			if strings.TrimSpace(lit) == "" {
				end(&comment)
			}
			fmt.Fprintln(&comment, lit)
		case tok == token.STRING:
			texts.WriteString(strings.Trim(lit, "\"`"))
		case tok != token.ADD && tok != token.SEMICOLON:
			end(&texts)
		}
	}
}

// TestProseOf finds a construction across lines, in comments, texts and cells, and none in code.
func TestProseOf(t *testing.T) {
	for ext, text := range map[string]string{
		".go":    "package x\n\n// F is like that\n// of G.\nvar thatOf = \"one \" +\n\t\"and those of the other\"\n",
		".js":    "// It is like that\n// of g.\nconst thatOf = `and those of the other`;\n",
		".md":    "It is like that\nof g.\n\n```\nthat of code\n```\n\nand those of the other `that of`\n",
		".html":  "<p>It is like that of g.</p><code>that of code</code><p>and those of the other</p>",
		".ipynb": `{"cells":[{"cell_type":"markdown","source":["It is like that\n","of g."]},{"cell_type":"code","source":"%%\n// and those of the other\nthatOf()"}]}`,
	} {
		pieces := must.Get(proseOf(ext, []byte(text)))(t)
		if n := len(constructions[0].pattern.FindAllString(strings.Join(pieces, "\n"), -1)); n != 2 {
			t.Errorf("%s: %d of 2 constructions in %q", ext, n, pieces)
		}
	}
}
