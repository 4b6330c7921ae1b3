// The worker with Go's compiler and linker. A request is {id, op, ...}; its answer is {id, value} or {id, error}. The worker
// has no network access: it requests a file from the page by {want} and receives {file, bytes} or {file, error}.
import { unpacked } from "../unpack.js";
import { restore } from "./archive.js";
import { Files } from "./files.js";
import { run } from "./run.js";

/**
 * The manifest that site/build/toolchain.go writes. A package in the pack has its position there, [from, to]; any other has
 * a file. Cells can only import packages with a name.
 * @typedef {{file: string, bytes: number}} Packed
 * @typedef {{name?: string, imports?: string[], at?: [number, number], file?: string, bytes?: number}} Package
 * @typedef {{version: string, compose: Packed, compile: Packed, link: Packed, pack: Packed, docs: Packed, data: Packed, dataFiles: [string, number, number][], packages: Record<string, Package>, blocks: [number, number, number][]}} Manifest
 */

/** The port to the page, from the first message. @type {MessagePort} */
let page;

/** Packages that every program needs. */
const always = ["runtime"];

/** The package that a program imports to read Excel files. */
const excel = "github.com/mpcvm/mpcvm/tables/internal/workbook/excel";

/** The output of the tools to the standard streams. */
let said = "";
const decoder = new TextDecoder();
const files = new Files((_, bytes) => {
  said += decoder.decode(bytes);
});
files.folder("/tmp");

/** The files requested from the page. @type {Map<string, {resolve: (bytes: ArrayBuffer) => void, reject: (error: Error) => void}>} */
const wanted = new Map();

/** fetched fetches and unpacks a file. @param {Packed} packed */
const fetched = async ({ file }) => unpacked(await new Promise((resolve, reject) => {
  wanted.set(file, { resolve, reject });
  page.postMessage({ want: file });
}));

/** compiled fetches and compiles a program. @param {Packed} packed */
const compiled = async (packed) => WebAssembly.compileStreaming(await fetched(packed));

/** once returns a function that calls f once, and again only after a failure. @template T @param {() => Promise<T>} f */
const once = (f) => {
  /** @type {Promise<T> | null} */
  let value = null;
  return () => (value ??= f().catch((error) => {
    value = null;
    throw error;
  }));
};

/** @type {Manifest} */
let manifest;

const compose = once(async () => {
  const m = manifest, go = new /** @type {any} */ (globalThis).Go();
  new Files(() => {}).install();
  const instance = await WebAssembly.instantiate(await compiled(m.compose), go.importObject);
  void go.run(instance); // until the worker ends
  const names = Object.entries(m.packages).filter(([, p]) => p.name).map(([path, p]) => [path, p.name]);
  composer("packages", Object.fromEntries(names));
});

/** @type {any} */ (globalThis).mpcvmArchive = (/** @type {string} */ path) => here.has(path) ? files.content(archive(path)) : null; // for the composer

/** composer calls the composer of cells, internal/compose. @param {string} op @param {any} value */
function composer(op, value) {
  const answer = JSON.parse(/** @type {any} */ (globalThis).mpcvmCompose(op, JSON.stringify(value)));
  if (answer.error) {
    throw new Error(answer.error);
  }
  return answer.value;
}

const tools = once(async () => {
  const m = manifest;
  const [compile, link, pack] = await Promise.all([compiled(m.compile), compiled(m.link), fetched(m.pack).then((r) => r.arrayBuffer())]);
  for (const [path, { at }] of Object.entries(m.packages)) {
    if (at) {
      place(path, new Uint8Array(pack, at[0], at[1] - at[0]));
    }
  }
  return { compile, link };
});

/** The packages fetched so far. @type {Set<string>} */
const here = new Set();

/** archive returns the file name of a package. @param {string} path */
const archive = (path) => `/go/${path}.a`;

/** place stores the archive of a package. @param {string} path @param {Uint8Array} bytes */
function place(path, bytes) {
  restore(bytes, manifest.blocks);
  files.put(archive(path), bytes, true);
  here.add(path);
}

/** complete fetches the missing packages of a program with these imports. @param {string[]} imports */
async function complete(imports) {
  const { packages } = manifest;
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
  await Promise.all(missing.map(async ({ path, packed }) => place(path, new Uint8Array(await (await fetched(packed)).arrayBuffer()))));
  files.put("/importcfg", new TextEncoder().encode([...seen].map((path) => `packagefile ${path}=${archive(path)}\n`).join("")));
}

/** call runs a tool and returns its exit status, output and duration. @param {WebAssembly.Module} module @param {string[]} argv */
async function call(module, ...argv) {
  said = "";
  const start = performance.now(), status = await run(module, files, argv, { GOGC: "off" });
  return { status, said, seconds: (performance.now() - start) / 1000 };
}

/**
 * build compiles and links a program. If that fails, the result has no bytes, and `said` contains the errors.
 * @param {{source: string, imports: string[], excel: boolean}} program excel reports whether it may read Excel files
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
  load: async () => {
    await Promise.all([compose(), tools()]);
  },
  compose: async ({ name, value }) => {
    await compose();
    return composer(name, value);
  },
  items: async ({ state, cell, sources }) => {
    await Promise.all([compose(), tools()]);
    for (const source of sources) {
      const program = composer("compose", { state, cell, source });
      if (!program.errors) {
        await complete(program.imports);
        const items = composer("items", program.source);
        if (items?.length) {
          return items;
        }
      }
    }
    return [];
  },
  build: ({ program }, step) => build(program, step),
};

/** answer handles a request of the page. @param {any} request */
async function answer({ id, op, ...request }) {
  try {
    const value = await operations[op](request, (step) => page.postMessage({ step }));
    page.postMessage({ id, value }, value?.bytes instanceof Uint8Array ? [value.bytes.buffer] : []);
  } catch (error) {
    page.postMessage({ id, error: String(error) });
  }
}

self.onmessage = ({ ports: [port] }) => {
  page = port;
  page.onmessage = ({ data }) => {
    if (data.manifest) {
      manifest = data.manifest;
    } else if (data.file) {
      const asked = wanted.get(data.file);
      wanted.delete(data.file);
      data.bytes ? asked?.resolve(data.bytes) : asked?.reject(new Error(data.error));
    } else {
      void answer(data);
    }
  };
};
