// The third step: the report, the files and the notebook.
import { button, el, save } from "../playground/look.js";
import { frame } from "./parts.js";

/** @typedef {import("./engine.js").Answer} Answer */

export class Report {
  /** @param {import("./bench.js").Bench} bench @param {() => void} further searches without a time limit */
  constructor(bench, further) {
    this.bench = bench;
    this.title = el("h2", { id: "report-title", tabindex: -1 }, "Report");
    this.ended = el("p", { class: "ended" });
    this.further = button("Search on", further);
    this.early = el("p", { class: "buttons" }, this.ended, this.further, el("span", { class: "hint" }, "without a time limit"));
    this.contents = el("nav", { class: "contents", "aria-label": "Contents of the report" });
    this.place = el("div", { class: "whole" });
    const file = (/** @type {string} */ text, /** @type {string} */ what) => button(text, () => void this.save(what));
    this.section = el("section", { "aria-labelledby": "report-title", class: "step" }, this.title, this.early, this.contents, this.place,
      el("p", { class: "buttons" }, file("Save the report", "report"), file("Save the model", "model"), file("Save as ONNX", "onnx"), file("Save as JavaScript", "javascript"), button("Open in a notebook", () => void this.notebook())),
      el("p", { class: "hint" }, "The command ", el("code", {}, "mpcvm predict"), " reads the model. The report is the one that ", el("code", {}, "mpcvm fit --report"), " writes."));
  }

  show() {
    this.section.hidden = !this.bench.fitted;
    this.further.disabled = !!this.bench.busy;
    if (!this.bench.fitted) this.place.replaceChildren();
  }

  /** learned shows a report. @param {Answer} fitted */
  learned({ html, figures: { fit } }) {
    const why = /** @type {Record<string, string>} */ ({ stop: "Stopped", budget: "The time limit ended the search" })[fit?.ended];
    this.early.hidden = !why;
    this.ended.textContent = why ? `${why} after ${fit.tried} of about ${fit.of} settings.` : "";
    this.contents.replaceChildren();
    this.place.replaceChildren(frame(html, "Report", this.contents, [el("a", { href: "#score-title" }, "Score")]));
    this.section.hidden = false;
    this.title.focus();
    this.section.scrollIntoView();
  }

  /** save saves a file of the engine. @param {string} what */
  save(what) {
    return this.bench.run("Saving", async () => {
      const f = await /** @type {import("./engine.js").Session} */ (this.bench.session).ask({ op: "save", what });
      save(f.name, f.bytes, f.type);
      this.bench.saved = true;
      this.bench.say(`Saved ${f.name}.`);
    });
  }

  /** notebook opens a notebook with cells that do the same. The table is attached to it and stays in this browser. */
  notebook() {
    return this.bench.run("Making a notebook", async () => {
      const session = /** @type {import("./engine.js").Session} */ (this.bench.session);
      const [{ newId }, store, n] = await Promise.all([import("../notebook/ipynb.js"), import("../notebook/store.js"), session.ask({ op: "notebook" })]);
      const key = "own:" + newId();
      await store.putFile({ key, name: n.file, bytes: session.content.bytes });
      // The engine writes the cells and quotes all names, so they may run without confirmation.
      await store.put(key, 0, { name: n.title, when: Date.now(), from: "", cells: n.cells.map((/** @type {Answer} */ c) =>
        ({ id: newId(), type: c.type, source: c.source, metadata: c.tags ? { tags: c.tags } : {}, outputs: [] })) });
      const url = new URL("../notebooks/new.html#" + key, import.meta.url).href;
      this.bench.say("The notebook opens in another tab.");
      if (!open(url, "_blank")) {
        this.bench.saved = true;
        location.href = url;
      }
    });
  }
}
