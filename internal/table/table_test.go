package table

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/internal/cell"
)

func TestReadFeatures(t *testing.T) {
	names := []string{"x", "y"}
	want := mat.NewDense(2, 2, []float64{1, 2, 3, 4})
	for name, tc := range map[string]struct {
		text     string
		features []string
		cause    error // nil: want
	}{
		"features only":     {"x,y\n1,2\n3,4\n", names, nil},
		"with class":        {"x,y,class\n1,2,a\n3,4,\n", names, nil},
		"any names":         {"u,v\n1,2\n3,4\n", nil, nil},
		"any, with class":   {"u,v,class\n1,2,a\n3,4,b\n", nil, nil},
		"feature so called": {"x,class\n1,2\n3,4\n", []string{"x", "class"}, nil},
		"blank end":         {"x,y\n1,2\n3,4\n\n", names, nil},
		"missing":           {"x,y\n1,2\n3,\n", names, cell.ErrMissing},
		"other order":       {"y,x\n2,1\n4,3\n", names, nil},
		"class not last":    {"class,y,x\na,2,1\nb,4,3\n", names, nil},
		"any, class first":  {"class,u,v\na,1,2\nb,3,4\n", nil, nil},
		"one too many":      {"x,y,z\n1,2,3\n", names, cell.ErrHeader},
		"fewer":             {"x\n1\n", names, cell.ErrHeader},
		"no rows":           {"x,y\n", names, cell.ErrEmpty},
		"nothing":           {"", names, cell.ErrEmpty},
		"no features":       {"class\na\n", nil, cell.ErrNoFeatures},
		"one column, blank": {"x\n1\n \n", nil, cell.ErrMissing},
	} {
		got, _, err := ReadFeatures(strings.NewReader(tc.text), "p", tc.features)
		var e *cell.Error
		switch {
		case tc.cause != nil:
			if !errors.Is(err, tc.cause) || !errors.As(err, &e) {
				t.Errorf("%s: error %v, want %v", name, err, tc.cause)
			}
		case err != nil:
			t.Errorf("%s: %v", name, err)
		case !mat.Equal(got, want):
			t.Errorf("%s: got %v", name, mat.Formatted(got))
		}
	}
}

func TestReadFeaturesClasses(t *testing.T) {
	for text, want := range map[string][]string{
		"x\n1\n":                    nil,
		"x,class\n1,a\n2,\n3, b \n": {"a", "", "b"},
		"class,x\na,1\n\n,2\n":      {"a", ""},
	} {
		_, got, err := ReadFeatures(strings.NewReader(text), "p", []string{"x"})
		if err != nil || !slices.Equal(got, want) || (got == nil) != (want == nil) {
			t.Errorf("%q: got %q, %v", text, got, err)
		}
	}
}

// Faults of the header are told before any row, whether the text is read at once or in batches.
func TestOpenErrors(t *testing.T) {
	broken := errors.New("the disk is gone")
	for text, want := range map[string]error{
		"":                         cell.ErrEmpty,
		"\ufeff":                   cell.ErrEmpty,
		"x, \n1,2\n":               cell.ErrBlankHeader,
		"x,x\n1,2\n":               cell.ErrDuplicateHeader,
		"x,\"y\nz\"\n1,2\n":        cell.ErrLineBreak,
		"x,\xe9\n1,2\n":            cell.ErrNotUTF8,
		"class\na\n":               cell.ErrNoFeatures,
		strings.Repeat(",", 1<<18): cell.ErrTooWide,
	} {
		for name, open := range map[string]func() error{
			"at once":    func() error { _, _, err := ReadFeatures(strings.NewReader(text), "s", nil); return err },
			"in batches": func() error { _, err := OpenCSV(strings.NewReader(text), "s", nil); return err },
		} {
			err := open()
			if bad := new(cell.Error); !errors.Is(err, want) || !errors.As(err, &bad) || bad.Name != "s" {
				t.Errorf("%.20q %s: error %v, want %v", text, name, err, want)
			}
		}
	}
	_, err := OpenCSV(iotest.ErrReader(broken), "s", nil)
	if !errors.Is(err, broken) {
		t.Errorf("no header: %v", err)
	}
	if _, err := OpenCSV(strings.NewReader("x;y\n1;2\n"), "s", []string{"x", "y"}); err == nil || !strings.Contains(err.Error(), "is it separated by ';'?") {
		t.Errorf("semicolons: %v", err)
	}
}

// A reader goes forward to any place, also one that it has not read yet, and not back.
func TestSeek(t *testing.T) {
	text := "x\n" + strings.Repeat("1\n", readText) + "7\n"
	last := Position{Offset: int64(len(text) - 2), Line: int64(strings.Count(text, "\n"))}
	for name, hidden := range map[string]bool{"seeks": false, "reads": true} {
		var c *CSV
		var err error
		if r := strings.NewReader(text); hidden {
			c, err = OpenCSV(iotest.HalfReader(r), "s", nil)
		} else {
			c, err = OpenCSV(r, "s", nil)
		}
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Seek(last); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		var b Batch
		if err := c.Read(&b); err != nil || b.Parse() != nil || b.X.At(0, 0) != 7 {
			t.Errorf("%s: %v, %v", name, b.X, err)
		}
		if err := c.Seek(Position{Offset: 2, Line: 2}); err == nil {
			t.Errorf("%s: goes back", name)
		}
	}
	c, err := OpenCSV(iotest.HalfReader(strings.NewReader(text)), "s", nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Seek(Position{Offset: 1 << 40}); err == nil {
		t.Error("goes beyond the end")
	}
}
