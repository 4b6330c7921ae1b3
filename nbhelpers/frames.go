package nbhelpers

import (
	"fmt"
	"html"
	"slices"
	"strings"
)

// Frame is one of the charts that Frames shows in turn.
type Frame struct {
	// Label says where it stands on the slider, such as "0.5" or "12".
	Label string
	Chart Chart
}

// FramesOptions are the choices of Frames. The zero value starts with the first frame.
type FramesOptions struct {
	// Title stands above the slider. If it is empty, there is none.
	Title string
	// Name says what the slider runs over, such as "iteration" or "θ".
	Name string
	// Start is the number of the frame that is shown first, from 0. It is also the still
	// picture.
	Start int
}

// FramesBlock is a slider over charts; see Frames.
type FramesBlock struct {
	opt    FramesOptions
	frames []Frame
}

// Frames shows charts in one place, with a slider and a play button to go from one to
// the next. It needs no kernel, so it works in a notebook exported to HTML and in
// WritePage. Where scripts may not run, frame Start is a still picture.
//
// The charts should have the same axes, so that only what changes moves: give ranges to
// Lines. For many Regions choose fewer Cells, such as 80: then 20 models on 400 samples
// are 80 kB. Frames panics if there is no frame of number Start.
func Frames(frames []Frame, opt FramesOptions) FramesBlock {
	if opt.Start < 0 || opt.Start >= len(frames) {
		panic(fmt.Sprintf("nbhelpers: Start is %d, but there are %d frames", opt.Start, len(frames)))
	}
	return FramesBlock{opt, slices.Clone(frames)}
}

// Display shows the frames as output of the notebook cell. It does nothing outside of a
// notebook.
func (f FramesBlock) Display() { display(f) }

// HTML returns the frames as a piece of HTML, like Chart.HTML.
func (f FramesBlock) HTML() string { return f.block(digest).whole() }

// block asks for one id for all frames.
func (f FramesBlock) block(id func(Chart) string) part {
	return f.fragment(id(Chart{foreign: f.script("")}))
}

// within is the frames in a place of the given width.
func (f FramesBlock) within(width int) Block {
	f.frames = slices.Clone(f.frames)
	for i := range f.frames {
		f.frames[i].Chart.Width = min(f.frames[i].Chart.Width, width)
	}
	return f
}

// The bar has the colours of the chart below it in any theme.
const frameBar = `<div class="mpcvm-frames" role="group" aria-label="%s" style="max-width:%dpx;background:#fff;color:` + ink + `;color-scheme:light">` +
	`<div class="mpcvm-bar" style="display:flex;flex-wrap:wrap;gap:6px 10px;align-items:center;padding:8px 8px 6px;font:13px/1.4 %s;font-variant-numeric:tabular-nums">%s<span class="mpcvm-still">%s</span></div>`

func (f FramesBlock) fragment(id string) part {
	start := f.frames[f.opt.Start].Chart
	for _, frame := range f.frames { // one place for all
		start.Width, start.Height = max(start.Width, frame.Chart.Width), max(start.Height, frame.Chart.Height)
	}
	title := ""
	if f.opt.Title != "" {
		title = `<b style="flex-basis:100%;font-size:15px">` + html.EscapeString(plain(f.opt.Title)) + "</b>"
	}
	name, label := f.name(), f.label(f.opt.Start)
	if name != "" {
		label = name + ": " + label
	}
	if n := len(f.frames); n > 1 {
		label += fmt.Sprintf(" (%d of %d)", f.opt.Start+1, n)
	}
	group := fmt.Sprintf("%d frames", len(f.frames))
	if name != "" {
		group += " over " + name
	}
	bar := fmt.Sprintf(frameBar, html.EscapeString(group), start.Width, html.EscapeString(fontFamily), title, html.EscapeString(label))
	return part{bar + start.div(id) + "</div>", f.script(id)}
}

func (f FramesBlock) name() string       { return plain(f.opt.Name) }
func (f FramesBlock) label(i int) string { return plain(f.frames[i].Label) }

// script is the code that shows the frames on the page.
func (f FramesBlock) script(id string) string {
	var labels, alts, frames []string
	for i, frame := range f.frames {
		labels, alts = append(labels, f.label(i)), append(alts, frame.Chart.Alt)
		// The frame that is shown first finds its picture in the still one.
		frames = append(frames, "["+frame.Chart.arguments(i != f.opt.Start)+"]")
	}
	return fmt.Sprintf(`show.frames(%s,{name:%s,labels:%s,alts:%s,start:%d,frames:[%s]});`,
		quote(id), quote(f.name()), quote(labels), quote(alts), f.opt.Start, strings.Join(frames, ","))
}
