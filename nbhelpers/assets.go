package nbhelpers

import (
	_ "embed"
	"encoding/base64"
	"strings"
	"sync"

	"github.com/janpfeifer/gonb/gonbui"
)

// Apache ECharts 6.1.0: dist/echarts.min.js of the npm package echarts, packed
// by gzip -9n. Its licence and notice are in the folder echarts.
//
//go:embed echarts/echarts.min.js.gz
var echartsGz []byte

// pageJS unpacks the library once a page, keeps it out of the way of requirejs, and
// then serves the charts, which queue on window.mpcvmWait and so may stand before
// or after it. A chart that finds its div hidden waits until it has a width; where
// the library cannot be unpacked, the static pictures stay.
//
//go:embed page.js
var pageJS string

const libraryNotice = "<!-- Apache ECharts 6.1.0, Copyright The Apache Software Foundation, Apache License 2.0 -->\n"

func library() string {
	return libraryNotice + "<script>" + strings.Replace(pageJS, "ECHARTS", base64.StdEncoding.EncodeToString(echartsGz), 1) + "</script>\n"
}

var initOnce sync.Once

// Init embeds ECharts (half a megabyte, no network) in the output of this cell;
// all charts of the notebook use it, in whichever cell they stand. Call it in
// one cell of a notebook; further calls in that cell do nothing. Without it
// charts are shown as static pictures. Outside of a notebook it does nothing.
func Init() {
	initOnce.Do(func() {
		gonbui.DisplayHTML(library() + `<small style="color:#777">Charts: Apache ECharts, embedded in this cell.</small>`)
		gonbui.Sync()
	})
}
