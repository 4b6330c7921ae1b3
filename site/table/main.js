// "Your table": a table goes through four steps, look, learn, report and score. It stays in this page.
import { button, el } from "../playground/look.js";
import { Bench } from "./bench.js";
import { Learn } from "./learn.js";
import { Look } from "./look.js";
import { chooser } from "./parts.js";
import { Report } from "./report.js";
import { Score } from "./score.js";
import { counter } from "./sent.js";
import { isModel } from "./share.js";

/** mount shows the app in an element. leave is called if the reader goes back to the start. @param {HTMLElement} root @param {() => void} leave */
export const mount = (root, leave) => new App(root, leave);

/** App is the page. */
export class App extends Bench {
  /** @param {HTMLElement} root @param {() => void} leave */
  constructor(root, leave) {
    super();
    this.look = new Look(this);
    this.learn = new Learn(this);
    this.report = new Report(this, () => void this.learn.fit(0));
    this.score = new Score(this);
    /** @type {import("./bench.js").Step[]} */
    this.steps = [this.look, this.learn, this.report, this.score];
    this.question = el("dialog", { "aria-labelledby": "file-question" });
    root.classList.add("app");
    root.replaceChildren(
      el("div", { class: "top" }, this.heading, el("p", { class: "buttons" }, this.learn.first,
        chooser("Another table", "another-file", f => void this.take(f, null)), button("Back to the start", leave))),
      counter(), this.status, this.fault, this.loading, ...this.steps.map(s => s.section), this.question);
    this.unload = (/** @type {Event} */ e) => this.saved || e.preventDefault();
    addEventListener("beforeunload", this.unload);
    this.show();
    this.heading.focus();
    Object.assign(window, { table: this });
  }

  /** close ends the workers. */
  close() {
    this.session?.close();
    removeEventListener("beforeunload", this.unload);
  }

  /**
   * take opens a file, or asks what to do with it if there is a model. Until the file is read, the table before stays.
   * @param {File} file @param {EventTarget | null} at where it was dropped @param {import("./engine.js").Answer} [options] for reading it
   */
  async take(file, at, options) {
    if (this.fitted && at instanceof Node && this.score.section.contains(at)) return this.score.use(file);
    if (this.fitted) {
      const answer = (/** @type {string} */ text, /** @type {() => unknown} */ f) => button(text, () => { this.question.close(); f(); });
      this.question.replaceChildren(el("h2", { id: "file-question" }, `What should be done with ${file.name}?`), el("p", {}, "A new table replaces the model. Save what you want to keep first."),
        el("p", { class: "buttons" }, answer("Predict its rows", () => this.score.use(file)), answer("Open it as a new table", () => this.open(file)), answer("Nothing", () => {})));
      return this.question.showModal();
    }
    return this.open(file, options);
  }

  /** restore opens the last table. @param {import("./last.js").Last} last */
  restore(last) {
    return this.run(`Reading ${last.name}`, () => this.resume(last));
  }

  /** open opens a file as a new table. @param {File} file @param {import("./engine.js").Answer} [options] */
  async open(file, options) {
    if (this.busy === "Learning") this.learn.cancel();
    while (this.busy) await new Promise(done => setTimeout(done, 20));
    return this.run(`Reading ${file.name}`, async () => {
      const content = await this.read(file);
      return isModel(content.bytes) ? this.receive(content, options?.row ?? []) : this.start(content, options);
    });
  }
}
