package nbhelpers

import (
	"fmt"
	"testing"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
)

// TestFramesAreSmall checks the size of twenty models over θ.
func TestFramesAreSmall(t *testing.T) {
	set, err := data.Load("overlap")
	if err != nil {
		t.Fatal(err)
	}
	var frames []Frame
	separate := 0
	for i := range 20 {
		m, _, err := mpcvm.BottomUp{Kernel: kernel.RBF{Theta: .2 * float64(i+1)},
			MaxIterations: 30}.Fit(t.Context(), mpcvm.Samples{X: set.X, T: set.T})
		if err != nil {
			t.Fatal(err)
		}
		frames = append(frames,
			Frame{Label: fmt.Sprint(i), Chart: Regions(m, set, RegionsOptions{Cells: 80})})
		separate += len(frames[i].Chart.HTML())
	}
	if n := len(Frames(frames, FramesOptions{}).HTML()); n > separate*2/3 {
		t.Errorf("twenty frames have %d bytes, the charts %d", n, separate)
	} else {
		t.Logf("%d bytes of %d", n, separate)
	}
}
