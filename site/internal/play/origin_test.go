package play

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/mpcvm/mpcvm/tables"
)

// bad lists files that the page cannot use, by error message.
var bad = map[string]string{
	"":                                 "cannot be used",
	"\x89PNG\r\n\x1a\n\x00":            "cannot be used",
	"PK\x03\x04xl/workbook":            "cannot be used",
	"a,b\n1,2\n":                       "classes",
	"a,b,class\n1,2,x\n3,4,x\n2,2,x\n": `"class" has only one value`,
	"a,b,class\n1.5,2.5,1.5\n3.25,4.25,2.25\n2.5,2.75,3.125\n4.5,5.5,7.5\n": "different values",
	"class,x\nA,1\nB,2\nA,2\nB,1\n":                                         "there is only one",
	"a;b\n1.5,2\n":                                                          "cannot be used",
}

// TestBadFile checks that errors in a file do not mention flags of the command, and that the previous file
// stays.
func TestBadFile(t *testing.T) {
	for content, want := range bad {
		e := &Engine{}
		ask[file](t, e, Request{Op: "read", Name: "old.csv", Bytes: []byte(table3)})
		err := e.Do(t.Context(), Request{Op: "read", Name: "new.csv", Bytes: []byte(content)},
			func(Reply) { t.Errorf("%q: an answer", content) })
		if err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(),
			"the file new.csv cannot be used: ") || strings.Contains(err.Error(), "--") ||
			strings.Contains(err.Error(), "data:") {
			t.Errorf("%q: %v", content, err)
		}
		if p := ask[plane](t, e, Request{Op: "axes", X: "length", Y: "width"}); len(p.Points) != 5 {
			t.Errorf("%q: %d points of the previous file", content, len(p.Points))
		}
	}
	e := &Engine{}
	ask[file](t, e, Request{Op: "read", Name: "old.csv",
		Bytes: []byte("a,b,one,class\n1,2,z,p\n3,4,z,q\n5,1,z,p\n2,2,z,q\n")})
	if err := e.Do(t.Context(), Request{Op: "axes", X: "a", Y: "b", Target: "one"}, nil); err == nil ||
		!strings.Contains(err.Error(), "Classes from") || strings.Contains(err.Error(), "--") {
		t.Error(err)
	}
}

// TestOtherTarget checks that the page chooses another column if the default choice of the command cannot be
// used as classes, and that its notes do not mention flags.
func TestOtherTarget(t *testing.T) {
	f := ask[file](t, &Engine{}, Request{Op: "read", Name: "a.csv",
		Bytes: []byte("u,v,kind,when\n1,2,p,1.5\n3,4,q,2.25\n5,1,p,3.125\n2,2,q,4.75\n9,,q,5.5\n")})
	if f.Target != "kind" || len(f.Plane.Points) == 0 || strings.Contains(f.Note, "--") {
		t.Errorf("%+v", f)
	}
}

func TestWithoutFlags(t *testing.T) {
	for text, want := range map[string]string{
		"the text is not UTF-8: Options.Encoding": "the text is not UTF-8",
		"a.csv: line 3: wrong number of cells: 3, the header has 2 (read as comma); Options.Separator, " +
			"Options.Quote may help, or Options.Ragged drop": "a.csv: line 3: wrong number of cells: 3, the header " +
			"has 2 (read as comma)",
		"line 2: a quote is never closed (use Options.Quote none if quotes are ordinary characters)": "line 2: a quote is never closed",
		`column "a--b": 3 cells are empty`: `column "a--b": 3 cells are empty`,
		`column "x" is different in each row (kind id) and not used as a feature: Options.Kinds x=category makes it one`: `column "x" is different in each row (kind id) and not used as a feature`,
		`a date is expected (is it a missing value, Options.Missing? or a category, Options.Kinds?)`:                     "a date is expected",
	} {
		if got := withoutFlags(text); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
}

// TestOrigin checks that the model file for two columns contains their names, kinds, mean and scale, and the
// names of the classes, and predicts the rows of the file like the model on the page predicts its points.
// Damaged origins from links are rejected.
func TestOrigin(t *testing.T) {
	text := "id,when,size,flag,kind\n"
	for i := range 60 {
		kind := []string{"small; thing", "größer"}[i%2]
		size := []string{"", "1200.5", "3400.25", "900", "2750.125"}[i*i%5]
		text += strings.Join([]string{"r" + string(rune('a'+i%26)) + string(rune('a'+i/26)),
			[]string{"2024-01-05", "2024-03-09", "2023-11-30"}[i%3], size, []string{"yes", "no"}[i%7%2], kind}, ",") +
			"\n"
	}
	for _, axes := range [][2]string{{"size", "when"}, {"flag", "size"}} {
		e := &Engine{}
		ask[file](t, e, Request{Op: "read", Name: "a.csv", Bytes: []byte(text)})
		p := ask[plane](t, e, Request{Op: "axes", X: axes[0], Y: axes[1], Target: "kind"})
		train(t, e, Request{Setup: Setup{Learner: "mpcvm2", Kernel: "rbf", Theta: 1}, Points: p.Points})
		wire, err := json.Marshal(p.From)
		if err != nil {
			t.Fatal(err)
		}
		var from *Origin
		if err := json.Unmarshal(wire, &from); err != nil {
			t.Fatal(err)
		}
		saved := ask[map[string]string](t, e, Request{Op: "model", From: from})["text"]
		m, err := tables.Load(strings.NewReader(saved))
		if err != nil {
			t.Fatalf("%v\n%s", err, saved)
		}
		table, err := tables.Read(strings.NewReader(text), "a.csv", tables.Options{Like: m.Recipe().Like()})
		if err != nil {
			t.Fatal(err)
		}
		said, err := m.Predict(t.Context(), table)
		if err != nil {
			t.Fatal(err)
		}
		n, wrong := 0, 0
		size := table.Find("size")
		for i := range table.Rows {
			if table.Columns[size].Missing(i) { // is not a point
				continue
			}
			a := ask[answers](t, e, Request{Op: "proba", At: [][2]float64{{p.Points[n][0], p.Points[n][1]}}})
			for c, v := range a.P[0] {
				if math.Abs(float64(v)-said[i].Proba[c]) > 2e-3 { // points have three decimals
					wrong++
				}
			}
			if said[i].Err != nil || said[i].Class != p.Classes[a.Labels[0]] &&
				math.Abs(float64(a.P[0][0]-a.P[0][1])) > 4e-3 {
				t.Errorf("row %d: %+v, on the page %s", i+1, said[i], p.Classes[a.Labels[0]])
			}
			n++
		}
		if n != len(p.Points) || wrong > 0 {
			t.Errorf("%v: %d rows, %d points, %d other probabilities", axes, n, len(p.Points), wrong)
		}
		for _, damage := range []func(*Origin){
			func(o *Origin) { o.Recipe = nil }, func(o *Origin) { o.Mean = nil }, func(o *Origin) {
				o.Scale[1] = 0
			}, func(o *Origin) { o.Mean[0] = math.NaN() }, func(o *Origin) { o.Recipe.Columns = nil },
		} {
			broken := &Origin{}
			if err := json.Unmarshal(wire, broken); err != nil {
				t.Fatal(err)
			}
			damage(broken)
			if err := e.Do(t.Context(), Request{Op: "model", From: broken}, nil); err == nil {
				t.Errorf("a damaged origin: %+v", broken)
			}
		}
	}
	o := &Origin{Classes: []string{"class 3", "b"}}
	if got := []string{o.className(1), o.className(2), (*Origin)(nil).className(2)}; got[0] != "b" ||
		got[1] != "class 3′" || got[2] != "2" {
		t.Errorf("names of classes: %v", got)
	}
}
