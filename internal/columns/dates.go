package columns

import (
	"strings"
	"time"
)

// dates are layouts of days. A time of day may follow.
var dates = []string{
	"2006-1-2", "2006/1/2", "2006.1.2", "2.1.2006", "2.1.06", "2/1/2006", "1/2/2006", "2/1/06", "1/2/06", "2-1-2006", "1-2-2006",
	"2 Jan 2006", "2 January 2006", "2-Jan-2006", "2-Jan-06", "2/Jan/2006", "2. January 2006", "Jan 2, 2006", "January 2, 2006",
	"Mon, 2 Jan 2006", "Mon Jan 2 2006", "2006-Jan-2", "2006-1",
}

// monthFirst are the layouts that swap day and month of another.
var monthFirst = map[string]string{"1/2/2006": "2/1/2006", "1/2/06": "2/1/06", "1-2-2006": "2-1-2006"}

// clocks are what may follow a day.
var clocks = []string{
	"", " 15:04", " 15:04:05", "T15:04:05", "T15:04", "T15:04:05Z07:00", " 15:04:05Z07:00", " 15:04:05 Z07:00", "T15:04:05Z0700",
	" 15:04:05 -0700", " 15:04:05 MST", " 3:04 PM", " 3:04:05 PM", " 3:04PM", "T15:04Z07:00", ", 15:04", ", 15:04:05", ", 3:04 PM", ", 3:04:05 PM",
}

// date parses a day by a layout with any time of day. clock is the index of the one to try
// first, and becomes that of the one that fits.
func date(text, layout string, clock *int) (seconds float64, ok bool) {
	digits := 0
	for i := range min(len(text), 40) {
		if '0' <= text[i] && text[i] <= '9' {
			digits++
		}
	}
	if len(text) < 6 || len(text) > 40 || digits < 3 {
		return 0, false
	}
	if cut := len(text) - 2; strings.EqualFold(text[cut:], "am") || strings.EqualFold(text[cut:], "pm") {
		text = text[:cut] + strings.ToUpper(text[cut:])
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
	t, err := time.ParseInLocation(layout, text, time.UTC) // the zone of the machine has no say
	if err != nil {
		return 0, false
	}
	return float64(t.Unix()) + float64(t.Nanosecond())/1e9, true
}
