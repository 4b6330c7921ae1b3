package nbhelpers

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// node is a part of an ECharts option: a JSON object whose leaves may be js.
type node = map[string]any

// js is a JavaScript function among the leaves of an option. The code may use E,
// the ECharts module, and show, the functions of page.js, and must carry data only as quote writes it. The SVG
// renderer, which runs no JavaScript, reads static instead: a text, a
// func(float64) string for axis labels, or a picture.
type js struct {
	code   string
	static any
}

// quote writes a value as a JavaScript literal that is safe inside a script
// element.
func quote(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic("nbhelpers: " + err.Error())
	}
	return string(b)
}

// GoECharts is a chart of the package go-echarts, such as *charts.Line.
type GoECharts interface {
	Validate()
	JSON() map[string]any
}

// optionOf returns the option of a go-echarts chart, free of its types. Functions stay the quoted texts that go-echarts makes of them.
func optionOf(c GoECharts) node {
	c.Validate()
	b, err := json.Marshal(c.JSON())
	if err != nil {
		panic("nbhelpers: " + err.Error())
	}
	var o node
	if err := json.Unmarshal(b, &o); err != nil {
		panic("nbhelpers: " + err.Error())
	}
	return o
}

// functionKeys are the places where go-echarts users put functions. Elsewhere,
// in names and data above all, a text with the mark of a function stays a text.
var functionKeys = []string{"formatter", "valueFormatter", "renderItem", "symbolSize", "position", "color", "sort",
	"animationDuration", "animationDelay", "animationDurationUpdate", "animationDelayUpdate"}

const functionMark = "__f__"

// restoreFunctions turns the functions of go-echarts options into js.
func restoreFunctions(v any, key string) any {
	switch v := v.(type) {
	case node:
		for k, e := range v {
			v[k] = restoreFunctions(e, k)
		}
	case []any:
		for i, e := range v {
			v[i] = restoreFunctions(e, "")
		}
	case string:
		code, ok := strings.CutPrefix(v, functionMark)
		if ok && slices.Contains(functionKeys, key) {
			return js{code: strings.TrimSuffix(code, functionMark)}
		}
	}
	return v
}

// script writes an option as a JavaScript expression; asJSON writes functions as
// texts, which makes it JSON. Keys are sorted, so equal options give equal bytes.
func script(v any, asJSON bool) []byte {
	var b bytes.Buffer
	writeScript(&b, v, asJSON)
	return b.Bytes()
}

func writeScript(b *bytes.Buffer, v any, asJSON bool) {
	switch v := v.(type) {
	case node:
		b.WriteByte('{')
		for i, k := range slices.Sorted(maps.Keys(v)) {
			if i > 0 {
				b.WriteByte(',')
			}
			b.WriteString(quote(k))
			b.WriteByte(':')
			writeScript(b, v[k], asJSON)
		}
		b.WriteByte('}')
	case []any:
		b.WriteByte('[')
		for i, e := range v {
			if i > 0 {
				b.WriteByte(',')
			}
			writeScript(b, e, asJSON)
		}
		b.WriteByte(']')
	case js:
		if asJSON {
			b.WriteString(quote(v.code))
		} else {
			b.WriteString(v.code)
		}
	default:
		b.WriteString(quote(v))
	}
}

// at follows a path of keys into an option; nil if it leads nowhere.
func at(v any, path ...string) any {
	for _, key := range path {
		m, ok := v.(node)
		if !ok {
			return nil
		}
		v = m[key]
	}
	return v
}

// list gives an option that may be one object or a list of them as a list.
func list(v any) []any {
	switch v := v.(type) {
	case nil:
		return nil
	case []any:
		return v
	}
	return []any{v}
}

// text reads a string of the option, or def.
func text(def string, v any, path ...string) string {
	switch s := at(v, path...).(type) {
	case string:
		return s
	case float64, int:
		return fmt.Sprint(s)
	}
	return def
}

// number reads a number of the option, which go-echarts may have written as a
// text, or def.
func number(def float64, v any, path ...string) float64 {
	switch x := at(v, path...).(type) {
	case float64:
		return x
	case int:
		return float64(x)
	case string:
		if f, err := strconv.ParseFloat(x, 64); err == nil {
			return f
		}
	}
	return def
}

// truth reads a boolean of the option, or def.
func truth(def bool, v any, path ...string) bool {
	if b, ok := at(v, path...).(bool); ok {
		return b
	}
	return def
}
