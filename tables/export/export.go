// Package export writes a model as a single JavaScript file or in the ONNX format. The JavaScript file has no
// dependencies. It takes rows of raw cells, encodes them according to the recipe, and computes the same
// probabilities as the library within 1e-12. Its functions are:
//
//   - features encodes and standardises a row like package recipe.
//
//   - kernel computes k(x, v) from the formula of kernel.OfSum, with the sums in the same order as in the
//     library.
//
//   - probabilities computes the multinomial probit of potentials y, shifted so that the largest is 0:
//
//     p_i = ∫ φ(z − y_i) Π_{k≠i} Ψ(z − y_k) dz = ∫ r(z − y_i) Π_k Ψ(z − y_k) dz,  r = φ/Ψ
//
// The integrand of class i is bounded by φ(z − y_i)·Ψ(z), or by φ(z) for the largest potential. Outside
// y_i/2 ± 9 it is therefore below 1e-17 of its maximum, so a single trapezoidal sum from min(y)/2 − 9 to 9 is
// sufficient for all classes. The sum converges exponentially: with a step of 1/8, its error is below 1e-14
// for up to 1000 classes.
package export

import (
	"bytes"
	"cmp"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf16"
	"unicode/utf8"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/internal/cell"
	"github.com/mpcvm/mpcvm/internal/probitjs"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
	"github.com/mpcvm/mpcvm/tables"
	"github.com/mpcvm/mpcvm/tables/internal/celltext"
	"github.com/mpcvm/mpcvm/tables/internal/detect"
	"github.com/mpcvm/mpcvm/tables/recipe"
)

// Errors of Write, for use with errors.Is.
var (
	ErrLanguage = errors.New("unknown language")
	ErrKernel   = errors.New("the kernel cannot be exported")
	ErrClasses  = errors.New("too many classes")
	ErrName     = errors.New("a name cannot be exported")
)

const (
	mostClasses = 1000 // the error of the trapezoidal sum has been tested up to this number
	longestName = 1000 // bytes
)

// Languages of Write.
const (
	javascript = "javascript"
	onnx       = "onnx"
)

// Languages returns the names of the languages that Write supports, in alphabetical order.
func Languages() []string { return []string{javascript, onnx} }

// File returns the usual file name for a language, or "" if Write does not support it.
func File(language string) string {
	return map[string]string{javascript: "model.mjs", onnx: "model.onnx"}[language]
}

// missingTexts are the texts that mean a missing value in any column, in lower case.
var missingTexts = append([]string{""}, celltext.MissingWords...)

var (
	//go:embed scorer.js
	scorerJS string
	//go:embed csv.js
	csvJS string // the rest of a file: its exports, and the program for Node.js
)

// Scorer returns a script that is the same for every model. It defines the function scorer, which takes the
// result of ScorerData and returns an object with the function predict of an exported file.
func Scorer() string { return scorer() }

var scorer = sync.OnceValue(func() string {
	var b strings.Builder
	for _, list := range []struct {
		name  string
		texts any
	}{
		{"missingTexts", missingTexts},
		{"noValue", celltext.NoValueWords},  // missing, except in categories
		{"truths", celltext.Truths},         // texts of booleans: pairs of false and true
		{"limitWords", celltext.LimitWords}, // texts that mean a value below an unknown limit
		{"otherMonths", detect.Months},      // names that are not English, from January on
		{"weekdays", detect.Weekdays},
	} {
		fmt.Fprintf(&b, "const %s = %s;\n", list.name, literal(list.texts))
	}
	return b.String() + scorerJS + "\n" + probitjs.Source
})

// ScorerData returns a model as JSON for the script of Scorer. It returns the same errors as Write.
func ScorerData(m *tables.Model) (json.RawMessage, error) {
	f, err := newModel(m)
	if err != nil {
		return nil, fmt.Errorf("export: %w", err)
	}
	return f.data(), nil
}

type model struct {
	*mpcvm.Model
	*recipe.Recipe          // the Fill of its columns is NaN if missing values are not imputed
	Classes        []string // names
	Mean, Scale    []float64
	Sum            kernel.Sum // of the kernel
	Formula        string     // of the kernel, as a function of the sum s
}

// Write writes the model as a single file. language is "javascript" or "onnx". The inputs of an ONNX model
// are the cells of the columns as numbers (float64), dates (seconds since 1970) and texts; NaN or "" is a
// missing cell. The input of a model without a recipe is a matrix of features.
//
// The error is ErrLanguage for any other language, ErrKernel if the kernel is not a kernel.OfSum or its
// parameters are not finite, ErrClasses if there are more than 1000 classes, and ErrName if a name is not
// valid UTF-8, has a zero byte or more than 1000 bytes, or if two columns have the same name.
func Write(w io.Writer, m *tables.Model, language string) error {
	if File(language) == "" {
		return fmt.Errorf("export: %w %q; want %s", ErrLanguage, language, strings.Join(Languages(), " or "))
	}
	file, err := newModel(m)
	var data []byte
	switch {
	case err != nil:
	case language == onnx:
		data, err = file.onnx(m.Recipe() != nil)
	default:
		data = file.data()
	}
	if err != nil {
		return fmt.Errorf("export: %w", err)
	}
	if language == onnx {
		_, err = w.Write(data)
		return err
	}
	size := fmt.Sprintf("%d relevance vectors", file.VectorCount())
	switch {
	case file.linear() != nil && file.VectorCount() > 0:
		size += " and coefficients"
	case file.linear() != nil:
		size = fmt.Sprintf("%d coefficients", file.WeightCount())
	}
	_, err = fmt.Fprintf(w, head, len(file.Classes), size, file.about(), data, Scorer(), csvJS)
	return err
}

const head = `// A trained classifier in a single file without dependencies, for Node.js and browsers.
// Written by mpcvm from a model with %d classes and %s.
//
//     import { predict } from "./model.mjs";
//     const { name, probabilities } = predict({ column: value, ... });
//
//     node model.mjs < rows.csv > predictions.csv
%s
// The model; see scorer. The code below it is the same for every model.
const model = %s;

%s
%s`

// data returns the model as JSON; see scorer.js. Each part, column and relevance vector is on its own line.
func (f *model) data() []byte {
	cols, vectors := [][]any{}, [][]any{}
	for _, c := range f.Columns {
		var fill any
		if !math.IsNaN(c.Fill) {
			fill = c.Fill
		}
		cols = append(cols, []any{c.Name, c.Kind, fill, c.Missing, append([]string{}, c.Levels...),
			cmp.Or(c.Unit, c.Layout)})
	}
	var coefficients [][]float64
	if a := f.linear(); a != nil {
		for c := range f.Classes {
			coefficients = append(coefficients, a.RawRowView(c))
		}
	}
	for _, v := range f.RelevanceVectors() {
		weights := [][2]any{}
		for c, w := range v.Weights {
			if w != 0 {
				weights = append(weights, [2]any{c, w})
			}
		}
		vectors = append(vectors, []any{v.X, weights})
	}
	var out bytes.Buffer
	open := "{"
	for _, part := range []struct {
		name  string
		value any
	}{
		{"classes", f.Classes}, {"columns", cols}, {"na", append([]string{}, f.Missing...)},
		{"limits", f.Limits}, {"mean", f.Mean}, {"scale", f.Scale}, {"sum", f.Sum.Kind.String()},
		{"widths", f.Sum.Weights}, {"formula", f.Formula}, {"bias", f.Bias()}, {"coefficients", coefficients},
		{"vectors", vectors}, {"temperature", f.Temperature()}, {"floors", f.Floor()}, {"costs", f.costs()},
	} {
		fmt.Fprintf(&out, "%s\n  %q: %s", open, part.name, literal(part.value))
		open = ","
	}
	out.WriteString("\n}")
	return out.Bytes()
}

// newModel returns an error if the model cannot be exported.
func newModel(of *tables.Model) (*model, error) {
	m := of.Model()
	f := &model{Model: m, Recipe: of.RowRecipe(), Classes: m.ClassNames()}
	if len(f.Classes) > mostClasses {
		return nil, fmt.Errorf("%w: %d, the limit is %d", ErrClasses, len(f.Classes), mostClasses)
	}
	if f.Mean, f.Scale = m.Scaling(); f.Mean == nil {
		f.Mean, f.Scale = make([]float64, m.Features()), slices.Repeat([]float64{1}, m.Features())
	}
	if err := f.checkNames(); err != nil {
		return nil, err
	}
	return f, f.setKernel(m.Kernel())
}

// linear returns the coefficients of the features, or nil if there are none or the model has no weights.
func (f *model) linear() *mat.Dense {
	if f.WeightCount() == 0 {
		return nil
	}
	return f.Coefficients()
}

// costs returns the rows of the costs, or nil.
func (f *model) costs() (rows [][]float64) {
	if costs := f.Costs(); costs != nil {
		for c := range f.Classes {
			rows = append(rows, costs.RawRowView(c))
		}
	}
	return rows
}

func (f *model) checkNames() error {
	check := func(what, name string) error {
		switch {
		case !utf8.ValidString(name):
			return fmt.Errorf("%w: %s %.40q is not valid UTF-8", ErrName, what, name)
		case strings.Contains(name, "\x00"):
			return fmt.Errorf("%w: %s %q has a zero byte", ErrName, what, cell.Shorten(name))
		case len(name) > longestName:
			return fmt.Errorf("%w: %s %q has %d bytes, the limit is %d", ErrName, what, cell.Shorten(name),
				len(name), longestName)
		}
		return nil
	}
	type list struct {
		what  string
		names []string
	}
	lists, seen := []list{{"class", f.Classes}, {"missing value", f.Missing}}, map[string]bool{}
	for _, c := range f.Columns {
		if seen[c.Name] {
			return fmt.Errorf("%w: duplicate column %q", ErrName, cell.Shorten(c.Name))
		}
		seen[c.Name] = true
		lists = append(lists, list{"column", []string{c.Name}},
			list{fmt.Sprintf("column %q: level", cell.Shorten(c.Name)), c.Levels})
	}
	for _, of := range lists {
		for _, name := range of.names {
			if err := check(of.what, name); err != nil {
				return err
			}
		}
	}
	return nil
}

// notFinite matches parameters of a formula that are not finite.
var notFinite = regexp.MustCompile(`NaN|Inf`)

// setKernel translates the formula of the kernel.
func (f *model) setKernel(k kernel.Kernel) error {
	of, ok := k.(kernel.OfSum)
	if !ok {
		return fmt.Errorf("%w: %v (%T); only kernels of a distance or an inner product can, such as rbf and "+
			"laplacian", ErrKernel, k, k)
	}
	f.Sum = of.Sum()
	f.Formula = f.Sum.Formula
	// Like the library, use log1p, since pow is inaccurate for large alpha.
	if k, ok := k.(kernel.RationalQuadratic); ok {
		if k.Alpha == 0 {
			k.Alpha = 1
		}
		f.Formula = fmt.Sprintf("exp(-%v*log1p(%v*s/%[1]v))", k.Alpha, k.Theta)
	}
	if notFinite.MatchString(f.Formula + fmt.Sprint(f.Sum.Weights)) {
		return fmt.Errorf("%w: %v has a parameter that is not finite", ErrKernel, k)
	}
	return nil
}

// aboutModel is the comment about the model at the beginning of a file.
const aboutModel = `
Classes:
%s
Columns:
%s
Missing values are empty cells and the following texts, in upper or lower case:
    %s;
in columns of numbers, dates and booleans also %s.%s
Numbers have a decimal point and no thousands separators. Negative numbers may be written as (5) or
5-. A number may have the unit of its column or, if the column has none, a currency or percent sign.
Dates have the layout of their column, or 2006-01-02 or 2006-01-02T15:04:05. They are in UTC unless
they end with an offset such as +01:00. Levels of a category without a feature count as other.

A CSV file must have a header and commas. Columns are found by name, in any order. For a row that
cannot be predicted, the last column of the output, problem, gives the reason.

Licence: the code is part of mpcvm, Apache License 2.0. The names and numbers come from the training
data and are subject to the licence of the data.
`

// about returns the lines of aboutModel as comments.
func (f *model) about() string {
	var classes, list strings.Builder
	for _, name := range f.Classes {
		fmt.Fprintf(&classes, "  %s\n", quote(cell.Shorten(name)))
	}
	for _, c := range f.Columns {
		fmt.Fprintf(&list, "  %s: %s", quote(cell.Shorten(c.Name)), c.Kind)
		if c.Layout != "" {
			fmt.Fprintf(&list, ", layout %s", c.Layout)
		}
		if c.Unit != "" {
			fmt.Fprintf(&list, " in %s", c.Unit)
		}
		list.WriteByte('\n')
	}
	var b strings.Builder
	further := ""
	if len(f.Missing) > 0 {
		further = " The model defines additional ones."
	}
	for line := range strings.Lines(fmt.Sprintf(aboutModel, &classes, &list, wrap(celltext.MissingWords),
		wrap(celltext.NoValueWords), further)) {
		b.WriteString(strings.TrimRight("// "+line, " \n") + "\n")
	}
	return b.String()
}

// quote returns a text as a JavaScript literal in double quotes. Printable characters are not escaped, except
// for <, so that a literal can end neither a line comment nor an HTML element.
func quote(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case strconv.IsPrint(r) && r != '<':
			b.WriteRune(r)
		default:
			fmt.Fprintf(&b, `\u{%x}`, r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// literal returns a value as JSON in printable characters. In a list of lists, each list is on its own line.
func literal(v any) string {
	var b strings.Builder
	lists, ok := v.([][]any)
	for i, list := range lists {
		b.WriteString([]string{"[", ","}[min(i, 1)] + "\n    " + literal(list))
	}
	if ok && len(lists) > 0 {
		return b.String() + "\n  ]"
	}
	text, err := json.Marshal(v)
	if err != nil {
		panic(err) // the numbers of a model are finite
	}
	for _, r := range string(text) {
		if r < utf8.RuneSelf || strconv.IsPrint(r) {
			b.WriteRune(r)
			continue
		}
		for _, unit := range utf16.AppendRune(nil, r) {
			fmt.Fprintf(&b, `\u%04x`, unit)
		}
	}
	return b.String()
}

// wrap joins the items of a list in lines of up to 98 characters.
func wrap(items []string) string {
	var b strings.Builder
	width := 0
	for i, item := range items {
		n := utf8.RuneCountInString(item) + 2
		if width += n; i > 0 {
			b.WriteString(",")
			if width > 94 {
				b.WriteString("\n    ")
				width = n
			} else {
				b.WriteString(" ")
			}
		}
		b.WriteString(item)
	}
	return b.String()
}
