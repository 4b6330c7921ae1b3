package detect

import (
	"math"
	"slices"
	"strings"
)

// levelSet stores the cells of a column as indices of its distinct texts.
type levelSet struct {
	codes  []int32 // of the cells, −1 for empty cells
	levels []string
	known  map[string]int32 // of the levels
	bytes  int64            // total length of the texts
}

// add appends a cell.
func (t *levelSet) add(text []byte) {
	code := int32(-1)
	if len(text) > 0 {
		code = t.code(text)
	}
	t.codes = append(t.codes, code)
}

// code returns the index of a text among the levels, adding it if it is new.
func (t *levelSet) code(text []byte) int32 {
	if code, met := t.known[string(text)]; met {
		return code
	}
	if t.known == nil {
		t.known = map[string]int32{}
	}
	level, code := string(text), int32(len(t.levels))
	t.known[level], t.levels = code, append(t.levels, level)
	t.bytes += int64(len(level))
	return code
}

// full reports whether no more levels can be added.
func (t *levelSet) full() bool { return len(t.levels) >= math.MaxInt32/4 }

// counts returns the number of cells with each level.
func (t *levelSet) counts() []int {
	counts := make([]int, len(t.levels))
	for _, code := range t.codes {
		if code >= 0 {
			counts[code]++
		}
	}
	return counts
}

// sorted drops the levels for which use is false, sorts the others in the order of strings.Compare, and
// renumbers the cells accordingly.
func (t *levelSet) sorted(use []bool) (codes []int32, levels []string) {
	order := make([]int32, 0, len(t.levels))
	for i := range t.levels {
		if use[i] {
			order = append(order, int32(i))
		}
	}
	slices.SortStableFunc(order, func(a, b int32) int { return strings.Compare(t.levels[a], t.levels[b]) })
	place := slices.Repeat([]int32{-1}, len(t.levels))
	levels = make([]string, len(order))
	for i, old := range order {
		place[old] = int32(i)
		levels[i] = t.levels[old]
	}
	for i, code := range t.codes {
		if code >= 0 {
			t.codes[i] = place[code]
		}
	}
	return t.codes, levels
}

// relabel replaces the texts by others, which may be equal or "" for no text. It returns the cells that
// changed.
func (t *levelSet) relabel(by func(level string) string) (changed examples) {
	if !slices.ContainsFunc(t.levels, func(level string) bool { return by(level) != level }) {
		return changed
	}
	n := levelSet{codes: t.codes, bytes: t.bytes}
	place := make([]int32, len(t.levels))
	odd := make([]bool, len(t.levels))
	for i, level := range t.levels {
		text := by(level)
		odd[i], place[i] = text != level, -1
		if text != "" {
			place[i] = n.code([]byte(text))
		}
	}
	for row, code := range t.codes {
		if code >= 0 {
			if odd[code] {
				changed.add(1, row, t.levels[code])
			}
			t.codes[row] = place[code]
		}
	}
	*t = n
	return changed
}
