package recipe

import (
	"slices"
	"strings"
	"time"

	"github.com/mpcvm/mpcvm/tables/internal/celltext"
	"github.com/mpcvm/mpcvm/tables/internal/detect"
	"github.com/mpcvm/mpcvm/tables/table"
)

// doubts finds cells that can be read by accident only, because other cells of the column contradict the
// reading: dates such as 5/4/2023 in a column that also has 11/18/2023, although the day came first in
// training, or 1 in a column of 1 and 2, although the levels were N and Y. is reports whether a cell is one
// of them; it is nil if there are none. other is one of the contradicting cells.
func (c *reader) doubts(from *table.Column) (is func(row int) bool, other string) {
	switch c.Kind {
	case date:
		if from.Kind == table.Date {
			if other = detect.Exchanged(from); other != "" {
				return func(row int) bool {
					_, month, day := time.Unix(int64(from.Numbers[row]), 0).UTC().Date()
					return day <= 12 && day != int(month)
				}, other
			}
		}
	case boolean:
		if from.Kind != table.Boolean { // which has only two values
			return c.foreign(from)
		}
	}
	return nil, ""
}

// foreign is doubts for a boolean, of which the file has only one value.
func (c *reader) foreign(from *table.Column) (is func(row int) bool, other string) {
	counts := map[string]int{}
	for row := range from.Len() {
		if text := from.Source(row); text != "" {
			counts[text]++
		}
	}
	wrong, doubtful := 0, 0
	foreign := map[string]bool{} // whether a text is a number or not one of the levels
	var seen [2]bool             // whether a cell is read as 0 or 1
	for text, n := range counts {
		f, plain := c.text(text), written(text)
		switch {
		case f.ok:
			_, number := detect.Number(plain)
			seen[int(f.value)] = true
			foreign[text] = number || !slices.ContainsFunc(c.Levels,
				func(level string) bool { return strings.EqualFold(level, plain) })
			if foreign[text] {
				doubtful += n
			}
		case !f.missing && !celltext.Missing(plain):
			if wrong += n; other == "" || text < other {
				other = text
			}
		}
	}
	if _, number := detect.Number(other); !number || seen[0] == seen[1] || 20*wrong < doubtful {
		return nil, ""
	}
	return func(row int) bool { return foreign[from.Source(row)] }, other
}
