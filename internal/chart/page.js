// The functions that the code of charts calls. This is the body of a function that boot.js calls once a page, with
// ECharts as E and with unpack, which returns a Response.

let place = document; // contains the charts of the code that runs

// named returns the elements in a place that have an id. The id may be any text, so it does not become part of a selector.
const named = (where, id) => [...where.querySelectorAll("[id]")].filter(d => d.id === id);

// whenThere calls use for each element of that id in the place that has not been used yet, now or within ten seconds.
const whenThere = (id, use, tries = 40, where = place) => {
  const found = named(where, id).filter(d => !d.mpcvm);
  if (!found.length) return void (tries && setTimeout(whenThere, 250, id, use, tries - 1, where));
  for (const d of found) {
    d.mpcvm = 1;
    use(d);
  }
};

// from gives a label to charts that are at least so many pixels wide, or a shorter one.
let wide; // of the chart that is being drawn
const from = (least, label, less, short) => () => wide >= least ? label : wide >= less ? short : "";

// narrow is an option for a chart of that width: where a column of a legend leaves no room, it becomes a row, and rows that
// would need more room become one with arrows.
const narrow = (option, width) => {
  const { legend: l, grid } = option;
  if (l && l.most > width) return { ...option, legend: { ...l, type: "scroll" },
    grid: grid.map((g, i) => i ? g : { ...g, top: g.top - l.spare }) };
  return !l || l.orient !== "vertical" || !Array.isArray(grid) || width > 480 ? option : { ...option,
    legend: { ...l, orient: "horizontal", left: "3", right: "auto", top: grid[0].top },
    grid: grid.map(g => ({ ...g, top: g.top + 26, right: 12, margin: 12 })) };
};

// alive makes div d a live chart as soon as it has a width. It returns a function that gives the chart another option.
const alive = (d, option, hover) => {
  let chart, show;
  d.style.height = d.style.height || d.dataset.height + "px"; // a picture of it has its own
  if (!Array.isArray(option.grid) || !option.grid.some(g => g.equal)) // a chart alone fills the column of a wide page
    for (const e of [d, d.closest(".mpcvm-frames")]) if (e && e.style.maxWidth === "720px") e.style.maxWidth = "1136px";
  const fit = () => {
    const width = wide = d.clientWidth;
    if (!width) return;
    const fitting = narrow(option, width), [grid] = [].concat(fitting.grid || []);
    if (grid && grid.equal) { // one scale on both axes
      const across = Math.min(grid.most, width - grid.left - grid.margin);
      grid.right = width - grid.left - across;
      d.style.height = Math.round(grid.top + grid.bottom + across * grid.equal) + "px";
      if (chart) chart.setOption({ grid: [{ right: grid.right, top: grid.top }], legend: fitting.legend });
    }
    if (chart) chart.resize();
    else {
      d.textContent = "";
      chart = d.mpcvm = E.init(d, null, { renderer: "svg" });
      chart.setOption(fitting);
      show = readout(d, chart);
      show(hover);
    }
    const t = option.title || {};
    const cut = (s, font) => E.format.truncateText(s || "", width - 20, font + "px Arial,sans-serif", "…");
    if (t.text) chart.setOption({ title: { text: cut(t.text, "bold 15"), subtext: cut(t.subtext, 12) } });
  };
  new ResizeObserver(fit).observe(d);
  fit();
  return (other, what) => {
    option = other;
    hover = what;
    if (!chart) return;
    other = narrow(other, d.clientWidth);
    const legend = chart.getOption().legend;
    chart.setOption(legend && legend[0] && other.legend
      ? { ...other, legend: { ...other.legend, selected: legend[0].selected } } : other, true);
    fit();
    show(hover);
  };
};

// planar gives the probabilities of a model at (x, y); regions_hover.go has the formulas.
const planar = m => {
  const kernel = kernelOf(m.formula);
  const term = { squares: (x, v) => (x - v) ** 2, absolutes: (x, v) => Math.abs(x - v), products: (x, v) => x * v }[m.sum];
  return (x, y) => {
    const a = x - m.at[0], b = y - m.at[1];
    const at = m.map.map(r => r[0] * a + r[1] * b);
    const k = m.vectors.map(v => kernel(at.reduce((s, c, i) => s + term(c, v[i]), v[at.length])));
    const p = probit(m.bias.map((bias, c) => {
      for (let w = m.weights[c], i = 0; i < w.length; i += 2) bias += k[w[i]] * w[i + 1];
      return bias;
    }));
    const rest = m.floor ? Math.max(0, 1 - m.floor.reduce((a, b) => a + b)) : 1;
    return m.floor ? p.map((v, c) => m.floor[c] + rest * v) : p;
  };
};

// ground places a picture of width × height pixels from (x0, y0), its upper left, to (x1, y1). It is scaled by the element, not by its style, because an SVG image would keep its proportions.
const ground = (x0, y0, x1, y1, width, height, image) => (_, api) => {
  const s = api.coord([x0, y0]), t = api.coord([x1, y1]);
  return {
    type: "image", x: s[0], y: s[1], scaleX: (t[0] - s[0]) / width, scaleY: (t[1] - s[1]) / height,
    style: { image, x: 0, y: 0, width, height },
  };
};

// bar draws a bar from value(1) to value(2) in row value(0). Its height is a share of the height of the row.
const bar = (share, fill) => (_, api) => {
  const [row, from, to] = [0, 1, 2].map(i => api.value(i));
  if (from === to) return;
  const s = api.coord([from, row]), t = api.coord([to, row]), height = api.size([0, 1])[1] * share;
  return {
    type: "rect", shape: { x: Math.min(s[0], t[0]), y: s[1] - height / 2, width: Math.max(Math.abs(t[0] - s[0]), 1), height },
    style: { fill, stroke: "#fff", lineWidth: .7 },
  };
};

// group draws a bar with its name from column value(0) to value(1) in row value(2).
const group = (looks, size, font) => (p, api) => {
  const [name, fill, ink] = looks[p.dataIndex], [from, to, row] = [0, 1, 2].map(i => api.value(i));
  const s = api.coord([from, row]), t = api.coord([to, row]), [band, height] = api.size([1, 1]), width = t[0] - s[0] + band;
  const text = E.format.truncateText(name, width - 4, size + "px " + font, "…");
  return {
    type: "group", children: [
      { type: "rect", shape: { x: s[0] - band / 2, y: s[1] - height / 2, width, height }, style: { fill, stroke: "#fff" } },
      { type: "text", x: (s[0] + t[0]) / 2, y: s[1], silent: true, style: { text: text === name || text.length > 3 ? text : "", fill: ink, font: size + "px " + font, align: "center", verticalAlign: "middle" } },
    ],
  };
};

// strokes draws lines, areas and texts at places p in the units of the axes; d shifts a text by pixels.
const strokes = parts => (_, api) => ({
  type: "group", children: parts.map(({ p, s, d }) => {
    const points = p.map(v => api.coord(v));
    return d ? { type: "text", x: points[0][0] + d[0], y: points[0][1] + d[1], style: s }
      : { type: s.stroke ? "polyline" : "polygon", shape: { points }, style: s };
  }),
});

// ticks gives the label of the tick nearest to a value.
const ticks = (at, labels) => v => {
  let best = 0;
  at.forEach((t, i) => Math.abs(t - v) < Math.abs(at[best] - v) && (best = i));
  return labels[best];
};

// nearest gives the probabilities at the nearest place of a grid.
const nearest = async g => {
  const p = new Uint8Array(await (await unpack(g.packed)).arrayBuffer());
  for (let i = 1; i < p.length; i++) p[i] += p[i - 1];
  const step = (v, ends, n) => Math.max(0, Math.min(n - 1, Math.round((v - ends[0]) / (ends[1] - ends[0]) * (n - 1))));
  return (x, y) => {
    const out = [];
    for (let i = step(y, g.y, g.ny) * g.nx + step(x, g.x, g.nx); i < p.length; i += g.nx * g.ny) out.push(p[i] / 100);
    return out;
  };
};

const probability = p => p > .9995 ? "> 0.999" : p < .0005 ? "< 0.001" : p.toFixed(3);
const most = 8; // classes in the readout

// readout shows the probabilities of the classes at the pointer, except on samples. It returns a function that sets the
// classifier.
const readout = (d, chart) => {
  const box = el("div", { class: "mpcvm-hover", hidden: "", style: "position:absolute;z-index:9;pointer-events:none;padding:6px 9px;border:1px solid #8a8f98;border-radius:4px;background:#fffffff2;color:#222;font:12px/1.5 Arial,sans-serif;white-space:nowrap" });
  let of, last;
  const move = e => {
    const at = [e.offsetX, e.offsetY];
    last = e;
    if (!d.mpcvmProba || e.target || !chart.containPixel({ gridIndex: 0 }, at)) return void (box.hidden = true);
    const [x, y] = chart.convertFromPixel({ gridIndex: 0 }, at), p = d.mpcvmProba(x, y);
    const order = p.map((_, c) => c);
    if (p.length > most) order.sort((a, b) => p[b] - p[a]).splice(most);
    box.replaceChildren(...[x, y].map((v, i) => el("div", {}, of.names[i] + ": " + +v.toPrecision(4))),
      ...order.map(c => el("div", { style: "display:flex;gap:6px;align-items:center" },
        el("span", { style: "width:10px;height:10px;background:" + of.colors[c] }),
        el("span", { style: "max-width:240px;overflow:hidden;text-overflow:ellipsis" }, of.classes[c]),
        el("b", { style: "margin-left:auto;padding-left:10px" }, of.model ? probability(p[c]) : "≈ " + p[c].toFixed(2)))));
    box.hidden = false;
    const right = at[0] + 16 + box.offsetWidth > d.clientWidth;
    box.style.left = Math.max(0, right ? at[0] - 16 - box.offsetWidth : at[0] + 16) + "px";
    box.style.top = Math.max(0, Math.min(at[1] + 12, d.clientHeight - box.offsetHeight)) + "px";
  };
  chart.getZr().on("mousemove", move);
  chart.getZr().on("globalout", () => {
    last = null;
    box.hidden = true;
  });
  return async what => {
    of = what;
    d.mpcvmProba = null;
    if (!of) return;
    if (!box.parentNode) {
      d.style.position = "relative";
      d.append(box);
    }
    const proba = of.model ? planar(of.model) : await nearest(of.cells);
    if (of !== what) return;
    d.mpcvmProba = proba;
    if (last) move(last);
  };
};

const number = v => typeof v !== "number" ? "–" : v === 0 || Math.abs(v) >= 1e-3 && Math.abs(v) < 1e6 ? "" + +v.toPrecision(5) : v.toExponential(2);

// fields makes a tooltip of lines with the fields of each series; base in marks.go lists the fields. A series
// that a user added shows its value, or if it answers alone, both coordinates.
const fields = (texts, head, series) => p => {
  const own = s => series[s.seriesIndex] || ["{marker}{series}: *{" + (!Array.isArray(p) || s.value.length !== 2 ? "value}*" : s.axisDim === "y" ? "0}*" : "1}*{away}")];
  const e = E.format.encodeHTML, told = [].concat(p).filter(s => own(s).length);
  const square = color => '<span style="display:inline-block;width:10px;height:10px;margin-right:6px;background:' + color + '"></span>';
  const field = (f, s) => {
    const [at, list] = f.split(" in "), v = at === "#" ? s.dataIndex : s.value[at];
    if (list) return e(texts[list][v]).replace(/\n/g, "<br>");
    if (f === "series" || f === "marker") return f === "marker" ? s.marker : e(s.seriesName);
    if (f === "value") return [].concat(s.value).map(v => typeof v === "number" ? number(v) : e("" + v)).join(", ");
    if (f === "away") return s.value[0] === told[0].value[0] ? "" : " at " + number(s.value[0]);
    return f in texts ? e(texts[f]) : f[0] === "#" ? square(f) : number(v);
  };
  const write = (line, s) => e(line).replace(/\*(.*?)\*/g, "<b>$1</b>").replace(/\{(.*?)\}/g, (_, f) => field(f, s));
  const lines = told.flatMap(s => own(s).map(l => write(l, s)));
  return (head && told[0] ? [write(head, told[0])] : []).concat(lines).join("<br>");
};

// sample makes the tooltip of a sample: [x, y, number], of a set with the likeliest class's probability of each in
// thousandths, and for those that are wrong [likeliest class, thousandths of its own].
const sample = s => p => {
  const [x, y, n] = p.value, [best, own] = s.wrong[n] || [];
  if (n === undefined) return fields({}, "", [])(p); // of a series that a user added
  const line = (...parts) => el("div", {}, ...parts);
  const bold = t => el("b", {}, t), num = v => bold(+(+v).toPrecision(5)), thousandths = v => bold(typeof v === "number" ? (v / 1000).toFixed(3) : "–");
  const box = el("div", {},
    line(el("span", { style: "display:inline-block;width:10px;height:10px;margin-right:6px;background:" + p.color }), p.seriesName + ", sample " + n),
    line(s.names[0] + ": ", num(x)), line(s.names[1] + ": ", num(y)),
    line("likeliest: " + (best === undefined ? p.seriesName : s.classes[best]) + ", probability ", thousandths(s.sure[n])));
  if (best !== undefined) box.append(line("its own: ", thousandths(own)));
  return box;
};

const el = (name, attributes, ...inside) => {
  const e = document.createElement(name);
  for (const k in attributes) e.setAttribute(k, attributes[k]);
  e.append(...inside);
  return e;
};

const button = more => el("button", { type: "button", style: "flex:none;min-width:32px;height:28px;padding:0 8px;border:1px solid #8a8f98;border-radius:4px;background:#fff;color:#222;font:inherit;cursor:pointer", ...more });

// control makes a slider with its label for the bar above chart d. It calls moved(i) when the reader moves it.
const control = (d, { name, labels, start }, moved) => {
  const bar = d.parentNode.querySelector(".mpcvm-bar");
  const input = el("input", { type: "range", min: 0, max: labels.length - 1, step: 1, value: start, "aria-label": name || "frame", style: "flex:1 1 140px;min-width:80px;margin:0;accent-color:#0072b2" });
  const output = el("output", { style: "flex:none;padding:0;font:inherit;font-weight:600;color:inherit;min-width:" + Math.max(...labels.map(l => l.length)) + "ch" });
  const set = i => {
    input.value = i;
    input.setAttribute("aria-valuetext", output.value = labels[i]);
  };
  input.oninput = () => {
    set(+input.value);
    moved(+input.value);
  };
  bar.setAttribute("data-lm-suppress-shortcuts", "true"); // JupyterLab's, which would take the arrow keys
  bar.onkeydown = e => e.stopPropagation();
  set(start);
  return { bar, set, show: (...parts) => bar.querySelector(".mpcvm-still").replaceWith(...parts), parts: [input, el("span", {}, name ? name + ":" : ""), output] };
};

// picked lets the reader choose a frame by pointing at its place in the chart before d in the grid. It returns what
// puts the ring there around the place of frame i.
const picked = (d, at, chosen) => {
  const by = d.closest("tr").querySelector(".mpcvm-chart");
  const ring = el("div", { style: "position:absolute;width:18px;height:18px;margin:-11px 0 0 -11px;box-sizing:content-box;border:2px solid #222;border-radius:50%;pointer-events:none" });
  const pixel = i => by.mpcvm.convertToPixel({ gridIndex: 0 }, at[i]);
  const choose = ({ offsetX, offsetY }) => {
    const away = at.map((_, i) => Math.hypot(...pixel(i).map((v, k) => v - [offsetX, offsetY][k])));
    const least = Math.min(...away);
    if (least < 24) chosen(away.indexOf(least));
  };
  let shown = 0;
  const place = i => {
    shown = i;
    if (!by.mpcvm.convertToPixel) return; // it has no width yet
    if (!ring.parentNode) {
      by.style.position = "relative";
      by.append(ring);
      for (const event of ["mousemove", "click"]) by.mpcvm.getZr().on(event, choose);
    }
    [ring.style.left, ring.style.top] = pixel(i).map(v => v + "px");
  };
  new ResizeObserver(() => place(shown)).observe(by);
  return place;
};

// frames puts a slider over chart d, and a button to play.
const frames = (d, f) => {
  const all = f.frames.map(([option, hover]) => [{ ...option, animation: false }, hover]); // it would run at each move
  const n = all.length, give = alive(d, ...all[f.start]);
  const icon = path => '<svg width="12" height="12" viewBox="0 0 12 12" aria-hidden="true"><path fill="currentColor" d="' + path + '"/></svg>';
  let timer = 0, shown = f.start;
  const step = i => {
    if (i === shown) return;
    shown = i;
    d.setAttribute("aria-label", f.alts[i]);
    give(...all[i]);
    ring(i);
  };
  const c = control(d, f, i => {
    run(false);
    step(i);
  });
  const play = button();
  const next = () => {
    if (shown === n - 1 || !d.isConnected) return run(false);
    c.set(shown + 1);
    step(shown + 1);
  };
  const run = on => {
    clearInterval(timer);
    timer = on ? setInterval(next, Math.max(150, Math.min(900, 9000 / n))) : 0;
    play.innerHTML = icon(on ? "M2 1h3v10h-3zM7 1h3v10h-3z" : "M2 1v10l9-5z");
    play.setAttribute("aria-label", on ? "Pause" : "Play");
  };
  play.onclick = () => {
    if (!timer && shown === n - 1) {
      c.set(0);
      step(0);
    }
    run(!timer);
  };
  run(false);
  c.show(play, ...c.parts);
  const ring = f.at.length ? picked(d, f.at, i => {
    run(false);
    c.set(i);
    step(i);
  }) : () => {};
  ring(shown);
};

// channels is the address of a kernel's messages. It is undefined where the page has no Jupyter server: exported, in VS
// Code, in Colab, on the site.
const channels = kernel => {
  const lab = document.getElementById("jupyter-config-data"), { dataset } = document.body; // JupyterLab and Notebook 7; classic
  const page = lab ? JSON.parse(lab.textContent) : dataset, token = page.token || dataset.jupyterApiToken;
  if (!page.baseUrl) return;
  const url = new URL(page.baseUrl + "api/kernels/" + kernel + "/channels", page.wsUrl || location.href);
  url.protocol = url.protocol.replace("http", "ws");
  if (token) url.searchParams.set("token", token); // else a cookie
  return url.href;
};

// wire tells the program of a cell the newest number, every half second until it answers by heard; after 20 s it calls
// lost. It sends what GoNB's own script in the page would send (docs/FrontEndCommunication.md of GoNB), but that script
// - connects with ws://HOST/api/kernels, neither under https nor below a base URL, as on JupyterHub and Binder;
// - gives up for good if GoNB's answer takes half a second, and loses what it was to send;
// - calls crypto.randomUUID, which is not there if the page comes by http from another machine.
// Last tried: GoNB 0.11.4. GoNB listens to the newest connection only, and tells all which that is.
const wire = (d, { kernel, address }, again, lost) => {
  const name = () => Math.random().toString(36).slice(2), me = name() + name(), to = channels(kernel);
  const own = window.mpcvmPage; // of a page that is a kernel itself
  let socket, open = false, count = 0, number = 0, answered = 0, tries = 0, timer = 0;
  const say = (msg_type, content) => {
    const msg_id = name() + name();
    socket.send(JSON.stringify({ channel: "shell", header: { msg_id, msg_type }, msg_id, msg_type, parent_header: {}, metadata: {}, content }));
  };
  const enter = () => say("comm_open", { comm_id: me, target_name: "gonb_comm", kernel_id: kernel, data: {} });
  const tell = () => {
    const value = me + " " + count + " " + number;
    own ? own.send(address, value) : say("comm_msg", { comm_id: me, data: { address, value } });
  };
  const connect = () => {
    open = false;
    socket = new WebSocket(to);
    socket.onopen = enter;
    socket.onmessage = ({ target, data }) => {
      if (target !== socket || !d.isConnected) return target.close();
      if (!String(data).includes("#comm_open_ack")) return;
      open = JSON.parse(data).content.comm_id === me;
      if (open && answered < count) tell();
    };
  };
  const push = () => {
    clearTimeout(timer);
    if (!d.isConnected) return;
    if (!to && !own || !tries--) return lost();
    if (own) tell();
    else if (!socket || socket.readyState > 1) connect();
    else if (socket.readyState === 1) (open ? tell : enter)();
    timer = setTimeout(() => {
      open = false; // if it was, maybe GoNB has not told
      again(number);
      push();
    }, 500);
  };
  return {
    tell: i => {
      number = i;
      count++;
      tries = 40;
      push();
    },
    heard: (who, n) => {
      if (who !== me) return;
      answered = n;
      if (n === count) clearTimeout(timer);
    },
  };
};

// live puts a slider over chart d that sends its position to the cell's program, until that replaces it. The program
// answers by show.news: whom it has heard, of what count, what it says, and maybe another chart.
const live = (d, s, option, hover) => {
  const give = alive(d, { ...option, animation: false }, hover), status = el("span", { role: "status", style: "flex:none;min-width:9em;color:#5f6368" });
  const waiting = i => status.textContent = i < 0 ? "ending …" : "connecting …";
  const w = wire(d, s, waiting, () => status.textContent = "no connection to the kernel");
  const c = control(d, s, w.tell), end = button({ title: "ends the cell; the chart stays" });
  end.textContent = "Done";
  end.onclick = () => {
    waiting(-1);
    w.tell(-1);
  };
  d.mpcvmNews = (who, n, said, option, hover) => {
    w.heard(who, n);
    status.textContent = said;
    if (option) give({ ...option, animation: false }, hover);
  };
  c.show(...c.parts, status, end);
  waiting(0);
  w.tell(s.start);
};

const show = (id, option, hover) => whenThere(id, d => d.mpcvmGive = alive(d, option, hover));

// functions are all that the code of charts can call as show.NAME.
const functions = {
  __proto__: null, from, ground, bar, group, strokes, ticks, fields, sample,
  live: (id, s, option, hover) => whenThere(id, d => live(d, s, option, hover)),
  news: (id, ...news) => named(place, id).forEach(d => d.mpcvmNews && d.mpcvmNews(...news)),
  frames: (id, f) => whenThere(id, d => frames(d, f)),
};
Object.assign(show, functions);

// run runs the code of charts: calls of show and of functions with JSON values and with what other such calls give. The charts
// are in an element, or anywhere in the page. It evaluates no text, which pages may forbid, and so no function that a wrapped
// chart has.
show.run = (code, where = document) => {
  let at = 0;
  const next = pattern => {
    pattern.lastIndex = at;
    const m = pattern.exec(code);
    at += m ? m[0].length : 0;
    return m && m[0];
  };
  const list = (end, one) => {
    const all = [];
    for (; !next(end); next(/,/y)) all.push(one());
    return all;
  };
  const value = () => {
    if (next(/\[/y)) return list(/\]/y, value);
    if (next(/{/y)) return Object.fromEntries(list(/}/y, () => [next(/\w+(?=:)/y) || value(), next(/:/y) && value()]));
    const f = next(/show(\.\w+)?\(/y);
    return f ? (f === "show(" ? show : functions[f.slice(5, -1)])(...list(/\)/y, value)) : JSON.parse(next(/"([^"\\]+|\\.)*"|[\w.+-]+/y) || "");
  };
  place = where;
  try {
    while (at < code.length) next(/[;\s]+/y) || value();
  } finally {
    place = document;
  }
};
return show;
