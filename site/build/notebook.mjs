// Uses a live notebook in a browser as a reader would, and writes the results to standard output as JSON. With names of
// notebooks, it runs all their cells instead and writes them to a folder as Jupyter would.
// Usage: node notebook.mjs chrome|firefox PROGRAM URL [FOLDER NAME ...]
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import puppeteer from "puppeteer-core";

const [browserName, executablePath, address, folder, ...names] = process.argv.slice(2);
const chrome = browserName === "chrome", seen = { faults: [] };
const fault = (...text) => seen.faults.push(text.join(" "));
const expect = (ok, ...text) => ok || fault(...text);
const launch = () => puppeteer.launch({
  browser: browserName, executablePath, headless: true, protocolTimeout: 3_600_000,
  args: chrome ? ["--no-sandbox", "--disable-gpu"] : [],
});
let browser = await launch();

const pause = () => new Promise(done => setTimeout(done, 300));
/** until waits for a condition. */
const until = async (page, condition, what, seconds = +(process.env.PATIENCE ?? 300)) => {
  for (const end = Date.now() + 1000 * seconds; Date.now() < end; await new Promise(done => setTimeout(done, 50))) {
    if (await page.evaluate(condition).catch(() => false)) return; // it fails while the page changes
  }
  const at = await page.evaluate(() => document.activeElement?.outerHTML.slice(0, 300)).catch(() => "");
  throw new Error(`${what} takes more than ${seconds} s; the focus is on ${at}; ${seen.faults}`);
};
const ready = page => until(page, () => !!document.documentElement.dataset.ready, "the notebook");
let allowed = /^$/; // allowed console messages
const open = async (path, width = 1280, scheme = "light") => {
  const page = await browser.newPage();
  page.on("console", m => allowed.test(m.text()) || fault("console:", m.text()));
  page.on("pageerror", e => fault("exception:", e.message));
  page.on("request", r => /^(data|blob):/.test(r.url()) || r.url().startsWith(address) || fault("request to", r.url()));
  if (chrome) {
    await page.setViewport({ width, height: 900 });
    await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
  }
  await page.goto(`${address}/${path}`);
  await ready(page);
  return page;
};

if (folder) {
  for (const name of names) {
    const page = await open(`notebooks/${name}.html`), start = performance.now();
    const results = await page.evaluate(() => window.mpcvmNotebook.runAll());
    const seconds = (performance.now() - start) / 1000;
    const times = results.map(r => r && r.seconds.compile + r.seconds.link).filter(Boolean), later = times.slice(1).sort((a, b) => a - b);
    const bad = results.findIndex(r => r?.status !== "ok");
    const memory = chrome ? (await page.evaluate(() => performance.memory?.usedJSHeapSize ?? 0)) / 1e6 : 0;
    const file = `${folder}/${name}.ipynb`;
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, JSON.stringify(await page.evaluate(() => window.mpcvmNotebook.ipynb()), null, 1) + "\n");
    console.log(JSON.stringify({ name, cells: results.length, seconds, first: times[0], median: later[later.length >> 1], own: results.reduce((s, r) => s + (r?.seconds.run ?? 0), 0), memory, bad, why: bad < 0 ? undefined : results[bad] }));
    await browser.close(); // each notebook runs in a new browser
    browser = await launch();
  }
  await browser.close();
  process.exit(seen.faults.length ? (console.error(seen.faults), 1) : 0);
}

/** activate presses an element without the mouse, which would miss an element that moves, for example below new outputs. */
const activate = handle => handle.evaluate(e => (e.focus(), e.click()));
/** press presses the visible button with a text. */
const press = async (page, text) => {
  for (const b of await page.$$("#main button")) {
    if (await b.evaluate((e, text) => e.textContent === text, text) && await b.isVisible()) return activate(b);
  }
  fault("no button", text);
};
const chord = async (page, ...keys) => {
  for (const k of keys) await page.keyboard.down(k);
  for (const k of keys.reverse()) await page.keyboard.up(k);
};
const focused = (page, selector) => until(page, `!!document.activeElement?.closest(${JSON.stringify(selector)})`, `focus on ${selector}`);
const notice = page => page.$eval(".notice", e => (e.hidden ? "" : e.textContent));
const count = page => page.$$eval(".cell", all => all.length);
/** write replaces the text of the focused editor in one step, like the clipboard, because typed brackets would be closed. */
const write = async (page, text, editor = ".cm-editor") => {
  const words = text.match(/\p{L}+/gu).join("");
  for (let tries = 0; tries < 5; tries++) {
    await focused(page, editor);
    await chord(page, "Control", "a");
    await page.keyboard.sendCharacter(text);
    await pause(); // until the editor has taken it
    const has = await page.evaluate(() => document.activeElement?.closest(".cm-editor")?.textContent.match(/\p{L}+/gu)?.join("") ?? "");
    if (has.includes(words.slice(0, 12)) || !words) return;
  }
  fault("the editor does not take", text);
};
const axe = readFileSync(new URL("./node_modules/axe-core/axe.min.js", import.meta.url), "utf8");
const accessible = async (page, what) => {
  if (!chrome) return;
  await page.evaluate(axe); // through the debugger, which is not subject to the page's policy
  for (const v of await page.evaluate(() => window.axe.run().then(r => r.violations.map(v => `${v.id}: ${v.nodes[0].html}`)))) fault(what, "axe:", v);
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  expect(wide <= 0, what, "is wider than the window by", wide);
};

// A cell is edited by keyboard and has errors.
let page = await open("notebooks/solutions/02-principle-and-prior.html");
const cells = await count(page);
await accessible(page, "as it opens,");
await page.focus(".cell.code:not(.setup) > pre.chroma");
await page.keyboard.press("Enter");
await write(page, '%%\nfmt.Println("é", 1+1)\nx := 3\nfmt.Println(nowhere)');
await chord(page, "Control", "Enter");
await until(page, () => document.querySelectorAll(".fault").length === 2, "the errors");
seen.faultsOfCell = await page.$$eval(".fault", all => all.map(e => e.textContent));
await accessible(page, "with errors,");
expect(/Run them first/.test(await page.$eval(".cell:has(.fault) .said", e => e.textContent)) === (await page.$$eval(".cell.code:not(.setup)", all => all.findIndex(e => e.querySelector(".fault")) > 0)), "the page does not warn about cells above that have not run");
await page.keyboard.press("Escape");
await focused(page, ".run");
await activate(await page.$(".fault:nth-of-type(2) button"));
await focused(page, ".cm-editor");
await write(page, '%%\nfmt.Println("é",1+1)\nfmt.Fprintln(os.Stderr, "aside")\n');
await chord(page, "Control", "Enter");
await until(page, () => document.querySelector(".cm-content")?.textContent.includes('"é", 1'), "the formatted cell");
await until(page, () => !!document.querySelector(".cell:not(.setup)[data-mark=done]"), "the cell");
seen.printed = await page.$eval(".cell:not(.setup)[data-mark=done] .outputs", e => e.textContent);

// Cells are added, moved, deleted and restored; the notebook is stored.
await press(page, "+ Text");
await write(page, "## Mine\n\nA formula $\\frac{a}{b}$, and [a notebook](01-quickstart.ipynb#x).", ".cell:not(.code) .cm-editor");
await chord(page, "Control", "Enter");
await until(page, () => [...document.querySelectorAll("h2")].some(e => e.textContent === "Mine"), "the text");
expect(await page.$eval(".cell .katex", e => !!e) && await page.$('a[href="01-quickstart.html#x"]'), "no formula, or no link to the page");
await press(page, "Delete");
expect(await count(page) === cells && /deleted/.test(await notice(page)), "a cell is not deleted:", await count(page), await notice(page));
await press(page, "Undo");
await press(page, "↑");
const order = () => page.$$eval(".cell", all => all.map(e => e.querySelector("h2")?.textContent ?? e.dataset.cell).join());
const before = await order();
const mine = await page.$$eval(".cell", all => all.findIndex(e => e.querySelector("h2")?.textContent === "Mine"));
await until(page, `new Promise(done => indexedDB.open("mpcvm-notebooks").onsuccess = e => {
  const get = e.target.result.transaction("notebooks").objectStore("notebooks").getAll();
  get.onsuccess = () => done(!!get.result[0]?.cells[${mine}]?.source.startsWith("## Mine"));
})`, "keeping it where it is");
await pause();
await page.reload();
await ready(page);
expect(await order() === before && /your changes/.test(await notice(page)), "after a reload:", await order(), "not", before, await notice(page));
expect((await page.$$eval(".outputs", all => all.map(e => e.textContent).join(""))).includes("é 2"), "the outputs are not kept");
await accessible(page, "changed,");

// The saved file has the form of Jupyter, and opens as the reader's own notebook.
const nb = await page.evaluate(() => window.mpcvmNotebook.ipynb());
seen.file = nb;
await press(page, "Share");
await until(page, () => !!document.querySelector(".notice input"), "the link");
const link = await page.$eval(".notice input", e => e.value);
const other = await open(link.slice(address.length + 1), 400, "dark");
expect(await count(other) === nb.cells.length, "the link carries", await count(other), "cells of", nb.cells.length);
expect(!(await other.$(".cell[data-mark=done], .cell[data-mark=running]")), "a link ran something");
await accessible(other, "from a link, 400 px, dark,");
await other.close();
const drop = (page, name, text) => page.evaluate((name, text) => {
  const dataTransfer = new DataTransfer();
  dataTransfer.items.add(new File([text], name));
  document.dispatchEvent(new DragEvent("drop", { dataTransfer, bubbles: true }));
}, name, text);
await drop(page, "t.csv", "a,b\n1,x\n");
await until(page, () => /t\.csv/.test(document.querySelector(".files")?.textContent ?? ""), "the file");
await drop(page, "a.ipynb", "{");
await until(page, () => /not a notebook/.test(document.querySelector(".notice")?.textContent ?? ""), "the error");
await Promise.all([page.waitForNavigation(), drop(page, "mine.ipynb", JSON.stringify(nb))]);
await ready(page);
expect(await page.$eval("input.name", e => e.value) === "mine" && await count(page) === nb.cells.length, "the file does not open", page.url());
const again = await page.evaluate(() => window.mpcvmNotebook.ipynb());
seen.same = JSON.stringify(again.cells) === JSON.stringify(nb.cells);

// Two tabs do not silently overwrite each other's changes.
const twin = await open(page.url().slice(address.length + 1));
const change = async (page, text) => {
  await page.bringToFront();
  const place = await page.$(".cell.code:not(.setup) > pre.chroma, .cell.code:not(.setup) > .editor .cm-content");
  await place.click();
  await write(page, text);
};
await change(page, "// first");
await until(twin, () => /Another tab/.test(document.querySelector(".notice")?.textContent ?? ""), "the other tab's notice");
await change(twin, "// second");
await twin.waitForNetworkIdle();
await page.bringToFront();
await page.reload();
await ready(page);
expect((await page.$eval(".cell.code:not(.setup) > pre", e => e.textContent)).startsWith("// first"), "another tab overwrote it");
await twin.bringToFront();
await press(twin, "Keep this one");
await until(page, () => /Another tab/.test(document.querySelector(".notice")?.textContent ?? ""), "the first tab's notice");
await twin.close();

// A slider redraws its chart at each move, until Done.
page = await open("notebooks/new.html");
await page.click(".cell.code:not(.setup) > pre.chroma");
await write(page, `%%
err := nbhelpers.Slider{Name: "n", Values: []float64{1, 2, 3}}.Run(func(_ context.Context, v float64) (nbhelpers.Chart, error) {
	return nbhelpers.Lines([]nbhelpers.Series{{X: []float64{0, 1}, Y: []float64{0, v}}}, nbhelpers.LinesOptions{Title: fmt.Sprint("value ", v)}), nil
})
fmt.Println("ended", err)`);
await chord(page, "Control", "Enter");
const shows = text => until(page, `document.querySelector(".cell.code .outputs").textContent.includes(${JSON.stringify(text)})`, text);
await until(page, () => !!document.querySelector(".outputs input[type=range]"), "the slider");
await page.focus(".outputs input[type=range]");
await page.keyboard.press("ArrowRight");
await shows("value 2");
await page.keyboard.press("End");
await shows("value 3");
expect(await page.$(".outputs .mpcvm-chart svg"), "the chart is not live");
await accessible(page, "with a slider,");
await page.evaluate(() => [...document.querySelectorAll(".outputs button")].find(b => b.textContent === "Done").click());
await shows("ended <nil>");
expect(!await page.$(".outputs input[type=range]"), "the slider stays after Done");

// A hand-in contains what the checks printed, and a hash.
page = await open("notebooks/02-principle-and-prior.html");
await page.evaluate(() => {
  URL.createObjectURL = blob => (blob.text().then(text => (window.saved = text)), "data:,");
});
const exercise = '.cell[data-cell="4807e051"]';
await activate(await page.$(`${exercise} .run`));
await until(page, `document.querySelector('${exercise}').dataset.mark === "done"`, "the exercise");
await press(page, "Hand in");
expect(/^1 of 3 exercises/.test(await notice(page)), "one exercise is checked, but the page says", await notice(page));
await page.type(".notice input", "Ada");
await accessible(page, "handing in,");
await press(page, "Save the hand-in");
await until(page, () => !!window.saved, "the hand-in");
const handIn = JSON.parse(await page.evaluate(() => window.saved)), { by, checks } = handIn.metadata.hand_in;
const [[checked, { said, sha256 }], ...more] = Object.entries(checks);
const code = handIn.cells.find(c => c.id === checked).source.join("");
expect(by === "Ada" && !more.length && said.startsWith("not yet"), "the hand-in contains", JSON.stringify(handIn.metadata));
expect(sha256 === createHash("sha256").update(`${code}\0${said}`).digest("hex"), "the hash of the hand-in is", sha256);
await page.focus(`${exercise} > pre.chroma`);
await page.keyboard.press("Enter");
await focused(page, ".cm-editor");
await page.keyboard.sendCharacter("// changed");
await pause();
await press(page, "Hand in");
expect(/^0 of 3 exercises/.test(await notice(page)), "the exercise has changed, but the page says", await notice(page));

// The page also loads and runs offline.
page = await open("notebooks/solutions/02-principle-and-prior.html");
await press(page, "Reset");
await until(page, () => /have been removed/.test(document.querySelector(".notice")?.textContent ?? ""), "the reset");
await ready(page);
expect(await count(page) === cells, "after the reset:", await count(page), "cells");
allowed = /Failed to load|net::|fetch/;
await page.evaluate(() => fetch("/down"));
await page.reload();
await ready(page);
await page.focus(".cell.code:not(.setup) > pre.chroma");
await page.keyboard.press("Enter");
await write(page, '%%\nfmt.Println("offline")');
await chord(page, "Control", "Enter");
await until(page, () => !!document.querySelector(".cell:not(.setup):is([data-mark=done], [data-mark=failed])"), "the cell without a network");
seen.offline = await page.$eval(".cell:not(.setup)[data-mark] .outputs", e => e.textContent);
await browser.close();
process.stdout.write(JSON.stringify(seen));
