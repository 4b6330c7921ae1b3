// A learner on the page: its fit, the iteration that is shown, and its picture, charts and answers.
import { Charts } from "./charts.js";
import { chance, colour, el, mark, sentence, short, signed, svg } from "./look.js";
import { kernels, learners } from "./panel.js";
import { negligible, Plane } from "./plane.js";

/** @typedef {import("./state.js").State} State */
/** @typedef {import("./charts.js").Step} Step */
/** @typedef {import("./charts.js").Factors} Factors */
/** @typedef {import("./plane.js").Explanation} Explanation */
/** @typedef {import("./engine.js").Engine} Engine */

const fine = 100, coarse = 48; // cells of the field on a side
const dragTime = 25; // ms of a fit while a point is dragged

/** newest runs one task at a time. Of those that come meanwhile it runs the last one. */
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
    this.parts = { title: part("h2"), facts: part(".facts"), state: part(".state"), answer: part(".answer") };
    this.plane = new Plane(part(".plane"), host, `Plane of learner ${name.toUpperCase()}`);
    this.charts = new Charts(part(".charts"), go);
    /** @type {Step[]} */ this.steps = [];
    this.status = "";
    this.seconds = 0;
    this.theta = 0;
    this.error = "";
    this.fitted = 0; // number of the fit that the steps are from
    this.fits = 0;
    this.fitting = false;
    /** @type {[number, number] | null} */ this.asked = null;
    this.fields = new Newest();
    this.answers = new Newest();
    this.drags = new Newest();
    this.factors = new Newest();
    /** @type {Set<Promise<unknown>>} */ this.work = new Set();
    this.says("");
  }

  /** busy keeps a promise until it settles, for idle. @template T @param {Promise<T>} p */
  busy(p) {
    this.work.add(p);
    const end = () => void this.work.delete(p);
    p.then(end, end);
    return p;
  }

  get setup() {
    return this.state.now[this.name];
  }

  /** last is the number of the last iteration. */
  get last() {
    return this.steps.at(-1)?.iteration ?? 0;
  }

  /** at is the index of the step that is shown. */
  get at() {
    const { step } = this.state.now;
    if (!step) return this.steps.length - 1;
    const i = this.steps.findIndex(s => s.iteration >= step);
    return i < 0 ? this.steps.length - 1 : i;
  }

  get now() {
    return this.steps[this.at];
  }

  /** fit learns anew. A fit that runs is cancelled. @returns {Promise<void>} */
  fit() {
    return this.busy(this.learn());
  }

  async learn() {
    const { setup, engine, name } = this, number = ++this.fits, { points } = this.state.now;
    if (!setup) return;
    this.drags.next = null;
    this.fitting = true;
    this.root.setAttribute("aria-busy", "true");
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
      this.take(number, steps, end.status);
      await this.draw();
      this.host.tell(`Learner ${name.toUpperCase()}: ${this.parts.facts.textContent}, ${this.parts.state.textContent}.`);
    } catch (e) {
      if (number === this.fits) this.fail(e);
    } finally {
      if (number === this.fits) {
        this.fitting = false;
        this.root.removeAttribute("aria-busy");
      }
    }
  }

  /** follow learns while a point is dragged: only the last iteration, for a short time, drawn coarsely. */
  follow() {
    return this.busy(this.drags.run(async () => {
      const { setup, engine, name } = this, number = ++this.fits, { points } = this.state.now;
      if (!setup) return;
      this.fitting = true;
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
    this.error = "";
    this.state.dispatchEvent(new Event("steps"));
  }

  /** @param {unknown} e */
  fail(e) {
    this.error = sentence(e);
    this.steps = [];
    this.status = "";
    this.plane.setField(null);
    this.plane.setVectors(new Map());
    this.says("");
    this.heading();
    this.state.dispatchEvent(new Event("steps"));
  }

  heading() {
    const { setup, steps, now, parts } = this;
    if (!setup) return;
    parts.title.textContent = `${learners[setup.learner]} · ${kernels[setup.kernel].split(",")[0]}` + (this.theta ? ` θ = ${short(this.theta)}` : "");
    const vectors = now ? new Set(samples(now)).size : 0, weights = now ? now.flat.length / 3 : 0;
    const many = /** @param {number} n @param {string} one */ (n, one) => `${n} ${one}${n === 1 ? "" : "s"}`;
    parts.facts.textContent = this.error ? this.error : !now ? "" : [
      `${many(this.state.now.points.length, "point")}, ${now.errors} wrong`, `log loss ${short(now.logLoss ?? NaN)}`,
      `${many(vectors, this.state.now.b ? "vector" : setup.learner === "svm" ? "support vector" : "relevance vector")}, ${many(weights, "weight")}`,
    ].join(" · ");
    const ended = { "iteration limit": "stopped at the limit" }[this.status] ?? this.status;
    parts.state.textContent = !now ? "" : this.status === "learning" ? `learning, iteration ${this.last}`
      : this.at === steps.length - 1 ? `${ended}, ${many(now.iteration, "iteration")}` : `iteration ${now.iteration}`;
    parts.facts.classList.toggle("wrong", !!this.error);
  }

  /** vectors are the relevance vectors of the step that is shown, with the signs of their weights. */
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

  /** draw shows the step of the state. It ends when the field is there. @param {boolean} [quick] @returns {Promise<void>} */
  draw(quick = false) {
    return this.busy(this.drawn(quick));
  }

  /** @param {boolean} quick */
  async drawn(quick) {
    if (!this.steps.length) return this.heading();
    this.chart();
    await Promise.all([this.picture(quick ? coarse : fine), this.now.factors ? this.factors.run(() => this.look()) : null]);
  }

  chart() {
    const { steps, at, state, setup } = this;
    if (!setup || !steps.length) return;
    void this.busy(this.charts.show({ steps, at, points: state.now.points, factors: this.charts.shown?.factors ?? null, learner: learners[setup.learner], name: this.host.name }));
  }

  async look() {
    const number = this.fitted, { now } = this;
    if (!now?.factors) return;
    try {
      const factors = await this.engine.look(this.name, now.iteration);
      if (number === this.fitted) await this.charts.candidates(/** @type {any} */ (factors));
    } catch { /* another fit has begun */ }
  }

  /** picture draws the points, vectors and the field with so many cells on a side. @param {number} cells */
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

  /** ask explains a place, or no longer does. @param {[number, number] | null} at */
  ask(at) {
    this.asked = at;
    if (!at) {
      this.plane.setExplanation(null);
      this.says("");
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
      } catch { /* another fit has begun */ }
    }));
  }

  /** says shows a hint in place of an answer. @param {string} text */
  says(text) {
    const { answer } = this.parts;
    answer.replaceChildren(el("p", { class: "hint" }, text || "Point at the plane to see the probabilities there and the vectors that speak for and against."));
  }

  /** answer is the table for a place. @param {Explanation} e */
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
      terms.length ? el("table", { class: "terms" }, el("caption", {}, "What counts most"), head("vector", "adds", "to"), el("tbody", {},
        ...terms.map(t => row(el("span", { class: "class" }, mark(points[t.sample]?.[2] ?? 0, 12), `point ${t.sample + 1}`), signed(t.contribution), name(t.class))))) : "");
  }

  /** restart follows another scheme. */
  restart() {
    this.plane.redraw();
    this.charts.restart();
  }
}

/** samples are those of the weights of a step. @param {Step} s */
export const samples = s => Array.from({ length: s.flat.length / 3 }, (_, i) => s.flat[3 * i]);

