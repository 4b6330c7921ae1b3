// The kernel of a notebook in the page: it runs Go cells. Only this module uses the workers: tools.js compiles and links,
// program.js runs the program of one cell. Both run in sandboxes, and the page fetches the files that they need. Messages
// from a program are untrusted.
import { fetched } from "../fetch.js";
import { programs } from "./programs.js";
import { Sandbox } from "../sandbox.js";
import { unpacked } from "../unpack.js";

/**
 * @typedef {{cell: string, line: number, column: number, text: string}} CellError
 * @typedef {{text(stream: "stdout" | "stderr", text: string): void, html(html: string): void, update(id: string, html: string): void}} Output
 * @typedef {{status: "ok" | "error" | "stopped", errors: CellError[], notes: string[], seconds: {compile: number, link: number, run: number}}} Result
 * @typedef {"empty" | "loading" | "idle" | "compiling" | "linking" | "running"} State
 */

/** The folder of the Go compiler and the packages. */
const folder = new URL("./go/", import.meta.url);

/** @type {Promise<import("./tools.js").Manifest> | null} */
let listed = null;

/** manifest returns the list of files that can be fetched. */
const manifest = () => (listed ??= fetch(new URL("manifest.json", folder), { cache: "no-cache" }).then((response) => response.json()).catch((error) => {
  listed = null;
  throw error;
}));

/** The folder in which programs see the repository. */
const repository = "/mpcvm/";

/** Matches the lines of standard error that begin a stack trace. */
const trace = /^(panic:|fatal error:|SIG[A-Z]+:|goroutine \d+ )/m;

/** @typedef {import("../sandbox.js").SandboxWorker} SandboxWorker */

/** A file that the page keeps; own reports whether the reader added it. @typedef {{bytes: Uint8Array, own: boolean}} Kept */

/** Kernel has the events "state", "progress" (detail {got, total} in bytes) and "files". */
export class Kernel extends EventTarget {
  /** @param {string} [folder] of the notebook in the repository: the working directory of its programs */
  constructor(folder = "notebooks") {
    super();
    const cwd = this.cwd = repository + folder;
    this.env = { GONB_DIR: cwd, GONB_TMP_DIR: cwd, HOME: cwd, TMPDIR: "/tmp", PWD: cwd };
    /** @type {State} */
    this.state = "empty";
    this.interactive = true;
    /** The state of the composer after the cells that ran. @type {any} */
    this.declared = null;
    /** @type {Map<string, Kept>} */
    this.kept = new Map();
    /** @type {Map<number, {resolve: (value: any) => void, reject: (error: Error) => void}>} */
    this.asked = new Map();
    this.last = 0;
    this.got = this.total = 0;
    /** numbers returns the number of each cell for use in stack traces. @type {() => Record<string, string> | null} */
    this.numbers = () => null;
    this.compilers = new Sandbox(new URL("./tools.js", import.meta.url));
    this.programs = new Sandbox(new URL("./program.js", import.meta.url));
    /** @type {SandboxWorker | null} */
    this.tools = null;
    /** The worker of the next program, started in advance. @type {SandboxWorker | null} */
    this.next = null;
    /** The packed data files for programs. @type {Promise<ArrayBuffer> | null} */
    this.pack = null;
    /** What the documentation of each name of a package begins with. @type {Promise<Record<string, Record<string, string>>> | null} */
    this.docs = null;
    /** Ends the current run. @type {(() => void) | null} */
    this.end = null;
    /** The running program. @type {SandboxWorker | null} */
    this.program = null;
  }

  /** become changes the state. @param {State} state */
  become(state) {
    if (this.state !== state) {
      this.state = state;
      this.dispatchEvent(new Event("state"));
    }
  }

  /** ask sends the tools a request. @param {any} request @returns {Promise<any>} */
  ask(request) {
    this.tools ??= this.startTools();
    const tools = this.tools;
    const id = ++this.last;
    return new Promise((resolve, reject) => {
      this.asked.set(id, { resolve, reject });
      manifest().then(() => tools.postMessage({ id, ...request }), () => {}); // after the manifest itself, which startTools sends
    });
  }

  startTools() {
    const worker = this.compilers.start();
    worker.onmessage = ({ data: { id, value, error, step, want } }) => {
      if (step) {
        this.end && this.become(step);
      } else if (want) {
        void this.give(worker, want);
      } else {
        const asked = this.asked.get(id);
        this.asked.delete(id);
        error === undefined ? asked?.resolve(value) : asked?.reject(new Error(error));
      }
    };
    worker.onerror = (event) => this.failTools(new Error(event.message || "the compiler cannot be started"));
    manifest().then((manifest) => worker.postMessage({ manifest }), (error) => this.failTools(error));
    return worker;
  }

  /**
   * give fetches a file for the tools. They can only ask for files in the manifest.
   * @param {SandboxWorker} worker @param {string} file
   */
  async give(worker, file) {
    try {
      const { compose, compile, link, pack, packages } = await manifest();
      const packed = [compose, compile, link, pack, ...Object.values(packages)].find((p) => p.file === file);
      if (!packed) {
        throw new Error(`unknown file ${file}`);
      }
      this.total += packed.bytes ?? 0;
      const bytes = await fetched(new URL(file, folder), (bytes) => {
        this.got += bytes;
        this.dispatchEvent(new CustomEvent("progress", { detail: { got: this.got, total: this.total } }));
      });
      worker.postMessage({ file, bytes }, [bytes]);
    } catch (error) {
      worker.postMessage({ file, error: error instanceof Error ? error.message : String(error) });
    }
  }

  /** failTools ends the tools and rejects their pending requests. @param {Error} error */
  failTools(error) {
    this.tools?.terminate();
    this.tools = null;
    for (const { reject } of this.asked.values()) {
      reject(error);
    }
    this.asked.clear();
  }

  /** load fetches the compiler, the linker and the packages that most cells need. */
  async load() {
    if (this.state === "empty") {
      this.become("loading");
      try {
        await this.ask({ op: "load" });
        this.become("idle");
      } catch (error) {
        this.become("empty");
        throw error;
      }
    }
  }

  /** compose calls an operation of internal/compose. @param {string} name @param {any} value @returns {Promise<any>} */
  compose(name, value) {
    return this.ask({ op: "compose", name, value });
  }

  /** format formats a cell with gofmt. It rejects with a syntax error. @param {string} source @returns {Promise<string>} */
  format(source) {
    return this.compose("format", source);
  }

  /**
   * items returns the names that can stand in a cell between two positions, none before the compiler has been fetched.
   * @param {string} cell @param {string} source @param {number} from @param {number} to @returns {Promise<import("./editor.js").Item[]>}
   */
  async items(cell, source, from, to) {
    if (this.state === "empty" || this.state === "loading") {
      return [];
    }
    return this.ask({ op: "items", state: this.declared, cell, sources: programs(source.slice(0, from), source.slice(to)) }).catch(() => []);
  }

  /** about returns what the documentation of a name begins with. @param {import("./editor.js").Item} item @returns {Promise<string>} */
  async about({ path, key }) {
    this.docs ??= manifest().then(({ docs }) => fetched(new URL(docs.file, folder))).then(bytes => unpacked(bytes).json());
    try {
      return (await this.docs)[path]?.[key] ?? "";
    } catch {
      this.docs = null;
      return "";
    }
  }

  /**
   * run runs a cell. Only one cell can run at a time.
   * @param {string} cell @param {string} source @param {Output} on @returns {Promise<Result>}
   */
  async run(cell, source, on) {
    if (this.end) {
      throw new Error("another cell is running");
    }
    /** @type {Result} */
    const result = { status: "ok", errors: [], notes: [], seconds: { compile: 0, link: 0, run: 0 } };
    const stopped = new Promise((resolve) => {
      this.end = () => resolve("stopped");
    });
    try {
      const status = await Promise.race([stopped, this.steps(cell, source, on, result)]);
      if (status === "stopped") {
        result.status = "stopped";
      }
    } finally {
      if (this.program) {
        this.program.onmessage = null; // what it has sent and nobody has seen yet
        this.program.terminate();
      }
      this.program = this.end = null;
      this.become(this.state === "loading" || this.state === "empty" ? this.state : "idle");
    }
    return result;
  }

  /** steps composes, builds and runs a cell, unless the run has ended. @param {string} cell @param {string} source @param {Output} on @param {Result} result */
  async steps(cell, source, on, result) {
    const mine = this.end, over = () => this.end !== mine;
    await this.load();
    const fail = (/** @type {CellError[]} */ errors) => {
      result.status = "error";
      result.errors = errors;
    };
    const composed = await this.compose("compose", { state: this.declared, cell, source });
    result.notes = composed.notes ?? [];
    if (composed.errors?.length) {
      return fail(composed.errors);
    }
    if (over()) {
      return;
    }
    const built = await this.ask({ op: "build", program: { source: composed.source, imports: composed.imports, excel: [...this.kept.keys()].some((name) => /\.xls[xm]$/i.test(name)) } });
    Object.assign(result.seconds, built.seconds);
    if (over()) {
      return;
    }
    if (!built.bytes) {
      return fail(await this.compose("explain", { said: built.said, cell }));
    }
    this.declared = composed.state;
    this.become("running");
    await this.execute(built.bytes, on, result);
  }

  /** execute runs a program. @param {Uint8Array} bytes @param {Output} on @param {Result} result */
  async execute(bytes, on, result) {
    const { data: pack, dataFiles } = await manifest(), start = performance.now();
    const worker = this.next ?? this.programs.start();
    this.next = this.programs.start();
    this.program = worker;
    let held = ""; // a stack trace, which is shown when it is complete
    const { status, error } = await new Promise((resolve) => {
      worker.onmessage = ({ data }) => {
        if (data.status !== undefined) {
          resolve(data);
        } else if (data.want) {
          this.pack ??= fetched(new URL(pack.file, folder));
          this.pack.then((pack) => worker.postMessage({ pack }), (error) => {
            this.pack = null;
            worker.postMessage({ failed: error.message });
          });
        } else if (data.path) {
          this.wrote(data.path, data.bytes);
        } else if (data.of !== undefined) {
          on.update(String(data.of), String(data.html));
        } else if (data.html !== undefined) {
          on.html(String(data.html));
        } else if (data.stream === "stdout") {
          on.text("stdout", String(data.text));
        } else {
          const text = held + data.text, at = text.search(trace);
          held = at < 0 ? "" : text.slice(at);
          const rest = at < 0 ? text : text.slice(0, at);
          rest && on.text("stderr", rest);
        }
      };
      worker.onerror = (event) => resolve({ status: -1, error: event.message || "the program cannot be started" });
      worker.postMessage({
        bytes, cwd: this.cwd, env: this.env, interactive: this.interactive, dataFiles,
        files: [...this.kept].map(([name, { bytes }]) => [`${this.cwd}/${name}`, bytes]),
      }, [bytes.buffer]);
    });
    result.seconds.run = (performance.now() - start) / 1000;
    if (status !== 0) {
      result.status = "error";
      on.text("stderr", held ? this.numbered(await this.compose("trace", held)) : error ? `${error}\n` : `exit status ${status}\n`);
    } else if (held) {
      on.text("stderr", held);
    }
  }

  /** numbered replaces the ids of cells in a stack trace by their numbers. @param {string} text */
  numbered(text) {
    const numbers = this.numbers();
    return numbers ? text.replace(/: cell ([^,\n]+), line (\d+)$/gm, (_, id, line) => `: ${numbers[id] ? `cell ${numbers[id]}` : "a deleted cell"}, line ${line}`) : text;
  }

  /** wrote keeps a file that the program wrote to its folder. @param {string} path @param {Uint8Array | null} bytes */
  wrote(path, bytes) {
    if (path.startsWith(this.cwd + "/")) {
      const name = path.slice(this.cwd.length + 1);
      if (bytes) {
        this.kept.set(name, { bytes, own: false });
      } else {
        this.kept.delete(name);
      }
      this.dispatchEvent(new Event("files"));
    }
  }

  /** stop ends the current run at once. The result of a compilation in progress is discarded. */
  stop() {
    this.end?.();
  }

  /** reset forgets all declarations and the files that programs wrote. */
  reset() {
    this.stop();
    this.declared = null;
    for (const { name, own } of this.files()) {
      own || this.kept.delete(name);
    }
    this.dispatchEvent(new Event("files"));
  }

  /** send sends a message to the running program. @param {string} address @param {string} message */
  send(address, message) {
    this.program?.postMessage({ address, message });
  }

  /** put makes a file of the reader available to programs, replacing any file of that name. @param {string} name @param {Uint8Array} bytes */
  put(name, bytes) {
    this.kept.set(name, { bytes, own: true });
    this.dispatchEvent(new Event("files"));
  }

  /** files lists the files of the reader (own) and of programs, with their sizes in bytes. */
  files() {
    return [...this.kept].map(([name, { bytes, own }]) => ({ name, size: bytes.length, own })).sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** get returns the bytes of a file. @param {string} name */
  get(name) {
    return this.kept.get(name)?.bytes ?? new Uint8Array();
  }

  /** remove removes a file. @param {string} name */
  remove(name) {
    this.kept.delete(name);
    this.dispatchEvent(new Event("files"));
  }
}
