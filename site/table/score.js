// The fourth step: predictions for the rows of another file.
import { button, el, save } from "../playground/look.js";
import { chooser } from "./parts.js";

/** @typedef {import("./engine.js").Answer} Answer */

export class Score {
  /** @param {import("./bench.js").Bench} bench */
  constructor(bench) {
    this.bench = bench;
    this.sets = el("select", { id: "sets" }, ...[["0", "none"], ["0.8", "80 %"], ["0.9", "90 %"], ["0.95", "95 %"], ["0.99", "99 %"]].map(([v, t]) => el("option", { value: v }, t)));
    this.choice = el("span", {}, el("label", { for: "sets" }, "Prediction sets with coverage"), " ", this.sets);
    /** @type {File | null} the last file */
    this.file = null;
    this.safe = el("input", { type: "checkbox", id: "safe", checked: true });
    this.safe.addEventListener("change", () => this.file && void this.use(this.file));
    this.sets.addEventListener("change", () => this.file && void this.use(this.file));
    this.summary = el("div");
    this.rows = el("div", { class: "wide", tabindex: 0, role: "region", "aria-label": "First predictions" });
    this.result = el("div", { hidden: true }, this.summary, this.rows, el("p", { class: "buttons" }, button("Save the predictions", () => void this.save())));
    this.section = el("section", { "aria-labelledby": "score-title", class: "step" }, el("h2", { id: "score-title" }, "Score"),
      el("div", { class: "drop" }, el("p", {}, "Drop a second file with the same columns here to predict its rows. The classes may be missing."),
        el("p", { class: "buttons" }, chooser("Choose a file", "score-file", f => void this.use(f)), this.choice),
        el("p", {}, el("label", {}, this.safe, " Safe for spreadsheets: texts that begin with =, +, − or @ get a quote in front, so that none runs as a formula"))), this.result);
  }

  show() {
    this.section.hidden = !this.bench.fitted;
  }

  /** learned prepares for a new model. @param {Answer} fitted */
  learned({ sets }) {
    this.choice.hidden = !sets;
    this.sets.value = sets ? "0.9" : "0";
    this.file = null;
    this.result.hidden = true;
  }

  /** use predicts the rows of a file. @param {File} file */
  use(file) {
    return this.bench.run(`Predicting the rows of ${file.name}`, async () => {
      const { name, bytes } = await this.bench.read(file);
      const r = await /** @type {import("./engine.js").Session} */ (this.bench.session).score({ name, bytes }, { sets: Number(this.sets.value), plain: !this.safe.checked });
      this.file = file;
      const list = (/** @type {string[]} */ texts) => texts.map(t => el("li", {}, t));
      this.summary.replaceChildren(el("h3", {}, name), ...r.summary.map((/** @type {string} */ s) => el("p", {}, s)), el("ul", { class: "warnings" }, ...list(r.warnings)),
        el("p", {}, "Predicted classes: " + r.classes.map((/** @type {Answer} */ c) => `${c.name} ${c.rows}`).join(", ") + "."));
      // the predictions first, then the columns of the table
      const row = (/** @type {string[]} */ cells, /** @type {"td" | "th"} */ kind) => {
        const all = cells.map((c, i) => el(kind, { ...(kind === "th" && { scope: "col" }), class: i < r.own ? "own" : "predicted" }, i < r.own || !/^[01]?\.\d{5,}$|^\d(\.\d+)?e-\d+$/.test(c) ? c : Number(c).toFixed(4)));
        return el("tr", {}, ...all.slice(r.own), ...all.slice(0, r.own));
      };
      this.rows.replaceChildren(el("table", {}, el("caption", {}, `The first ${r.first.length} of ${r.rows.toLocaleString("en")} rows`), el("thead", {}, row(r.header, "th")), el("tbody", {}, ...r.first.map((/** @type {string[]} */ c) => row(c, "td")))));
      this.result.hidden = false;
      this.bench.say(r.summary.join(" "));
    });
  }

  /** save saves the predictions as CSV. */
  save() {
    return this.bench.run("Saving", async () => {
      const session = /** @type {import("./engine.js").Session} */ (this.bench.session), f = await (session.scorer ?? session).ask({ op: "save", what: "predictions" });
      save(f.name, f.bytes, f.type);
      this.bench.say(`Saved ${f.name}.`);
    });
  }
}
