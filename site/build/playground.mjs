// Uses the playground in a browser like a reader, and writes the results to standard output as JSON: answers to
// questions about models, times in ms, faults. Usage: node playground.mjs chrome|firefox PROGRAM URL QUESTIONS PICTURES
import { readFile } from "node:fs/promises";
import axe from "axe-core";
import puppeteer from "puppeteer-core";

const [browserName, executablePath, address, questions, pictures] = process.argv.slice(2);
const { fits } = JSON.parse(await readFile(questions, "utf8"));
const chrome = browserName === "chrome";
const seen = { browser: "", answers: [], times: {}, frames: {}, lessons: [], faults: [] };
const fault = (...text) => seen.faults.push(text.join(" "));
process.on("exit", code => code && console.error("faults until then:", seen.faults));
const expect = (ok, ...text) => ok || fault(...text);

const browser = await puppeteer.launch({
  browser: browserName, executablePath, headless: true, protocolTimeout: 300_000, defaultViewport: null,
  args: chrome ? ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"] : ["--width=1280", "--height=980"],
});
seen.browser = await browser.version();

/** until waits for a condition. Puppeteer's waitForFunction would be stopped by the page's policy in Firefox. */
const until = async (page, condition, what, seconds = 300) => {
  for (const end = Date.now() + 1000 * seconds; Date.now() < end; await new Promise(done => setTimeout(done, 50))) {
    if (await page.evaluate(condition)) return;
  }
  throw new Error(`${what} takes more than ${seconds} s`);
};

/** open opens the page and waits until it has drawn its first model. */
const open = async (hash = "", width = 1280, scheme = "light", finger = false) => {
  const page = await browser.newPage();
  page.on("console", m => fault("console:", m.text()));
  page.on("error", e => { // the page crashed and no longer answers
    console.error("the page crashed:", e.message);
    process.exit(1);
  });
  page.on("pageerror", e => fault("exception:", e.message));
  page.on("request", r => /^(data|blob):/.test(r.url()) || r.url().startsWith(address) || fault("request to", r.url()));
  if (chrome) { // Firefox 140 cannot yet
    await page.setViewport({ width, height: 900, hasTouch: finger, isMobile: finger });
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
    const { terms } = await engine.explain("b", 0, at[0]);
    answers.push({ status, iterations, terms, ...await engine.proba("b", 0, at) });
  }
  return answers;
}, fits);

// Cancelling a fit.
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

// First iteration, steps forward and back, play.
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
expect(await shown() === "3" && await weights() !== second, "after two steps forward: iteration", await shown());
await click("back");
expect(await shown() === "2" && await weights() === second, "after a step back: iteration", await shown());
await click("play");
await until(page, () => document.getElementById("play").getAttribute("aria-label") === "Play", "playing");
await idle(page);
const last = await page.evaluate(() => String(window.playground.slots.a.last));
expect(await shown() === last, "play ended at", await shown(), "of", last);

// While a learner is training, the page reports it at once and does not show the last model as current. "Remove all"
// removes everything.
const facts = () => page.evaluate(() => {
  const part = s => document.querySelector("#slot-a " + s), row = n => [...part(".facts").querySelectorAll("tr")][n]?.textContent ?? "";
  return { title: part("h2").textContent, state: part(".state").textContent, own: row(0), other: row(1), text: part(".facts").textContent,
    charts: part(".charts").offsetHeight > 0, iterations: document.getElementById("iteration-text").textContent };
});
await page.evaluate(({ points }) => {
  const { state } = window.playground;
  const many = Array.from({ length: 6 }, (_, k) => points.map(([x, y, c]) => [x + k / 100, y - k / 100, c])).flat();
  state.set({ points: many, source: null, a: { ...state.now.a, learner: "mpcvm1", theta: 0 } });
}, fits[0]);
let now = await facts();
expect(now.title === "mPCVM₁, top-down · RBF" && now.state === "learning …" && now.iterations === "no iterations", "while it learns:", JSON.stringify(now));
await until(page, () => getComputedStyle(document.querySelector("#slot-a .facts")).visibility === "hidden"
  && ["canvas", ".charts"].every(s => +getComputedStyle(document.querySelector("#slot-a " + s)).opacity < .5), "dimming");
await shot(page, "learning");
await page.click("#clear");
now = await facts();
expect(/Add points/.test(now.text) && !now.state && !now.own && !now.charts && now.iterations === "no iterations", "without points:", JSON.stringify(now));
await idle(page);
expect(JSON.stringify(await facts()) === JSON.stringify(now), "without points, later:", JSON.stringify(await facts()));

// The errors on new points are shown next to the errors on the training points.
const shares = async (preset, fields) => {
  await page.click(`[data-preset="${preset}"]`);
  await until(page, `window.playground.state.now.source?.preset === "${preset}"`, preset);
  await page.evaluate(f => {
    const { state } = window.playground;
    state.set({ a: { ...state.now.a, learner: "kernel-prior", kernel: "rbf", theta: 20, scale: 100, ...f } });
  }, fields);
  await idle(page);
  const { own, other } = await facts(), share = t => +(t.match(/([\d.]+) % wrong/)?.[1] ?? NaN);
  return [own, other, share(own), share(other)];
};
let [own, unseen, share, unseenShare] = await shares("noise", {});
expect(/^These points/.test(own) && /^New points/.test(unseen) && share < 10 && unseenShare > 55, "noise:", own, unseen);
await click("first");
await click("final");
expect((await facts()).other === unseen, "after the first iteration and back:", (await facts()).other);
[own, unseen, share, unseenShare] = await shares("petals", { theta: 1 });
expect(/^Held-out fifth/.test(unseen) && unseenShare < 25 && /of 30/.test(unseen), "petals:", own, unseen);
await page.evaluate(() => {
  const { state } = window.playground;
  state.set({ points: state.now.points.filter((_, i) => i % 10 === 0), source: null });
});
await idle(page);
expect(/too few/.test((await facts()).other), "fifteen points:", (await facts()).other);

// Dragging a point, while counting frames and long tasks.
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
  await page.evaluate(() => { // the states shown during the drag
    const part = document.querySelector("#slot-a .state");
    window.saidStates = new Set();
    window.saidBy = new MutationObserver(() => window.saidStates.add(part.textContent.replace(/\d+/g, "N")));
    window.saidBy.observe(part, { childList: true, characterData: true, subtree: true });
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
    window.saidBy.disconnect();
    const f = window.seenFrames.sort((a, b) => a - b);
    return { median: f[f.length >> 1], worst: f[f.length - 1], frames: f.length, longest: Math.max(0, ...window.seenTasks), said: [...window.saidStates] };
  });
  for (const said of result.said) expect(!/observer/.test(said), "while a point is dragged:", said);
  delete result.said;
  const after = await page.evaluate(() => JSON.stringify(window.playground.state.now.points[7]));
  expect(after !== before, "the point stays at", before);
  seen.frames[count] = { ...result, follows };
  await click("undo");
  expect(await page.evaluate(() => JSON.stringify(window.playground.state.now.points[7])) === before, "undo leaves the point where it was dragged");
};
await drag(200);
await drag(500);

// The keyboard adds a point at the cursor and removes it.
const count = () => page.evaluate(() => window.playground.state.now.points.length);
const some = await count();
await page.focus("#slot-a .pad");
for (const key of ["ArrowRight", "ArrowUp", "Enter"]) await page.keyboard.press(key);
await idle(page);
expect(await count() === some + 1, "Enter adds", await count() - some, "points");
await click("undo");

// A model file has the classes of the points.
const exported = async () => {
  await page.evaluate(() => document.getElementById("show-model").click());
  await until(page, () => document.getElementById("text-dialog").open, "the model's file");
  const model = await page.evaluate(() => document.getElementById("text").textContent);
  await page.evaluate(() => document.getElementById("text-close").click());
  return JSON.parse(model);
};
await page.evaluate(() => {
  const { state } = window.playground;
  state.set({ a: { ...state.now.a, learner: "mpcvm2", theta: 1 } });
});
await idle(page);
const model = await exported();
expect(model.classes?.[0] === "0", "the model's file:", JSON.stringify(model).slice(0, 300));

// A link of an earlier version, whose points come from a table, still opens.
const [old, restored] = await page.evaluate(() => {
  const { state } = window.playground, restored = state.last;
  state.set({ names: { ...state.now.names, from: null } });
  const old = state.last;
  state.load(restored);
  return [old, restored];
});
await page.evaluate(link => void (location.hash = link), old);
await until(page, () => /come from a table/.test(document.getElementById("said").textContent), "the message about points from a table");
await page.evaluate(link => window.playground.state.load(link), restored);
await idle(page);

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
// The planes of two learners are level, even if a heading has two lines.
const tops = await other.evaluate(() => {
  document.querySelector("#slot-b h2").textContent += " and a heading that is far too long for a line of this card";
  document.querySelector("#slot-b .facts").append(document.createElement("p"));
  return [...document.querySelectorAll(".pad")].map(e => e.getBoundingClientRect()).map(r => [r.top, r.height]);
});
expect(String(tops[0]) === String(tops[1]) && tops[0][1] > 200, "the planes are not side by side:", JSON.stringify(tops));
await other.close();

// The lessons from the first step to the last, with the moves made by the page.
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

// The answer sheet, a "?", another number of points, noise, the hidden variables of a point, and the class view.
await page.evaluate(() => document.getElementById("sheet").click());
expect(/^\d+ of \d+ right\.$/m.test(await text(page, "#text")) && (await text(page, "#text")).includes("Lesson 7"), "the sheet:", (await text(page, "#text")).slice(-200));
await page.click("#text-close");
await page.click('[data-preset="moons"]');
await until(page, () => window.playground.state.now.source?.preset === "moons", "moons");
for (const [option, value, holds] of [["count", "3", () => window.playground.state.now.points.length === 40], ["noise", "6", () => window.playground.state.now.source.noise === .4]]) {
  await page.$eval("#option-" + option, (e, value) => {
    e.value = value;
    e.dispatchEvent(new Event("change"));
  }, value);
  await until(page, holds, option);
}
await idle(page);
await page.evaluate(() => window.playground.slots.a.ask([0, 0]));
await idle(page);
const label = await page.$eval("#slot-a .posterior .chart", e => e.getAttribute("aria-label"));
expect(/^Point \d+ of class \d: of class 1 y = .* and z̄ = /.test(label ?? ""), "the hidden variables:", label);
seen.means = await page.evaluate(async () => (await import("./charts.js")).hiddenOf([0, 1.5, -.5], 0).mean);
expect(await page.$eval("#slot-a .precisions", e => !e.hidden) && await page.$$eval("#slot-a .equations .lit", all => all.length > 1), "no precisions, or no lit equation");
const asks = await page.$$(".help");
for (const help of asks) {
  if (!await help.isVisible()) continue;
  await help.evaluate(e => e.click());
  expect(await help.evaluate(e => (document.getElementById(e.getAttribute("popovertarget"))?.textContent ?? "").length > 20), "an empty help");
}
await page.keyboard.press("Escape");
await page.click("#class-view");
expect(await page.$eval("html", e => parseFloat(getComputedStyle(e).fontSize)) > 18, "the class view is not larger");
await page.evaluate(() => document.fullscreenElement && document.exitFullscreen());
await until(page, () => {
  document.documentElement.classList.contains("large") && !document.fullscreenElement && document.getElementById("class-view").click();
  return !document.documentElement.classList.contains("large");
}, "leaving the class view");

// On a touch screen, a swipe over the plane scrolls, a tap asks, and a long press draws, as does a swipe with a drawing tool.
if (chrome) {
  page = await open("", 400, "light", true);
  const points = () => page.evaluate(() => JSON.stringify(window.playground.state.now.points));
  const asked = () => page.evaluate(() => window.playground.slots.a.asked);
  const place = async (u, v) => {
    const r = await page.evaluate(() => document.querySelector("#slot-a .pad").getBoundingClientRect().toJSON());
    return [r.x + u * r.width, r.y + v * r.height];
  };
  const swipe = async (x, y, dx, dy) => {
    await page.touchscreen.touchStart(x, y);
    for (let i = 1; i <= 10; i++) await page.touchscreen.touchMove(x + dx * i / 10, y + dy * i / 10);
    await page.touchscreen.touchEnd();
    await idle(page);
  };
  const first = await points();
  await page.evaluate(() => addEventListener("scrollend", () => window.scrolled = true, { once: true }));
  await swipe(...await place(.6, .8), 0, -200);
  await until(page, () => window.scrolled && scrollY > 100, "scrolling by a finger");
  expect(await points() === first && await asked() === null, "a swipe changes a point, or asks");
  await page.evaluate(() => scrollTo(0, 0));
  await until(page, () => scrollY === 0, "scrolling back");
  await page.touchscreen.tap(...await place(.6, .8));
  await until(page, () => !!window.playground.slots.a.asked, "a tap");
  await idle(page);
  expect(await points() === first, "a tap changes a point");
  await shot(page, "finger");
  const count = JSON.parse(first).length, [x, y] = await place(.97, .03);
  const grown = `window.playground.state.now.points.length > ${count}`;
  await page.touchscreen.touchStart(x - 15, y + 15);
  await until(page, grown, "a long press");
  await page.touchscreen.touchMove(x - 15, y + 35);
  await page.touchscreen.touchMove(x - 15, y + 95);
  await page.touchscreen.touchEnd();
  await idle(page);
  const added = await page.evaluate(n => window.playground.state.now.points.slice(n), count);
  expect(added.length === 1 && added[0][1] < 2.5 && await page.evaluate(() => scrollY) === 0, "a long press adds and moves", JSON.stringify(added));
  await page.evaluate(() => document.querySelector("[data-tool=draw]").click());
  await swipe(...await place(.2, .05), 0, 60);
  expect(JSON.parse(await points()).length === count + 2 && await page.evaluate(() => scrollY) === 0, "with the tool of points a swipe does not draw");
  await page.close();
}

// Accessibility, also in narrow windows and dark mode.
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
