package main

import (
	"encoding/json"
	"flag"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/mpcvm/mpcvm/internal/testkit/must"
	"github.com/mpcvm/mpcvm/tables/eval"
	tables "github.com/mpcvm/mpcvm/tables/table"
)

// tiny holds the flags that fit one small model without a search.
var tiny = []string{"--algorithm", "mpcvm2", "--theta", "0.3", "--cv", "none"}

// TestChain checks that the verbs agree with one another. The command on the last line of look runs; predict
// on the training file writes the classes as in the file and has the training error of fit; explain, compare,
// export and the reports agree with it.
//
// TestChain fits small models; TestLongChain also fits with the defaults. The random tables are always the
// same; use -rapid.checks 1000 -rapid.seed 0 to try many others.
func TestChain(t *testing.T) {
	chain(t, "20", true)
	for _, pattern := range []string{"../../data/*.csv", "../../tables/testdata/wild/*.*"} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) < 5 {
			t.Errorf("%s: %d files, %v", pattern, len(files), err)
		}
		for _, file := range files {
			if ext := filepath.Ext(file); ext != ".md" {
				t.Run(filepath.Base(file), func(t *testing.T) {
					t.Parallel()
					text, err := os.ReadFile(file)
					table := pathTable{name: file, text: string(text), ext: ext, free: true, foreign: strings.Contains(file,
						"wild")}
					if err == nil {
						_, err = table.walk(t.TempDir(), true)
					}
					if err != nil {
						t.Error(err)
					}
				})
			}
		}
	}
}

// chain tries a number of random tables. Unless quick, it fits with the defaults.
func chain(t *testing.T, checks string, quick bool) {
	t.Helper()
	for _, tool := range []string{"python3", "node"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Logf("NOT TESTED: exports for %v", err)
		}
	}
	for _, table := range pathTables() {
		t.Run(table.name, func(t *testing.T) {
			t.Parallel()
			if _, err := table.walk(t.TempDir(), quick); err != nil {
				t.Errorf("%v\n%s", err, table)
			}
		})
	}
	t.Run("random", func(t *testing.T) {
		rapidly(t, checks)
		dir := t.TempDir()
		tables, models := 0, 0
		rapid.Check(t, func(r *rapid.T) {
			table := randomTable(r)
			model, err := table.walk(dir, tables%10 > 0 || quick)
			if err != nil {
				r.Fatalf("%v\n%s", err, table)
			}
			if tables++; model {
				models++
			}
		})
		if t.Logf("%d of %d tables have a model", models, tables); tables >= 10 && 3*models < tables {
			t.Error("too few tables with a model")
		}
	})
}

// A file larger than any buffer, with multi-line cells in quotes, is read completely, wherever a buffer ends.
func TestChainLarge(t *testing.T) { chainLarge(t, 2) }

// chainLarge shifts the ends of buffers a number of times.
func chainLarge(t *testing.T, shifts int) {
	t.Helper()
	m := equally(77, 720, 2).number("x", 2)
	m.add("note", func(i int) string {
		return strings.Repeat("said \"yes, or no\",\nthen left; ", 20+m.IntN(15)) + strconv.Itoa(i)
	})
	m.labels("class", "k%d", "10%", "it's, \"odd\"")
	for shift := range shifts {
		for j := range m.columns {
			m.columns[j] = append(m.columns[j][37*shift:], m.columns[j][:37*shift]...)
		}
		table := m.table("large")
		if len(table.text) < 600<<10 {
			t.Fatalf("%d bytes are not large", len(table.text))
		}
		table.options.Kinds = map[string]tables.Kind{"note": tables.Text}
		if _, err := table.walk(t.TempDir(), true); err != nil {
			t.Errorf("shifted by %d rows: %v", 37*shift, err)
		}
	}
}

// Random tables are the same in each run, unless flags of rapid change that.
func init() {
	for name, value := range map[string]string{"rapid.seed": "1", "rapid.nofailfile": "true"} {
		if err := flag.Set(name, value); err != nil {
			panic(err)
		}
	}
}

// rapidly sets the number of random tables of rapid, unless its flag is given.
func rapidly(t *testing.T, checks string) {
	t.Helper()
	given := false
	flag.Visit(func(f *flag.Flag) {
		given = given || f.Name == "rapid.checks" && f.Value.String() != rapidChecks
	})
	if given {
		return
	}
	must.OK(t, flag.Set("rapid.checks", checks))
	rapidChecks = checks
}

// rapidChecks is the value set by rapidly, which package flag then treats like a flag from the command line.
var rapidChecks string

// shellSplit splits a command of mpcvm as a shell does, and returns its words after the first one.
func shellSplit(line string) ([]string, error) {
	out, err := exec.Command("sh", "-c", `mpcvm() { printf '%s\0' "$@"; }; `+line).Output()
	return strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00"), err
}

// By default, the scores of fit do not include folds whose model collapsed, and a log loss above the baseline
// of the class frequencies is reported as such. The tables are small, because small tables collapse first.
func TestChainFigures(t *testing.T) { chainFigures(t, 3) }

func chainFigures(t *testing.T, tables int) {
	t.Helper()
	for seed := range uint64(tables) {
		r := rand.New(rand.NewPCG(seed, 60))
		classes := 2 + int(seed/2)%2
		m := equally(seed, 40+r.IntN(110), classes)
		for j := range 1 + r.IntN(4) {
			m.number("x"+strconv.Itoa(j), []float64{1.8, 1, 0.5, 0}[(j+r.IntN(2))%4])
			if r.IntN(3) == 0 {
				m.spoil(0.15, "")
			}
		}
		if r.IntN(3) == 0 {
			m.levels("level", 3)
		}
		file := write(t, t.TempDir(), "small.csv", m.table("small").text)
		out, said := good(t, "fit", file, "--json")
		var f eval.Evaluation
		must.OK(t, json.Unmarshal([]byte(out), &f))
		if strings.Contains(said, "collapsed") || strings.Contains(out, "collapsed:") {
			t.Errorf("table %d: %s", seed, said)
		}
		if f.CV.LogLoss != nil && *f.CV.LogLoss >= *f.Baseline.LogLoss && f.RelevanceVectors > 0 {
			if text, _ := good(t, "fit", file); !strings.Contains(text, "no better than the class frequencies") {
				t.Errorf("table %d: log loss %v, baseline %v: %s", seed, *f.CV.LogLoss,
					*f.Baseline.LogLoss, text)
			}
		}
	}
}
