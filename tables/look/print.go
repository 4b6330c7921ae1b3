package look

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/mpcvm/mpcvm/internal/cell"
	"github.com/mpcvm/mpcvm/internal/fitting"
	"github.com/mpcvm/mpcvm/internal/words"
	"github.com/mpcvm/mpcvm/tables/internal/celltext"
	"github.com/mpcvm/mpcvm/tables/table"
)

const (
	pageWidth    = 80
	nameWidth    = 14
	valuesWidth  = 28
	printedBins  = 8
	printedRows  = 20
	printedSplit = 6 // maximum number of classes with histograms
)

// Print writes the findings as plain text in the words of v, 80 columns wide: a description of the table, a
// line for each column, histograms by class, and the warnings. Texts from the table are written on one line
// without control characters. Print returns the error of w.
func (f *Findings) Print(w io.Writer, v *table.Voice) error {
	var b strings.Builder
	head := fmt.Sprintf("%s, %s", words.CountOf(f.Rows, "row"), words.CountOf(len(f.Columns), "column"))
	if f.Name != "" {
		head = oneLine(f.Name) + ": " + head
	}
	if f.Reading != "" {
		head += " (" + oneLine(f.Reading) + ")"
	}
	wrapped(&b, "", head)
	switch {
	case f.Target == nil:
		wrapped(&b, "classes: ", "the column could not be determined")
	case f.Refused != nil:
		wrapped(&b, "classes: ", fmt.Sprintf("column %s cannot be used as classes: %s",
			celltext.Quote(*f.Target), v.Explain(f.Refused)))
	default:
		why := ""
		if reason := v.Say(f.TargetWhy); reason != "" {
			why = " (reason: " + reason + ")"
		}
		wrapped(&b, "classes: ", fmt.Sprintf("column %s%s: %s", celltext.Quote(*f.Target), why, f.shares(12)))
	}
	if f.Features > 0 && f.Rows > 0 {
		text := "rows that equal an earlier row: " + words.Count(f.Duplicates)
		if f.Conflicts > 0 {
			text += "; rows that equal a row of another class: " + words.Count(f.Conflicts)
		}
		wrapped(&b, "duplicates: ", text)
	}
	for _, note := range f.Notes {
		wrapped(&b, "note: ", oneLine(v.Say(note)))
	}
	f.printColumns(&b)
	f.printSplit(&b)
	if len(f.Warnings) > 0 {
		fmt.Fprintf(&b, "\n%s\n", words.CountOf(len(f.Warnings), "warning"))
		for _, warning := range f.Warnings {
			wrapped(&b, "- ", oneLine(v.Say(warning)))
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// shares returns the most largest classes with their shares.
func (f *Findings) shares(most int) string {
	order := slices.Clone(f.Classes)
	slices.SortStableFunc(order, func(a, b Class) int { return b.Rows - a.Rows })
	more := ""
	if n := len(order); n > most+1 {
		order, more = order[:most], fmt.Sprintf(" and %d more", n-most)
	}
	list := make([]string, len(order))
	for k, c := range order {
		list[k] = fmt.Sprintf("%s %d (%s)", oneLine(c.Name), c.Rows, words.Share(c.Rows, f.Rows-f.Unlabelled))
	}
	return strings.Join(list, ", ") + more
}

func (f *Findings) printColumns(b *strings.Builder) {
	if len(f.Columns) == 0 {
		return
	}
	wide := f.nameWidth()
	line := func(name, kind, missing, distinct, values, histogram string) {
		text := fmt.Sprintf("%-*s %-8s %7s %8s  %-*s %s", wide, cell.Cut(name, wide), kind, missing, distinct,
			valuesWidth, cell.Cut(values, valuesWidth), histogram)
		b.WriteString(strings.TrimRight(text, " ") + "\n")
	}
	b.WriteByte('\n')
	line("column", "kind", "missing", "distinct", "values", "histogram")
	for j := range f.Columns {
		c := &f.Columns[j]
		distinct := strconv.Itoa(c.Distinct)
		if c.AtLeast && c.Distinct > 0 {
			distinct = "≥" + distinct
		}
		line(oneLine(c.Name), c.Kind, missing(c.Missing, f.Rows), distinct, c.Values(), blocks(c.Histogram.Total()))
	}
}

// missing formats the number of missing cells and its share, or only the share if both are too long.
func missing(n, rows int) string {
	if n == 0 {
		return "0"
	}
	p := math.Round(100 * float64(n) / float64(rows))
	if text := fmt.Sprintf("%d %.0f%%", n, p); len(text) <= 7 {
		return text
	}
	if p < 1 {
		return "<1%"
	}
	return fmt.Sprintf("%.0f%%", p)
}

func (f *Findings) printSplit(b *strings.Builder) {
	order := f.Best()
	if len(f.Classes) < 2 || len(f.Classes) > mostSplit || len(order) == 0 ||
		len(f.Columns[order[0]].Histogram.Counts) < 2 {
		return
	}
	largest := f.Largest(printedSplit)
	title := "histograms by class, the most informative columns first"
	if len(largest) < len(f.Classes) {
		title = fmt.Sprintf("histograms of the %d largest classes, the most informative columns first",
			printedSplit)
	}
	if len(order) > printedRows {
		order = order[:printedRows]
		title = strings.Replace(title, "the most", fmt.Sprintf("the %d most", printedRows), 1)
	}
	wide := f.nameWidth()
	each := min(max((pageWidth-wide)/len(largest)-1, printedBins+1), 14)
	line := func(name string, of func(class int) string) {
		text := fmt.Sprintf("%-*s", wide, cell.Cut(name, wide))
		for _, k := range largest {
			text += fmt.Sprintf(" %-*s", each, cell.Cut(of(k), each))
		}
		b.WriteString(strings.TrimRight(text, " ") + "\n")
	}
	fmt.Fprintf(b, "\n%s\n", title)
	line("column", func(class int) string { return oneLine(f.Classes[class].Name) })
	for _, j := range order {
		line(oneLine(f.Columns[j].Name),
			func(class int) string { return blocks(f.Columns[j].Histogram.Counts[class]) })
	}
}

// Largest returns the labels of the largest classes, at most the given number, in ascending order.
func (f *Findings) Largest(most int) []int {
	labels := fitting.All(len(f.Classes))
	slices.SortStableFunc(labels, func(a, b int) int { return f.Classes[b].Rows - f.Classes[a].Rows })
	labels = labels[:min(len(labels), most)]
	slices.Sort(labels)
	return labels
}

// Best returns the indices of the features with at least two values, in descending order of their information
// about the class.
func (f *Findings) Best() []int {
	var order []int
	for j := range f.Columns {
		if f.IsFeature(j) && f.Columns[j].Distinct > 1 {
			order = append(order, j)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Compare(f.Columns[b].Information, f.Columns[a].Information)
	})
	return order
}

func (f *Findings) nameWidth() int {
	wide := 6
	for j := range f.Columns {
		wide = max(wide, len([]rune(oneLine(f.Columns[j].Name))))
	}
	return min(wide, nameWidth)
}

// Values summarises the values of a column: the minimum, the quartiles and the maximum of numbers, such as
// "4.3 [5.1 5.8 6.4] 7.9", the first and the last date, or the most frequent levels of a category with their
// numbers of rows.
func (s *Column) Values() string {
	switch {
	case s.Kind == table.Date.String() && s.Range != nil:
		first, last := table.FormatDate(s.Range.Min), table.FormatDate(s.Range.Max)
		if s.Range.Max-s.Range.Min > 7*24*3600 { // the time of day does not matter
			first, _, _ = strings.Cut(first, "T")
			last, _, _ = strings.Cut(last, "T")
		}
		return first + " to " + last
	case s.Range != nil:
		r := s.Range
		size := r.Max - r.Min
		if r.Q3 > r.Q1 { // outliers do not reduce the number of digits
			size = min(size, 10*(r.Q3-r.Q1))
		}
		var texts []any
		for _, v := range []float64{r.Min, r.Q1, r.Median, r.Q3, r.Max} {
			texts = append(texts, rounded(v, 10*max(size, math.Abs(r.Max)*1e-6)))
		}
		return fmt.Sprintf("%s [%s %s %s] %s", texts...)
	}
	var parts []string
	for k, level := range s.Top[:min(len(s.Top), 3)] {
		part := fmt.Sprintf("%s %d", oneLine(level.Text), level.Rows)
		if k > 0 && len([]rune(strings.Join(parts, ", ")+part)) > valuesWidth-len(", +9")-2 {
			break
		}
		parts = append(parts, part)
	}
	text := strings.Join(parts, ", ")
	if rest := s.Distinct - len(parts); rest > 0 && len(parts) > 0 {
		text += fmt.Sprintf(", +%d", rest)
	}
	return text
}

// rounded formats a number with a precision of a thousandth of size.
func rounded(v, size float64) string {
	if a := math.Abs(v); a >= 1e10 || size < 1e-4 && v != 0 {
		return strconv.FormatFloat(v, 'g', 3, 64)
	}
	decimals := 0
	if size > 0 {
		decimals = min(max(3-int(math.Floor(math.Log10(size))), 0), 7)
	}
	text := strconv.FormatFloat(v, 'f', decimals, 64)
	if strings.Contains(text, ".") {
		text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
	}
	if text == "-0" {
		return "0"
	}
	return text
}

// blocks draws counts as up to eight block characters. A space means 0.
func blocks(counts []int) string {
	each := (len(counts) + printedBins - 1) / printedBins
	var sums []int
	for b, n := range counts {
		if b%each == 0 {
			sums = append(sums, 0)
		}
		sums[len(sums)-1] += n
	}
	var drawn strings.Builder
	for _, n := range sums {
		if n == 0 {
			drawn.WriteByte(' ')
			continue
		}
		heights := []rune("▁▂▃▅▇")
		drawn.WriteRune(heights[min(n*len(heights)/(slices.Max(sums)+1), len(heights)-1)])
	}
	return drawn.String()
}

// oneLine makes a text safe for a terminal: blanks and unprintable characters become a single space.
func oneLine(s string) string {
	return strings.Join(strings.FieldsFunc(strings.ToValidUTF8(s, "?"),
		func(r rune) bool { return unicode.IsSpace(r) || !unicode.IsPrint(r) }), " ")
}

// wrapped writes a text after a head in lines of at most 80 characters. Later lines are indented.
func wrapped(b *strings.Builder, head, text string) {
	indent := strings.Repeat(" ", len(head))
	line := head
	for word := range strings.SplitSeq(strings.ReplaceAll(text, " %", "\u00a0%"), " ") {
		if n := len([]rune(line)); n > len(indent) && n+1+len([]rune(word)) > pageWidth {
			b.WriteString(line + "\n")
			line = indent
		}
		if len(line) > len(indent) {
			line += " "
		}
		line += strings.ReplaceAll(word, "\u00a0", " ")
	}
	b.WriteString(line + "\n")
}
