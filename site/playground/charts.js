// Charts of a fit: the objective, the number of weights by class, the current weights, and s and q of all candidates.
// @ts-ignore the build makes this module
import echarts from "./echarts.js";
import { question } from "./help.js";
import { Steps } from "./steps.js";
import { calm, colour, el, ink, outline, short, signed, tenTo } from "./look.js";

/**
 * @typedef {object} Step of a fit, as returned by the engine
 * @property {number} iteration
 * @property {number | null} objective
 * @property {number | null} logLik
 * @property {number[]} counts
 * @property {[number, number][]} added
 * @property {[number, number][]} deleted
 * @property {boolean} rejected
 * @property {number} errors
 * @property {number | null} logLoss
 * @property {number[]} bias
 * @property {boolean} factors
 * @property {ArrayLike<number>} flat sample, class and value of each weight in turn
 */
/** @typedef {{s: (number | null)[][], q: (number | null)[][], alpha: (number | null)[][]}} Factors */
/** @typedef {import("./state.js").Point} Point */
/** @typedef {{sample: number, label: number, y: number[], classes: number[]}} Hidden a training point and the potentials of the classes there */
/**
 * @typedef {object} Shown
 * @property {Step[]} steps
 * @property {number} at index of the current step
 * @property {Point[]} points
 * @property {Factors | null} factors
 * @property {string} learner its name
 * @property {import("./state.js").Setup} setup
 * @property {(c: number) => string} name of a class
 */

/** @typedef {"objective" | "counts" | "weights" | "precisions" | "posterior" | "factors"} Kind */

const titles = {
  objective: "Objective, in nats",
  counts: "Number of weights, by class",
  weights: "Weights, by potential",
  precisions: "Precisions α, by potential",
  posterior: "Hidden z of the nearest point",
  factors: "Candidates",
};

export class Charts {
  /** @param {HTMLElement} root @param {(iteration: number) => void} go */
  constructor(root, go) {
    this.root = root;
    this.go = go;
    this.class = 0; // whose candidates are shown
    /** @type {Shown | null} */ this.shown = null;
    /** @type {Hidden | null} */ this.hidden = null;
    this.steps = new Steps(root);
    /** @type {Partial<Record<Kind, any>>} */ this.charts = {};
    /** @type {Set<Kind>} */ this.stale = new Set();
    /** @type {Promise<void> | null} */ this.drawing = null;
    /** @type {Record<Kind, HTMLElement>} */ this.boxes = /** @type {any} */ ({});
    for (const kind of /** @type {Kind[]} */ (Object.keys(titles))) {
      const chart = el("div", { class: "chart", role: "img" }), box = el("figure", { class: kind }, el("figcaption", {}, el("span", {}, titles[kind]), el("span", {}, ...question(titles[kind], () => kind))), chart);
      if (kind === "factors") {
        const classes = this.classes = el("select", { "aria-label": "Class of the candidates" });
        classes.addEventListener("change", () => {
          this.class = +classes.value;
          this.factors();
        });
        box.firstElementChild?.lastElementChild?.prepend(classes, " ");
      }
      this.boxes[kind] = box;
      root.append(box);
      new ResizeObserver(() => this.charts[kind]?.resize()).observe(chart);
    }
    this.boxes.factors.hidden = this.boxes.posterior.hidden = true;
  }

  /** clear hides all charts while there is no model. */
  clear() {
    this.shown = null;
    this.stale.clear();
    this.root.hidden = true;
  }

  /** restart recreates all charts in a new colour scheme. */
  restart() {
    for (const c of Object.values(this.charts)) c.dispose();
    this.charts = {};
    if (this.shown) void this.show(this.shown).then(() => this.mark("factors"));
  }

  /** give sets the option of a chart. @param {Kind} kind @param {string} text describes the chart in words @param {any} option */
  give(kind, text, option) {
    const box = /** @type {HTMLElement} */ (this.boxes[kind].querySelector(".chart"));
    if (!box.clientWidth) return;
    box.setAttribute("aria-label", text);
    let chart = this.charts[kind];
    const fresh = !chart;
    if (!chart) {
      chart = this.charts[kind] = echarts.init(box, null, { renderer: "svg" });
      if (kind === "objective" || kind === "counts") {
        chart.getZr().on("click", (/** @type {any} */ e) => {
          if (chart.containPixel({ gridIndex: 0 }, [e.offsetX, e.offsetY])) this.go(Math.round(chart.convertFromPixel({ gridIndex: 0 }, [e.offsetX, e.offsetY])[0]));
        });
      }
    }
    chart.setOption(option, { notMerge: fresh, replaceMerge: ["series"] });
  }

  /** axis returns an axis in the colours of the page. @param {any} more */
  axis(more) {
    const { faint, line } = ink();
    return {
      nameTextStyle: { color: faint, fontSize: 11 }, axisLabel: { color: faint, fontSize: 11, hideOverlap: true, ...more.label },
      axisLine: { show: true, lineStyle: { color: faint } }, axisTick: { lineStyle: { color: faint } }, splitLine: { show: !!more.lines, lineStyle: { color: line } },
      nameLocation: "middle", ...more, label: undefined, lines: undefined,
    };
  }

  /** @param {any} more */
  base(more) {
    return {
      animation: false, textStyle: { fontFamily: "system-ui, sans-serif" },
      grid: { left: 52, right: 14, top: 10, bottom: 34 },
      tooltip: {
        trigger: "item", confine: true, transitionDuration: calm() ? 0 : .2, backgroundColor: ink().ground, borderColor: ink().faint,
        textStyle: { color: ink().text, fontSize: 12 }, padding: [4, 8],
      },
      ...more,
    };
  }

  /** show draws a step. Each chart is drawn in a separate task. @param {Shown} shown */
  show(shown) {
    this.shown = shown;
    this.boxes.objective.hidden = this.boxes.counts.hidden = shown.steps.length < 2;
    this.root.hidden = false;
    const { steps, at, setup } = shown, now = steps[at];
    this.boxes.factors.hidden = !now?.factors;
    this.boxes.precisions.hidden = !now?.factors && !topDown.includes(setup.learner);
    if (now) this.steps.show(setup.learner, now, steps[at - 1]);
    return this.mark("objective", "counts", "weights", ...(topDown.includes(setup.learner) ? /** @type {Kind[]} */ (["precisions"]) : [])); // the factors come later
  }

  /** ask shows the hidden variables of a training point, or hides them if it is null. @param {Hidden | null} hidden */
  ask(hidden) {
    this.hidden = hidden;
    this.boxes.posterior.hidden = !hidden;
    if (hidden) return this.mark("posterior");
  }

  /** mark schedules charts to be redrawn. @param {...Kind} kinds */
  mark(...kinds) {
    for (const k of kinds) this.stale.add(k);
    return this.drawing ??= this.draw().finally(() => this.drawing = null);
  }

  async draw() {
    for (let [kind] = this.stale; kind; [kind] = this.stale) {
      await new Promise(done => setTimeout(done));
      this.stale.delete(kind);
      if (!this.boxes[kind].hidden) this[kind]();
    }
  }

  /** candidates shows new factors. @param {Factors} factors */
  candidates(factors) {
    if (!this.shown) return;
    this.shown.factors = factors;
    return this.mark("factors", "precisions");
  }

  /** cursor marks the current iteration. @param {number} x */
  cursor(x) {
    return { silent: true, symbol: "none", animation: false, label: { show: false }, lineStyle: { color: ink().text, width: 1.5, type: "solid" }, data: [{ xAxis: x }] };
  }

  objective() {
    const { steps, at, learner } = /** @type {Shown} */ (this.shown), now = steps[at];
    const rows = steps.filter(s => s.objective !== null).map(s => [s.iteration, s.objective]);
    const text = rows.length ? `Objective of ${learner}: ${short(/** @type {number} */ (rows[0][1]))} after the first iteration, ${short(/** @type {number} */ (rows[rows.length - 1][1]))} after the last, in nats.`
      : `${learner} has no objective per iteration.`;
    this.give("objective", text, this.base({
      xAxis: this.axis({ type: "value", name: "iteration", nameGap: 20, min: 1, max: Math.max(2, steps[steps.length - 1]?.iteration ?? 2), minInterval: 1 }),
      yAxis: this.axis({ type: "value", scale: true, splitNumber: 3, lines: true, label: { formatter: (/** @type {number} */ v) => short(v, 4) } }),
      series: [{
        id: "objective", type: "line", data: rows, showSymbol: rows.length === 1, symbolSize: 6, lineStyle: { color: ink().text, width: 2 }, itemStyle: { color: ink().text }, name: "objective",
        markLine: this.cursor(now?.iteration ?? 1),
        tooltip: { formatter: (/** @type {any} */ p) => `iteration ${p.value[0]}: ${short(p.value[1], 5)} nats` },
      }],
    }));
  }

  counts() {
    const { steps, at, name } = /** @type {Shown} */ (this.shown), now = steps[at];
    const classes = now?.counts.map((_, c) => c).filter(c => steps.some(s => s.counts[c])) ?? [];
    const text = "Non-zero weights: " + classes.map(c => `${name(c)} ${now.counts[c]}`).join(", ") + ".";
    const most = Math.max(1, ...steps.flatMap(s => s.counts));
    this.give("counts", text, this.base({
      xAxis: this.axis({ type: "value", name: "iteration", nameGap: 20, min: 1, max: Math.max(2, steps[steps.length - 1]?.iteration ?? 2), minInterval: 1 }),
      yAxis: this.axis({ type: "value", min: 0, max: most > 4 ? undefined : 4, splitNumber: 3, minInterval: 1, lines: true }),
      series: classes.map((c, i) => ({
        id: "line" + c, type: "line", name: name(c), step: "end", data: steps.map(s => [s.iteration, s.counts[c]]), showSymbol: false,
        lineStyle: { color: colour(c), width: 2.2, type: ["solid", "dashed", "dotted", [8, 3, 2, 3]][i % 4] }, itemStyle: { color: colour(c) },
        ...(i ? {} : { markLine: this.cursor(now?.iteration ?? 1) }),
      })).concat(/** @type {any} */ (classes.map(c => ({
        id: "now" + c, type: "scatter", silent: true, symbol: "path://" + outline(c), symbolSize: 9, itemStyle: { color: colour(c), borderColor: ink().rim, borderWidth: 1 }, data: [[now.iteration, now.counts[c]]], z: 5,
      })))),
    }));
  }

  weights() {
    const { steps, at, points, name } = /** @type {Shown} */ (this.shown), now = steps[at];
    if (!now) return;
    const { flat: w } = now, classes = now.counts.map((_, c) => c).filter(c => points.some(p => p[2] === c));
    /** @type {Map<number, any[]>} */ const by = new Map();
    for (let i = 0; i < w.length; i += 3) {
      const own = points[w[i]]?.[2] ?? 0, row = classes.indexOf(w[i + 1]);
      if (!by.has(own)) by.set(own, []);
      by.get(own)?.push([w[i + 2], row, w[i]]);
    }
    const count = w.length / 3, widest = Math.max(...classes.map(c => name(c).length), 1);
    this.give("weights", `${count} weights: ` + classes.map(c => `potential of ${name(c)} has ${now.counts[c]}`).join(", ") + ".", this.base({
      grid: { left: Math.min(90, 24 + 6.5 * widest), right: 14, top: 6, bottom: 34 },
      xAxis: this.axis({ type: "value", name: this.boxes.weights.clientWidth < 270 ? "weight" : "weight (mark: class of the vector)", nameGap: 20, splitNumber: 4, lines: true, label: { formatter: (/** @type {number} */ v) => short(v) } }),
      yAxis: this.axis({ type: "category", inverse: true, data: classes.map(name), label: { width: 76, overflow: "truncate", formatter: (/** @type {string} */ s) => s } }),
      series: [...by].map(([own, rows]) => ({
        id: "own" + own, type: "scatter", name: name(own), symbol: "path://" + outline(own), symbolSize: 10, data: rows,
        itemStyle: { color: colour(own), borderColor: ink().rim, borderWidth: .8, opacity: .9 },
        tooltip: { formatter: (/** @type {any} */ p) => `point ${p.value[2] + 1}: ${signed(p.value[0])}` },
        markLine: { silent: true, symbol: "none", animation: false, label: { show: false }, lineStyle: { color: ink().faint, type: "solid" }, data: [{ xAxis: 0 }] },
      })),
    }));
  }

  precisions() {
    const { steps, at, points, name, factors, setup } = /** @type {Shown} */ (this.shown), now = steps[at], { flat: w } = now;
    const classes = now.counts.map((_, c) => c).filter(c => points.some(p => p[2] === c));
    /** @type {Map<number, any[]>} */ const by = new Map();
    for (let i = 0; i < w.length; i += 3) {
      const [n, c, v] = [w[i], w[i + 1], w[i + 2]], alpha = topDown.includes(setup.learner) ? (2 * (setup.u1 || 1e-5) + 1) / (v * v + 2 * (setup.v1 || 1e-5)) : factors?.alpha[c]?.[n];
      const own = points[n]?.[2] ?? 0;
      if (alpha) by.set(own, [...(by.get(own) ?? []), [alpha, classes.indexOf(c), n]]);
    }
    const all = [...by.values()].flat().map(v => v[0]), lo = 10 ** Math.floor(Math.log10(Math.min(1, ...all))), prune = topDown.includes(setup.learner) ? setup.prune || 1e4 : 0;
    const hi = 10 ** Math.ceil(Math.log10(Math.max(10, prune, ...all))), widest = Math.max(...classes.map(c => name(c).length), 1);
    this.give("precisions", all.length ? `Precisions of ${all.length} weights, from ${short(Math.min(...all))} to ${short(Math.max(...all))}.` : "No weights.", this.base({
      grid: { left: Math.min(90, 24 + 6.5 * widest), right: 14, top: 6, bottom: 34 },
      xAxis: this.axis({ type: "log", name: this.boxes.precisions.clientWidth < 270 ? "α" : "α (mark: class of the vector)", nameGap: 20, min: lo, max: hi, label: { formatter: power } }),
      yAxis: this.axis({ type: "category", inverse: true, data: classes.map(name), label: { width: 76, overflow: "truncate" } }),
      series: [...by].map(([own, rows], i) => ({
        id: "own" + own, type: "scatter", name: name(own), symbol: "path://" + outline(own), symbolSize: 10, data: rows,
        itemStyle: { color: colour(own), borderColor: ink().rim, borderWidth: .8, opacity: .9 },
        tooltip: { formatter: (/** @type {any} */ p) => `point ${p.value[2] + 1}: α = ${short(p.value[0])}` },
        ...(prune && !i ? { markLine: { silent: true, symbol: "none", animation: false, label: { show: false }, lineStyle: { color: ink().faint, type: "dashed" }, data: [{ xAxis: prune }] } } : {}),
      })),
    }));
  }

  posterior() {
    const { name } = /** @type {Shown} */ (this.shown), h = this.hidden;
    if (!h) return;
    const { z, before, after, mean } = hiddenOf(h.y, h.classes.indexOf(h.label));
    const top = Math.max(...after.flat(), .4) * 1.08;
    this.give("posterior", `Point ${h.sample + 1} of ${name(h.label)}: ` + h.classes.map((c, i) => `of ${name(c)} y = ${short(h.y[i])} and z̄ = ${short(mean[i])}`).join(", ") + ".", this.base({
      grid: { left: 34, right: 14, top: 10, bottom: 34 },
      xAxis: this.axis({ type: "value", name: `z of point ${h.sample + 1} (${name(h.label)})`, nameGap: 20, min: z[0], max: z[z.length - 1], label: { formatter: (/** @type {number} */ v) => short(v) } }),
      yAxis: this.axis({ type: "value", min: 0, max: top, axisLine: { show: true, onZero: false, lineStyle: { color: ink().faint } }, splitNumber: 2, label: { formatter: (/** @type {number} */ v) => v > top - .01 ? "" : short(v) } }),
      series: h.classes.flatMap((c, i) => [
        { id: "before" + c, type: "line", silent: true, symbol: "none", data: z.map((v, k) => [v, before[i][k]]), lineStyle: { color: colour(c), width: 1.3, type: "dashed" } },
        { id: "after" + c, type: "line", silent: true, symbol: "none", data: z.map((v, k) => [v, after[i][k]]), lineStyle: { color: colour(c), width: 2.2 } },
        { id: "mean" + c, type: "scatter", name: name(c), symbol: "path://" + outline(c), symbolSize: 11, z: 5, data: [[mean[i], 0]], itemStyle: { color: colour(c), borderColor: ink().text, borderWidth: 1.5 },
          tooltip: { formatter: () => `${name(c)}: y = ${short(h.y[i])}, z̄ = ${short(mean[i])}` } },
      ]),
    }));
  }

  factors() {
    const { points, factors, name } = /** @type {Shown} */ (this.shown);
    if (!factors) return;
    const present = factors.s.map((_, c) => c).filter(c => factors.s[c].length);
    if (!present.includes(this.class)) this.class = present[0] ?? 0;
    const options = present.map(c => `${c}:${name(c)}`).join();
    if (this.classes && this.classes.dataset.options !== options) {
      this.classes.dataset.options = options;
      this.classes.replaceChildren(...present.map(c => el("option", { value: c }, name(c))));
    }
    if (this.classes) this.classes.value = String(this.class);
    const c = this.class, all = factors.s[c].map((s, i) => {
      const q = /** @type {number} */ (factors.q[c][i]), right = (points[i]?.[2] === c) === q > 0;
      return { value: [Number(s), Math.max(q * q, 1e-6), i], in: factors.alpha[c][i] !== null, right, own: points[i]?.[2] ?? 0 };
    }).filter(d => d.value[0] > 0 && d.value[1] > 0);
    const inside = all.filter(d => d.in).length, fit = all.filter(d => !d.in && d.right && d.value[1] > d.value[0]).length;
    const range = all.flatMap(d => [d.value[0], Math.max(d.value[1], d.value[0] * 1e-3)]);
    const lo = 10 ** Math.floor(Math.log10(Math.min(1, ...range))), hi = 10 ** Math.ceil(Math.log10(Math.max(1, ...range)));
    for (const d of all) d.value[1] = Math.max(d.value[1], lo);
    const kinds = [...new Set(all.map(d => d.own))];
    this.give("factors", `Candidates of ${name(c)}: ${inside} in the model, ${fit} others with q² > s and the right sign.`, this.base({
      grid: { left: 52, right: 14, top: 10, bottom: 34 },
      xAxis: this.axis({ type: "log", name: "s (sparsity factor)", nameGap: 20, min: lo, max: hi, label: { formatter: power } }),
      yAxis: this.axis({ type: "log", name: "q²", nameGap: 34, min: lo, max: hi, label: { formatter: power } }),
      series: [
        { id: "equal", type: "line", silent: true, symbol: "none", data: [[lo, lo], [hi, hi]], lineStyle: { color: ink().faint, type: "dashed", width: 1.5 } },
        // All marks of a class are one path, because one element per candidate would be slow.
        ...kinds.flatMap(own => [true, false].map(right => ({
          id: `out${own}${right}`, type: "custom", silent: true, data: [[lo, lo]],
          renderItem: (/** @type {any} */ _, /** @type {any} */ api) => ({
            type: "path", silent: true, shape: { pathData: all.filter(d => !d.in && d.own === own && d.right === right).map(d => stamp(own, 3.4, api.coord(d.value))).join("") || "M0 0" },
            style: { fill: right ? colour(own) : "none", stroke: colour(own), lineWidth: right ? 0 : 1 },
          }),
        }))),
        ...kinds.map(own => ({
          id: "in" + own, type: "scatter", symbol: "path://" + outline(own), symbolSize: 11, z: 5,
          data: all.filter(d => d.in && d.own === own).map(d => d.value), itemStyle: { color: colour(own), borderColor: ink().text, borderWidth: 2 },
          tooltip: { formatter: (/** @type {any} */ p) => `point ${p.value[2] + 1}: s = ${short(p.value[0])}, q² = ${short(p.value[1])}` },
        })),
      ],
    }));
  }
}

const topDown = ["mpcvm1", "mpcvm1-published"];

/** density returns the density of the standard normal distribution. @param {number} x */
const density = x => Math.exp(-x * x / 2) / Math.sqrt(2 * Math.PI);

/**
 * hiddenOf returns the densities of the hidden variables z of a point with potentials y on a grid, before and after its label
 * t is known, and their means given the label, whose z is then the largest. Integrals are sums over the grid, with step 1/40.
 * @param {number[]} y @param {number} t
 */
export const hiddenOf = (y, t) => {
  const step = 1 / 40, from = Math.floor(Math.min(...y) - 4), n = Math.round((Math.ceil(Math.max(...y) + 4) - from) / step) + 1;
  const z = Array.from({ length: n }, (_, k) => from + k * step), before = y.map(v => z.map(u => density(u - v)));
  const below = before.map(p => { // Φ(z − y), from below
    let sum = 0;
    return p.map(v => (sum += v * step) - v * step / 2);
  });
  const others = /** @param {...number} without */ (...without) => z.map((_, k) => y.reduce((f, _, c) => without.includes(c) ? f : f * below[c][k], 1));
  const after = y.map((_, c) => {
    const rest = others(t, c), own = before[t].map((p, k) => p * rest[k]);
    let sum = 0;
    const above = c === t ? rest : own.map((_, k) => k).reverse().map(k => (sum += own[k] * step) - own[k] * step / 2).reverse();
    const p = before[c].map((v, k) => v * above[k]), total = p.reduce((a, v) => a + v, 0) * step;
    return p.map(v => v / total);
  });
  return { z, before, after, mean: after.map(p => p.reduce((a, v, k) => a + v * z[k], 0) * step) };
};

/** power formats a label of a logarithmic axis. @param {number} v */
const power = v => v >= .01 && v <= 1000 ? short(v) : tenTo(Math.round(Math.log10(v)));

/** stamp returns the path of a mark. @param {number} c class @param {number} r half of its width @param {number[]} at */
const stamp = (c, r, [x, y]) => {
  const corners = c % 8 ? [...outline(c).matchAll(/(-?[\d.]+) (-?[\d.]+)/g)].map(m => [+m[1], +m[2]]) : circle;
  return corners.map(([u, v], i) => `${i ? "L" : "M"}${(x + r * u).toFixed(1)} ${(y + r * v).toFixed(1)}`).join("") + "Z";
};
const circle = Array.from({ length: 10 }, (_, i) => [Math.cos(i * Math.PI / 5), Math.sin(i * Math.PI / 5)]);
