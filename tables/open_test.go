package tables_test

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/mpcvm/mpcvm/internal/testkit/must"
	"github.com/mpcvm/mpcvm/internal/testkit/watch"
	"github.com/mpcvm/mpcvm/tables"
	"github.com/mpcvm/mpcvm/tables/table"
)

func ExampleOpen() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "plants.csv")
	text := "plant;Höhe;picked;wet\nrose;1,5;01.05.2021;yes\ndaisy;n.d.;02.05.2021;no\nrose;2,25;03.05.2021;yes\ndaisy;0,5;04.05.2021;no\nrose;1,25;31.05.2021;no\n"
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		fmt.Println(err)
		return
	}
	t, err := tables.Open(path, tables.Options{Missing: []string{"n.d."}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(t.Rows, "rows,", t.Reading)
	for i := range t.Columns {
		c := &t.Columns[i]
		fmt.Printf("%s is a %s: %q, %q\n", c.Name, c.Kind, c.Text(0), c.Text(1))
	}
	// Output:
	// 5 rows, semicolon, decimal comma
	// plant is a category: "rose", "daisy"
	// Höhe is a number: "1.5", ""
	// picked is a date: "2021-05-01", "2021-05-02"
	// wet is a boolean: "yes", "no"
}

func ExampleRead() {
	_, err := tables.Read(context.Background(), strings.NewReader("a,b,class\n1,2,x\n3,y\n5,6,x\n"), "small.csv", tables.Options{})
	fmt.Println(err)
	// Output:
	// tables: small.csv: line 3: wrong number of cells: 2, but the first record has 3 (read as comma): Options.Separator, Options.Quote, Options.Skip or Options.Comment may help, or Options.Ragged drop or Options.Ragged pad
}

func read(text string, o tables.Options) (*table.Table, error) {
	return tables.Read(context.Background(), strings.NewReader(text), "t", o)
}

// Errors name the invalid option.
func TestOpenOptions(t *testing.T) {
	for _, tt := range []struct {
		option string
		o      tables.Options
	}{
		{"Separator", tables.Options{Separator: "ab"}}, {"Ragged", tables.Options{Ragged: "skip"}},
		{"Limits", tables.Options{Limits: "all"}}, {"ID", tables.Options{ID: []string{"c"}}},
		{"Kinds", tables.Options{Kinds: map[string]table.Kind{"c": table.Date}}},
		{"Group", tables.Options{Group: "c"}}, {"Time", tables.Options{Time: "c"}},
		{"Group", tables.Options{Group: "b", Drop: []string{"b"}}},
		{"", tables.Options{Kinds: map[string]table.Kind{"a": table.Boolean}}},
	} {
		_, err := read("a,b\n1,x\n2,y\n3,x\n", tt.o)
		if f, ok := errors.AsType[table.Finding](err); !ok || f.Option != tt.option {
			t.Errorf("%+v: %v, want %s", tt.o, err, tt.option)
		}
	}
	if _, err := tables.Open(filepath.Join(t.TempDir(), "none.csv"), tables.Options{}); !errors.Is(err,
		os.ErrNotExist) {
		t.Error(err)
	}
	if _, err := tables.Open(t.TempDir(), tables.Options{}); err == nil {
		t.Error("no error for a folder")
	}
}

// Every kind can be requested.
func TestOpenKinds(t *testing.T) {
	text := "v,w\n1,a\n2,b\n3,a\n1,b\noops,a\n"
	for kind, want := range map[table.Kind]string{
		table.Number: "1|2|3|1|", table.Category: "1|2|3|1|oops", table.ID: "1|2|3|1|oops",
		table.Text: "1|2|3|1|oops", table.Date: "||||",
	} {
		got, err := read(text, tables.Options{Kinds: map[string]table.Kind{"v": kind}})
		if err != nil {
			t.Fatal(err)
		}
		c := &got.Columns[0]
		var cells []string
		for i := range got.Rows {
			cells = append(cells, c.Text(i))
		}
		if c.Kind != kind || strings.Join(cells, "|") != want {
			t.Errorf("%v: %v, %q", kind, c.Kind, cells)
		}
		if kind == table.Number && fmt.Sprint(c.Faults) != "[{4 6 oops}]" {
			t.Errorf("faults %v", c.Faults)
		}
	}
	got, err := read("v,w\na,1\nb,2\na,3\n", tables.Options{Kinds: map[string]table.Kind{"v": table.Boolean}})
	if err != nil || got.Columns[0].Kind != table.Boolean || fmt.Sprint(got.Columns[0].Numbers,
		got.Columns[0].Levels) != "[0 1 0] [a b]" {
		t.Errorf("%+v, %v", got, err)
	}
}

// The columns Group and Time are set aside unless Kinds names them. An increasing time is not an id.
func TestOpenFolds(t *testing.T) {
	text := "g,day,x,class\n"
	for i := range 20 {
		text += fmt.Sprintf("p%d,%d,%d,%c\n", i/2, i+1, i%7, 'a'+i%2)
	}
	for _, tt := range []struct {
		o    tables.Options
		want string // kinds, with a star if the column is set aside
	}{
		{tables.Options{}, "category id number category"},
		{tables.Options{Group: "g", Time: "day"}, "category* number* number category"},
		{tables.Options{Group: "g", Kinds: map[string]table.Kind{"g": table.Category}},
			"category id number category"},
		{tables.Options{Group: "g", ID: []string{"g"}}, "id id number category"},
	} {
		got, err := read(text, tt.o)
		if err != nil {
			t.Fatal(err)
		}
		var kinds []string
		for _, c := range got.Columns {
			kind := c.Kind.String()
			if c.Aside {
				kind += "*"
			}
			kinds = append(kinds, kind)
		}
		if said := strings.Join(kinds, " "); said != tt.want || got.Group != tt.o.Group || got.Time != tt.o.Time {
			t.Errorf("%+v: %s, not %s", tt.o, said, tt.want)
		}
	}
}

// The options also apply to Parquet files.
func TestOpenParquetOptions(t *testing.T) {
	type visit struct {
		Patient string  `parquet:"patient"`
		Day     int64   `parquet:"day"`
		X       float64 `parquet:"x"`
	}
	var rows []visit
	for i := range int64(20) {
		rows = append(rows, visit{fmt.Sprint("p", i/2), i, float64(i % 2)})
	}
	text := parquetOf(rows)
	o := tables.Options{Group: "patient", Time: "day", Like: []table.Column{{Name: "x", Kind: table.Number},
		{Name: "gone", Kind: table.ID}}}
	got, err := tables.Read(t.Context(), bytes.NewReader(text), "visits.parquet", o)
	if err != nil || got.Group != "patient" || !got.Columns[0].Aside || !got.Columns[1].Aside ||
		got.Columns[1].Kind != table.Number || got.Columns[2].Kind != table.Number {
		t.Errorf("%v, %+v", err, got)
	}
}

// Like may have columns that the file lacks. Kinds takes precedence.
func TestOpenLike(t *testing.T) {
	like := []table.Column{{Name: "v", Kind: table.Number}, {Name: "w", Kind: table.Text},
		{Name: "gone", Kind: table.Date}}
	got, err := read("v,w\n0,a\n1,b\n1,a\n", tables.Options{Like: like,
		Kinds: map[string]table.Kind{"w": table.ID}})
	if err != nil || len(got.Columns) != 2 || got.Columns[0].Kind != table.Number ||
		got.Columns[1].Kind != table.ID {
		t.Errorf("%+v, %v", got, err)
	}
}

// endless is an endless text that cancels the context after a while.
type endless struct {
	n      int
	cancel func()
}

func (e *endless) Read(b []byte) (int, error) {
	if e.n++; e.n == 100 {
		e.cancel()
	}
	return copy(b, strings.Repeat("1,a\n", 1000)), nil
}

// Reading stops when the context is done: before, during and after reading into memory.
func TestReadContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	if _, err := tables.Read(ctx, &endless{cancel: cancel}, "t", tables.Options{}); !errors.Is(err,
		context.Canceled) {
		t.Error(err)
	}
	const path, rows = "long.csv", 500000
	in := bytes.NewReader(bytes.Repeat([]byte("1.5,2.5,a,b\n"), rows))
	// The context is checked once per piece of the file, and reading stops once it is done.
	const enough = 1 << 30
	whole := watch.NewCountdown(context.Background(), enough)
	if _, err := tables.Read(whole, in, path, tables.Options{}); err != nil {
		t.Fatal(err)
	}
	looks := enough - whole.Left()
	if looks < 12*rows>>20 {
		t.Errorf("%d checks of the context in %d rows", looks, rows)
	}
	for _, after := range []int{1, 2, looks / 4, looks / 2, looks - 1} {
		ctx := watch.NewCountdown(context.Background(), after)
		if _, err := tables.Read(ctx, in, path, tables.Options{}); !errors.Is(err, context.Canceled) ||
			ctx.Left() < -1000 {
			t.Errorf("after %d of %d checks: %v, and %d more", after, looks, err, -ctx.Left())
		}
	}
	for _, w := range wilds() {
		if _, err := tables.Read(ctx, bytes.NewReader(w.content), w.file, w.o); !errors.Is(err,
			context.Canceled) {
			t.Errorf("%s: %v", w.file, err)
		}
	}
}

// An error in the middle of a text is returned.
func TestReadFails(t *testing.T) {
	broken := errors.New("broken")
	if _, err := tables.Read(t.Context(), io.MultiReader(strings.NewReader("a,b\n1,2\n"), failing{broken}), "t",
		tables.Options{}); !errors.Is(err, broken) {
		t.Error(err)
	}
}

type failing struct{ error }

func (f failing) Read([]byte) (int, error) { return 0, f.error }

// Many different texts need little more memory than their bytes, and numbers need 8 bytes per cell.
func TestOpenMemory(t *testing.T) {
	const rows = 300000
	text := lines("name,x,y,class", rows, func(i int) string {
		return fmt.Sprintf("name-%07d,%d.25,%d.5,%s", i*7%rows*3, i, i%1000, pick(i, "a", "b"))
	})
	path := filepath.Join(t.TempDir(), "t.csv")
	if err := os.WriteFile(path, text, 0o644); err != nil {
		t.Fatal(err)
	}
	// A row takes 16 bytes for numbers, 8 for codes, 28 for names and 12 in the table of texts. Growing slices
	// allocate several times as much in total.
	var got *table.Table
	var err error
	watch.Within(t, len(text), func() { got, err = tables.Open(path, tables.Options{}) })
	must.OK(t, err)
	if got.Rows != rows || got.Columns[0].Kind != table.ID || got.Columns[1].Kind != table.Number {
		t.Fatalf("%d rows, %v", got.Rows, got.Columns[0].Kind)
	}
}

// A small file that expands to a large one is rejected, however it is compressed.
func TestOpenBombs(t *testing.T) {
	defer tables.SetMaxUnzipped(1 << 20)()
	for name, content := range map[string][]byte{
		"t.csv.gz": zipped(bytes.Repeat([]byte("1,1,1,1\n"), 1<<20)),
		"t.xlsx":   repack(sheet([]any{1}), 8<<20),
	} {
		if _, err := tables.Read(t.Context(), bytes.NewReader(content), name, tables.Options{}); !errors.Is(err,
			tables.ErrTooLarge) {
			t.Errorf("%s, %d bytes: %v", name, len(content), err)
		}
	}
}

// repack adds a file of n zeros to a zip archive.
func repack(archive []byte, n int) []byte {
	old, err := zip.NewReader(bytes.NewReader(archive), int64(len(archive)))
	if err != nil {
		panic(err)
	}
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, part := range old.File {
		if err := z.Copy(part); err != nil {
			panic(err)
		}
	}
	w, _ := z.Create("xl/worksheets/sheet9.xml")
	_, _ = w.Write(make([]byte, n))
	_ = z.Close()
	return b.Bytes()
}

// FuzzOpenCSV reads arbitrary texts. Open returns an error or a consistent table.
func FuzzOpenCSV(f *testing.F) {
	for _, name := range []string{"two-headers.csv", "types-row.csv", "row-in-quotes.csv", "gbk.csv",
		"one-bad-byte.csv", "svmlight.txt"} {
		content, err := os.ReadFile(filepath.Join("testdata", "wild", name))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(content)
	}
	for _, w := range wilds() {
		if ext := filepath.Ext(w.file); len(w.content) < 1<<12 && ext != ".xlsx" && ext != ".parquet" &&
			ext != ".gz" {
			f.Add(w.content)
		}
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		if got, err := tables.Read(t.Context(), bytes.NewReader(content), "t", tables.Options{}); err == nil {
			consistent(t, got)
			inParts(t, content, got)
		}
	})
}

// inParts reads a file again in chunks with the kinds of its table, and compares the numbers and dates.
func inParts(t *testing.T, content []byte, whole *table.Table) {
	t.Helper()
	r, err := tables.NewReader(t.Context(), bytes.NewReader(content), "t", tables.Options{Like: whole.Columns})
	if err != nil {
		t.Fatalf("%q cannot be read in chunks: %v", content, err)
	}
	part, err := r.Next(t.Context())
	if err != nil {
		t.Fatalf("%q: %v", content, err)
	}
	if len(part.Ragged) > 0 || part.Rows != whole.Rows { // only a complete table is read without its footer
		return
	}
	for _, c := range whole.Columns {
		j := part.Find(c.Name)
		if j < 0 {
			t.Fatalf("%q: no column %q in a chunk; there are %q", content, c.Name, r.Names())
		}
		if got := part.Columns[j]; c.Kind == table.Number || c.Kind == table.Date {
			for row := range c.Numbers {
				if a, b := c.Numbers[row], got.Numbers[row]; a != b && (a == a || b == b) {
					t.Errorf("%q: column %q, row %d: %v, in chunks %v", content, c.Name, row, a, b)
				}
			}
		}
	}
}

// FuzzOpenXLSX reads workbooks with arbitrary rows and shared strings. The XML is mutated before it is
// compressed, so that mutations reach the reader of the sheet.
func FuzzOpenXLSX(f *testing.F) {
	f.Add(`<row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" t="str"><v>b</v></c></row><row r="2"><c r="A2"><v>1.5</v></c><c r="B2" t="b"><v>1</v></c></row>`, `<si><t>a</t></si>`)
	f.Add(`<row r="7"><c r="C7" t="e"><v>#N/A</v></c><c r="D7" t="d"><v>2021-05-01T10:00:00Z</v></c><c t="inlineStr"><is><t>x</t></is></c></row>`, `<si><r><t>a</t></r><r><t xml:space="preserve"> b</t></r></si><si/>`)
	f.Add(`<row><c s="1"><v>44000</v></c><c><f>A1</f><v>2</v></c></row><row/><row hidden="1"><c/><c t="s"><v>9</v></c></row>`, ``)
	const office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
	const main = `xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"`
	const links = `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">`
	const types = "application/vnd.openxmlformats-officedocument.spreadsheetml."
	pack := func(rows, shared string) io.Reader {
		var b bytes.Buffer
		z := zip.NewWriter(&b)
		for _, part := range [][2]string{
			{"[Content_Types].xml",
				`<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>` +
					`<Override PartName="/xl/workbook.xml" ContentType="` + types +
					`sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="` + types +
					`worksheet+xml"/>` +
					`<Override PartName="/xl/sharedStrings.xml" ContentType="` + types +
					`sharedStrings+xml"/><Override PartName="/xl/styles.xml" ContentType="` + types +
					`styles+xml"/></Types>`},
			{"_rels/.rels", links + `<Relationship Id="rId1" Type="` + office +
				`/officeDocument" Target="xl/workbook.xml"/></Relationships>`},
			{"xl/workbook.xml", `<workbook ` + main + ` xmlns:r="` + office +
				`"><sheets><sheet name="s" sheetId="1" r:id="rId1"/></sheets></workbook>`},
			{"xl/_rels/workbook.xml.rels", links + `<Relationship Id="rId1" Type="` + office +
				`/worksheet" Target="worksheets/sheet1.xml"/>` +
				`<Relationship Id="rId2" Type="` + office +
				`/sharedStrings" Target="sharedStrings.xml"/><Relationship Id="rId3" Type="` + office +
				`/styles" Target="styles.xml"/></Relationships>`},
			{"xl/styles.xml", `<styleSheet ` + main +
				`><cellXfs count="2"><xf numFmtId="0"/><xf numFmtId="14"/></cellXfs></styleSheet>`},
			{"xl/sharedStrings.xml", `<sst ` + main + `>` + shared + `</sst>`},
			{"xl/worksheets/sheet1.xml", `<worksheet ` + main + `><sheetData>` + rows + `</sheetData></worksheet>`},
		} {
			w, err := z.CreateHeader(&zip.FileHeader{Name: part[0], Method: zip.Store})
			if err == nil {
				_, err = io.WriteString(w, part[1])
			}
			if err != nil {
				f.Fatal(err)
			}
		}
		if err := z.Close(); err != nil {
			f.Fatal(err)
		}
		return &b
	}
	if got, err := tables.Read(f.Context(), pack(`<row r="1"><c r="A1" t="s"><v>0</v></c></row><row r="2"><c r="A2"><v>1</v></c></row>`,
		`<si><t>a</t></si>`), "t.xlsx", tables.Options{}); err != nil || got.Columns[0].Name != "a" {
		f.Fatal("the XML does not reach the reader: ", err)
	}
	f.Fuzz(func(t *testing.T, rows, shared string) {
		if len(rows)+len(shared) > 1<<12 {
			return
		}
		if got, err := tables.Read(t.Context(), pack(rows, shared), "t.xlsx", tables.Options{}); err == nil {
			consistent(t, got)
		}
	})
}

// FuzzOpenARFF reads arbitrary texts below an @relation line.
func FuzzOpenARFF(f *testing.F) {
	for _, name := range []string{"quoted-tab.arff", "utf16.arff"} {
		content, err := os.ReadFile(filepath.Join("testdata", "wild", name))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(content))
	}
	f.Add("@attribute a numeric\n@attribute 'b c' {x,'y z'}\n@attribute d date " +
		"\"yyyy-MM\"\n@data\n1,x,\"2021-05\"\n{0 1, 2 ?}\n?,'y z',?,{5}\n")
	f.Add("@attribute a string\n@data\n'it\\'s'\n\"q\"\n")
	f.Fuzz(func(t *testing.T, text string) {
		if got, err := read("@relation r\n"+text, tables.Options{}); err == nil {
			consistent(t, got)
		}
	})
}

// consistent checks the invariants of a table.
func consistent(t *testing.T, got *table.Table) {
	t.Helper()
	names := map[string]bool{}
	for i := range got.Columns {
		c := &got.Columns[i]
		if c.Len() != got.Rows || names[c.Name] || c.Name == "" {
			t.Fatalf("column %q: %d cells, %d rows", c.Name, c.Len(), got.Rows)
		}
		names[c.Name] = true
		used := make([]bool, len(c.Levels))
		for row := range got.Rows {
			text := c.Text(row)
			if c.Missing(row) != (text == "") {
				t.Fatalf("column %q, row %d: %q", c.Name, row, text)
			}
			if !c.Kind.Numeric() && c.Codes[row] >= 0 {
				used[c.Codes[row]] = true
			}
		}
		for k, level := range c.Levels {
			if !c.Kind.Numeric() && (!used[k] || k > 0 && c.Levels[k-1] >= level) {
				t.Fatalf("levels %q", c.Levels)
			}
		}
		for _, f := range c.Faults {
			if !c.Missing(f.Row) || f.Text == "" {
				t.Fatalf("fault %+v", f)
			}
		}
	}
}

// Weights that sum to 1 count each row once on average; other weights stay as they are, with a note if they
// are hardly numbers of cases.
func TestWeightNotes(t *testing.T) {
	for scale, want := range map[float64]struct {
		first float64
		code  table.Code
	}{1. / 45: {1. / 5, "weights-scaled"}, 0.05: {0.05, "mean-weight"}, 1: {1, "mean-weight"}, 0.5: {0.5, ""}} {
		var b strings.Builder
		b.WriteString("x,w,class\n")
		for i := range 9 {
			fmt.Fprintf(&b, "%d.5,%v,%c\n", i%4, scale*float64(i+1), 'a'+i%2)
		}
		got, err := tables.Read(t.Context(), strings.NewReader(b.String()), "w.csv", tables.Options{Weight: "w"})
		must.OK(t, err)
		i := slices.IndexFunc(got.Notes, func(n table.Finding) bool { return n.Column == "w" })
		if first := got.Columns[1].Numbers[0]; math.Abs(first-want.first) > 1e-12 ||
			(i >= 0) != (want.code != "") ||
			i >= 0 && got.Notes[i].Code != want.code {
			t.Errorf("scale %v: first weight %v, notes %v, want %v", scale, first, got.Notes, want)
		}
	}
}
