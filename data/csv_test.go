package data

import (
	"bytes"
	"errors"
	"math"
	"strings"
	"testing"
	"testing/iotest"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/internal/cell"
	"github.com/mpcvm/mpcvm/internal/testkit/watch"
)

func TestReadSet(t *testing.T) {
	want := &Set{
		Name: "s", X: mat.NewDense(3, 2, []float64{1, -2.5, 3, 4e3, 0.5, 0}), T: []int{2, 0, 1},
		Classes: []string{"10", "2", "b, c"}, Features: []string{"x", "y y"},
	}
	for name, text := range map[string]string{
		"plain":           "x,y y,class\n1,-2.5,\"b, c\"\n3,4e3,10\n.5,0,2\n",
		"no last newline": "x,y y,class\n1,-2.5,\"b, c\"\n3,4e3,10\n.5,0,2",
		"class first":     "class,x,y y\n\"b, c\",1,-2.5\n10,3,4e3\n2,.5,0\n",
		"BOM and quotes":  "\ufeff\"x\",\"y y\",\"class\"\n\"1\",\"-2.5\",\"b, c\"\n3,4e3,10\n.5,0,2\n",
		"CRLF":            "x,y y,class\r\n1,-2.5,\"b, c\"\r\n3,4e3,10\r\n.5,0,2\r\n",
		"spaces":          " x ,\ty y, class \n 1 ,  -2.5,  \"b, c\"\n3, 4e3,10 \n.5,0,2\n",
	} {
		got, err := ReadSet(strings.NewReader(text), "s")
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if !equal(got, want) {
			t.Errorf("%s: got %+v", name, got)
		}
	}
	s, err := ReadSet(strings.NewReader("x,class\n1,a\n2,a\n"), "s")
	if err != nil || s.C() != 1 {
		t.Fatalf("got %+v, %v", s, err)
	}
	if err := s.CheckTrainable(); !errors.Is(err, errOneClass) {
		t.Errorf("%v", err)
	}
}

func TestReadSetErrors(t *testing.T) {
	for name, tc := range map[string]struct {
		text  string
		cause error
		say   string
	}{
		"nothing":         {"", ErrEmpty, "data: s: "},
		"header only":     {"x,class\n", ErrEmpty, "data: s: "},
		"no class column": {"x,y\n1,2\n", cell.ErrNoClassColumn, `no column "class"; there are x, y`},
		"no features":     {"class\na\n", cell.ErrNoFeatures, ""},
		"too many cells":  {"x,y,class\n1,2,a\n1,2,a,b\n1,2,a\n1,2,a\n", ErrRagged, "line 3"},
		"missing value":   {"x,y,class\n1,2,a\n1,,a\n", ErrMissing, "line 3, column 2 (y)"},
		"missing class":   {"x,y,class\n1,2, \n2,3,a\n", ErrMissing, "line 2, column 3 (class)"},
		"text": {"x,y,class\n\n1,2,a\n1,two,a\n", ErrNotNumber,
			`line 4, column 2 (y): not a number: "two"`},
		"not finite":   {"x,class\n1,a\n1e999,a\n", cell.ErrNotFinite, "line 3, column 1 (x)"},
		"a name twice": {"x,x,class\n1,2,a\n", cell.ErrDuplicateHeader, "line 1, column 2"},
		"no name":      {"x,,class\n1,2,a\n", cell.ErrBlankHeader, "line 1, column 2"},
		"a quote":      {"x,class\n1,\"a\n", nil, "line "},
	} {
		s, err := ReadSet(strings.NewReader(tc.text), "s")
		var e *cell.Error
		if !errors.As(err, &e) || tc.cause != nil && !errors.Is(err, tc.cause) || !strings.Contains(err.Error(),
			tc.say) {
			t.Errorf("%s: got %+v, error %v", name, s, err)
		}
	}
	if _, err := ReadSet(iotest.ErrReader(errors.New("broken")), "s"); err == nil ||
		err.Error() != "data: s: broken" {
		t.Errorf("%v", err)
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
	got, err := ReadSet(&text, "s")
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

func TestWriteCSVErrors(t *testing.T) {
	full := errors.New("disk full")
	if err := WriteCSV(failing{full}, small()); !errors.Is(err, full) {
		t.Errorf("error %v", err)
	}
	s := small()
	s.X.Set(2, 1, math.NaN())
	var text bytes.Buffer
	if err := WriteCSV(&text, s); !errors.Is(err, cell.ErrNotFinite) || text.Len() > 0 {
		t.Errorf("error %v, %d bytes written", err, text.Len())
	}
}

// Anything that can be read can be written and read back unchanged.
func FuzzReadSet(f *testing.F) {
	for _, text := range []string{
		"", "x,class\n1,a\n", "\ufeffx,y,class\r\n1,-2.5,\"b, c\"\r\n\r\n", "x,class\n1,\"a\nb\"\n",
		" \"x\" ,class\n0x1p-3, a \n", "x,class\n1,a\n,b\n", "x,x,class\n1,2,a\n", "class\n", "x,class\n1e999,a\n",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var s *Set
		var err error
		watch.Within(t, len(text), func() { s, err = ReadSet(bytes.NewReader(text), "fuzz") })
		if err != nil {
			var e *cell.Error
			if !errors.As(err, &e) {
				t.Fatalf("error of type %T", err)
			}
			return
		}
		var again bytes.Buffer
		if s.valid() != nil { // a name with a line break, say
			return
		}
		if err := WriteCSV(&again, s); err != nil {
			t.Fatal(err)
		}
		if back, err := ReadSet(&again, "fuzz"); err != nil || !equal(back, s) {
			t.Fatalf("came back as %+v, %v, was %+v", back, err, s)
		}
	})
}
