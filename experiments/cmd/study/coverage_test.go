package main

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"math"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/mpcvm/mpcvm/internal/testkit/must"
)

// TestStudyCoverage checks the rows for all flowers and for each class, written to a file and to
// standard output.
func TestStudyCoverage(t *testing.T) {
	const args = "coverage --data iris --repeats 2 --most 60 --sets 0.9"
	out := good(t, args)
	rows, err := csv.NewReader(strings.NewReader(out)).ReadAll()
	if err != nil || len(rows) != 5 || rows[4][7] != "virginica" ||
		strings.Join(rows[1][:8], ",") != "iris,3,60,90,2,2,0.9," {
		t.Errorf("%q, %v", rows, err)
	}
	file := filepath.Join(t.TempDir(), "coverage.csv")
	good(t, args, "--out", file)
	if text := read(t, file); string(text) != out {
		t.Errorf("%s\nwant\n%s", text, out)
	}
	for flags, say := range map[string]string{
		"": `required flag(s) "data" not set`, "--data iris --sets 1.5": "between 0 and 1",
		"--data iris --repeats 1": "--repeats from 2", "--data iris --most 1": "--most",
	} {
		if code, _, errOut := try(t, "coverage", flags); code != misused || !strings.Contains(errOut, say) {
			t.Errorf("%s: %d, %s", flags, code, errOut)
		}
	}
}

// TestCoverageTable checks that the table of docs/method.md has the numbers of the recorded study.
// The coverage is at least the nominal one within three standard errors, for all rows and for each
// class that is covered separately.
func TestCoverageTable(t *testing.T) {
	recorded := read(t, "../../../notebooks/results/coverage/coverage.csv")
	rows := must.Get(csv.NewReader(bytes.NewReader(recorded)).ReadAll())(t)
	doc := read(t, "../../../docs/method.md")
	column := map[string]int{}
	for i, name := range rows[0] {
		column[name] = i
	}
	lines, sets := map[string]string{}, []string{}
	for _, row := range rows[1:] {
		of := func(name string) float64 {
			v := must.Get(strconv.ParseFloat(row[column[name]], 64))(t)
			return v
		}
		set, class := row[column["set"]], row[column["class"]]
		coverage, se, nominal := of("coverage"), of("coverage_se"), of("nominal")
		byClass := of("by_class") == of("partitions")
		if (class == "" || byClass) && coverage < nominal-3*se-0.005 {
			t.Errorf("%s %s: %g ± %g of %g", set, class, coverage, se, nominal)
		}
		if class != "" {
			continue
		}
		if lines[set] == "" {
			sets = append(sets, set)
			covered := map[bool]string{true: "each class", false: "all rows"}[byClass]
			lines[set] = fmt.Sprintf("| %s | %g | %g | %s |", set, of("classes"), of("train"), covered)
		}
		if math.Abs(nominal-0.9) < 1e-9 {
			lines[set] += fmt.Sprintf(" %.1f ± %.1f | %.2f | %.1f | %.2f |", 100*coverage, 100*se, of("size"),
				100*of("scaled_coverage"), of("scaled_size"))
		}
	}
	for _, set := range sets {
		if !strings.Contains(string(doc), lines[set]+"\n") {
			t.Errorf("docs/method.md lacks\n%s", lines[set])
		}
	}
	if len(sets) < 11 {
		t.Errorf("%d sets", len(sets))
	}
}
