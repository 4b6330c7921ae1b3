// The controls: presets, drawing, and the options of the learners.
import { question } from "./help.js";
import { by, colour, el, mark, set, short, svg, touch } from "./look.js";
import { defaultSetup, mostClasses, redrawn } from "./state.js";

/** @typedef {import("./state.js").Setup} Setup */
/** @typedef {import("./state.js").State} State */
/** @typedef {import("./state.js").Slot} Slot */
/** @typedef {import("./plane.js").Tool} Tool */

/** @type {Record<string, string>} */
export const learners = {
  mpcvm1: "mPCVM₁, top-down", mpcvm2: "mPCVM₂, bottom-up", "mpcvm1-published": "mPCVM₁ as published", "mpcvm2-published": "mPCVM₂ as published",
  "kernel-prior": "Kernel prior", mrvm2: "mRVM₂", svm: "SVM",
};
/** @type {Record<string, string>} */
export const kernels = {
  rbf: "RBF, exp(−θr²)", laplacian: "Laplacian, exp(−θ|x − x′|)", "rational-laplacian": "Rational Laplacian", matern32: "Matérn 3/2", matern52: "Matérn 5/2",
  "rational-quadratic": "Rational quadratic", linear: "Linear", polynomial: "Polynomial",
};
/** @type {Record<string, string>} */
export const presets = { overlap: "Overlap", overclass: "Overclass", rings: "Rings", moons: "Moons", petals: "Petals", xor: "XOR", noise: "Noise" };

/** decades returns round numbers, ten for each power of ten. @param {number} from @param {number} to */
const decades = (from, to) => {
  const out = [];
  for (let e = from; e < to; e++) for (const m of [1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8]) out.push(+(m * 10 ** e).toPrecision(2));
  return [...out, 10 ** to];
};
const bottomUp = ["mpcvm2"], topDown = ["mpcvm1", "mpcvm1-published"];

/**
 * @typedef {object} Option
 * @property {(keyof Setup)[]} keys the fields that it sets
 * @property {string} label
 * @property {string} help
 * @property {number[]} stops of the slider
 * @property {string} [zero] what 0 means
 * @property {string[]} [learners] to which it applies; all by default
 * @property {string[]} [kernels] to which it applies; all by default
 */
export const widths = ["rbf", "laplacian", "rational-laplacian", "matern32", "matern52", "rational-quadratic"];
/** @type {Option[]} */
const options = [
  { keys: ["theta"], label: "Width θ", help: "A larger θ makes narrower bumps", stops: [0, ...decades(-3, 2)], zero: "chosen by cross-validation", kernels: widths },
  { keys: ["alpha"], label: "Shape α", help: "Large values approach the RBF kernel", stops: decades(-1, 2), kernels: ["rational-quadratic"] },
  { keys: ["degree"], label: "Degree", help: "The power of the polynomial", stops: [1, 2, 3, 4, 5, 6], kernels: ["polynomial"] },
  { keys: ["offset"], label: "Offset", help: "A constant added to the product", stops: [0, ...decades(-1, 1)], kernels: ["linear", "polynomial"] },
  { keys: ["power"], label: "Likelihood power β", help: "Raises the likelihood to this power; larger values keep more vectors", stops: decades(0, 2), learners: bottomUp },
  { keys: ["additions"], label: "Additions per epoch", help: "How many basis functions a class may add in one iteration", stops: [0, 1, 2, 3, 5, 10], zero: "2 (default)", learners: bottomUp },
  { keys: ["u1", "v1", "u2", "v2"], label: "Gamma prior u = v", help: "The shape and rate of the priors of the precisions", stops: [0, 1e-4, 1e-3, .01, .03, .1, .3], zero: "10⁻⁵ (default)", learners: topDown },
  { keys: ["prune"], label: "Pruning threshold of α", help: "A weight with a larger precision is set to zero", stops: [0, ...decades(1, 4)], zero: "10⁴ (default)", learners: topDown },
  { keys: ["scale"], label: "Prior variance s²", help: "With a larger variance, the model follows the points more closely", stops: decades(0, 4), learners: ["kernel-prior"] },
  { keys: ["keep"], label: "Share of weights kept", help: "The model is reduced to about this share of its weights", stops: [0, .02, .05, .1, .2, .3, .5], zero: "all", learners: ["kernel-prior"] },
  { keys: ["c"], label: "Penalty C of errors", help: "The upper bound of the coefficients", stops: decades(-2, 3), learners: ["svm"] },
  { keys: ["seed"], label: "Seed", help: "The seed of the random start", stops: Array.from({ length: 21 }, (_, i) => i), learners: ["mpcvm1-published", "mpcvm2-published", "svm"] },
  { keys: ["maxIterations"], label: "Iterations", help: "The maximum number of iterations", stops: [0, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000], zero: "default limit", learners: Object.keys(learners).filter(l => l !== "svm") },
];

/** The options of a draw from a preset. @type {{key: "count" | "noise", label: string, help: string, stops: number[], zero: string}[]} */
const sources = [
  { key: "count", label: "Number of points", help: "The number of points drawn from the source", stops: [0, 20, 30, 40, 60, 80, 100, 150, 200, 300, 400, 600, 800], zero: "default" },
  { key: "noise", label: "Added noise", help: "The standard deviation of noise added to both coordinates", stops: [0, .05, .1, .15, .2, .3, .4, .5, .7, 1], zero: "none" },
];

/** slider makes the row of an option. @param {{label: string, help: string, stops: number[]}} o @param {string} key */
const slider = (o, key) => {
  const id = "option-" + key;
  const input = el("input", { type: "range", id, min: 0, max: o.stops.length - 1, step: 1, title: o.help });
  return { input, row: el("div", { class: "option" }, el("label", { for: id, title: o.help }, o.label), el("span", {}, el("output", { for: id }), ...question(o.label, () => key)), input) };
};

/** has reports whether an option applies to a setup. @param {Setup} s @param {Option} o */
const has = (s, o) => (!o.learners || o.learners.includes(s.learner)) && (!o.kernels || o.kernels.includes(s.kernel));

/** @type {[Tool, string, string, string][]} */
const tools = [
  ["draw", "Point", "Click to add a point, or drag to move one. With Ask, use a long press.", "M8 3v10M3 8h10"],
  ["brush", "Brush", "Spray points", "M4 12h.1M7 9h.1M5 6h.1M9 12h.1M11 8h.1M9 4h.1M12 5h.1M12 12h.1"],
  ["erase", "Erase", "Remove points", "M4 4l8 8M12 4l-8 8"],
  ["ask", "Ask", "Explain the model at the pointer without changing points; click to keep the explanation", "M5.5 6a2.5 2.5 0 1 1 3.5 2.3c-.7.4-1 .7-1 1.7M8 12.5v.1"],
];

/** firstTool returns the initial tool: drawing with a mouse, asking on a touch screen, so that a finger can scroll. @returns {Tool} */
export const firstTool = () => touch() ? "ask" : "draw";

/**
 * @typedef {object} Actions
 * @property {(tool: Tool) => void} tool
 * @property {(c: number) => void} choose a class
 * @property {(source: import("./state.js").Source) => void} source shows a draw of a preset
 * @property {(c: number) => string} name of a class
 */

export class Panel {
  /** @param {State} state @param {Actions} actions */
  constructor(state, actions) {
    this.state = state;
    this.actions = actions;
    /** @type {Slot} */ this.slot = "a";
    this.class = 0;
    /** @type {Tool} */ this.tool = firstTool();
    /** @type {Map<string, HTMLElement>} */ this.rows = new Map();
    this.makeData();
    this.makeDraw();
    this.makeLearner();
    this.update();
  }

  makeData() {
    const box = by("presets", HTMLDivElement);
    for (const [name, label] of Object.entries(presets)) {
      const b = el("button", { type: "button", class: "preset", "aria-pressed": "false", "data-preset": name }, svg("svg", { viewBox: "0 0 48 48", "aria-hidden": "true" }), el("span", {}, label));
      b.addEventListener("click", () => this.actions.source({ preset: name, seed: 0 }));
      box.append(b);
    }
    box.append(el("a", { class: "preset file", href: "../table/index.html", title: "Train a model on a table of your own" },
      svg("svg", { viewBox: "0 0 48 48", "aria-hidden": "true" }, svg("path", { d: "M14 8h14l8 8v24H14zM28 8v8h8M25 34V22M19.5 27L25 21.5L30.5 27", fill: "none", stroke: "currentColor", "stroke-width": 2.2 })), el("span", {}, "Your table")));
    by("redraw", HTMLButtonElement).addEventListener("click", () => {
      const { source } = this.state.now;
      if (source) this.actions.source({ ...source, seed: source.seed + 1 });
    });
    for (const o of sources) {
      const { row, input } = slider(o, o.key);
      input.addEventListener("change", () => {
        const { source } = this.state.now;
        if (source) this.actions.source({ ...source, [o.key]: o.stops[+input.value] || undefined });
      });
      input.addEventListener("input", () => this.tell(row, o, o.stops[+input.value]));
      this.rows.set(o.key, row);
      by("source", HTMLDivElement).append(row);
    }
    by("clear", HTMLButtonElement).addEventListener("click", () => this.state.set({ points: [], source: null, step: 0 }));
  }

  /** thumbnail draws points on the button of a preset. @param {string} name @param {import("./state.js").Point[]} points @param {import("./state.js").Box} box @param {string[]} [classes] their names */
  thumbnail(name, points, [x0, y0, x1, y1], classes = []) {
    const image = document.querySelector(`[data-preset="${name}"] svg`), step = Math.max(1, points.length / 90);
    if (!image) return;
    const out = [];
    for (let i = 0; i < points.length; i += step) {
      const [x, y, c] = points[Math.floor(i)];
      out.push(svg("circle", { cx: ((x - x0) / (x1 - x0) * 48).toFixed(1), cy: ((y1 - y) / (y1 - y0) * 48).toFixed(1), r: 1.7, fill: colour(c, classes), "data-class": c, "data-names": classes.join() }));
    }
    image.replaceChildren(...out);
  }

  makeDraw() {
    const box = by("tools", HTMLDivElement);
    for (const [tool, label, help, d] of tools) {
      const b = el("button", { type: "button", "aria-pressed": "false", "data-tool": tool, title: help },
        svg("svg", { viewBox: "0 0 16 16", "aria-hidden": "true" }, svg("path", { d, fill: "none", stroke: "currentColor", "stroke-width": 1.9, "stroke-linecap": "round" })), el("span", {}, label));
      b.addEventListener("click", () => this.useTool(tool));
      box.append(b);
    }
    const classes = by("classes", HTMLDivElement);
    for (let c = 0; c < mostClasses; c++) {
      const b = el("button", { type: "button", "aria-pressed": "false", "data-class-of": c }, mark(c, 16));
      b.addEventListener("click", () => this.choose(c));
      classes.append(b);
    }
  }

  /** @param {Tool} tool */
  useTool(tool) {
    this.tool = tool;
    this.actions.tool(tool);
    this.update();
  }

  /** @param {number} c */
  choose(c) {
    this.class = c;
    this.actions.choose(c);
    if (this.tool === "erase" || this.tool === "ask") return this.useTool("draw");
    this.update();
  }

  makeLearner() {
    const { state } = this, box = by("options", HTMLDivElement);
    const which = by("which", HTMLDivElement);
    for (const slot of /** @type {Slot[]} */ (["a", "b"])) {
      const b = el("button", { type: "button", "aria-pressed": "false", "data-slot": slot }, "Learner " + slot.toUpperCase());
      b.addEventListener("click", () => {
        this.slot = slot;
        this.update();
      });
      which.append(b);
    }
    const choice = /** @param {"learner" | "kernel"} key @param {string} label @param {Record<string, string>} names */ (key, label, names) => {
      const select = el("select", { id: "option-" + key }, ...Object.entries(names).map(([v, t]) => el("option", { value: v }, t)));
      select.addEventListener("change", () => this.put({ [key]: select.value }));
      const row = el("div", { class: "option" }, el("label", { for: select.id }, label), el("span", {}, ...question(label, () => key === "kernel" ? key : select.value)), select);
      this.rows.set(key, row);
      box.append(row);
    };
    choice("learner", "Learner", learners);
    choice("kernel", "Kernel", kernels);
    for (const o of options) {
      const { row, input } = slider(o, o.keys[0]);
      const use = /** @param {boolean} underWay */ underWay => this.put(Object.fromEntries(o.keys.map(k => [k, o.stops[+input.value]])), underWay);
      input.addEventListener("input", () => use(true));
      input.addEventListener("change", () => use(false));
      this.rows.set(o.keys[0], row);
      box.append(row);
    }
    const bias = el("input", { type: "checkbox", id: "option-bias" }), row = el("label", { class: "check option" }, bias, " Bias of each class");
    bias.addEventListener("change", () => this.put({ bias: bias.checked }));
    this.rows.set("bias", row);
    box.append(row);
    const compare = by("compare", HTMLInputElement);
    compare.addEventListener("change", () => {
      const { a } = state.now;
      this.slot = compare.checked ? "b" : "a";
      state.set({ b: compare.checked ? { ...a, learner: a.learner === "mpcvm1" ? "mpcvm2" : "mpcvm1" } : null });
    });
  }

  /** put changes the setup of the current learner. @param {Partial<Setup>} fields @param {boolean} [underWay] */
  put(fields, underWay = false) {
    const { state, slot } = this, setup = state.now[slot] ?? defaultSetup;
    if (underWay && Object.entries(fields).every(([k, v]) => setup[/** @type {keyof Setup} */ (k)] === v)) return;
    state.set({ [slot]: { ...setup, ...fields }, step: 0 }, { underWay });
  }

  /** update shows the current state. */
  update() {
    const { state, rows } = this, { now } = state;
    if (!now.b) this.slot = "a";
    const setup = now[this.slot] ?? now.a;
    const press = /** @param {string} attribute @param {string | null} value */ (attribute, value) => {
      for (const b of document.querySelectorAll(`[${attribute}]`)) if (b instanceof HTMLButtonElement) b.setAttribute("aria-pressed", String(b.getAttribute(attribute) === value));
    };
    press("data-preset", now.source?.preset ?? null);
    press("data-tool", this.tool);
    press("data-class-of", String(this.class));
    press("data-slot", this.slot);
    by("redraw", HTMLButtonElement).disabled = !redrawn(now.source);
    by("clear", HTMLButtonElement).disabled = !now.points.length;
    by("which", HTMLDivElement).hidden = !now.b;
    by("compare", HTMLInputElement).checked = !!now.b;
    for (const b of document.querySelectorAll("[data-class-of]")) {
      const name = this.actions.name(Number(b.getAttribute("data-class-of")));
      set(b, { "aria-label": name, title: name });
    }
    for (const key of /** @type {const} */ (["learner", "kernel"])) {
      const select = rows.get(key)?.querySelector("select");
      if (select) select.value = setup[key];
    }
    for (const o of options) {
      const row = /** @type {HTMLElement} */ (rows.get(o.keys[0]));
      row.hidden = !has(setup, o);
      this.tell(row, o, Number(setup[o.keys[0]]));
    }
    by("source", HTMLDivElement).hidden = !now.source;
    for (const o of sources) this.tell(/** @type {HTMLElement} */ (rows.get(o.key)), o, now.source?.[o.key] ?? 0);
    const bias = rows.get("bias");
    if (bias) {
      bias.hidden = !bottomUp.includes(setup.learner);
      const box = bias.querySelector("input");
      if (box) box.checked = setup.bias;
    }
  }

  /** tell shows the value of an option. @param {HTMLElement} row @param {{stops: number[], zero?: string}} o @param {number} value */
  tell(row, o, value) {
    const input = row.querySelector("input"), output = row.querySelector("output");
    if (!input || !output) return;
    const nearest = o.stops.reduce((best, v, i) => Math.abs(v - value) < Math.abs(o.stops[best] - value) ? i : best, 0);
    if (input.value !== String(nearest)) input.value = String(nearest);
    const text = value === 0 && o.zero ? o.zero : short(value);
    if (output.value !== text) output.value = text;
    input.setAttribute("aria-valuetext", text);
  }

  /** recolour applies the colour scheme and the colours of the classes. */
  recolour() {
    for (const e of document.querySelectorAll("[data-class]")) {
      e.setAttribute("fill", colour(Number(e.getAttribute("data-class")), e.getAttribute("data-names")?.split(",")));
    }
  }
}
