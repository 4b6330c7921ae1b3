package nbhelpers

import (
	"math"

	"github.com/mpcvm/mpcvm/mpcvm/study"
)

// Studied lays a quantity of a recorded study out for Results: a row for each data set, a
// column for each system. The quantity is a field of a cell, such as Err. Where there was
// no run, or none with that quantity, the value is NaN.
func Studied(r *study.Report, datasets, systems []string, quantity func(study.Cell) *study.Stat) [][]Measure {
	rows := make([][]Measure, len(datasets))
	for i, d := range datasets {
		for _, s := range systems {
			m := Measure{Value: math.NaN(), Error: math.NaN()}
			if c := r.Cell(s, d); c != nil {
				if stat := quantity(*c); stat != nil {
					m.Value = stat.Mean
					if stat.SE != nil {
						m.Error = *stat.SE
					}
				}
			}
			rows[i] = append(rows[i], m)
		}
	}
	return rows
}
