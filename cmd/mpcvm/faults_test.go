//go:build linux

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/mpcvm/mpcvm/internal/atomicfile"
	"github.com/mpcvm/mpcvm/internal/testkit/spoil"
)

// faultArgs is the environment variable that makes the test binary run the command with its arguments,
// separated by line breaks. faultServer is the address of all servers, if not empty.
const (
	faultArgs   = "MPCVM_TEST_FAULT"
	faultServer = "MPCVM_TEST_SERVER"
)

// TestMain runs the command in a child process, and otherwise the tests.
func TestMain(m *testing.M) {
	if args := os.Getenv(faultArgs); args != "" {
		if server := os.Getenv(faultServer); server != "" {
			fetchClient = &http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, _,
				_ string) (net.Conn, error) {
				return (&net.Dialer{}).DialContext(ctx, "tcp", server)
			}}}
		}
		os.Args = append([]string{"mpcvm"}, strings.Split(args, "\n")...)
		main()
	}
	// with many small fits and pages, a third of the time would go into garbage collection
	debug.SetGCPercent(400)
	os.Exit(m.Run())
}

// process is the command as a separate process.
func process(args []string, more ...string) (c *exec.Cmd, out, errOut *bytes.Buffer) {
	c, out, errOut = exec.Command(os.Args[0]), new(bytes.Buffer), new(bytes.Buffer)
	c.Env = append(os.Environ(), append(more, faultArgs+"="+strings.Join(args, "\n"))...)
	c.Stdout, c.Stderr = out, errOut
	return c, out, errOut
}

// work is a command that takes some time, with its files in the folder.
type work struct {
	args    []string
	outputs []string // written atomically
	listen  bool     // whether it waits for a silent server
}

// works returns commands that take time. Their outputs are in the folder out.
func works(t *testing.T, dir, out string) map[string]work {
	t.Helper()
	text, _ := good(t, "data", "show", "letter")
	lines := strings.SplitAfter(text, "\n")
	train := write(t, dir, "train.csv", strings.Join(lines[:301], ""))
	copies := 1
	if spoil.Long() {
		copies = 5
	}
	all := write(t, dir, "all.csv", lines[0]+strings.Repeat(strings.Join(lines[1:], ""), copies))
	model := filepath.Join(dir, "model.json")
	good(t, "fit", "--data", train, "--model", model, "--theta", "0.05")
	in := func(name string) string { return filepath.Join(out, name) }
	return map[string]work{
		"fit": {args: []string{"fit", "--data", train, "--model", in("m.json"), "--report", in("r.html"),
			"--budget", "1s"}, outputs: []string{"m.json", "r.html"}},
		"predict": {args: []string{"predict", "--model", model, "--data", all, "--proba", "--out", in("p.csv")},
			outputs: []string{"p.csv"}},
		"explain": {args: []string{"explain", "--model", model, "--data", all, "--row", "7", "--report",
			in("r.html")}, outputs: []string{"r.html"}},
		"demo": {args: []string{"demo", "--out", out}, outputs: []string{"report.html"}},
		"fetch": {args: []string{"data", "fetch", "letter", "heart", "--to", out},
			outputs: []string{"letter.csv"}, listen: true},
	}
}

// left lists the entries of a folder, except locks.
func left(t *testing.T, dir string) []string {
	t.Helper()
	files, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	var names []string
	for _, f := range files {
		if !strings.HasPrefix(f.Name(), ".lock") {
			names = append(names, f.Name())
		}
	}
	return names
}

// Whichever call of the file system fails, a verb fails with an error that names the file, and each of its files has
// its old or its new content. Nothing else is left.
func TestWriteFaults(t *testing.T) {
	_, csvFile, modelFile, _ := iris(t)
	broken := errors.New("broken")
	for line, files := range map[string][]string{
		"fit DATA --algorithm mpcvm2 --theta 0.3 --cv none --model m.json --report r.html": {"m.json", "r.html"},
		"predict DATA --model MODEL --proba --out p.csv":                                   {"p.csv"},
		"predict DATA --model MODEL --proba --out p.jsonl":                                 {"p.jsonl"},
		"predict DATA --model MODEL --proba --out p.parquet":                               {"p.parquet"},
		"explain DATA --model MODEL --row 3 --report r.html":                               {"r.html"},
		"look DATA --report r.html":                                                        {"r.html"},
		"compare DATA --systems majority --folds-k 2 --repeats 1 --report r.html":          {"r.html"},
		"export --model MODEL --to javascript --out m.mjs":                                 {"m.mjs"},
		"data fetch iris --to .":                                                           {"iris.csv"}, "demo --out .": {"report.html"},
	} {
		t.Run(files[0], func(t *testing.T) {
			t.Chdir(t.TempDir())
			args := strings.Fields(strings.NewReplacer("DATA", csvFile, "MODEL", modelFile).Replace(line))
			code, skip := failed, 1
			if args[0] == "demo" {
				skip = 6 // it takes a second
			}
			for n := 0; code != 0; n += skip {
				for _, name := range files {
					write(t, ".", name, "old")
				}
				calls := 0
				restore := atomicfile.Inject(func(string) error {
					if calls++; calls == n+1 {
						return &fs.PathError{Op: "write", Path: "temporary", Err: broken}
					}
					return nil
				})
				var out, errOut string
				code, out, errOut = try(t, args...)
				restore()
				if (code == failed) != (calls > n) || code == failed &&
					!regexp.MustCompile("("+strings.Join(files, "|")+"): .*broken").MatchString(errOut) {
					t.Errorf("%s, call %d: status %d, %s%s", line, n, code, out, errOut)
				}
				if names := left(t, "."); len(names) != len(files) {
					t.Errorf("%s, call %d: %q", line, n, names)
				}
				for _, name := range files {
					if text := read(t, name); string(text) != "old" && (len(text) < 100 ||
						strings.HasSuffix(name, ".json") && !json.Valid(text)) {
						t.Errorf("%s, call %d: %s has %d bytes", line, n, name, len(text))
					}
				}
			}
		})
	}
}

// full is standard output on a full disk.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, syscall.ENOSPC }

// A command that cannot print its result fails.
func TestFullOutput(t *testing.T) {
	dir, csvFile, modelFile, _ := iris(t)
	fit := append([]string{"fit", csvFile, "--model", filepath.Join(dir, "m.json")}, tiny...)
	for _, args := range [][]string{
		{"help"}, {"fit", "--help"},
		{"data", "list"}, {"data", "list", "--json"}, {"data", "show", "iris"}, {"data", "fetch", "iris", "--to",
			dir}, {"data", "fetch", "iris", "--to", dir, "--json"},
		fit, append(slices.Clone(fit), "--json"),
		{"predict", "--model", modelFile, "--data", csvFile}, {"predict", "--model", modelFile, "--data", csvFile,
			"--json"},
		{"explain", "--model", modelFile, "--data", csvFile, "--row", "1"}, {"explain", "--model", modelFile,
			"--data", csvFile, "--row", "1", "--json"},
		{"demo", "--out", dir},
	} {
		var errOut bytes.Buffer
		if code := run(t.Context(), args, full{}, &errOut); code != 1 || !strings.Contains(errOut.String(),
			"no space left") {
			t.Errorf("%q: status %d, %s", args, code, errOut.String())
		}
		if code := run(t.Context(), args, io.Discard, full{}); code != 0 {
			t.Errorf("%q: status %d if its progress cannot be written", args, code)
		}
	}
}
