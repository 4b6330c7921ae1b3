package fetch

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/mpcvm/mpcvm/data"
)

// origin describes the addresses and the format of a published set.
type origin struct {
	addresses []string // tried in turn; one that ends in .zip is an archive
	file      string   // base name of the file in an archive
	separator string   // of cells; "" means white space
	header    []string // nil: the first line is the header
	first     bool     // whether the class is the first cell instead of the last
}

// uci is the host of the UCI Machine Learning Repository.
const uci = "https://archive.ics.uci.edu"

var (
	wineQuality = []string{uci + "/static/public/186/wine+quality.zip"}
	leaves      = []string{
		uci + "/static/public/241/one+hundred+plant+species+leaves+data+set.zip",
		uci + "/ml/machine-learning-databases/00241/100%20leaves%20plant%20species.zip",
	}
)

// origins maps the sets that can be fetched to their origins, which the page of each set also links.
var origins = map[string]origin{
	"wine-red":   {addresses: wineQuality, file: "winequality-red.csv", separator: ";"},
	"wine-white": {addresses: wineQuality, file: "winequality-white.csv", separator: ";"},
	"vowel": {
		addresses: []string{
			uci + "/static/public/152/connectionist+bench+vowel+recognition+deterding+data.zip",
			uci + "/ml/machine-learning-databases/undocumented/connectionist-bench/vowel/vowel-context.data",
		},
		file: "vowel-context.data",
		header: append([]string{"train_or_test", "speaker", "sex"},
			append(columnNames("feature", 0, 9), "class")...),
	},
	"heart": {
		addresses: []string{uci + "/static/public/45/heart+disease.zip"},
		file:      "reprocessed.hungarian.data",
		header: []string{"age", "sex", "cp", "trestbps", "chol", "fbs", "restecg", "thalach", "exang", "oldpeak",
			"slope", "ca", "thal", "class"},
	},
	"leaves-margin":  {leaves, "data_Mar_64.txt", ",", append(columnNames("margin", 1, 64), "class"), true},
	"leaves-shape":   {leaves, "data_Sha_64.txt", ",", append(columnNames("shape", 1, 64), "class"), true},
	"leaves-texture": {leaves, "data_Tex_64.txt", ",", append(columnNames("texture", 1, 64), "class"), true},
}

func columnNames(name string, from, to int) []string {
	var names []string
	for i := from; i <= to; i++ {
		names = append(names, fmt.Sprintf("%s%d", name, i))
	}
	return names
}

// convert converts a published file to the CSV form of package data: a header, commas, the class last. In the
// header, quotes are removed, spaces become underscores and the last name becomes "class".
func (o origin) convert(text []byte) ([]byte, error) {
	var out strings.Builder
	header := o.header
	if header != nil {
		out.WriteString(strings.Join(header, ",") + "\n")
	}
	line := 0
	for row := range strings.Lines(string(text)) {
		line++
		row = strings.TrimSpace(row)
		if row == "" {
			continue
		}
		var cells []string
		if o.separator == "" {
			cells = strings.Fields(row)
		} else {
			cells = strings.Split(row, o.separator)
		}
		if header == nil {
			for i, c := range cells {
				cells[i] = strings.ReplaceAll(strings.Trim(c, `" `), " ", "_")
			}
			cells[len(cells)-1] = "class"
			header = cells
		}
		if len(cells) != len(header) {
			return nil, fmt.Errorf("line %d: %w: %d, not %d", line, data.ErrRagged, len(cells), len(header))
		}
		if o.first {
			cells = append(slices.Clone(cells[1:]), cells[0])
		}
		if strings.ContainsAny(strings.Join(cells, ""), ",\"") {
			return nil, fmt.Errorf("line %d: %w", line, errors.New("comma or quote in a cell"))
		}
		out.WriteString(strings.Join(cells, ",") + "\n")
	}
	if header == nil || line < 2 {
		return nil, data.ErrEmpty
	}
	return []byte(out.String()), nil
}
