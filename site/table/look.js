// The first step: what is in the table, with a control for each column and for how the file is read.
import { button, el } from "../playground/look.js";
import { frame } from "./parts.js";

/** @typedef {import("./engine.js").Answer} Answer */
/** @typedef {[value: string, text: string]} Choice */

/** The kinds and uses of columns. site/internal/analysis has the same names of controls. @type {Choice[]} */
const kinds = ["number", "category", "boolean", "date", "id", "text"].map(k => [k, k === "id" ? "ID" : k]);
/** @type {Choice[]} */
const uses = [["", "feature"], ["target", "classes"], ["id", "ID"], ["dropped", "leave out"], ["group", "group"], ["time", "time"]];

/** How a file is read: the option, its control and the values of the control, or null for a text. @type {[keyof typeof only | string, string, Choice[] | null][]} */
const reading = [
  ["separator", "Separator", [["comma", "comma"], ["semicolon", "semicolon"], ["tab", "tab"], ["pipe", "pipe"], ["blanks", "blanks"]]],
  ["decimal", "Decimal mark", [[".", "point"], [",", "comma"]]],
  ["encoding", "Encoding", ["utf-8", "utf-16le", "utf-16be", "latin-1", "windows-1250", "windows-1251", "macintosh", "gbk", "big5", "shift_jis", "euc-kr"].map(e => [e, e])],
  ["header", "Header", [["yes", "the first row"], ["none", "none"]]],
  ["sheet", "Sheet", null],
  ["ragged", "Uneven rows", [["drop", "skip them"], ["pad", "fill or cut them"]]],
  ["limits", "Values such as <0.5", [["half", "half the limit"], ["limit", "the limit"], ["missing", "missing"]]],
  ["missing", "Further texts for missing", null],
];
/** The options that apply only to texts, or only to workbooks. */
const only = { separator: "text", decimal: "text", encoding: "text", ragged: "text", sheet: "workbook" };
/** What the empty value of a control means, unless it is detected. */
const empty = /** @type {Record<string, string>} */ ({ ragged: "an error", limits: "not numbers" });

/** own returns a value of an object by any name, such as constructor. @param {Record<string, string> | undefined} o @param {string} name */
const own = (o, name) => o && Object.hasOwn(o, name) ? o[name] : undefined;
const number = (/** @type {number} */ n) => n.toLocaleString("en");
const count = (/** @type {number} */ n, /** @type {string} */ what) => `${number(n)} ${what}${n === 1 ? "" : "s"}`;
const digits = (/** @type {number} */ v) => String(+v.toPrecision(4)).replace("-", "−");
const date = (/** @type {number} */ v) => new Date(v * 1000).toISOString().slice(0, 10);

/** select makes a control. @param {Choice[]} choices @param {string} value @param {(value: string) => void} changed @param {Record<string, string>} attributes */
const select = (choices, value, changed, attributes) => {
  const known = choices.some(([v]) => v === value) ? choices : [...choices, /** @type {Choice} */ ([value, value])];
  const s = el("select", attributes, ...known.map(([v, text]) => el("option", { value: v }, text)));
  s.value = value;
  s.addEventListener("change", () => changed(s.value));
  return s;
};

/** The number of columns and classes shown at first. */
const most = 100;

export class Look {
  /** @param {import("./bench.js").Bench} bench */
  constructor(bench) {
    this.bench = bench;
    /** The options before each fix. @type {Answer[]} */
    this.before = [];
    this.learning = false; // at the last show
    /** The session of the last look. @type {import("./engine.js").Session | null} */
    this.of = null;
    this.facts = el("p");
    this.warnings = el("ul", { class: "warnings" });
    this.fixing = el("p", { class: "buttons" });
    this.classes = el("div");
    this.columns = el("div");
    this.file = el("div", { class: "options" });
    this.reading = el("p");
    this.how = el("details", {}, el("summary", {}, "How the file is read"), this.reading, this.file);
    this.charts = el("details", {}, el("summary", {}, "Charts of the columns"));
    this.charts.addEventListener("toggle", () => void this.draw());
    this.command = el("code");
    this.fields = el("fieldset", { class: "plain" }, el("legend", { class: "unseen" }, "Columns and file"), this.columns, this.how);
    this.body = el("div", {}, this.facts, this.warnings, this.fixing, this.classes, this.fields,
      this.charts, el("details", {}, el("summary", {}, "The same with the command"), el("pre", { tabindex: 0 }, this.command)));
    this.fold = el("details", { class: "fold", open: true }, el("summary", {}, el("h2", { id: "look-title" }, "Look")), this.body);
    this.section = el("section", { "aria-labelledby": "look-title", class: "step" }, this.fold);
  }

  show() {
    const { bench: { found, failed, busy, fitted } } = this;
    this.section.hidden = !found && !failed;
    this.fields.disabled = !!busy;
    for (const b of this.body.querySelectorAll("button")) b.disabled = !!busy;
    if (busy === "Learning" && !this.learning) this.fold.open = false;
    this.learning = busy === "Learning";
    this.section.setAttribute("aria-busy", String(!!busy));
    for (const part of [this.facts, this.warnings, this.fixing, this.classes, this.columns, this.charts, this.body.lastElementChild]) {
      /** @type {HTMLElement} */ (part).hidden = !found;
    }
    if (failed && !found) {
      this.how.open = true;
      this.reading.textContent = `If ${failed.content.name} is a table, set how it is read.`;
      this.controls(failed.options, failed.content.bytes);
    }
  }

  /** looked shows the answer to a look. @param {Answer} found */
  looked({ findings: f, options, asides, command, fixes, chosen, asked }) {
    const focus = document.activeElement?.id;
    if (this.of !== this.bench.session) [this.of, this.before] = [this.bench.session, []];
    this.fold.open = true;
    this.facts.textContent = `${count(f.rows, "row")}, ${count(f.columns.length, "column")}, ${count(f.features, "feature")}.`;
    const fix = (/** @type {Answer[]} */ list) => () => this.fix(list), said = ["no-target", "refused"]; // elsewhere in the page
    this.warnings.replaceChildren(...f.warnings.flatMap((/** @type {Answer} */ w, /** @type {number} */ i) => said.includes(w.code) ? [] : [el("li", {}, w.text, ...fixes[i].map((/** @type {Answer} */ x) => button(x.label, fix([x]), { class: "fix" })))]),
      ...f.notes.filter((/** @type {Answer} */ n) => !said.includes(n.code)).map((/** @type {Answer} */ n) => el("li", {}, n.text)));
    const only = ["repeated-id", "dropped-id", "text"]; // not faults
    const all = (fixes ?? []).flatMap((/** @type {Answer[]} */ list, /** @type {number} */ i) => only.includes(f.warnings[i].code) ? [] : list.slice(0, 1)); // the first of each finding
    if (chosen) this.before = [asked];
    this.fixing.replaceChildren(all.length > 1 ? button(`Fix all ${all.length}`, fix(all)) : "", this.before.length ? button("Undo", () => this.undo()) : "",
      chosen ? el("span", { class: "hint" }, "Chosen for you: " + chosen.map((/** @type {Answer} */ x) => x.label).join("; ")) : "");
    this.fixing.hidden = !this.fixing.textContent;
    this.showClasses(f, options);
    this.table(f.columns, options, asides);
    this.reading.textContent = `Detected or set: ${f.reading}.`;
    this.controls(options, /** @type {import("./engine.js").Session} */ (this.bench.session).content.bytes, f.dialect);
    this.command.textContent = command;
    this.charts.open = false;
    if (focus) document.getElementById(focus)?.focus();
  }

  /** joined shows which classes were joined, with a button that separates them. @param {Answer} options */
  joined({ merge, ...others }) {
    return el("p", { class: "buttons" }, Object.entries(merge).map(([old, name]) => `${old} counts as ${name}`).join("; ") + ". ",
      button("Separate them", () => void this.bench.again(others, this.bench.found?.findings.target ?? "")));
  }

  /** showClasses shows how many rows each class has, or what can be the classes. @param {Answer} f @param {Answer} options */
  showClasses(f, options) {
    const widest = Math.max(...f.classes.map((/** @type {Answer} */ c) => c.rows));
    const rows = f.classes.slice(0, most).map((/** @type {Answer} */ c) => el("li", {}, el("span", {}, c.name), el("span", {}, number(c.rows)),
      el("meter", { "aria-hidden": "true", max: widest, value: c.rows })));
    if (f.classes.length) {
      this.classes.replaceChildren(el("h3", {}, `${number(f.classes.length)} classes from ${f.target}`), el("ul", { class: "classes", tabindex: 0, "aria-label": "Classes" }, ...rows),
        f.classes.length > most ? `and ${number(f.classes.length - most)} more` : "", options.merge ? this.joined(options) : "");
      return;
    }
    const offers = (f.candidates ?? []).slice(0, 8).map((/** @type {string} */ name) => button(name, () => this.change(name, "target")));
    this.classes.replaceChildren(f.target ? "" : el("p", { class: "fault" }, "No column was found that clearly contains the classes."),
      offers.length ? el("p", { class: "buttons" }, "Take the classes from", ...offers) : el("p", {}, "Choose a column under “Use: classes”."));
  }

  /** table shows the columns. @param {Answer[]} columns @param {Answer} options @param {Record<string, string>} asides */
  table(columns, options, asides, all = columns.length <= most) {
    const cell = (/** @type {string} */ name, /** @type {(Node | string)[]} */ ...inside) => el("td", { role: "cell", "data-name": name }, ...inside);
    const head = ["Column", "Kind", "Use", "Missing"].map(h => el("th", { role: "columnheader", scope: "col" }, h));
    const rows = (all ? columns : columns.slice(0, most)).map((c, i) => el("tr", { role: "row" },
      el("th", { role: "rowheader", scope: "row" }, c.name, el("small", {}, this.values(c))),
      cell("Kind", select(kinds, own(options.kinds, c.name) ?? c.kind, kind => this.kind(c.name, kind), { id: "kind-" + i, "aria-label": `Kind of ${c.name}` })),
      cell("Use", select(uses, own(asides, c.name) ?? (c.kind === "id" ? "id" : c.kind === "text" ? "dropped" : ""), use => this.change(c.name, use), { id: "use-" + i, "aria-label": `Use of ${c.name}` })),
      cell("Missing", c.missing + c.faults ? `${number(c.missing + c.faults)} (${(100 * (c.missing + c.faults) / this.rows()).toFixed(1)} %)` : "0")));
    this.columns.replaceChildren(el("table", { role: "table", class: "columns", "aria-label": "Columns" }, el("thead", { role: "rowgroup" }, el("tr", { role: "row" }, ...head)), el("tbody", { role: "rowgroup" }, ...rows)),
      all ? "" : button(`Show all ${number(columns.length)} columns`, () => this.table(columns, options, asides, true)));
  }

  rows() {
    return Math.max(1, this.bench.found?.findings.rows ?? 1);
  }

  /** values describes the values of a column. @param {Answer} c */
  values(c) {
    const count = `${number(c.distinct)}${c.distinct_at_least ? " or more" : ""} ${c.distinct === 1 ? "value" : "values"}`;
    if (c.range && c.kind === "date") return `${count}, from ${date(c.range.min)} to ${date(c.range.max)}`;
    if (c.range) return `${count} from ${digits(c.range.min)} to ${digits(c.range.max)}, median ${digits(c.range.median)}`;
    return c.top ? `${count}: ${c.top.slice(0, 4).map((/** @type {Answer} */ t) => t.value).join(", ")}${c.distinct > 4 ? ", …" : ""}` : count;
  }

  /** controls shows how the file is read. @param {Answer} options @param {Uint8Array} bytes @param {Answer} [dialect] */
  controls(options, bytes, dialect = {}) {
    const sort = bytes[0] === 0x50 && bytes[1] === 0x4b ? "workbook" : "text";
    const detected = /** @type {Record<string, string>} */ ({ separator: dialect.separator && ({ ",": "comma", ";": "semicolon", "\t": "tab", "|": "pipe", " ": "blanks" })[/** @type {","} */ (dialect.separator)],
      decimal: ({ ".": "point", ",": "comma" })[/** @type {"."} */ (dialect.decimal)], encoding: dialect.encoding, header: dialect.header === undefined ? "" : dialect.header ? "the first row" : "none" });
    this.file.replaceChildren(...reading.filter(([key]) => ((/** @type {any} */ (only))[key] ?? sort) === sort).map(([key, label, choices]) => {
      const id = "read-" + key, set = (/** @type {string} */ v) => this.read(options, key, v);
      if (choices) {
        const first = empty[key] ?? (detected[key] ? `detected: ${detected[key]}` : "detected");
        return el("p", {}, el("label", { for: id }, label), select([["", first], ...choices], options[key] ?? "", set, { id }));
      }
      const input = el("input", { id, type: "text", value: key === "missing" ? (options.missing ?? []).join(", ") : options[key] ?? "", placeholder: key === "missing" ? "-999, unknown" : "the first with a table" });
      input.addEventListener("change", () => set(input.value));
      return el("p", {}, el("label", { for: id }, label), input);
    }));
  }

  /** read reads the file with another option. @param {Answer} options @param {string} key @param {string} value */
  read(options, key, value) {
    const next = { ...options, [key]: key === "missing" ? value.split(",").map(s => s.trim()).filter(Boolean) : value }, { bench, bench: { failed } } = this;
    if (!failed) return bench.again(next, bench.found?.findings.target ?? "");
    return bench.run(`Reading ${failed.content.name}`, () => bench.start(failed.content, next));
  }

  /** kind sets the kind of a column. @param {string} name @param {string} kind */
  kind(name, kind) {
    const { options, findings } = /** @type {Answer} */ (this.bench.found);
    void this.bench.again({ ...options, kinds: { ...options.kinds, [name]: kind } }, findings.target ?? "");
  }

  /** change sets the use of a column. @param {string} name @param {string} use */
  change(name, use) {
    const { options, findings } = /** @type {Answer} */ (this.bench.found), column = findings.columns.find((/** @type {Answer} */ c) => c.name === name);
    const without = (/** @type {string[]} */ list = []) => list.filter(n => n !== name), kinds = { ...options.kinds };
    const next = { ...options, kinds, drop: without(options.drop), id: without(options.id), group: options.group === name ? "" : options.group, time: options.time === name ? "" : options.time };
    let target = findings.target === name ? "" : findings.target ?? "";
    if (use === "target") target = name;
    else if (use === "id") next.id.push(name);
    else if (use === "dropped") next.drop.push(name);
    else if (use) next[use] = name;
    if ((use === "" || use === "target") && ["id", "text"].includes(column.kind)) kinds[name] = "category";
    if (target !== findings.target) delete next.merge; // of other classes
    void this.bench.again(next, target).then(() => {
      if (use === "" && this.bench.found?.findings.target === name) this.bench.say(`${name} still has the classes. Choose another column under “Use: classes” first.`);
    });
  }

  /** fix sets options that settle findings. @param {Answer[]} fixes */
  fix(fixes) {
    const { options, findings } = /** @type {Answer} */ (this.bench.found);
    this.before.push(options);
    void this.bench.again(options, findings.target ?? "", fixes);
  }

  /** undo goes back to the options before the last fix. */
  undo() {
    void this.bench.again(this.before.pop() ?? {}, this.bench.found?.findings.target ?? "");
  }

  /** draw draws the charts of the columns when they are opened. */
  async draw() {
    this.charts.querySelector("iframe")?.remove();
    const { session } = this.bench;
    if (this.charts.open && session) {
      await this.bench.run("Drawing the charts", async () => {
        const { html } = await session.ask({ op: "charts" });
        this.charts.append(frame(html, "Charts of the columns"));
        this.bench.say("The charts are ready.");
      });
    }
  }
}
