// The second step: the search for a model.
import { button, el } from "../playground/look.js";
import { ClassMap } from "./map.js";

/** @typedef {import("./engine.js").Answer} Answer */

/** Tables with more rows show what a fit costs before it starts. */
const many = 10000;
/** The share of each stage in the progress bar: its start and its length. @type {Record<string, [number, number]>} */
const stages = { search: [0, .7], evaluation: [.7, .2], report: [.9, .1] };
const doing = /** @type {Record<string, string>} */ ({ search: "Searching", evaluation: "Evaluating the model", report: "Writing the report" });

/** refusal explains why no model can be trained on a table. @param {Answer} findings */
const refusal = ({ target, refused, unfit }) => refused ? `${target} cannot be used as classes: ${refused}.` : unfit ? `No model can be trained: ${unfit}.` : "";

const clock = (/** @type {number} */ s) => `${Math.floor(s / 60)}:${String(Math.floor(s % 60)).padStart(2, "0")}`;

export class Learn {
  /** @param {import("./bench.js").Bench} bench */
  constructor(bench) {
    this.bench = bench;
    this.stopping = this.cancelled = false; // as the reader asked
    /** The session whose table the time limit is for. @type {import("./engine.js").Session | null} */
    this.of = null;
    this.cost = el("div", { class: "cost" });
    this.why = el("p", { class: "hint", id: "learn-why" });
    this.limit = el("select", { id: "limit" }, ...[["60", "1 minute"], ["300", "5 minutes"], ["1200", "20 minutes"], ["0", "none"]].map(([v, t]) => el("option", { value: v }, t)));
    this.go = button("Learn", () => void this.fit(), { class: "main", "aria-describedby": "learn-why" });
    this.first = button("Learn", () => void this.fit(), { class: "main" }); // without scrolling past the columns
    this.start = el("p", { class: "buttons" }, this.go, el("label", { for: "limit" }, "Time limit"), this.limit);
    this.bar = el("progress", { max: 1, value: 0, "aria-label": "Progress of the search" });
    this.stage = el("p");
    this.best = el("p", { class: "best" });
    this.level = el("div", { class: "level", "aria-hidden": "true" }, el("i"));
    this.tried = el("ol", { class: "tried", tabindex: 0, "aria-label": "What was tried" });
    this.stop = button("Stop and keep the best", () => this.end());
    this.map = new ClassMap();
    this.progress = el("div", { hidden: true }, this.best, this.level, this.bar, this.stage, el("p", { class: "buttons" }, this.stop, button("Cancel", () => this.cancel())));
    this.log = el("details", { hidden: true, open: true }, el("summary", {}, "What was tried"), this.tried);
    this.title = el("h2", { id: "learn-title", tabindex: -1 }, "Learn");
    this.section = el("section", { "aria-labelledby": "learn-title", class: "step" }, this.title, this.cost, this.start, this.why,
      el("div", { class: "searching" }, this.progress, this.map.element, this.log));
  }

  show() {
    const { bench } = this, f = bench.found?.findings, running = bench.busy === "Learning";
    const why = f ? refusal(f) : "", possible = !!f?.classes.length && f.classes.length > 1;
    this.section.hidden = !f || !possible && !why;
    this.first.hidden = !f || !possible || running || !!bench.fitted || f.rows > many;
    if (!f) return;
    this.why.textContent = why || (running || bench.fitted ? "" : "The search compares models by 5-fold cross-validation. The simplest model that is about as good as the best one is trained on all rows.");
    this.first.disabled = this.go.disabled = !!why || !!bench.busy;
    this.go.textContent = bench.fitted ? "Learn again" : "Learn";
    this.start.hidden = running;
    this.progress.hidden = !running;
    if (!running) this.map.draw(null);
    this.log.hidden = !running && !bench.fitted;
    const large = f.rows > many && !why;
    if (this.of !== bench.session) { // another table
      this.of = bench.session;
      this.limit.value = f.rows > many ? "300" : "60";
    }
    this.cost.hidden = !large || running;
    if (large) {
      this.cost.replaceChildren(el("p", {}, `This table has ${f.rows.toLocaleString("en")} rows. In a page, the model can use 4000 of them as relevance vectors, and with two processor cores a search of 20,000 rows of 16 columns uses up a limit of five minutes. `
        + "The command can use all rows, and takes about two minutes for 16,000 such rows:"), el("pre", { tabindex: 0 }, bench.found?.command));
    }
  }

  /** fit trains a model and shows what the search does. @param {number} [limit] in seconds, 0 for none */
  async fit(limit = Number(this.limit.value)) {
    const { bench } = this, { session } = bench, begin = performance.now();
    if (!session || !bench.found || bench.busy) return;
    const rows = bench.found.findings.classes.map((/** @type {Answer} */ c) => c.rows), total = rows.reduce((/** @type {number} */ a, /** @type {number} */ b) => a + b);
    const worst = 100 * (1 - Math.max(...rows) / total); // the error of always naming the most frequent class
    let drawn = 0, spoken = begin, said = "";
    /** @type {Answer} */
    let now = { stage: "search", share: 0, text: "" };
    const draw = () => {
      const [from, length] = stages[now.stage] ?? [0, 0];
      this.bar.value = Math.max(this.bar.value, from + length * Math.min(1, now.share));
      this.stage.textContent = `${doing[now.stage]}, ${clock((performance.now() - begin) / 1000)}. ${now.text}`;
      const error = now.best ? Number(now.error_percent) : worst;
      this.best.replaceChildren("Error so far ", el("strong", {}, `${now.best ? now.error_percent : worst.toFixed(2)} %`), el("span", {}, now.best ? `with ${now.best}` : "by always naming the most frequent class"));
      /** @type {HTMLElement} */ (this.level.firstChild).style.width = `${Math.min(100, 100 * error / (worst || 1))}%`;
      this.stop.disabled = now.stage !== "search" || !now.best || this.stopping;
      // a screen reader hears a new stage at once, and a better model every 20 s at most
      const news = doing[now.stage] + (now.best ? `; best error so far ${now.error_percent} %` : "");
      if (!said.startsWith(doing[now.stage]) || news !== said && performance.now() - spoken > 20000) {
        bench.status.textContent = news + ".";
        [said, spoken] = [news, performance.now()];
      }
    };
    this.bar.value = 0;
    this.tried.replaceChildren();
    this.log.open = true;
    this.stopping = false;
    bench.fitted = null;
    bench.saved = false;
    const timer = setInterval(draw, 500);
    await bench.run("Learning", async () => {
      draw();
      this.title.focus();
      this.section.scrollIntoView();
      try {
        const fitted = await session.fit(limit, p => {
          if (p.step && p.step !== now.step) this.tried.prepend(el("li", {}, p.step, p.best ? el("small", {}, ` best so far ${p.error_percent} %`) : ""));
          if (p.map) this.map.draw(p.map);
          now = { ...now, ...p };
          if (performance.now() - drawn > 150) {
            drawn = performance.now();
            draw();
          }
        });
        this.log.open = false;
        bench.learned(fitted);
        bench.say(fitted.verdict);
      } catch (error) {
        bench.saved = true;
        if (this.cancelled) bench.renew();
        else throw error;
      } finally {
        clearInterval(timer);
        this.cancelled = false;
      }
    });
    if (!bench.fitted) this.title.focus();
  }

  /** end ends the search. */
  end() {
    this.stopping = this.stop.disabled = true;
    this.title.focus();
    void this.bench.session?.ask({ op: "stop" });
  }

  /** cancel ends the worker; the table stays. */
  cancel() {
    this.cancelled = true;
    this.bench.session?.close();
  }
}
