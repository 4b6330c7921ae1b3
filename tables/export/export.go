// Package export writes a model as one file of another language, or of the format ONNX. A file of a
// language needs nothing but the language's standard library. It takes rows of raw cells, repeats
// the preparation of the recipe and gives the probabilities of the library within 1e-12.
//
// Every language has the same algorithm under the same names:
//
//   - features turns a row into a sample, as tables/recipe does, and standardises it.
//
//   - kernel computes k(x, v) from the formula of kernel.OfSum. The sums have the order of
//     the library.
//
//   - probabilities computes the multinomial probit of potentials y, shifted so that the largest
//     is 0:
//
//     p_i = ∫ φ(z − y_i) Π_{k≠i} Ψ(z − y_k) dz = ∫ r(z − y_i) Π_k Ψ(z − y_k) dz,  r = φ/Ψ
//
// The integrand of class i is below φ(z − y_i)·Ψ(z), or φ(z) for the largest. It is therefore
// below 1e-17 of its maximum outside of y_i/2 ± 9. One trapezoidal sum from min(y)/2 − 9 to 9
// serves all classes. It converges exponentially; with a step of 1/8 its error is below 1e-14
// for up to 1000 classes.
package export

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"text/template"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/rangetable"

	"github.com/mpcvm/mpcvm/internal/cell"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
	"github.com/mpcvm/mpcvm/tables/internal/columns"
	"github.com/mpcvm/mpcvm/tables/recipe"
	"github.com/mpcvm/mpcvm/tables/table"
)

// Errors of Write, for errors.Is.
var (
	ErrLanguage = errors.New("unknown language")
	ErrKernel   = errors.New("the kernel has no formula that can be written")
	ErrClasses  = errors.New("too many classes")
	ErrName     = errors.New("a name cannot be written")
	ErrReading  = errors.New("cells that cannot be read there")
)

const (
	mostClasses = 1000 // for which the error of the trapezoidal sum is tested
	longestName = 1000 // bytes; a text of C99 may have 4095 characters, an escaped byte has 4
)

// language is what distinguishes a language beside its template.
type language struct {
	file    string // usual name of the file
	integer string // appended to whole numbers of a formula
	escape  func(r rune) string
}

func codePoint(format string) func(r rune) string {
	return func(r rune) string {
		if r < 0x80 {
			return fmt.Sprintf(`\x%02x`, r)
		}
		return fmt.Sprintf(format, r)
	}
}

// unicodeEscape is for Python.
func unicodeEscape(r rune) string {
	if r > 0xffff {
		return fmt.Sprintf(`\U%08x`, r)
	}
	return codePoint(`\u%04x`)(r)
}

// octal has no more than three digits of each byte, so that the text may go on with a digit.
func octal(r rune) string {
	var b strings.Builder
	for _, c := range []byte(string(r)) {
		fmt.Fprintf(&b, `\%03o`, c)
	}
	return b.String()
}

var languages = map[string]language{
	"python":     {"model.py", "", unicodeEscape},
	"javascript": {"model.mjs", "", codePoint(`\u{%x}`)},
	"c":          {"model.c", ".0", octal},
	onnx:         {file: "model.onnx"},
}

// onnx is the name of a format that is no text, see model.onnx.
const onnx = "onnx"

// Languages returns the names of the languages that Write knows, in alphabetical order.
func Languages() []string { return slices.Sorted(maps.Keys(languages)) }

// File returns the usual name of a file of the language, "" if Write does not know it.
func File(language string) string { return languages[language].file }

//go:embed templates
var files embed.FS

// model is what a template writes.
type model struct {
	language
	Classes     []string
	Missing     []string        // further texts that mean a missing value
	Limits      string          // as recipe.Recipe
	Columns     []recipe.Column // Fill is NaN if a missing cell cannot be used
	recipe      bool            // the model has one
	Features    int
	Reason      int // bytes that the longest reason of an error takes
	Mean, Scale []float64
	Temperature float64
	Floor       []float64   // nil without
	Costs       [][]float64 // nil without
	Bias        []float64
	Vectors     []vector
	Sum         string    // squares, absolutes or products
	Widths      []float64 // of the features; nil if they have no width each
	Formula     string    // of the kernel, in the sum s
}

// cycle is a part of dates that comes back.
type cycle struct {
	Part    string
	Seconds float64
}

// Cycles are those of dates.
func (*model) Cycles() (list []cycle) {
	for _, part := range slices.Sorted(maps.Keys(table.DateParts)) {
		if seconds := table.DateParts[part]; seconds > 0 {
			list = append(list, cycle{part, seconds})
		}
	}
	return list
}

// vector is a relevance vector with the weights that are not zero.
type vector struct {
	X       []float64
	Weights []weight
}

type weight struct {
	Class int
	Value float64
}

// Write writes the model as one file of a language: python, javascript or c. A model without
// recipe takes rows of its features. It writes a file of the format onnx, too, whose inputs are the cells of
// the columns, as numbers and texts; see onnxcells.go.
//
// The error is ErrLanguage for any other language, ErrKernel if the kernel is not a kernel.OfSum or
// its parameters are not finite, ErrClasses if there are more than 1000 classes, and ErrName if a
// name is not UTF-8, has a zero byte or more than 1000 bytes, or if two columns have the same name.
func Write(w io.Writer, m *mpcvm.Model, language string) error {
	l, ok := languages[language]
	if !ok {
		return fmt.Errorf("export: %w %q; languages are %s", ErrLanguage, language, strings.Join(Languages(), ", "))
	}
	file, err := newModel(m, l)
	if err != nil {
		return fmt.Errorf("export: %w", err)
	}
	if language == onnx {
		file, err := file.onnx(m.FeatureNames())
		if err != nil {
			return fmt.Errorf("export: %w", err)
		}
		_, err = w.Write(file)
		return err
	}
	var out bytes.Buffer
	t := template.New("").Funcs(template.FuncMap{
		"quote": l.quote, "quotes": l.quotes, "numbers": numbers, "number": number, "nan": math.IsNaN, "upper": strings.ToUpper,
	})
	if t, err = t.ParseFS(files, "templates/*.tmpl"); err == nil {
		err = t.ExecuteTemplate(&out, l.file+".tmpl", file)
	}
	if err != nil {
		return fmt.Errorf("export: %w", err)
	}
	_, err = out.WriteTo(w)
	return err
}

// newModel gathers what the file holds, or says what cannot be written.
func newModel(m *mpcvm.Model, l language) (*model, error) {
	f := &model{
		language: l, Classes: m.ClassNames(), Features: m.Features(), Temperature: m.Temperature(), Floor: m.Floor(), Bias: m.Bias(),
	}
	if len(f.Classes) > mostClasses {
		return nil, fmt.Errorf("%w: %d, at most %d can be written", ErrClasses, len(f.Classes), mostClasses)
	}
	if costs := m.Costs(); costs != nil {
		for c := range f.Classes {
			f.Costs = append(f.Costs, costs.RawRowView(c))
		}
	}
	if f.Mean, f.Scale = m.Scaling(); f.Mean == nil {
		f.Mean, f.Scale = make([]float64, f.Features), slices.Repeat([]float64{1}, f.Features)
	}
	r := m.Recipe()
	if f.recipe = r != nil; r == nil {
		r = recipe.Numbers(m.FeatureNames())
	}
	f.Columns, f.Missing, f.Limits = r.Columns, r.Missing, r.Limits
	if l.file == languages["c"].file || l.file == languages["python"].file {
		if err := f.checkReading(l.file); err != nil {
			return nil, err
		}
	}
	if err := f.checkNames(); err != nil {
		return nil, err
	}
	for _, v := range m.RelevanceVectors() {
		vector := vector{X: v.X}
		for c, w := range v.Weights {
			if w != 0 {
				vector.Weights = append(vector.Weights, weight{c, w})
			}
		}
		f.Vectors = append(f.Vectors, vector)
	}
	return f, f.setKernel(m.Kernel())
}

// checkReading refuses cells that only the library and JavaScript read.
func (f *model) checkReading(file string) error {
	what := ""
	for _, c := range f.Columns {
		switch {
		case c.Unit == cell.Clock:
			what = "times such as 12:28"
		case len(columns.Layouts(c.Layout)) > 1:
			what = "dates that are written in several ways"
		case f.Limits != "":
			what = "limits such as <0.5"
		default:
			continue
		}
		return fmt.Errorf("%w: column %q: %s does not read %s: write JavaScript or ONNX", ErrReading, cell.Shorten(c.Name), file, what)
	}
	return nil
}

func (f *model) checkNames() error {
	check := func(what, name string) error {
		switch {
		case !utf8.ValidString(name):
			return fmt.Errorf("%w: %s %.40q is not UTF-8", ErrName, what, name)
		case strings.Contains(name, "\x00"):
			return fmt.Errorf("%w: %s %q has a zero byte", ErrName, what, cell.Shorten(name))
		case len(name) > longestName:
			return fmt.Errorf("%w: %s %q has %d bytes, at most %d can be written", ErrName, what, cell.Shorten(name), len(name), longestName)
		}
		return nil
	}
	for _, name := range f.Classes {
		if err := check("class", name); err != nil {
			return err
		}
	}
	for _, text := range f.Missing {
		if err := check("missing value", text); err != nil {
			return err
		}
	}
	seen := map[string]bool{}
	for _, c := range f.Columns {
		if err := check("column", c.Name); err != nil {
			return err
		}
		if seen[c.Name] {
			return fmt.Errorf("%w: two columns %q", ErrName, cell.Shorten(c.Name))
		}
		seen[c.Name] = true
		f.Reason = max(f.Reason, len(c.Name)+80)
		for _, level := range c.Levels {
			if err := check(fmt.Sprintf("column %q: level", cell.Shorten(c.Name)), level); err != nil {
				return err
			}
		}
	}
	return nil
}

// Parts of a formula of kernel.OfSum.
var (
	formulaNumber = regexp.MustCompile(`\b\d+(\.\d+)?(e[+-]?\d+)?`)
	notFinite     = regexp.MustCompile(`NaN|Inf`)
)

// setKernel translates the formula of the kernel.
func (f *model) setKernel(k kernel.Kernel) error {
	of, ok := k.(kernel.OfSum)
	if !ok {
		return fmt.Errorf("%w: %v (%T); kernels that can be written are rbf, laplacian and others of a distance or a product", ErrKernel, k, k)
	}
	sum, widths := of.Sum()
	f.Sum, f.Widths = sum.String(), widths
	text := of.Formula()
	if k, ok := k.(kernel.RationalQuadratic); ok { // as the library computes it: pow loses digits where alpha is large
		if k.Alpha == 0 {
			k.Alpha = 1
		}
		text = fmt.Sprintf("exp(-%v*log1p(%v*s/%[1]v))", k.Alpha, k.Theta)
	}
	if notFinite.MatchString(text + fmt.Sprint(widths)) {
		return fmt.Errorf("%w: %v: a parameter is not finite", ErrKernel, k)
	}
	text = formulaNumber.ReplaceAllStringFunc(text, func(number string) string {
		if strings.ContainsAny(number, ".e") {
			return number
		}
		return number + f.integer
	})
	f.Formula = strings.ReplaceAll(text, "pow(", "power(")
	return nil
}

// Minus returns the minus sign U+2212 as a part of a literal.
func (f *model) Minus() string { return f.escape('\u2212') }

// Units returns the signs that may stand beside a number without a unit of its own.
func (f *model) Units() []string {
	return append(members(unicode.Sc), "%", "‰")
}

// Blanks returns what may stand around a cell without being part of it.
func (f *model) Blanks() []string { return append(members(unicode.White_Space), "\ufeff") }

// MissingWords returns the texts in lower case that mean a missing value in any column.
func (f *model) MissingWords() []string { return append([]string{""}, cell.MissingWords...) }

// Months returns names of months that are not English, from January on.
func (f *model) Months() []string { return columns.Months[:] }

// Weekdays returns names of weekdays.
func (f *model) Weekdays() []string { return columns.Weekdays }

// LimitWords returns texts that mean a value below a limit that is not known.
func (f *model) LimitWords() []string { return cell.LimitWords }

// NoValueWords returns those that mean one among numbers, dates and booleans.
func (f *model) NoValueWords() []string { return cell.NoValueWords }

// Truths returns common texts of booleans, in pairs of false and true.
func (f *model) Truths() [][2]string { return cell.Truths }

// members returns the characters of a table.
func members(table *unicode.RangeTable) []string {
	var all []string
	rangetable.Visit(table, func(r rune) { all = append(all, string(r)) })
	return all
}

// Uses reports whether the formula calls a function.
func (f *model) Uses(function string) bool { return strings.Contains(f.Formula, function+"(") }

// about is what the head of a file says of the model.
const about = `
Classes:
%s
Columns:
%s
Missing values are empty cells and, in any case of letters,
    %s;
among numbers, dates and booleans also %s.%s
A number has a decimal point and no separators of thousands. It may be negative as (5) or 5-, and
may have the unit of its column or, if that has none, a currency or percent sign. A date has the
layout of its column or has the year first, as 2006-01-02 or 2006-01-02T15:04:05. It is in UTC, or
has Z or an offset such as +01:00 at the end. A level of a category that has no feature counts as
other.

A CSV file has a header and commas. Columns are found by name, in any order. A row that cannot be
used has the reason in the last column of the output, problem.

Licence: the code is part of mpcvm, Apache License 2.0. The names and numbers come from the
training data; they are under the terms of those data.
`

// About returns the lines of about as comments that begin with a prefix.
func (f *model) About(prefix string) string {
	var classes, list strings.Builder
	for _, name := range f.Classes {
		fmt.Fprintf(&classes, "  %s\n", f.quote(cell.Shorten(name)))
	}
	for _, c := range f.Columns {
		fmt.Fprintf(&list, "  %s: %s", f.quote(cell.Shorten(c.Name)), c.Kind)
		if c.Layout != "" {
			fmt.Fprintf(&list, ", written %s", c.Layout)
		}
		if c.Unit != "" {
			fmt.Fprintf(&list, " in %s", c.Unit)
		}
		list.WriteByte('\n')
	}
	var b strings.Builder
	further := ""
	if len(f.Missing) > 0 {
		further = " The model adds others."
	}
	for line := range strings.Lines(fmt.Sprintf(about, &classes, &list, wrap(cell.MissingWords), wrap(cell.NoValueWords), further)) {
		b.WriteString(strings.TrimRight(prefix+" "+line, " \n") + "\n")
	}
	return b.String()
}

// quote writes a text as a literal of the language between double quotes, in which printable
// characters stay. It can neither end a comment of one line nor an element of HTML.
func (l language) quote(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	before := rune(0)
	for _, r := range s {
		switch {
		case r == '"' || r == '\\' || r == '?' && before == '?' && l.file == "model.c": // "??/" is a backslash
			b.WriteByte('\\')
			b.WriteRune(r)
		case strconv.IsPrint(r) && r != '<':
			b.WriteRune(r)
		default:
			b.WriteString(l.escape(r))
		}
		before = r
	}
	b.WriteByte('"')
	return b.String()
}

func (l language) quotes(list []string) string {
	quoted := make([]string, len(list))
	for i, s := range list {
		quoted[i] = l.quote(s)
	}
	return wrap(quoted)
}

// number writes a number with as many digits as it takes to read the same bits back.
func number(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

func numbers(list []float64) string {
	texts := make([]string, len(list))
	for i, v := range list {
		texts[i] = number(v)
	}
	return wrap(texts)
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
