package study

import (
	"cmp"
	_ "embed"
	"encoding/csv"
	"slices"
	"strconv"
	"strings"
)

// paperText holds the numbers printed in the paper: Lyu, Tian, Li, Jiang and Chen (2020, DOI
// 10.1109/TNNLS.2019.2947309), from the LaTeX source of arXiv 2006.15791. The measures err and auc,
// in per cent with the standard deviation of 45 runs, are from its table "performance"; rank, Q, p
// and statistic from its tables "tab_1_rank" to "tab_2_ret", each with one of its learners as the
// control; vectors and weights from the text of its section on synthetic data. (Its table of
// Overclass counts the 76 weights of mPCVM₁ by potential, and the text their 58 vectors.)
//
//go:embed paper.csv
var paperText string

// paperRuns is the number of runs behind each of the paper's means.
const paperRuns = 45

// paperValue is a number of the paper.
type paperValue struct{ value, deviation float64 }

// paperKey identifies a number of the paper.
type paperKey struct{ measure, control, system, dataset string }

var paper = func() map[paperKey]paperValue {
	records, err := csv.NewReader(strings.NewReader(paperText)).ReadAll()
	if err != nil {
		panic("study: paper.csv: " + err.Error())
	}
	number := func(text string) float64 {
		v, err := strconv.ParseFloat(cmp.Or(text, "NaN"), 64)
		if err != nil {
			panic("study: paper.csv: " + err.Error())
		}
		return v
	}
	all := map[paperKey]paperValue{}
	for _, r := range records[1:] {
		all[paperKey{r[0], r[1], r[2], r[3]}] = paperValue{number(r[4]), number(r[5])}
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
