package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/mpcvm/mpcvm/internal/memory"
	"github.com/mpcvm/mpcvm/internal/testkit/must"
	"github.com/mpcvm/mpcvm/tables/table"
)

// try runs the command and returns its exit status and what it wrote.
func try(t *testing.T, args ...string) (code int, out, errOut string) {
	t.Helper()
	var o, e bytes.Buffer
	code = run(context.Background(), args, &o, &e)
	return code, o.String(), e.String()
}

// The demonstration prints the scores of both algorithms and writes a page that loads nothing. The same seed
// gives the same scores.
func TestDemo(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "made", "for it")
	var all, again struct{ Runs []outcome }
	for _, to := range []any{&all, &again} {
		out, _ := good(t, "demo", "--json", "--out", dir)
		if err := json.Unmarshal([]byte(out), to); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	for i, o := range all.Runs {
		if o.Err > 0.2 || o.AUC < 0.9 || o.Vectors == 0 || len(o.Weights) != 3 ||
			o.LogLoss != again.Runs[i].LogLoss {
			t.Errorf("%+v, then %+v", o, again.Runs[i])
		}
	}
	page := read(t, filepath.Join(dir, "report.html"))
	if n := bytes.Count(page, []byte(`class="mpcvm-chart"`)); n != 14 || len(all.Runs) != 4 {
		t.Errorf("%d charts of %d runs", n, len(all.Runs))
	}
	if found := regexp.MustCompile(`(src|href)="http|@import|file://`).Find(page); found != nil {
		t.Errorf("the report has %s", found)
	}
}

func TestData(t *testing.T) {
	out, _ := good(t, "data", "list")
	if !strings.Contains(out, "iris") || !strings.Contains(out, "10.24432/C56C76") ||
		!strings.Contains(out, "vowel") {
		t.Error(out)
	}
	out, _ = good(t, "data", "list", "--json")
	var all struct{ Sets []map[string]any }
	if err := json.Unmarshal([]byte(out), &all); err != nil || len(all.Sets) < 10 || len(all.Sets[0]) != 12 ||
		all.Sets[0]["sha256"] == nil || all.Sets[0]["present"] == nil {
		t.Errorf("%v: %s", err, out)
	}
	out, _ = good(t, "data", "show", "iris")
	if !strings.HasPrefix(out, "sepal_length,") || strings.Count(out, "\n") != 151 {
		t.Errorf("%.100s", out)
	}
}

// TestMistyped runs the commands of testdata/mistyped.txt. Each has a good answer, and no model is trained.
func TestMistyped(t *testing.T) {
	list, dir, n := string(read(t, "testdata/mistyped.txt")), t.TempDir(), 0
	for name, file := range map[string]string{"penguins.csv": penguins, "iris.csv": "../../data/iris.csv",
		"folder/iris.csv": "../../data/iris.csv", "model.json": mixedModel,
		"sheets.xlsx": filepath.Join(wildFolder, "merged-class.xlsx")} {
		write(t, dir, name, string(read(t, file)))
	}
	write(t, dir, "quarters.csv", "t,x,class\n2019 Q1,1,a\n2019 Q2,2,b\n2019 Q3,3,a\n2019 Q4,4,b\n2020 Q1,5,a\n")
	t.Chdir(dir)
	for line := range strings.Lines(list) {
		command, want, ok := strings.Cut(strings.TrimSpace(line), " | ")
		if !ok || filepath.Separator == '\\' && strings.Contains(command, `\`) { // no mistake on Windows
			continue
		}
		n++
		if code, out, errOut := try(t, strings.Fields(command)...); code == 0 || out != "" ||
			!strings.Contains(errOut, want) {
			t.Errorf("%s: status %d, %s%s, want %s", command, code, out, errOut, want)
		}
	}
	if n < 55 {
		t.Errorf("only %d commands", n)
	}
}

// TestErrors runs the commands of testdata/errors.txt. A failed command prints nothing to standard output,
// and neither writes nor changes a file. The message about wrong arguments names the help.
func TestErrors(t *testing.T) {
	list := string(read(t, "testdata/errors.txt"))
	dir, csvFile, _, _ := iris(t)
	visitsModel(t, dir)
	write(t, dir, "mixed.json", string(read(t, mixedModel)))
	write(t, dir, "halved.csv.gz", gzipped("a,b,c,class\n5.1,3.5,1.4,setosa\n")[:40])
	t.Chdir(dir)
	good(t, "fit", csvFile, "--model", "linear.json", "--kernel", "polynomial", "--degree", "9", "--cv", "none")
	must.OK(t, errors.Join(os.Link(csvFile, "link"), os.WriteFile("readonly.json", nil, 0o400)))
	for line := range strings.Lines(list) {
		if name, quoted, ok := strings.Cut(line, " = "); ok {
			text, err := strconv.Unquote(strings.TrimSpace(quoted))
			if err != nil {
				t.Fatalf("%s: %v", line, err)
			}
			write(t, dir, name, text)
		}
	}
	before, n := tree(t, dir), 0
	for line := range strings.Lines(list) {
		cells := strings.Split(strings.TrimSpace(line), " | ")
		if len(cells) != 3 {
			continue
		}
		n++
		code, out, errOut := try(t, strings.Fields(cells[1])...)
		if strconv.Itoa(code) != cells[0] || out != "" || !strings.Contains(errOut, cells[2]) {
			t.Errorf("%sstatus %d, %s%s", line, code, out, errOut)
		}
		if code == misused && !strings.HasSuffix(errOut, " --help')\n") {
			t.Errorf("%s%s", line, errOut)
		}
		if after := tree(t, dir); !maps.Equal(after, before) {
			t.Fatalf("%sfiles %v, before %v", line, after, before)
		}
	}
	if n < 110 {
		t.Errorf("only %d commands", n)
	}
	for verb, say := range map[string]string{"": "predict", "data": "fetch", "completion": "fish"} {
		code, out, errOut := try(t, strings.Fields(verb)...)
		if code != misused || out != "" || !strings.Contains(errOut, "\nVerbs:\n") || !strings.Contains(errOut,
			"  "+say) {
			t.Errorf("%q: status %d, %s%s", verb, code, out, errOut)
		}
	}
}

// TestHelp checks that the help of each verb fits a screen of 80 columns and 24 lines, that the help and its
// topics explain each flag exactly once and no others, and that its example is valid. Paragraphs and flags
// must also fit 40 columns.
func TestHelp(t *testing.T) {
	var check func(cmd *cobra.Command)
	check = func(cmd *cobra.Command) {
		for _, verb := range cmd.Commands() {
			if verb.Name() != "completion" { // texts of cobra
				check(verb)
			}
		}
		path := strings.Fields(cmd.CommandPath())[1:]
		t.Setenv("COLUMNS", "80")
		out, _ := good(t, append([]string{"help"}, path...)...)
		for _, width := range []int{80, 40} {
			t.Setenv("COLUMNS", strconv.Itoa(width))
			out, _ := good(t, append([]string{"help"}, path...)...)
			for line := range strings.Lines(out) {
				long := utf8.RuneCountInString(line)-1 > width && strings.Contains(strings.TrimSpace(line), " ")
				if long && (width == 80 || !regexp.MustCompile(`^  \w`).MatchString(line)) {
					t.Errorf("%s: longer than %d columns: %s", path, width, line)
				}
			}
		}
		t.Setenv("COLUMNS", "80")
		if cmd.HasParent() && !cmd.Runnable() { // a topic
			return
		}
		if n := strings.Count(out, "\n"); n > 24 {
			t.Errorf("%s: %d lines:\n%s", path, n, out)
		}
		for _, same := range [][]string{append(path, "--help"), append(path, "-h"), append(path, "-help")} {
			if other, _ := good(t, same...); other != out {
				t.Errorf("%q: %s", same, other)
			}
		}
		all := out
		for _, named := range regexp.MustCompile(`mpcvm help (\w+) \(`).FindAllStringSubmatch(
			strings.ReplaceAll(out, "\n", " "), -1) {
			page, _ := good(t, "help", named[1])
			all += page
		}
		shown := map[string]int{}
		for _, f := range regexp.MustCompile(`(?m)^  --([\w-]+)(?: \S+)?  +\S`).FindAllStringSubmatch(all, -1) {
			shown[f[1]]++
		}
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if n := shown[f.Name]; n != 1 && !f.Hidden && f.Name != "help" && f.Name != "version" {
				t.Errorf("%s: --%s is explained %d times", path, f.Name, n)
			}
		})
		for _, f := range regexp.MustCompile(`(?m)^  --([\w-]+)`).FindAllStringSubmatch(out, -1) {
			if cmd.Flags().Lookup(f[1]) == nil {
				t.Errorf("%s: unknown flag --%s", path, f[1])
			}
		}
		if cmd.Example == "" {
			t.Errorf("%s: no example", path)
		}
		for line := range strings.SplitSeq(cmd.Example, "\n") {
			line, _, _ = strings.Cut(line, " > ")
			args := strings.Fields(line)[1:]
			verb, rest, err := newRoot(io.Discard, io.Discard).Find(args)
			if err == nil {
				err = verb.ParseFlags(rest)
			}
			if err == nil {
				err = verb.ValidateArgs(verb.Flags().Args())
			}
			if err != nil || verb.Name() != cmd.Name() && !cmd.HasSubCommands() {
				t.Errorf("%s: %s: %v", path, line, err)
			}
		}
	}
	check(newRoot(io.Discard, io.Discard))
	for page, want := range map[string]string{"choosing": "rational-laplacian-ard  1/(1 + ",
		"reading": "--encoding NAME", "output": "exit status is 0"} {
		if out, _ := good(t, "help", page); strings.Count(out, want) != 1 {
			t.Errorf("%q does not occur exactly once in\n%s", want, out)
		}
	}
}

func TestVersion(t *testing.T) {
	for _, flag := range []string{"--version", "--version=true"} {
		if out, _ := good(t, flag); !strings.HasPrefix(out, "mpcvm ") || len(strings.Fields(out)) < 3 {
			t.Errorf("%q", out)
		}
	}
}

// The completion scripts are valid, and the shell completes verbs, flags and values.
func TestCompletion(t *testing.T) {
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		script, _ := good(t, "completion", shell)
		if !strings.Contains(script, "mpcvm") {
			t.Errorf("%s: %.100s", shell, script)
		}
		if path, err := exec.LookPath(shell); err == nil && shell != "powershell" {
			c := exec.Command(path, "-n")
			c.Stdin = strings.NewReader(script)
			if out, err := c.CombinedOutput(); err != nil {
				t.Errorf("%s: %v: %s", shell, err, out)
			}
		}
	}
	for line, want := range map[string]string{
		"":                 "look\tfit\tshow\tpredict\texplain\tcompare\texport\tdemo\tdata\tcompletion",
		"help ch":          "choosing",
		"data ":            "list\tshow\tfetch",
		"fit --algorithm ": "auto\tmpcvm1\tmpcvm2",
		"fit --kernel ":    "rbf\tlaplacian\tard",
		"fit --likelihood": "--likelihood-power",
		"fit --prefer ":    "balance\taccuracy\tsparsity",
		"data fetch iris ": "iris\twine\tglass",
	} {
		out, _ := good(t, append([]string{"__complete"}, strings.Split(line, " ")...)...)
		var got []string
		for l := range strings.Lines(out) {
			if name, _, _ := strings.Cut(strings.TrimSpace(l), "\t"); !strings.HasPrefix(name, ":") {
				got = append(got, name)
			}
		}
		if !strings.HasPrefix(strings.Join(got, "\t"), want) {
			t.Errorf("%q completes to %q", line, got)
		}
	}
}

// The command limits its memory to nine tenths of the available memory, unless GOMEMLIMIT is set.
func TestLimitMemory(t *testing.T) {
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(-1))
	defer memory.Pretend(1 << 40)()
	t.Setenv("GOMEMLIMIT", "")
	limitMemory()
	const want = 1 << 40 / 10 * 9
	if got := debug.SetMemoryLimit(-1); got < want || got > want+10 {
		t.Errorf("a limit of %d bytes", got)
	}
	defer memory.Pretend(1 << 41)()
	t.Setenv("GOMEMLIMIT", "1TiB")
	limitMemory()
	if got := debug.SetMemoryLimit(-1); got > want+10 {
		t.Errorf("a limit of %d bytes despite GOMEMLIMIT", got)
	}
}

// The shell completes columns of the file, columns and classes of the model, and otherwise file names.
func TestComplete(t *testing.T) {
	dir := t.TempDir()
	file := write(t, dir, "t.csv",
		"weight;Föhn;\"a,b\";island;class\n1,5;2;3;x;sick\n2,5;3;3;y;well\n1,7;3;4;x;sick\n")
	for _, tt := range []struct{ line, want string }{
		{"fit FILE --target ", "weight Föhn a,b island class"},
		{"fit FILE --target=i", "island"},
		{"fit --data FILE --time F", "Föhn"},
		{"look FILE --drop ", "weight Föhn island class"},
		{"look FILE --drop weight,i", "weight,island"},
		{"fit FILE --kind w", "weight="},
		{"fit FILE --target class --costs sick:", "sick:well="},
		{"fit FILE --class-weights sick=2,", "sick=2,sick= sick=2,well="},
		{"compare FILE --group is", "island"},
		{"predict FILE --keep weight,", "weight,weight weight,Föhn weight,island weight,class weight,all"},
		{"predict FILE --model MODEL --without ", "mass island born tame"},
		{"predict FILE --model MODEL --costs Adelie:G", "Adelie:Gentoo="},
		{"predict FILE --rename is", "island="},
		{"explain FILE --id cl", "class"},
		{"fit nothing.csv --target ", ""},
		{"fit --target ", ""},
		{"fit FILE ", ""},
	} {
		args := strings.Split(strings.NewReplacer("FILE", file, "MODEL", mixedModel).Replace(tt.line), " ")
		out, _ := good(t, append([]string{"__complete"}, args...)...)
		lines := strings.Split(strings.TrimSpace(out), "\n")
		got, directive := strings.Join(lines[:len(lines)-1], " "), lines[len(lines)-1]
		if got != tt.want || directive == ":0" {
			t.Errorf("%s: %q %s, want %q", tt.line, got, directive, tt.want)
		}
	}
	for _, line := range []string{"fit ", "fit --model ", "predict FILE --out ", "show ", "fit FILE --test "} {
		out, _ := good(t, append([]string{"__complete"}, strings.Split(strings.ReplaceAll(line, "FILE", file),
			" ")...)...)
		if strings.TrimSpace(out) != ":0" { // the shell completes file names
			t.Errorf("%s: %q", line, out)
		}
	}
}

// TestVoice says every finding about columns, cells and classes with hostile names. Each option is spelled as
// a flag of a verb, and only the names contain the names of options.
func TestVoice(t *testing.T) {
	flags := map[string]bool{}
	for _, verb := range newRoot(io.Discard, io.Discard).Commands() {
		verb.Flags().VisitAll(func(f *pflag.Flag) { flags["--"+f.Name] = true })
	}
	spelled := regexp.MustCompile(`(?:^|[ (])(--[a-z-]+)`)
	for _, name := range []string{"as the target", "Options.Missing", "--drop", "<b>", "constructor", "it's"} {
		texts := make([]string, 10)
		for i := range texts {
			texts[i] = name
		}
		for _, code := range table.Codes() {
			f := table.Finding{Code: code, Column: name, Columns: []string{name, name}, Row: 3, Line: 4, N: 2, Of: 5,
				Texts: texts, Value: name, Option: "Drop", Cause: errors.New("cause")}
			text := voice.Explain(fmt.Errorf("%w", f))
			if text == "" || strings.Contains(text, "{") {
				t.Errorf("%s: %q", code, text)
			}
			own := strings.NewReplacer("'"+name+"'", "NAME", "\""+name+"\"", "NAME", name, "NAME").Replace(text)
			if strings.Contains(own, "Options.") {
				t.Errorf("%s: %q", code, text)
			}
			for _, found := range spelled.FindAllStringSubmatch(own, -1) {
				if !flags[found[1]] {
					t.Errorf("%s: %s is not a flag: %q", code, found[1], text)
				}
			}
		}
	}
	if got := flagFor("Drop", "as the target"); got != "--drop 'as the target'" {
		t.Error(got)
	}
}

// nowhere is a network without servers.
type nowhere struct{}

func (nowhere) RoundTrip(*http.Request) (*http.Response, error) {
	return nil, errors.New("no server")
}

// Sets that are fetched are printed, also if another one fails.
func TestDataFetch(t *testing.T) {
	fetchClient = &http.Client{Transport: nowhere{}}
	t.Cleanup(func() { fetchClient = nil })
	dir := filepath.Join(t.TempDir(), "sets")
	code, out, errOut := try(t, "data", "fetch", "iris", "leaves", "--to", dir)
	if code != 1 || !strings.Contains(out, "iris: embedded, written") || strings.Count(errOut, "leaves-") != 3 ||
		!strings.Contains(errOut, "no server") {
		t.Errorf("status %d, %s%s", code, out, errOut)
	}
	out, _ = good(t, "data", "fetch", "iris", "--to", dir, "--json")
	var all struct{ Sets []map[string]any }
	if err := json.Unmarshal([]byte(out), &all); err != nil || len(all.Sets) != 1 ||
		all.Sets[0]["already"] != true {
		t.Errorf("%v: %s", err, out)
	}
}

// The list shows the locations of the sets.
func TestDataPresent(t *testing.T) {
	t.Setenv("MPCVM_DATA", t.TempDir())
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Setenv("HOME", t.TempDir())
	out, _ := good(t, "data", "list")
	if !strings.Contains(out, "embedded") || !strings.Contains(out, "no (not fetched)") ||
		!strings.Contains(out, "vowel-context.data") {
		t.Errorf("%s", out)
	}
	path := filepath.Join(os.Getenv("MPCVM_DATA"), "heart.csv")
	must.OK(t, os.WriteFile(path, nil, 0o600))
	if out, _ = good(t, "data", "list"); !strings.Contains(out, path) {
		t.Errorf("%s", out)
	}
}

// mixedModel is a small model with columns of all kinds.
const mixedModel = "../../mpcvm/testdata/corpus/v4-mixed-bottomup.json"

// twoClasses writes a table with a number near 1 for one class and near another number for the other.
func twoClasses(t *testing.T, other int) string {
	return tableFile(t, "x,class", 24, func(i int) string {
		return fmt.Sprintf("%d.%d,%c", 1+i%2*(other-1), i%7, 'a'+i%2)
	})
}

// The JSON output of every verb is an object with the number of the schema.
func TestSchema(t *testing.T) {
	dir := t.TempDir()
	file, model := twoClasses(t, 4), filepath.Join(dir, "m.json")
	for _, args := range [][]string{
		{"fit", file, "--algorithm", "mpcvm2", "--theta", "1", "--cv", "2", "--model", model},
		{"look", file}, {"look", file, "--against", model}, {"predict", file, "--model", model}, {"explain", file,
			"--model", model, "--row", "1"},
		{"compare", file, "--systems", "logistic", "--repeats", "1", "--folds-k", "2"},
		{"data", "list"}, {"data", "fetch", "iris", "--to", dir},
	} {
		out, _ := good(t, append(args, "--json")...)
		var object struct {
			Schema int `json:"schema"`
		}
		if err := json.Unmarshal([]byte(out), &object); err != nil || object.Schema != 2 {
			t.Errorf("%q: %v, schema %d: %.200s", args, err, object.Schema, out)
		}
	}
}

// --precision sets the decimals of the scores for this run only.
func TestPrecision(t *testing.T) {
	args := []string{"compare", twoClasses(t, 2), "--systems", "logistic", "--repeats", "1", "--folds-k", "2"}
	for _, tt := range []struct{ digits, want string }{{"2", "50 ± "}, {"", "50.00 ± "}, {"6", "50.0000 ± "},
		{"", "0.5000 ± 0.0000"}, {"2", " 0.50 ± 0.00"}} {
		line := args
		if tt.digits != "" {
			line = append(line, "--precision", tt.digits)
		}
		if out, _ := good(t, line...); !strings.Contains(out, tt.want) {
			t.Errorf("--precision %s: no %q in\n%s", tt.digits, tt.want, out)
		}
	}
}
