package detect

import (
	"math"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/mpcvm/mpcvm/tables/internal/celltext"
	"github.com/mpcvm/mpcvm/tables/internal/texts"
	"github.com/mpcvm/mpcvm/tables/table"
)

// layouts are the layouts of days, which may be followed by a time of day.
var layouts = []string{
	"2006-1-2", "2006/1/2", "2006.1.2", "2.1.2006", "2.1.06", "2/1/2006", "1/2/2006", "2/1/06", "1/2/06",
	"2-1-2006", "1-2-2006",
	"2 Jan 2006", "2 January 2006", "2-Jan-2006", "2-Jan-06", "2/Jan/2006", "2. January 2006",
	"Jan 2, 2006", "January 2, 2006",
	"Mon, 2 Jan 2006", "Mon Jan 2 2006", "2006-Jan-2", "2006-1",
	"2. Jan 2006", "Jan 2 2006", "January 2 2006", "2-January-2006", "January 2006", "Jan 2006",
	"Jan-2006", monthOfYear,
}

// monthOfYear is how spreadsheets show the first day of a month.
const monthOfYear = "Jan-06"

// both separates the layouts of a column that has several. No date matches more than one of them.
const (
	both        = "|"
	mostLayouts = 3
)

// monthFirst maps layouts with the month first to the layouts with the day first.
var monthFirst = map[string]string{"1/2/2006": "2/1/2006", "1/2/06": "2/1/06", "1-2-2006": "2-1-2006"}

// Exchanged returns a cell of a column of dates that is a date only if day and month are exchanged, if there
// are more of these than dates that fit only as they were read. Otherwise, it returns "".
func Exchanged(c *table.Column) (example string) {
	other := monthFirst[c.Layout]
	for first, last := range monthFirst {
		if last == c.Layout {
			other = first
		}
	}
	if other == "" {
		return ""
	}
	n, clock := 0, 0
	for _, f := range c.Faults {
		if _, is := date(celltext.Normal(f.Text), other, &clock); is {
			if n++; n == 1 {
				example = f.Text
			}
		}
	}
	for _, v := range c.Numbers {
		if !math.IsNaN(v) && time.Unix(int64(v), 0).UTC().Day() > 12 {
			n--
		}
	}
	if n <= 0 {
		return ""
	}
	return example
}

// clocks are the layouts that may follow a day.
var clocks = []string{
	"", " 15:04", " 15:04:05", "T15:04:05", "T15:04", "T15:04:05Z07:00", " 15:04:05Z07:00",
	" 15:04:05 Z07:00", "T15:04:05Z0700",
	" 15:04:05 -0700", " 15:04:05 MST", " 3:04 PM", " 3:04:05 PM", " 3:04PM", "T15:04Z07:00",
	", 15:04", ", 15:04:05", ", 3:04 PM", ", 3:04:05 PM", ":15:04:05 -0700", ":15:04:05",
}

// Months are names of months, from January on, in Dutch, French, German, Italian, Portuguese and Spanish,
// with their abbreviations. No name is used for two months.
var Months = [12]string{
	"januar jänner januari janvier janv gennaio gen janeiro enero ene",
	"februar feber februari février fevrier févr fevr fév fev febbraio fevereiro febrero",
	"märz maerz mär mrz maart mrt mars marzo março marco",
	"avril avr aprile abril abr",
	"mai mei maggio mag maio mayo",
	"juni juin giugno giu junho junio",
	"juli juillet juil luglio lug julho julio",
	"augustus août aout agosto ago",
	"septembre sept settembre sett set setembro septiembre setiembre",
	"oktober okt octobre ottobre ott outubro out octubre",
	"november novembre novembro noviembre",
	"dezember dez décembre decembre déc dicembre dic dezembro diciembre", //nolint:misspell // French
}

var month = func() map[string]time.Month {
	of := map[string]time.Month{}
	for i, names := range Months {
		for name := range strings.FieldsSeq(names) {
			of[name] = time.Month(i + 1)
		}
	}
	return of
}()

// Weekdays may precede a date.
var Weekdays = strings.Fields("monday tuesday wednesday thursday friday saturday sunday montag dienstag " +
	"mittwoch donnerstag freitag samstag sonnabend sonntag mo di mi do fr sa so lundi mardi mercredi jeudi " +
	"vendredi samedi dimanche lunes martes miércoles jueves viernes sábado domingo lunedì martedì mercoledì " +
	"giovedì venerdì sabato domenica maandag dinsdag woensdag donderdag vrijdag zaterdag zondag " +
	"segunda-feira terça-feira quarta-feira quinta-feira sexta-feira")

// inEnglish translates the month of a date to English, as required by the layout, and removes what is
// specific to a language: the weekday, de and del, the endings of 1st and 1er, and the point of an
// abbreviation.
func inEnglish(text, layout string) string {
	full := strings.Contains(layout, "January")
	if !full && !strings.Contains(layout, "Jan") {
		return text
	}
	var b strings.Builder
	previous := rune(' ')
	for len(text) > 0 {
		end := strings.IndexFunc(text, func(r rune) bool { return !unicode.IsLetter(r) })
		if end < 0 {
			end = len(text)
		}
		if end == 0 {
			r, size := utf8.DecodeRuneInString(text)
			b.WriteString(text[:size])
			text, previous = text[size:], r
			continue
		}
		word := text[:end]
		low := strings.ToLower(word)
		text = text[end:]
		switch m, is := month[low]; {
		case is && (full || len([]rune(word)) <= 5):
			name := m.String()
			if !full {
				name = name[:3]
			}
			b.WriteString(name)
			text = strings.TrimPrefix(text, ".")
		case b.Len() > 0 && strings.HasPrefix(text, " ") && (low == "de" || low == "del"):
			text = text[1:]
		case '0' <= previous && previous <= '9' && slices.Contains([]string{"st", "nd", "rd", "th", "er"}, low):
		case b.Len() == 0 && !strings.HasPrefix(layout, "Mon") && slices.Contains(Weekdays, low):
			text = strings.TrimLeft(text, "., ")
		default:
			b.WriteString(word)
		}
		previous = 'a'
	}
	return b.String()
}

// date parses a day in a layout with any time of day. clock is the time layout to try first, then the match.
func date(text, layout string, clock *int) (seconds float64, ok bool) {
	digits := 0
	for i := range min(len(text), 40) {
		if '0' <= text[i] && text[i] <= '9' {
			digits++
		}
	}
	if len(text) < 6 || len(text) > 40 || digits < 2 {
		return 0, false
	}
	text = inEnglish(strings.Trim(text, "[]"), layout) // brackets of log files
	if cut := len(text) - 2; cut > 0 {
		if half := strings.ToUpper(text[cut:]); half == "AM" || half == "PM" {
			text = text[:cut] + half
		}
	}
	if v, ok := parseDate(text, layout+clocks[*clock]); ok {
		return v, true
	}
	for i := range clocks {
		if v, ok := parseDate(text, layout+clocks[i]); ok {
			*clock = i
			return v, true
		}
	}
	return 0, false
}

func parseDate(text, layout string) (float64, bool) {
	t, err := time.ParseInLocation(layout, text, time.UTC) // independent of the local time zone
	if err != nil {
		return 0, false
	}
	return float64(t.Unix()) + float64(t.Nanosecond())/1e9, true
}

// dateIn parses a date in a layout or with the year first. An empty layout means year first.
func dateIn(text, layout string, clock *int) (seconds float64, ok bool) {
	first := false
	for layout != "" {
		var one string
		one, layout, _ = strings.Cut(layout, both)
		first = first || one == layouts[0]
		if v, ok := date(text, one, clock); ok {
			return v, true
		}
	}
	if first {
		return 0, false
	}
	return date(text, layouts[0], clock)
}

// IsLayout reports whether a layout is valid for a column of dates.
func IsLayout(layout string) bool {
	list := strings.Split(layout, both)
	unlisted := func(one string) bool { return !slices.Contains(layouts, one) }
	return len(list) <= mostLayouts && !slices.ContainsFunc(list, unlisted)
}

// missingDates returns the dates among the texts that mean a missing value.
func (p *Plan) missingDates(layout string) (list []float64) {
	for _, text := range p.o.Missing {
		clock := 0
		if v, ok := dateIn(celltext.Normal(text), layout, &clock); ok {
			list = append(list, v)
		}
	}
	return list
}

// isMissingDate reports whether a date, or the day of a time, is in a list.
func isMissingDate(v float64, list []float64) bool {
	return len(list) > 0 && (slices.Contains(list, v) || slices.Contains(list, math.Floor(v/86400)*86400))
}

// asDates reports whether the levels, except a few, are dates.
func (c *Column) asDates(r *reading, counts []int) bool {
	if c.given == table.Number || c.given == table.Boolean {
		return false
	}
	layout := c.layout
	if layout == "" {
		if layout = c.findLayout(r, counts); layout == "" && c.given != table.Date {
			return false
		}
	}
	clock, never := 0, c.plan.missingDates(layout)
	*r = c.numeric(*r, table.Date, func(s string) (float64, bool) {
		v, ok := 0.0, false
		switch {
		case c.layout != "":
			v, ok = dateIn(s, layout, &clock)
		case layout != "":
			for one := range strings.SplitSeq(layout, both) {
				if v, ok = date(s, one, &clock); ok {
					break
				}
			}
		}
		if ok && isMissingDate(v, never) {
			v = math.NaN()
		}
		return v, ok
	})
	r.layout = layout
	return true
}

// layoutOf is a layout that matches some of the levels.
type layoutOf struct {
	layout        string
	dates, faults tally
}

// count counts the levels that match a layout and are not done, at most the given number if it is not 0.
func (c *Column) count(r *reading, counts []int, layout string, done []bool, most int) layoutOf {
	f := layoutOf{layout: layout}
	clock, seen := 0, 0
	for i, level := range c.levels {
		if !r.use[i] || done[i] || celltext.NoValue(level) {
			continue
		}
		if _, ok := date(level, layout, &clock); ok {
			f.dates.add(counts[i])
		} else {
			f.faults.add(counts[i])
		}
		if seen++; seen == most {
			break
		}
	}
	return f
}

// findLayout returns the layout of dates, or several that cannot be confused, if all levels except a few
// match one of them. It returns "" if the levels are not dates.
func (c *Column) findLayout(r *reading, counts []int) string {
	const probe = 50 // number of levels that rule out most layouts
	given := c.given == table.Date
	done := make([]bool, len(r.use))
	var found []string
	var rest layoutOf // of the last layout
	var dates tally   // of all layouts
	for len(found) < mostLayouts {
		var best []layoutOf
		for _, layout := range layouts {
			f := c.count(r, counts, layout, done, probe)
			if n := f.dates.levels; len(found) == 0 && mostLayouts*n < n+f.faults.levels || n == 0 {
				continue
			}
			f = c.count(r, counts, layout, done, 0)
			if len(best) > 0 && f.dates.cells > best[0].dates.cells {
				best = best[:0]
			}
			if len(best) == 0 || f.dates.cells == best[0].dates.cells {
				best = append(best, f)
			}
		}
		if len(best) == 0 {
			break
		}
		layout, unclear := best[0].layout, false
		for _, f := range best[1:] {
			if unclear = monthFirst[f.layout] == best[0].layout; unclear { // 3/4/2021
				if !c.plan.dayFirst() {
					layout = f.layout
				}
				break
			}
		}
		swapped := func(other string) bool { return monthFirst[other] == layout || monthFirst[layout] == other }
		if len(found) > 0 && (unclear || slices.ContainsFunc(found, swapped)) {
			break // a date such as 3/4/2021 could have two meanings
		}
		if unclear {
			f := c.about(texts.MonthFirst, c.example(slices.Index(r.use, true), 1))
			if c.plan.dayFirst() {
				f.Code = texts.DayFirst
			}
			r.note(f, c)
		}
		rest = best[0]
		dates.join(rest.dates)
		found = append(found, layout)
		clock := 0
		for i, level := range c.levels {
			if r.use[i] && !done[i] {
				_, done[i] = date(level, layout, &clock)
			}
		}
		if rest.faults.cells == 0 {
			break
		}
	}
	switch {
	case len(found) == 0:
		return ""
	case given || few(rest.faults, dates):
		if slices.Contains(found, monthOfYear) && !given {
			r.note(c.about(texts.MonthOfYear, c.example(slices.Index(r.use, true), 1)), c)
		}
		if len(found) > 1 {
			r.note(table.Finding{Code: texts.SeveralLayouts, N: len(found), Texts: found}, c)
		}
		return strings.Join(found, both)
	case dates.cells > rest.faults.cells:
		for i, is := range done {
			if !is && r.use[i] {
				f := c.about(texts.PartlyDates, c.example(i, rest.faults.cells))
				f.Of = dates.cells + rest.faults.cells
				r.note(f, c)
				break
			}
		}
	}
	return ""
}

// dayFirst reports whether numbers have a decimal comma, which suggests that dates start with the day.
func (p *Plan) dayFirst() bool {
	v, ok := p.Number("1,5")
	return ok && v == 1.5
}
