// The search page: finds the entries of search.json that have all words of the query, as words or their beginnings.

/** @typedef {{path: string, title: string, part: string, text: string, titleWords: string[], textWords: string[]}} Entry */

/** plain is a text in lower case without accents. @param {string} text */
const plain = text => text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
/** words splits a text into words. Names of Go are split at capital letters as well. @param {string} text */
const words = text => [...new Set([...plain(text).split(/[^\p{L}\p{N}]+/u), ...plain(text.replace(/(\p{Ll})(\p{Lu})/gu, "$1 $2")).split(/[^\p{L}\p{N}]+/u)])].filter(Boolean);

/**
 * points tell how well a word of the query fits: whole words before beginnings, titles before texts.
 * @param {string} word @param {string[]} title @param {string[]} text @returns {number}
 */
const points = (word, title, text) =>
  title.includes(word) ? 12 : title.some(w => w.startsWith(word)) ? 7 : text.includes(word) ? 3 : text.some(w => w.startsWith(word)) ? 1 : 0;

/** found are the entries for a query, the best first. @param {Entry[]} entries @param {string} query */
const found = (entries, query) => {
  const asked = plain(query).split(/[^\p{L}\p{N}]+/u).filter(Boolean);
  if (!asked.length) return [];
  const score = (/** @type {Entry} */ e) => {
    const all = asked.map(w => points(w, e.titleWords, e.textWords));
    return all.includes(0) ? 0 : all.reduce((a, b) => a + b) + (e.path.includes("#") ? 0 : 2) - e.titleWords.length / 10;
  };
  return entries.map(entry => ({ score: score(entry), entry })).filter(e => e.score > 0).sort((a, b) => b.score - a.score).map(e => e.entry);
};

const most = 40; // results on the page
const by = (/** @type {string} */ id) => /** @type {HTMLElement} */ (document.getElementById(id));
const input = /** @type {HTMLInputElement} */ (by("query")), list = by("found"), said = by("said");
/** @type {Entry[]} */
const entries = (await (await fetch("./search.json")).json()).map((/** @type {string[]} */ [path, title, part, text]) =>
  ({ path, title, part, text, titleWords: words(title), textWords: words(part + " " + text) }));

const element = (/** @type {string} */ name, /** @type {string} */ text) => {
  const e = document.createElement(name);
  e.textContent = text;
  return e;
};

const update = () => {
  const all = found(entries, input.value);
  list.replaceChildren(...all.slice(0, most).map(e => {
    const li = document.createElement("li"), a = document.createElement("a");
    a.href = e.path;
    a.append(element("b", e.title), element("span", e.part + (e.text ? ": " + e.text : "")));
    li.append(a);
    return li;
  }));
  said.textContent = !input.value.trim() ? "" : all.length === 1 ? "1 result" : all.length + " results" + (all.length > most ? ", the first " + most + " are shown" : "");
  history.replaceState(null, "", input.value ? "?q=" + encodeURIComponent(input.value) : location.pathname);
};

// The arrow keys go through the results.
document.addEventListener("keydown", e => {
  const step = { ArrowDown: 1, ArrowUp: -1 }[e.key] ?? 0, stops = [input, ...list.querySelectorAll("a")], at = stops.findIndex(s => s === document.activeElement);
  if (!step || at < 0 || !stops[at + step]) return;
  e.preventDefault();
  stops[at + step].focus();
});

input.value = new URLSearchParams(location.search).get("q") || "";
input.oninput = update;
input.focus();
update();

export {}; // a module
