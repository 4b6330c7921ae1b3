package assess

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/mpcvm/mpcvm/internal/cell"
)

// single is a table whose last row is the only one of its class.
func single() *Results {
	r, err := Deal(ctx, tableOf(numbers("x", 1, 2, 3, 4, 5), texts("class", "a", "a", "b", "b", "c, d")), "", Options{Folds: 2, Repeats: 2})
	if err != nil {
		panic(err)
	}
	return r
}

func TestWriteFolds(t *testing.T) {
	r := single()
	var b bytes.Buffer
	if err := r.WriteFolds(&b); err != nil {
		t.Fatal(err)
	}
	records, err := csv.NewReader(&b).ReadAll()
	if err != nil || len(records) != 11 || !reflect.DeepEqual(records[0], []string{"row", "repeat", "fold"}) {
		t.Fatalf("%v, %v", records, err)
	}
	for i, record := range records[1:] {
		want := (r.Fold[i/5][i%5] + 1) % 3
		if i%5 == 4 && want != 0 {
			t.Fatal("the only row of a class has a fold")
		}
		if record[0] != strconv.Itoa(i%5+1) || record[1] != strconv.Itoa(i/5+1) || record[2] != strconv.Itoa(want) {
			t.Errorf("line %d: %v", i+2, record)
		}
	}
	for n := range 2 {
		if err := r.WriteFolds(short{n}); err == nil {
			t.Error("a full disk was not noticed")
		}
	}
}

// short fails to write.
type short struct{ int }

func (s short) Write([]byte) (int, error) { return 0, errors.New("disk full") }

// What a system of this package predicts comes back the same by way of a file.
func TestAgainstItself(t *testing.T) {
	r := mustValidate(t, mixed(45, 11), logistic(), Options{Repeats: 2})
	var b strings.Builder
	b.WriteString("\ufefffold,row,note,repeat,p(c),p(a),p(b),class\n")
	for repeat := range r.Fold {
		for n, row := range r.Rows {
			p := r.Systems[1].Proba[repeat].RawRowView(n)
			fmt.Fprintf(&b, "%d,%d,\"a, b\",%d,%v,%v,%v,%s\n", r.Fold[repeat][n]+1, row+1, repeat+1, p[2], p[0], p[1], r.Classes[r.Systems[1].Labels[repeat][n]])
		}
	}
	if err := r.ReadAgainst(strings.NewReader(b.String()), "again", "again.csv"); err != nil {
		t.Fatal(err)
	}
	own, again := r.Score(1), r.Score(2)
	if own.Err != again.Err || own.LogLoss != again.LogLoss || own.AUC != again.AUC || !reflect.DeepEqual(own.Confusion, again.Confusion) {
		t.Errorf("%+v, want %+v", again, own)
	}
	if d := r.Difference(1, 2); d.LogLoss != (Contrast{0, 0, 1}) {
		t.Errorf("difference %+v", d.LogLoss)
	}
	if !math.IsNaN(again.Weights) {
		t.Errorf("%v weights", again.Weights)
	}
}

// Classes that are numbers may be written in another way; a name that fits exactly goes first.
func TestAgainstNumbers(t *testing.T) {
	r, err := Deal(ctx, tableOf(numbers("x", 1, 2, 3, 4, 5, 6), texts("class", "1", "1", "2", "2", "1e1", "1e1")), "", Options{Folds: 2})
	if err != nil {
		t.Fatal(err)
	}
	text := "row,class,p(1.0),p(10.0),p(2)\n1,1,0.9,0.1,0\n2,1.0,1,0,0\n3,2.00,0,0,1\n4,2,0,0,1\n5,10,0,1,0\n6,1e1,0.1,0.9,0\n"
	if err := r.ReadAgainst(strings.NewReader(text), "x", "x.csv"); err != nil {
		t.Fatal(err)
	}
	if s := r.Score(0); s.Err.Value != 0 || math.Abs(s.LogLoss.Value+math.Log(0.9)/3) > 1e-12 {
		t.Errorf("%+v", s)
	}
	if err := r.ReadAgainst(strings.NewReader("row,p(1),p(2),p(1.0)\n"), "x", "x.csv"); err == nil || !strings.Contains(err.Error(), "p(1) is a column of the same class") {
		t.Error(err)
	}
}

func TestAgainstErrors(t *testing.T) {
	const (
		head  = "row,repeat,class\n"
		lines = "1,1,a\n2,1,b\n3,1,b\n4,1,b\n5,1,\n1,2,a\n2,2,b\n3,2,b\n4,2,b\n"
	)
	if err := single().ReadAgainst(strings.NewReader(head+lines), "x", "x.csv"); err != nil {
		t.Fatalf("right predictions: %v", err)
	}
	p := "row,repeat,p(a),p(b),\"p(c, d)\"\n1,1,"
	for _, tc := range []struct {
		text         string
		line, column int
		want         string
	}{
		{"", 1, 0, "no header"},
		{"class,repeat\n", 1, 0, "no column named row"},
		{"row,class\n", 1, 0, "no column named repeat, and there are 2 repeats"},
		{"row,repeat\n", 1, 0, "no column named class, and none named p(a)"},
		{"row,repeat,row,class\n", 1, 3, "used twice"},
		{"row,repeat,p(a),p(b)\n", 1, 0, "no column named p(c, d)"},
		{"row,repeat,class,p(z)\n", 1, 4, `no class of the table is called "z"`},
		{head + "1,1\n", 2, 0, "2 cells for 3 columns"},
		{head + "x,1,a\n", 2, 1, `a whole number from 1 to 5 is expected: "x"`},
		{head + "6,1,a\n", 2, 1, "from 1 to 5"},
		{head + "1,3,a\n", 2, 2, "from 1 to 2"},
		{head + "1,1,z\n", 2, 3, `no class of the table has this name: "z"`},
		{head + "1,1,a\n2,1,a\n1,1,a\n", 4, 1, "a second line for this row and repeat 1"},
		{head + "1,1,a\n\"2,1,a\n", 0, 0, "line 3"},
		{head + lines[:len(lines)-6], 0, 0, "no line for row 4, repeat 2"},
		{p + "1,0,x\n", 2, 5, `a probability from 0 to 1 is expected: "x"`},
		{p + "1,-0.1,0\n", 2, 4, "a probability from 0 to 1"},
		{p + "1,NaN,0\n", 2, 4, "a probability from 0 to 1"},
		{p + "0.5,0.4,0\n", 2, 3, "add up to 0.9, not 1"},
		{"row,repeat,fold,class\n1,1,7,a\n", 2, 3, "row 1 is in fold"},
	} {
		r := single()
		err := r.ReadAgainst(strings.NewReader(tc.text), "x", "x.csv")
		var at *cell.Error
		if !errors.As(err, &at) || at.Line != tc.line || at.Column != tc.column || !strings.Contains(err.Error(), tc.want) || !strings.Contains(err.Error(), "x.csv") {
			t.Errorf("%q: %v", tc.text, err)
		}
		if len(r.Systems) != 0 {
			t.Errorf("%q: the results changed", tc.text)
		}
	}
}

func FuzzReadAgainst(f *testing.F) {
	f.Add("row,repeat,class\n1,1,a\n2,1,b\n3,1,b\n4,1,b\n1,2,a\n2,2,b\n3,2,b\n4,2,b\n")
	f.Add("row,repeat,p(a),p(b),\"p(c, d)\"\n1,1,.5,.5,0\n")
	f.Fuzz(func(t *testing.T, text string) {
		r := single()
		if err := r.ReadAgainst(strings.NewReader(text), "x", "x.csv"); err != nil {
			return
		}
		if e := r.Score(0).Err.Value; !(e >= 0 && e <= 1) {
			t.Errorf("error %v of %q", e, text)
		}
	})
}
