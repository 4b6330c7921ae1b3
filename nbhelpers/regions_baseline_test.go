package nbhelpers

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/baseline/mrvm"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
)

func TestRegionsCircleTheVectorsOfAnMRVM(t *testing.T) {
	set := data.Blobs(60, 3, 2, .5, 1)
	model, _, err := mrvm.BottomUp{Kernel: kernel.RBF{Theta: 1}}.Fit(context.Background(),
		mpcvm.Samples{X: set.X, T: set.T})
	if err != nil {
		t.Fatal(err)
	}
	vectors := model.VectorCount()
	if c := Regions(model, set, RegionsOptions{}); vectors == 0 ||
		!strings.Contains(c.Alt, fmt.Sprintf("%d relevance vector", vectors)) {
		t.Errorf("%d vectors, %q", vectors, c.Alt)
	}
}
