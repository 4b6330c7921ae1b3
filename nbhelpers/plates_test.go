package nbhelpers

import (
	"strings"
	"testing"

	"github.com/mpcvm/mpcvm/internal/testkit/drawn"
	"github.com/mpcvm/mpcvm/internal/testkit/must"
)

func smallDiagram() PlateDiagram {
	return PlateDiagram{
		Title: "A <model>",
		Variables: []Variable{
			{Name: "u", Kind: Constant}, {Name: "α", X: 1}, {Name: "w", X: 2},
			{Name: "t", X: 3, Kind: Observed}},
		Arrows: [][2]string{{"u", "α"}, {"α", "w"}, {"w", "t"}},
		Plates: []Plate{{Label: "N & more", Variables: []string{"α", "w"}}},
	}
}

func TestPlateDiagram(t *testing.T) {
	d := smallDiagram()
	svg, _ := d.draw()
	texts := drawn.CheckXML(t, svg)
	must.Contain(t, texts,
		"A <model>", "α", "N & more",
		"Plate diagram: u (constant); α depends on u; w depends on α; t (observed) depends on w; N & more times "+
			"α, w.")
	if circles, want := strings.Count(svg, "<circle"), 3; circles != want {
		t.Errorf("%d circles, want %d", circles, want)
	}
	if heads, want := strings.Count(svg, `z"/>`), 3; heads != want {
		t.Errorf("%d arrow heads, want %d", heads, want)
	}
	if strings.Contains(d.HTML(), "<model>") {
		t.Error("a text was taken for HTML")
	}
	// Columns 0 to 3 lie 330 pixels apart; the radius and the margin come to both.
	if want := `width="408" height="`; !strings.Contains(svg, want) {
		t.Errorf("no %s in %s", want, svg)
	}
	page := &strings.Builder{}
	if err := WritePage(page, "page", d); err != nil || !strings.Contains(page.String(), d.HTML()) {
		t.Errorf("the page lacks the diagram: %v", err)
	}
}

func TestPlateDiagramPanics(t *testing.T) {
	for said, change := range map[string]func(*PlateDiagram){
		"no variables":  func(d *PlateDiagram) { *d = PlateDiagram{} },
		"two variables": func(d *PlateDiagram) { d.Variables[1].Name = "u" },
		`variable "x"`:  func(d *PlateDiagram) { d.Arrows[0][1] = "x" },
		`variable "y"`:  func(d *PlateDiagram) { d.Plates[0].Variables[0] = "y" },
		"is empty":      func(d *PlateDiagram) { d.Plates[0].Variables = nil },
	} {
		d := smallDiagram()
		change(&d)
		must.PanicWith(t, "diagram", said, func() { d.HTML() })
	}
}
