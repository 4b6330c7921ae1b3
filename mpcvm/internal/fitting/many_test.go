package fitting

import (
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// A model has at most 1000 classes, which every learner finds out before its work.
func TestMaxClasses(t *testing.T) {
	for _, classes := range []int{MaxClasses, MaxClasses + 1} {
		t1 := make([]int, classes)
		for i := range t1 {
			t1[i] = i
		}
		_, err := New(mat.NewDense(classes, 1, nil), t1)
		if (err == nil) != (classes == MaxClasses) || err != nil && !strings.Contains(err.Error(), "a model has at most 1000 classes; classes found: 1001") {
			t.Errorf("%d classes: %v", classes, err)
		}
	}
}
