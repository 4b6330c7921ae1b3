package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/mpcvm/mpcvm/internal/testkit/must"
)

// draw imitates a chart drawn by ECharts, for a test page.
const draw = `<script>
const chart = document.querySelector(".mpcvm-chart");
chart.setAttribute("_echarts_instance_", "1");
const pen = Object.assign(chart.appendChild(document.createElement("canvas")), {width: 300, height: 200}).getContext("2d");
</script>`

// TestPage tests all faults of a page, with its scripts or without, and that good pages pass.
func TestPage(t *testing.T) {
	const div = `<div class="mpcvm-chart" style="width:300px;height:200px"></div>`
	const stroke = `<script>pen.fillRect(50, 50, 100, 100)</script>`
	const good = div + draw + stroke
	picture := func(inside string) string {
		return `<div class="mpcvm-chart" style="width:300px;height:200px">` + inside + `</div>`
	}
	tests := []struct{ name, body, want string }{
		{"good", good, ""},
		{"late", div + draw + `<script>setTimeout(() => pen.fillRect(50, 50, 100, 100), 500)</script>`, ""},
		{"svg", div + `<script>const chart = document.querySelector(".mpcvm-chart");
			chart.setAttribute("_echarts_instance_", "1");
			chart.innerHTML = '<svg width="300" height="200"><path d="M0 0L300 200" stroke="red" stroke-width="9"/></svg>'</script>`, ""},
		{"no chart", "<p>text</p>", "0 charts"},
		{"no instance", div, "chart 1: no ECharts instance"},
		{"blank canvas", div + draw, "chart 1: nothing is drawn"},
		{"white on white", div + draw + `<script>pen.fillStyle = "#fff"; pen.fillRect(50, 50, 100, 100)</script>`,
			"chart 1: blank"},
		{"hidden", `<div style="display:none">` + good + `</div>`, "chart 1: has no size"},
		{"exception", good + `<script>undefinedFunction()</script>`, "undefinedFunction"},
		{"console", good + `<script>console.error("broken", 7)</script>`, "broken"},
		{"network", good + `<script src="https://cdn.example/echarts.js"></script>`, "network request: " +
			"https://cdn.example/echarts.js"},
		{"missing file", good + `<img src="missing.png">`, "missing.png"},
		{"dead slider", `<div class="mpcvm-frames"><input type="range" min="0" max="3" value="1" aria-valuetext="1">` + div +
			`</div>` + draw + `<script>chart.innerHTML = '<svg width="300" height="200"><path d="M0 0L300 200" stroke="red" stroke-width="9"/></svg>'</script>`,
			"the slider has no effect"},
		{"no readout", good + `<script>chart.insertAdjacentHTML("beforeend", '<div class="mpcvm-hover" hidden></div>')</script>`,
			"no probabilities at the pointer"},
		{"untrusted, no text", picture(`<script>document.write("<img>")</script>`), "no picture and no text"},
		{"untrusted, broken", picture(`<img src="data:image/png;base64,AAAA">`), "the picture is broken"},
		{"untrusted, blank", picture(`<img src="data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' width='9' height='9'/%3E">`),
			"blank"},
	}
	ctx := chromium(t)
	l := looker{out: t.TempDir(), min: 1, wait: 2 * time.Second}
	for i, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			file := filepath.Join(l.out, fmt.Sprintf("%d.html", i))
			must.OK(t, os.WriteFile(file, []byte("<!DOCTYPE html><body>"+tt.body), 0o644))
			var faults []string
			if strings.HasPrefix(tt.name, "untrusted") {
				faults = l.untrusted(ctx, file)
			} else {
				_, faults = l.page(ctx, file)
			}
			got := strings.Join(faults, "\n")
			if (got == "") != (tt.want == "") || !strings.Contains(got, tt.want) {
				t.Errorf("faults %q, want %q", got, tt.want)
			}
		})
	}
}
