package mpcvm_test

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/internal/testkit/spoil"
	"github.com/mpcvm/mpcvm/internal/testkit/watch"
	"github.com/mpcvm/mpcvm/mpcvm"
)

// A damaged model file is refused, or loads as a model that obeys the laws, which is possible if only a digit
// has changed.
func TestSpoiltModel(t *testing.T) {
	watch.SkipUnderRace(t)
	texts := map[string][]byte{"small": []byte(small)}
	if text, err := os.ReadFile("testdata/model-v1-topdown.json"); err != nil {
		t.Error(err)
	} else if spoil.Long() {
		texts["topdown"] = text
	}
	for name, text := range texts {
		read, refused := 0, 0
		spoil.Each(text, 1000, func(how string, spoilt []byte) {
			m, err := mpcvm.Load(bytes.NewReader(spoilt))
			if err != nil {
				if refused++; !strings.HasPrefix(err.Error(), "mpcvm: model file: ") {
					t.Errorf("%s, %s: %v", name, how, err)
				}
				return
			}
			read++
			if cut := len(spoilt) < len(bytes.TrimSpace(text)); cut {
				t.Errorf("%s, %s: accepted", name, how)
			}
			for _, v := range m.RelevanceVectors() {
				for c, w := range v.Weights {
					if (c == v.Label) != (w > 0) && w != 0 {
						t.Fatalf("%s, %s: weight %g of class %d in class %d", name, how, w, v.Label, c)
					}
				}
			}
			x := mat.NewDense(1, m.Features(), nil)
			m.Predict(nil, x)
			m.Proba(nil, x)
			m.Explain(x.RawRowView(0))
		})
		t.Logf("%s: %d bytes; %d damaged files accepted, %d refused", name, len(text), read, refused)
		if read == 0 || refused < len(text)/2 {
			t.Errorf("%s: %d accepted, %d refused", name, read, refused)
		}
	}
}
