package main

import (
	"encoding/json"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/mpcvm/mpcvm/internal/testkit/must"
	"github.com/mpcvm/mpcvm/internal/words"
	"github.com/mpcvm/mpcvm/tables/drift"
)

// messy is a table as written by a spreadsheet, with an unusual name of the class column.
const messy = "id;Länge;colour;kind of it\nA1;1,5;red;a b\nA2;2,25;blue;c\nA3;;red;a " +
	"b\nA4;3,5;-999;c\nA5;3,25;blue;a b\nA6;0,5;red;c\n"

// Look ends with a command that reads the file in the same way and uses the same classes.
func TestLookNext(t *testing.T) {
	dir := t.TempDir()
	path := write(t, dir, "it's messy.csv", messy)
	for line, want := range map[string]string{
		"":                    "mpcvm fit FILE --target 'kind of it'",
		"--target id":         "mpcvm look FILE --target 'kind of it'",
		"--target colour":     "mpcvm fit FILE --target colour",
		"--drop colour,id":    "mpcvm fit FILE --target 'kind of it' --drop colour,id",
		"--na -999,none":      "mpcvm fit FILE --target 'kind of it' --na -999,none",
		"--kind Länge=number": "mpcvm fit FILE --target 'kind of it' --kind Länge=number",
		"--separator ;":       "mpcvm fit FILE --target 'kind of it' --separator ';'",
		"--decimal ,":         "mpcvm fit FILE --target 'kind of it' --decimal ,",
		"--kind id=category":  "mpcvm fit FILE --target 'kind of it' --kind id=category",
		"--skip 0 --id id":    "mpcvm fit FILE --target 'kind of it' --skip 0 --id id",
		"--header yes":        "mpcvm fit FILE --target 'kind of it' --header yes",
	} {
		out, _ := good(t, append([]string{"look", path}, strings.Fields(line)...)...)
		want = "\nnext: " + strings.Replace(want, "FILE", `'`+strings.ReplaceAll(path, "'", `'\''`)+`'`, 1) +
			"\n"
		if !strings.HasSuffix(out, want) || !strings.Contains(out, "(semicolon,") {
			t.Errorf("%s: no %s\nin %s", line, want, out)
		}
	}
	if got := words.CommaSeparated([]string{"a", `b,"c"`, ""}); got != `a,"b,""c""",""` {
		t.Error(got)
	}
}

// Look also shows files that fit rejects unless a flag determines how to read them.
func TestLookLenient(t *testing.T) {
	dir := t.TempDir()
	for text, say := range map[string]string{
		"a;b\n1,234;x\n2,345;y\n3,456;x\n": "--decimal",
		"a,b\n1,x\n2,y,z\n3\n4,x\n":        "--ragged",
		"a,b\n":                            "0 rows",
	} {
		path := write(t, dir, "odd.csv", text)
		out, _ := good(t, "look", path)
		if !strings.Contains(out, say) {
			t.Errorf("%q: no %q in\n%s", text, say, out)
		}
		good(t, "look", path, "--json")
		good(t, "look", path, "--report", filepath.Join(dir, "look.html"))
		if code, _, _ := try(t, "compare", path); code != 1 {
			t.Errorf("%q: compare ends with status %d", text, code)
		}
	}
}

// TestLookAgainst checks that a shifted column is detected, and that the training rows themselves have none.
// Old model files are rejected.
func TestLookAgainst(t *testing.T) {
	dir := t.TempDir()
	model := visitsModel(t, dir)
	same, _ := good(t, "look", filepath.Join(dir, "visits.csv"), "--against", model)
	if !strings.HasPrefix(same, "80 rows; 0 of 5 columns have moved since training") {
		t.Error(same)
	}
	rows := visits(80)
	for _, row := range rows[1:] {
		age := must.Get(strconv.Atoi(row[1]))(t)
		row[1] = strconv.Itoa(age + 30)
	}
	path := write(t, dir, "later.csv", asCSV(rows, ','))
	out, _ := good(t, "look", path, "--against", model, "--json")
	var d drift.Report
	if err := json.Unmarshal([]byte(out), &d); err != nil || d.Rows != 80 || len(d.Columns) != 5 {
		t.Fatalf("%v, %s", err, out)
	}
	if c := d.Columns[0]; c.Name != "age" || !c.Moved || c.What != "median" || c.Training != "49.5" ||
		c.Here != "79.5" || d.Columns[1].Moved {
		t.Errorf("%+v", d)
	}
	if text, _ := good(t, "look", path, "--against", model); !strings.Contains(text,
		"1 of 5 columns have moved") || !strings.Contains(text, "age     median      49.5  79.5  < 0.0001") {
		t.Error(text)
	}
	old := regexp.MustCompile(`,"(quantiles|below|counts)":\[[^]]*\]`).ReplaceAllString(string(read(t, model)),
		"")
	if code, _, errOut := try(t, "look", path, "--against", write(t, dir, "old.json", old)); code != 1 ||
		!strings.Contains(errOut, "fit it again") {
		t.Errorf("%d, %s", code, errOut)
	}
}
