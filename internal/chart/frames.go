package chart

import (
	"fmt"
	"html"
	"math"
	"slices"
	"strings"
)

// Frame is one of the charts that Frames shows in turn.
type Frame struct {
	// Label says where it stands on the slider, such as "0.5" or "12".
	Label string
	Chart Chart
	// At is the point in FramesOptions.By that stands for the frame.
	At [2]float64
}

// FramesOptions are the choices of Frames. The zero value starts with the first frame.
type FramesOptions struct {
	// Title stands above the slider. If it is empty, there is none.
	Title string
	// Name says what the slider runs over, such as "iteration" or "θ".
	Name string
	// Start is the number of the frame that is shown first, from 0.
	Start int
	// By is a chart next to the frames: to point at Frame.At in it shows the
	// frame. If it is nil, there is none.
	By *Chart
}

// FramesBlock is a slider over charts; see Frames.
type FramesBlock struct {
	opt    FramesOptions
	frames []Frame
	beside bool // in the grid with its chart By
}

// Frames is nbhelpers.Frames.
func Frames(frames []Frame, opt FramesOptions) FramesBlock {
	defer Readable()
	if opt.Start < 0 || opt.Start >= len(frames) {
		panic(fmt.Sprintf("nbhelpers: Start is %d, but there are %d frames", opt.Start, len(frames)))
	}
	return FramesBlock{opt: opt, frames: slices.Clone(frames)}
}

// Display shows the frames as output of the notebook cell. It does nothing outside of a
// notebook.
func (f FramesBlock) Display() { Display(f) }

// HTML returns the frames as a piece of HTML, like Chart.HTML.
func (f FramesBlock) HTML() string { return f.block(digest).whole() }

// block asks for one id for all frames.
func (f FramesBlock) block(id func(Chart) string) part {
	if by := f.opt.By; by != nil && !f.beside {
		f.beside = true
		return Grid(2, *by, f).block(id)
	}
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
const frameBar = `<div class="mpcvm-frames" role="group" aria-label="%s" style="max-width:%dpx;background:#fff;color:` + Ink + `;color-scheme:light">` +
	`<div class="mpcvm-bar" style="display:flex;flex-wrap:wrap;gap:6px 10px;align-items:center;padding:8px 8px 6px;font:13px/1.4 %s;font-variant-numeric:tabular-nums">%s<span class="mpcvm-still">%s</span></div>`

func (f FramesBlock) fragment(id string) part {
	title := ""
	if f.opt.Title != "" {
		title = `<b style="flex-basis:100%;font-size:15px">` + html.EscapeString(Plain(f.opt.Title)) + "</b>"
	}
	label, group := Plural(len(f.frames), "frame"), Plural(len(f.frames), "frame")
	if shown := len(f.strip()); shown < len(f.frames) {
		label = fmt.Sprintf("%d of %s", shown, label)
	}
	if name := f.name(); name != "" {
		label, group = name+": "+label, group+" over "+name
	}
	svg, width, height := f.still()
	bar := fmt.Sprintf(frameBar, html.EscapeString(group), width, html.EscapeString(fontFamily), title,
		html.EscapeString(label))
	return part{html: bar + div(id, width, height, still(width, f.frames[f.opt.Start].Chart.Alt, svg)) +
		"</div>", code: f.script(id)}
}

// size is the place that all frames need.
func (f FramesBlock) size() (width, height int) {
	for _, frame := range f.frames {
		_, w, h := frame.Chart.laid()
		width, height = max(width, w), max(height, h)
	}
	return width, height
}

// strip are the numbers of the frames in the still picture: the first, the last and two
// between them, among them the one that is shown first.
func (f FramesBlock) strip() []int {
	const most = 4
	n := min(len(f.frames), most)
	numbers := make([]int, n)
	for i := range numbers {
		if n > 1 {
			numbers[i] = i * (len(f.frames) - 1) / (n - 1)
		}
	}
	if start := f.opt.Start; n == most && !slices.Contains(numbers, start) {
		nearest := 1
		if 2*start > numbers[1]+numbers[2] {
			nearest = 2
		}
		numbers[nearest] = start
	}
	return numbers
}

// still draws the strip, two frames in a row, each below its label.
func (f FramesBlock) still() (svg string, width, height int) {
	const label, gap, narrow = 22, 16, 440
	numbers := f.strip()
	if len(numbers) == 1 {
		c := f.frames[0].Chart
		_, width, height = c.laid()
		return c.svg(""), width, height
	}
	for _, frame := range f.frames {
		width = max(width, frame.Chart.Width)
	}
	across := float64(width-gap) / 2
	small := make([]Chart, len(numbers))
	scale, high := 1., 0. // of each
	for i, n := range numbers {
		small[i] = f.frames[n].Chart.within(narrow).(Chart)
		_, w, _ := small[i].laid()
		scale = math.Min(scale, across/float64(w))
	}
	for _, c := range small {
		_, _, h := c.laid()
		high = math.Max(high, label+scale*float64(h))
	}
	height = int(math.Ceil(high * float64((len(numbers)+1)/2)))
	var p Painter
	p.Begin(width, height, "")
	for i, c := range small {
		x, y := (across+gap)*float64(i%2), high*float64(i/2)
		text := JoinedBy(f.name(), ": ", f.label(numbers[i]))
		p.Text(x+8, y+16, Shortened(text, 13*boldWider, across-8), TextStyle{Size: 13, Bold: true})
		fig, w, h := c.laid()
		fmt.Fprintf(&p, `<svg x="%s" y="%s" width="%s" height="%s" viewBox="0 0 %d %d">`, XY(x), XY(y+label),
			XY(scale*float64(w)), XY(scale*float64(h)), w, h)
		one := Painter{w: float64(w), h: float64(h), markers: map[string]int{}, prefix: string(rune('a' + i))}
		fig.paint(&one)
		p.WriteString(one.String() + "</svg>")
	}
	p.WriteString("</svg>")
	return p.String(), width, height
}

func (f FramesBlock) name() string       { return Plain(f.opt.Name) }
func (f FramesBlock) label(i int) string { return Plain(f.frames[i].Label) }

// script is the code that shows the frames on the page.
func (f FramesBlock) script(id string) string {
	var labels, alts, frames []string
	places := ""            // of the frames in By
	stills := map[int]int{} // number of the first picture of a frame of the strip in the still picture
	pictures := 0
	for _, n := range f.strip() {
		stills[n] = pictures
		pictures += f.frames[n].Chart.pictures()
	}
	for i, frame := range f.frames {
		labels, alts = append(labels, f.label(i)), append(alts, frame.Chart.Alt)
		places += fmt.Sprintf("[%g,%g],", frame.At[0], frame.At[1])
		still, ok := stills[i]
		if !ok {
			still = ownPictures
		}
		frames = append(frames, "["+frame.Chart.arguments(still)+"]")
	}
	if f.opt.By == nil {
		places = ""
	}
	width, height := f.size()
	return fmt.Sprintf(`show.frames(%s,{name:%s,labels:%s,alts:%s,start:%d,width:%d,height:%d,at:[%s],frames:[%s]});`,
		Quote(id), Quote(f.name()), Quote(labels), Quote(alts), f.opt.Start, width, height, places,
		strings.Join(frames, ","))
}

// pictures counts the pictures in a chart.
func (c Chart) pictures() (n int) {
	if c.figure == nil {
		return 0
	}
	for _, m := range c.figure.Marks {
		if _, ok := m.(*Picture); ok {
			n++
		}
	}
	return n
}
