// Sends the requests of the tests to the engine and writes the answers to standard output.
// Usage: node engine.mjs QUESTIONS.json
import { readFile } from "node:fs/promises";
import { Engine } from "./engine.js";

const engine = new Engine(WebAssembly.compile(await readFile(new URL("./mpcvm.wasm", import.meta.url))));
const questions = JSON.parse(await readFile(process.argv[2], "utf8"));
const now = () => performance.now();
const answers = { fits: [], times: {} };

for (const { setup, points, at } of questions.fits) {
  const steps = [];
  const end = await engine.fit("a", setup, points, (s) => steps.push(...s));
  const middle = steps[steps.length >> 1].iteration;
  answers.fits.push({
    end,
    iterations: steps.map((s) => s.iteration),
    weights: steps.at(-1).weights,
    last: await engine.proba("a", 0, at),
    middle: await engine.proba("a", middle, at),
    explain: await engine.explain("a", 0, at[0]),
  });
}

const { setup, points, at } = questions.fits[0];
answers.preset = await engine.preset({ preset: "rings", seed: 3 });
answers.code = await engine.code(setup, points);
answers.error = await engine.fit("a", { ...setup, learner: "none" }, points).catch((error) => error.message);

await engine.fit("a", setup, points);
const f = await engine.field("a", 0, [-3, -3, 3, 3], 8, 4);
answers.field = { ...f, p: Array.from(f.p), proba: (await engine.proba("a", 0, [[-3 + 3 / 8, -3 + 3 / 4]])).p[0] };

// A cancelled fit and one that another takes the place of end within 100 ms each.
const slow = { ...setup, learner: "mpcvm1", maxIterations: 100000, theta: 20 };
for (const [name, big] of [["obedient", points], ["stubborn", questions.many]]) {
  await engine.proba("a", 0, at).catch(() => {});
  const fit = engine.fit("a", slow, big);
  await new Promise((done) => setTimeout(done, 150));
  const from = now();
  await engine.cancel("a");
  const end = await fit;
  answers.times[name] = now() - from;
  answers[name] = end.status;
}
const first = engine.fit("a", slow, questions.many);
await new Promise((done) => setTimeout(done, 50));
answers.second = (await engine.fit("a", setup, points)).status;
answers.first = (await first).status;

engine.close();
process.stdout.write(JSON.stringify(answers));
