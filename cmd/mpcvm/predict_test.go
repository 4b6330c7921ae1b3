package main

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/xuri/excelize/v2"
	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/internal/testkit/must"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
	"github.com/mpcvm/mpcvm/tables"
	"github.com/mpcvm/mpcvm/tables/parquet"
	"github.com/mpcvm/mpcvm/tables/predict"
	"github.com/mpcvm/mpcvm/tables/recipe"
	"github.com/mpcvm/mpcvm/tables/table"
)

// visits is a table with columns of each kind.
func visits(n int) [][]string {
	rows := [][]string{{"id", "age", "weight", "city", "smoker", "seen", "group"}}
	for i := range n {
		k, late := i%20, i%2 == 1
		group, city, smoker, age := "a", "Zürich", "no", 20+k
		if late {
			group, city, smoker, age = "b", "Bern, old", "yes", 60+k
		}
		row := []string{fmt.Sprintf("p%03d", i), fmt.Sprint(age), fmt.Sprintf("%.2f", 60.25+float64(k)), city,
			smoker, fmt.Sprintf("%02d/%02d/2021", 1+k%12, 1+k), group}
		if i%17 == 3 {
			row[2] = "-999"
		}
		rows = append(rows, row)
	}
	return rows
}

func asCSV(rows [][]string, separator rune) string {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	w.Comma = separator
	_ = w.WriteAll(rows) // to memory
	return b.String()
}

// visitsModel fits a model to a table in which -999 means missing, and returns its file.
func visitsModel(t *testing.T, dir string) string {
	t.Helper()
	path := write(t, dir, "visits.csv", asCSV(visits(80), ','))
	tab := must.Get(tables.Open(path, tables.Options{Missing: []string{"-999"}, ID: []string{"id"}}))(t)
	m, _, err := tables.Fit(t.Context(), tab, "group", mpcvm.BottomUp{Kernel: kernel.RBF{Theta: 0.1}})
	if err != nil {
		t.Fatal(err)
	}
	if r := m.Recipe(); !slices.Equal(r.Missing, []string{"-999"}) ||
		r.Columns[slices.IndexFunc(r.Columns,
			func(c recipe.Column) bool { return c.Name == "seen" })].Layout != "1/2/2006" {
		t.Fatalf("%+v", r)
	}
	file := filepath.Join(dir, "visits.json")
	must.OK(t, m.SaveFile(file))
	return file
}

func gzipped(text string) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = w.Write([]byte(text))
	_ = w.Close()
	return b.String()
}

// Predictions do not depend on the format and dialect of a file or on the order of its columns.
func TestPredictAnyFile(t *testing.T) {
	dir := t.TempDir()
	modelFile := visitsModel(t, dir)
	rows := visits(60)
	plain := asCSV(rows, ',')
	want, errOut := good(t, "predict", write(t, dir, "plain.csv", plain), "--model", modelFile, "--proba")
	if strings.Count(want, "\n") != 61 || !strings.Contains(errOut, "error rate: 0.00 % (0 of 60)") ||
		!strings.HasPrefix(want, "class,p(a),p(b),unlike,beyond,new_levels,problem\n") {
		t.Fatalf("%s%s", want, errOut)
	}
	each := func(change func(row []string) []string) [][]string {
		out := make([][]string, len(rows))
		for i, row := range rows {
			out[i] = change(slices.Clone(row))
		}
		return out
	}
	wide := []byte("\xff\xfe")
	for _, u := range utf16.Encode([]rune(plain)) {
		wide = binary.LittleEndian.AppendUint16(wide, u)
	}
	var latin []byte
	for _, r := range asCSV(rows, '\t') {
		latin = append(latin, byte(r))
	}
	var arff strings.Builder
	arff.WriteString("@relation visits\n@attribute id string\n@attribute age numeric\n@attribute weight " +
		"numeric\n@attribute city {'Zürich','Bern, old'}\n" +
		"@attribute smoker {no,yes}\n@attribute seen date \"MM/dd/yyyy\"\n@attribute group {a,b}\n@data\n")
	for _, row := range rows[1:] {
		fmt.Fprintf(&arff, "%s,%s,%s,'%s',%s,%q,%s\n", row[0], row[1], row[2], row[3], row[4], row[5], row[6])
	}
	book := excelize.NewFile()
	for i, row := range rows {
		for j, text := range row {
			at, _ := excelize.CoordinatesToCellName(j+1, i+1)
			var v any = text
			var f float64
			if _, err := fmt.Sscanf(text, "%g", &f); err == nil && (j == 1 || j == 2) {
				v = f
			}
			must.OK(t, book.SetCellValue("Sheet1", at, v))
		}
	}
	var xlsx bytes.Buffer
	must.OK(t, book.Write(&xlsx))
	for name, text := range map[string]string{
		"bare.csv":      strings.TrimSuffix(plain, "\n"),
		"crlf.csv":      strings.ReplaceAll(plain, "\n", "\r\n"),
		"mac.csv":       strings.ReplaceAll(plain, "\n", "\r"),
		"mark.csv":      "\ufeff" + plain,
		"titled.csv":    "# visits\n# of 2021\n" + plain,
		"tab.tsv":       asCSV(rows, '\t'),
		"latin.txt":     string(latin),
		"wide.csv":      string(wide),
		"packed.csv.gz": gzipped(plain),
		"trailing.csv":  strings.ReplaceAll(plain, "\n", ",\n"),
		"blank.csv":     strings.ReplaceAll(plain, "\n", "\n  \n"),
		"visits.arff":   arff.String(),
		"visits.xlsx":   xlsx.String(),
		"decimal.csv": asCSV(each(func(row []string) []string {
			row[2] = strings.ReplaceAll(row[2], ".", ",")
			return row
		}), ';'),
		"order.csv": asCSV(each(func(row []string) []string { slices.Reverse(row); return row }), ','),
		"more.csv": asCSV(each(func(row []string) []string { return append([]string{row[1] + " \"x\""}, row...) }),
			','),
		"iso.csv": asCSV(each(func(row []string) []string {
			if p := strings.Split(row[5], "/"); len(p) == 3 {
				row[5] = p[2] + "-" + p[0] + "-" + p[1]
			}
			return row
		}), '|'),
	} {
		path := write(t, dir, name, text)
		got, errOut := good(t, "predict", path, "--model", modelFile, "--proba")
		if got != want || !strings.Contains(errOut, "(0 of 60)") {
			i := 0
			for i < min(len(got), len(want)) && got[i] == want[i] {
				i++
			}
			t.Errorf("%s: %s%.200s, want %.200s", name, errOut, got[i:], want[i:])
		}
	}
}

// A file that grows while it is read is an error.
func TestUnchanged(t *testing.T) {
	f := must.Get(os.Create(filepath.Join(t.TempDir(), "a.csv")))(t)
	defer f.Close()
	before := must.Get(f.Stat())(t)
	must.OK(t, unchanged(f, before))
	must.Get(f.WriteString("x,y\n"))(t)
	if err := unchanged(f, before); err == nil || !strings.Contains(err.Error(), "a.csv changed while") {
		t.Error(err)
	}
}

// Each row, whatever its content, has a row of predictions with its kept columns.
func TestPredictLosesNone(t *testing.T) {
	dir := t.TempDir()
	modelFile := visitsModel(t, dir)
	path := write(t, dir, "bad.csv", "id,age,weight,city,smoker,seen,group\n"+
		"1,30,70.5,Basel,no,02/03/2021,a\n"+ // a level that is not in the training data
		"2,abc,70.5,Bern,no,02/03/2021,a\n"+
		"3,30,70.5\n"+
		"4,NA,,?,n/a,null,\n"+
		"\" 5, \"\"x\"\"\",30,none,Bern,Yes,,b\n"+
		"6,30,1e999,Bern,no,02/03/2021,a\n"+
		"7,30,70.5,Bern,maybe,02/03/2021,a\n"+
		"8,30,70.5,Bern,no,yesterday,c\n"+
		"9,31,-999.0,Bern,no,02/03/2021,a,,\n"+
		"10,31,70.5,Bern,no,02/03/2021,a,b\n")
	problems := []string{"", `column age: a number is expected`, "3, but there are 7 columns", "no feature has a value",
		"", `column weight: a number is expected`, `column smoker: a boolean is expected`, `"yesterday"`, "",
		"8, but there are 7 columns"}
	args := []string{"predict", path, "--model", modelFile, "--keep", "id,group"}
	out, errOut := good(t, args...)
	got, err := csv.NewReader(strings.NewReader(out)).ReadAll()
	if err != nil || len(got) != len(problems)+1 || strings.Join(got[0],
		" ") != "id group class unlike beyond new_levels problem" {
		t.Fatalf("%v: %s", err, out)
	}
	for i, problem := range problems {
		row := got[i+1]
		if (row[2] == "") != (problem != "") || !strings.Contains(row[6], problem) || problem == "" &&
			row[6] != "" {
			t.Errorf("%q, want %s", row, problem)
		}
	}
	if got[5][0] != ` 5, "x"` || got[8][1] != "c" {
		t.Errorf("%q", got)
	}
	if !strings.HasPrefix(errOut,
		`predicted 3 rows, 7 rows could not be used (first: row 2, column age: a number is expected (use --na abc for a missing value): "abc")`) || !strings.Contains(errOut, "of 3)") {
		t.Error(errOut)
	}
	if _, errOut := good(t, append(args, "--na", "abc,yesterday")...); !strings.HasPrefix(errOut,
		"predicted 5 rows, 5 rows") {
		t.Error(errOut)
	}

	asJSON, _ := good(t, append(args, "--json", "--proba")...)
	var all predict.Document
	if err := json.Unmarshal([]byte(asJSON), &all); err != nil || len(all.Predictions) != len(problems) {
		t.Fatalf("%v: %s", err, asJSON)
	}
	asParquet := filepath.Join(dir, "bad.parquet")
	good(t, append(args, "--out", asParquet, "--proba")...)
	back, err := tables.Open(asParquet, tables.Options{Kinds: map[string]table.Kind{"id": table.Text,
		"problem": table.Text}})
	if err != nil || back.Rows != len(problems) {
		t.Fatal(err)
	}
	for i, row := range got[1:] {
		p := all.Predictions[i]
		if p.Kept["id"] != row[0] || p.Kept["group"] != row[1] || p.Class != row[2] || p.Problem != row[6] ||
			(p.Proba == nil) != (row[2] == "") {
			t.Errorf("JSON %+v, CSV %q", p, row)
		}
		for j, name := range got[0] {
			if text := back.Columns[back.Find(name)].Text(i); text != strings.TrimSpace(row[j]) {
				t.Errorf("Parquet %q, CSV %q", text, row[j])
			}
		}
	}

	all7, _ := good(t, "predict", path, "--model", modelFile, "--keep", "all")
	if !strings.HasPrefix(all7, "id,age,weight,city,smoker,seen,group,class,unlike,beyond,new_levels,problem\n") ||
		strings.Count(all7, "\n") != len(problems)+1 {
		t.Error(all7)
	}
}

// With costs, the class of a row has the lowest expected cost.
func TestPredictCosts(t *testing.T) {
	dir := t.TempDir()
	model := filepath.Join(dir, "m.json")
	if code, _, errOut := try(t, "fit", "../../data/penguins.csv", "--target", "Sex", "--algorithm", "mpcvm1",
		"--theta", "0.05", "--cv", "none", "--model", model); code != 0 {
		t.Fatal(errOut)
	}
	classes := func(flags ...string) string {
		code, out, errOut := try(t, append([]string{"predict", "../../data/penguins.csv", "--model", model},
			flags...)...)
		if code != 0 {
			t.Fatal(errOut)
		}
		return out
	}
	females := func(out string) int { return strings.Count(out, "FEMALE,") }
	plain, even := classes(), classes("--costs", "MALE:FEMALE=1")
	if plain != even {
		t.Error("equal costs change the classes")
	}
	if rare := females(classes("--costs", "MALE:FEMALE=50")); rare >= females(plain) {
		t.Errorf("%d females if a wrong one costs 50, %d without costs", rare, females(plain))
	}
	if all := females(classes("--costs", "FEMALE:MALE=1e200")); all != 344 {
		t.Errorf("%d females of 344 if a missed one costs 1e200", all)
	}
}

// TestPredictSets checks the sets in each format, as a column or a list, and the summary at the end.
func TestPredictSets(t *testing.T) {
	dir := t.TempDir()
	model, out := filepath.Join(dir, "m.json"), filepath.Join(dir, "out.parquet")
	good(t, "fit", "../../data/iris.csv", "--algorithm", "mpcvm2", "--theta", "0.1", "--calibrate", "--cv",
		"none", "--model", model)
	m := must.Get(tables.LoadFile(model))(t)
	iris := must.Get(data.Load("iris"))(t)
	names, sizes, covered := m.ClassNames(), map[int]int{}, 0
	for _, coverage := range []string{"0.5", "0.99"} {
		p := must.Get(strconv.ParseFloat(coverage, 64))(t)
		sets := must.Get(m.Model().PredictSet(iris.X, p))(t)
		var want []string
		covered = 0
		for i, set := range sets {
			var texts []string
			for _, c := range set {
				texts = append(texts, names[c])
			}
			want = append(want, strings.Join(texts, " | "))
			sizes[len(set)]++
			if slices.Contains(set, iris.T[i]) {
				covered++
			}
		}
		base := []string{"predict", "../../data/iris.csv", "--model", model, "--sets", coverage}
		text, errOut := good(t, append(base, "--proba", "--keep", "class")...)
		rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
		if err != nil || strings.Join(rows[0][5:], ",") != "set,unlike,beyond,new_levels,problem" {
			t.Fatalf("%q, %v", rows[0], err)
		}
		for i, row := range rows[1:] {
			if row[5] != want[i] || row[9] != "" {
				t.Errorf("%s: row %d: set %q, want %q", coverage, i, row[5], want[i])
			}
		}
		if say := fmt.Sprintf("sets: contain the true class with probability %s or more for each class; ",
			coverage); !strings.Contains(errOut, say) || !strings.Contains(errOut,
			fmt.Sprintf("%.1f %% of 150 contain the known class", float64(covered)/1.5)) {
			t.Error(errOut)
		}
		text, _ = good(t, append(base, "--json")...)
		var all predict.Document
		must.OK(t, json.Unmarshal([]byte(text), &all))
		good(t, append(base, "--out", out)...)
		again := must.Get(tables.Open(out, tables.Options{Kinds: map[string]table.Kind{"set": table.Text}}))(t)
		for i, set := range want {
			if p := all.Predictions[i]; p.Set == nil || strings.Join(p.Set, " | ") != set {
				t.Errorf("row %d: %q in JSON, want %q", i, p.Set, set)
			}
			if got := again.Columns[again.Find("set")].Text(i); got != set {
				t.Errorf("row %d: %q in Parquet, want %q", i, got, set)
			}
		}
	}
	if sizes[0] > 2 || sizes[1] == 0 || sizes[2]+sizes[3] == 0 {
		t.Errorf("sizes %v: a size of set does not occur, or sets of ordinary rows are empty", sizes)
	}
}

// Prediction without a usable row fails after writing its output; the error gives the reason and advice.
func TestNoUsableRow(t *testing.T) {
	dir := t.TempDir()
	model := visitsModel(t, dir)
	rows := visits(20)
	for _, row := range rows[1:] {
		row[1] = "old"
	}
	path := write(t, dir, "old.csv", asCSV(rows, ','))
	for _, format := range []string{".csv", ".json"} {
		out := filepath.Join(dir, "p"+format)
		code, _, errOut := try(t, "predict", path, "--model", model, "--out", out,
			"--json="+strconv.FormatBool(format == ".json"))
		want := path +
			`: no usable rows (20 read); the first error: column age: a number is expected (use --na old for a missing value): "old"; ` +
			"compare its columns with the training file: mpcvm look " + path + "\n"
		if code != 1 || errOut != "mpcvm predict: "+want {
			t.Errorf("status %d: %s", code, errOut)
		}
		if text := string(read(t, out)); strings.Count(text, "column age: a number is expected") != 20 {
			t.Errorf("%s", text)
		}
	}

	unlabelled := visits(20)
	for _, row := range unlabelled[1:] {
		row[6] = ""
	}
	train := write(t, dir, "train.csv", asCSV(visits(80), ','))
	for name, say := range map[string]string{
		path: "--test: no row with a class could be used; the first error: ",
		write(t, dir, "unlabelled.csv",
			asCSV(unlabelled, ',')): `has a class in column "group"`,
	} {
		saved, report := filepath.Join(dir, "saved.json"), filepath.Join(dir, "report.html")
		os.Remove(saved)
		os.Remove(report)
		code, figures, errOut := try(t, "fit", train, "--na", "-999", "--algorithm", "mpcvm2", "--theta", "0.1",
			"--cv", "none", "--test", name, "--model", saved, "--report", report, "--json")
		if code != 1 || !strings.Contains(errOut, say) || !json.Valid([]byte(figures)) {
			t.Errorf("status %d: %s%s", code, errOut, figures)
		}
		read(t, saved)
		read(t, report)
	}
}

// TestPredictRename checks that renamed columns, also of the classes, and absent columns give the same
// predictions as a file with the original names and empty cells.
func TestPredictRename(t *testing.T) {
	dir := t.TempDir()
	model := visitsModel(t, dir)
	blank, other := visits(40), visits(40)
	for i := range other {
		blank[i][2], blank[i][3] = "", ""
		other[i] = append(slices.Clone(other[i][:2]), other[i][4:]...)
	}
	blank[0][2], blank[0][3] = "weight", "city"
	other[0] = []string{"id", "years", "smoker", "visit", "truth"}
	flags := []string{"--model", model, "--proba", "--keep", "id"}
	want, wantErr := good(t, append([]string{"predict", write(t, dir, "blank.csv", asCSV(blank, ','))},
		flags...)...)
	path := write(t, dir, "other.csv", asCSV(other, ','))
	right := []string{"--rename", "years=age,visit=seen,truth=group", "--without", "weight,city"}
	got, gotErr := good(t, slices.Concat([]string{"predict", path}, flags, right)...)
	if got != want || gotErr != wantErr || !strings.Contains(gotErr, "error rate") {
		t.Errorf("%s%s\nwant %s%s", got, gotErr, want, wantErr)
	}
}

// many writes n different rows as CSV and as Parquet.
func many(t testing.TB, dir string, n int) (csvFile, parquetFile string, x *mat.Dense, classes []string) {
	t.Helper()
	set := must.Get(data.Load("iris"))(t)
	x, classes = mat.NewDense(n, 4, nil), make([]string, n)
	for i := range n {
		k := i % set.N()
		for d, v := range set.X.RawRowView(k) {
			x.Set(i, d, v+float64(i)/float64(4*n))
		}
		classes[i] = set.Classes[set.T[k]]
	}
	var text bytes.Buffer
	fmt.Fprintf(&text, "%s,class\n", strings.Join(set.Features, ","))
	for i := range n {
		for _, v := range x.RawRowView(i) {
			text.WriteString(strconv.FormatFloat(v, 'g', -1, 64) + ",")
		}
		text.WriteString(classes[i] + "\n")
	}
	csvFile = filepath.Join(dir, "many.csv")
	must.OK(t, os.WriteFile(csvFile, text.Bytes(), 0o600))
	l := parquet.Layout{Before: []string{"class"}, Numbers: set.Features}
	var out bytes.Buffer
	w := parquet.NewWriter(&out, l)
	var wrong error
	for lo := 0; wrong == nil && lo < n; lo += 10007 {
		hi := min(lo+10007, n)
		wrong = w.Write(x.Slice(lo, hi, 0, 4).(*mat.Dense), classes[lo:hi])
	}
	must.OK(t, errors.Join(wrong, w.Close()))
	parquetFile = filepath.Join(dir, "many.parquet")
	must.OK(t, os.WriteFile(parquetFile, out.Bytes(), 0o600))
	return csvFile, parquetFile, x, classes
}

func read(t testing.TB, path string) []byte {
	t.Helper()
	text := must.Get(os.ReadFile(path))(t)
	return text
}

// For numbers of rows around the batch size, predictions from CSV and Parquet in each output format equal
// Proba and Predict on all rows, bit for bit.
func TestConcurrentBatches(t *testing.T) {
	dir, _, modelFile, _ := iris(t, "--theta", "0.1")
	m := must.Get(tables.LoadFile(modelFile))(t)
	const batch = 1 << 15
	for _, n := range []int{1, batch - 1, batch, batch + 1} {
		csvFile, parquetFile, x, classes := many(t, dir, n)
		p, labels, unlike := m.Model().Proba(nil, x), m.Model().Predict(nil, x), m.Model().Unlike(nil, x)
		var want strings.Builder
		want.WriteString("class,p(setosa),p(versicolor),p(virginica),unlike,beyond,new_levels,problem\n")
		wrong := 0
		for i, label := range labels {
			name := m.ClassNames()[label]
			far, beyond := "", []string(nil)
			if unlike[i] {
				far = "yes"
			}
			for j, c := range m.RowRecipe().Columns {
				if v := x.At(i, j); v < c.Range[0] || v > c.Range[1] {
					beyond = append(beyond, c.Name)
				}
			}
			fmt.Fprintf(&want, "%s,%v,%v,%v,%s,%s,,\n", name, p.At(i, 0), p.At(i, 1), p.At(i, 2), far,
				strings.Join(beyond, " | "))
			if name != classes[i] {
				wrong++
			}
		}
		out := filepath.Join(dir, "p.csv")
		var first []byte
		for _, in := range []string{csvFile, parquetFile} {
			_, errOut := good(t, "predict", "--model", modelFile, "--data", in, "--proba", "--out", out)
			if got := string(read(t, out)); got != want.String() {
				t.Fatalf("%d rows of %s: other predictions", n, in)
			}
			if want := fmt.Sprintf("(%d of %d)", wrong, n); !strings.Contains(errOut, want) {
				t.Errorf("%s, want %s", errOut, want)
			}
			if text, _ := good(t, "predict", "--model", modelFile, "--data", in, "--proba"); text != want.String() {
				t.Fatalf("%d rows of %s: standard output differs", n, in)
			}
			text, _ := good(t, "predict", "--model", modelFile, "--data", in)
			for i, line := range strings.Split(text, "\n")[1:] {
				if i < n && !strings.HasPrefix(line, m.ClassNames()[labels[i]]+",") {
					t.Fatalf("row %d of %d: %s", i, n, line)
				}
			}
			if strings.Count(text, "\n") != n+1 {
				t.Errorf("%d lines for %d rows", strings.Count(text, "\n"), n)
			}
			asParquet := filepath.Join(dir, "p.parquet")
			good(t, "predict", "--model", modelFile, "--data", in, "--proba", "--out", asParquet)
			bits := read(t, asParquet)
			if first == nil {
				first = bits
			}
			back, err := tables.Open(asParquet, tables.Options{})
			if err != nil || back.Rows != n {
				t.Fatalf("%d rows: %v", n, err)
			}
			if got := back.Columns[back.Find("class")].Text(n - 1); got != m.ClassNames()[labels[n-1]] {
				t.Errorf("%d rows: the last is %s", n, got)
			}
			for c, name := range m.ClassNames() {
				if !slices.Equal(back.Columns[back.Find("p("+name+")")].Numbers, mat.Col(nil, c, p)) {
					t.Errorf("%d rows: other probabilities of %s", n, name)
				}
			}
			if !bytes.Equal(bits, first) {
				t.Error("Parquet from Parquet and from CSV differ")
			}
		}
	}
	left, err := filepath.Glob(filepath.Join(dir, ".p.*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %q %v", left, err)
	}
}

// An invalid row in a late batch has no prediction, and its number is printed.
func TestPredictLateFault(t *testing.T) {
	dir, _, modelFile, _ := iris(t, "--theta", "0.1")
	n := 1<<15 + 100 // more than a batch
	csvFile, _, x, classes := many(t, dir, n)
	lines := strings.SplitAfter(string(read(t, csvFile)), "\n")
	lines[n-1] = "1,2,three,4,setosa\n"
	must.OK(t, os.WriteFile(csvFile, []byte(strings.Join(lines, "")), 0o600))
	x.Set(n-3, 1, math.Inf(-1))
	l := parquet.Layout{Before: []string{"class"}, Numbers: []string{"sepal_length", "sepal_width", "petal_length",
		"petal_width"}}
	var out bytes.Buffer
	w := parquet.NewWriter(&out, l)
	must.OK(t, errors.Join(w.Write(x, classes), w.Close()))
	parquetFile := write(t, dir, "late.parquet", out.String())
	for in, say := range map[string]string{
		csvFile: fmt.Sprintf("row %d, column petal_length: a number is "+
			"expected (use --na three for a missing value): \"three\")", n-1),
		parquetFile: fmt.Sprintf("row %d, column sepal_width: a number is "+
			"expected (use --na -Inf for a missing value): \"-Inf\")", n-2),
	} {
		target := filepath.Join(dir, "p.csv")
		code, _, errOut := try(t, "predict", "--model", modelFile, "--data", in, "--out", target)
		if want := fmt.Sprintf("predicted %d rows, 1 row could not be used (first: ", n-1); code != 0 ||
			!strings.Contains(errOut, want+say) {
			t.Errorf("status %d, %s, want %s", code, errOut, want+say)
		}
		if lines := strings.Count(string(read(t, target)), "\n"); lines != n+1 {
			t.Errorf("%d lines for %d rows", lines, n)
		}
	}
}
