package study

import (
	"cmp"
	_ "embed"
	"encoding/csv"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// paperText holds the errors and the AUC printed in the paper: Lyu, Tian, Li, Jiang and Chen (2020, DOI
// 10.1109/TNNLS.2019.2947309), in per cent with the standard deviation of 45 runs, from table "performance"
// of the LaTeX source of arXiv 2006.15791.
//
//go:embed paper.csv
var paperText string

// paperRuns is the number of runs behind each of the paper's means.
const paperRuns = 45

// paperKey identifies a mean of the paper; measure is err or auc.
type paperKey struct{ measure, system, dataset string }

// paper holds the paper's means with their standard errors.
var paper = func() map[paperKey]*Stat {
	records, err := csv.NewReader(strings.NewReader(paperText)).ReadAll()
	if err != nil {
		panic("study: paper.csv: " + err.Error())
	}
	all := map[paperKey]*Stat{}
	for _, r := range records[1:] {
		mean, err := strconv.ParseFloat(r[3], 64)
		deviation, err2 := strconv.ParseFloat(r[4], 64)
		if err != nil || err2 != nil {
			panic(fmt.Sprintf("study: paper.csv: %q", r))
		}
		all[paperKey{r[0], r[1], r[2]}] = &Stat{N: paperRuns, Mean: mean, SE: new(deviation / math.Sqrt(paperRuns))}
	}
	return all
}()

// The paper's order of systems and data sets.
var (
	paperSystems  = []string{"mrvm1", "mrvm2", "svm", "dlsr", "mlr", "mpcvm1", "mpcvm2"}
	paperDatasets = []string{"breast", "glass", "heart", "iris", "wine", "wine-red", "wine-white", "vowel"}
	baselines     = paperSystems[:5]
	controls      = paperSystems[5:]
)

// stem returns the name of a system without its variant: "svm" for "svm+default".
func stem(system string) string {
	name, _, _ := strings.Cut(system, "+")
	return name
}

// inOrder sorts names: first the names in list, in its order, each followed by its variants, then
// the others.
func inOrder(names, list []string) []string {
	place := func(name string) int {
		if i := slices.Index(list, stem(name)); i >= 0 {
			return i
		}
		return len(list)
	}
	slices.SortFunc(names, func(a, b string) int {
		return cmp.Or(place(a)-place(b), naturally(a, b))
	})
	return names
}

// naturally compares names, with numbers at their ends compared as numbers: "letter-4" comes before
// "letter-10".
func naturally(a, b string) int {
	cut := func(s string) (string, int) {
		stem := strings.TrimRight(s, "0123456789")
		n, _ := strconv.Atoi(s[len(stem):]) // 0 if missing or too long
		return stem, n
	}
	stemA, numberA := cut(a)
	stemB, numberB := cut(b)
	return cmp.Or(strings.Compare(stemA, stemB), cmp.Compare(numberA, numberB), strings.Compare(a, b))
}
