// The third step: the report, the files and the notebook.
import { button, el, save } from "../playground/look.js";
import { frame } from "./parts.js";
import { linkTo } from "./share.js";

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
    this.whole = button("Open in a notebook", () => void this.notebook());
    this.link = el("input", { type: "text", readonly: true, "aria-label": "Link to the model" });
    this.holds = el("p", { class: "hint" });
    this.shared = el("div", { hidden: true }, el("p", { class: "buttons" }, this.link, button("Copy", () => void navigator.clipboard.writeText(this.link.value).then(() => bench.say("Copied the link.")))), this.holds);
    const file = (/** @type {string} */ text, /** @type {string} */ what) => button(text, () => void this.save(what));
    this.section = el("section", { "aria-labelledby": "report-title", class: "step" }, this.title, this.early, this.contents, this.place,
      el("p", { class: "buttons" }, button("Share a link", () => void this.share(), { class: "main" }), file("Save the report", "report"), file("Save the model", "model"), file("Save as ONNX", "onnx"), file("Save as JavaScript", "javascript"), this.whole), this.shared,
      el("p", { class: "hint" }, "The command ", el("code", {}, "mpcvm predict"), " reads the model. The report is the one that ", el("code", {}, "mpcvm fit --report"), " writes."));
  }

  show() {
    this.section.hidden = !this.bench.fitted;
    this.further.disabled = !!this.bench.busy;
    if (!this.bench.fitted) this.place.replaceChildren();
    this.whole.hidden = !this.bench.found;
  }

  /** learned shows a report. @param {Answer} fitted */
  learned({ html, figures: { fit, relevance_vectors: vectors } }) {
    this.vectors = vectors;
    this.shared.hidden = true;
    const why = /** @type {Record<string, string>} */ ({ stop: "Stopped", budget: "The time limit ended the search" })[fit?.ended];
    this.early.hidden = !why;
    this.ended.textContent = why ? `${why} after ${fit.tried} of about ${fit.of} settings.` : "";
    this.contents.replaceChildren();
    this.place.replaceChildren(frame(html, "Report", this.contents, [el("a", { href: "#score-title" }, "Score")]));
    this.section.hidden = false;
    this.title.focus();
    this.section.scrollIntoView();
  }

  /** share shows a link that contains the model and the row in play. */
  share() {
    return this.bench.run("Making a link", async () => {
      const { bytes } = await /** @type {import("./engine.js").Session} */ (this.bench.session).ask({ op: "save", what: "model" });
      const frames = this.place.querySelector("iframe"), row = /** @type {any} */ (frames?.contentWindow)?.mpcvmReports?.[0]?.row() ?? {};
      const link = await linkTo(bytes, Object.entries(row));
      const rows = this.vectors ? `${this.vectors} rows of the table, with their IDs` : "no row of the table";
      this.link.value = link;
      /** @type {HTMLElement} */ (this.link.parentElement).hidden = !link;
      this.holds.textContent = link ? `Whoever opens the link sees how good the model is, changes this row and predicts rows of their own, without a server. The link contains the model: columns, classes and ${rows}. Browsers do not send it, but whoever has the link can read it.`
        : `The model is too large for a link. Save the model and send the file, which contains ${rows}: dropped on this page, it shows the same.`;
      this.shared.hidden = false;
      this.link.select();
      this.bench.say(link ? "The link is ready." : "The model is too large for a link.");
    });
  }

  /** save saves a file of the engine. @param {string} what */
  save(what) {
    return this.bench.run("Saving", async () => {
      const base = (this.bench.session?.content.name ?? "").replace(/\.[^.]*$/, "");
      const f = what === "report" ? { name: base + "-report.html", type: "text/html", bytes: new TextEncoder().encode(this.bench.fitted?.html) } : await /** @type {import("./engine.js").Session} */ (this.bench.session).ask({ op: "save", what });
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
