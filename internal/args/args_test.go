package args

import (
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
)

func TestRules(t *testing.T) {
	if Option("a", 0, 3) != 3 || Option("a", 2.0, 3) != 2 || Tolerance("a", -1, 3) != -1 ||
		Tolerance("a", 0, 3) != 3 {
		t.Error("options")
	}
	x, full := mat.NewDense(4, 2, nil), mat.NewDense(4, 3, nil)
	if r, c := Matrix("a", nil, 4, 3).Dims(); r != 4 || c != 3 {
		t.Errorf("new matrix %d×%d", r, c)
	}
	if r, c := Matrix("a", &mat.Dense{}, 4, 3).Dims(); r != 4 || c != 3 {
		t.Errorf("empty matrix became %d×%d", r, c)
	}
	labels := make([]int, 4)
	if Matrix("a", full, 4, 3) != full || &Slice("a", labels, x)[0] != &labels[0] ||
		len(Slice[int]("a", nil, x)) != 4 {
		t.Error("destinations")
	}
	for about, f := range map[string]func(){
		"negative": func() { Option("p: T.A", -1, 3) }, "NaN": func() { Tolerance("p: T.A", math.NaN(), 3) },
		"shape": func() { Matrix("p", full, 3, 4) }, "length": func() { Slice("p", labels[:3], x) },
	} {
		func() {
			defer func() {
				if s, _ := recover().(string); !strings.HasPrefix(s, "p: ") {
					t.Errorf("%s: %q", about, s)
				}
			}()
			f()
		}()
	}
}
