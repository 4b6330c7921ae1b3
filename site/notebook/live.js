// The page of a live notebook: reads the cells from the page, runs them, and stores the reader's changes.
import { button, el, save as download } from "../playground/look.js";
import { Cell } from "./cells.js";
import { Kernel } from "./kernel.js";
import { newId, read, write } from "./ipynb.js";
import { keepOffline } from "../keep.js";
import * as share from "./share.js";
import * as store from "./store.js";

/** @typedef {import("./ipynb.js").CellData} CellData */

const root = /** @type {HTMLElement} */ (document.getElementById("notebook"));
/** Facts from the builder: the notebook's file and its digest, Go's version, the bytes that the first run fetches. */
const { file = "", base = "", go = "", bytes = "0" } = root.dataset;
/** The page of the reader's own notebooks; the fragment of its address selects one by its key. */
const own = !file, ownPage = new URL("../notebooks/new.html", import.meta.url);
/** The origin of the cells, until the reader allows them to run. @type {store.Origin} */
let from = "";
let key = own ? "" : file, name = own ? "My notebook" : file.replace(/.*\/|\.ipynb$/g, ""), revision = 0;
const kernel = new Kernel(file.replace(/\/[^/]*$/, "") || undefined);
/** @type {Cell[]} */
let cells = [];
kernel.numbers = () => Object.fromEntries(cells.map((c, i) => [c.id, String(i + 1)]));
/** @type {Cell | null} */
let current = null;
/** The metadata of the notebook's file. */
let metadata = {};

/** @param {number} n */
const megabytes = n => (n / 1e6).toFixed(1);

// Messages.
const status = el("span", { role: "status", class: "status" });
const bar = el("progress", { max: 1, value: 0, hidden: true, "aria-label": "Fetching the Go compiler" });
const notice = el("div", { class: "notice", role: "alert", hidden: true });

/** say shows a message with buttons until the reader closes it. @param {string} text @param {...HTMLElement} buttons */
const say = (text, ...buttons) => {
  const close = button("Close", () => (notice.hidden = true));
  notice.replaceChildren(el("span", {}, text), ...buttons, close);
  notice.hidden = false;
};
/** failed shows an error. @param {unknown} error */
const failed = error => say(error instanceof Error ? error.message : String(error));

/** saying makes a button that closes the notice and calls pressed. @param {string} text @param {() => void} pressed */
const saying = (text, pressed) => button(text, () => {
  notice.hidden = true;
  pressed();
});

/** The site's version of this notebook. @type {Promise<{cells: CellData[], metadata: any}> | undefined} */
let original;
const stored = () => (original ??= fetch(new URL(`../${file}`, import.meta.url)).then(async response => {
  if (!response.ok) {
    throw new Error(`${file}: ${response.status} ${response.statusText}`);
  }
  return read(await response.text());
}).then(nb => {
  metadata = nb.metadata;
  return nb;
}));

// Cells.

/** @type {import("./cells.js").Host} */
const host = {
  changed: () => keep(),
  chosen(cell) {
    if (current !== cell) {
      current = cell;
      cell.section.append(tools);
      formatter.hidden = cell.type !== "code";
    }
  },
  run(cell, then) {
    if (cell.type === "code") {
      const before = cells.slice(0, cells.indexOf(cell)).filter(c => c.setup && c.section.dataset.mark !== "done");
      void runAll([...before, cell], true);
    }
    if (then === "next") {
      const next = cells[cells.indexOf(cell) + 1] ?? add("code", cells.length);
      void (next.type === "code" ? next.edit() : next.pen?.focus());
      next.section.scrollIntoView({ block: "nearest" });
    }
  },
  find: id => cells.find(c => c.id === id),
  before: cell => cells.slice(0, cells.indexOf(cell)).filter(c => c.type === "code" && c.section.dataset.mark !== "done"),
  all: list => void runAll(list),
  reveal: () => (setup.open = true),
  names: cell => ({ items: (source, at, to) => kernel.items(cell.id, source, at, to), about: item => kernel.about(item) }),
  safe: () => !!from,
};

/** number renumbers the cells. */
const number = () => cells.forEach((c, i) => c.number(i + 1));

/** The control above the first set-up cell, which shows or hides the set-up cells. */
const setup = /** @type {HTMLDetailsElement} */ (root.querySelector(":scope > details") ?? el("details", { class: "setup" }, el("summary", {}, "Set-up")));

/** add creates a cell at an index. @param {"code" | "markdown"} type @param {number} at */
const add = (type, at) => {
  const cell = new Cell(host, { id: newId(), type, source: "", metadata: {}, outputs: [] });
  put(cell, at);
  return cell;
};

/** put inserts a cell at an index. @param {Cell} cell @param {number} at */
const put = (cell, at) => {
  const before = cells[at]?.section ?? null;
  cells.splice(at, 0, cell);
  root.insertBefore(cell.section, before);
  number();
  keep();
};

/** take removes a cell and returns its index. @param {Cell} cell */
const take = cell => {
  const at = cells.indexOf(cell);
  cells.splice(at, 1);
  cell.section.remove();
  number();
  keep();
  return at;
};

/** insert adds a cell below the current one and opens its editor. @param {"code" | "markdown"} type */
const insert = type => void add(type, current ? cells.indexOf(current) + 1 : cells.length).edit();

/** move moves the current cell. @param {-1 | 1} by */
const move = by => {
  const cell = current, to = cell ? cells.indexOf(cell) + by : -1;
  if (cell && to >= 0 && to < cells.length) {
    const focused = document.activeElement;
    take(cell);
    put(cell, to);
    focused instanceof HTMLElement && focused.focus();
    cell.section.scrollIntoView({ block: "nearest" });
  }
};

const remove = () => {
  const cell = current;
  if (cell) {
    const at = take(cell);
    current = null;
    (cells[at] ?? cells[at - 1])?.go?.focus();
    say(`${cell.named} has been deleted.`, saying("Undo", () => put(cell, at)));
  }
};

const format = async () => {
  if (current) {
    try {
      current.show(await kernel.format(current.source));
      keep();
    } catch (error) {
      failed(error);
    }
  }
};

// The buttons of the current cell.
const formatter = button("gofmt", () => void format(), { title: "Format the code" });
const tools = el("div", { class: "tools", role: "group", "aria-label": "This cell" },
  formatter, button("↑", () => move(-1), { "aria-label": "Move up", title: "Move up" }), button("↓", () => move(1), { "aria-label": "Move down", title: "Move down" }),
  button("+ Code", () => insert("code"), { title: "Add a code cell below" }), button("+ Text", () => insert("markdown"), { title: "Add a text cell below" }), button("Delete", remove));

// Runs.

/** @typedef {import("./kernel.js").Result} Result */
/** The cells that wait for their turn. @type {{cell: Cell, alone: boolean, done: (result: Result | null) => void}[]} */
let queue = [];
let working = false;

/** The control of safe mode, in which cells from elsewhere have not run and their stored charts are pictures. */
const safe = el("p", { class: "safe", hidden: true });

/** guard shows whether the notebook is in safe mode. */
const guard = () => {
  safe.hidden = !from;
  safe.replaceChildren(el("span", {}, `Safe mode: this notebook comes from ${from}. None of its cells has run${from === "a file" ? ", and its charts are pictures" : ""}.`), button("Leave safe mode", trust));
};

/** trust leaves safe mode. */
const trust = () => {
  from = "";
  guard();
  cells.forEach(c => c.outputs?.length && c.draw());
  kept = ""; // so that the answer is stored
  keep();
};

/** allowed waits until the reader allows cells from elsewhere to run. @returns {Promise<void>} */
const allowed = () => new Promise(done => {
  if (!from) {
    return done();
  }
  say(`This notebook comes from ${from}. Run its code? It can compute and draw on this page, but it has no access to the network or to your other notebooks and files.`,
    saying("Run it", () => {
      from && trust();
      done();
    }));
  notice.scrollIntoView({ block: "nearest" });
});

/**
 * runAll runs cells one after another until one fails. Sliders wait for the reader only if the cell runs alone.
 * @param {Cell[]} list @param {boolean} [alone] @returns {Promise<(Result | null)[]>} null for cells that did not run
 */
const runAll = async (list, alone = false) => {
  await allowed();
  const ends = list.map(cell => new Promise(done => {
    cell.mark("waiting");
    queue.push({ cell, alone, done });
  }));
  void work();
  return Promise.all(ends);
};

const work = async () => {
  if (working) {
    return;
  }
  working = true;
  stop.disabled = false;
  for (let next = queue.shift(); next; next = queue.shift()) {
    const result = await run(next.cell, next.alone);
    next.done(result);
    if (result.status !== "ok") {
      drop();
    }
  }
  working = false;
  stop.disabled = true;
  keep();
};

/** drop cancels the waiting cells. */
const drop = () => {
  for (const { cell, done } of queue) {
    cell.mark("");
    done(null);
  }
  queue = [];
};

/** tidy formats a cell that has run in its editor, unless it has changed since. @param {Cell} cell */
const tidy = async cell => {
  const { source } = cell;
  if (!cell.editor || source !== cell.ran) {
    return;
  }
  const text = await kernel.format(source).catch(() => source);
  if (source === cell.source && text !== source) {
    cell.show(text);
    cell.ran = text;
  }
};

/** run runs one cell. @param {Cell} cell @param {boolean} alone @returns {Promise<Result>} */
const run = async (cell, alone) => {
  const out = cell.output(), { source } = cell;
  cell.ran = source;
  cell.mark("running");
  cell.explain([], []);
  await offline;
  kernel.interactive = alone;
  /** @type {Result} */
  let result = { status: "error", errors: [], notes: [], seconds: { compile: 0, link: 0, run: 0 } };
  try {
    result = await kernel.run(cell.id, source, out);
  } catch (error) {
    result.notes.push(error instanceof Error ? error.message : String(error));
  }
  out.end();
  const { compile, link, run } = result.seconds, total = compile + link + run;
  cell.mark(result.status === "ok" ? "done" : "failed", result.status === "stopped" ? "stopped" : total ? `${total.toFixed(1)} s` : "");
  cell.time?.setAttribute("title", `compiled in ${compile.toFixed(1)} s, linked in ${link.toFixed(1)} s, ran ${run.toFixed(1)} s`);
  cell.explain(result.errors, result.notes);
  cell.setup && result.status !== "ok" && host.reveal();
  result.status === "ok" ? await tidy(cell) : cell.unfold();
  return result;
};

const words = { empty: "", loading: "", idle: "", compiling: "compiling …", linking: "linking …", running: "running …" };
kernel.addEventListener("state", () => {
  status.textContent = words[kernel.state];
  bar.hidden = kernel.state !== "loading";
});
kernel.addEventListener("progress", e => {
  const { got, total } = /** @type {CustomEvent} */ (e).detail;
  bar.value = got / total;
  if (kernel.state === "loading") {
    status.textContent = `Fetching the Go compiler: ${megabytes(got)} of ${megabytes(total)} MB`;
  }
});
// Files.

const fileList = el("ul", {});
kernel.addEventListener("files", () => {
  const all = kernel.files();
  files.hidden = !all.length;
  fileList.replaceChildren(...all.map(({ name, size, own }) => el("li", {},
    button(name, () => download(name.replace(/.*\//, ""), /** @type {BlobPart} */ (kernel.get(name))), { class: "link", title: "Download" }), ` ${size.toLocaleString("en")} bytes${own ? "" : ", written by a program"} `,
    button("Remove", () => {
      kernel.remove(name);
      key && void store.removeFile(key, name).catch(failed);
    }, { "aria-label": `Remove ${name}` }))));
  filesCount.textContent = `Files (${all.length})`;
});
const filesCount = el("summary");
const files = el("details", { class: "files", hidden: true }, filesCount, fileList);

/** receive opens the reader's files: notebooks as pages, other files for programs. @param {Iterable<File>} list */
const receive = async list => {
  for (const f of list) {
    try {
      if (f.name.endsWith(".ipynb")) {
        await openOwn(f.name.slice(0, -6), read(await f.text()).cells, "a file");
      } else {
        const bytes = new Uint8Array(await f.arrayBuffer());
        kernel.put(f.name, bytes);
        files.open = true;
        named();
        const stays = await store.putFile({ key, name: f.name, bytes }).then(() => "It stays in this browser.", () => "It is too large to be stored. After reloading the page, open it again.");
        say(`Programs can now read ${f.name}: tables.Open(${JSON.stringify(f.name)}, tables.Options{}). ${stays}`);
      }
    } catch (error) {
      failed(error);
    }
  }
};
document.addEventListener("dragover", e => e.preventDefault());
document.addEventListener("drop", e => {
  e.preventDefault();
  void receive(e.dataTransfer?.files ?? []);
});

// Storing the reader's changes.

let timer = 0, conflict = false;
/** The last write; writes run one after another. */
let writing = Promise.resolve();
/** The stored content, to avoid needless writes. */
let kept = "";

/** content returns the content to be stored, as a text for comparison. */
const content = () => JSON.stringify([name, cells.map(c => [c.id, c.source, c.outputs])]);
/** present returns the current cells. @returns {CellData[]} */
const present = () => cells.map(c => c.data());

/** keep stores the notebook after a short delay. */
const keep = () => {
  clearTimeout(timer);
  timer = window.setTimeout(save, 400);
};

/** named gives a new notebook of the reader the key under which it is stored. */
const named = () => {
  if (!key) {
    key = "own:" + newId();
    history.replaceState(null, "", "#" + key);
    store.whenChanged(key, changedElsewhere);
    kept = "";
    keep();
  }
};

const save = () => {
  clearTimeout(timer);
  const now = content();
  if (conflict || now === kept || (own && !key && !cells.some(c => c.source))) {
    return writing;
  }
  named();
  clearTimeout(timer);
  kept = now;
  return (writing = writing.then(async () => {
    const next = await store.put(key, revision, { name, when: Date.now(), base, from, cells: present() });
    if (next) {
      revision = next;
    } else {
      collide();
    }
  }).catch(failed));
};

/** collide lets the reader choose between this tab's version and another's. */
const collide = () => {
  conflict = true;
  say("Another tab has changed this notebook. Until you choose a version, changes in this tab are not stored.",
    saying("Use the other one", () => location.reload()),
    saying("Keep this one", async () => {
      revision = (await store.get(key))?.revision ?? 0;
      conflict = false;
      kept = "";
      void save();
    }));
};
const changedElsewhere = async () => {
  const there = await store.get(key);
  if ((there?.revision ?? 0) !== revision && !conflict) {
    collide();
  }
};
addEventListener("visibilitychange", () => document.visibilityState === "hidden" && changed() && save());
addEventListener("pagehide", () => changed() && save());
/** changed reports whether there are changes to store. */
const changed = () => kept !== "" && kept !== content();

/** openOwn opens cells as a notebook of the reader. @param {string} title @param {CellData[]} list @param {store.Origin} from */
const openOwn = async (title, list, from) => {
  const to = "own:" + newId();
  await store.put(to, 0, { name: title, when: Date.now(), from, cells: list });
  ownPage.hash = to;
  location.href = ownPage.href;
  own && location.reload();
};

/** complete returns the notebook as a file. Cells that did not run have the outputs of the site's version. */
const complete = async () => {
  const list = await Promise.all(present().map(async c => (c.type === "code" && c.source.trim() ? { ...c, source: await marked(c.source) } : c)));
  const there = new Map(file && list.some(c => !c.outputs) ? (await stored()).cells.map(c => [c.id, c]) : []);
  return write(list.map(c => ({ ...c, metadata: { ...there.get(c.id)?.metadata, ...c.metadata }, outputs: c.outputs ?? there.get(c.id)?.outputs ?? [] })), metadata);
};

/**
 * marked returns the code of a cell as GoNB needs it, with a line %% where the body of main begins. Code is unchanged if it
 * has such a line, or if its beginning cannot be found.
 * @param {string} source @returns {Promise<string>}
 */
const marked = async source => {
  if (/^%(%|main\b)/m.test(source)) {
    return source;
  }
  const line = await kernel.compose("compose", { cell: "", source }).then(p => p.unmarked ?? 0, () => 0), lines = source.split("\n");
  line && lines.splice(line - 1, 0, "%%");
  return lines.join("\n");
};

/** saveAs offers a notebook file for download. @param {string} name @param {object} nb */
const saveAs = (name, nb) => download(name + ".ipynb", JSON.stringify(nb, null, 1) + "\n", "application/x-ipynb+json");

/** handIn offers to save the notebook with what the checks of its exercises printed, for nb grade. */
const handIn = () => {
  const all = cells.filter(c => c.exercise), others = all.filter(c => c.ran !== c.source);
  const by = el("input", { "aria-label": "Your name", placeholder: "Your name", autocomplete: "name" });
  say(`${all.length - others.length} of ${all.length} exercises have been checked since they last changed.`, by,
    ...(others.length ? [saying(`Check the other${others.length > 1 ? ` ${others.length}` : ""}`, () => void check(others).then(handIn, failed))] : []),
    saying("Save the hand-in", () => void saveHandIn(all, by.value.trim()).catch(failed)));
  notice.scrollIntoView({ block: "nearest" });
};

/** check runs exercises. It goes on after a failure. @param {Cell[]} exercises */
const check = async exercises => {
  for (const cell of exercises) {
    await runAll([...cells.filter(c => c.setup && c.section.dataset.mark !== "done"), cell]);
  }
};

/** saveHandIn saves a hand-in. The hash of an exercise covers the code that was checked and what its checks printed. @param {Cell[]} exercises @param {string} by */
const saveHandIn = async (exercises, by) => {
  const nb = await complete();
  /** @type {Record<string, {said: string, sha256: string}>} */
  const checks = {};
  for (const { id, ran, printed } of exercises) {
    if (ran !== undefined) {
      checks[id] = { said: printed, sha256: await kernel.compose("digest", `${await marked(ran)}\0${printed}`) };
    }
  }
  nb.metadata.hand_in = { by, checks };
  saveAs([by, name].filter(Boolean).join(" "), nb);
};

const shareLink = async () => {
  const fragment = await share.pack(name, present());
  if (!fragment) {
    return say("This notebook is too long for a link. Save it as a file and send the file.");
  }
  const to = new URL(ownPage);
  to.hash = fragment;
  const field = el("input", { readonly: true, value: to.href, "aria-label": "Link to this notebook" });
  say(`A link to all cells, without outputs (${to.href.length.toLocaleString("en")} characters):`, field, button("Copy", () => void navigator.clipboard.writeText(to.href)));
  field.select();
};

const reset = async () => {
  queue.length && drop();
  kernel.reset();
  if (own) {
    for (const c of cells) {
      c.mark("");
      c.explain([], []);
    }
    return say("All declarations have been forgotten. The cells have not changed.");
  }
  await save();
  const before = await store.get(key);
  await store.remove(key);
  await store.remove("undo:" + key);
  before && (await store.put("undo:" + key, 0, before));
  location.reload();
};

// The page.

const stop = button("■ Stop", () => {
  drop();
  kernel.stop();
}, { title: "Stop the program at once" });
stop.disabled = true;
const picker = el("input", { type: "file", multiple: true, hidden: true, "aria-label": "Files" });
picker.onchange = () => void receive(picker.files ?? []).then(() => (picker.value = ""));
const submit = button("Hand in", handIn, { title: "Save the notebook with the answers of its checks", hidden: true });
const controls = el("div", { class: "controls", role: "toolbar", "aria-label": "Notebook" },
  button("▶▶ Run all", () => void runAll(cells.filter(c => c.type === "code")), { class: "first" }), stop,
  button("Reset", () => void reset(), { title: own ? "Forget all declarations" : "Forget all declarations and your changes" }),
  button("Open", () => picker.click(), { title: "Open a notebook, or a CSV or Excel file for programs. You can also drop it on the page." }),
  button("Save", () => void complete().then(nb => saveAs(name, nb)).catch(failed), { title: "Save as a notebook file for Jupyter" }), submit, button("Share", () => void shareLink().catch(failed)),
  ...(own ? [] : [el("a", { href: ownPage.href, class: "button" }, "New")]), bar, status, picker);
const about = el("p", { class: "about" }, `${go.replace("go", "Go ")} in your browser: one thread, about a third of native speed. The first run fetches ${megabytes(+bytes)} MB, which your browser keeps. Nothing that you write leaves this page, because programs have no network access. `,
  el("a", { href: new URL("../docs/security.html", import.meta.url).href }, "What cells can do"));

/** begin reads the cells of the page and the stored changes. */
const begin = async () => {
  const sections = new Map(Array.from(root.querySelectorAll(".cell"), s => [s.getAttribute("data-cell") ?? "", /** @type {HTMLElement} */ (s)]));
  root.before(controls, about, files, safe, notice);
  const shared = own ? await share.unpack(location.hash).catch(error => void failed(error)) : null;
  if (own && location.hash.startsWith("#own:")) {
    key = location.hash.slice(1);
  }
  const there = key ? await store.get(key) : undefined;
  if (there) {
    name = there.name;
    revision = there.revision;
  }
  from = there ? there.from ?? "" : shared ? "a link" : "";
  for (const f of key ? await store.files(key) : []) {
    kernel.put(f.name, f.bytes);
  }
  if (own && key && !there && !kernel.kept.size) {
    say("This browser does not have the notebook of this address. It may be on another device, or it may have been deleted.");
    key = "";
  }
  const list = there?.cells ?? shared?.cells.map(([type, source]) => ({ id: newId(), type, source, metadata: {}, outputs: [] }));
  name = shared?.name ?? name;
  if (list) {
    cells = list.map(data => {
      const section = sections.get(data.id), same = section && data.outputs === null;
      const cell = new Cell(host, same ? { ...data, source: sourceOf(section) } : data, same ? section : undefined);
      if (same && data.source !== cell.source) {
        cell.show(data.source);
      }
      return cell;
    });
    root.replaceChildren(...cells.map(c => c.section));
  } else {
    cells = Array.from(sections, ([id, section]) => new Cell(host, { id, type: section.classList.contains("code") ? "code" : "markdown", source: sourceOf(section), metadata: {}, outputs: null }, section));
    own && put(new Cell(host, { id: newId(), type: "code", source: "", metadata: {}, outputs: [] }), 0);
  }
  cells.find(c => c.setup)?.section.before(setup);
  submit.hidden = !cells.some(c => c.exercise);
  number();
  clearTimeout(timer);
  kept = content();
  key && store.whenChanged(key, changedElsewhere);
  guard();
  if (there && !own) {
    say(there.base === base ? "This notebook contains your changes. Reset restores the original." : "This notebook contains your changes to an older version. Reset shows the current version.");
  }
  const undone = key && !there ? await store.get("undo:" + key) : undefined;
  if (undone) {
    await store.remove("undo:" + key);
    say("Your changes have been removed.", saying("Undo", async () => {
      await store.put(key, 0, undone);
      location.reload();
    }));
  }
  own && (await ownNotebooks());
};

/** sourceOf returns the source of a cell that the builder wrote. @param {HTMLElement} section */
const sourceOf = section => section.dataset.source ?? section.querySelector("pre")?.textContent ?? "";

/** ownNotebooks lists the reader's other notebooks and adds a field for the name of this one. */
const ownNotebooks = async () => {
  const title = el("input", { value: name, "aria-label": "Name of the notebook", class: "name" });
  title.oninput = () => {
    name = title.value || "My notebook";
    keep();
  };
  controls.before(title);
  const everything = await store.all(), all = everything.filter(n => n.key !== key);
  await store.sweep([...everything.map(n => n.key), key]);
  const list = el("ul", {}, ...all.map(n => {
    const a = el("a", { href: "#" + n.key }, n.name);
    const item = el("li", {}, a, ` ${new Date(n.when).toLocaleString()} `, button("Delete", async () => {
      await store.remove(n.key);
      item.remove();
      say(`“${n.name}” has been deleted.`, saying("Undo", async () => {
        await store.put(n.key, 0, n);
        list.append(item);
      }));
    }, { "aria-label": `Delete ${n.name}` }));
    return item;
  }));
  all.length && root.after(el("h2", {}, "Your other notebooks"), list);
  addEventListener("hashchange", () => location.reload());
};

/** The service worker keeps the files that the page has fetched, so that the page also works offline. */
const offline = keepOffline();

Object.assign(window, {
  mpcvmPage: { send: (/** @type {string} */ address, /** @type {string} */ message) => kernel.send(address, message) },
  mpcvmNotebook: {
    kernel,
    runAll: () => runAll(cells.filter(c => c.type === "code")),
    ipynb: complete,
  },
});
begin().catch(failed).then(() => (document.documentElement.dataset.ready = "1"));
