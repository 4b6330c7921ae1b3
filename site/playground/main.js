// The main module of the playground.
// @ts-ignore the build makes this module
import drawn from "./presets.js";
import { keepOffline } from "../keep.js";
import { Engine, load } from "./engine.js";
import { Lessons } from "./lessons.js";
import { by, el, onScheme, save, sentence, wear } from "./look.js";
import { learners, Panel, presets } from "./panel.js";
import { Player } from "./player.js";
import { Slot } from "./slot.js";
import { boxOf, defaultBox, defaultSetup, empty, State } from "./state.js";

/** @typedef {import("./state.js").Point} Point */

const state = new State();
let fetched = 0;
/** The approximate size of the engine in bytes, for the progress bar. */
const size = 1.9e6, loading = by("loading", HTMLParagraphElement), loaded = by("loaded", HTMLProgressElement);
const engine = new Engine(load(bytes => {
  fetched += bytes;
  loaded.value = Math.min(1, fetched / size);
  loading.textContent = `Loading the learner: ${(fetched / 1e6).toFixed(1)} MB of about ${(size / 1e6).toFixed(1)} …`;
}));
void keepOffline();

let spoken = 0;
/** say shows a message on the page and announces it to screen readers. @param {string} text */
const say = text => {
  const said = by("said", HTMLParagraphElement);
  if (said.textContent === text) return;
  said.textContent = text;
  clearTimeout(spoken);
  if (text) spoken = window.setTimeout(() => said.textContent = "", 8000);
};
const failed = /** @param {unknown} e */ e => say(sentence(e));

/** @param {number} c */
const name = c => state.now.names.classes[c] ?? `class ${c + 1}`;

let settle = 0; // timer for finer pictures after a drag

/** @type {import("./plane.js").Host} */
const host = {
  say, name,
  tell: text => by("told", HTMLParagraphElement).textContent = text,
  edit: (points, underWay) => state.set({ points, source: points === state.now.points ? state.now.source : null, step: 0 }, { underWay }),
  ask: at => {
    for (const s of shownSlots()) void s.ask(at);
    lessons.poked?.();
  },
  choose: c => panel.choose(c),
};

const go = /** @param {number} iteration */ iteration => player.go(iteration);
const slots = {
  a: new Slot("a", by("slot-a", HTMLElement), engine, state, host, go),
  b: new Slot("b", by("slot-b", HTMLElement), engine, state, host, go),
};
const shownSlots = () => state.now.b ? [slots.a, slots.b] : [slots.a];

const last = () => Math.max(...shownSlots().map(s => s.last));
const player = new Player({
  last,
  shown: () => state.now.step || last(),
  show: (iteration, underWay) => state.set({ step: iteration >= last() ? 0 : iteration }, { underWay }),
  drawn: async () => void await Promise.all(shownSlots().map(s => s.fields.running)),
});

/** draw draws points from a source. The default draw of each preset is stored, so it does not need the engine. @param {import("./state.js").Source} source @returns {Promise<{points: Point[], classes?: string[]}>} */
const draw = async source => source.seed || source.count || source.noise ? /** @type {Promise<any>} */ (engine.preset(source)) : drawn[source.preset];

/** useSource shows a draw from a preset. @param {import("./state.js").Source} source @param {Partial<import("./state.js").Content>} [more] */
const useSource = async (source, more = {}) => {
  const { points, classes = [] } = await draw(source), { names } = empty();
  if (source.preset === "petals") names.axes = ["petal length (standardised)", "petal width (standardised)"];
  names.classes = classes;
  state.set({ points, box: boxOf(points), source, names, step: 0, ...more });
};
/** usePreset shows a preset with its default number of points and noise. @param {string} preset @param {number} seed @param {Partial<import("./state.js").Content>} [more] */
const usePreset = (preset, seed, more) => useSource({ preset, seed }, more);

const panel = new Panel(state, {
  name,
  tool: tool => {
    for (const s of Object.values(slots)) s.plane.use(tool);
    host.ask(null);
  },
  choose: c => {
    for (const s of Object.values(slots)) s.plane.class = c;
  },
  source: source => void useSource(source).catch(failed),
});
for (const s of Object.values(slots)) s.plane.use(panel.tool);
const lessons = new Lessons({ state, slots, player, engine, usePreset, settled: () => settled(), say, tool: t => panel.useTool(t), choose: c => panel.choose(c) });

/** The points and setups of the last fits; only changed ones are trained again. */
const known = { a: "", b: "" };

state.addEventListener("change", e => {
  const { fields, underWay } = /** @type {CustomEvent<{fields: string[], underWay: boolean}>} */ (e).detail;
  const { now } = state, changed = new Set(fields);
  if (changed.has("names") && wear(now.names.classes)) recolour();
  if (changed.has("b")) {
    document.body.classList.toggle("compare", !!now.b);
    slots.b.root.hidden = !now.b;
    if (now.b) slots.b.asked = slots.a.asked;
    slots.a.heading();
  }
  for (const s of Object.values(slots)) {
    s.plane.setBox(now.box, now.names.axes);
    if (changed.has("points")) s.plane.setPoints(now.points);
  }
  if (!(fields.length === 1 && changed.has("step")) && !(fields.length === 3 && changed.has("points") && underWay)) panel.update();
  if (changed.has("lesson")) lessons.follow(now.lesson);
  const data = changed.has("points") || changed.has("box");
  clearTimeout(settle);
  let learned = false;
  for (const s of shownSlots()) {
    if (!data && !changed.has(s.name) && known[s.name]) continue;
    const key = underWay ? "" : JSON.stringify([now[s.name], now.points]);
    if (underWay) {
      known[s.name] = "under way";
      player.pause();
      void s.follow();
      settle = window.setTimeout(() => shownSlots().forEach(t => void t.rest()), 350); // the pointer has stopped
      learned = true;
    } else if (known[s.name] !== key) {
      known[s.name] = key;
      player.pause();
      void s.fit();
      learned = true;
    } else if (changed.has("box")) void s.draw();
  }
  if (!now.b) known.b = "";
  if (!learned && changed.has("step")) for (const s of shownSlots()) void s.draw(underWay);
  player.update();
  undoable();
});
state.addEventListener("steps", () => player.update());

const undoable = () => {
  by("undo", HTMLButtonElement).disabled = !state.past.length;
  by("redo", HTMLButtonElement).disabled = !state.future.length;
};
by("undo", HTMLButtonElement).addEventListener("click", () => state.undo());
by("redo", HTMLButtonElement).addEventListener("click", () => state.redo());
addEventListener("keydown", e => {
  if (!(e.ctrlKey || e.metaKey) || e.key.toLowerCase() !== "z") return;
  e.preventDefault();
  if (e.shiftKey) state.redo();
  else state.undo();
});

/** copy copies a text and reports it. @param {string} text @param {string} what */
const copy = async (text, what) => {
  try {
    await navigator.clipboard.writeText(text);
    say(what + " copied.");
  } catch {
    say("The browser does not allow copying here. Select the text and copy it.");
    return false;
  }
  return true;
};
/** offer shows a text to copy or to download. @param {string} title @param {string} note @param {string} text @param {string} file @param {string} type */
const offer = (title, note, text, file, type) => {
  by("text-title", HTMLHeadingElement).textContent = title;
  by("text-note", HTMLParagraphElement).textContent = note;
  by("text", HTMLPreElement).textContent = text;
  by("text-copy", HTMLButtonElement).onclick = () => void copy(text, title);
  by("text-save", HTMLButtonElement).onclick = () => save(file, text, type);
  by("text-dialog", HTMLDialogElement).showModal();
};
by("text-print", HTMLButtonElement).addEventListener("click", () => print());
by("sheet", HTMLButtonElement).addEventListener("click", () => {
  by("lesson-menu", HTMLDetailsElement).open = false;
  offer("Answer sheet", "Your answers since you opened this page. Write your name at the top and hand it in.", lessons.sheet(), "answers.txt", "text/plain");
});
/** classView switches larger text on or off. @param {boolean} on */
const classView = on => {
  document.documentElement.classList.toggle("large", on);
  by("class-view", HTMLButtonElement).setAttribute("aria-pressed", String(on));
};
by("class-view", HTMLButtonElement).addEventListener("click", () => {
  const on = !document.documentElement.classList.contains("large");
  classView(on);
  if (on) void document.documentElement.requestFullscreen?.().catch(() => {});
  else if (document.fullscreenElement) void document.exitFullscreen();
});
document.addEventListener("fullscreenchange", () => document.fullscreenElement || classView(false));
by("text-close", HTMLButtonElement).addEventListener("click", () => by("text-dialog", HTMLDialogElement).close());

const chosen = () => slots[panel.slot];
const takes = /** @type {Record<string, () => unknown>} */ ({
  share: async () => {
    state.keep();
    history.replaceState(null, "", "#" + state.last);
    if (!await copy(location.href, "Link")) offer("Link", "The link contains the points, the learners and the iteration.", location.href, "link.txt", "text/plain");
  },
  "save-svg": () => save("mpcvm.svg", chosen().plane.picture(), "image/svg+xml"),
  "save-png": async () => save("mpcvm.png", await chosen().plane.png(), "image/png"),
  "show-code": async () => {
    const { text } = await engine.code(chosen().setup ?? state.now.a, state.now.points);
    offer("Go cell", "Paste this code into a cell of a notebook of this project. It trains the same model.", text, "cell.go", "text/plain");
  },
  notebook: async () => {
    const setup = chosen().setup ?? state.now.a, count = state.now.points.length, title = `Playground: ${learners[setup.learner]}, ${count} points`;
    const { imports, points, fit } = await engine.code(setup, state.now.points);
    const [{ newId }, store] = await Promise.all([import("../notebook/ipynb.js"), import("../notebook/store.js")]);
    const cell = (/** @type {"code" | "markdown"} */ type, /** @type {string} */ source, /** @type {string[]} */ ...tags) =>
      ({ id: newId(), type, source: source.trim(), metadata: tags.length ? { tags } : {}, outputs: [] });
    const key = "own:" + newId();
    // The code comes from the engine and contains only numbers and its own names, so it may run without confirmation.
    await store.put(key, 0, { name: title, when: Date.now(), from: "", cells: [
      cell("markdown", `# ${title}\n\nThe first cell contains the points from the playground, and the second trains the same model on them. Press “Run all”, then change what you like.`),
      cell("code", imports, "hide-input"), cell("code", points), cell("code", fit)] });
    state.keep();
    history.replaceState(null, "", "#" + state.last); // for the way back
    location.href = new URL("../notebooks/new.html#" + key, location.href).href;
  },
  "show-model": async () => {
    const { text } = await engine.model(chosen().name, chosen().now?.iteration ?? 0);
    offer("Model as JSON", "Read this file with mpcvm.LoadFile or the command mpcvm.", text, "model.json", "application/json");
  },
});
for (const [id, f] of Object.entries(takes)) {
  by(id, HTMLButtonElement).addEventListener("click", async () => {
    by("take", HTMLDetailsElement).open = false;
    try {
      await f();
    } catch (e) {
      failed(e);
    }
  });
}
document.addEventListener("click", e => {
  for (const m of document.querySelectorAll("details.menu[open]")) if (!m.contains(/** @type {Node} */ (e.target))) m.removeAttribute("open");
});
document.addEventListener("keydown", e => {
  const open = /** @type {HTMLElement | null} */ (document.querySelector("details.menu[open]"));
  if (e.key !== "Escape" || !open) return;
  open.removeAttribute("open");
  open.querySelector("summary")?.focus();
});

/** ended waits until a list of work stays empty. @param {() => Promise<unknown>[]} list */
const ended = async list => {
  for (let work = list(); work.length; work = list()) {
    await Promise.allSettled(work);
    await new Promise(done => setTimeout(done));
  }
};
/** work lists the pending work of the learners, on request with the evaluations. @param {boolean} [all] */
const work = (all = false) => Object.values(slots).flatMap(s => [...s.work, ...(all ? s.evaluating : [])]);
/** settled waits until all learners have finished. */
const settled = () => ended(() => work());
/** idle waits until all learners, evaluations and moves of lessons have finished. */
const idle = () => ended(() => [...work(true), ...(lessons.work ? [lessons.work] : [])]);

/** recolour applies the colour scheme and the colours of the classes. */
const recolour = () => {
  panel.recolour();
  for (const s of Object.values(slots)) s.restart();
};
onScheme(recolour);

/** fromAddress restores the state in the address, if any. */
const fromAddress = () => {
  const text = location.hash.slice(1);
  if (!text || text === state.last) return false;
  try {
    state.load(text);
    if (state.now.names.from !== undefined) say("The points in this link come from a table. To train a model on all its columns, open “Your table”.");
    return true;
  } catch (e) {
    failed(e);
    return false;
  }
};
addEventListener("hashchange", fromAddress);

/** thumbnails draws the presets on their buttons. */
const thumbnails = () => {
  for (const preset of Object.keys(presets)) {
    const { points, classes } = drawn[preset];
    panel.thumbnail(preset, points, boxOf(points), classes);
  }
};

Object.assign(window, { playground: { state, engine, slots, lessons, player, panel, idle } });
undoable();
player.update();
const start = async () => {
  thumbnails();
  const lesson = Number(new URLSearchParams(location.search).get("lesson")), known = fromAddress();
  if (!known && lesson >= 1 && lesson <= lessons.count) await lessons.enter(lesson - 1, 0);
  else if (!known) {
    await usePreset("overlap", 0, { a: { ...defaultSetup }, box: defaultBox });
    state.past = [];
    undoable();
  }
  await idle();
  document.documentElement.dataset.ready = String(Math.round(performance.now()));
};
start().catch(failed);
