package study

import (
	"fmt"
	"testing"
)

func TestShared(t *testing.T) {
	var results []Result
	for _, s := range []string{"a x 1", "a x 2", "a y 1", "b x 2", "b x 2", "b x 3", "c x 2", "c y 1"} {
		var r Result
		if _, err := fmt.Sscan(s, &r.System, &r.Dataset, &r.Partition); err != nil {
			t.Fatal(err)
		}
		results = append(results, r)
	}
	for _, c := range []struct {
		systems []string
		want    string
	}{
		{[]string{"a", "b"}, "ax2 bx2 bx2 "}, {[]string{"a", "c"}, "ax2 ay1 cx2 cy1 "},
		{[]string{"a", "b", "c"}, "ax2 bx2 bx2 cx2 "}, {[]string{"a", "d"}, ""}, {nil, ""},
	} {
		got := ""
		for _, r := range Shared(results, c.systems) {
			got += fmt.Sprint(r.System, r.Dataset, r.Partition) + " "
		}
		if got != c.want {
			t.Errorf("%v share %q, want %q", c.systems, got, c.want)
		}
	}
}
