// A learner on the page: its fit, the current iteration, and its picture, charts and answers.
import { Charts } from "./charts.js";
import { question } from "./help.js";
import { chance, colour, el, mark, sentence, short, signed, svg, touch } from "./look.js";
import { kernels, learners, widths } from "./panel.js";
import { negligible, Plane } from "./plane.js";
import { redrawn } from "./state.js";

/** @typedef {import("./state.js").State} State */
/** @typedef {import("./charts.js").Step} Step */
/** @typedef {import("./charts.js").Factors} Factors */
/** @typedef {import("./plane.js").Explanation} Explanation */
/** @typedef {import("./engine.js").Engine} Engine */
/** @typedef {{number: number, iteration: number, points: number, errors: number, logLoss: number | null}} Verdict the performance on points that the model has not seen; number is the number of the fit */

const fine = 100, coarse = 48; // cells of the field on a side
const dragTime = 25; // time limit of a fit while a point is dragged, in ms
const patience = 150; // ms after which a fit during a drag is shown as learning

/** Newest runs one task at a time. Of the tasks that arrive meanwhile, it runs only the last. */
class Newest {
  constructor() {
    /** @type {(() => Promise<void>) | null} */ this.next = null;
    /** @type {Promise<void> | null} */ this.running = null;
  }

  /** @param {() => Promise<void>} task */
  run(task) {
    this.next = task;
    this.running ??= this.go().finally(() => this.running = null);
    return this.running;
  }

  async go() {
    while (this.next) {
      const task = this.next;
      this.next = null;
      await task();
    }
  }
}

export class Slot {
  /**
   * @param {import("./state.js").Slot} name
   * @param {HTMLElement} root
   * @param {Engine} engine
   * @param {State} state
   * @param {import("./plane.js").Host} host
   * @param {(iteration: number) => void} go
   */
  constructor(name, root, engine, state, host, go) {
    this.name = name;
    this.root = root;
    this.engine = engine;
    this.state = state;
    this.host = host;
    const part = /** @param {string} s @returns {HTMLElement} */ s => /** @type {HTMLElement} */ (root.querySelector(s));
    part(".title > div").append(el("span", {}, ...question(`the plane of learner ${name.toUpperCase()}`, () => "plane")));
    this.parts = { title: part("h2"), facts: part(".facts"), state: part(".state"), answer: part(".answer") };
    this.plane = new Plane(part(".plane"), host, `Plane of learner ${name.toUpperCase()}`);
    this.charts = new Charts(part(".charts"), go);
    /** @type {Step[]} */ this.steps = [];
    this.status = "";
    this.seconds = 0;
    this.theta = 0;
    this.error = "";
    this.fitted = 0; // number of the fit that produced the steps
    this.fits = 0;
    this.fitting = false;
    /** @type {Verdict | null} */ this.verdict = null;
    /** @type {[number, number] | null} */ this.asked = null;
    this.fields = new Newest();
    this.answers = new Newest();
    this.drags = new Newest();
    this.factors = new Newest();
    this.verdicts = new Newest();
    /** @type {Set<Promise<unknown>>} */ this.work = new Set();
    /** @type {Set<Promise<unknown>>} */ this.evaluating = new Set();
    this.says("");
  }

  /** busy records a promise until it settles, for idle. @template T @param {Promise<T>} p */
  busy(p, work = this.work) {
    work.add(p);
    const end = () => void work.delete(p);
    p.then(end, end);
    return p;
  }

  get setup() {
    return this.state.now[this.name];
  }

  /** last is the last iteration. */
  get last() {
    return this.steps.at(-1)?.iteration ?? 0;
  }

  /** at is the index of the current step. */
  get at() {
    const { step } = this.state.now;
    if (!step) return this.steps.length - 1;
    const i = this.steps.findIndex(s => s.iteration >= step);
    return i < 0 ? this.steps.length - 1 : i;
  }

  get now() {
    return this.steps[this.at];
  }

  /** fit trains the model again and cancels a running fit. @returns {Promise<void>} */
  fit() {
    return this.busy(this.learn());
  }

  /** begin shows that the model is out of date. @returns {number} the number of the new fit */
  begin() {
    this.fitting = true;
    this.verdict = null;
    this.error = "";
    this.root.classList.add("stale");
    return ++this.fits;
  }

  async learn() {
    const { setup, engine, name } = this, { points } = this.state.now;
    if (!setup) return;
    const number = this.begin();
    this.drags.next = null;
    this.root.setAttribute("aria-busy", "true");
    this.forget();
    if (new Set(points.map(q => q[2])).size < 2) {
      void engine.cancel(name);
      return this.fail(new Error(points.length ? "Add points of another class." : "Add points of two classes, or choose a preset."));
    }
    /** @type {Step[]} */ const steps = [];
    let shown = performance.now() + 120;
    try {
      const end = await engine.fit(name, setup, points, (/** @type {any[]} */ more) => {
        if (number !== this.fits) return;
        steps.push(...more);
        if (performance.now() < shown) return;
        shown = performance.now() + 250;
        this.take(number, steps, "learning");
        void this.draw(true);
      });
      if (number !== this.fits) return;
      this.seconds = end.seconds;
      this.theta = end.theta ?? 0;
      this.fitting = false;
      this.take(number, steps, end.status);
      await this.draw();
      if (number === this.fits) this.host.tell(`Learner ${name.toUpperCase()}: ${this.summary()}`);
    } catch (e) {
      if (number === this.fits) this.fail(e);
    } finally {
      if (number === this.fits) {
        this.fitting = false;
        this.root.removeAttribute("aria-busy");
      }
    }
  }

  /** forget discards the last model and shows that another is being trained. */
  forget() {
    this.steps = [];
    this.status = "learning";
    this.theta = 0;
    this.plane.setVectors(new Map());
    this.plane.setExplanation(null);
    this.heading();
    this.state.dispatchEvent(new Event("steps"));
  }

  /** follow trains during a drag, for a short time, and draws the last iteration coarsely. */
  follow() {
    return this.busy(this.drags.run(async () => {
      const { setup, engine, name } = this, { points } = this.state.now;
      if (!setup) return;
      const number = this.begin(), late = setTimeout(() => number === this.fits && this.fitting && this.forget(), patience);
      try {
        /** @type {Step[]} */ const steps = [];
        const end = await engine.fit(name, setup, points, (/** @type {any[]} */ more) => void steps.push(...more), { keepAll: false, within: dragTime });
        if (number !== this.fits) return;
        this.seconds = end.seconds;
        this.theta = end.theta ?? 0;
        this.take(number, steps.slice(-1), end.status);
        await this.picture(coarse);
      } catch (e) {
        if (number === this.fits) this.fail(e);
      } finally {
        clearTimeout(late);
        if (number === this.fits) this.fitting = false;
      }
    }));
  }

  /** rest draws the field finely while the pointer rests. */
  rest() {
    return this.busy(this.picture(fine));
  }

  /** @param {number} number of the fit @param {Step[]} steps @param {string} status */
  take(number, steps, status) {
    this.fitted = number;
    this.steps = steps;
    this.status = status;
    this.root.classList.remove("stale");
    this.state.dispatchEvent(new Event("steps"));
  }

  /** @param {unknown} e */
  fail(e) {
    this.error = sentence(e);
    this.steps = [];
    this.status = "";
    this.fitting = false;
    this.root.classList.remove("stale");
    this.root.removeAttribute("aria-busy");
    this.plane.setField(null);
    this.plane.setVectors(new Map());
    this.plane.setExplanation(null);
    this.charts.clear();
    this.says("");
    this.heading();
    this.state.dispatchEvent(new Event("steps"));
  }

  /** evaluate measures the model on points that it has not seen: new ones from the preset, or else a held-out fifth. */
  evaluate() {
    const number = this.fitted, { now, setup, engine, name } = this, { source, points } = this.state.now;
    if (!now || !setup || this.fitting) return;
    const { iteration } = now, last = iteration === this.last;
    if (this.verdict?.number === number && this.verdict.iteration === iteration || !redrawn(source) && !last) return;
    void this.busy(this.verdicts.run(async () => {
      try {
        const v = await (redrawn(source) ? engine.fresh(name, iteration, source) : engine.apart(name, setup, points));
        if (number !== this.fits || v.status === "cancelled") return;
        this.verdict = { .../** @type {Verdict} */ (/** @type {unknown} */ (v)), number, iteration };
        this.heading();
      } catch { /* another fit has begun */ }
    }), this.evaluating);
  }

  /** rows returns the performance on the training points and on others: name, error rate, number of errors, log loss. @returns {string[][]} */
  rows() {
    const { now, verdict: v } = this, { points, source } = this.state.now;
    const row = /** @param {string} name @param {number} errors @param {number} n @param {number | null} loss */ (name, errors, n, loss) =>
      [name, `${short(100 * errors / n)} % wrong`, `${errors} of ${n}`, `log loss ${short(loss ?? NaN)}`];
    const other = redrawn(source) ? "New points" : "Held-out fifth";
    return [
      row("These points", now.errors, points.length, now.logLoss),
      v?.number !== this.fitted || v.iteration !== now.iteration ? [other, this.fitting || redrawn(source) || now.iteration === this.last ? "…" : "–"]
        : v.points ? row(other, v.errors, v.points, v.logLoss) : [other, "too few points"],
    ];
  }

  /** summary describes the model in words. */
  summary() {
    const { facts, state } = this.parts;
    return (this.now ? [...this.rows().map(([name, ...rest]) => `${name}: ${rest.join(", ")}`), this.size(), state.textContent].join(". ") : facts.textContent) + ".";
  }

  /** size returns the numbers of vectors and weights in words. */
  size() {
    const { now, setup } = this, vectors = new Set(samples(now)).size;
    return `${many(vectors, setup?.learner === "svm" ? "support vector" : "relevance vector")}, ${many(now.flat.length / 3, "weight")}`;
  }

  heading() {
    const { setup, steps, now, parts, status } = this;
    if (!setup) return;
    const width = this.theta || (widths.includes(setup.kernel) ? setup.theta : 0);
    parts.title.textContent = `${learners[setup.learner]} · ${kernels[setup.kernel].split(",")[0]}` + (width ? ` θ = ${short(width)}` : "");
    parts.facts.classList.toggle("wrong", !!this.error);
    if (now) {
      parts.facts.replaceChildren(
        el("table", {}, el("tbody", {}, ...this.rows().map(([name, ...cells], i) => el("tr", { class: i ? "new" : "", title: notes[name] ?? "" }, el("th", { scope: "row" }, name), ...cells.map(c => el("td", {}, c)))))),
        el("p", {}, this.size()));
    } else if (this.error) parts.facts.replaceChildren(el("p", {}, this.error));
    const ended = { "iteration limit": "stopped at the limit" }[status] ?? status;
    parts.state.textContent = status === "learning" ? now ? `learning, iteration ${this.last}` : "learning …"
      : !now ? "" : status === "stopped by observer" ? `preview, iteration ${now.iteration}`
      : this.at === steps.length - 1 ? `${ended}, ${many(now.iteration, "iteration")}` : `iteration ${now.iteration}`;
  }

  /** vectors returns the relevance vectors of the current step, with the signs of their weights. */
  vectors() {
    /** @type {Map<number, import("./plane.js").Signs>} */ const out = new Map();
    const w = this.now?.flat ?? [];
    for (let i = 0; i < w.length; i += 3) {
      const s = out.get(w[i]) ?? { plus: false, minus: false };
      if (w[i + 2] > 0) s.plus = true;
      else s.minus = true;
      out.set(w[i], s);
    }
    return out;
  }

  /** draw shows the current step. It resolves when the field is drawn. @param {boolean} [quick] @returns {Promise<void>} */
  draw(quick = false) {
    return this.busy(this.drawn(quick));
  }

  /** @param {boolean} quick */
  async drawn(quick) {
    if (!this.steps.length) return this.heading();
    this.chart();
    this.evaluate();
    await Promise.all([this.picture(quick ? coarse : fine), this.now.factors ? this.factors.run(() => this.look()) : null]);
  }

  chart() {
    const { steps, at, state, setup } = this;
    if (!setup || !steps.length) return;
    void this.busy(this.charts.show({ steps, at, points: state.now.points, factors: this.charts.shown?.factors ?? null, learner: learners[setup.learner], setup, name: this.host.name }));
  }

  async look() {
    const number = this.fitted, { now } = this;
    if (!now?.factors) return;
    try {
      const factors = await this.engine.look(this.name, now.iteration);
      if (number === this.fitted) await this.charts.candidates(/** @type {any} */ (factors));
    } catch { /* another fit has begun */ }
  }

  /** picture draws the points, the vectors and the field, with the given number of cells on each side. @param {number} cells */
  picture(cells) {
    this.heading();
    this.plane.setPoints(this.state.now.points);
    this.plane.setVectors(this.vectors(), cells === coarse);
    if (this.asked) void this.ask(this.asked);
    return this.fields.run(async () => {
      const number = this.fitted, { now } = this;
      if (!now) return;
      try {
        const field = await this.engine.field(this.name, now.iteration, this.state.now.box, cells, cells);
        if (number !== this.fitted || !this.steps.length) return;
        this.plane.setField(/** @type {any} */ (field));
        document.documentElement.dataset.model ??= String(Math.round(performance.now())); // ms to the first model
      } catch { /* another fit has begun */ }
    });
  }

  /** ask explains a position; null ends the explanation. @param {[number, number] | null} at */
  ask(at) {
    this.asked = at;
    if (!at) {
      this.plane.setExplanation(null);
      this.says("");
      void this.charts.ask(null);
    }
    if (!at || !this.steps.length) return;
    return this.busy(this.answers.run(async () => {
      const { now, asked } = this, number = this.fitted;
      if (!now || !asked) return;
      try {
        const e = /** @type {Explanation} */ (await this.engine.explain(this.name, now.iteration, asked));
        if (number !== this.fitted || !this.asked) return;
        e.at = asked;
        this.plane.setExplanation(e);
        this.answer(e);
        await this.hidden(asked);
      } catch { /* another fit has begun */ }
    }));
  }

  /** hidden shows the hidden variables of the training point nearest to a position; the SVM has none. @param {[number, number]} at */
  async hidden(at) {
    const { setup, now, fitted: number } = this, { points } = this.state.now;
    if (!setup || setup.learner === "svm" || !points.length) return void this.charts.ask(null);
    const away = /** @param {import("./state.js").Point} p */ p => Math.hypot(p[0] - at[0], p[1] - at[1]);
    const sample = points.reduce((best, p, i) => away(p) < away(points[best]) ? i : best, 0), [x, y, label] = points[sample];
    const there = await this.engine.proba(this.name, now.iteration, [[x, y]]), classes = [...new Set(points.map(p => p[2]))].sort((a, b) => a - b);
    if (number === this.fitted && this.asked) await this.charts.ask({ sample, label, classes, y: classes.map(c => there.y[0][c]) });
  }

  /** says shows a hint instead of an answer. @param {string} text */
  says(text) {
    const { answer } = this.parts;
    answer.replaceChildren(el("p", { class: "hint" }, text || (touch() ? "Tap the plane" : "Point at the plane") + " to see the probabilities there and the vectors that contribute most." + (touch() ? " A long press adds or moves a point." : "")));
  }

  /** answer shows the tables for a position. @param {Explanation} e */
  answer(e) {
    const { answer } = this.parts, { host } = this, { points } = this.state.now;
    const classes = e.p.map((_, c) => c).filter(c => points.some(q => q[2] === c));
    const bar = /** @param {number} c */ c => svg("svg", { class: "bar", viewBox: "0 0 60 10", preserveAspectRatio: "none", "aria-hidden": "true" }, svg("rect", { width: 60, height: 10, class: "ground" }), svg("rect", { width: (60 * e.p[c]).toFixed(1), height: 10, fill: colour(c) }));
    const head = /** @param {string[]} names */ (...names) => el("thead", {}, el("tr", {}, ...names.map(n => n ? el("th", { scope: "col" }, n) : el("td"))));
    const row = /** @param {(Node | string)[]} cells */ (...cells) => el("tr", {}, ...cells.map(c => el("td", {}, c)));
    const name = /** @param {number} c */ c => el("span", { class: "class", title: host.name(c) }, mark(c, 12), el("span", {}, host.name(c)));
    const terms = e.terms.filter(t => Math.abs(t.contribution) >= negligible).slice(0, 7);
    answer.replaceChildren(
      el("table", { class: "chances" }, el("caption", {}, `At ${short(e.at[0])}, ${short(e.at[1])}`), head("class", "", "probability", "potential"), el("tbody", {},
        ...classes.map(c => row(name(c), bar(c), chance(e.p[c]), short(e.y[c]))))),
      terms.length ? el("table", { class: "terms" }, el("caption", {}, "Largest contributions"), head("vector", "adds", "to"), el("tbody", {},
        ...terms.map(t => row(el("span", { class: "class" }, mark(points[t.sample]?.[2] ?? 0, 12), `point ${t.sample + 1}`), signed(t.contribution), name(t.class))))) : "");
  }

  /** restart redraws everything in a new colour scheme. */
  restart() {
    this.plane.redraw();
    this.charts.restart();
  }
}

/** many writes a number of things. @param {number} n @param {string} one */
const many = (n, one) => `${n} ${one}${n === 1 ? "" : "s"}`;

/** notes explain the rows of the facts. @type {Record<string, string>} */
const notes = {
  "These points": "The points on the plane, on which the model was trained. It may have memorised them.",
  "New points": "Other points from the same source. The model has not seen them.",
  "Held-out fifth": "The results of a second model for a fifth of the points, after training on the other four fifths.",
};

/** samples returns the sample of each weight of a step. @param {Step} s */
export const samples = s => Array.from({ length: s.flat.length / 3 }, (_, i) => s.flat[3 * i]);

