// The web worker with Go's compiler and linker. A request is {id, op, ...}; its answer {id, value}
// or {id, error}. Messages without an id tell what has been fetched: {got, total} in bytes.
import { unpacked } from "../fetch.js";
import { Files } from "./files.js";
import { run } from "./run.js";

/**
 * What scripts/site/toolchain.go writes. A package of the pack has its place there, [from, to]; any other has a file.
 * One without a name cannot be imported by cells.
 * @typedef {{file: string, bytes: number}} Packed
 * @typedef {{name?: string, imports?: string[], at?: [number, number], file?: string, bytes?: number}} Package
 * @typedef {{version: string, compose: Packed, compile: Packed, link: Packed, pack: Packed, data: Packed, dataFiles: [string, number, number][], packages: Record<string, Package>}} Manifest
 */

const folder = new URL("./go/", import.meta.url);

/** What a program needs that imports nothing. */
const always = ["runtime"];

/** What a program imports to read Excel files. */
const excel = "github.com/mpcvm/mpcvm/internal/workbook/excel";

/** What the tools have written to the standard streams. */
let said = "";
const decoder = new TextDecoder();
const files = new Files((_, bytes) => {
  said += decoder.decode(bytes);
});
files.folder("/tmp");

let got = 0, total = 0;

/** fetched gives a packed file, unpacked. @param {Packed} packed */
const fetched = ({ file }) => unpacked(new URL(file, folder), (bytes) => {
  got += bytes;
  self.postMessage({ got, total });
});

/** compiled fetches and compiles a program. @param {Packed} packed */
const compiled = async (packed) => WebAssembly.compileStreaming(await fetched(packed));

/** once calls f at the first call, and again after it has failed. @template T @param {() => Promise<T>} f */
const once = (f) => {
  /** @type {Promise<T> | null} */
  let value = null;
  return () => (value ??= f().catch((error) => {
    value = null;
    throw error;
  }));
};

const manifest = once(async () => /** @type {Promise<Manifest>} */ ((await fetch(new URL("manifest.json", folder), { cache: "no-cache" })).json()));

const compose = once(async () => {
  const m = await manifest(), go = new /** @type {any} */ (globalThis).Go();
  total += m.compose.bytes;
  new Files(() => {}).install();
  const instance = await WebAssembly.instantiate(await compiled(m.compose), go.importObject);
  void go.run(instance); // until the worker ends
  const names = Object.entries(m.packages).filter(([, p]) => p.name).map(([path, p]) => [path, p.name]);
  composer("packages", Object.fromEntries(names));
});

/** composer calls the composer of cells, internal/compose. @param {string} op @param {any} value */
function composer(op, value) {
  const answer = JSON.parse(/** @type {any} */ (globalThis).mpcvmCompose(op, JSON.stringify(value)));
  if (answer.error) {
    throw new Error(answer.error);
  }
  return answer.value;
}

const tools = once(async () => {
  const m = await manifest();
  total += m.compile.bytes + m.link.bytes + m.pack.bytes;
  const [compile, link, pack] = await Promise.all([compiled(m.compile), compiled(m.link), fetched(m.pack).then((r) => r.arrayBuffer())]);
  for (const [path, { at }] of Object.entries(m.packages)) {
    if (at) {
      place(path, new Uint8Array(pack, at[0], at[1] - at[0]));
    }
  }
  return { compile, link };
});

/** The packages that are there. @type {Set<string>} */
const here = new Set();

/** archive is the file of a package. @param {string} path */
const archive = (path) => `/go/${path}.a`;

/** place keeps the archive of a package. @param {string} path @param {Uint8Array} bytes */
function place(path, bytes) {
  files.put(archive(path), bytes, true);
  here.add(path);
}

/** complete fetches the packages that are missing of a program with these imports. @param {string[]} imports */
async function complete(imports) {
  const { packages } = await manifest();
  /** @type {Set<string>} */
  const seen = new Set();
  const missing = [];
  for (const todo = [...always, ...imports]; todo.length > 0;) {
    const path = /** @type {string} */ (todo.pop()), p = packages[path];
    if (!seen.has(path) && p) {
      seen.add(path);
      todo.push(...(p.imports ?? []));
      if (!here.has(path)) {
        missing.push({ path, packed: /** @type {Packed} */ (p) });
      }
    }
  }
  total += missing.reduce((sum, { packed }) => sum + packed.bytes, 0);
  await Promise.all(missing.map(async ({ path, packed }) => place(path, new Uint8Array(await (await fetched(packed)).arrayBuffer()))));
  files.put("/importcfg", new TextEncoder().encode([...seen].map((path) => `packagefile ${path}=${archive(path)}\n`).join("")));
}

/** call runs a tool and gives its status and what it said. @param {WebAssembly.Module} module @param {string[]} argv */
async function call(module, ...argv) {
  said = "";
  const start = performance.now(), status = await run(module, files, argv, { GOGC: "off" });
  return { status, said, seconds: (performance.now() - start) / 1000 };
}

/**
 * build compiles and links a program. Without bytes it did not compile, and `said` has the reason.
 * @param {{source: string, imports: string[], excel: boolean}} program excel: it may read Excel files
 * @param {(step: string) => void} step
 */
async function build(program, step) {
  const { compile, link } = await tools();
  await complete(program.excel ? [...program.imports, excel] : program.imports);
  const sources = { "/main.go": program.source, ...(program.excel && { "/excel.go": `package main\nimport _ "${excel}"\n` }) };
  for (const [name, text] of Object.entries(sources)) {
    files.put(name, new TextEncoder().encode(text));
  }
  step("compiling");
  const c = await call(compile, "compile", "-p", "main", "-complete", "-dwarf=false", "-pack", "-importcfg", "/importcfg", "-o", "/tmp/main.a", ...Object.keys(sources));
  if (c.status !== 0) {
    return { said: c.said, seconds: { compile: c.seconds, link: 0 } };
  }
  step("linking");
  const l = await call(link, "link", "-importcfg", "/importcfg", "-buildmode=exe", "-s", "-w", "-o", "/tmp/main.wasm", "/tmp/main.a");
  const seconds = { compile: c.seconds, link: l.seconds };
  if (l.status !== 0) {
    return { said: l.said, seconds };
  }
  return { bytes: files.content("/tmp/main.wasm"), seconds };
}

/** The operations. @type {Record<string, (request: any, step: (step: string) => void) => Promise<any>>} */
const operations = {
  about: async () => {
    const { version, compile, link, pack, compose, data, dataFiles } = await manifest();
    return { version, bytes: compose.bytes + compile.bytes + link.bytes + pack.bytes, data, dataFiles };
  },
  load: async () => {
    await Promise.all([compose(), tools()]);
  },
  compose: async ({ name, value }) => {
    await compose();
    return composer(name, value);
  },
  build: ({ program }, step) => build(program, step),
};

self.onmessage = async ({ data: { id, op, ...request } }) => {
  try {
    const value = await operations[op](request, (step) => self.postMessage({ step }));
    self.postMessage({ id, value }, { transfer: value?.bytes instanceof Uint8Array ? [value.bytes.buffer] : [] });
  } catch (error) {
    self.postMessage({ id, error: String(error) });
  }
};
