package checks

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/mpcvm/mpcvm/internal/testkit/must"
)

const (
	limitsFile   = "tools/gate/lines.txt"
	longLine     = 110 // columns
	longFunction = 100 // lines
)

// sizes are the numbers in lines.txt, which may only fall.
type sizes [4]int // lines of source, lines of tests, long lines, long functions

const sizesFormat = "source %d\ntests %d\nlines over 110 columns %d\nfunctions over 100 lines %d\n"

// measure counts the lines of Go files, and the lines and functions that are too long.
func measure(t *testing.T, files []string) (got sizes) {
	t.Helper()
	set := token.NewFileSet()
	for _, file := range files {
		text := must.Get(os.ReadFile(file))(t)
		count := &got[0]
		if strings.HasSuffix(file, "_test.go") {
			count = &got[1]
		}
		for line := range strings.Lines(string(text)) {
			*count++
			if utf8.RuneCountInString(strings.TrimRight(line, "\r\n")) > longLine {
				got[2]++
			}
		}
		for _, d := range must.Get(parser.ParseFile(set, file, text, parser.SkipObjectResolution))(t).Decls {
			first, last := set.Position(d.Pos()).Line, set.Position(d.End()).Line
			if _, ok := d.(*ast.FuncDecl); ok && last-first >= longFunction {
				got[3]++
			}
		}
	}
	return got
}

// TestLines fails if a number of lines.txt is exceeded.
func TestLines(t *testing.T) {
	var most sizes
	if _, err := fmt.Sscanf(string(must.Get(os.ReadFile(limitsFile))(t)), sizesFormat, &most[0], &most[1], &most[2],
		&most[3]); err != nil {
		t.Fatalf("%s: %v", limitsFile, err)
	}
	list := must.Get(exec.Command("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard",
		"--deduplicate", "*.go").Output())(t)
	var files []string
	for file := range strings.SplitSeq(strings.TrimRight(string(list), "\x00"), "\x00") {
		if _, err := os.Stat(file); err == nil {
			files = append(files, file)
		}
	}
	for i, n := range measure(t, files) {
		what := strings.Split(sizesFormat, " %d\n")[i]
		t.Logf("%s: %d, at most %d", what, n, most[i])
		if n > most[i] {
			t.Errorf("%s: %d, more than the %d of %s; remove as many as you add", what, n, most[i], limitsFile)
		}
	}
}

func TestMeasure(t *testing.T) {
	dir := t.TempDir()
	source, test := filepath.Join(dir, "a.go"), filepath.Join(dir, "a_test.go")
	for file, text := range map[string]string{
		source: "package a\n\nfunc f() {" + strings.Repeat("\n", 99) + "}\n\nfunc g() {" +
			strings.Repeat("\n", 100) + "}\n",
		test: "package a\n\n// " + strings.Repeat("ä", longLine-3) + "\n// " +
			strings.Repeat("ä", longLine-2) + "\n",
	} {
		must.OK(t, os.WriteFile(file, []byte(text), 0o666))
	}
	must.Equal(t, measure(t, []string{source, test}), sizes{204, 4, 1, 1})
}
