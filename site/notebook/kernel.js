// The kernel of a notebook in the page: runs Go cells. It is the only module that knows the
// workers: tools.js compiles and links, program.js runs the program of one cell.

/**
 * @typedef {{cell: string, line: number, column: number, text: string}} CellError
 * @typedef {{text(stream: "stdout" | "stderr", text: string): void, html(html: string): void, update(id: string, html: string): void}} Output
 * @typedef {{status: "ok" | "error" | "stopped", errors: CellError[], notes: string[], seconds: {compile: number, link: number, run: number}}} Result
 * @typedef {"empty" | "loading" | "idle" | "compiling" | "linking" | "running"} State
 */

/** Where the repository seems to lie for programs. */
const repository = "/mpcvm/";

/** Lines of the standard error that begin a stack trace. */
const trace = /^(panic:|fatal error:|SIG[A-Z]+:|goroutine \d+ )/m;

/** What the page remembers of a file: its bytes, and whether the reader put it there. @typedef {{bytes: Uint8Array, own: boolean}} Kept */

/** Kernel has the events "state", "progress" (detail {got, total} in bytes) and "files". */
export class Kernel extends EventTarget {
  /** @param {string} [folder] the notebook's, in the repository; programs work there */
  constructor(folder = "notebooks") {
    super();
    const cwd = this.cwd = repository + folder;
    this.env = { GONB_DIR: cwd, GONB_TMP_DIR: cwd, HOME: cwd, TMPDIR: "/tmp", PWD: cwd };
    /** @type {State} */
    this.state = "empty";
    this.interactive = true;
    /** What the composer knows of the cells that ran. @type {any} */
    this.declared = null;
    /** @type {Map<string, Kept>} */
    this.kept = new Map();
    /** @type {Map<number, {resolve: (value: any) => void, reject: (error: Error) => void}>} */
    this.asked = new Map();
    this.last = 0;
    /** @type {Worker | null} */
    this.tools = null;
    /** The worker of the next program, which has loaded what all need. @type {Worker | null} */
    this.next = null;
    /** Ends the run under way. @type {(() => void) | null} */
    this.end = null;
    /** The program that runs. @type {Worker | null} */
    this.program = null;
  }

  /** become changes the state. @param {State} state */
  become(state) {
    if (this.state !== state) {
      this.state = state;
      this.dispatchEvent(new Event("state"));
    }
  }

  /** ask asks the tools. @param {any} request @returns {Promise<any>} */
  ask(request) {
    this.tools ??= this.startTools();
    const tools = this.tools;
    return new Promise((resolve, reject) => {
      this.asked.set(++this.last, { resolve, reject });
      tools.postMessage({ id: this.last, ...request });
    });
  }

  startTools() {
    const worker = new Worker(new URL("./tools.js", import.meta.url), { type: "module" });
    worker.onmessage = ({ data: { id, value, error, step, got, total } }) => {
      if (step) {
        this.end && this.become(step);
      } else if (id === undefined) {
        this.dispatchEvent(new CustomEvent("progress", { detail: { got, total } }));
      } else {
        const asked = this.asked.get(id);
        this.asked.delete(id);
        error === undefined ? asked?.resolve(value) : asked?.reject(new Error(error));
      }
    };
    worker.onerror = (event) => this.failTools(new Error(event.message || "the compiler cannot be started"));
    return worker;
  }

  /** failTools gives up the tools and what was asked of them. @param {Error} error */
  failTools(error) {
    this.tools?.terminate();
    this.tools = null;
    for (const { reject } of this.asked.values()) {
      reject(error);
    }
    this.asked.clear();
  }

  /** about gives Go's version, and the bytes that the first run fetches. @returns {Promise<{version: string, bytes: number}>} */
  about() {
    return this.ask({ op: "about" });
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

  /** compose asks internal/compose. @param {string} name @param {any} value @returns {Promise<any>} */
  compose(name, value) {
    return this.ask({ op: "compose", name, value });
  }

  /** format is gofmt of a cell. It rejects with what is wrong. @param {string} source @returns {Promise<string>} */
  format(source) {
    return this.compose("format", source);
  }

  /**
   * run runs a cell. One runs at a time.
   * @param {string} cell @param {string} source @param {Output} on @returns {Promise<Result>}
   */
  async run(cell, source, on) {
    if (this.end) {
      throw new Error("a cell is running");
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
      this.program?.terminate();
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
    const about = await this.about(), start = performance.now();
    const worker = this.next ?? startProgram();
    this.next = startProgram();
    this.program = worker;
    let held = ""; // a stack trace, which is told when it is complete
    const { status, error } = await new Promise((resolve) => {
      worker.onmessage = ({ data }) => {
        if (data.status !== undefined) {
          resolve(data);
        } else if (data.path) {
          this.wrote(data.path, data.bytes);
        } else if (data.of !== undefined) {
          on.update(data.of, data.html);
        } else if (data.html !== undefined) {
          on.html(data.html);
        } else if (data.stream === "stdout") {
          on.text("stdout", data.text);
        } else {
          const text = held + data.text, at = text.search(trace);
          held = at < 0 ? "" : text.slice(at);
          const rest = at < 0 ? text : text.slice(0, at);
          rest && on.text("stderr", rest);
        }
      };
      worker.onerror = (event) => resolve({ status: -1, error: event.message || "the program cannot be started" });
      const { data, dataFiles } = /** @type {any} */ (about);
      worker.postMessage({
        bytes, cwd: this.cwd, env: this.env, interactive: this.interactive, data: new URL(`./go/${data.file}`, import.meta.url).href, dataFiles,
        files: [...this.kept].map(([name, { bytes }]) => [`${this.cwd}/${name}`, bytes]),
      }, [bytes.buffer]);
    });
    result.seconds.run = (performance.now() - start) / 1000;
    if (status !== 0) {
      result.status = "error";
      on.text("stderr", held ? await this.compose("trace", held) : error ? `${error}\n` : `exit status ${status}\n`);
    } else if (held) {
      on.text("stderr", held);
    }
  }

  /** wrote keeps a file of the program that is in its folder. @param {string} path @param {Uint8Array | null} bytes */
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

  /** stop ends the run under way at once. What is being compiled is of no use then. */
  stop() {
    this.end?.();
  }

  /** reset forgets all cells, and the files that programs wrote. */
  reset() {
    this.stop();
    this.declared = null;
    for (const { name, own } of this.files()) {
      own || this.kept.delete(name);
    }
    this.dispatchEvent(new Event("files"));
  }

  /** send gives the running program a message. @param {string} address @param {string} message */
  send(address, message) {
    this.program?.postMessage({ address, message });
  }

  /** put gives programs a file of the reader's. @param {string} name @param {Uint8Array} bytes */
  put(name, bytes) {
    this.kept.set(name, { bytes, own: true });
    this.dispatchEvent(new Event("files"));
  }

  /** files lists the files of the reader (own) and of programs, with their sizes in bytes. */
  files() {
    return [...this.kept].map(([name, { bytes, own }]) => ({ name, size: bytes.length, own })).sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** get gives the bytes of a file. @param {string} name */
  get(name) {
    return this.kept.get(name)?.bytes ?? new Uint8Array();
  }

  /** remove removes a file. @param {string} name */
  remove(name) {
    this.kept.delete(name);
    this.dispatchEvent(new Event("files"));
  }
}

const startProgram = () => new Worker(new URL("./program.js", import.meta.url), { type: "module" });
