// The third step: the report, the files and the notebook.
import { button, el, save } from "../playground/look.js";
import { frame } from "./parts.js";

/** @typedef {import("./engine.js").Answer} Answer */

export class Report {
  /** @param {import("./main.js").App} app */
  constructor(app) {
    this.app = app;
    this.title = el("h2", { id: "report-title", tabindex: -1 }, "Report");
    this.verdict = el("p", { class: "verdict" });
    this.place = el("div");
    const file = (/** @type {string} */ text, /** @type {string} */ what) => button(text, () => void this.save(what));
    this.section = el("section", { "aria-labelledby": "report-title", class: "step" }, this.title, this.verdict,
      el("p", { class: "buttons" }, file("Save the report", "report"), file("Save the model", "model"), file("Save as ONNX", "onnx"), file("Save as JavaScript", "javascript"), button("Open in a notebook", () => void this.notebook())),
      el("p", { class: "hint" }, "The command ", el("code", {}, "mpcvm predict"), " reads the model. The report is the one that ", el("code", {}, "mpcvm fit --report"), " writes."), this.place);
  }

  show() {
    this.section.hidden = !this.app.fitted;
    if (!this.app.fitted) this.place.replaceChildren();
  }

  /** update shows a report. @param {Answer} fitted */
  update({ verdict, html }) {
    this.verdict.textContent = verdict;
    this.place.replaceChildren(frame(html, "Report"));
  }

  /** save saves a file of the engine. @param {string} what */
  save(what) {
    return this.app.run("Saving", async () => {
      const f = await /** @type {import("./engine.js").Session} */ (this.app.session).ask({ op: "save", what });
      save(f.name, f.bytes, f.type);
      this.app.saved = true;
      this.app.say(`Saved ${f.name}.`);
    });
  }

  /** notebook opens a notebook with cells that do the same. The table is attached to it and stays in this browser. */
  notebook() {
    return this.app.run("Making a notebook", async () => {
      const session = /** @type {import("./engine.js").Session} */ (this.app.session);
      const [{ newId }, store, n] = await Promise.all([import("../notebook/ipynb.js"), import("../notebook/store.js"), session.ask({ op: "notebook" })]);
      const key = "own:" + newId();
      await store.putFile({ key, name: n.file, bytes: session.content.bytes });
      // The engine writes the cells and quotes all names, so they may run without confirmation.
      await store.put(key, 0, { name: n.title, when: Date.now(), from: "", cells: n.cells.map((/** @type {Answer} */ c) =>
        ({ id: newId(), type: c.type, source: c.source, metadata: c.tags ? { tags: c.tags } : {}, outputs: [] })) });
      const url = new URL("../notebooks/new.html#" + key, import.meta.url).href;
      this.app.say("The notebook opens in another tab.");
      if (!open(url, "_blank")) {
        this.app.saved = true;
        location.href = url;
      }
    });
  }
}
