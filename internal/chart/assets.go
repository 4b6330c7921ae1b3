package chart

import (
	_ "embed"
	"encoding/base64"
	"strings"
	"sync"

	"github.com/mpcvm/mpcvm/internal/probitjs"
)

// The part of Apache ECharts 6.1.0 that tools/echarts builds: chartTypes and
// components (wrap.go), drawn as SVG. Its licence and notices are in the folder echarts.
//
//go:embed echarts/echarts.min.js.gz
var echartsGzip []byte

var (
	// bootJS unpacks ECharts and pageJS once a page, hides ECharts from requirejs, and
	// then runs the code of the charts in their order. In the output of a cell that code
	// waits, packed, in window.mpcvmWait, so a chart may stand before or after this script.
	// In a page of WritePage it is in an element of class mpcvm-code before this script.
	// Where nothing can be unpacked, the alternative texts stay.
	//
	//go:embed boot.js
	bootJS string
	//go:embed page.js
	ownJS string

	// pageJS holds the functions that the code of charts calls. A chart whose div is
	// hidden waits until it has a width.
	pageJS = probitjs.Source + ownJS
)

const libraryNotice = "<!-- Apache ECharts 6.1.0, Copyright The Apache Software Foundation, Apache " +
	"License 2.0 -->\n"

// boot is the script that unpacks ECharts and pageJS.
var boot = sync.OnceValue(func() string {
	return strings.NewReplacer("ECHARTS", base64.StdEncoding.EncodeToString(echartsGzip), "PAGE",
		Packed(pageJS)).Replace(bootJS)
})

// echartsMade is the script that boot.js makes of ECharts.
var echartsMade = sync.OnceValue(func() string {
	return made("exports,module,define",
		unzipped(echartsGzip))
})

func library() string { return libraryNotice + "<script>" + boot() + "</script>\n" }

// PageScripts returns the scripts that WritePage writes into each page with charts, and those that they make.
// A page whose policy allows them can show such pages in frames. Only functions of charts of go-echarts need
// further scripts.
func PageScripts() []string {
	return []string{boot(), echartsMade(), made("E,unpack", pageJS)}
}

// run is a script that has the page run code as soon as ECharts is unpacked. The code
// may use E and show, as JS may.
func run(code string) string {
	if code == "" {
		return ""
	}
	return `<script>(window.mpcvmWait=window.mpcvmWait||[]).push("` + Packed(code) + `")</script>` + "\n"
}

// DataBlock is an element of HTML with packed data, which does nothing until a script reads it.
func DataBlock(class, text string) string {
	return `<script type="text/plain" class="` + class + `">` + Packed(text) + "</script>\n"
}

// made is the script that boot.js makes of the parameters and the body of a function.
func made(parameters, body string) string {
	return "mpcvmMade=function(" + parameters + "){" + body + "\n}"
}

var initOnce sync.Once

// Init is nbhelpers.Init.
func Init() {
	initOnce.Do(func() {
		if !here.charts() {
			show(library() +
				`<small style="color:#777">Charts: Apache ECharts, embedded in this cell.</small>`)
		}
	})
}
