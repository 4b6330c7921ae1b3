package export

import (
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/mpcvm/mpcvm/tables/internal/celltext"
	"github.com/mpcvm/mpcvm/tables/recipe"
	"github.com/mpcvm/mpcvm/tables/table"
)

// The recipe as a graph of ONNX. Each column is an input of N×1 cells: float64 for a number, NaN for a
// missing one; float64 seconds since 1970 for a date; a text for a boolean or a category, "" for a missing
// one. Texts are those of the training file, or words such as yes and NA in small, large or title letters:
// what the library makes of more (units, layouts, 1.0 for the level 1) is work before the graph.

// onnxInput is an input of the graph, as the metadata list it.
type onnxInput struct {
	Input  string `json:"input"`
	Column string `json:"column"`
	Kind   string `json:"kind"`
}

// Codes of a text beside those of levels.
const missingCode, badCode = -1, -2

// cells adds the inputs and returns the features, N×D, before scaling. They are NaN in a row that cannot be
// used.
func (g *graph) cells(f *model) (features string, inputs []onnxInput) {
	var parts []string
	used := map[string]bool{"label": true, "probabilities": true}
	absent, spoilt := "", g.scalar(0) // no column has a value; NaN if a cell cannot be used
	for _, c := range f.Columns {
		in := onnxInput{Input: c.Name, Column: c.Name, Kind: c.Kind}
		for used[in.Input] || strings.HasPrefix(in.Input, namePrefix) {
			in.Input = "column " + in.Input
		}
		used[in.Input] = true
		inputs = append(inputs, in)
		var missing string // N×1
		if c.Kind == table.Number.String() || c.Kind == table.Date.String() {
			g.port(11, in.Input, onnxDouble, 1)
			missing = g.op("IsNaN", nil, in.Input)
			v := g.where(missing, g.scalar(0), in.Input)
			spoilt = g.add(spoilt, g.sub(v, v)) // NaN if it is not finite
			parts = append(parts, g.where(missing, g.scalar(c.Fill), in.Input))
		} else {
			g.port(11, in.Input, onnxString, 1)
			code := g.code(f, c, in.Input)
			missing = g.op("Equal", nil, code, g.whole(missingCode))
			spoilt = g.add(spoilt, g.where(g.op("Equal", nil, code, g.whole(badCode)), g.scalar(math.NaN()),
				g.scalar(0)))
			parts = append(parts, g.levels(c, code, missing))
		}
		if c.Missing {
			parts = append(parts, g.double(missing))
		}
		if absent == "" {
			absent = missing
		} else {
			absent = g.op("And", nil, absent, missing)
		}
	}
	spoilt = g.add(spoilt, g.where(absent, g.scalar(math.NaN()), g.scalar(0)))
	return g.add(g.op("Concat", map[string]any{"axis": 1}, parts...), spoilt), inputs
}

// levels are the features of a boolean or category.
func (g *graph) levels(c recipe.Column, code, missing string) string {
	if c.Kind == table.Boolean.String() {
		return g.where(missing, g.scalar(c.Fill), g.double(code))
	}
	if !c.Missing { // which then is other
		code = g.where(missing, g.whole(int64(len(c.Levels))), code)
	}
	places := make([]int64, len(c.Levels)+1)
	for i := range places {
		places[i] = int64(i)
	}
	return g.double(g.op("Equal", nil, code, g.whole(places...)))
}

func (g *graph) where(condition, yes, no string) string {
	return g.op("Where", nil, condition, yes, no)
}

func (g *graph) double(v string) string {
	return g.op("Cast", map[string]any{"to": onnxDouble}, v)
}

// code turns texts into the index of a level, missingCode or badCode, as the library reads them.
func (g *graph) code(f *model, c recipe.Column, cell string) string {
	words := slices.Concat(c.Levels, c.Others, missingTexts, celltext.NoValueWords, f.Missing)
	for _, pair := range celltext.Truths {
		words = append(words, pair[:]...)
	}
	other := int64(badCode)
	if c.Kind == table.Category.String() {
		other = int64(len(c.Levels))
	}
	one := recipe.Recipe{Missing: f.Missing, Columns: []recipe.Column{c,
		{Name: c.Name + "+", Kind: table.Number.String()}}}
	one.Columns[0].Missing = true // so that a missing cell shows
	var texts []string
	var codes []int64
	for _, word := range words {
		_, first := utf8.DecodeRuneInString(word)
		for _, text := range []string{word, strings.ToLower(word), strings.ToUpper(word),
			strings.ToUpper(word[:first]) + strings.ToLower(word[first:])} {
			if slices.Contains(texts, text) {
				continue
			}
			x, err := one.EncodeRow(map[string]any{c.Name: text, c.Name + "+": 0})
			code := int64(badCode)
			if err == nil {
				own := x[:len(x)-2]
				switch {
				case x[len(x)-2] == 1:
					code = missingCode
				case c.Kind == table.Boolean.String():
					code = int64(own[0])
				default:
					code = int64(slices.Index(own, 1))
				}
			}
			texts, codes = append(texts, text), append(codes, code)
		}
	}
	return g.op("LabelEncoder", map[string]any{"keys_strings": texts, "values_int64s": codes,
		"default_int64": other}, cell)
}
