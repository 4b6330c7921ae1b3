package dialect

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mpcvm/mpcvm/tables/internal/celltext"
	"github.com/mpcvm/mpcvm/tables/internal/texts"
	"github.com/mpcvm/mpcvm/tables/table"
)

// Names returns unique names for the columns of a text, given its first two records; second is nil if there
// is only one. Without a header, they are x1, x2 and so on. The notes report names that are not in the
// header.
func (d Dialect) Names(first, second []string) (names []string, notes []table.Finding) {
	if !d.Header {
		n := len(first)
		if second != nil { // one of the records may end with a separator
			n = max(min(len(first), len(second)), Width(first), Width(second))
		}
		return Numbered(n)
	}
	names = slices.Clone(first)
	if second != nil {
		if least := max(Width(second), Width(names)); len(names) > len(second) && least <= len(second) {
			names = names[:len(second)] // the header ends with a separator
		} else if d.RowNames && len(second) == len(names)+1 {
			names = slices.Insert(names, 0, "row")
		} else if len(names) > least {
			// Both end with a separator, which makes a column without name and values.
			if last := len(names) - 1; strings.TrimSpace(names[last]) == "" && d.Trailing {
				names = names[:last]
			}
		}
	}
	if d.RowNames && len(names) > 0 && strings.TrimSpace(names[0]) == "" {
		names[0] = "row"
	}
	return UniqueNames(names)
}

// Numbered returns names for n columns without a header.
func Numbered(n int) (names []string, notes []table.Finding) {
	for i := range n {
		names = append(names, fmt.Sprintf("x%d", i+1))
	}
	return names, []table.Finding{{Code: texts.NoHeader, N: n}}
}

// Width returns the number of cells up to the last non-blank one.
func Width(cells []string) int {
	n := len(cells)
	for n > 0 && strings.TrimSpace(cells[n-1]) == "" {
		n--
	}
	return n
}

// UniqueNames normalizes names (celltext.Normal), names unnamed columns x1, x2, …, and makes repeated names
// unique. The notes report these changes.
func UniqueNames(names []string) (unique []string, notes []table.Finding) {
	taken := map[string]bool{}
	for _, name := range names {
		taken[strings.Join(strings.Fields(celltext.Normal(name)), " ")] = true
	}
	used := map[string]bool{}
	for i, name := range names {
		name = strings.ToValidUTF8(strings.Join(strings.Fields(celltext.Normal(name)), " "), "�")
		switch {
		case name == "":
			name = fmt.Sprintf("x%d", i+1)
			for k := 2; taken[name]; k++ {
				name = fmt.Sprintf("x%d %d", i+1, k)
			}
			taken[name] = true
			notes = append(notes, table.Finding{Code: texts.NoName, Column: name, N: i + 1})
		case used[name]:
			first := name
			for k := 2; taken[name]; k++ {
				name = fmt.Sprintf("%s %d", first, k)
			}
			taken[name] = true
			notes = append(notes, table.Finding{Code: texts.NameTwice, Column: name, N: i + 1, Texts: []string{first}})
		}
		used[name] = true
		unique = append(unique, name)
	}
	return unique, notes
}

// Headings are the records of the header. The same record further down starts an appended table.
type Headings [][]string

// NewHeadings returns the headings of a header, or nil if it contains a number, because rows could be equal
// to it.
func NewHeadings(header []string) Headings {
	if slices.ContainsFunc(header, func(name string) bool { return kindOf([]byte(name), false) == numeric }) {
		return nil
	}
	return Headings{header}
}

// Has reports whether a record is a heading.
func (h Headings) Has(cells [][]byte) bool {
	return slices.ContainsFunc(h, func(head []string) bool {
		return len(head) > 1 && slices.EqualFunc(head, cells,
			func(a string, b []byte) bool { return a == string(b) })
	})
}
