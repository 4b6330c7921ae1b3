// Attacks the site in a browser and goes through the first minute of “Your table”, and writes what it saw to standard output
// as JSON. Usage: node attacks.mjs chrome|firefox PROGRAM URL JOBS, where JOBS is a JSON file with a cell, a notebook and a table.
import { readFile } from "node:fs/promises";
import puppeteer from "puppeteer-core";

const [browserName, executablePath, address, jobs] = process.argv.slice(2);
const { cell, notebook, table } = JSON.parse(await readFile(jobs, "utf8"));
const browser = await puppeteer.launch({
  browser: browserName, executablePath, headless: true, protocolTimeout: 300_000, defaultViewport: null,
  args: browserName === "chrome" ? ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"] : ["--width=1280", "--height=980"],
});
const seen = { browser: await browser.version(), faults: [] };
let page;

/** until waits for a condition, which fails while the page changes. */
const until = async (condition, what, seconds = 240) => {
  for (const end = Date.now() + 1000 * seconds; Date.now() < end; await new Promise(done => setTimeout(done, 50))) {
    if (await page.evaluate(condition).catch(() => false)) return;
  }
  throw new Error(`${what} takes more than ${seconds} s; ${await page.evaluate(() => document.body.innerText.slice(0, 1500))}`);
};
const open = async (path, context = browser) => {
  page = await context.newPage();
  page.on("pageerror", e => /^(Content-Security-Policy|Firefox can.t establish|downloadable font)/.test(e.message) || seen.faults.push(e.message)); // Firefox reports what it blocks
  await page.goto(address + path);
};
const drop = (element, name, content) => page.evaluate((element, name, content) => {
  const dataTransfer = new DataTransfer();
  dataTransfer.items.add(new File([content], name));
  document.querySelector(element).dispatchEvent(new DragEvent("drop", { dataTransfer, bubbles: true, cancelable: true }));
}, element, name, content);
const press = text => page.evaluate(text => [...document.querySelectorAll("#main button")].find(b => b.textContent === text && b.checkVisibility()).click(), text);
const ready = () => !!(document.documentElement.dataset.ready && window.mpcvmNotebook);
const pause = ms => new Promise(done => setTimeout(done, ms));

try {
  await open("/notebooks/new.html");
  await until(ready, "the notebook");
  seen.cell = await page.evaluate(async source => {
    let text = "";
    const r = await window.mpcvmNotebook.kernel.run("a", source, { text: (_, t) => text += t, html() {}, update() {} });
    return r.status + "\n" + r.errors.map(e => e.text).join("\n") + text;
  }, cell);
  await page.close();

  await open("/notebooks/new.html");
  await until(ready, "the notebook");
  await drop("#main", "hostile.ipynb", notebook);
  await until(() => !!document.querySelector(".outputs h3") || [...document.querySelectorAll(".outputs iframe")].some(f => f.contentDocument?.querySelector("h3")), "the opened notebook");
  await press("Leave safe mode");
  await pause(3000);
  seen.over = await page.evaluate(() => {
    scrollTo(0, 0);
    return [[innerWidth / 2, 5], [30, 30], [innerWidth / 2, document.querySelector(".controls").getBoundingClientRect().y + 10]]
      .map(([x, y]) => document.elementFromPoint(x, y)).filter(e => e?.closest(".outputs")).map(e => e.outerHTML.slice(0, 100)).join();
  });
  await page.evaluate(() => {
    const all = [document, ...[...document.querySelectorAll(".outputs iframe")].map(f => f.contentDocument).filter(Boolean)];
    const inside = d => d.querySelectorAll(d === document ? ".outputs :is(a, area, button, svg a)" : "a, area, button, svg a");
    for (const e of all.flatMap(d => [...inside(d)])) e.dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true }));
  });
  await pause(2000);
  seen.at = new URL(page.url()).pathname;
  seen.outside = await page.evaluate(() => [...document.querySelectorAll("*")].filter(e => (e.mpcvm || e.mpcvmGive) && !e.closest(".outputs > .html")).map(e => e.outerHTML.slice(0, 100)).join() + (window.called ?? ""));
  await page.close();

  await open("/table/");
  await until(() => !!document.getElementById("drop"), "the page");
  const begin = Date.now();
  await drop("#main", "table.csv", table);
  await until(() => !!window.table?.found && !window.table.busy, "the look");
  seen.look = Date.now() - begin;
  await press("Learn");
  await until(() => !window.table.learn.map.element.hidden, "the map");
  await until(() => !!window.table.fitted || !window.table.fault.hidden, "the verdict");
  seen.verdict = Date.now() - begin;
  await until(() => !!document.querySelector("iframe.page")?.contentWindow.mpcvmReports?.length, "the report");
  seen.headline = await page.evaluate(() => document.querySelector("iframe.page").contentDocument.querySelector(".mpcvm-headline").textContent);
  await press("Share a link");
  await until(() => !window.table.report.shared.hidden && !window.table.busy, "the link");
  const link = await page.evaluate(() => window.table.report.link.value);
  seen.sent = await page.evaluate(() => document.querySelector(".sent").textContent);
  await page.close();
  await open(link.slice(address.length), await browser.createBrowserContext()); // a fresh profile
  await until(() => !!window.table?.fitted && !!document.querySelector("iframe.page")?.contentWindow.mpcvmReports?.length, "the shared model");
  seen.shared = await page.evaluate(() => document.querySelector("iframe.page").contentDocument.querySelector(".mpcvm-headline").textContent);
} catch (error) {
  seen.faults.push(String(error));
}
console.log(JSON.stringify(seen));
await browser.close();
