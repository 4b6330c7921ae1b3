package checks

import (
	"bytes"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/mpcvm/mpcvm/internal/testkit/must"
)

var renewReadme = flag.Bool("renew-readme", false, "update the output of the commands in README.md")

// TestReadmeShell installs the command as README.md describes and runs the commands of its section
// "Analyse", one after another, in a folder with data/penguins.csv and new.csv, which is the same file. A
// command is a line that starts with "$ mpcvm". A line below it must be the start of its standard output,
// up to " …". Outputs are compared only on amd64, because other processors round differently.
func TestReadmeShell(t *testing.T) {
	text := must.Get(os.ReadFile("README.md"))(t)
	_, section, found := strings.Cut(string(text), "\n## Analyse\n")
	_, block, open := strings.Cut(section, "\n```\n$ mpcvm ")
	block, _, closed := strings.Cut(block, "\n```\n")
	if !found || !open || !closed {
		t.Fatal("README.md has no commands in a section called Analyse")
	}
	in := install()
	if in.err != nil {
		t.Fatal(in.err)
	}
	dir := t.TempDir()
	penguins := must.Get(os.ReadFile("data/penguins.csv"))(t)
	must.OK(t, os.Mkdir(filepath.Join(dir, "data"), 0o700))
	for _, name := range []string{"data/penguins.csv", "new.csv"} {
		must.OK(t, os.WriteFile(filepath.Join(dir, name), penguins, 0o600))
	}
	var said string
	commands, figures := 0, 0
	for line := range strings.Lines("$ mpcvm " + block + "\n") {
		line = strings.TrimSuffix(line, "\n")
		command, is := strings.CutPrefix(line, "$ mpcvm ")
		if is {
			command, _, _ = strings.Cut(command, " # ")
			args := shellWords(command)
			run := exec.CommandContext(t.Context(), filepath.Join(in.bin, "mpcvm"), args...)
			run.Dir = dir
			var errOut bytes.Buffer
			run.Stderr = &errOut
			out, err := run.Output()
			if err != nil {
				t.Fatalf("%s: %v\n%s", line, err, errOut.String())
			}
			said = string(out)
			commands++
			continue
		}
		want, cut := strings.CutSuffix(line, " …")
		first, _, _ := strings.Cut(said, "\n")
		figures++
		switch {
		case strings.HasPrefix(said, want):
		case runtime.GOARCH != "amd64":
			t.Logf("README.md: %s\nthe command: %s", want, first)
		case *renewReadme:
			if cut {
				first += " …"
			}
			text = bytes.Replace(text, []byte(line+"\n"), []byte(first+"\n"), 1)
			must.OK(t, os.WriteFile("README.md", text, 0o600))
		default:
			t.Errorf("README.md contains\n%s\nbut the command prints\n%s\n(update it with go test -run "+
				"TestReadmeShell ./tools/checks -args -renew-readme)", want, first)
		}
	}
	if commands < 4 || figures == 0 {
		t.Errorf("only %d commands with %d lines of output", commands, figures)
	}
}

// shellWords splits a command into words, which may be quoted by '.
func shellWords(command string) (words []string) {
	for i, part := range strings.Split(command, "'") {
		if i%2 == 1 {
			words = append(words, part)
		} else {
			words = append(words, strings.Fields(part)...)
		}
	}
	return words
}
