// The cells of a live notebook. Each is a <section> of the page, written by the site's builder or created here.
import { button, el } from "../playground/look.js";
import { editor } from "./editor.js";
import { setsUp, whole } from "./ipynb.js";
import { modern, own, show } from "./trusted.js";

/**
 * @typedef {import("./ipynb.js").CellData} CellData
 * @typedef {import("./ipynb.js").CellOutput} CellOutput
 * @typedef {import("./kernel.js").CellError} CellError
 * @typedef {"" | "waiting" | "running" | "done" | "failed"} Mark
 * @typedef {object} Host the notebook, as its cells use it
 * @property {(cell: Cell) => void} changed
 * @property {(cell: Cell, then: "stay" | "next") => void} run
 * @property {(cell: Cell) => void} chosen
 * @property {(id: string) => Cell | undefined} find
 * @property {(cell: Cell) => Cell[]} before the code cells above it that have not run
 * @property {(list: Cell[]) => void} all runs cells one after another
 * @property {() => void} reveal shows the set-up cells
 * @property {(cell: Cell) => import("./editor.js").Names} names completes and describes names in a cell
 * @property {() => boolean} safe reports whether the charts of stored outputs must not run
 */

/** Escape sequences of terminals. */
const ansi = /\x1b\[[0-9;]*[A-Za-z]/g;

/** Matches the code of a chart from nbhelpers. */
const hasChart = /mpcvmWait/;

/** fill shows HTML of a program. Its charts become interactive, and it may redraw other charts of its cell, as a slider does; other scripts do not run. @param {HTMLElement} box @param {string} html */
async function fill(box, html) {
  show(box, html);
  if (modern && hasChart.test(html)) {
    const { activate } = await import("../charts.js");
    await activate(html, box.closest(".outputs") ?? box);
  }
}

/** drawn returns the element of an output. In safe mode, its charts do not run. @param {CellOutput} output @param {boolean} [safe] */
function drawn(output, safe) {
  const data = output.data ?? {}, html = data["text/html"], picture = Object.keys(data).find(type => /^image\/(png|jpeg|svg\+xml)$/.test(type));
  if (html !== undefined) {
    const box = el("div", { class: "html" });
    safe ? show(box, whole(html)) : void fill(box, whole(html));
    return box;
  }
  if (picture) {
    const bytes = whole(data[picture]);
    return el("img", { alt: "output", src: `data:${picture}${picture.endsWith("xml") ? "," + encodeURIComponent(bytes) : ";base64," + bytes}` });
  }
  const text = output.text ?? data["text/plain"] ?? (output.traceback ? whole(output.traceback.map((/** @type {string} */ l) => l + "\n")) : "");
  return el("pre", { class: output.name === "stderr" || output.output_type === "error" ? "out wrong" : "out", tabindex: 0 }, whole(text).replace(ansi, ""));
}

/** fold returns the control above the code of a cell with the tag hide-input, nothing for other cells. @param {CellData} cell */
const fold = cell => cell.type === "code" && !setsUp(cell) && cell.metadata?.tags?.includes?.("hide-input")
  ? [el("details", { class: "fold" }, el("summary", {}, cell.metadata.tags.includes("answer") ? "The finished function" : "Code"))] : [];

/** ownLabel returns the label of a cell whose tags invite the reader to write in it. @param {CellData} cell */
const ownLabel = ({ type, metadata }) => type !== "code" ? [] : Object.entries({ yours: "Your turn", guess: "Your guess" })
  .filter(([tag]) => metadata?.tags?.includes?.(tag)).map(([, label]) => el("p", { class: "own-label" }, label)).slice(0, 1);

/** Cell is a cell with its element. */
export class Cell {
  /** @param {Host} host @param {CellData} data @param {HTMLElement} [section] written by the site's builder */
  constructor(host, { id, type, source, metadata, outputs, ran }, section) {
    this.host = host;
    this.id = id;
    this.type = type;
    this.source = source;
    this.metadata = metadata;
    this.outputs = outputs;
    this.ran = ran;
    this.named = "";
    /** @type {import("./editor.js").Editor | null} */
    this.editor = null;
    /** Settles when the editor is open. @type {Promise<void> | null} */
    this.opening = null;
    /** The element that contains the editor. @type {HTMLElement | undefined} */
    this.place = undefined;
    /** The code without an editor. @type {HTMLElement | undefined} */
    this.pre = undefined;
    const label = ownLabel({ id, type, source, metadata, outputs });
    this.section = section ?? el("section", { class: `cell ${type}${setsUp({ type, source }) ? " setup" : ""}${label.length ? " own" : ""}`, "data-cell": id }, ...label, ...fold({ id, type, source, metadata, outputs }), type === "code" ? el("pre", { class: "chroma", tabindex: 0 }, source) : el("div", { class: "text" }));
    this.section.addEventListener("focusin", () => host.chosen(this));
    this.section.addEventListener("pointerdown", () => host.chosen(this));
    this.section.addEventListener("keydown", e => this.key(e));
    if (type === "code") {
      this.pre = /** @type {HTMLElement} */ (this.section.querySelector("pre"));
      this.pre.addEventListener("click", () => getSelection()?.isCollapsed && void this.edit());
      this.go = button("▶", () => host.run(this, "stay"), { class: "run", title: "Run (Shift-Enter)" });
      this.time = el("span", { class: "time" });
      this.section.prepend(el("div", { class: "margin" }, this.go, this.time));
      this.said = el("div", { class: "said", "aria-live": "polite" });
      this.box = /** @type {HTMLElement} */ (this.section.querySelector(".outputs") ?? el("div", { class: "outputs" }));
      this.section.append(this.said, this.box);
      section || this.draw();
    } else {
      this.shown = /** @type {HTMLElement} */ (this.section.querySelector(".text"));
      this.shown.addEventListener("dblclick", () => void this.edit());
      this.pen = button("Edit", () => void this.edit(), { class: "pen" });
      this.section.append(this.pen);
      section || void this.render();
    }
  }

  /** Whether the cell is a set-up cell, which is hidden. */
  get setup() {
    return this.section.classList.contains("setup");
  }

  /** Whether the cell is an exercise, with checks of what the reader writes in it. */
  get exercise() {
    return this.section.querySelector(":scope > .own-label")?.textContent === "Your turn";
  }

  /** What the cell printed. */
  get printed() {
    return (this.outputs ?? []).filter(o => o.name === "stdout").map(o => whole(o.text)).join("");
  }

  /** unfold shows the code of a folded cell. */
  unfold() {
    this.section.querySelector(":scope > details.fold")?.toggleAttribute("open", true);
  }

  /** number sets the number of the cell in its labels for screen readers. @param {number} n */
  number(n) {
    this.named = `cell ${n}`;
    this.go?.setAttribute("aria-label", `Run cell ${n}`);
    this.pen?.setAttribute("aria-label", `Edit the text of cell ${n}`);
  }

  /** @returns {CellData} */
  data() {
    return { id: this.id, type: this.type, source: this.source, metadata: this.metadata, outputs: this.outputs, ran: this.ran };
  }

  /** key handles the keys of Jupyter. @param {KeyboardEvent} e */
  key(e) {
    if (e.key === "Enter" && (e.shiftKey || e.ctrlKey || e.metaKey) && !e.defaultPrevented) {
      e.preventDefault();
      this.finish(e.shiftKey ? "next" : "stay");
    } else if (e.key === "Enter" && (e.target === this.pre || e.target === this.section)) {
      e.preventDefault();
      void this.edit();
    }
  }

  /** finish handles Shift-Enter and Ctrl-Enter. @param {"stay" | "next"} then */
  finish(then) {
    if (this.type !== "code") {
      void this.render();
    }
    this.host.run(this, then);
  }

  /** edit opens the editor at a position. @param {number} [line] @param {number} [column] */
  async edit(line, column) {
    this.setup && this.host.reveal();
    this.unfold();
    await (this.opening ??= this.open());
    this.editor?.focus(line, column);
  }

  async open() {
    const code = this.type === "code";
    const place = el("div", { class: code ? "editor chroma" : "editor" }), old = code ? this.pre : this.shown;
    this.editor = await editor(place, this.source, {
      go: code, label: `${code ? "Code" : "Text"} of ${this.named}`, names: code ? this.host.names(this) : undefined,
      changed: text => {
        this.source = text;
        this.host.changed(this);
      },
      keys: {
        "Shift-Enter": () => this.finish("next"), "Mod-Enter": () => this.finish("stay"),
        Escape: () => (code ? this.go?.focus() : void this.render().then(() => this.pen?.focus())),
      },
    });
    old?.replaceWith(place);
    this.place = place;
    this.pen?.toggleAttribute("hidden", true);
  }

  /** show replaces the source of the cell, in the editor if it is open. @param {string} source */
  show(source) {
    this.source = source;
    if (this.editor) {
      this.editor.set(source);
    } else if (this.pre) {
      this.pre.textContent = source;
    } else {
      void this.render();
    }
  }

  /** render shows a text as HTML instead of its editor. */
  async render() {
    const shown = /** @type {HTMLElement} */ (this.shown), { opening } = this;
    if (this.type === "raw") {
      shown.replaceChildren(el("pre", { tabindex: 0 }, this.source));
    } else {
      const { markdown } = await import("./markdown.js");
      if (this.opening !== opening) { // the editor was opened meanwhile
        return;
      }
      shown.innerHTML = own.createHTML(markdown(this.source) || "<p><em>Empty text</em></p>");
    }
    this.place?.replaceWith(shown);
    this.editor?.remove();
    this.editor = this.opening = null;
    this.pen?.toggleAttribute("hidden", false);
  }

  /** draw shows the stored outputs of the cell. */
  draw() {
    this.box?.replaceChildren(...(this.outputs ?? []).map(output => drawn(output, this.host.safe())));
  }

  /** mark shows the state of the cell. @param {Mark} mark @param {string} [time] */
  mark(mark, time = "") {
    this.section.dataset.mark = mark;
    this.time && (this.time.textContent = time);
    this.section.setAttribute("aria-busy", String(mark === "running"));
  }

  /** explain shows errors and notes. @param {CellError[]} errors @param {string[]} notes */
  explain(errors, notes) {
    this.said?.replaceChildren(
      ...errors.map(({ cell, line, column, text }) => {
        const where = this.host.find(cell) ?? this;
        return el("p", { class: "fault" }, button(`${where === this ? "Line" : `${where.named}, line`} ${line}`, () => void where.edit(line, column), { class: "link" }), `: ${text}`);
      }),
      ...notes.map(text => el("p", { class: "note" }, text)));
    const before = errors.some(e => e.text.startsWith("undefined: ")) ? this.host.before(this) : [];
    if (before.length) {
      this.said?.append(el("p", { class: "note" }, "Some cells above have not run. ", button("Run them first", () => this.host.all([...before, this]))));
    }
    this.editor?.faults(errors.filter(e => e.cell === this.id || !this.host.find(e.cell)));
  }

  /** output clears the outputs for a new run and returns the receiver of the new ones. */
  output() {
    /** @type {CellOutput[]} */
    const outputs = [];
    this.outputs = outputs;
    const box = /** @type {HTMLElement} */ (this.box);
    box.style.minHeight = `${box.offsetHeight}px`; // so that the page does not jump
    box.replaceChildren();
    /** @type {Map<string, {output: CellOutput, box: HTMLElement}>} */
    const named = new Map();
    let waiting = 0; // text is shown at most twenty times a second
    /** @type {{output: CellOutput, pre: HTMLElement, shown: number} | null} */
    let last = null;
    const flush = () => {
      clearTimeout(waiting);
      waiting = 0;
      if (last) {
        const text = last.output.text.replace(ansi, ""), below = last.pre.scrollHeight - last.pre.scrollTop - last.pre.clientHeight < 40;
        last.pre.append(text.slice(last.shown));
        last.shown = text.length;
        below && (last.pre.scrollTop = last.pre.scrollHeight);
      }
    };
    /** @param {string} html */
    const show = html => {
      flush();
      last = null;
      const output = { output_type: "display_data", data: { "text/html": html }, metadata: {} }, place = el("div", { class: "html" });
      outputs.push(output);
      box.append(place);
      void fill(place, html);
      return { output, box: place };
    };
    return {
      /** @param {"stdout" | "stderr"} stream @param {string} text */
      text(stream, text) {
        if (last?.output.name !== stream) {
          flush();
          const output = { output_type: "stream", name: stream, text: "" };
          last = { output, pre: drawn(output), shown: 0 };
          outputs.push(output);
          box.append(last.pre);
        }
        last.output.text += text;
        waiting ||= window.setTimeout(flush, 50);
      },
      html: show,
      /** @param {string} id @param {string} html */
      update(id, html) {
        const is = named.get(id);
        if (is) {
          is.output.data = { "text/html": html };
          void fill(is.box, html);
        } else {
          named.set(id, show(html));
        }
      },
      end() {
        flush();
        box.style.minHeight = "";
      },
    };
  }
}
