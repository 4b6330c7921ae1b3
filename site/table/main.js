// "Your table": a table goes through four steps, look, learn, report and score. It stays in this page.
import { keepOffline } from "../keep.js";
import { button, el, sentence } from "../playground/look.js";
import { Fault, Session } from "./engine.js";
import { Learn } from "./learn.js";
import { Look } from "./look.js";
import { chooser } from "./parts.js";
import { Report } from "./report.js";
import { Score } from "./score.js";

/** @typedef {import("./engine.js").Answer} Answer */

/** mount shows the app in an element. leave is called if the reader goes back to the start. @param {HTMLElement} root @param {() => void} leave */
export const mount = (root, leave) => new App(root, leave);

/** App is the state of the page: a table, and the model that was trained on it. */
export class App {
  /** @param {HTMLElement} root @param {() => void} leave */
  constructor(root, leave) {
    /** @type {Session | null} */
    this.session = null;
    /** The answer to the last look. @type {Answer | null} */
    this.found = null;
    /** @type {Answer | null} */
    this.fitted = null;
    this.saved = true; // whether closing the page loses nothing
    this.busy = "";
    this.heading = el("h1", { tabindex: -1 }, "Your table");
    this.status = el("p", { class: "status", role: "status" });
    this.fault = el("p", { class: "fault", role: "alert", hidden: true });
    this.loading = el("progress", { "aria-label": "Loading the engine", max: 1, hidden: true });
    this.look = new Look(this);
    this.learn = new Learn(this);
    this.report = new Report(this);
    this.score = new Score(this);
    this.parts = [this.look, this.learn, this.report, this.score];
    this.question = el("dialog", { "aria-labelledby": "file-question" });
    root.classList.add("app");
    root.replaceChildren(
      el("div", { class: "top" }, this.heading, el("p", { class: "buttons" }, this.learn.first,
        chooser("Another table", "another-file", f => void this.take(f, null)), button("Back to the start", leave))),
      this.status, this.fault, this.loading, ...this.parts.map(p => p.section), this.question);
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

  /** say announces what happens. @param {string} text */
  say(text) {
    this.status.textContent = text;
    this.fail("");
  }

  /** fail shows an error; "" removes it. @param {unknown} error */
  fail(error) {
    const message = error instanceof Error ? error.message : String(error), named = /^\S*\.\S/.test(message); // begins with the name of a file
    const text = error === "" ? "" : named ? message + "." : sentence(error);
    this.fault.textContent = text;
    this.fault.hidden = !text;
    if (text) this.status.textContent = "";
  }

  /** run does some work and shows its error. A second one waits until the reader asks again. @param {string} what @param {() => Promise<void>} f */
  async run(what, f) {
    if (this.busy) return;
    this.busy = what;
    this.say(what + " …");
    this.show();
    try {
      await f();
    } catch (error) {
      this.fail(error);
      if (error instanceof Fault && this.session && this.found) await this.reopen();
    } finally {
      this.busy = "";
      this.show();
    }
  }

  /** show shows the parts that apply. */
  show() {
    for (const p of this.parts) p.show();
  }

  /** read reads a file. @param {File} file */
  async read(file) {
    try {
      return { name: file.name, bytes: new Uint8Array(await file.arrayBuffer()) };
    } catch {
      throw new Error(`${file.name} cannot be read; it may be a folder, too large for a page, or no longer there`);
    }
  }

  /**
   * take opens a file, or asks what to do with it if there is a model. Until the file is read, the table before stays.
   * @param {File} file @param {EventTarget | null} at where it was dropped
   */
  async take(file, at) {
    if (this.fitted && at instanceof Node && this.score.section.contains(at)) return this.score.use(file);
    if (this.fitted) {
      const answer = (/** @type {string} */ text, /** @type {() => unknown} */ f) => button(text, () => { this.question.close(); f(); });
      this.question.replaceChildren(el("h2", { id: "file-question" }, `What should be done with ${file.name}?`), el("p", {}, "A new table replaces the model. Save what you want to keep first."),
        el("p", { class: "buttons" }, answer("Predict its rows", () => this.score.use(file)), answer("Open it as a new table", () => this.open(file)), answer("Nothing", () => {})));
      return this.question.showModal();
    }
    return this.open(file);
  }

  /** open opens a file as a new table. @param {File} file */
  async open(file) {
    if (this.busy === "Learning") this.learn.cancel();
    while (this.busy) await new Promise(done => setTimeout(done, 20));
    return this.run(`Reading ${file.name}`, async () => this.start(await this.read(file)));
  }

  /** start looks at a table in a new worker. If it fails, the table before stays. @param {import("./engine.js").Content} content @param {Answer} [options] @param {string} [target] */
  async start(content, options = {}, target = "") {
    const session = new Session(content, (got, total) => {
      this.loading.hidden = got >= total;
      this.loading.value = got / total;
      this.status.textContent = got < total ? `Loading the engine: ${(got / 1e6).toFixed(1)} of ${(total / 1e6).toFixed(1)} MB …` : `Reading ${content.name} …`;
    });
    try {
      const found = await session.look(options, target);
      this.session?.close();
      this.session = session;
      this.fitted = null;
      this.saved = true;
      this.look.failed = null;
      this.use(found);
      this.heading.textContent = content.name;
      document.title = content.name + " · mPCVM";
      void keepOffline();
    } catch (error) {
      session.close();
      if (!this.session && !/unsupported|engine/.test(String(error))) this.look.failed = { content, options };
      throw error;
    } finally {
      this.loading.hidden = true;
    }
  }

  /** use shows the answer to a look. @param {Answer} found */
  use(found) {
    this.found = found;
    this.fitted = null;
    this.look.update(found);
    this.say(`Read ${found.findings.name}.`);
  }

  /** again looks at the same table with other options. @param {Answer} options @param {string} target */
  async again(options, target) {
    const { session, found } = this;
    return session && this.run("Reading the table again", async () => this.use(await session.ask({ op: "look", options, target })))
      .then(() => { if (this.found === found && found) this.look.update(found); }); // the controls as they were
  }

  /** reopen starts another worker after a fault or a cancelled fit, with the same table. */
  async reopen() {
    const { session, found, fault } = this, text = fault.textContent ?? "";
    if (!session || !found) return;
    try {
      await this.start(session.content, found.options, found.findings.target ?? "");
      if (text) this.fail(text + " The table is still open; the model has to be trained again");
    } catch (error) {
      this.fail(error);
    }
  }
}
