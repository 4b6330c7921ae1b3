// The state of "Your table" that its steps share: a table, and the model that was trained on it. The steps know this module,
// and main.js knows the steps.
import { el, sentence } from "../playground/look.js";
import { Fault, Session } from "./engine.js";
import { keep } from "./last.js";

/** @typedef {import("./engine.js").Answer} Answer */
/** @typedef {import("./engine.js").Content} Content */
/** @typedef {{section: HTMLElement, show: () => void, looked?: (found: Answer) => void, learned?: (fitted: Answer) => void}} Step */

export class Bench {
  constructor() {
    /** @type {Session | null} */
    this.session = null;
    /** The answer to the last look. @type {Answer | null} */
    this.found = null;
    /** @type {Answer | null} */
    this.fitted = null;
    /** The file that could not be read, if there is no other. @type {{content: Content, options: Answer} | null} */
    this.failed = null;
    this.saved = true; // whether closing the page loses nothing
    this.kept = Promise.resolve();
    this.busy = "";
    /** @type {Step[]} */
    this.steps = [];
    this.heading = el("h1", { tabindex: -1 }, "Your table");
    this.status = el("p", { class: "status", role: "status" });
    this.fault = el("p", { class: "fault", role: "alert", hidden: true });
    this.loading = el("progress", { "aria-label": "Loading the engine", max: 1, hidden: true });
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

  /** show shows the steps that apply. */
  show() {
    for (const s of this.steps) s.show();
  }

  /** read reads a file. @param {File} file */
  async read(file) {
    try {
      return { name: file.name, bytes: new Uint8Array(await file.arrayBuffer()) };
    } catch {
      throw new Error(`${file.name} cannot be read; it may be a folder, too large for a page, or no longer there`);
    }
  }

  /** start looks at a table in a new worker. If it fails, the table before stays. @param {Content} content @param {Answer} [options] @param {string} [target] @param {boolean} [settled] */
  start(content, options = {}, target = "", settled = false) {
    return this.enter(content, async session => {
      const found = { ...await session.look(options, target, settled), asked: options };
      return () => this.use(found);
    }, options);
  }

  /** receive opens a model file instead of a table. @param {Content} content @param {[string, any][]} row the cells to start with */
  receive(content, row) {
    return this.enter(content, async session => {
      const fitted = await session.ask({ op: "open", ...content, row });
      return () => {
        this.found = null;
        this.learned(fitted);
        this.say(`Opened ${content.name}.`);
      };
    });
  }

  /** enter starts a worker for a file. If its work fails, what was open before stays. @param {Content} content @param {(session: Session) => Promise<() => void>} work returns a function that shows the result @param {Answer} [options] */
  async enter(content, work, options = {}) {
    const session = new Session(content, (got, total) => {
      this.loading.hidden = got >= total;
      this.loading.value = got / total;
      this.status.textContent = got < total ? `Loading the engine: ${(got / 1e6).toFixed(1)} of ${(total / 1e6).toFixed(1)} MB …` : `Reading ${content.name} …`;
    });
    try {
      const shown = await work(session);
      this.session?.close();
      this.session = session;
      this.saved = true;
      this.failed = null;
      shown();
      this.heading.textContent = content.name;
      document.title = content.name + " · mPCVM";
    } catch (error) {
      session.close();
      if (!this.session && !/unsupported|engine/.test(String(error))) this.failed = { content, options };
      throw error;
    } finally {
      this.loading.hidden = true;
    }
  }

  /** use shows the answer to a look. @param {Answer} found */
  use(found) {
    this.found = found;
    this.fitted = null;
    for (const s of this.steps) s.looked?.(found);
    this.say(`Read ${found.findings.name}.`);
    this.keep(null);
  }

  /** keep keeps the table and its model in this browser. @param {Answer | null} fitted */
  keep(fitted) {
    const { session, found } = this;
    if (!session || !found) return;
    this.kept = this.kept.then(async () => {
      const model = fitted && (await session.ask({ op: "save", what: "model" })).bytes;
      const done = await keep({ ...session.content, options: found.options, target: found.findings.target ?? "", fitted, model });
      if (this.fitted === fitted) this.saved ||= done;
    }).catch(() => {}); // the session was closed
  }

  /** resume opens a table with its model as it was kept. @param {import("./last.js").Last} last */
  async resume({ name, bytes, options, target, fitted, model }) {
    await this.start({ name, bytes }, options, target, true);
    if (!model || !fitted) return;
    await /** @type {Session} */ (this.session).ask({ op: "open", name, bytes: model, resumed: true });
    this.learned(fitted);
    this.say(`Opened ${name} as it was.`);
  }

  /** learned shows a model. @param {Answer} fitted */
  learned(fitted) {
    this.fitted = fitted;
    for (const s of this.steps) s.learned?.(fitted);
    this.keep(fitted);
  }

  /** again looks at the same table with other options. @param {Answer} options @param {string} target @param {Answer[]} [fixes] */
  async again(options, target, fixes = []) {
    const { session, found } = this;
    if (!session || !found) return;
    await this.run("Reading the table again", async () => this.use(await session.again(options, target, fixes)));
    if (this.found === found) for (const s of this.steps) s.looked?.(found); // the controls as they were
  }

  /** renew starts another worker after a cancelled fit. It reads the same table, which can take a while; the reader need not wait. */
  renew() {
    const { session, found } = this;
    if (!session || !found) return;
    const next = this.session = new Session(session.content);
    next.look(found.options, found.findings.target ?? "", true).catch(error => this.session === next && !this.busy && this.fail(error));
    this.say("Cancelled.");
  }

  /** reopen starts another worker after a fault, with the same table. */
  async reopen() {
    const { session, found, fault } = this, text = fault.textContent ?? "";
    if (!session || !found) return;
    try {
      await this.start(session.content, found.options, found.findings.target ?? "", true);
      if (text) this.fail(text + " The table is still open; the model has to be trained again");
    } catch (error) {
      this.fail(error);
    }
  }
}
