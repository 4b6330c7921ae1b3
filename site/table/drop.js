// The drop area of the front page and of "Your table". A file, dropped anywhere on the page, or a sample opens the table
// instead of the page's text. Before, only what finds the last table is loaded.

/** @typedef {import("./main.js").App} App */
const main = /** @type {HTMLElement} */ (document.getElementById("main")), { title } = document;
const said = /** @type {HTMLElement} */ (document.getElementById("drop-said"));
const before = [...main.childNodes];
/** @type {App | null} */
let app = null;

/** leave shows the page's own text again. */
const leave = () => {
  app?.close();
  app = null;
  main.replaceChildren(...before);
  main.classList.remove("app");
  document.title = title;
  scrollTo(0, 0);
  void again();
};

/** open shows a file. @param {File | Promise<File>} file @param {EventTarget | null} [at] where it was dropped @param {Record<string, any>} [options] for reading it */
const open = (file, at = null, options) => opening(file, (app, content) => app.take(content, at, options));

/**
 * opening shows the app and does something with it.
 * @template T @param {T | Promise<T>} what @param {(app: App, what: T) => Promise<unknown>} then
 */
const opening = async (what, then) => {
  try {
    said.textContent = "Opening …";
    const [{ mount }, content] = await Promise.all([import("./main.js"), what]);
    await then(app ??= mount(main, leave), content);
  } catch (error) {
    said.textContent = `The table could not be opened: ${error instanceof Error ? error.message : error}`;
    return;
  }
  said.textContent = "";
  void import("../keep.js").then(k => k.keepOffline(samples.map(b => address(b.dataset.sample ?? "").href)));
};

/** The buttons of the samples, and the address of one. */
const samples = [.../** @type {NodeListOf<HTMLButtonElement>} */ (document.querySelectorAll("#drop [data-sample]"))];
const address = (/** @type {string} */ name) => new URL("samples/" + name, import.meta.url);

/** What is known of a sample. @type {Record<string, Record<string, any>>} */
const known = { "penguins.csv": { drop: ["studyName", "Sample Number", "Region", "Stage", "Date Egg", "Comments"], id: ["Individual ID"] } };

/** sample fetches a sample. @param {string} name */
const sample = async name => {
  const response = await fetch(address(name));
  if (!response.ok) {
    throw new Error(`${name}: ${response.status} ${response.statusText}`);
  }
  return new File([await response.blob()], name);
};

const input = /** @type {HTMLInputElement} */ (document.getElementById("drop-file"));
input.addEventListener("change", () => {
  const file = input.files?.[0];
  input.value = ""; // so that the same file can be chosen again
  file && open(file);
});
for (const b of samples) {
  b.addEventListener("click", () => open(sample(b.dataset.sample ?? ""), null, known[b.dataset.sample ?? ""]));
}
/** follow opens the model in the address (see share.js), or the table that it names, as in #csv=https://… or #sample=penguins. */
const follow = () => {
  if (location.hash.startsWith("#model=")) {
    const shared = import("./share.js").then(s => s.modelIn(location.hash)).then(s => s ?? Promise.reject(new Error("the link is damaged")));
    shared.then(({ file, row }) => open(file, null, { row }), error => said.textContent = `The model could not be opened: ${error.message}.`);
    return;
  }
  if (location.hash.startsWith("#csv=")) {
    import("./remote.js").then(r => r.remote(decodeURIComponent(location.hash.slice(5))))
      .then(file => file && open(file), error => said.textContent = `The table could not be opened: ${error.message}.`);
    return;
  }
  const name = location.hash.startsWith("#sample=") && decodeURIComponent(location.hash.slice(8));
  if (name) samples.find(b => b.dataset.sample?.split(".")[0] === name)?.click();
};
addEventListener("hashchange", follow);
follow();

/** again offers the last table, which is kept in this browser. */
const again = async () => {
  const { last, forget } = await import("./last.js"), kept = await last().catch(() => undefined);
  const place = document.getElementById("drop-last"); // null if a table was opened meanwhile
  if (place && !(place.hidden = !kept) && kept) {
    const [go, drop] = place.querySelectorAll("button");
    go.textContent = `Continue with ${kept.name}`;
    go.onclick = () => void opening(kept, (app, kept) => app.restore(kept));
    drop.onclick = () => void forget().then(() => place.hidden = true);
  }
};
void again();

// The engine starts while the reader chooses a file, and the modules are fetched when the pointer or the focus comes near.
const prefetch = () => void import("./engine.js").then(e => e.prepare(), () => {});
const near = () => void import("./main.js").catch(() => {});
const area = /** @type {HTMLElement} */ (document.getElementById("drop"));
area.addEventListener("pointerenter", near, { once: true });
area.addEventListener("focusin", near, { once: true });
input.addEventListener("click", prefetch, { once: true });
addEventListener("dragenter", e => e.dataTransfer?.types.includes("Files") && prefetch(), { once: true });

const root = document.documentElement;
let deep = 0; // a drag enters each element before it leaves the one around it
const over = (/** @type {number} */ n) => root.classList.toggle("dropping", (deep = Math.max(0, n)) > 0);
addEventListener("dragenter", e => e.dataTransfer?.types.includes("Files") && over(deep + 1));
addEventListener("dragleave", () => over(deep - 1));
addEventListener("dragover", e => e.dataTransfer?.types.includes("Files") && e.preventDefault());
addEventListener("drop", e => {
  over(0);
  const file = e.dataTransfer?.files[0];
  if (file) {
    e.preventDefault();
    void open(file, e.target);
  }
});
