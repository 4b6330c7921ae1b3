package chart

import (
	"image/color"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/mpcvm/mpcvm/internal/testkit/must"
)

// sights are the effects of kinds of sight on linear RGB: normal, and full protanopia and
// deuteranopia by Machado, Oliveira and Fernandes (2009).
var sights = map[string][3][3]float64{
	"normal": {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
	"protanopia": {{.152286, 1.052583, -.204868}, {.114503, .786281, .099216},
		{-.003882, -.048116, 1.051998}},
	"deuteranopia": {{.367322, .860646, -.227968}, {.280085, .672501, .047413}, {-.011820, .042940, .968881}},
}

// seen returns a colour in CIELAB (D65), as seen with a kind of sight.
func seen(c color.RGBA, m [3][3]float64) [3]float64 {
	var linear, rgb [3]float64
	for i, v := range []uint8{c.R, c.G, c.B} {
		if u := float64(v) / 255; u <= .04045 {
			linear[i] = u / 12.92
		} else {
			linear[i] = math.Pow((u+.055)/1.055, 2.4)
		}
	}
	for i := range rgb {
		for j := range linear {
			rgb[i] += m[i][j] * linear[j]
		}
		rgb[i] = min(max(rgb[i], 0), 1)
	}
	f := func(white float64, row [3]float64) float64 {
		t := (row[0]*rgb[0] + row[1]*rgb[1] + row[2]*rgb[2]) / white
		if t > .008856 {
			return math.Cbrt(t)
		}
		return 7.787*t + 16./116
	}
	x, y, z := f(.95047, [3]float64{.4124564, .3575761, .1804375}),
		f(1, [3]float64{.2126729, .7151522, .0721750}), f(1.08883, [3]float64{.0193339, .1191920, .9503041})
	return [3]float64{116*y - 16, 500 * (x - y), 200 * (y - z)}
}

// ciede2000 returns the CIEDE2000 difference of two colours in CIELAB.
func ciede2000(p, q [3]float64) float64 {
	const degree = math.Pi / 180
	pow7 := func(c float64) float64 { return math.Sqrt(math.Pow(c, 7) / (math.Pow(c, 7) + math.Pow(25, 7))) }
	stretch := 1 + .5*(1-pow7((math.Hypot(p[1], p[2])+math.Hypot(q[1], q[2]))/2))
	chroma := func(v [3]float64) (c, h float64) {
		h = math.Atan2(v[2], stretch*v[1])
		if h < 0 {
			h += 2 * math.Pi
		}
		return math.Hypot(stretch*v[1], v[2]), h
	}
	c1, h1 := chroma(p)
	c2, h2 := chroma(q)
	dh, mean := h2-h1, (h1+h2)/2
	switch {
	case c1*c2 == 0:
		dh, mean = 0, h1+h2
	case math.Abs(dh) > math.Pi:
		mean += math.Pi * math.Copysign(1, 2*math.Pi-h1-h2)
		dh -= 2 * math.Pi * math.Copysign(1, dh)
	}
	dH := 2 * math.Sqrt(c1*c2) * math.Sin(dh/2)
	l, c := (p[0]+q[0])/2-50, (c1+c2)/2
	t := 1 - .17*math.Cos(mean-30*degree) + .24*math.Cos(2*mean) + .32*math.Cos(3*mean+6*degree) -
		.2*math.Cos(4*mean-63*degree)
	a, b, d := (q[0]-p[0])/(1+.015*l*l/math.Sqrt(20+l*l)), (c2-c1)/(1+.045*c), dH/(1+.015*c*t)
	turn := -2 * pow7(c) * math.Sin(60*degree*math.Exp(-math.Pow((mean/degree-275)/25, 2)))
	return math.Sqrt(a*a + b*b + d*d + turn*b*d)
}

// apart returns the smallest difference of two colours over all kinds of sight.
func apart(a, b string) float64 {
	least := math.Inf(1)
	for _, m := range sights {
		least = min(least, ciede2000(seen(ParseHex(a), m), seen(ParseHex(b), m)))
	}
	return least
}

// TestCIEDE2000 compares with pairs of Sharma, Wu and Dalal (2005).
func TestCIEDE2000(t *testing.T) {
	for _, c := range []struct {
		p, q [3]float64
		want float64
	}{
		{[3]float64{50, 2.6772, -79.7751}, [3]float64{50, 0, -82.7485}, 2.0425},
		{[3]float64{50, 2.4900, -.0010}, [3]float64{50, -2.4900, .0011}, 7.2195},
		{[3]float64{50, 2.5, 0}, [3]float64{73, 25, -18}, 27.1492},
		{[3]float64{22.7233, 20.0904, -46.6940}, [3]float64{23.0331, 14.9730, -42.5619}, 2.0373},
	} {
		if got := ciede2000(c.p, c.q); math.Abs(got-c.want) > 1e-4 {
			t.Errorf("%v and %v differ by %.4f, want %.4f", c.p, c.q, got, c.want)
		}
	}
}

// TestSystemColors checks that the colours of systems can be distinguished with any sight, from each
// other and from the colours of classes and signs.
func TestSystemColors(t *testing.T) {
	systems := slices.Sorted(maps.Keys(systemLooks))
	others := []string{PositiveColor, NegativeColor, HexColor(namedColors["black"]),
		HexColor(namedColors["red"])}
	for c := range 7 {
		others = append(others, ClassColor(c))
	}
	for i, name := range systems {
		for _, other := range systems[:i] {
			if d := apart(SystemColor(name), SystemColor(other)); d < 15 {
				t.Errorf("%s and %s differ by %.1f", name, other, d)
			}
		}
		for _, other := range others {
			if d := apart(SystemColor(name), other); d < 7 {
				t.Errorf("%s and %s differ by %.1f", name, other, d)
			}
		}
	}
	if d := apart(SystemColor("mPCVM₁"), SystemColor("mPCVM₂")); d < 45 {
		t.Errorf("mPCVM₁ and mPCVM₂ differ by %.1f", d)
	}
	for i, c := range otherSystems {
		for _, other := range otherSystems[:i] {
			if d := apart(c, other); d < 11.5 {
				t.Errorf("%s and %s differ by %.1f", c, other, d)
			}
		}
		for _, name := range systems {
			if d := apart(c, SystemColor(name)); d < 8.5 {
				t.Errorf("%s and %s differ by %.1f", c, name, d)
			}
		}
	}
}

// TestClassColors checks that the first eight classes, and the classes of the set overlap, can be
// distinguished with any sight.
func TestClassColors(t *testing.T) {
	for _, list := range [][]string{ClassPalette(Colors[:8]).All(),
		PaletteOf([]string{"black", "blue", "red"}).All()} {
		for i, c := range list {
			for _, other := range list[:i] {
				if d := apart(c, other); d < 10 {
					t.Errorf("%s and %s differ by %.1f", c, other, d)
				}
			}
		}
	}
}

// TestRedClass checks that a class named red is red, and can be distinguished from its neighbours
// with any sight.
func TestRedClass(t *testing.T) {
	red := HexColor(namedColors["red"])
	for _, name := range []string{"black", "blue", "green", "brown", "crimson"} {
		if d := apart(red, HexColor(namedColors[name])); d < 12.5 {
			t.Errorf("red and %s differ by %.1f", name, d)
		}
	}
	if lab := seen(ParseHex(red), sights["normal"]); math.Hypot(lab[1], lab[2]) < 60 ||
		math.Abs(math.Atan2(lab[2], lab[1])*180/math.Pi-30) > 10 {
		t.Errorf("%s is not red: %v", red, lab)
	}
}

// TestLooksOf checks that the style depends on the name, and that two systems of a chart differ.
func TestLooksOf(t *testing.T) {
	for _, name := range []string{"mPCVM₂", "mpcvm2", "MPCVM-2", " mPCVM 2 "} {
		if got, want := SystemColor(name), "#3c2d87"; got != want {
			t.Errorf("%q is %s, want %s", name, got, want)
		}
	}
	if SystemColor("SVC") != SystemColor("svm") || SystemColor("kernel prior") != SystemColor("KernelPrior") {
		t.Error("aliases of a system have different colours")
	}
	names := []string{"θ = 1", "mPCVM₁", "mPCVM₁", "b", "c", "d", "e"}
	looks := LooksOf(names)
	if looks[1].Color != SystemColor("mPCVM₁") || looks[0].Color != SystemColor("θ = 1") {
		t.Error("the colours change in a chart of several systems")
	}
	seen := map[string]bool{}
	for i, l := range looks {
		if seen[l.Color] || l.Shape.Name == "" {
			t.Errorf("%s has the look %v", names[i], l)
		}
		seen[l.Color] = true
	}
	must.Equal(t, len(LooksOf(strings.Split(strings.Repeat("x,", 40), ","))), 41)
}
