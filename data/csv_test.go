package data

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/internal/watch"
)

func TestReadCSV(t *testing.T) {
	want := &Set{
		Name: "s", X: mat.NewDense(3, 2, []float64{1, -2.5, 3, 4e3, 0.5, 0}), T: []int{2, 0, 1},
		Classes: []string{"10", "2", "b, c"}, Features: []string{"x", "y y"},
	}
	for name, text := range map[string]string{
		"plain":           "x,y y,class\n1,-2.5,\"b, c\"\n3,4e3,10\n.5,0,2\n",
		"no last newline": "x,y y,class\n1,-2.5,\"b, c\"\n3,4e3,10\n.5,0,2",
		"BOM":             "\ufeffx,y y,class\n1,-2.5,\"b, c\"\n3,4e3,10\n.5,0,2\n",
		"BOM and quotes":  "\ufeff\"x\",\"y y\",\"class\"\n\"1\",\"-2.5\",\"b, c\"\n3,4e3,10\n.5,0,2\n",
		"CRLF":            "x,y y,class\r\n1,-2.5,\"b, c\"\r\n3,4e3,10\r\n.5,0,2\r\n",
		"blank lines":     "\nx,y y,class\n1,-2.5,\"b, c\"\n\n3,4e3,10\n.5,0,2\n\n   \n\t\r\n",
		"spaces":          " x ,\ty y, class \n 1 ,  -2.5,  \"b, c\"\n3,\u00a04e3,10 \n.5,0,2\n",
		"hexadecimal":     "x,y y,class\n0x1p0,-0x1.4p1,\"b, c\"\n+3,4e3,10\n5e-1,1e-999,2\n",
	} {
		got, err := ReadCSV(strings.NewReader(text), "s")
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if !equal(got, want) {
			t.Errorf("%s: got %+v", name, got)
		}
	}
}

func TestReadCSVOneClass(t *testing.T) {
	s, err := ReadCSV(strings.NewReader("x,class\n1,a\n2,a\n"), "s")
	if err != nil || s.C() != 1 {
		t.Fatalf("got %+v, %v", s, err)
	}
	if err := s.CheckTrainable(); !errors.Is(err, ErrOneClass) {
		t.Errorf("%v", err)
	}
}

func TestReadCSVErrors(t *testing.T) {
	for name, tc := range map[string]struct {
		text         string
		cause        error
		line, column int
		header       string
		value        string
	}{
		"nothing":          {"", ErrEmpty, 0, 0, "", ""},
		"BOM only":         {"\ufeff", ErrEmpty, 0, 0, "", ""},
		"header only":      {"x,class\n", ErrEmpty, 0, 0, "", ""},
		"no class column":  {"x,y\n1,2\n", ErrNoClassColumn, 1, 2, "", "y"},
		"class not last":   {"class,x\na,2\n", ErrNoClassColumn, 1, 2, "", "x"},
		"Class":            {"x,Class\n1,a\n", ErrNoClassColumn, 1, 2, "", "Class"},
		"no features":      {"class\na\n", ErrNoFeatures, 1, 0, "", ""},
		"blank header":     {"x, ,class\n1,2,a\n", ErrBlankHeader, 1, 2, "", ""},
		"duplicate header": {"x,y,x,class\n1,2,3,a\n", ErrDuplicateHeader, 1, 3, "", "x"},
		"feature class":    {"x,class,class\n1,2,a\n", ErrDuplicateHeader, 1, 3, "", "class"},
		"broken header":    {"x,\"y\nz\",class\n1,2,a\n", ErrLineBreak, 1, 2, "", "y\nz"},
		"too few cells":    {"x,y,class\n1,2,a\n1,a\n", ErrRagged, 3, 0, "", ""},
		"too many cells":   {"x,y,class\n1,2,a,\n", ErrRagged, 2, 0, "", ""},
		"missing value":    {"x,y,class\n1,2,a\n1,,a\n", ErrMissing, 3, 2, "y", ""},
		"missing class":    {"x,y,class\n1,2, \n", ErrMissing, 2, 3, "class", ""},
		"text":             {"x,y,class\n\n1,2,a\n1,two,a\n", ErrNotNumber, 4, 2, "y", "two"},
		"decimal comma":    {"x,y,class\n1,\"2,5\",a\n", ErrNotNumber, 2, 2, "y", "2,5"},
		"underscore":       {"x,class\n1_000,a\n", ErrNotNumber, 2, 1, "x", "1_000"},
		"hex underscore":   {"x,class\n0x_1p0,a\n", ErrNotNumber, 2, 1, "x", "0x_1p0"},
		"NaN":              {"x,class\nnan,a\n", ErrNotFinite, 2, 1, "x", "nan"},
		"infinity":         {"x,class\n-Infinity,a\n", ErrNotFinite, 2, 1, "x", "-Infinity"},
		"too large":        {"x,class\n1e999,a\n", ErrNotFinite, 2, 1, "x", "1e999"},
		"broken class":     {"x,class\n1,\"a\nb\"\n", ErrLineBreak, 2, 2, "class", "a\nb"},
		"after a break":    {"x,class\n1,a\n\"\n2\",a\n3_,a\n", ErrNotNumber, 5, 1, "x", "3_"},
		"class not UTF-8":  {"x,class\n1,a\n2,\xe9t\xe9\n", ErrNotUTF8, 3, 2, "class", "\xe9t\xe9"},
		"name not UTF-8":   {"x,gr\xf6\xdfe,class\n1,2,a\n", ErrNotUTF8, 1, 2, "", "gr\xf6\xdfe"},
		"bare quote":       {"x,class\n1,a\"b\n", nil, 2, 0, "", ""},
		"open quote":       {"x,class\n1,\"a\n", nil, 2, 0, "", ""},
	} {
		s, err := ReadCSV(strings.NewReader(tc.text), "s")
		var e *CellError
		if !errors.As(err, &e) {
			t.Errorf("%s: got %+v, error %v", name, s, err)
			continue
		}
		if tc.cause != nil && !errors.Is(err, tc.cause) {
			t.Errorf("%s: error %v, want %v", name, err, tc.cause)
		}
		value, _ := e.Value.(string)
		if e.Name != "s" || e.Line != tc.line || e.Column != tc.column || e.Header != tc.header || value != tc.value {
			t.Errorf("%s: got %+v", name, *e)
		}
	}
}

func TestReadErrorText(t *testing.T) {
	_, err := ReadCSV(strings.NewReader("x,y,class\n1,two,a\n"), "s")
	if got, want := err.Error(), `data: s: line 2, column 2 (y): not a number: "two"`; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	_, err = ReadCSV(strings.NewReader("x,class\n1\n"), "s")
	if got, want := err.Error(), `data: s: line 2: wrong number of cells: 1, the header has 2`; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	_, err = ReadCSV(strings.NewReader("x,class\n"+strings.Repeat("y", 1e5)+",a\n"), "s")
	if len(err.Error()) > 200 {
		t.Errorf("message of %d bytes", len(err.Error()))
	}
}

func TestReadCSVReaderFails(t *testing.T) {
	broken := errors.New("broken")
	r := io.MultiReader(strings.NewReader("x,class\n1,a\n"), iotest.ErrReader(broken))
	var e *CellError
	if _, err := ReadCSV(r, "s"); !errors.Is(err, broken) || !errors.As(err, &e) {
		t.Errorf("error %v", err)
	}
}

func TestReadCSVLike(t *testing.T) {
	like, err := ReadCSV(strings.NewReader("x,y,class\n1,2,a\n3,4,b\n5,6,c\n"), "train")
	if err != nil {
		t.Fatal(err)
	}
	got, err := ReadCSVLike(strings.NewReader("x,y,class\n7,8,c\n"), "test", like)
	if err != nil {
		t.Fatal(err)
	}
	if got.T[0] != 2 || !slices.Equal(got.Classes, like.Classes) {
		t.Errorf("got %+v", got)
	}
	turned, err := ReadCSVLike(strings.NewReader("class,y,x\nc,8,7\n"), "test", like)
	if err != nil || !equal(turned, got) {
		t.Errorf("in another order: %+v, %v", turned, err)
	}
	// The numbers of the classes are those of like, whatever their order.
	odd := &Set{Features: like.Features, Classes: []string{"c", "a", "b"}}
	got, err = ReadCSVLike(strings.NewReader("x,y,class\n1,2,a\n3,4,b\n5,6,c\n"), "test", odd)
	if err != nil || !slices.Equal(got.T, []int{1, 2, 0}) || !slices.Equal(got.Classes, odd.Classes) {
		t.Errorf("classes in an order of their own: %+v, %v", got, err)
	}
	for name, tc := range map[string]struct {
		text         string
		cause        error
		line, column int
		value        string
	}{
		"unknown class": {"x,y,class\n1,2,a\n1,2,d\n", ErrUnknownClass, 3, 3, "d"},
		"other name":    {"x,z,class\n1,2,a\n", ErrHeader, 1, 0, ""},
		"fewer columns": {"x,class\n1,a\n", ErrHeader, 1, 0, ""},
		"more columns":  {"x,y,z,class\n1,2,3,a\n", ErrHeader, 1, 3, "z"},
		"no class":      {"x,y\n1,2\n", ErrHeader, 1, 0, ""},
		"after class":   {"x,y,class,z\n1,2,a,3\n", ErrHeader, 1, 4, "z"},
		"missing":       {"y,class,x\n1,a,\n", ErrMissing, 2, 3, ""},
		"missing class": {"class,y,x\n,1,2\n", ErrMissing, 2, 1, ""},
	} {
		_, err := ReadCSVLike(strings.NewReader(tc.text), "test", like)
		var e *CellError
		if !errors.As(err, &e) || !errors.Is(err, tc.cause) {
			t.Errorf("%s: error %v", name, err)
			continue
		}
		value, _ := e.Value.(string)
		if e.Line != tc.line || e.Column != tc.column || value != tc.value {
			t.Errorf("%s: got %+v", name, *e)
		}
	}
}

func TestReadHints(t *testing.T) {
	like := &Set{Features: []string{"x", "y"}, Classes: []string{"a"}}
	for text, want := range map[string]string{
		"x;y;class\n1;2;a\n":               "data: p.csv: line 1, column 1: last column is not named \"class\" (is it separated by ';'?): \"x;y;class\"",
		"x\ty\tclass\n":                    `is it separated by '\t'?`,
		"\"x x\";\"y\";\"class\"\n1;2;a\n": "is it separated by ';'?",
		"x,Class\n1,a\n":                   `last column is not named "class" (write it in lower case): "Class"`,
	} {
		if _, err := ReadCSV(strings.NewReader(text), "p.csv"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
	if _, err := ReadCSVLike(strings.NewReader("x;y;class\n1;2;a\n"), "p", like); err == nil || !strings.Contains(err.Error(), "is it separated by ';'?") {
		t.Errorf("test data: %v", err)
	}
	if _, err := ReadCSV(strings.NewReader("x;y,class\n1,a\n"), "p"); err != nil {
		t.Errorf("a name with a semicolon: %v", err)
	}
}

func TestReadFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "my.set.csv")
	if err := os.WriteFile(path, []byte("x,class\n1,a\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := ReadFile(path)
	if err != nil || s.Name != "my.set" {
		t.Errorf("got %+v, %v", s, err)
	}
	if _, err := ReadFile(path + "x"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("error %v", err)
	}
	dir := filepath.Dir(path)
	if _, err := ReadFile(dir); err == nil || !strings.Contains(err.Error(), dir+":") {
		t.Errorf("a folder: %v", err)
	}
	bad := filepath.Join(dir, "bad.csv")
	if err := os.WriteFile(bad, []byte("x,class\n1,\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadFile(bad); err == nil || !strings.Contains(err.Error(), bad+": line 2") {
		t.Errorf("the path is not named: %v", err)
	}
}

func TestWriteCSVRoundTrip(t *testing.T) {
	values := []float64{
		0, math.Copysign(0, -1), 1, -1, 0.1, 1.0 / 3, math.Pi * 1e-8, 123456789, 1e15, 1e-6, 1e21, 1e-7,
		math.MaxFloat64, -math.SmallestNonzeroFloat64, math.Nextafter(1, 2), 0x1p-1022,
	}
	s := &Set{
		Name: "s", X: mat.NewDense(len(values), 1, values), T: make([]int, len(values)),
		Classes: []string{`a "b", c`, "é"}, Features: []string{"x, y"},
	}
	s.T[3] = 1
	var text bytes.Buffer
	if err := WriteCSV(&text, s); err != nil {
		t.Fatal(err)
	}
	got, err := ReadCSV(&text, "s")
	if err != nil {
		t.Fatal(err)
	}
	if !equal(got, s) {
		t.Errorf("got %+v", got)
	}
	for n, v := range values {
		if math.Float64bits(got.X.At(n, 0)) != math.Float64bits(v) {
			t.Errorf("%v came back as %v", v, got.X.At(n, 0))
		}
	}
}

func TestWriteCSVLike(t *testing.T) {
	part := small().Subset([]int{3}) // of class c, label 2
	var text bytes.Buffer
	if err := WriteCSV(&text, part); err != nil {
		t.Fatal(err)
	}
	got, err := ReadCSVLike(&text, "small", small())
	if err != nil || !equal(got, part) {
		t.Errorf("got %+v, %v", got, err)
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("full") }

func TestWriteCSVErrors(t *testing.T) {
	if err := WriteCSV(full{}, small()); err == nil {
		t.Error("a full disk goes unnoticed")
	}
	s := small()
	s.X.Set(2, 1, math.NaN())
	var text bytes.Buffer
	if err := WriteCSV(&text, s); !errors.Is(err, ErrNotFinite) || text.Len() > 0 {
		t.Errorf("error %v, %d bytes written", err, text.Len())
	}
}

// Whatever can be read can be written, and read again the same.
func FuzzReadCSV(f *testing.F) {
	for _, text := range []string{
		"", "x,class\n1,a\n", "\ufeffx,y,class\r\n1,-2.5,\"b, c\"\r\n\r\n", "x,class\n1,\"a\nb\"\n",
		" \"x\" ,class\n0x1p-3, a \n", "x,class\n1,a\n,b\n", "x,x,class\n1,2,a\n", "class\n", "x,class\n1e999,a\n",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var s *Set
		var err error
		watch.Within(t, len(text), func() {
			_, _, _ = ReadFeatures(bytes.NewReader(text), "fuzz", nil)
			s, err = ReadCSV(bytes.NewReader(text), "fuzz")
		})
		if err != nil {
			var e *CellError
			if !errors.As(err, &e) {
				t.Fatalf("error of type %T", err)
			}
			return
		}
		if once, err := ReadCSV(iotest.HalfReader(bytes.NewReader(text)), "fuzz"); err != nil || !equal(once, s) {
			t.Fatalf("from a pipe: %v, %v", once, err)
		}
		if cells := s.N() * s.D(); cells > len(text) {
			t.Fatalf("%d numbers from %d bytes", cells, len(text))
		}
		var again bytes.Buffer
		if err := WriteCSV(&again, s); err != nil {
			t.Fatal(err)
		}
		back, err := ReadCSV(&again, "fuzz")
		if err != nil {
			t.Fatal(err)
		}
		if !equal(back, s) {
			t.Fatalf("came back as %+v, was %+v", back, s)
		}
		if test, err := ReadCSVLike(bytes.NewReader(text), "fuzz", s); err != nil || !equal(test, s) {
			t.Fatalf("as test data: %v, %v", test, err)
		}
	})
}

// TestReadMemory: reading a file takes little more memory than what it holds.
func TestReadMemory(t *testing.T) {
	const n, d = 40000, 20
	path := filepath.Join(t.TempDir(), "large.csv")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	m := NewMixture(3, 2, d, 1, 1)
	if err := errors.Join(m.WriteCSV(f, n, 1), f.Close()); err != nil {
		t.Fatal(err)
	}
	s, err := ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if s.N() != n || s.D() != d {
		t.Fatalf("%d samples of %d features", s.N(), s.D())
	}
	if room, need := cap(s.X.RawMatrix().Data), n*d; room > need+need/20 {
		t.Errorf("room for %d numbers, %d are there", room, need)
	}
	if room := cap(s.T); room > n+n/20 {
		t.Errorf("room for %d labels, %d are there", room, n)
	}
	// All that is allocated on the way, cells of text apart, is no more than the set and the
	// first few that told how large it would be. The text of a line is allocated and freed.
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, err := ReadCSV(bytes.NewReader(text), "large"); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if got, most := after.TotalAlloc-before.TotalAlloc, uint64(8*n*(d+1)*11/10+2*len(text)); got > most {
		t.Errorf("%d bytes allocated, at most %d expected", got, most)
	}
	// Lines that grow shorter or longer are read all the same.
	for _, first := range []string{"1", "1.23456789012345"} {
		var b strings.Builder
		b.WriteString("a,class\n")
		for i := range 50000 {
			cell := first
			if i > 10000 {
				cell = map[bool]string{true: "1.23456789012345", false: "1"}[first == "1"]
			}
			fmt.Fprintf(&b, "%s,c%d\n", cell, i%2)
		}
		s, err := ReadCSV(strings.NewReader(b.String()), "uneven")
		if err != nil || s.N() != 50000 || s.T[49999] != 1 {
			t.Errorf("%v, %v", s, err)
		}
	}
}
