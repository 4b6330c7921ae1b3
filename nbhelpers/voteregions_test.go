package nbhelpers

import (
	"context"
	"strings"
	"testing"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/internal/testkit/drawn"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/baseline/vote"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
)

func TestVoteRegions(t *testing.T) {
	set := data.Overlap(data.OverlapSeed)
	base := mpcvm.BottomUp{Kernel: kernel.RBF{Theta: 1}}
	rest, _, err := vote.OneVsRest{Base: base}.Fit(context.Background(), mpcvm.Samples{X: set.X, T: set.T})
	if err != nil {
		t.Fatal(err)
	}
	one, _, err := vote.OneVsOne{Base: base}.Fit(context.Background(), mpcvm.Samples{X: set.X, T: set.T})
	if err != nil {
		t.Fatal(err)
	}
	plane, samples := Ambiguous(rest, set)
	n := 0
	for _, r := range rest.Regions(nil, set.X) {
		if r.Ambiguous() {
			n++
		}
	}
	if want := float64(n) / 2; samples != want || n == 0 || plane <= 0 || plane >= 100 {
		t.Errorf("%v %% of the plane, %v %% of the samples; want %v %% of them", plane, samples, want)
	}
	c := VoteRegions(rest, set, RegionsOptions{Cells: 60, Title: "votes"})
	texts := drawn.Texts(t, c)
	for _, want := range []string{"votes", "no claim", "several claims", "black", "ambiguous: ",
		"data:image/png"} {
		if !strings.Contains(texts, want) {
			t.Errorf("no %q in the picture", want)
		}
	}
	if strings.Contains(texts, "a tie") {
		t.Error("one against the rest has no ties")
	}
	texts = drawn.Texts(t, VoteRegions(one, set, RegionsOptions{Cells: 60}))
	if strings.Contains(texts, "no claim") ||
		strings.Contains(texts, "several claims") {
		t.Error("one against one has no claims")
	}
	if again := VoteRegions(rest, set, RegionsOptions{Cells: 60, Title: "votes"}); again.HTML() != c.HTML() {
		t.Error("the same vote gives a different picture")
	}
}
