package compose

import (
	"fmt"
	"go/format"
	"go/parser"
	"go/scanner"
	"go/token"
	"regexp"
	"strings"
)

// parts are the parts of a cell: its declarations, and the body of main with its first line.
type parts struct {
	all          string
	declarations string
	main         string
	hasMain      bool
	mainLine     int
	unmarked     bool // whether the body has no line %% above it
	notes        []string
}

var (
	mainMark = regexp.MustCompile(`^%(%|main\b)`)
	// harmless matches lines that set up GoNB, which the page does not need.
	harmless = regexp.MustCompile(`^(%noautoget|%autoget|%goflags|%cd\b|!\*?rm -f go\.work)`)
)

// split splits a cell. Special lines become empty, to preserve line numbers.
func split(source string) parts {
	p := parts{all: source}
	lines := strings.Split(source, "\n")
	special := specials(lines)
	kept := make([]string, 0, len(lines))
	for i, text := range lines {
		switch {
		case !special[i]:
			kept = append(kept, text)
		case mainMark.MatchString(text) && !p.hasMain:
			p.declarations = strings.Join(kept, "\n")
			kept = kept[:0]
			p.hasMain, p.mainLine = true, i+2
		default:
			kept = append(kept, "")
			if note := note(text); note != "" && (i == 0 || !continued(lines[i-1], special[i-1])) {
				p.notes = append(p.notes, fmt.Sprintf("line %d: %s", i+1, note))
			}
		}
	}
	if p.hasMain {
		p.main = strings.Join(kept, "\n")
	} else {
		p.declarations = strings.Join(kept, "\n")
		if at := statement(p.declarations); at > 0 {
			p.declarations, p.main = strings.Join(kept[:at-1], "\n"), strings.Join(kept[at-1:], "\n")
			p.hasMain, p.mainLine, p.unmarked = true, at, true
		}
	}
	return p
}

// statement returns the line of the first statement in a text that is not a declaration, or 0.
func statement(text string) int {
	_, err := parser.ParseFile(token.NewFileSet(), "", opening+text, parser.SkipObjectResolution)
	if list, ok := err.(scanner.ErrorList); ok && strings.HasPrefix(list[0].Msg, "expected declaration") {
		return list[0].Pos.Line - strings.Count(opening, "\n")
	}
	return 0
}

// continued reports whether a special line continues on the next line.
func continued(line string, special bool) bool { return special && strings.HasSuffix(line, `\`) }

// note returns a message about an ignored special line, or "" for a harmless one.
func note(line string) string {
	switch {
	case harmless.MatchString(line) || mainMark.MatchString(line):
		return ""
	case strings.HasPrefix(line, "!"):
		return "a shell command is ignored, because the page has no shell"
	}
	return "a GoNB command is ignored, because the page does not support it"
}

// specials reports which lines begin with ! or % outside of raw strings and comments, or continue such a
// line.
func specials(lines []string) []bool {
	special := make([]bool, len(lines))
	var in byte // '`' or '*': a raw string or comment over several lines
	for i, line := range lines {
		if in == 0 && (strings.HasPrefix(line, "!") || strings.HasPrefix(line, "%") || i > 0 &&
			continued(lines[i-1], special[i-1])) {
			special[i] = true
			continue
		}
		in = after(line, in)
	}
	return special
}

// after returns the state at the end of a line of Go: in a raw string ('`'), in a comment ('*') or neither
// (0). in is the state at its beginning.
func after(line string, in byte) byte {
	for i := 0; i < len(line); i++ {
		rest := line[i:]
		switch {
		case in == '`':
			if line[i] == '`' {
				in = 0
			}
		case in == '*':
			if strings.HasPrefix(rest, "*/") {
				in = 0
				i++
			}
		case strings.HasPrefix(rest, "//"):
			return 0
		case strings.HasPrefix(rest, "/*"):
			in = '*'
			i++
		case line[i] == '`':
			in = '`'
		case line[i] == '"' || line[i] == '\'':
			for quote := line[i]; i+1 < len(line) && line[i+1] != quote; i++ {
				if line[i+1] == '\\' {
					i++
				}
			}
			i++
		}
	}
	return in
}

// Format formats a cell with gofmt. Special lines are not changed.
func Format(source string) (string, error) {
	lines := strings.Split(source, "\n")
	special, main := specials(lines), split(source).mainLine-1
	var out []string
	for from := 0; from < len(lines); {
		to := from + 1
		for to < len(lines) && special[to] == special[from] && to != main {
			to++
		}
		part := strings.Join(lines[from:to], "\n")
		if !special[from] && strings.TrimSpace(part) != "" {
			b, err := format.Source([]byte(part))
			if err != nil {
				return "", err
			}
			part = strings.TrimRight(string(b), "\n")
		}
		out = append(out, part)
		from = to
	}
	return strings.Join(out, "\n"), nil
}
