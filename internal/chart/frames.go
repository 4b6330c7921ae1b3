package chart

import (
	"fmt"
	"html"
	"slices"
	"strings"

	"github.com/mpcvm/mpcvm/internal/words"
)

// Frame is one of the charts that Frames shows in turn; see nbhelpers.Frame.
type Frame struct {
	Label string
	Chart Chart
	At    [2]float64
}

// FramesOptions are the options of Frames; see nbhelpers.FramesOptions.
type FramesOptions struct {
	Title, Name string
	Start       int
	By          *Chart
}

// FramesBlock is a series of charts with a slider; see Frames.
type FramesBlock struct {
	opt    FramesOptions
	frames []Frame
	inGrid bool // in a grid with its chart By
}

// Frames implements nbhelpers.Frames.
func Frames(frames []Frame, opt FramesOptions) FramesBlock {
	defer Readable()
	if opt.Start < 0 || opt.Start >= len(frames) {
		panic(fmt.Sprintf("nbhelpers: Start is %d, but there are %d frames", opt.Start, len(frames)))
	}
	return FramesBlock{opt: opt, frames: slices.Clone(frames)}
}

// Display shows the frames as output of the notebook cell. It does nothing outside a notebook.
func (f FramesBlock) Display() { Display(f) }

// HTML returns the frames as an HTML fragment, like Chart.HTML.
func (f FramesBlock) HTML() string { return f.block(digest).whole() }

// block calls id once for all frames.
func (f FramesBlock) block(id func(Chart) string) part {
	if by := f.opt.By; by != nil && !f.inGrid {
		f.inGrid = true
		return Grid(2, *by, f).block(id)
	}
	return f.fragment(id(Chart{foreign: Node{"frames": f.script("")}}))
}

// within returns the frames for the given width.
func (f FramesBlock) within(width int) Block {
	f.frames = slices.Clone(f.frames)
	for i := range f.frames {
		f.frames[i].Chart.Width = min(f.frames[i].Chart.Width, width)
	}
	return f
}

// bar begins an element with a bar, which has the colours of the chart below it in any theme.
func bar(group string, width int, title, label string) string {
	return fmt.Sprintf(`<div class="mpcvm-frames" role="group" aria-label="%s" style="max-width:%dpx;`+
		`background:#fff;color:`+Ink+`;color-scheme:light">`+
		`<div class="mpcvm-bar" style="display:flex;flex-wrap:wrap;gap:6px 10px;align-items:center;`+
		`padding:8px 8px 6px;font:13px/1.4 %s;font-variant-numeric:tabular-nums">`+
		`%s<span class="mpcvm-still">%s</span></div>`, html.EscapeString(group), width, fontFamily, title,
		html.EscapeString(label))
}

func (f FramesBlock) fragment(id string) part {
	title := ""
	if f.opt.Title != "" {
		title = `<b style="flex-basis:100%;font-size:15px">` + html.EscapeString(Plain(f.opt.Title)) + "</b>"
	}
	label := fmt.Sprintf("%s (%s)", f.label(f.opt.Start), words.CountOf(len(f.frames), "frame"))
	group := words.CountOf(len(f.frames), "frame")
	if name := f.name(); name != "" {
		label, group = name+": "+label, group+" over "+name
	}
	width, height := f.size()
	return part{html: bar(group, width, title, label) +
		div(id, width, height, f.frames[f.opt.Start].Chart.Alt) + "</div>", code: f.script(id)}
}

// size returns the size that fits all frames.
func (f FramesBlock) size() (width, height int) {
	for _, frame := range f.frames {
		_, w, h := frame.Chart.laid()
		width, height = max(width, w), max(height, h)
	}
	return width, height
}

func (f FramesBlock) name() string       { return Plain(f.opt.Name) }
func (f FramesBlock) label(i int) string { return Plain(f.frames[i].Label) }

// script returns the code that shows the frames on the page.
func (f FramesBlock) script(id string) string {
	var labels, alts, frames []string
	places := "" // positions of the frames in By
	for i, frame := range f.frames {
		labels, alts = append(labels, f.label(i)), append(alts, frame.Chart.Alt)
		places += fmt.Sprintf("[%g,%g],", frame.At[0], frame.At[1])
		frames = append(frames, "["+frame.Chart.arguments()+"]")
	}
	if f.opt.By == nil {
		places = ""
	}
	return fmt.Sprintf(`show.frames(%s,{name:%s,labels:%s,alts:%s,start:%d,at:[%s],frames:[%s]});`,
		Quote(id), Quote(f.name()), Quote(labels), Quote(alts), f.opt.Start, places,
		strings.Join(frames, ","))
}
