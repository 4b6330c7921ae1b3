package nbhelpers

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strconv"

	"github.com/go-echarts/go-echarts/v2/opts"
	"github.com/go-echarts/go-echarts/v2/types"
)

// The option of ECharts that shows a figure: the types of go-echarts, each with the
// fields of ECharts that it lacks.
type (
	option struct {
		AnimationDuration int                `json:"animationDuration"`
		BackgroundColor   string             `json:"backgroundColor"`
		TextStyle         opts.TextStyle     `json:"textStyle"`
		Title             titleOption        `json:"title"`
		Legend            *legendOption      `json:"legend,omitempty"`
		Tooltip           *tooltipOption     `json:"tooltip,omitempty"`
		AxisPointer       *axisPointerOption `json:"axisPointer,omitempty"`
		Grid              []gridOption       `json:"grid"`
		XAxis             []axisOption       `json:"xAxis"`
		YAxis             []axisOption       `json:"yAxis"`
		VisualMap         *scaleOption       `json:"visualMap,omitempty"`
		Series            []seriesOption     `json:"series"`
	}
	titleOption struct {
		opts.Title
		ItemGap int `json:"itemGap"`
	}
	legendOption struct {
		opts.Legend
		Data []legendEntry `json:"data"`
	}
	legendEntry struct {
		Name      string         `json:"name"`
		ItemStyle map[string]any `json:"itemStyle"`
	}
	tooltipOption struct {
		opts.Tooltip
		Confine   bool           `json:"confine"`
		Style     string         `json:"extraCssText"`
		TextStyle opts.TextStyle `json:"textStyle"`
		Formatter js             `json:"formatter"`
	}
	axisPointerOption struct {
		Link []map[string]string `json:"link"`
	}
	gridOption struct {
		Left            float64 `json:"left"`
		Top             float64 `json:"top"`
		Right           float64 `json:"right"`
		Bottom          float64 `json:"bottom"`
		OuterBoundsMode string  `json:"outerBoundsMode"`
		// For page.js, of a panel with equal axes: height over width, the largest width, and
		// the room that is needed at the right.
		Equal  float64 `json:"equal,omitempty"`
		Most   float64 `json:"most,omitempty"`
		Margin float64 `json:"margin,omitempty"`
	}
	axisOption struct {
		opts.XAxis
		NameTextStyle opts.TextStyle  `json:"nameTextStyle"`
		NameGap       float64         `json:"nameGap"`
		Interval      float64         `json:"interval,omitempty"`
		AxisLabel     axisLabelOption `json:"axisLabel"`
		AxisTick      axisTickOption  `json:"axisTick"`
	}
	axisLabelOption struct {
		Show         types.Bool `json:"show,omitempty"`
		Color        string     `json:"color"`
		FontSize     int        `json:"fontSize"`
		LineHeight   int        `json:"lineHeight"`
		HideOverlap  types.Bool `json:"hideOverlap,omitempty"`
		Interval     types.Int  `json:"interval,omitempty"`
		Rotate       int        `json:"rotate,omitempty"`
		Width        float64    `json:"width,omitempty"`
		Overflow     string     `json:"overflow,omitempty"`
		CustomValues []float64  `json:"customValues,omitempty"`
		Formatter    js         `json:"formatter,omitempty"`
	}
	axisTickOption struct {
		opts.AxisTick
		CustomValues []float64 `json:"customValues,omitempty"`
	}
	scaleOption struct {
		opts.VisualMap
		Min         float64 `json:"min"`
		Max         float64 `json:"max"`
		Right       float64 `json:"right"`
		Top         float64 `json:"top"`
		ItemWidth   float64 `json:"itemWidth"`
		ItemHeight  float64 `json:"itemHeight"`
		HoverLink   bool    `json:"hoverLink"`
		SeriesIndex int     `json:"seriesIndex"`
	}
	seriesOption struct {
		series
		Z          int          `json:"z"`
		Clip       bool         `json:"clip,omitempty"`
		Silent     bool         `json:"silent,omitempty"`
		BoxWidth   []int        `json:"boxWidth,omitempty"`
		MarkLine   *rulesOption `json:"markLine,omitempty"`
		Tooltip    *showOption  `json:"tooltip,omitempty"`
		RenderItem js           `json:"renderItem,omitempty"`
		Data       any          `json:"data"`
	}
	// series is what charts.SingleSeries of go-echarts has, as far as it is used here. That package has HTML templates, which
	// every program of a cell would carry.
	series struct {
		Name             string          `json:"name,omitempty"`
		Type             string          `json:"type,omitempty"`
		XAxisIndex       int             `json:"xAxisIndex,omitempty"`
		YAxisIndex       int             `json:"yAxisIndex,omitempty"`
		SymbolKeepAspect types.Bool      `json:"symbolKeepAspect,omitempty"`
		Step             any             `json:"step,omitempty"`
		ShowSymbol       types.Bool      `json:"showSymbol,omitempty"`
		Symbol           string          `json:"symbol,omitempty"`
		SymbolSize       any             `json:"symbolSize,omitempty"`
		Color            string          `json:"color,omitempty"`
		CoordSystem      string          `json:"coordinateSystem,omitempty"`
		Animation        types.Bool      `json:"animation,omitempty"`
		Encode           any             `json:"encode,omitempty"`
		LineStyle        *opts.LineStyle `json:"lineStyle,omitempty"`
		ItemStyle        *opts.ItemStyle `json:"itemStyle,omitempty"`
	}
	showOption struct {
		Show bool `json:"show"`
	}
	// itemOption is a datum with a style of its own.
	itemOption struct {
		Value      row             `json:"value"`
		ItemStyle  *opts.ItemStyle `json:"itemStyle,omitempty"`
		Label      *labelOption    `json:"label,omitempty"`
		SymbolSize float64         `json:"symbolSize,omitempty"`
	}
	labelOption struct {
		Show      bool   `json:"show"`
		FontSize  int    `json:"fontSize,omitempty"`
		Color     string `json:"color,omitempty"`
		Formatter js     `json:"formatter,omitempty"`
	}
)

// tooltipStyle keeps a tooltip within a chart that is narrower than its lines.
const tooltipStyle = "max-width:100%;box-sizing:border-box;white-space:normal;overflow-wrap:anywhere"

// option makes the option of ECharts. A page that has the still picture takes the
// pictures within the chart from there: still is the number of the first. With ownPictures
// they are in the option.
func (f *figure) option(still int) option {
	text := opts.TextStyle{FontSize: 12, Color: ink, LineHeight: lineHeight}
	o := option{
		AnimationDuration: 300, BackgroundColor: "#fff", TextStyle: opts.TextStyle{FontFamily: fontFamily, Color: ink},
		Title: titleOption{opts.Title{Title: f.title, Subtitle: f.subtitle, Left: "3", Top: strconv.Itoa(headTop),
			TitleStyle:    &opts.TextStyle{FontSize: 15, Color: ink, LineHeight: 18},
			SubtitleStyle: &opts.TextStyle{FontSize: 12, Color: faintInk, LineHeight: lineHeight}}, 5},
		Series: []seriesOption{},
	}
	if len(f.legend) > 0 {
		o.Legend = f.legendOption(text)
	}
	if f.tip.trigger != "" {
		o.Tooltip = &tooltipOption{opts.Tooltip{Trigger: f.tip.trigger}, true, tooltipStyle, opts.TextStyle{FontSize: 12, Color: ink}, f.tooltip()}
		if f.tip.shadow {
			o.Tooltip.AxisPointer = &opts.AxisPointer{Type: "shadow"}
		}
		if f.tip.linked {
			o.AxisPointer = &axisPointerOption{[]map[string]string{{"xAxisIndex": "all"}}}
		}
	}
	for i := range f.panels {
		p := &f.panels[i]
		o.Grid = append(o.Grid, gridOption{p.left, p.top, p.right, p.bottom, "none", rounded(f.equal, 5), rounded(f.equalMost, 5), f.equalRight})
		o.XAxis, o.YAxis = append(o.XAxis, p.x.option(i, text)), append(o.YAxis, p.y.option(i, text))
	}
	if s := f.scale; s != nil {
		o.VisualMap = &scaleOption{
			opts.VisualMap{Type: "continuous", InRange: &opts.VisualMapInRange{Color: s.colors}, Text: []string{s.high, s.low},
				TextStyle: &text, Orient: "vertical", Calculable: opts.Bool(false), Show: opts.Bool(s.colors != nil)},
			s.lo, s.hi, 12, s.top, scaleWidth, s.height, true, s.series}
	}
	for _, m := range f.marks {
		s := m.series(still)
		if _, ok := m.(*picture); ok && still != ownPictures {
			still++
		}
		b := m.common()
		s.Name, s.XAxisIndex, s.YAxisIndex = b.name, b.panel, b.panel
		s.Z, s.Clip, s.Silent = b.z, b.clip, b.silent
		o.Series = append(o.Series, s)
	}
	return o
}

// legendOption is the legend: a row below the subtitle or a column at the right.
// Entries that do not fit are reached by its arrows.
func (f *figure) legendOption(text opts.TextStyle) *legendOption {
	l := &legendOption{Legend: opts.Legend{Type: "scroll", Top: fmt.Sprint(f.legendTop), ItemWidth: int(f.keyWidth), ItemHeight: symbolSide, TextStyle: &text}}
	if f.legendBeside > 0 {
		text.Width, text.Overflow = int(f.legendBeside), "truncate"
		l.Orient, l.Align, l.Right = "vertical", "left", "4"
	} else {
		l.Left = "3"
	}
	for _, name := range f.legend {
		style := map[string]any{"borderWidth": "inherit"}
		if m, ok := f.named(name).(*line); ok && m.marker.name == "" {
			style = map[string]any{"opacity": 0} // ECharts would put a circle on the line
		}
		l.Data = append(l.Data, legendEntry{name, style})
	}
	return l
}

// named is the first mark of that name, or nil.
func (f *figure) named(name string) mark {
	for _, m := range f.marks {
		if m.common().name == name {
			return m
		}
	}
	return nil
}

func (a *axis) option(panel int, text opts.TextStyle) axisOption {
	names := a.kind == "category"
	style := &opts.LineStyle{Color: axisInk}
	o := axisOption{XAxis: opts.XAxis{
		Type: a.kind, Name: a.name, NameLocation: "middle", GridIndex: panel,
		AxisLine:  &opts.AxisLine{Show: opts.Bool(!a.noLine), OnZero: opts.Bool(false), LineStyle: style},
		SplitLine: &opts.SplitLine{Show: opts.Bool(a.splits()), LineStyle: &opts.LineStyle{Color: gridInk}},
	}, NameTextStyle: text, NameGap: a.gap, AxisLabel: axisLabelOption{Color: ink, FontSize: 12, LineHeight: lineHeight}}
	o.AxisTick = axisTickOption{opts.AxisTick{Show: opts.Bool(!names), LineStyle: style}, a.ticks}
	l := &o.AxisLabel
	if names {
		o.Data = listed(a.categories)
		l.HideOverlap = opts.Bool(a.sparse)
		if !a.sparse || a.every > 0 {
			l.Interval = opts.Int(max(a.every, 1) - 1)
		}
		if a.room > 0 {
			l.Width, l.Overflow = a.room, "truncate"
		}
		if a.turned {
			l.Rotate = 90
		}
	} else {
		o.Min, o.Max, o.Interval = a.lo, a.hi, a.step
		l.HideOverlap, l.CustomValues = opts.Bool(true), a.ticks
		l.Formatter = js(fmt.Sprintf("show.ticks(%s,%s)", quote(listed(a.ticks)), quote(listed(a.labels))))
	}
	if a.inverse {
		o.Inverse = opts.Bool(true)
	}
	if a.hidden {
		o.Show = opts.Bool(false)
	}
	if a.noLabels {
		l.Show = opts.Bool(false)
	}
	if a.above {
		o.Position = "top"
	}
	return o
}

// splits reports whether lines across the panel continue the ticks.
func (a *axis) splits() bool { return a.split || a.kind != "category" && !a.noSplit }

// tooltip is the function that writes the tooltip.
func (f *figure) tooltip() js {
	if f.tip.code != "" {
		return f.tip.code
	}
	lines := make([][]string, len(f.marks))
	for i, m := range f.marks {
		lines[i] = listed(m.common().tip)
	}
	texts := f.tip.texts
	if texts == nil {
		texts = node{}
	}
	return js(fmt.Sprintf("show.fields(%s,%s,%s)", quote(texts), quote(f.tip.head), quote(lines)))
}

// row is a datum: coordinates and what the tooltip shows. ECharts has "-" for a
// number that is not there.
type row []float64

// MarshalJSON implements json.Marshaler.
func (r row) MarshalJSON() ([]byte, error) {
	b := []byte{'['}
	for i, v := range r {
		if i > 0 {
			b = append(b, ',')
		}
		if math.IsNaN(v) || math.IsInf(v, 0) {
			b = append(b, `"-"`...)
		} else {
			b = strconv.AppendFloat(b, v, 'g', -1, 64)
		}
	}
	return append(b, ']'), nil
}

// listed is a list that is not null in JSON.
func listed[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// rounded keeps the given number of significant digits, so that options stay small.
func rounded(v float64, digits int) float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return math.NaN()
	}
	r, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', digits, 64), 64)
	if err != nil {
		return math.NaN()
	}
	return r
}

func roundedAll(v []float64, digits int) row {
	out := make(row, len(v))
	for i, x := range v {
		out[i] = rounded(x, digits)
	}
	return out
}

// js is a JavaScript function in an option. The code may use E, the ECharts module,
// and show, the functions of page.js. It must carry data only as quote writes it.
type js string

// jsMark begins a function in JSON. No text can look like it, because the quotes in
// a text are escaped.
const jsMark = `{"nbhelpers function":`

// MarshalJSON implements json.Marshaler, for script.
func (f js) MarshalJSON() ([]byte, error) { return []byte(jsMark + quote(string(f)) + "}"), nil }

// quote writes a value as a JavaScript literal that is safe inside a script
// element.
func quote(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic("nbhelpers: " + err.Error())
	}
	return string(b)
}

// script writes an option as a JavaScript expression; with asJSON functions are
// texts, which makes it JSON. Equal options give equal bytes.
func script(v any, asJSON bool) []byte {
	b := []byte(quote(v))
	var out bytes.Buffer
	for {
		before, after, found := bytes.Cut(b, []byte(jsMark))
		out.Write(before)
		if !found {
			return out.Bytes()
		}
		d := json.NewDecoder(bytes.NewReader(after))
		var code string
		if err := d.Decode(&code); err != nil {
			panic("nbhelpers: " + err.Error())
		}
		end := d.InputOffset()
		if asJSON {
			out.Write(after[:end])
		} else {
			out.WriteString(code)
		}
		b = after[end+1:] // without the brace
	}
}

// ownPictures is the number of pictures that are in the option.
const ownPictures = -1

// node is a JSON object.
type node = map[string]any
