package checks

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/mpcvm/mpcvm/internal/testkit/must"
)

// notebookReadme completes the summary of Go in notebooks/README.md to a program.
const notebookReadme = `package main

import (
	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
	nb "github.com/mpcvm/mpcvm/nbhelpers"
)

func main() {
	set := data.Line(data.LineSeed)
%s
	_ = []any{n, name, w, half, model, result}
}
`

// TestReadme builds the Go programs of README.md, docs/deploy.md and notebooks/README.md after the commands
// of README.md, and runs them; the service of docs/deploy.md answers 64 clients until it is stopped. A
// program that opens penguins.csv also runs in a folder without it, where it must end with an error that
// names the file, without a panic. A program that ends with the comment "// Output:", as in an example of
// package testing, must print the lines of this comment; they are compared only on amd64, because other
// processors round differently.
func TestReadme(t *testing.T) {
	in := install()
	if in.err != nil {
		t.Fatal(in.err)
	}
	for file, completed := range map[string]string{"README.md": "%s", "docs/deploy.md": "%s",
		"notebooks/README.md": notebookReadme} {
		blocks := regexp.MustCompile("(?ms)^```go\n(.*?)^```$").FindAllStringSubmatch(contents(t, file), -1)
		if len(blocks) == 0 {
			t.Errorf("%s has no Go program", file)
		}
		for i, block := range blocks {
			name := fmt.Sprintf("%s %d", file, i+1)
			t.Run(name, func(t *testing.T) {
				program := fmt.Sprintf(completed, block[1])
				dir := filepath.Join(in.dir, strings.NewReplacer("/", "-", ".", "-", " ", "-").Replace(name))
				must.OK(t, os.Mkdir(dir, 0o777))
				must.OK(t, os.WriteFile(filepath.Join(dir, "main.go"), []byte(program), 0o666))
				must.OK(t, in.run("go", "build", "-o", filepath.Join(dir, "snippet.exe"),
					"./"+filepath.Base(dir)))
				if file != "docs/deploy.md" {
					runProgram(t, dir, program)
				} else if runtime.GOOS != "windows" {
					runService(t, filepath.Join(dir, "snippet.exe"))
				}
			})
		}
	}
}

func runProgram(t *testing.T, dir, program string) {
	run := func() ([]byte, error) {
		command := exec.CommandContext(t.Context(), filepath.Join(dir, "snippet.exe"))
		command.Dir = dir
		return command.CombinedOutput()
	}
	if strings.Contains(program, `"penguins.csv"`) {
		if out, err := run(); err == nil || !bytes.Contains(out, []byte("penguins.csv")) ||
			bytes.Contains(out, []byte("goroutine")) {
			t.Errorf("without the file: %v\n%s", err, out)
		}
		must.OK(t, os.WriteFile(filepath.Join(dir, "penguins.csv"), []byte(contents(t, "data/penguins.csv")),
			0o666))
	}
	out, err := run()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	_, comment, ok := strings.Cut(program, "// Output:\n")
	want := ""
	for line := range strings.Lines(comment) {
		if line, is := strings.CutPrefix(strings.TrimSpace(line), "// "); is {
			want += line + "\n"
		}
	}
	if ok && want != string(out) && runtime.GOARCH == "amd64" {
		t.Errorf("it should print\n%sbut prints\n%s", want, out)
	}
}

// runService sends rows and batches to the service of docs/deploy.md from 64 clients, and stops it.
func runService(t *testing.T, program string) {
	const model = "mpcvm/testdata/corpus/v4-mixed-bottomup.json"
	service := exec.CommandContext(t.Context(), program, model, "localhost:0")
	log, err := service.StderrPipe()
	must.OK(t, err)
	must.OK(t, service.Start())
	lines := bufio.NewScanner(log)
	lines.Scan()
	_, address, ok := strings.Cut(lines.Text(), "listening on ")
	if !ok {
		t.Fatal(lines.Text())
	}
	go func() {
		for lines.Scan() {
		}
	}()
	var clients sync.WaitGroup
	for range 64 {
		clients.Go(func() {
			for body, want := range map[string]string{`{"mass": "3700,5", "island": "Dream"}`: `"proba":{`,
				`[{"mass": 3700}, {"mass": "x"}]`: `a number in g is expected`, `{"mass": 3700}`: `"missing":["island"`,
				`{"mass": 1e9}`: `"error":"the row is unlike`, "mass,island\n3700 g,Dream\n": `[{"class":"Chinstrap"`,
				`[1]`: "want a JSON object", `{"weight": 1}`: "no such column"} {
				kind := map[bool]string{false: "text/csv", true: "application/json"}[strings.ContainsAny(body, "{[")]
				response, err := http.Post("http://"+address+"/predict", kind, strings.NewReader(body))
				if err != nil {
					t.Error(err)
					return
				}
				text, err := io.ReadAll(response.Body)
				response.Body.Close()
				if err != nil || !strings.Contains(string(text), want) {
					t.Errorf("%s: %d %s, %v", body, response.StatusCode, text, err)
				}
			}
		})
	}
	clients.Wait()
	must.OK(t, service.Process.Signal(os.Interrupt))
	must.OK(t, service.Wait())
}
