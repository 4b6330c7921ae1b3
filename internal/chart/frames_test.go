package chart

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"regexp"
	"strings"
	"testing"

	"github.com/mpcvm/mpcvm/internal/testkit/drawn"
)

func TestFramesStill(t *testing.T) {
	frames := some(5, "θ")
	f := Frames(frames, FramesOptions{Title: "Borders", Name: "shift", Start: 3})
	page := drawn.Unfolded(f.HTML())
	for _, want := range []string{"Borders</b>", "shift: 4 of 5 frames", frames[3].Chart.Alt, `role="group"`,
		"start:3,"} {
		if !strings.Contains(page, want) {
			t.Errorf("HTML lacks %.60s", want)
		}
	}
	if n := strings.Count(page, "<img"); n != 1 {
		t.Errorf("%d still pictures, want one", n)
	}
	if f.HTML() != Frames(some(5, "θ"), FramesOptions{Title: "Borders", Name: "shift", Start: 3}).HTML() {
		t.Error("the same frames made twice differ")
	}
	svg, _, _ := f.still()
	texts := drawn.CheckXML(t, svg)
	for i, there := range []bool{true, true, false, true, true} { // of five frames, the fourth is shown first
		if strings.Contains(texts, fmt.Sprint("shift: θ", i)) != there {
			t.Errorf("frame %d in the still picture: %v", i, !there)
		}
	}
	if n := len(regexp.MustCompile(`href="data:image/png`).FindAllString(svg, -1)); n != 4 {
		t.Errorf("%d pictures", n)
	}
	ids := map[string]bool{}
	for _, m := range regexp.MustCompile(` id="(\w+)"`).FindAllStringSubmatch(svg, -1) {
		if ids[m[1]] {
			t.Errorf("two elements are named %s", m[1])
		}
		ids[m[1]] = true
	}
	if one := Frames(some(1, ""), FramesOptions{}); !strings.Contains(one.HTML(),
		SVGURL(some(1, "")[0].Chart.svg(""))) {
		t.Error("a single frame is not its chart")
	}
	for n, want := range map[int]string{1: "[0]", 2: "[0 1]", 4: "[0 1 2 3]", 5: "[0 1 2 4]",
		20: "[0 6 12 19]"} {
		if got := fmt.Sprint(Frames(some(n, ""), FramesOptions{}).strip()); got != want {
			t.Errorf("of %d frames %s are in the still picture, want %s", n, got, want)
		}
	}
}

// TestFramesShare: each frame is its chart, and packed they take little more than one.
func TestFramesShare(t *testing.T) {
	frames := some(6, "")
	html := Frames(frames, FramesOptions{}).HTML()
	page := drawn.Unfolded(html)
	for i, f := range frames {
		still := []int{0, 1, ownPictures, 2, ownPictures, 3}[i] // the place of its picture
		if !strings.Contains(page, string(script(f.Chart.option(still), false))) {
			t.Errorf("frame %d is not what its chart is", i)
		}
	}
	if one := len(frames[0].Chart.HTML()); len(html) > 4*one {
		t.Errorf("six frames have %d bytes, one has %d", len(html), one)
	}
}

func TestFramesNamesAreText(t *testing.T) {
	frames := some(3, drawn.Hostile[0])
	frames[1].Label, frames[2].Label = drawn.Hostile[1], drawn.Hostile[2]
	page := drawn.Unfolded(Frames(frames,
		FramesOptions{Title: drawn.Hostile[0], Name: drawn.Hostile[1]}).HTML())
	for _, bad := range []string{"<script>alert", "<img src=x", ":alert(3)", ",alert(3)"} {
		if strings.Contains(page, bad) {
			t.Errorf("HTML contains %s", bad)
		}
	}
	if n := strings.Count(page, "</script>"); n != 1 {
		t.Errorf("%d ends of scripts, want 1", n)
	}
	var b bytes.Buffer
	if err := WritePage(&b, "x", Frames(frames, FramesOptions{}), frames[0].Chart); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"w.mpcvmLib = ", `id="mpcvm-chart-1"`, `id="mpcvm-chart-2"`,
		`show.frames("mpcvm-chart-1"`} {
		if !strings.Contains(drawn.Unfolded(b.String()), want) {
			t.Errorf("page lacks %s", want)
		}
	}
}

func TestFramesPanics(t *testing.T) {
	for _, start := range []int{-1, 2, 3} {
		func() {
			defer func() {
				if s, ok := recover().(string); !ok || !strings.HasPrefix(s, "nbhelpers: ") {
					t.Errorf("panic for start %d is %q", start, s)
				}
			}()
			Frames(some(2, ""), FramesOptions{Start: start})
		}()
	}
}

// some makes n frames of points on a ground that moves.
func some(n int, name string) []Frame {
	var frames []Frame
	for i := range n {
		var ground bytes.Buffer
		if err := png.Encode(&ground, image.NewGray(image.Rect(0, 0, i+1, 2))); err != nil {
			panic(err)
		}
		f := &Figure{Title: "points", Legend: []string{"point"},
			Panels: []Panel{{X: ValueAxis("x", 0, 9, 1), Y: ValueAxis("y", 0, 9, 1)}}}
		points := &Dots{Base: Base{Name: "point"}, Color: ClassColor(0), Marker: ClassShape(0), Size: 9}
		for k := range 100 {
			points.Rows = append(points.Rows, Row{float64(k%10) + .01*float64(k), float64(k*k%97) / 10})
		}
		f.Add(&Picture{Base: Base{Silent: true}, PNG: ground.Bytes(), Width: i + 1, Height: 2,
			X1: float64(i + 1), Y1: 9}, points)
		frames = append(frames,
			Frame{Label: fmt.Sprint(name, i), Chart: f.Chart(fmt.Sprintf("Points and %d.", i), 400)})
	}
	return frames
}
