// The search page: finds the entries of search.json that have all words of the query, as words or their beginnings.

// words splits a text into lower-case words without accents. Names of Go are split at capital letters as well.
const plain = text => text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
const words = text => [...new Set([...plain(text).split(/[^\p{L}\p{N}]+/u), ...plain(text.replace(/(\p{Ll})(\p{Lu})/gu, "$1 $2")).split(/[^\p{L}\p{N}]+/u)])].filter(Boolean);

// points tell how well a word of the query fits: whole words before beginnings, titles before texts.
const points = (word, title, text) =>
  title.includes(word) ? 12 : title.some(w => w.startsWith(word)) ? 7 : text.includes(word) ? 3 : text.some(w => w.startsWith(word)) ? 1 : 0;

const found = (entries, query) => {
  const asked = plain(query).split(/[^\p{L}\p{N}]+/u).filter(Boolean);
  if (!asked.length) return [];
  const score = e => {
    const all = asked.map(w => points(w, e.titleWords, e.textWords));
    return all.includes(0) ? 0 : all.reduce((a, b) => a + b) + (e.path.includes("#") ? 0 : 2) - e.titleWords.length / 10;
  };
  return entries.map(e => [score(e), e]).filter(([s]) => s > 0).sort((a, b) => b[0] - a[0]).map(([, e]) => e);
};

const most = 40; // results on the page
const input = document.getElementById("query"), list = document.getElementById("found"), said = document.getElementById("said");
const entries = (await (await fetch("./search.json")).json()).map(([path, title, part, text]) =>
  ({ path, title, part, text, titleWords: words(title), textWords: words(part + " " + text) }));

const element = (name, text) => {
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
  const step = { ArrowDown: 1, ArrowUp: -1 }[e.key], stops = [input, ...list.querySelectorAll("a")], at = stops.indexOf(document.activeElement);
  if (!step || at < 0 || !stops[at + step]) return;
  e.preventDefault();
  stops[at + step].focus();
});

input.value = new URLSearchParams(location.search).get("q") || "";
input.oninput = update;
input.focus();
update();
