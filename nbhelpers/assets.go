package nbhelpers

import (
	_ "embed"
	"encoding/base64"
	"sync"

	"github.com/janpfeifer/gonb/gonbui"
)

// Apache ECharts 6.1.0: dist/echarts.min.js of the npm package echarts, packed
// by gzip -9n. Its licence and notice are in the folder echarts.
//
//go:embed echarts/echarts.min.js.gz
var echartsGz []byte

// libraryHead and libraryTail surround the packed library in base64. The script
// unpacks it once a page, keeps it out of the way of requirejs, and then serves
// the charts, which queue on window.mpcvmWait and so may stand before or after
// it. A chart that finds its div hidden waits until it has a width; where the
// library cannot be unpacked, the static pictures stay.
const (
	libraryHead = `<!-- Apache ECharts 6.1.0, Copyright The Apache Software Foundation, Apache License 2.0 -->
<script>(()=>{const w=window;if(w.mpcvmLib)return;
const show=E=>(id,o)=>{const seek=n=>{const divs=[...document.querySelectorAll('[id="'+id+'"]')].filter(d=>!d.mpcvm);
if(!divs.length){n&&setTimeout(seek,250,n-1);return}
for(const d of divs){d.mpcvm=1;let c;const fit=()=>{const x=d.clientWidth;if(!x)return;
if(c)c.resize();else{d.textContent="";c=E.init(d,null,{renderer:"svg"});c.setOption(o);d.mpcvm=c}
const t=o.title||{},f=(s,n)=>E.format.truncateText(s||"",x-20,n+"px Arial,sans-serif","…");
if(t.text)c.setOption({title:{text:f(t.text,"bold 15"),subtext:f(t.subtext,12)}})};
new ResizeObserver(fit).observe(d);fit()}};seek(40)};
w.mpcvmLib=(async()=>{const b=Uint8Array.from(atob("`
	libraryTail = `"),c=>c.charCodeAt(0));
const t=await new Response(new Blob([b]).stream().pipeThrough(new DecompressionStream("gzip"))).text();
const E={};new Function("exports","module","define",t)(E,{exports:E});w.echarts=w.echarts||E;return E})();
const run=f=>w.mpcvmLib.then(E=>f(E,show(E))).catch(e=>console.warn("mpcvm chart:",e));
(w.mpcvmWait||[]).forEach(run);w.mpcvmWait={push:run}})()</script>
`
)

func library() string {
	return libraryHead + base64.StdEncoding.EncodeToString(echartsGz) + libraryTail
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
