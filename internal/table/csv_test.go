package table

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/internal/cell"
)

// readBatches reads a text in batches of a few rows or bytes.
func readBatches(r io.Reader, features []string, rows, text int) (x *mat.Dense, classes []string, ends []Position, err error) {
	c, err := OpenCSV(r, "s", features)
	if err != nil {
		return nil, nil, nil, err
	}
	c.rows, c.text = rows, text
	var values []float64
	var b Batch
	for {
		err := c.Read(&b)
		if err == io.EOF {
			break
		}
		if err == nil {
			err = b.Parse()
		}
		if err != nil {
			return nil, nil, nil, err
		}
		values = append(values, b.X.RawMatrix().Data...)
		classes = append(classes, b.Class...)
		ends = append(ends, b.End)
	}
	if d := len(c.Features()); len(values) > 0 {
		x = mat.NewDense(len(values)/d, d, values)
	}
	return x, classes, ends, nil
}

// lines is a text of n rows, some of them unusual, and with quotes if asked for.
func lines(n int, quotes bool) string {
	var b strings.Builder
	b.WriteString("\ufeffy,class,x\r\n")
	for i := range n {
		class := fmt.Sprintf(" c%d", i%3)
		switch {
		case quotes && i%5 == 1:
			class = `"a ""b"", c"`
		case quotes && i%7 == 3:
			class = "\"two\nlines\""
		case i%11 == 5:
			class = ""
		}
		fmt.Fprintf(&b, "%v,%s, %d\n", math.Sqrt(float64(i)), class, -i)
		if i%4 == 2 {
			b.WriteString("\r\n")
		}
	}
	return b.String()
}

// Batches of any size are the rows that ReadFeatures reads, and every end of one is a
// place to go on from.
func TestBatches(t *testing.T) {
	for _, quotes := range []bool{false, true} {
		for _, n := range []int{1, 4, 5, 6, 10, 11, 57} {
			text := lines(n, quotes)
			for _, features := range [][]string{nil, {"x", "y"}} {
				want, wantClasses, err := ReadFeatures(strings.NewReader(text), "s", features)
				if err != nil {
					t.Fatal(err)
				}
				for _, size := range [][2]int{{5, 1 << 20}, {1, 1 << 20}, {1000, 1 << 20}, {1000, 1}, {1000, 64}} {
					for _, r := range []io.Reader{strings.NewReader(text), iotest.OneByteReader(strings.NewReader(text)), iotest.DataErrReader(strings.NewReader(strings.TrimSuffix(text, "\r\n")))} {
						got, classes, ends, err := readBatches(r, features, size[0], size[1])
						if err != nil {
							t.Fatal(err)
						}
						if !mat.Equal(got, want) || !slices.Equal(classes, wantClasses) {
							t.Fatalf("%d rows, %v: got %v %q, want %v %q", n, size, mat.Formatted(got), classes, mat.Formatted(want), wantClasses)
						}
						if size[0] == 5 && len(ends) < n/5 {
							t.Errorf("%d rows in %d batches", n, len(ends))
						}
						for _, end := range ends {
							for _, again := range []io.Reader{strings.NewReader(text), iotest.HalfReader(strings.NewReader(text))} {
								c, err := OpenCSV(again, "s", features)
								if err != nil {
									t.Fatal(err)
								}
								if err := c.Seek(end); err != nil {
									t.Fatal(err)
								}
								var b Batch
								rest := 0
								if err := c.Read(&b); err == nil && b.Parse() == nil {
									rest, _ = b.X.Dims()
									if rest > 0 && !mat.Equal(b.X, want.Slice(n-rest, n, 0, 2)) {
										t.Fatalf("after %+v: %v", end, mat.Formatted(b.X))
									}
								} else if err != io.EOF {
									t.Fatal(err)
								}
								if done := bytes.Count([]byte(text[:end.Offset]), []byte("\n")); int64(done) != end.Line-1 {
									t.Errorf("%+v: %d lines", end, done)
								}
							}
						}
					}
				}
			}
		}
	}
}

// An error in a later batch is the error of reading at once.
func TestBatchErrors(t *testing.T) {
	good := "1,2,a\n"
	for name, bad := range map[string]string{
		"text": "1,two,a\n", "missing": "1,,a\n", "ragged": "1,2\n", "wide": "1,2,a,4\n", "not finite": "1,1e999,a\n", "NaN": "nan,1,a\n",
		"underscore": "1_0,1,a\n", "bare quote": "1,2,a\"b\n", "open quote": "1,2,\"a\n", "text after a break": "1,2,\"a\nb\"\n1,x,a\n",
		"spaces inside": "1 0,1,a\n", "quoted number": "1,\"2,5\",a\n",
	} {
		for _, before := range []int{0, 1, 2, 3, 7} {
			text := "x,y,class\n\n" + strings.Repeat(good, before) + bad + strings.Repeat(good, 3)
			_, _, want := ReadFeatures(strings.NewReader(text), "s", nil)
			_, _, _, got := readBatches(strings.NewReader(text), nil, 3, 1<<20)
			if want == nil || got == nil || got.Error() != want.Error() {
				t.Errorf("%s after %d rows: got  %v\nwant %v", name, before, got, want)
			}
		}
	}
	broken := errors.New("the disk is gone")
	text := "x,class\n1,a\n2,b\n3"
	x, _, _, err := readBatches(io.MultiReader(strings.NewReader(text), iotest.ErrReader(broken)), nil, 1, 1<<20)
	if !errors.Is(err, broken) || x != nil {
		t.Errorf("read %v, %v", x, err)
	}
}

// A record without end is an error, in bounded memory.
func TestLongRecord(t *testing.T) {
	for name, tt := range map[string]struct{ text, say string }{
		"open quote": {"x,class\n1,a\n2,\"" + strings.Repeat("b\n", 4096), `line`},
		"long line":  {"x,class\n1,a\n2," + strings.Repeat("b", 4096), "line 3: a record of more than"},
	} {
		c, err := OpenCSV(iotest.OneByteReader(strings.NewReader(tt.text)), "s", nil)
		if err != nil {
			t.Fatal(err)
		}
		c.rows, c.record = 1, 100
		var b Batch
		if err := c.Read(&b); err != nil || b.Parse() != nil {
			t.Fatal(err)
		}
		err = c.Read(&b)
		var e *cell.Error
		if !errors.As(err, &e) || !strings.Contains(err.Error(), tt.say) || cap(b.text) > 4*readText {
			t.Errorf("%s: %v, %d bytes", name, err, cap(b.text))
		}
	}
}

// What the fast parser takes it reads as the slow one does.
func FuzzBatch(f *testing.F) {
	for _, n := range []int{0, 1, 12} {
		f.Add([]byte(lines(n, false)))
		f.Add([]byte(lines(n, true)))
	}
	f.Add([]byte("x\n1\n\n \n2"))
	f.Add([]byte("x,y\n\t1 ,0x1p4\r\n\u00a02,+.5e1\r"))
	f.Add([]byte("class,x\n\x00,1\na\rb,2\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		want, wantClasses, wantErr := ReadFeatures(bytes.NewReader(text), "s", nil)
		got, classes, _, err := readBatches(bytes.NewReader(text), nil, 2, 64)
		if errors.Is(wantErr, cell.ErrEmpty) && err == nil && got == nil {
			return
		}
		if fmt.Sprint(err) != fmt.Sprint(wantErr) {
			t.Fatalf("got error  %v\nwant error %v", err, wantErr)
		}
		if err == nil && (!mat.Equal(got, want) || !slices.Equal(classes, wantClasses)) {
			t.Fatalf("got %v %q\nwant %v %q", got, classes, want, wantClasses)
		}
	})
}
