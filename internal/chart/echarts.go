package chart

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
		Formatter JS             `json:"formatter"`
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
		Formatter    JS         `json:"formatter,omitempty"`
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
		RenderItem JS           `json:"renderItem,omitempty"`
		Data       any          `json:"data"`
	}
	// series is what charts.SingleSeries of go-echarts has, as far as it is used here. That package has
	// HTML templates, which every program of a cell would carry.
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
		Value      Row             `json:"value"`
		ItemStyle  *opts.ItemStyle `json:"itemStyle,omitempty"`
		Label      *labelOption    `json:"label,omitempty"`
		SymbolSize float64         `json:"symbolSize,omitempty"`
	}
	labelOption struct {
		Show      bool   `json:"show"`
		FontSize  int    `json:"fontSize,omitempty"`
		Color     string `json:"color,omitempty"`
		Formatter JS     `json:"formatter,omitempty"`
	}
)

// tooltipStyle keeps a tooltip within a chart that is narrower than its lines.
const tooltipStyle = "max-width:100%;box-sizing:border-box;white-space:normal;overflow-wrap:anywhere"

// option makes the option of ECharts.
func (f *Figure) option() option {
	text := opts.TextStyle{FontSize: 12, Color: Ink, LineHeight: LineHeight}
	o := option{
		AnimationDuration: 300, BackgroundColor: "#fff",
		TextStyle: opts.TextStyle{FontFamily: fontFamily, Color: Ink},
		Title: titleOption{opts.Title{Title: f.Title, Subtitle: f.Subtitle, Left: "3",
			Top:           strconv.Itoa(headTop),
			TitleStyle:    &opts.TextStyle{FontSize: 15, Color: Ink, LineHeight: 18},
			SubtitleStyle: &opts.TextStyle{FontSize: 12, Color: FaintInk, LineHeight: LineHeight}}, 5},
		Series: []seriesOption{},
	}
	if len(f.Legend) > 0 {
		o.Legend = f.legendOption(text)
	}
	if f.Tip.Trigger != "" {
		o.Tooltip = &tooltipOption{opts.Tooltip{Trigger: f.Tip.Trigger}, true, tooltipStyle,
			opts.TextStyle{FontSize: 12, Color: Ink}, f.tooltip()}
		if f.Tip.Shadow {
			o.Tooltip.AxisPointer = &opts.AxisPointer{Type: "shadow"}
		}
		if f.Tip.Linked {
			o.AxisPointer = &axisPointerOption{[]map[string]string{{"xAxisIndex": "all"}}}
		}
	}
	for i := range f.Panels {
		p := &f.Panels[i]
		o.Grid = append(o.Grid, gridOption{p.Left, p.Top, p.Right, p.Bottom, "none", Rounded(f.Equal, 5),
			Rounded(f.equalMost, 5), f.equalRight})
		o.XAxis, o.YAxis = append(o.XAxis, p.X.option(i, text)), append(o.YAxis, p.Y.option(i, text))
	}
	if s := f.Scale; s != nil {
		o.VisualMap = &scaleOption{
			opts.VisualMap{Type: "continuous", InRange: &opts.VisualMapInRange{Color: s.Colors},
				Text:      []string{s.High, s.Low},
				TextStyle: &text, Orient: "vertical", Calculable: opts.Bool(false),
				Show: opts.Bool(s.Colors != nil)},
			s.Lo, s.Hi, 12, s.top, scaleWidth, s.height, true, s.Series}
	}
	for _, m := range f.Marks {
		s, b := m.series(), m.Common()
		s.Name, s.XAxisIndex, s.YAxisIndex = b.Name, b.Panel, b.Panel
		s.Z, s.Clip, s.Silent = b.Z, b.Clip, b.Silent
		o.Series = append(o.Series, s)
	}
	return o
}

// legendOption is the legend: a row below the subtitle or a column at the right.
// Entries that do not fit are reached by its arrows.
func (f *Figure) legendOption(text opts.TextStyle) *legendOption {
	l := &legendOption{Legend: opts.Legend{Type: "scroll", Top: fmt.Sprint(f.LegendTop),
		ItemWidth: int(f.KeyWidth), ItemHeight: SymbolSide, TextStyle: &text}}
	if f.LegendBeside > 0 {
		text.Width, text.Overflow = int(f.LegendBeside), "truncate"
		l.Orient, l.Align, l.Right = "vertical", "left", "4"
	} else {
		l.Left = "3"
	}
	for _, name := range f.Legend {
		style := map[string]any{"borderWidth": "inherit"}
		if m, ok := f.Named(name).(*Line); ok && m.Marker.Name == "" {
			style = map[string]any{"opacity": 0} // ECharts would put a circle on the line
		}
		l.Data = append(l.Data, legendEntry{name, style})
	}
	return l
}

// Named is the first mark of that name, or nil.
func (f *Figure) Named(name string) Mark {
	for _, m := range f.Marks {
		if m.Common().Name == name {
			return m
		}
	}
	return nil
}

func (a *Axis) option(panel int, text opts.TextStyle) axisOption {
	names := a.Kind == "category"
	style := &opts.LineStyle{Color: AxisInk}
	o := axisOption{XAxis: opts.XAxis{
		Type: a.Kind, Name: a.Name, NameLocation: "middle", GridIndex: panel,
		AxisLine:  &opts.AxisLine{Show: opts.Bool(!a.NoLine), OnZero: opts.Bool(false), LineStyle: style},
		SplitLine: &opts.SplitLine{Show: opts.Bool(a.splits()), LineStyle: &opts.LineStyle{Color: GridInk}},
	}, NameTextStyle: text, NameGap: a.gap,
		AxisLabel: axisLabelOption{Color: Ink, FontSize: 12, LineHeight: LineHeight}}
	o.AxisTick = axisTickOption{opts.AxisTick{Show: opts.Bool(!names), LineStyle: style}, a.Ticks}
	l := &o.AxisLabel
	if names {
		o.Data = listed(a.Categories)
		l.HideOverlap = opts.Bool(a.Sparse)
		if !a.Sparse || a.Every > 0 {
			l.Interval = opts.Int(max(a.Every, 1) - 1)
		}
		if a.Room > 0 {
			l.Width, l.Overflow = a.Room, "truncate"
		}
		if a.Turned {
			l.Rotate = 90
		}
	} else {
		o.Min, o.Max, o.Interval = a.Lo, a.Hi, a.Step
		l.HideOverlap, l.CustomValues = opts.Bool(true), a.Ticks
		l.Formatter = JS(fmt.Sprintf("show.ticks(%s,%s)", Quote(listed(a.Ticks)), Quote(listed(a.Labels))))
	}
	if a.Inverse {
		o.Inverse = opts.Bool(true)
	}
	if a.Hidden {
		o.Show = opts.Bool(false)
	}
	if a.NoLabels {
		l.Show = opts.Bool(false)
	}
	if a.Above {
		o.Position = "top"
	}
	return o
}

// splits reports whether lines across the panel continue the ticks.
func (a *Axis) splits() bool { return a.Split || a.Kind != "category" && !a.NoSplit }

// tooltip is the function that writes the tooltip.
func (f *Figure) tooltip() JS {
	if f.Tip.Code != "" {
		return f.Tip.Code
	}
	lines := make([][]string, len(f.Marks))
	for i, m := range f.Marks {
		lines[i] = listed(m.Common().Tip)
	}
	texts := f.Tip.Texts
	if texts == nil {
		texts = Node{}
	}
	return JS(fmt.Sprintf("show.fields(%s,%s,%s)", Quote(texts), Quote(f.Tip.Head), Quote(lines)))
}

// Row is a datum: coordinates and what the tooltip shows. ECharts has "-" for a
// number that is not there.
type Row []float64

// MarshalJSON implements json.Marshaler.
func (r Row) MarshalJSON() ([]byte, error) {
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

// Rounded keeps the given number of significant digits, so that options stay small.
func Rounded(v float64, digits int) float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return math.NaN()
	}
	r, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', digits, 64), 64)
	if err != nil {
		return math.NaN()
	}
	return r
}

// RoundedAll rounds each of the values.
func RoundedAll(v []float64, digits int) Row {
	out := make(Row, len(v))
	for i, x := range v {
		out[i] = Rounded(x, digits)
	}
	return out
}

// JS is a JavaScript function in an option. The code may use E, the ECharts module,
// and show, the functions of page.js. It must carry data only as Quote writes it.
type JS string

// jsMark begins a function in JSON. No text can look like it, because the quotes in
// a text are escaped.
const jsMark = `{"nbhelpers function":`

// MarshalJSON implements json.Marshaler, for script.
func (f JS) MarshalJSON() ([]byte, error) { return []byte(jsMark + Quote(string(f)) + "}"), nil }

// Quote writes a value as a JavaScript literal that is safe inside a script
// element.
func Quote(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic("nbhelpers: " + err.Error())
	}
	return string(b)
}

// script writes an option as a JavaScript expression; with asJSON functions are
// texts, which makes it JSON. Equal options give equal bytes.
func script(v any, asJSON bool) []byte {
	b := []byte(Quote(v))
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

// Node is a JSON object.
type Node = map[string]any
