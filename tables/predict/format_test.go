package predict

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// The classes of a set can be recovered whatever their names are, because ambiguous names are quoted as in
// a CSV file with the separator " | ".
func TestSetOfAnyNames(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	names := []string{"plain", "two words", "a | b", "a", "b", "|", `"`, `"a" | "b"`, `a"`, " a", "a ", "",
		"a|b", "ä | ö"}
	for range 200 {
		var name strings.Builder
		for range rng.IntN(8) {
			name.WriteByte(`ab |"`[rng.IntN(5)])
		}
		if !slices.Contains(names, name.String()) {
			names = append(names, name.String())
		}
	}
	set := func(classes []int) string {
		var list []string
		for _, c := range classes {
			list = append(list, names[c])
		}
		return joined(list)
	}
	if got := set([]int{0, 1}); got != "plain | two words" {
		t.Errorf("ordinary names: %s", got)
	}
	seen := map[string][]int{}
	for range 5000 {
		classes := rng.Perm(len(names))[:1+rng.IntN(4)]
		text := set(classes)
		if before, ok := seen[text]; ok && !slices.Equal(before, classes) {
			t.Fatalf("%q stands for both %v and %v", text, before, classes)
		}
		seen[text] = classes
		var want, got []string
		for _, c := range classes {
			want = append(want, names[c])
		}
		for rest := text; ; {
			var name string
			if quoted, is := strings.CutPrefix(rest, `"`); is {
				for {
					part, after, _ := strings.Cut(quoted, `"`)
					name += part
					if quoted, is = strings.CutPrefix(after, `"`); !is {
						rest = after
						break
					}
					name += `"`
				}
			} else if end := strings.Index(rest, " | "); end >= 0 {
				name, rest = rest[:end], rest[end:]
			} else {
				name, rest = rest, ""
			}
			if got = append(got, name); rest == "" {
				break
			}
			rest = strings.TrimPrefix(rest, " | ")
		}
		if !slices.Equal(got, want) {
			t.Fatalf("%q reads as %q, not as %q", text, got, want)
		}
	}
}
