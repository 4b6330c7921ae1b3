// The search page: lists the entries of search.json that contain all words of the query, or words that begin with them,
// followed by the entries that contain only some.

/** @typedef {{path: string, title: string, part: string, text: string, titleWords: string[], textWords: string[], bonus: number}} Entry */

/** plain returns a text in lower case without accents. @param {string} text */
const plain = text => text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
/** split splits a text into words. @param {string} text */
const split = text => plain(text).split(/[^\p{L}\p{N}]+/u).filter(Boolean);
/** words returns the words of a text. Go identifiers are also split at capital letters. @param {string} text */
const words = text => [...new Set([...split(text), ...split(text.replace(/(\p{Ll})(\p{Lu})/gu, "$1 $2"))])];

/**
 * fit returns how well a word of the query matches a list of words: 2 if it is equal to one, apart from a plural s, 1 if
 * its stem begins one, and 0 otherwise.
 * @param {string} word @param {string[]} all
 */
const fit = (word, all) => {
  const single = word.replace(/(?<=...)s$/, ""), stem = word.replace(/(?<=....)(ing|ed|es|e|s)$/, "");
  return all.includes(word) || all.includes(single) ? 2 : all.some(w => w.startsWith(stem)) ? 1 : 0;
};

/** The points of an entry for a word, by how well the word matches its title, its first sentence and the text below. */
const ofTitle = [0, 7, 12], ofSentence = [0, 1, 4], ofText = [0, 1, 3];

/**
 * matches returns the points of the entries for a word of the query.
 * @param {Entry[]} entries @param {Map<string, number[]>} index @param {string} word @returns {Map<number, number>}
 */
const matches = (entries, index, word) => {
  const all = new Map();
  const add = (/** @type {number} */ at, /** @type {number} */ n) => n && all.set(at, Math.max(n, all.get(at) || 0));
  entries.forEach((e, i) => add(i, ofTitle[fit(word, e.titleWords)] || ofSentence[fit(word, e.textWords)]));
  for (const [w, list] of index) {
    const n = ofText[fit(word, [w])];
    if (n) for (const i of list) add(i, n);
  }
  return all;
};

/** Words that are ignored unless the query consists of them only. */
const common = new Set("a an and are as be by can do does for from how i in is it of on or the to what when where which why with".split(" "));

/**
 * found returns the entries for a query, the best first, and how many of them contain all its words. Rare words count more.
 * @param {Entry[]} entries @param {Map<string, number[]>} index @param {string} query
 */
const found = (entries, index, query) => {
  const all = [...new Set(split(query))], telling = all.filter(w => !common.has(w));
  const asked = (telling.length ? telling : all).map(w => matches(entries, index, w));
  const scored = entries.map((entry, i) => {
    const has = asked.filter(m => m.has(i));
    const points = has.reduce((sum, m) => sum + (m.get(i) || 0) * Math.log(1 + entries.length / m.size), 0);
    return { entry, whole: has.length === asked.length, points: points && points + entry.bonus };
  }).filter(e => e.points > 0).sort((a, b) => +b.whole - +a.whole || b.points - a.points);
  return { list: scored.map(e => e.entry), whole: scored.filter(e => e.whole).length };
};

/** bonus ranks lessons first, solutions last, and pages before their headings. @param {string} path @param {string} title */
const bonus = (path, title) => (/^notebooks\/\d/.test(path) ? 8 : /^notebooks\/solutions\//.test(path) ? 0 : 4) + (path.includes("#") ? 0 : 2) - words(title).length / 10;

const most = 40; // results on the page
const by = (/** @type {string} */ id) => /** @type {HTMLElement} */ (document.getElementById(id));
const input = /** @type {HTMLInputElement} */ (by("query")), list = by("found"), said = by("said");
const file = await (await fetch("./search.json")).json();
/** @type {Entry[]} */
const entries = file.entries.map((/** @type {string[]} */ [path, title, part, text]) =>
  ({ path, title, part, text, titleWords: words(title), textWords: words(part + " " + text), bonus: bonus(path, title) }));
/** The entries of each word; the file stores the differences of their numbers. @type {Map<string, number[]>} */
const index = new Map(Object.entries(file.words).map(([word, steps]) => {
  let at = 0;
  return [word, steps.map((/** @type {number} */ n) => at += n)];
}));

const element = (/** @type {string} */ name, /** @type {string} */ text) => {
  const e = document.createElement(name);
  e.textContent = text;
  return e;
};

const update = () => {
  const { list: all, whole } = found(entries, index, input.value), some = all.length - whole;
  list.replaceChildren(...all.slice(0, most).map(e => {
    const li = document.createElement("li"), a = document.createElement("a");
    a.href = e.path;
    a.append(element("b", e.title), element("span", e.part + (e.text ? ": " + e.text : "")));
    li.append(a);
    return li;
  }));
  const count = (/** @type {number} */ n) => n === 1 ? "1 result" : (n || "no") + " results";
  said.textContent = !input.value.trim() ? "" : (some ? count(whole) + " with all words, " + some + " with only some of them" : count(whole)) +
    (all.length > most ? "; showing the first " + most : "");
  history.replaceState(null, "", input.value ? "?q=" + encodeURIComponent(input.value) : location.pathname);
};

// The arrow keys move through the results.
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
