package chart

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/internal/testkit/must"
)

func TestSimplified(t *testing.T) {
	var pts []Point
	for i := range 1000 {
		x := float64(i) / 10
		pts = append(pts, Point{x, 20 * math.Sin(x/10)})
	}
	thin := Simplified(pts, .3)
	if len(thin) > 60 || thin[0] != pts[0] || thin[len(thin)-1] != pts[999] {
		t.Errorf("%d points remain of 1000", len(thin))
	}
	k := 0
	for _, q := range pts { // every point is near the chord above it
		for thin[k+1][0] < q[0] {
			k++
		}
		a, b := thin[k], thin[k+1]
		// .3 across a slope of up to 2
		if d := math.Abs(a[1] + (b[1]-a[1])*(q[0]-a[0])/(b[0]-a[0]) - q[1]); d > .75 {
			t.Fatalf("%v is %v off", q, d)
		}
	}
}

func TestNumbers(t *testing.T) {
	for _, c := range []struct{ lo, hi, min, max, step float64 }{
		{0, 300, 0, 300, 50}, {-883, -22, -1000, 0, 200}, {.13, .87, 0, 1, .2}, {5, 5, 4.5, 5.5, .2},
		{-1e-7, 2e-7, -1e-7, 2e-7, 1e-7},
	} {
		n := 5
		if c.hi == 300 {
			n = 8
		}
		lo, hi, step := NiceRange(c.lo, c.hi, n)
		if math.Abs(step-c.step) > 1e-9*c.step || lo > c.lo || hi < c.hi || math.Abs(lo-c.min) > step ||
			math.Abs(hi-c.max) > step {
			t.Errorf("niceRange(%v, %v) = %v, %v, %v; want %v", c.lo, c.hi, lo, hi, step, c)
		}
	}
	for _, c := range []struct{ got, want string }{
		{tickText(-1000, 200), "-1,000"}, {tickText(2, .5), "2.0"}, {tickText(1234567, 1), "1,234,567"},
		{tickText(.25, .05), "0.25"}, {tickText(math.Copysign(0, -1), 1), "0"},
		{Nats(-2511.4), "−2,511"}, {Nats(-140.26), "−140.3"}, {Nats(12.345), "12.35"}, {Nats(0), "0.0000"},
		{Nats(1e-5), "1.00e−05"}, {Nats(math.Inf(1)), "+Inf"},
		{Clock(400 * time.Millisecond), "400 ms"}, {Clock(1400 * time.Millisecond), "1.4 s"},
		{Clock(59 * time.Second), "59 s"}, {Clock(185 * time.Second), "3:05"},
		{Clock(3765 * time.Second), "1:02:45"},
		{Shortened("a long name of a class", 12, 60), "a long …"}, {Plain("a\nb\x00 "), "a b"},
		{Percent(1, 300), "0.3 %"}, {Percent(1, 3), "33 %"},
	} {
		must.Equal(t, c.got, c.want)
	}
}

func TestNamedColors(t *testing.T) {
	if p := PaletteOf([]string{"black", "02-blue", "RED"}); p.Hex(0) != "#222222" || p.Hex(1) != "#0072b2" ||
		p.Hex(2) != "#ef3f50" {
		t.Errorf("%v", p)
	}
	if p := PaletteOf([]string{"blue", "whale"}); p.Hex(0) != ClassColor(0) || p.Hex(1) != ClassColor(1) {
		t.Errorf("only some are colours: %v", p)
	}
	for _, set := range []string{"overlap", "overclass"} {
		s := must.Get(data.Load(set))(t)
		seen := map[string]bool{}
		for c, p := 0, PaletteOf(s.Classes); c < s.C(); c++ {
			if p[c].A == 0 || seen[p.Hex(c)] {
				t.Errorf("%s: class %s has colour %s", set, s.Classes[c], p.Hex(c))
			}
			seen[p.Hex(c)] = true
		}
	}
}

// Shortened returns the longest prefix that fits, and at least one character; a very long text takes
// no more time.
func TestShortened(t *testing.T) {
	const text = "Wide and narrow: ijl, 幅の広い文字 – mMW"
	for width := 1.; width < 300; width += 3.7 {
		got := Shortened(text, 12, width)
		if got == text {
			if TextWidth(text, 12) > width {
				t.Errorf("%v: not cut", width)
			}
			continue
		}
		kept := []rune(strings.TrimSuffix(got, "…"))
		if more := string([]rune(text)[:len(kept)+1]) + "…"; !strings.HasPrefix(text, string(kept)) ||
			len(kept) > 1 && TextWidth(got, 12) > width || TextWidth(more, 12) <= width &&
			len(kept)+1 < len([]rune(text)) {
			t.Errorf("%v: %q", width, got)
		}
	}
	// takes hours if the time grows with the square of the length
	if got := Shortened(strings.Repeat("long ", 1<<20), 12, 60); got != "long long…" && len(got) > 20 {
		t.Errorf("%q", got)
	}
}

func TestLogTicks(t *testing.T) {
	for _, c := range []struct {
		lo, hi float64
		want   string
	}{
		{1, 1000, "1 10 100 1,000"}, {.1, 1, "0.1 0.2 0.5 1"},
		{1e-18, 1, "10⁻¹⁸ 10⁻¹⁵ 10⁻¹² 10⁻⁹ 10⁻⁶ 0.001 1"},
		{100, 20000, "100 200 500 1,000 2,000 5,000 10,000 20,000"}, {.001, 1e6, "0.01 1 100 10⁴ 10⁶"},
		{2, 3, "2 2.5 3"}, {3e-6, 2e-4, "5·10⁻⁶ 10⁻⁵ 2·10⁻⁵ 5·10⁻⁵ 10⁻⁴ 2·10⁻⁴"},
		{.012, .016, "0.012 0.014 0.016"},
	} {
		a := Span{c.lo, c.hi}.Decades("", true)
		if s := strings.Join(a.Labels, " "); s != c.want {
			t.Errorf("%v to %v has ticks %s, want %s", c.lo, c.hi, s, c.want)
		}
	}
}

// TestAmountsFromZero checks that axes of amounts begin at 0, or below it at the smallest amount.
func TestAmountsFromZero(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		values []float64
		lo, hi float64
	}{
		{nil, 0, 1}, {[]float64{nan}, 0, 1}, {[]float64{0, 0}, 0, 1}, {[]float64{55.8, 0.3, nan}, 0, 60},
		{[]float64{-0.004, 0.78}, -0.04, 0.8},
		{[]float64{-0.9, 16.2}, -1, 20}, {[]float64{-0.02, 5.2}, -0.2, 6}, {[]float64{-0.3}, -0.3, 0},
		{[]float64{-7, 7}, -7, 7.5},
	} {
		s := NewSpan()
		s.Add(c.values...)
		a := s.FromZero("", 6)
		if math.Abs(a.Lo-c.lo) > 1e-9 || math.Abs(a.Hi-c.hi) > 1e-9 || !slices.Contains(a.Ticks, 0) {
			t.Errorf("%v: axis from %v to %v with ticks %v, want from %v to %v", c.values, a.Lo, a.Hi,
				a.Ticks, c.lo, c.hi)
		}
	}
}
