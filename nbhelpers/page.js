// What a page with charts needs besides ECharts: once a page, in the way that assets.go says.
(() => {
  const w = window;
  if (w.mpcvmLib) return;

  // whenThere calls use for each element of that id that has not been used yet, now or within ten seconds.
  const whenThere = (id, use, tries = 40) => {
    const found = [...document.querySelectorAll('[id="' + id + '"]')].filter(d => !d.mpcvm);
    if (!found.length) return void (tries && setTimeout(whenThere, 250, id, use, tries - 1));
    for (const d of found) {
      d.mpcvm = 1;
      use(d);
    }
  };

  // alive makes div d a chart as soon as it has a width. What it returns gives it another option.
  const alive = (E, d, option) => {
    let chart;
    const fit = () => {
      const width = d.clientWidth;
      if (!width) return;
      if (chart) chart.resize();
      else {
        d.textContent = "";
        chart = d.mpcvm = E.init(d, null, { renderer: "svg" });
        chart.setOption(option);
      }
      const t = option.title || {};
      const cut = (s, font) => E.format.truncateText(s || "", width - 20, font + "px Arial,sans-serif", "…");
      if (t.text) chart.setOption({ title: { text: cut(t.text, "bold 15"), subtext: cut(t.subtext, 12) } });
    };
    new ResizeObserver(fit).observe(d);
    fit();
    return other => {
      option = other;
      if (!chart) return;
      const legend = chart.getOption().legend;
      chart.setOption(legend && legend[0] && other.legend
        ? { ...other, legend: { ...other.legend, selected: legend[0].selected } } : other, true);
      fit();
    };
  };

  const el = (name, attributes, ...inside) => {
    const e = document.createElement(name);
    for (const k in attributes) e.setAttribute(k, attributes[k]);
    e.append(...inside);
    return e;
  };

  // frames puts a slider and a button to play in the bar above chart d.
  const frames = (E, d, f) => {
    const n = f.options.length, bar = d.parentNode.querySelector(".mpcvm-bar");
    const give = alive(E, d, f.options[f.start]);
    const icon = path => '<svg width="12" height="12" viewBox="0 0 12 12" aria-hidden="true"><path fill="currentColor" d="' + path + '"/></svg>';
    const play = el("button", { type: "button", style: "flex:none;width:32px;height:28px;padding:0;border:1px solid #8a8f98;border-radius:4px;background:#fff;color:#222;cursor:pointer" });
    const slider = el("input", { type: "range", min: 0, max: n - 1, step: 1, value: f.start, "aria-label": f.name || "frame", style: "flex:1 1 140px;min-width:80px;margin:0;accent-color:#0072b2" });
    const width = Math.max(...f.labels.map(l => l.length));
    const label = el("output", { style: "flex:none;min-width:" + width + "ch;font-weight:600" });
    let timer = 0, shown = f.start;
    const go = i => {
      slider.value = shown = i;
      slider.setAttribute("aria-valuetext", f.labels[i]);
      label.textContent = f.labels[i];
      d.setAttribute("aria-label", f.alts[i]);
    };
    const step = i => {
      if (i === shown) return;
      go(i);
      give(f.options[i]);
    };
    const run = on => {
      clearInterval(timer);
      timer = on ? setInterval(() => shown < n - 1 && bar.isConnected ? step(shown + 1) : run(false), Math.max(150, Math.min(900, 9000 / n))) : 0;
      play.innerHTML = icon(on ? "M2 1h3v10h-3zM7 1h3v10h-3z" : "M2 1v10l9-5z");
      play.setAttribute("aria-label", on ? "Pause" : "Play");
    };
    play.onclick = () => {
      if (!timer && shown === n - 1) step(0);
      run(!timer);
    };
    slider.oninput = () => {
      run(false);
      step(+slider.value);
    };
    bar.setAttribute("data-lm-suppress-shortcuts", "true"); // JupyterLab's, which would take the arrow keys
    bar.onkeydown = e => e.stopPropagation();
    bar.querySelector(".mpcvm-still").replaceWith(play, slider, el("span", {}, f.name ? f.name + ":" : ""), label);
    go(f.start);
    run(false);
  };

  const serve = E => {
    const show = (id, option) => whenThere(id, d => alive(E, d, option));
    show.frames = (id, f) => whenThere(id, d => frames(E, d, f));
    return show;
  };

  w.mpcvmLib = (async () => {
    const packed = Uint8Array.from(atob("ECHARTS"), c => c.charCodeAt(0));
    const text = await new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"))).text();
    const E = {};
    new Function("exports", "module", "define", text)(E, { exports: E });
    w.echarts = w.echarts || E;
    return E;
  })();
  const run = f => w.mpcvmLib.then(E => f(E, serve(E))).catch(e => console.warn("mpcvm chart:", e));
  (w.mpcvmWait || []).forEach(run);
  w.mpcvmWait = { push: run };
})()
