// The interactive parts of a report. They follow the functions of export.Scorer in the same module.

/** live starts the parts. @param root the element of the row to play with @param packed the data written by whatif.go */
const live = async (root, packed) => {
  const bytes = Uint8Array.from(atob(packed), c => c.charCodeAt(0));
  const data = await new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).json();
  const { classes, vectors } = data.model, { predict, features, kernel, potentials } = scorer(data.model);
  const el = (name, attributes = {}, ...inside) => {
    const e = document.createElement(name);
    for (const [k, v] of Object.entries(attributes)) if (v !== false) e.setAttribute(k, v === true ? "" : v);
    e.append(...inside);
    return e;
  };
  const button = (text, pressed, more = {}) => {
    const b = el("button", { type: "button", ...more }, text);
    b.onclick = pressed;
    return b;
  };
  const short = v => String(+v.toPrecision(4)).replace("-", "−"), percent = v => `${(100 * v).toFixed(1)} %`;
  const table = (head, rows, caption) => el("div", { class: "wide", tabindex: 0 }, el("table", {}, ...(caption ? [el("caption", {}, caption)] : []),
    el("thead", {}, el("tr", {}, ...head.map(h => h ? el("th", { scope: "col" }, h) : el("td")))), el("tbody", {}, ...rows.map(cells => el("tr", {}, ...cells.map((c, i) => i ? el("td", {}, c) : el("th", { scope: "row" }, c)))))));
  /** part fills the place of an interactive part; see live in full.go. */
  const part = (name, ...inside) => root.closest(".mpcvm-report").querySelector(`[data-live=${name}]`).append(...inside);
  const byName = new Map(data.columns.map(c => [c.name, c]));

  // Rows.

  /** cell returns a cell of a row of the data: a number, a text, or null if it is missing. */
  const cell = (c, n) => c.codes ? (c.codes[n] < 0 ? null : c.levels[c.codes[n]]) : c.cells[n];
  const rowOf = n => Object.fromEntries(data.columns.map(c => [c.name, cell(c, n)]));
  /** nameOf returns the number of a row and its ID, which need not be unique. */
  const nameOf = n => `row ${data.rows[n]}${data.ids ? ` (${data.ids[n]})` : ""}`;
  /** ask calls predict and returns an error as a message. */
  const ask = row => {
    try {
      return predict(row);
    } catch (e) {
      return { problem: e.message };
    }
  };
  const write = v => v === null ? "–" : typeof v === "number" ? short(v) : v;

  // What if.

  let row = {}, from = 0, last = 0; // from is the index of the row, −1 if it was changed; last is the row that was chosen last
  const controls = new Map(), results = el("div", { class: "answers", "aria-live": "polite" });
  const change = (name, value) => {
    row[name] = value;
    from = -1;
    show();
  };
  /** number parses a number with a decimal point or comma, unless the comma may separate thousands, as in 1,234. */
  const number = text => +(/^\s*[-+]?[1-9]\d{0,2},\d{3}\s*$/.test(text) ? NaN : text.replace(/^(\s*[-+]?\d*),(?=\d+\s*$)/, "$1."));
  const control = c => {
    const id = `${root.id}-${data.columns.indexOf(c)}`, label = el("label", { for: id }, c.name + (c.unit ? ` (${c.unit})` : ""));
    if (c.levels) {
      const select = el("select", { id }, ...c.levels.map(l => el("option", {}, l)), el("option", { value: "\u0000" }, "(missing)"));
      select.onchange = () => change(c.name, select.value === "\u0000" ? null : select.value);
      controls.set(c.name, v => select.value = v ?? "\u0000");
      return el("div", { class: "control" }, label, select);
    }
    const input = el("input", { id, type: "text", inputmode: c.min === undefined ? "text" : "decimal", placeholder: "missing", size: 8 });
    const take = text => change(c.name, text.trim() === "" ? null : c.min !== undefined && Number.isFinite(number(text)) ? number(text) : text);
    input.oninput = () => take(input.value);
    if (c.min === undefined) {
      controls.set(c.name, v => input.value = v ?? "");
      return el("div", { class: "control" }, label, input);
    }
    const slider = el("input", { type: "range", min: c.min, max: c.max, step: c.whole ? 1 : (c.max - c.min) / 200 || 1, "aria-label": `${c.name}, slider` });
    slider.oninput = () => {
      input.value = short(+slider.value).replace("−", "-");
      take(input.value);
    };
    controls.set(c.name, v => {
      input.value = v ?? "";
      slider.value = v ?? (c.min + c.max) / 2;
    });
    return el("div", { class: "control" }, label, input, slider);
  };

  /** smallest finds the smallest change of one column that changes the class; changes of numbers are relative to the interquartile range. */
  const smallest = now => {
    let best = null;
    for (const c of data.columns) {
      const tries = c.levels ? c.levels.map(v => [v, 1]) : c.min === undefined ? [] : Array.from({ length: 81 }, (_, i) => {
        const v = c.min + (c.max - c.min) * i / 80, to = c.whole ? Math.round(v) : v;
        return [to, Math.abs(to - (row[c.name] ?? c.typical)) / (c.spread || c.max - c.min || 1)];
      });
      for (const [to, away] of tries) {
        if (to === row[c.name] || best && away >= best.away) continue;
        const { name } = ask({ ...row, [c.name]: to });
        if (name !== undefined && name !== now) best = { column: c.name, to, away, name };
      }
    }
    return best;
  };

  /** shapley computes the Shapley values of the columns: what each adds to the probability of the class for a typical row. They are exact
      if at most nine columns differ from it, otherwise means over permutations with standard errors. */
  const shapley = label => {
    const differ = data.columns.filter(c => row[c.name] !== c.typical), value = set => {
      const answer = ask(Object.fromEntries(data.columns.map(c => [c.name, set.has(c) || row[c.name] === c.typical ? row[c.name] : c.typical])));
      return answer.probabilities ? answer.probabilities[label] : NaN;
    };
    const n = differ.length, adds = differ.map(() => 0), squares = differ.map(() => 0), base = value(new Set());
    if (n <= 9) {
      const of = Array.from({ length: 1 << n }, (_, m) => value(new Set(differ.filter((_, i) => m >> i & 1))));
      const ones = m => m.toString(2).replaceAll("0", "").length, factorial = k => k < 2 ? 1 : k * factorial(k - 1);
      differ.forEach((_, i) => of.forEach((v, m) => {
        if (!(m >> i & 1)) adds[i] += (of[m | 1 << i] - v) * factorial(ones(m)) * factorial(n - 1 - ones(m)) / factorial(n);
      }));
      return { base, list: differ.map((c, i) => ({ name: c.name, add: adds[i], se: 0 })) };
    }
    const rounds = Math.max(20, Math.round(1500 / n));
    let seed = 1;
    const random = () => (seed = (seed * 16807) % 2147483647) / 2147483647;
    for (let r = 0; r < rounds; r++) {
      const order = differ.map((_, i) => [random(), i]).sort((a, b) => a[0] - b[0]).map(v => v[1]), set = new Set();
      let before = base;
      for (const i of order) {
        set.add(differ[i]);
        const v = value(set), add = v - before;
        adds[i] += add;
        squares[i] += add * add;
        before = v;
      }
    }
    return { base, list: differ.map((c, i) => ({ name: c.name, add: adds[i] / rounds, se: Math.sqrt(Math.max(0, squares[i] / rounds - (adds[i] / rounds) ** 2) / rounds) })) };
  };

  let later = 0;
  const detail = el("div", { "aria-live": "polite" });
  const show = () => {
    const answer = ask(row);
    clearTimeout(later);
    if (answer.problem) {
      detail.replaceChildren();
      return results.replaceChildren(el("p", { class: "warning" }, answer.problem));
    }
    const order = classes.map((_, c) => c).sort((a, b) => answer.probabilities[b] - answer.probabilities[a]), most = order.slice(0, 8);
    const known = from >= 0 && data.truth[from] >= 0 ? ` Its class in the data is ${classes[data.truth[from]]}.` : "";
    const x = features(row), beyond = data.columns.filter(({ name, range }) => range && typeof row[name] === "number" && (row[name] < range[0] || row[name] > range[1]));
    results.replaceChildren(
      el("p", {}, el("strong", {}, `${answer.name}, ${percent(answer.probabilities[answer.label])}`), `${answer.label === order[0] ? "" : ", the class with the lowest expected cost"} · ${from >= 0 ? nameOf(from) : "a changed row"}.${known}`),
      el("div", { class: "bars" }, ...most.map(c => el("div", {}, el("span", {}, classes[c]), el("span", { class: "bar" }, (() => {
        const fill = el("i");
        fill.style.width = `${100 * answer.probabilities[c]}%`;
        fill.style.background = data.colours[c];
        return fill;
      })()), el("span", {}, percent(answer.probabilities[c])))), order.length > most.length ? el("p", {}, `${order.length - most.length} more classes: ${percent(order.slice(8).reduce((s, c) => s + answer.probabilities[c], 0))}`) : ""),
      ...(unlike(x) ? [el("p", { class: "warning" }, "⚠ This row is unlike all training rows, so the prediction is unreliable.")] : []),
      ...beyond.map(({ name, range }) => el("p", { class: "warning" }, `⚠ ${name} is beyond the range of the training rows, ${short(range[0])} to ${short(range[1])}.`)));
    later = setTimeout(() => details(answer), 120);
  };

  /**
   * setOf returns the prediction set (Model.PredictSet): the classes whose margin over all others reaches the threshold, and
   * the class with the largest potential unless the row is unlike the training rows. The threshold "-" means no limit.
   */
  const setOf = (x, { least }) => {
    const y = potentials(x), always = unlike(x) ? -1 : y.indexOf(Math.max(...y));
    return classes.map((_, c) => c).filter(c => c === always || least[c] === "-" || y[c] - Math.max(...y.filter((_, k) => k !== c)) >= least[c]);
  };
  /** unlike implements Model.Unlike. */
  const unlike = x => data.reach > (data.model.sum === "products" ? 1 / (1 + x.reduce((s, v) => s + v * v, 0))
    : vectors.reduce((s, [v, weights]) => s + kernel(x, v) * weights.reduce((a, [, w]) => a + Math.abs(w), 0), 0));

  /** details takes longer and is shown after a pause. */
  const details = answer => {
    const x = features(row), c = answer.label, say = vectors.map(([v, weights], i) => ({ i, k: kernel(x, v), w: (weights.find(w => w[0] === c) ?? [0, 0])[1] }))
      .map(s => ({ ...s, adds: s.k * s.w })).sort((a, b) => Math.abs(b.adds) - Math.abs(a.adds)).slice(0, 6).filter(s => Math.abs(s.adds) > 1e-6);
    const columns = data.columns.slice(0, 6), { base, list } = shapley(c), change1 = smallest(answer.name);
    const largest = Math.max(...list.map(s => Math.abs(s.add)), 1e-9);
    detail.replaceChildren(
      ...(data.sets ?? []).map(s => el("p", {}, `Prediction set, which contains the class of ${percent(s.coverage)} of new rows: `, el("strong", {}, setOf(x, s).map(c => classes[c]).join(" | ") || "empty: no class is plausible, because the row is unlike all training rows"))),
      el("h3", {}, "Contribution of each column"),
      el("p", {}, `A typical row (medians and most frequent levels) has the probability ${percent(base)} of ${answer.name}. The cells of this row change it to ${percent(answer.probabilities[c])}, with these contributions (Shapley values${list.length > 9 ? ", sampled, ± one standard error" : ""}):`),
      el("div", { class: "bars signed" }, ...list.sort((a, b) => Math.abs(b.add) - Math.abs(a.add)).slice(0, 8).map(s => el("div", {}, el("span", {}, `${s.name} = ${write(row[s.name])}`), el("span", { class: "bar" }, (() => {
        const fill = el("i", { class: s.add < 0 ? "less" : "" });
        fill.style.width = `${50 * Math.abs(s.add) / largest}%`;
        fill.style[s.add < 0 ? "right" : "left"] = "50%";
        return fill;
      })()), el("span", {}, `${s.add < 0 ? "−" : "+"}${(100 * Math.abs(s.add)).toFixed(1)}${s.se ? ` ± ${(100 * s.se).toFixed(1)}` : ""} points`)))),
      el("p", {}, change1 ? el("span", {}, `The smallest change of one column that changes the class: ${change1.column} = ${write(change1.to)} instead of ${write(row[change1.column])} makes it ${change1.name}. `, button("Try it", () => {
        row[change1.column] = change1.to;
        from = -1;
        put();
      })) : "No change of one column within its range changes the class."),
      vectors.length === 0 ? "" : el("h3", {}, "Training rows for and against this class"),
      vectors.length === 0 ? "" : table(["training row", "class", `adds to the potential of ${answer.name}`, ...columns.map(c => c.name)],
        [["this row", answer.name, "", ...columns.map(c => write(row[c.name]))], ...say.map(s => [data.vectors[s.i].name, classes[data.vectors[s.i].label], (s.adds < 0 ? "−" : "+") + short(Math.abs(s.adds)), ...data.vectors[s.i].cells.map(write)])]),
      el("p", {}, "This row as a CSV file for mpcvm predict:"),
      el("pre", { tabindex: 0 }, csv()), button("Copy", () => void navigator.clipboard.writeText(csv())), " ",
      location.protocol === "about:" ? "" : button("Copy a link to this row", () => void navigator.clipboard.writeText(link())));
  };
  const csv = () => {
    const quote = v => v === null ? "" : /[",\n]/.test(v) ? `"${String(v).replaceAll('"', '""')}"` : String(v);
    return data.columns.map(c => quote(c.name)).join(",") + "\n" + data.columns.map(c => quote(row[c.name])).join(",") + "\n";
  };

  /** link returns a link to this page with the row, given by its number, or by its cells if it was changed. */
  const link = () => location.href.split("#")[0] + "#" + (from >= 0 ? `row=${data.rows[from]}`
    : `cells=${encodeURIComponent(JSON.stringify(data.columns.map(c => row[c.name])))}`);

  /** put updates the controls and the prediction. */
  const put = () => {
    for (const [name, set] of controls) set(row[name]);
    show();
  };
  const chosen = el("input", { type: "search", "aria-label": data.ids ? "Row by its number or ID" : "Row by its number", placeholder: "row" });
  const said = el("p", { role: "status" });
  const choose = n => {
    row = rowOf(n);
    from = last = n;
    chosen.value = data.rows[n];
    said.replaceChildren();
    put();
  };
  /** seek shows the row with a number or, failing that, an ID, and lists other rows that match. */
  const seek = text => {
    const rows = data.rows.flatMap((r, n) => r === +text || data.ids?.[n] === text ? [n] : []), numbered = rows.find(n => data.rows[n] === +text);
    if (numbered !== undefined || rows.length === 1) choose(numbered ?? rows[0]);
    const others = rows.length > 1 ? rows.filter(n => n !== numbered) : [];
    if (!rows.length) said.replaceChildren(`This report has no row “${text}”.`);
    else if (others.length) said.replaceChildren(`${numbered === undefined ? "Several rows have" : "Other rows have"} the ID “${text}”: `, ...others.slice(0, 30).flatMap(n => [visit(n), " "]), others.length > 30 ? "…" : "");
  };
  /** typical shows a typical row, with some other cells. */
  const typical = (cells = {}) => {
    row = Object.fromEntries(data.columns.map(c => [c.name, ["string", "number"].includes(typeof cells[c.name]) || cells[c.name] === null ? cells[c.name] : c.typical]));
    from = -1;
    put();
  };
  chosen.onchange = () => chosen.value.trim() && seek(chosen.value.trim());
  /** visit returns a button that shows a row. */
  const visit = n => button(nameOf(n), () => {
    choose(n);
    root.scrollIntoView();
    chosen.focus({ preventScroll: true });
  }, { class: "link" });
  const all = data.columns.map(control), first = all.slice(0, 3), rest = all.slice(3);
  root.append(el("h2", {}, "Change a row"), el("p", {}, `See how the prediction follows. ${data.note}`),
    el("div", { class: "choose" }, ...(data.rows.length ? [el("label", {}, "Row ", chosen), button("Previous", () => choose(Math.max(0, last - 1))), button("Next", () => choose(Math.min(data.rows.length - 1, last + 1)))] : []),
      button("Typical row", () => typical())), said,
    results, ...first, ...(rest.length ? [el("details", {}, el("summary", {}, `${rest.length} more column${rest.length === 1 ? "" : "s"}`), ...rest)] : []));
  part("what-if", detail);
  const handle = { link, predict, sets: row => data.sets?.map(s => setOf(features(row), s)), choose, set: change, row: () => row };
  if (!data.rows.length) { // a model without its table
    root.hidden = false;
    typical(data.start);
    return handle;
  }

  // Errors.

  const { proba, labels } = data, few = classes.length <= 12;
  const picked = el("div", { "aria-live": "polite" });
  const list = (indices, caption) => table(["row", "class", "predicted", "with probability"], indices.slice(0, 30).map(i => [visit(i), classes[data.truth[i]], classes[labels[i]], percent(proba[i][labels[i]])]),
    caption + (indices.length > 30 ? ", the first 30" : ""));
  const wrong = data.rows.map((_, i) => i).filter(i => labels[i] !== data.truth[i]).sort((a, b) => proba[b][labels[b]] - proba[a][labels[a]]);
  const pairs = new Map(), sizes = classes.map((_, t) => data.truth.filter(v => v === t).length);
  data.rows.forEach((_, i) => {
    const key = `${data.truth[i]} ${labels[i]}`;
    pairs.set(key, [...(pairs.get(key) ?? []), i]);
  });
  const cellOf = (t, c) => {
    const indices = pairs.get(`${t} ${c}`) ?? [];
    return indices.length ? button(String(indices.length), () => picked.replaceChildren(list(indices, `${classes[t]}, predicted as ${classes[c]}`)), { class: t === c ? "right" : "wrong", style: `--share:${indices.length / sizes[t]}`, "aria-label": `${indices.length} of ${classes[t]} predicted as ${classes[c]}` }) : "";
  };
  const confusions = few ? table(["class", ...classes.map(c => `as ${c}`)], classes.map((name, t) => [name, ...classes.map((_, c) => cellOf(t, c))]))
    : table(["class", "most often predicted as", "rows"], [...pairs].filter(([k]) => k.split(" ")[0] !== k.split(" ")[1]).sort((a, b) => b[1].length - a[1].length).slice(0, 15).map(([k]) => {
      const [t, c] = k.split(" ").map(Number);
      return [classes[t], classes[c], cellOf(t, c)];
    }));
  const groups = el("div", { "aria-live": "polite" }), select = el("select", { "aria-label": "Column" }, ...data.columns.map(c => el("option", {}, c.name)));
  const group = () => {
    const c = byName.get(select.value), edges = c.levels ? null : c.quartiles, sorts = new Map();
    data.rows.forEach((_, i) => {
      const v = cell(c, i), key = v === null ? "missing" : c.levels ? v : !edges ? String(v) : edges.filter(e => v > e).length;
      const g = sorts.get(key) ?? { key, n: 0, wrong: 0 };
      g.n++;
      g.wrong += +(labels[i] !== data.truth[i]);
      sorts.set(key, g);
    });
    const title = k => typeof k === "number" ? [`up to ${short(edges[0])}`, `to ${short(edges[1])}`, `to ${short(edges[2])}`, `above ${short(edges[2])}`][k] : k;
    groups.replaceChildren(table([c.name, "rows", "error", "± standard error"], [...sorts.values()].sort((a, b) => typeof a.key === "number" && typeof b.key === "number" ? a.key - b.key : b.n - a.n).slice(0, 20).map(g => {
      const e = g.wrong / g.n, guess = (g.wrong + 1) / (g.n + 2); // so that the standard error is not 0 if all or none are wrong
      return [title(g.key), String(g.n), ...(g.n < 20 ? [`${g.wrong} wrong`, "few rows"] : [percent(e), percent(Math.sqrt(guess * (1 - guess) / g.n))])];
    })));
  };
  select.onchange = group;
  part("errors", el("p", {}, `Of ${data.rows.length} ${data.of}, ${wrong.length} ${wrong.length === 1 ? "is" : "are"} predicted wrongly. Click a number to see its rows.`), confusions, picked,
    el("h3", {}, "The most confident errors"), list(wrong.slice(0, 8), "Errors"),
    el("h3", {}, "Error by group"), el("p", {}, "Rows with the same level of a column, or in the same quarter of its range. "), select, groups);
  group();

  // Costs.

  const many = Math.min(classes.length, 8), costs = classes.map((_, t) => classes.map((_, c) => data.model.costs ? data.model.costs[t][c] : +(t !== c)));
  const verdict = el("div", { "aria-live": "polite" }), silent = el("input", { type: "range", min: 0, max: 0.99, step: 0.01, value: 0, "aria-label": "Minimum probability" });
  const reckon = () => {
    const least = +silent.value, cheapest = p => {
      const expected = classes.map((_, c) => p.reduce((s, v, t) => s + v * costs[t][c], 0));
      return expected.indexOf(Math.min(...expected));
    };
    let answered = 0, wrong = 0, paid = 0, plain = 0, other = 0;
    const named = classes.map(() => classes.map(() => 0));
    data.rows.forEach((_, i) => {
      const p = proba[i], t = data.truth[i], decided = cheapest(p);
      plain += costs[t][labels[i]];
      paid += costs[t][decided];
      other += +(decided !== labels[i]);
      named[t][decided]++;
      if (Math.max(...p) < least) return;
      answered++;
      wrong += +(labels[i] !== t);
    });
    const n = data.rows.length;
    verdict.replaceChildren(table(["", "value"], [
      ["mean cost, deciding for the most probable class", short(plain / n)], ["mean cost, deciding for the lowest expected cost", short(paid / n)], ["rows decided differently", String(other)],
      [`rows decided, with a probability of at least ${least}`, `${answered}, ${percent(answered / n)}`], ["error among these", answered ? percent(wrong / answered) : "–"],
    ]), ...(few && other ? [table(["class", ...classes.map(c => `as ${c}`)], classes.map((name, t) => [name, ...named[t].map(v => v ? String(v) : "")]), "Decisions by the lowest expected cost")] : []));
  };
  silent.oninput = reckon;
  part("costs", el("p", {}, "The cost of deciding for a class (column) if the true class is that in the row. The mean costs refer to the rows above." + (classes.length > many ? ` The table shows the first ${many} classes.` : "")),
    table(["true class", ...classes.slice(0, many).map(c => `decided ${c}`)], classes.slice(0, many).map((name, t) => [name, ...classes.slice(0, many).map((other, c) => {
      const input = el("input", { type: "number", min: 0, step: "any", value: costs[t][c], "aria-label": `cost of ${other} for ${name}` });
      input.oninput = () => {
        costs[t][c] = Math.max(0, +input.value || 0);
        reckon();
      };
      return input;
    })])), el("p", {}, "Decide only if the probability of the most probable class is at least ", silent), verdict);
  reckon();
  root.hidden = false;
  /** follow shows the row given in the address of the page. */
  const follow = () => {
    const [, kind, what] = /^#(row|cells)=(.*)$/.exec(location.hash) ?? [];
    if (!kind) return;
    try {
      if (kind === "row") return seek(decodeURIComponent(what));
      const cells = JSON.parse(decodeURIComponent(what));
      if (cells.length !== data.columns.length || !cells.every(v => v === null || ["string", "number"].includes(typeof v))) throw new Error("the columns differ");
      row = Object.fromEntries(data.columns.map((c, i) => [c.name, cells[i]]));
      from = -1;
      put();
    } catch {
      said.replaceChildren("The link to a row is damaged or belongs to another report.");
    }
  };
  choose(0);
  follow();
  addEventListener("hashchange", follow);
  // the fold is open before the browser looks for the place, which otherwise moves when the fold grows
  for (const a of root.closest(".mpcvm-report").querySelectorAll(".mpcvm-contents a")) a.onclick = () => {
    const fold = document.getElementById(a.hash.slice(1))?.closest("details");
    if (fold) fold.open = true;
  };
  return handle;
};

for (let data; data = document.querySelector(".mpcvm-live > script");) {
  const root = data.parentElement;
  data.remove(); // so that no other copy of this module starts the section again
  (window.mpcvmReports ??= []).push(await live(root, data.textContent));
}
