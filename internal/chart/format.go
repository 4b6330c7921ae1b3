package chart

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode"

	"gonum.org/v1/gonum/floats"

	"github.com/mpcvm/mpcvm/internal/words"
)

// NiceStep returns 1, 2, 2.5 or 5 times a power of ten, such that span/step is at most about n.
func NiceStep(span float64, n int) float64 {
	if !(span > 0) || math.IsInf(span, 0) {
		return 1
	}
	raw := span / float64(n)
	unit := math.Pow(10, math.Floor(math.Log10(raw)))
	for _, m := range []float64{1, 2, 2.5, 5} {
		if raw <= m*unit*1.0001 {
			return m * unit
		}
	}
	return 10 * unit
}

// NiceRange widens lo to hi to multiples of a nice step. The range has about n steps.
func NiceRange(lo, hi float64, n int) (min, max, step float64) {
	if lo == hi {
		lo, hi = lo-.5, hi+.5
	}
	step = NiceStep(hi-lo, n)
	return step * math.Floor(lo/step+1e-9), step * math.Ceil(hi/step-1e-9), step
}

// ticks lists the multiples of step in lo..hi.
func ticks(lo, hi, step float64) []float64 {
	var t []float64
	first, last := math.Ceil(lo/step-1e-6), math.Floor(hi/step+1e-6)
	for k := first; k <= last && len(t) < 100; k++ {
		t = append(t, k*step+0) // +0 turns −0 into 0
	}
	return t
}

// tickText formats a tick of an axis with the decimals that its step needs, and with commas between
// thousands, like ECharts.
func tickText(v, step float64) string {
	return words.Commas(strconv.FormatFloat(v+0, 'f', decimals(step), 64))
}

// decimals returns the number of decimals of a step.
func decimals(step float64) int {
	n := 0
	for ; n < 9 && math.Abs(step-math.Round(step)) > 1e-6*math.Max(1, step); step *= 10 {
		n++
	}
	return n
}

// Plain makes a name fit on one line. Control characters become spaces.
func Plain(name string) string {
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(name, "?")))
}

// PlainAll applies Plain to each name.
func PlainAll(names []string) []string {
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = Plain(n)
	}
	return out
}

// Nats formats an amount with about four digits.
func Nats(v float64) (s string) {
	switch a := math.Abs(v); {
	case math.IsNaN(v) || math.IsInf(v, 0):
		s = fmt.Sprint(v)
	case a >= 1e7 || a > 0 && a < 1e-3:
		s = strconv.FormatFloat(v, 'e', 2, 64)
	case a >= 1000:
		s = words.Commas(strconv.FormatFloat(v, 'f', 0, 64))
	case a >= 100:
		s = strconv.FormatFloat(v, 'f', 1, 64)
	case a >= 1:
		s = strconv.FormatFloat(v, 'f', 2, 64)
	default:
		s = strconv.FormatFloat(v, 'f', 4, 64)
	}
	return strings.Replace(s, "-", "−", 1)
}

// Clock formats a duration: 24 ms, 1.4 s, 12 s, 3:05, 1:02:45.
func Clock(d time.Duration) string {
	switch s := d.Seconds(); {
	case s < .95:
		return fmt.Sprintf("%.0f ms", 1000*s)
	case s < 9.95:
		return fmt.Sprintf("%.1f s", s)
	case s < 60:
		return fmt.Sprintf("%.0f s", math.Floor(s))
	case s < 3600:
		return fmt.Sprintf("%d:%02d", int(s)/60, int(s)%60)
	default:
		return fmt.Sprintf("%d:%02d:%02d", int(s)/3600, int(s)/60%60, int(s)%60)
	}
}

// TextWidth estimates the width of a text in pixels. It assumes DejaVu Sans, the widest of the usual
// fonts, because readers have different fonts.
func TextWidth(s string, size float64) float64 {
	em := 0.0
	for _, r := range s {
		em += runeWidth(r)
	}
	return em * size
}

// boldWider is the ratio of the widths of bold and normal text.
const boldWider = 1.12

// runeWidth returns the approximate width of a character in DejaVu Sans, relative to the font size.
func runeWidth(r rune) float64 {
	switch {
	case strings.ContainsRune("ijl'IJ", r):
		return .29
	case strings.ContainsRune(" .,:;|/\\·\u00a0", r):
		return .33
	case strings.ContainsRune("ftr()[]!-", r) || r >= '₀' && r <= '₉' || r >= '⁰' && r <= '⁹' ||
		strings.ContainsRune("¹²³", r):
		return .4
	case strings.ContainsRune("csz–\u2002", r):
		return .54
	case strings.ContainsRune("kvxyLF", r):
		return .59
	case strings.ContainsRune("+=−<>±×≈~≤≥", r):
		return .84
	case strings.ContainsRune("mW%@—…", r) || r >= 0x2e80: // includes wide scripts
		return 1
	case strings.ContainsRune("wMOQDGHNU", r):
		return .82
	case r >= 'A' && r <= 'Z':
		return .7
	}
	return .64
}

// Shortened truncates a text to a width in pixels. It reads only the beginning of a long text, which
// may be as long as a file.
func Shortened(s string, size, width float64) string {
	if TextWidth(s, size) <= width {
		return s
	}
	em := 0.0
	for i, r := range s {
		em += runeWidth(r)
		if i > 0 && (em+runeWidth('…'))*size > width {
			return s[:i] + "…"
		}
	}
	return s + "…"
}

// JoinedBy joins two texts, either of which may be empty.
func JoinedBy(a, by, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + by + b
}

// Percent formats the share of a part in per cent.
func Percent(part, whole int) string {
	p := 100 * float64(part) / float64(max(whole, 1))
	if p > 0 && p < 10 {
		return fmt.Sprintf("%.1f %%", p)
	}
	return fmt.Sprintf("%.0f %%", p)
}

// Falling returns the indices of v, the largest values first.
func Falling(v []float64) []int {
	order := make([]int, len(v))
	floats.ArgsortStable(floats.ScaleTo(make([]float64, len(v)), -1, v), order)
	return order
}
