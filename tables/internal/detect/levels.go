package detect

import (
	"hash/maphash"
	"math"
	"slices"
	"strings"
	"unsafe"
)

// levelSet stores the cells of a column as indices of its distinct texts.
type levelSet struct {
	codes  []int32 // of the cells, −1 for empty cells
	levels []string
	slots  []int32 // hash table of levels: index + 1, or 0
	arena  []byte  // memory for the next texts
	bytes  int64   // total length of the texts
}

var seed = maphash.MakeSeed() // does not affect the order and content of levels

// add appends a cell.
func (t *levelSet) add(text []byte) {
	if len(text) == 0 {
		t.codes = append(t.codes, -1)
		return
	}
	t.codes = append(t.codes, t.code(text))
}

// code returns the index of a text among the levels, adding it if it is new.
func (t *levelSet) code(text []byte) int32 {
	if 2*len(t.levels) >= len(t.slots) {
		t.rehash()
	}
	mask := uint64(len(t.slots) - 1)
	for at := maphash.Bytes(seed, text) & mask; ; at = (at + 1) & mask {
		code := t.slots[at] - 1
		if code < 0 {
			t.levels = append(t.levels, t.keep(text))
			t.slots[at] = int32(len(t.levels))
			return int32(len(t.levels) - 1)
		}
		if t.levels[code] == string(text) {
			return code
		}
	}
}

// full reports whether no more levels can be added.
func (t *levelSet) full() bool { return len(t.levels) >= math.MaxInt32/4 }

func (t *levelSet) rehash() {
	t.slots = make([]int32, max(16, 2*len(t.slots)))
	mask := uint64(len(t.slots) - 1)
	for i, level := range t.levels {
		at := maphash.String(seed, level) & mask
		for t.slots[at] != 0 {
			at = (at + 1) & mask
		}
		t.slots[at] = int32(i + 1)
	}
}

// keep copies a text to memory shared with other texts.
func (t *levelSet) keep(text []byte) string {
	const most = 64 << 10
	if len(text) > cap(t.arena)-len(t.arena) {
		t.arena = make([]byte, 0, max(len(text), min(most, 2*cap(t.arena)), 256))
	}
	start := len(t.arena)
	t.arena = append(t.arena, text...)
	t.bytes += int64(len(text))
	return unsafe.String(unsafe.SliceData(t.arena[start:]), len(text))
}

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
