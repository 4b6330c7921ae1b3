// The second step: the search for a model.
import { button, el } from "../playground/look.js";

/** @typedef {import("./engine.js").Answer} Answer */

/** Tables with more rows show what a fit costs before it starts. */
const many = 10000;
/** The share of each stage in the progress bar: its start and its length. @type {Record<string, [number, number]>} */
const stages = { search: [0, .7], evaluation: [.7, .2], report: [.9, .1] };
const doing = /** @type {Record<string, string>} */ ({ search: "Searching", evaluation: "Evaluating the model", report: "Writing the report" });

/** refusal explains why no model can be trained on a table. @param {Answer} findings */
const refusal = ({ target, refused, unfit }) => refused ? `${target} cannot be used as classes: ${refused}.` : unfit && `No model can be trained: ${unfit}.`;

const clock = (/** @type {number} */ s) => `${Math.floor(s / 60)}:${String(Math.floor(s % 60)).padStart(2, "0")}`;

export class Learn {
  /** @param {import("./main.js").App} app */
  constructor(app) {
    this.app = app;
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
    this.stop = button("Stop and keep the best", () => this.end());
    this.progress = el("div", { hidden: true }, this.bar, this.stage, this.best, el("p", { class: "buttons" }, this.stop, button("Cancel", () => this.cancel())));
    this.section = el("section", { "aria-labelledby": "learn-title", class: "step" }, el("h2", { id: "learn-title" }, "Learn"), this.cost, this.start, this.why, this.progress);
  }

  show() {
    const { app } = this, f = app.found?.findings, running = app.busy === "Learning";
    this.section.hidden = !f;
    this.first.hidden = !f || running || !!app.fitted || f.rows > many;
    if (!f) return;
    const why = refusal(f) || (f.classes.length < 2 ? "Before a model can be trained, choose the class column." : "");
    this.why.textContent = why || "The search compares models by 5-fold cross-validation. The simplest model that is about as good as the best one is trained on all rows.";
    this.first.disabled = this.go.disabled = !!why || !!app.busy;
    this.start.hidden = running;
    this.progress.hidden = !running;
    const large = f.rows > many && !why;
    if (this.of !== app.session) { // another table
      this.of = app.session;
      this.limit.value = f.rows > many ? "300" : "60";
    }
    this.cost.hidden = !large || running;
    if (large) {
      this.cost.replaceChildren(el("p", {}, `This table has ${f.rows.toLocaleString("en")} rows. In a page, the model can use 4000 of them as relevance vectors, and with two processor cores a search of 20,000 rows of 16 columns uses up a limit of several minutes. `
        + "The command can use all rows, and takes four minutes for 16,000 such rows:"), el("pre", { tabindex: 0 }, app.found?.command));
    }
  }

  /** fit trains a model and shows what the search does. */
  async fit() {
    const { app } = this, { session } = app, begin = performance.now();
    if (!session) return;
    let drawn = 0, spoken = begin, said = "";
    /** @type {Answer} */
    let now = { stage: "search", share: 0, text: "" };
    const draw = () => {
      const [from, length] = stages[now.stage] ?? [0, 0];
      this.bar.value = Math.max(this.bar.value, from + length * Math.min(1, now.share));
      this.stage.textContent = `${doing[now.stage]}, ${clock((performance.now() - begin) / 1000)}. ${now.text}`;
      if (now.best) this.best.textContent = `Best so far: ${now.best}. Error ${now.error_percent} %, log loss ${now.log_loss}.`;
      this.stop.disabled = now.stage !== "search" || !now.best || this.stopping;
      // a screen reader hears a new stage at once, and a better model every 20 s at most
      const news = doing[now.stage] + (now.best ? `; best error so far ${now.error_percent} %` : "");
      if (!said.startsWith(doing[now.stage]) || news !== said && performance.now() - spoken > 20000) {
        app.status.textContent = news + ".";
        [said, spoken] = [news, performance.now()];
      }
    };
    this.bar.value = 0;
    this.best.textContent = "";
    this.stopping = false;
    app.fitted = null;
    app.saved = false;
    const timer = setInterval(draw, 500);
    await app.run("Learning", async () => {
      draw();
      this.stop.focus();
      try {
        const fitted = await session.fit(Number(this.limit.value), p => {
          now = { ...now, ...p };
          if (performance.now() - drawn > 150) {
            drawn = performance.now();
            draw();
          }
        });
        app.fitted = fitted;
        app.report.update(fitted);
        app.score.update(fitted);
        app.say((fitted.stopped ? "The search was stopped; this is its best model. " : "") + fitted.verdict);
      } catch (error) {
        app.saved = true;
        if (this.cancelled) await app.reopen();
        else throw error;
      } finally {
        clearInterval(timer);
        this.cancelled = false;
      }
    });
    if (app.fitted) app.report.title.focus();
  }

  /** end ends the search. */
  end() {
    this.stopping = this.stop.disabled = true;
    void this.app.session?.ask({ op: "stop" });
  }

  /** cancel ends the worker; the table stays. */
  cancel() {
    this.cancelled = true;
    this.app.session?.close();
  }
}
