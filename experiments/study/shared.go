package study

import "slices"

// Shared returns the results of the given systems on the partitions that all of them have, in their
// order, so that means over the same partitions can be compared.
func Shared(results []Result, systems []string) []Result {
	type part struct {
		dataset   string
		partition int
	}
	of := map[part][]string{} // the systems with a result
	for _, r := range results {
		p := part{r.Dataset, r.Partition}
		if slices.Contains(systems, r.System) && !slices.Contains(of[p], r.System) {
			of[p] = append(of[p], r.System)
		}
	}
	return slices.DeleteFunc(slices.Clone(results), func(r Result) bool {
		return !slices.Contains(systems, r.System) || len(of[part{r.Dataset, r.Partition}]) < len(systems)
	})
}
