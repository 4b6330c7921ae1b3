package data

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/mpcvm/mpcvm/internal/cell"
	"github.com/mpcvm/mpcvm/internal/spoil"
	"github.com/mpcvm/mpcvm/internal/watch"
)

// What is read takes at most 4 times its size and 64 MiB, whatever it is.
func TestReadingMemory(t *testing.T) {
	size := 3 << 20
	if spoil.Long() {
		size = 30 << 20
	}
	fill := func(head, text string) string { return head + strings.Repeat(text, (size-len(head))/len(text)) }
	numbered := func(head, format string, n int) string {
		var b strings.Builder
		b.WriteString(head)
		for i := range n {
			fmt.Fprintf(&b, format, i)
		}
		return b.String()
	}
	one := "x,y,class\n1,2,a\n"
	csv := func(text io.Reader) error { _, err := ReadCSV(text, "x"); return err }
	features := func(text io.Reader) error { _, _, err := ReadFeatures(text, "x", nil); return err }
	partitions := func(text io.Reader) error { _, err := ReadPartitions(text, 1<<22); return err }
	like := func(text io.Reader) error { _, err := ReadCSVLike(text, "x", small()); return err }
	for about, tt := range map[string]struct {
		text string
		want error // nil: it can be read
		read func(io.Reader) error
	}{
		"a line":                {fill("", "x"), ErrNoClassColumn, csv},
		"a line of spaces":      {fill("", " "), ErrBlankHeader, csv},
		"a line of a row":       {fill(one+"1,2,", "x"), nil, csv},
		"a number":              {fill(one, "1"), ErrRagged, csv},
		"a long number":         {fill(one+"1,", "1") + ",a", ErrNotFinite, csv},
		"commas":                {fill("", "1,"), ErrTooWide, csv},
		"commas of a row":       {fill(one, "1,"), ErrTooWide, csv},
		"lines of commas":       {fill("", strings.Repeat("1,", 1000)+"\n"), ErrDuplicateHeader, csv},
		"names":                 {numbered("", "%d,", cell.MaxCells-1) + "class\n", ErrEmpty, csv},
		"names, and on":         {numbered("", "%d,", cell.MaxCells) + "class\n", ErrTooWide, csv},
		"a wide row":            {numbered("", "%d,", cell.MaxCells-1) + "class\n" + fill("", "1,")[:2*cell.MaxCells-2] + "a\n", nil, csv},
		"newlines":              {fill("", "\n"), ErrEmpty, csv},
		"newlines of a set":     {fill(one, "\n"), nil, csv},
		"spaces in lines":       {fill(one, " \n"), nil, csv},
		"quotes":                {fill("", `"`), ErrNoClassColumn, csv},
		"one quote":             {`"` + fill("", "x"), errAny, csv},
		"quoted lines":          {`"` + fill("", "x\n"), errAny, csv},
		"quoted cells of lines": {fill("", "\"\n\","), ErrTooWide, csv},
		"short rows":            {fill("x,class\n", "1,a\n"), nil, csv},
		"long rows":             {fill(numbered("", "x%d,", 99)+"class\n", strings.Repeat("1,", 99)+"a\n"), nil, csv},
		"classes":               {numbered("x,class\n", "1,%d\n", cell.MaxClasses), nil, csv},
		"classes, and on":       {numbered("x,class\n", "1,%d\n", cell.MaxClasses+1), ErrTooManyClasses, csv},
		"test rows":             {fill(strings.Join(small().Features, ",")+",class\n", "1,2,a\n"), nil, like},
		"unlabelled rows":       {fill("x,y,z\n", "1,1,1\n"), nil, features},
		"labelled rows":         {fill("u,v,w,x,y,class\n", "1,1,1,1,1,class a\n"), nil, features},
		"a line of features":    {fill("", "1,"), ErrTooWide, features},
		"a partition":           {fill("", "1"), ErrNotNumber, partitions},
		"one row again":         {fill("", "1,"), ErrDuplicateRow, partitions},
		"one row a partition":   {fill("", "1\n"), ErrTooManyParts, partitions},
		"no partitions":         {fill("", "\n"), ErrEmpty, partitions},
		"quotes, no partitions": {fill("", `"`), ErrNotNumber, partitions},
		"rows":                  {numbered("0", ",%d", 4000000)[2:], nil, partitions},
		"partitions of rows":    {fill("", "0,1\n"), ErrTooManyParts, partitions},
	} {
		t.Run(about, func(t *testing.T) {
			var err error
			watch.Within(t, len(tt.text), func() { err = tt.read(strings.NewReader(tt.text)) })
			var e *CellError
			if (err == nil) != (tt.want == nil) || err != nil && !errors.As(err, &e) || tt.want != errAny && !errors.Is(err, tt.want) {
				t.Errorf("error %.300v, want %v", err, tt.want)
			}
			if err != nil && len(err.Error()) > 500 {
				t.Errorf("a message of %d bytes", len(err.Error()))
			}
		})
	}
}

var errAny = errors.New("any error")

// A text that cannot be read twice gives the same, and a hint of its size is none of
// its content.
func TestReadingOnce(t *testing.T) {
	text := "x,class\n\n\n1,a\n2,b\n\n"
	for about, r := range map[string]io.Reader{
		"once":           bufio.NewReader(strings.NewReader(text)),
		"twice":          strings.NewReader(text),
		"from the midst": after(t, strings.NewReader("y,z,"+text), 4),
		"lame":           lame{strings.NewReader(text)},
	} {
		s, err := ReadCSV(r, "x")
		if err != nil || s.N() != 2 || s.X.At(1, 0) != 2 || s.Features[0] != "x" {
			t.Errorf("%s: %v, %v", about, s, err)
		}
	}
	if _, err := ReadCSV(stuck{strings.NewReader(text)}, "x"); !errors.Is(err, io.ErrClosedPipe) {
		t.Error(err)
	}
}

func after(t *testing.T, r *strings.Reader, n int64) io.Reader {
	t.Helper()
	if _, err := r.Seek(n, io.SeekStart); err != nil {
		t.Fatal(err)
	}
	return r
}

// lame says that it can seek but cannot, as a pipe does.
type lame struct{ *strings.Reader }

func (lame) Seek(int64, int) (int64, error) { return 0, io.ErrClosedPipe }

// stuck cannot be wound back.
type stuck struct{ *strings.Reader }

func (s stuck) Seek(offset int64, whence int) (int64, error) {
	if whence == io.SeekStart {
		return 0, io.ErrClosedPipe
	}
	return s.Reader.Seek(offset, whence)
}

// The line of a row that is too wide is named.
func TestTooWide(t *testing.T) {
	row := strings.Repeat("1,", cell.MaxCells) + "a\n"
	for text, line := range map[string]int{row: 1, "x,class\n1,a\n" + row: 3, "x,class\n\"1\n\",a\n" + row: 4} {
		var e *CellError
		if _, err := ReadCSV(bytes.NewReader([]byte(text)), "x"); !errors.As(err, &e) || e.Err != ErrTooWide || e.Line != line || e.Name != "x" {
			t.Errorf("%v, want line %d", err, line)
		}
	}
	_, err := ReadPartitions(strings.NewReader(strings.Repeat("1\n", cell.MaxPartitions+1)), 3)
	if want := fmt.Sprintf("data: partitions: line %d: more than %d partitions", cell.MaxPartitions+1, cell.MaxPartitions); err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}
