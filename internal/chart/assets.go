package chart

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"encoding/base64"
	"io"
	"strings"
	"sync"

	"github.com/mpcvm/mpcvm/internal/probitjs"
)

// The parts of Apache ECharts 6.1.0 that tools/echarts bundles: chartTypes and components (wrap.go),
// drawn as SVG. The licence and notices are in the folder echarts.
//
//go:embed echarts/echarts.min.js.gz
var echartsGzip []byte

var (
	// bootJS unpacks ECharts and pageJS once per page, hides ECharts from requirejs, and then runs
	// the code of the charts in order. In the output of a cell that code waits, compressed, in
	// window.mpcvmWait, so a chart may come before or after this script. In a page of WritePage it is
	// in an element of class mpcvm-code before this script. If decompression is not supported, the
	// alternative texts remain.
	//
	//go:embed boot.js
	bootJS string
	//go:embed page.js
	ownJS string

	// pageJS holds the functions that the code of charts calls. A chart in a hidden div waits until
	// it has a width.
	pageJS = probitjs.Source + ownJS
)

const libraryNotice = "<!-- Apache ECharts 6.1.0, Copyright The Apache Software Foundation, Apache " +
	"License 2.0 -->\n"

// boot is the script that unpacks ECharts and pageJS.
var boot = sync.OnceValue(func() string {
	return strings.NewReplacer("ECHARTS", base64.StdEncoding.EncodeToString(echartsGzip), "PAGE",
		Packed(pageJS)).Replace(bootJS)
})

// echartsMade is the script from which boot.js creates ECharts.
var echartsMade = sync.OnceValue(func() string {
	return made("exports,module,define", unzipped(echartsGzip))
})

func library() string { return libraryNotice + "<script>" + boot() + "</script>\n" }

// PageScripts returns the scripts that WritePage adds to each page with charts, and the scripts that
// they create. If the policy of another page allows them, it can show such pages in frames. Only
// functions of go-echarts charts need further scripts.
func PageScripts() []string {
	return []string{boot(), echartsMade(), made("E,unpack", pageJS)}
}

// run returns a script that makes the page run code once ECharts is unpacked. The code may use E and
// show, like JS.
func run(code string) string {
	if code == "" {
		return ""
	}
	return `<script>(window.mpcvmWait=window.mpcvmWait||[]).push("` + Packed(code) + `")</script>` + "\n"
}

// DataBlock returns an HTML element with compressed data for a script.
func DataBlock(class, text string) string {
	return `<script type="text/plain" class="` + class + `">` + Packed(text) + "</script>\n"
}

// made is the script from which boot.js creates a function with these parameters and body.
func made(parameters, body string) string {
	return "mpcvmMade=function(" + parameters + "){" + body + "\n}"
}

var initOnce sync.Once

// Init implements nbhelpers.Init.
func Init() {
	initOnce.Do(func() {
		if !Here.Charts() {
			show(library() +
				`<small style="color:#777">Charts: Apache ECharts, embedded in this cell.</small>`)
		}
	})
}

// Code is embedded in compressed form: gzip, which browsers can decompress (boot.js), in base64,
// which needs no escapes in a script or in the JSON of a notebook.

// Packed returns compressed code as text.
func Packed(code string) string { return base64.StdEncoding.EncodeToString(zipped([]byte(code))) }

// zipped compresses b with gzip, less thoroughly but quickly if it has more than 4 MB, such as a large model.
func zipped(b []byte) []byte {
	var out bytes.Buffer
	level := gzip.BestCompression
	if len(b) > 4<<20 {
		level = gzip.BestSpeed
	}
	z, _ := gzip.NewWriterLevel(&out, level)
	_, _ = z.Write(b) // into memory
	_ = z.Close()
	return out.Bytes()
}

// unzipped is the inverse of zipped.
func unzipped(b []byte) string {
	var out strings.Builder
	z, err := gzip.NewReader(bytes.NewReader(b))
	if err == nil {
		_, err = io.Copy(&out, z) //nolint:gosec // embedded in the program
	}
	if err != nil {
		panic("nbhelpers: " + err.Error())
	}
	return out.String()
}
