// Uses the playground in a browser as a learner does, and writes what it saw to standard output as JSON: answers to
// questions about models, times in ms, faults. Usage: node playground.mjs chrome|firefox PROGRAM URL QUESTIONS PICTURES
import { readFile } from "node:fs/promises";
import axe from "axe-core";
import puppeteer from "puppeteer-core";

const [browserName, executablePath, address, questions, pictures] = process.argv.slice(2);
const { fits } = JSON.parse(await readFile(questions, "utf8"));
const chrome = browserName === "chrome";
const seen = { browser: "", answers: [], times: {}, frames: {}, lessons: [], faults: [] };
const fault = (...text) => seen.faults.push(text.join(" "));
const expect = (ok, ...text) => ok || fault(...text);

const browser = await puppeteer.launch({
  browser: browserName, executablePath, headless: true, defaultViewport: null,
  args: chrome ? ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"] : ["--width=1280", "--height=980"],
});
seen.browser = await browser.version();

/** until waits for a condition. Puppeteer's waitForFunction would be stopped by the page's policy in Firefox. */
const until = async (page, condition, what, seconds = 60) => {
  for (const end = Date.now() + 1000 * seconds; Date.now() < end; await new Promise(done => setTimeout(done, 50))) {
    if (await page.evaluate(condition)) return;
  }
  fault(what, "takes more than", seconds, "s");
};

/** open opens the page and waits until it has drawn its first model. */
const open = async (hash = "", width = 1280, scheme = "light") => {
  const page = await browser.newPage();
  page.on("console", m => fault("console:", m.text()));
  page.on("pageerror", e => fault("exception:", e.message));
  page.on("request", r => /^(data|blob):/.test(r.url()) || r.url().startsWith(address) || fault("request to", r.url()));
  if (chrome) { // Firefox 140 cannot yet
    await page.setViewport({ width, height: 900 });
    await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
  }
  await page.goto(address + "/playground/" + hash);
  await until(page, () => !!(document.documentElement.dataset.ready && window.playground), "the first model");
  await page.evaluate(() => window.playground.idle());
  return page;
};
const idle = page => page.evaluate(() => window.playground.idle());
const shot = (page, name) => pictures && page.screenshot({ path: `${pictures}/${name}-${browserName}.png` });
const text = (page, selector) => page.$eval(selector, e => e.textContent ?? "");

let page = await open();
seen.times.firstModel = await page.evaluate(() => +document.documentElement.dataset.ready);
await shot(page, "playground");

// Every learner on every preset.
seen.answers = await page.evaluate(async fits => {
  const { engine } = window.playground, answers = [];
  for (const { setup, points, at } of fits) {
    const { status, iterations } = await engine.fit("b", setup, points);
    answers.push({ status, iterations, ...await engine.proba("b", 0, at) });
  }
  return answers;
}, fits);

// A fit is cancelled.
seen.times.cancel = await page.evaluate(async ({ setup, points }) => {
  const { engine } = window.playground;
  const many = Array.from({ length: 6 }, (_, k) => points.map(([x, y, c]) => [x + k / 100, y - k / 100, c])).flat();
  const fit = engine.fit("b", { ...setup, learner: "mpcvm1", theta: 20, maxIterations: 100000 }, many);
  await new Promise(done => setTimeout(done, 200));
  const start = performance.now();
  await engine.cancel("b");
  const { status } = await fit;
  return status === "cancelled" ? performance.now() - start : -1;
}, fits[0]);

// First iteration, steps forth and back, play.
const shown = async () => (await text(page, "#iteration-text")).match(/\d+/)?.[0];
const weights = () => page.evaluate(() => Array.from(window.playground.slots.a.now.flat).join());
const click = async id => {
  await page.click("#" + id);
  await idle(page);
};
await click("first");
expect(await shown() === "1", "the first iteration is", await shown());
await click("forth");
const second = await weights();
await click("forth");
expect(await shown() === "3" && await weights() !== second, "after two steps forth: iteration", await shown());
await click("back");
expect(await shown() === "2" && await weights() === second, "after a step back: iteration", await shown());
await click("play");
await until(page, () => document.getElementById("play").getAttribute("aria-label") === "Play", "playing");
await idle(page);
const last = await page.evaluate(() => String(window.playground.slots.a.last));
expect(await shown() === last, "play ended at", await shown(), "of", last);

// A point is dragged. Frames and long tasks are counted on the way.
const drag = async count => {
  await page.evaluate(async n => {
    const { state } = window.playground, points = Array.from({ length: n }, (_, i) => {
      const a = i * 2.399963, r = 2.6 * Math.sqrt((i + .5) / n); // a sunflower in three sectors
      return [+(r * Math.cos(a)).toFixed(3), +(r * Math.sin(a)).toFixed(3), Math.floor(((a / (2 * Math.PI)) % 1) * 3)];
    });
    state.set({ points, source: null, box: [-3.5, -3.5, 3.5, 3.5], step: 0 });
  }, count);
  await idle(page);
  const before = await page.evaluate(() => JSON.stringify(window.playground.state.now.points[7]));
  const [x, y] = await page.evaluate(() => {
    const r = window.playground.slots.a.plane.layers.points.children[7].getBoundingClientRect();
    return [r.x + r.width / 2, r.y + r.height / 2];
  });
  await page.evaluate(() => {
    window.seenFrames = [];
    let then = performance.now();
    const frame = now => {
      window.seenFrames.push(now - then);
      then = now;
      window.frameId = requestAnimationFrame(frame);
    };
    window.frameId = requestAnimationFrame(frame);
    window.seenTasks = [];
    try {
      window.seenBy = new PerformanceObserver(l => l.getEntries().forEach(e => window.seenTasks.push(e.duration)));
      window.seenBy.observe({ type: "longtask" });
    } catch { /* Firefox has no such entries */ }
  });
  await page.mouse.move(x, y);
  await page.mouse.down();
  for (let i = 1; i <= 40; i++) {
    await page.mouse.move(x + 60 * Math.sin(i / 6), y - i);
    await new Promise(done => setTimeout(done, 16));
  }
  const follows = await page.evaluate(async () => {
    const start = performance.now(), { a } = window.playground.slots;
    while (a.work.size) await Promise.allSettled([...a.work]);
    return performance.now() - start;
  });
  await page.mouse.up();
  await idle(page);
  const result = await page.evaluate(() => {
    cancelAnimationFrame(window.frameId);
    window.seenBy?.disconnect();
    const f = window.seenFrames.sort((a, b) => a - b);
    return { median: f[f.length >> 1], worst: f[f.length - 1], frames: f.length, longest: Math.max(0, ...window.seenTasks) };
  });
  const after = await page.evaluate(() => JSON.stringify(window.playground.state.now.points[7]));
  expect(after !== before, "the point stays at", before);
  seen.frames[count] = { ...result, follows };
  await click("undo");
  expect(await page.evaluate(() => JSON.stringify(window.playground.state.now.points[7])) === before, "undo leaves the point where it was dragged");
};
await drag(200);
await drag(500);

// The keyboard adds a point where the cursor is and removes it.
const count = () => page.evaluate(() => window.playground.state.now.points.length);
const some = await count();
await page.focus("#slot-a .pad");
for (const key of ["ArrowRight", "ArrowUp", "Enter"]) await page.keyboard.press(key);
await idle(page);
expect(await count() === some + 1, "Enter adds", await count() - some, "points");
await click("undo");

// A file is read in the page, and its columns can be chosen.
await (await page.$("#file")).uploadFile("data/penguins.csv");
await until(page, () => window.playground.state.now.names.classes.length === 3, "reading a file");
await idle(page);
expect(await count() > 300, "the file has", await count(), "points");
const axes = () => page.evaluate(() => window.playground.state.now.names.axes);
expect((await axes())[0] === "first principal axis (standardised)", "the axes are", await axes());
await page.select("#table-horizontal", "Flipper Length (mm)");
await until(page, () => window.playground.state.now.names.axes[0] === "Flipper Length (mm) (standardised)", "another axis");
await idle(page);
await shot(page, "file");

// A link restores the state, and the model to the last bit.
const link = await page.evaluate(async () => {
  const { state, idle } = window.playground;
  state.set({ a: { ...state.now.a, learner: "mpcvm1", theta: .7 }, b: { ...state.now.a, learner: "svm" }, step: 5 });
  await idle();
  state.keep();
  return "#" + state.last;
});
const whole = p => p.evaluate(async () => {
  const { state, slots, idle } = window.playground;
  await idle();
  return JSON.stringify([state.now, Array.from(slots.a.now.flat), slots.a.now.bias, Array.from(slots.b.now.flat)]);
});
const first = await whole(page), other = await open(link);
expect(await whole(other) === first, "the link restores another state");
await shot(other, "two");
await other.close();

// The lessons from the first step to the last, as a reader who lets the page make the moves.
await page.evaluate(() => void window.playground.lessons.enter(0, 0));
for (let more = true; more;) {
  await until(page, () => document.getElementById("lesson").dataset.ready === "true", "a step of a lesson");
  const where = (await text(page, "#lesson h2")) + ", " + (await text(page, "#lesson .where"));
  if (/Step 1 /.test(where)) await shot(page, "lesson-" + where.match(/\d/)[0]);
  await page.click("#lesson [data-answer]");
  const self = await page.$("#lesson [data-self]");
  if (self) await self.click();
  await until(page, () => !!document.getElementById("lesson").dataset.holds, where);
  await idle(page);
  const holds = await page.$eval("#lesson", e => e.dataset.holds);
  expect(holds === "true", where, "does not hold:", await text(page, "#lesson .outcome"));
  seen.lessons.push(where);
  if (/Step 5 /.test(where)) await shot(page, "lesson-" + where.match(/\d/)[0] + "-end");
  more = await text(page, "#lesson .next") !== "End";
  await page.click("#lesson .next");
}
expect(await page.$eval("#lesson", e => e.hidden), "the last lesson does not end");

// Accessible, also narrow and dark.
for (const [width, scheme] of chrome ? [[1280, "light"], [360, "dark"]] : [[1280, "light"]]) {
  const p = await open("", width, scheme);
  await p.evaluate(axe.source); // not subject to the page's policy
  const { violations } = await p.evaluate(() => window.axe.run());
  for (const v of violations) fault(`axe, ${width} px, ${scheme}: ${v.id}: ${v.nodes[0].html}`);
  expect(await p.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${width} px: the page is wider than the window`);
  await shot(p, `playground-${width}`);
  await p.close();
}
await browser.close();
process.stdout.write(JSON.stringify(seen));
