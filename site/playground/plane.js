// The plane: a canvas for the field of probabilities, and SVG for points, relevance vectors and explanations.
import { calm, colour, dark, el, ink, outline, rgb, set, short, sized, svg } from "./look.js";
import { defaultBox, mostClasses, mostPoints, rounded } from "./state.js";

/** @typedef {import("./state.js").Point} Point */
/** @typedef {import("./state.js").Box} Box */
/** @typedef {{nx: number, ny: number, classes: number, p: Float32Array}} Field */
/** @typedef {{plus: boolean, minus: boolean}} Signs of the weights of a relevance vector */
/** @typedef {{sample: number, class: number, k: number, weight: number, contribution: number}} Term */
/** @typedef {{at: [number, number], p: number[], y: number[], bias: number[], terms: Term[]}} Explanation */
/** @typedef {"draw" | "brush" | "erase" | "ask"} Tool */
/**
 * @typedef {object} Host the page, as a plane uses it
 * @property {(points: Point[], underWay: boolean) => void} edit
 * @property {(at: [number, number] | null) => void} ask
 * @property {(text: string) => void} say shows a message and announces it to screen readers
 * @property {(text: string) => void} tell announces a message to screen readers only
 * @property {(c: number) => void} choose
 * @property {(c: number) => string} name of a class
 */

const left = 54, bottom = 36, top = 8, right = 8;
const radius = 4.6, ringRadius = 9;
const longPress = 450; // ms after which a touch with the Ask tool draws
const pixelsOf = 5, most = 500; // side of the field in pixels, for each cell and at most; the browser scales it

// The opacity of the colour where the most probable class just leads, and where it is certain. Where all
// classes are equally probable, the field has no colour.
const faintest = .08, strongest = .55, levels = 256;

/** shades returns the colours of the field as values of an ImageData: the levels of each class, then the border. */
const shades = () => {
  const ground = rgb(ink().ground), out = new Uint32Array(mostClasses * levels + 1);
  const number = /** @param {number[]} v */ v => 255 << 24 | v[2] << 16 | v[1] << 8 | v[0];
  for (let c = 0; c < mostClasses; c++) {
    const full = rgb(colour(c));
    for (let l = 0; l < levels; l++) {
      const share = faintest * Math.min(1, l / 12) + (strongest - faintest) * l / (levels - 1);
      out[c * levels + l] = number(ground.map((g, i) => Math.round(g + share * (full[i] - g))));
    }
  }
  out[mostClasses * levels] = number(ground.map((g, i) => Math.round(g + .5 * (rgb(ink().border)[i] - g))));
  return out;
};

/** steps returns ticks at round numbers. @param {number} lo @param {number} hi */
const steps = (lo, hi) => {
  const raw = (hi - lo) / 5, unit = 10 ** Math.floor(Math.log10(raw)), by = unit * (raw / unit < 1.5 ? 1 : raw / unit < 3.5 ? 2 : 5);
  const out = [];
  for (let v = Math.ceil(lo / by) * by; v <= hi + 1e-9; v += by) out.push(Math.abs(v) < by / 1e6 ? 0 : v);
  return out;
};

export class Plane {
  /**
   * @param {HTMLElement} root
   * @param {Host} host
   * @param {string} label
   */
  constructor(root, host, label) {
    this.host = host;
    /** @type {Tool} */ this.tool = "draw";
    this.class = 0;
    /** @type {Point[]} */ this.points = [];
    /** @type {Map<number, Signs>} */ this.vectors = new Map();
    /** @type {Box} */ this.box = defaultBox;
    /** @type {[string, string]} */ this.axes = ["", ""];
    /** @type {Field | null} */ this.field = null;
    /** @type {Explanation | null} */ this.explanation = null;
    this.selected = -1; // the point selected by keys
    this.done = false; // whether the next Tab leaves the plane
    /** @type {[number, number] | null} */ this.cursor = null; // of the keyboard
    this.dragging = -1;
    this.width = this.height = 100;

    this.canvas = el("canvas", { "aria-hidden": "true" });
    this.layers = {
      axes: svg("g"), lines: svg("g"), rings: svg("g", { class: "rings" }), points: svg("g"), over: svg("g"),
    };
    this.svg = svg("svg", { "aria-hidden": "true", "font-family": "system-ui, sans-serif", "font-size": 12 }, ...Object.values(this.layers));
    this.pad = el("div", { class: "pad", role: "application", tabindex: 0, "aria-label": label, "aria-describedby": "plane-keys" }, this.canvas, this.svg);
    root.append(this.pad);
    this.use(this.tool);
    this.shades = shades();
    this.present = 2; // classes that have points
    /** @type {ImageData | null} */ this.pixels = null;
    /** @type {OffscreenCanvas | null} */ this.small = null;
    /** @type {SVGPathElement[]} */ this.marks = [];
    /** @type {Point[]} */ this.drawn = [];
    /** @type {Map<number, SVGGElement>} */ this.rings = new Map();
    this.listen();
    new ResizeObserver(() => this.resize()).observe(this.pad);
    this.resize();
  }

  /** use selects a tool. With all except "ask", a finger on the plane draws instead of scrolling the page. @param {Tool} tool */
  use(tool) {
    this.tool = tool;
    this.pad.classList.toggle("draws", tool !== "ask");
  }

  resize() {
    const { clientWidth: w, clientHeight: h } = this.pad;
    if (!w || !h || (w === this.width && h === this.height)) return;
    this.width = w;
    this.height = h;
    set(this.svg, { width: w, height: h, viewBox: `0 0 ${w} ${h}` });
    const ratio = Math.min(2, devicePixelRatio || 1);
    this.canvas.width = Math.round((w - left - right) * ratio);
    this.canvas.height = Math.round((h - top - bottom) * ratio);
    Object.assign(this.canvas.style, { left: left + "px", top: top + "px", width: w - left - right + "px", height: h - top - bottom + "px" });
    this.redraw();
  }

  /** redraw draws everything after a change of size, box or colour scheme. */
  redraw() {
    this.shades = shades();
    this.drawn = [];
    this.layers.rings.replaceChildren();
    this.rings.clear();
    this.drawAxes();
    this.drawField();
    this.drawPoints();
    this.drawRings(true);
    this.drawExplanation();
    this.drawCursor();
  }

  /** @param {number} x @param {number} y @returns {[number, number]} */
  place(x, y) {
    const [x0, y0, x1, y1] = this.box, w = this.width - left - right, h = this.height - top - bottom;
    return [+(left + (x - x0) / (x1 - x0) * w).toFixed(1), +(top + (y1 - y) / (y1 - y0) * h).toFixed(1)];
  }

  /** value returns the position of a pixel in the units of the axes. @param {number} px @param {number} py @returns {[number, number]} */
  value(px, py) {
    const [x0, y0, x1, y1] = this.box, w = this.width - left - right, h = this.height - top - bottom;
    const limit = /** @param {number} v @param {number} a @param {number} b */ (v, a, b) => rounded(Math.max(a, Math.min(b, v)));
    return [limit(x0 + (px - left) / w * (x1 - x0), x0, x1), limit(y1 - (py - top) / h * (y1 - y0), y0, y1)];
  }

  drawAxes() {
    const { text, faint, line } = ink(), [x0, y0, x1, y1] = this.box, out = [];
    const [l, b] = this.place(x0, y0), [r, t] = this.place(x1, y1);
    out.push(svg("rect", { x: l, y: t, width: r - l, height: b - t, fill: "none", stroke: line }));
    for (const v of steps(x0, x1)) {
      const [x] = this.place(v, y0);
      out.push(svg("path", { d: `M${x} ${b}v4`, stroke: faint }), svg("text", { x, y: b + 16, fill: faint, "text-anchor": "middle" }, short(v)));
    }
    for (const v of steps(y0, y1)) {
      const [, y] = this.place(x0, v);
      out.push(svg("path", { d: `M${l} ${y}h-4`, stroke: faint }), svg("text", { x: l - 7, y: y + 4, fill: faint, "text-anchor": "end" }, short(v)));
    }
    const cut = /** @param {string} s @param {number} n */ (s, n) => s.length > n ? s.slice(0, n - 1) + "…" : s;
    out.push(
      svg("text", { x: (l + r) / 2, y: b + 31, fill: text, "text-anchor": "middle" }, cut(this.axes[0], 44)),
      svg("text", { x: 12, y: (t + b) / 2, fill: text, "text-anchor": "middle", transform: `rotate(-90 12 ${(t + b) / 2})` }, cut(this.axes[1], 44)));
    this.layers.axes.replaceChildren(...out);
  }

  drawField() {
    const context = this.canvas.getContext("2d");
    if (!context) return;
    const { width, height } = this.canvas;
    if (!this.field) {
      context.fillStyle = ink().ground;
      context.fillRect(0, 0, width, height);
      return;
    }
    const across = Math.min(most, pixelsOf * this.field.nx);
    if (this.pixels?.width !== across) this.pixels = new ImageData(across, across);
    if (this.small?.width !== across) this.small = new OffscreenCanvas(across, across);
    paint(this.field, across, new Uint32Array(this.pixels.data.buffer), this.shades, 1 / this.present);
    /** @type {OffscreenCanvasRenderingContext2D} */ (this.small.getContext("2d")).putImageData(this.pixels, 0, 0);
    context.imageSmoothingEnabled = true;
    context.imageSmoothingQuality = "medium";
    context.drawImage(this.small, 0, 0, width, height);
  }

  drawPoints() {
    const { points, drawn, marks } = this, { rim, text } = ink();
    while (marks.length > points.length) marks.pop()?.remove();
    drawn.length = Math.min(drawn.length, points.length);
    points.forEach((q, i) => {
      if (drawn[i] === q) return;
      if (!marks[i]) this.layers.points.append(marks[i] = svg("path", { "stroke-width": .22 }));
      const [x, y] = this.place(q[0], q[1]);
      set(marks[i], { d: outline(q[2]), transform: `translate(${x} ${y})scale(${sized(q[2], radius).toFixed(2)})`, fill: colour(q[2]), stroke: q[2] === 7 && !dark() ? text : rim });
      this.rings.get(i)?.setAttribute("transform", `translate(${x} ${y})`);
      drawn[i] = q;
    });
  }

  /** drawRings marks the relevance vectors: a solid ring for a positive weight, a dashed one for a negative weight. @param {boolean} [quiet] */
  drawRings(quiet = false) {
    const { text, ground } = ink(), signs = this.vectors.size <= 48 && this.width > 300;
    for (const [i, g] of this.rings) {
      const s = this.vectors.get(i);
      if (s && this.points[i] && g.dataset.signs === key(s, signs)) continue;
      this.rings.delete(i);
      if (s || quiet || calm() || !g.animate) g.remove();
      else {
        g.classList.add("leaves");
        g.animate([{ opacity: 1 }, { opacity: 0 }], { duration: 350 }).onfinish = () => g.remove();
      }
    }
    for (const [i, s] of this.vectors) {
      if (!this.points[i] || this.rings.has(i)) continue;
      const [x, y] = this.place(this.points[i][0], this.points[i][1]);
      const g = svg("g", { transform: `translate(${x} ${y})`, fill: "none", stroke: text, "stroke-width": signs ? 1.8 : 1.2, "data-signs": key(s, signs) });
      if (s.plus) g.append(svg("circle", { r: ringRadius }));
      if (s.minus) g.append(svg("circle", { r: s.plus ? ringRadius + 3.4 : ringRadius, "stroke-dasharray": "3 2.6" }));
      if (signs) {
        g.append(svg("text", { x: ringRadius + 1, y: -ringRadius + 2, fill: text, stroke: ground, "stroke-width": 3, "paint-order": "stroke", "font-weight": 700, "font-size": 13 },
          s.plus && s.minus ? "±" : s.plus ? "+" : "−"));
      }
      this.layers.rings.append(g);
      this.rings.set(i, g);
      if (!quiet && !calm() && g.animate) g.animate([{ opacity: 0 }, { opacity: 1 }], { duration: 250 });
    }
  }

  /** drawExplanation connects the position to the vectors that contribute most there. */
  drawExplanation() {
    const e = this.explanation, out = [];
    if (e) {
      const { text, ground } = ink(), [x, y] = this.place(...e.at), most = Math.abs(e.terms[0]?.contribution ?? 1);
      for (const t of e.terms.slice(0, linesShown)) {
        const q = this.points[t.sample];
        if (!q || Math.abs(t.contribution) < Math.max(most / 100, negligible)) continue;
        const [u, v] = this.place(q[0], q[1]), d = `M${x} ${y}L${u} ${v}`, width = 1 + 3 * Math.abs(t.contribution) / most;
        out.push(svg("path", { d, stroke: ground, "stroke-width": width + 2, opacity: .7 }), svg("path", { d, stroke: colour(t.class), "stroke-width": width, "stroke-dasharray": t.contribution < 0 ? "6 5" : "none" }));
      }
      out.push(svg("circle", { cx: x, cy: y, r: 3.5, fill: text, stroke: ground, "stroke-width": 1.5 }));
    }
    this.layers.lines.replaceChildren(...out);
  }

  drawCursor() {
    const out = [], { text, ground } = ink();
    const q = this.points[this.selected];
    if (q) {
      const [x, y] = this.place(q[0], q[1]);
      for (const [stroke, width] of /** @type {[string, number][]} */ ([[ground, 5], [text, 2]])) out.push(svg("rect", { x: x - 13, y: y - 13, width: 26, height: 26, rx: 4, fill: "none", stroke, "stroke-width": width }));
    } else if (this.cursor && document.activeElement === this.pad) {
      const [x, y] = this.place(...this.cursor);
      for (const [stroke, width] of /** @type {[string, number][]} */ ([[ground, 5], [text, 2]])) out.push(svg("path", { d: `M${x - 14} ${y}h9M${x + 5} ${y}h9M${x} ${y - 14}v9M${x} ${y + 5}v9`, stroke, "stroke-width": width }));
    }
    this.layers.over.replaceChildren(...out);
  }

  /** @param {Point[]} points */
  setPoints(points) {
    this.points = points;
    this.present = Math.max(2, new Set(points.map(q => q[2])).size);
    if (this.selected >= points.length) this.selected = -1;
    this.drawPoints();
    this.drawCursor();
  }

  /** @param {Map<number, Signs>} vectors @param {boolean} [quiet] */
  setVectors(vectors, quiet) {
    this.vectors = vectors;
    this.drawRings(quiet);
  }

  /** @param {Field | null} field */
  setField(field) {
    this.field = field;
    this.drawField();
  }

  /** @param {Explanation | null} explanation */
  setExplanation(explanation) {
    this.explanation = explanation;
    this.drawExplanation();
  }

  /** @param {Box} box @param {[string, string]} axes */
  setBox(box, axes) {
    if (String(box) === String(this.box) && String(axes) === String(this.axes)) return;
    this.box = box;
    this.axes = axes;
    this.redraw();
  }

  /** nearest returns the nearest point within reach pixels of a pixel, or −1. @param {number} px @param {number} py @param {number} reach */
  nearest(px, py, reach) {
    let best = -1, least = reach;
    this.points.forEach(([x, y], i) => {
      const [u, v] = this.place(x, y), d = Math.hypot(u - px, v - py);
      if (d < least) [best, least] = [i, d];
    });
    return best;
  }

  /** change replaces point i. @param {number} i @param {Point} q @param {boolean} underWay */
  change(i, q, underWay) {
    const points = [...this.points];
    points[i] = q;
    this.host.edit(points, underWay);
  }

  /** add adds a point, unless the limit is reached. @param {number} x @param {number} y @param {boolean} underWay */
  add(x, y, underWay) {
    if (this.points.length >= mostPoints) return void this.host.say(`The limit of ${mostPoints} points is reached.`);
    this.host.edit([...this.points, [x, y, this.class]], underWay);
  }

  /** describe describes a point in words. @param {number} i */
  describe(i) {
    const [x, y, c] = this.points[i];
    return `Point ${i + 1} of ${this.points.length}, ${this.host.name(c)}, at ${short(x)}, ${short(y)}.`;
  }

  listen() {
    const { pad, host } = this;
    /** @type {[number, number] | null} */ let sprayed = null;
    let active = false, pinned = false, held = 0; // held is the timer of a long press
    /** @type {[number, number] | null} where a touch with the Ask tool began */ let tapped = null;
    /** @type {Tool | null} the tool that is drawing */ let drawing = null;
    const pixel = /** @param {PointerEvent} e @returns {[number, number]} */ e => {
      const r = pad.getBoundingClientRect();
      return [e.clientX - r.left, e.clientY - r.top];
    };
    const inside = /** @param {[number, number]} q */ ([x, y]) => x >= left && y >= top && x <= this.width - right && y <= this.height - bottom;
    const spray = /** @param {[number, number]} at */ at => {
      if (sprayed && Math.hypot(at[0] - sprayed[0], at[1] - sprayed[1]) < 9) return;
      sprayed = at;
      const jitter = () => (Math.random() + Math.random() + Math.random() - 1.5) * 22;
      this.add(...this.value(at[0] + jitter(), at[1] + jitter()), true);
    };
    const erase = /** @param {[number, number]} at */ at => {
      const rest = this.points.filter(([x, y]) => {
        const [u, v] = this.place(x, y);
        return Math.hypot(u - at[0], v - at[1]) > 13;
      });
      if (rest.length < this.points.length) host.edit(rest, true);
    };
    /** begin starts drawing with a tool. @param {PointerEvent} e @param {[number, number]} at @param {Tool} tool */
    const begin = (e, at, tool) => {
      drawing = tool;
      pinned = false;
      try {
        pad.setPointerCapture(e.pointerId);
      } catch { /* the pointer has gone */ }
      if (tool === "brush") return spray(at);
      if (tool === "erase") return erase(at);
      this.dragging = this.nearest(...at, e.pointerType === "touch" ? 20 : 10);
      if (this.dragging < 0) {
        this.dragging = this.points.length;
        this.add(...this.value(...at), true);
        if (this.dragging >= this.points.length) this.dragging = -1;
      }
    };
    pad.addEventListener("pointerdown", e => {
      const at = pixel(e);
      if (e.button || !inside(at)) return;
      active = true;
      this.selected = -1;
      this.cursor = null;
      if (this.tool !== "ask") return begin(e, at, this.tool);
      if (e.pointerType !== "touch") {
        pinned = true;
        return host.ask(this.value(...at));
      }
      // A tap asks and a long press draws. With any other move, the browser scrolls.
      tapped = at;
      clearTimeout(held);
      held = window.setTimeout(() => {
        tapped = null;
        navigator.vibrate?.(15);
        begin(e, at, "draw");
      }, longPress);
    });
    pad.addEventListener("pointermove", e => {
      const at = pixel(e);
      if (active && drawing === "brush") return spray(at);
      if (active && drawing === "erase") return erase(at);
      if (this.dragging >= 0) {
        const [x, y] = this.value(...at), q = this.points[this.dragging];
        if (q[0] !== x || q[1] !== y) this.change(this.dragging, [x, y, q[2]], true);
        return;
      }
      if (tapped) {
        const x = Math.abs(at[0] - tapped[0]), y = Math.abs(at[1] - tapped[1]);
        if (Math.hypot(x, y) < 8) return;
        tapped = null;
        clearTimeout(held);
        active = x > y; // vertical moves scroll
      }
      pad.style.cursor = this.tool === "draw" && this.nearest(...at, 10) >= 0 ? "grab" : "crosshair";
      if (active && this.tool === "ask") pinned = true;
      else if (pinned || e.pointerType === "touch") return;
      host.ask(inside(at) ? this.value(...at) : null);
    });
    const end = () => {
      clearTimeout(held);
      tapped = null;
      if (!active) return;
      active = false;
      sprayed = null;
      this.dragging = -1;
      if (drawing) host.edit(this.points, false);
      drawing = null;
    };
    pad.addEventListener("pointerup", () => {
      if (tapped) {
        pinned = true;
        host.ask(this.value(...tapped));
      }
      end();
    });
    pad.addEventListener("pointercancel", end);
    pad.addEventListener("touchmove", e => drawing && e.cancelable && e.preventDefault(), { passive: false }); // no scrolling
    pad.addEventListener("contextmenu", e => (drawing || tapped) && e.preventDefault()); // from a long press
    pad.addEventListener("pointerleave", () => {
      if (!pinned && !active) host.ask(null);
    });
    pad.addEventListener("focus", () => {
      this.drawCursor();
      if (pad.matches(":focus-visible") && this.cursor) host.ask(this.cursor);
    });
    pad.addEventListener("blur", () => {
      this.selected = -1;
      this.drawCursor();
    });
    pad.addEventListener("keydown", e => this.pressed(e));
  }

  /** pressed handles keys: arrows move the cursor or the selected point, Tab selects points, Enter adds, Delete removes. @param {KeyboardEvent} e */
  pressed(e) {
    if (e.ctrlKey || e.metaKey || e.altKey) return;
    const { host } = this, [x0, y0, x1, y1] = this.box, step = (x1 - x0) / (e.shiftKey ? 10 : 50);
    const arrow = /** @type {Record<string, [number, number]>} */ ({ ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] })[e.key];
    const q = this.points[this.selected];
    const limit = /** @param {number} v @param {number} a @param {number} b */ (v, a, b) => rounded(Math.max(a, Math.min(b, v)));
    if (arrow) {
      const [x, y] = q ?? this.cursor ?? [(x0 + x1) / 2, (y0 + y1) / 2];
      /** @type {[number, number]} */ const to = [limit(x + arrow[0] * step, x0, x1), limit(y + arrow[1] * step, y0, y1)];
      if (q) this.change(this.selected, [...to, q[2]], false);
      else this.cursor = to;
      host.ask(to);
    } else if (e.key === "Tab" && this.points.length) {
      const next = this.selected < 0 ? (this.done ? -1 : e.shiftKey ? -1 : 0) : this.selected + (e.shiftKey ? -1 : 1);
      this.done = false;
      if (next < 0 || next >= this.points.length) return; // the browser moves the focus
      this.selected = next;
      host.ask([this.points[next][0], this.points[next][1]]);
      host.say(this.describe(next));
    } else if (e.key === "Enter" || e.key === " ") {
      const [x, y] = this.cursor ?? [(x0 + x1) / 2, (y0 + y1) / 2];
      this.cursor = [rounded(x), rounded(y)];
      this.add(...this.cursor, false);
      host.say(this.describe(this.points.length - 1));
    } else if ((e.key === "Delete" || e.key === "Backspace") && q) {
      host.say("Removed. " + this.describe(this.selected));
      host.edit(this.points.filter((_, i) => i !== this.selected), false);
    } else if (e.key === "Escape") {
      this.selected = -1;
      this.done = true;
      host.ask(null);
    } else if (/^[1-8]$/.test(e.key)) {
      if (q) this.change(this.selected, [q[0], q[1], +e.key - 1], false);
      host.choose(+e.key - 1);
    } else return;
    e.preventDefault();
    this.drawCursor();
  }

  /** picture returns the plane as an SVG file, with the field as an embedded PNG. */
  picture() {
    const copy = /** @type {SVGSVGElement} */ (this.svg.cloneNode(true)), { ground } = ink();
    copy.querySelectorAll(".leaves").forEach(e => e.remove());
    copy.removeAttribute("aria-hidden");
    set(copy, { xmlns: "http://www.w3.org/2000/svg", role: "img", "aria-label": this.pad.getAttribute("aria-label") ?? "" });
    copy.lastElementChild?.remove(); // the cursor
    const [l, t] = [left, top], w = this.width - left - right, h = this.height - top - bottom;
    copy.prepend(
      svg("rect", { width: this.width, height: this.height, fill: ground }),
      svg("image", { x: l, y: t, width: w, height: h, preserveAspectRatio: "none", href: this.canvas.toDataURL("image/png") }));
    return new XMLSerializer().serializeToString(copy);
  }

  /** png returns the plane as a PNG file. @param {number} [scale] @returns {Promise<Blob>} */
  async png(scale = 2) {
    const image = new Image();
    image.src = "data:image/svg+xml;charset=utf-8," + encodeURIComponent(this.picture());
    await image.decode();
    const canvas = el("canvas", { width: this.width * scale, height: this.height * scale });
    canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
    return new Promise((done, failed) => canvas.toBlob(b => b ? done(b) : failed(new Error("The browser cannot draw the picture.")), "image/png"));
  }
}

/** linesShown is the maximum number of lines; contributions below negligible have no line. */
export const linesShown = 8, negligible = 1e-6;

/** key identifies the appearance of a ring. @param {Signs} s @param {boolean} signs */
const key = (s, signs) => (s.plus ? "+" : "") + (s.minus ? "-" : "") + (signs ? "s" : "");

/**
 * paint interpolates the probabilities between the centres of the grid cells and writes the colour of each pixel.
 * @param {Field} field
 * @param {number} n side in pixels
 * @param {Uint32Array} out
 * @param {Uint32Array} shades
 * @param {number} chance the probability at which the colour is faintest
 */
const paint = ({ nx, ny, classes, p }, n, out, shades, chance) => {
  const cell = /** @param {number} share @param {number} cells */ (share, cells) => Math.max(0, Math.min(cells - 1, share * cells - .5));
  const line = new Float32Array(nx * classes), width = nx * classes, border = shades[mostClasses * levels];
  const best = new Uint8Array(n * n), lead = new Float32Array(n * n);
  for (let j = 0; j < n; j++) {
    const v = cell(1 - (j + .5) / n, ny), j0 = Math.min(ny - 2, Math.floor(v)), fv = v - j0, from = j0 * width;
    for (let k = 0; k < width; k++) line[k] = p[from + k] + fv * (p[from + width + k] - p[from + k]);
    for (let i = 0; i < n; i++) {
      const u = cell((i + .5) / n, nx), i0 = Math.min(nx - 2, Math.floor(u)), fu = u - i0, at = i0 * classes;
      let first = 0, top = -1, second = -1;
      for (let c = 0; c < classes; c++) {
        const q = line[at + c] + fu * (line[at + classes + c] - line[at + c]);
        if (q > top) {
          second = top;
          top = q;
          first = c;
        } else if (q > second) second = q;
      }
      const k = j * n + i, sure = Math.max(0, Math.min(1, (top - chance) / (1 - chance)));
      out[k] = shades[first * levels + Math.round(sure * (levels - 1))];
      best[k] = first;
      lead[k] = top - second;
    }
  }
  const cover = new Float32Array(n * n); // coverage by the border, 1.3 pixels to either side
  for (const step of [1, n]) {
    for (let k = 0; k < n * n - step; k++) {
      if (best[k] === best[k + step] || (step === 1 && k % n === n - 1)) continue;
      const sum = lead[k] + lead[k + step];
      if (sum < 1e-5) continue; // no values there
      const share = lead[k] / sum; // fraction of the distance between the pixels
      cover[k] = Math.max(cover[k], Math.min(1, 1.3 - share));
      cover[k + step] = Math.max(cover[k + step], Math.min(1, .3 + share));
    }
  }
  for (let k = 0; k < n * n; k++) if (cover[k] > 0) out[k] = blend(out[k], border, cover[k]);
};

/** blend mixes two colours of an ImageData. @param {number} a @param {number} b @param {number} share of b */
const blend = (a, b, share) => {
  let out = 255 << 24;
  for (let shift = 0; shift < 24; shift += 8) out |= Math.round((a >> shift & 255) * (1 - share) + (b >> shift & 255) * share) << shift;
  return out >>> 0;
};
