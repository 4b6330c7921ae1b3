// The interface to the engine of "Your table", site/internal/analysis, which runs in isolated workers.
import { fetched } from "../fetch.js";
import { Sandbox } from "../sandbox.js";
import { Replicas } from "./replicas.js";
// @ts-ignore the build makes this module: the file and size of each engine
import engines from "./engines.js";

/** @typedef {Record<string, any>} Answer */
/** @typedef {{name: string, bytes: Uint8Array}} Content a file that the reader opened */
/** @typedef {"text" | "excel" | "parquet"} Kind of engine; the engines for Excel and Parquet files are larger */

/** kindOf returns the engine that reads a file. @param {Uint8Array} bytes @returns {Kind} */
const kindOf = bytes => /** @type {Record<string, Kind>} */ ({ PAR1: "parquet", "PK\x03\x04": "excel" })[String.fromCharCode(...bytes.subarray(0, 4))] ?? "text";

/** @type {Partial<Record<Kind, {sandbox: Sandbox}>>} */
const started = {};
/** The function that hears how much of an engine has arrived. @type {(bytes: number, total: number) => void} */
let heard = () => {};

/** load fetches an engine once. @param {Kind} [kind] */
export const load = (kind = "text") => {
  let got = 0;
  const make = () => {
    const { file, bytes } = engines[kind];
    const wasm = fetched(new URL(file, import.meta.url), n => heard(got += n, bytes));
    wasm.catch(() => { // the next attempt fetches it again
      delete started[kind];
      spare = null;
    });
    return { sandbox: new Sandbox(new URL("./worker.js", import.meta.url), wasm) };
  };
  return (started[kind] ??= make());
};

/** A worker that no session has taken yet. @type {import("../sandbox.js").SandboxWorker | null} */
let spare = null;

/** prepare starts a worker for the first session while the reader chooses a file. */
export const prepare = () => {
  if (spare) return;
  spare = load().sandbox.start();
  spare.onerror = () => spare = null;
};

/** take returns a worker. @param {Kind} kind */
const take = kind => {
  const worker = kind === "text" && spare || load(kind).sandbox.start();
  if (worker === spare) spare = null;
  return worker;
};

/** An error of the engine itself. Its worker cannot be used any more. */
export class Fault extends Error {}

/** Session is a worker that keeps a table and its model, with its unanswered requests. */
export class Session {
  /** @param {Content} content @param {(bytes: number, total: number) => void} [counted] */
  constructor(content, counted = () => {}) {
    this.content = content;
    this.last = 0;
    /** @type {Map<number, {resolve: (a: any) => void, reject: (e: Error) => void, progress: (a: Answer) => void}>} */
    this.pending = new Map();
    heard = counted;
    this.kind = kindOf(content.bytes);
    this.start = () => load(this.kind).sandbox.start();
    /** The session that predicted a file of another kind. @type {Session | null} */
    this.scorer = null;
    /** The request of the last look. @type {Answer} */
    this.looked = {};
    /** The answer to the first one. @type {Promise<Answer> | null} */
    this.opened = null;
    /** The other workers of a fit. @type {Replicas | null} */
    this.replicas = null;
    this.worker = take(this.kind);
    this.worker.onmessage = ({ data }) => data.share ? this.replicas?.hear(this.worker, data.share) : this.answer(data);
    this.worker.onerror = ({ message }) => this.close(new Fault(`the engine could not start: ${message}`));
  }

  /** look opens the table. Unless it is settled, the engine may choose further options. @param {Answer} options @param {string} target @param {boolean} settled @returns {Promise<Answer>} */
  look(options, target, settled) {
    return this.opened = this.settle(this.ask(this.looked = { op: "look", name: this.content.name, bytes: this.content.bytes, options, target, settled }));
  }

  /** again looks at the table with other options. @param {Answer} options @param {string} target @param {Answer[]} fixes @returns {Promise<Answer>} */
  again(options, target, fixes) {
    return this.settle(this.ask({ op: "look", options, target, fixes, settled: true }));
  }

  /** settle keeps the options of an answer, with which other workers look at the table. @param {Promise<Answer>} answer */
  async settle(answer) {
    const found = await answer;
    this.looked = { ...this.looked, options: found.options, target: found.findings.target ?? "", settled: true };
    return found;
  }

  /**
   * fit trains a model, in as many workers as there are cores. Only the first one has the time limit.
   * @param {number} budget in seconds, 0 for none @param {(a: Answer) => void} progress @returns {Promise<Answer>}
   */
  async fit(budget, progress) {
    await this.opened; // before others send their folds
    const replicas = this.replicas = new Replicas(this.worker, this.start);
    try {
      const fitted = this.ask({ op: "fit", budget, rank: 0, size: replicas.size }, progress);
      replicas.run([this.looked, { op: "fit" }]);
      return await fitted;
    } finally {
      replicas.end();
    }
  }

  /** score predicts the rows of a file. @param {Content} content @param {Answer} settings */
  async score(content, settings) {
    this.scorer?.close();
    this.scorer = null;
    if (kindOf(content.bytes) !== this.kind) { // which another engine reads
      const { bytes } = await this.ask({ op: "save", what: "model" });
      this.scorer = new Session(content);
      await this.scorer.ask({ op: "open", name: this.content.name, bytes });
    }
    return (this.scorer ?? this).ask({ op: "score", ...content, ...settings });
  }

  /** ask sends a request. A fit calls progress until its answer. @param {Answer} request @param {(a: Answer) => void} [progress] @returns {Promise<Answer>} */
  ask(request, progress = () => {}) {
    return new Promise((resolve, reject) => {
      this.pending.set(++this.last, { resolve, reject, progress });
      this.worker.postMessage({ id: this.last, ...request });
    });
  }

  /** @param {Answer} message */
  answer({ id, reply, field }) {
    if (id === undefined) {
      return this.close(new Fault("the engine stopped, probably because the table needs more memory than a page may use"));
    }
    const p = this.pending.get(id);
    if (p && reply.stage) {
      return p.progress(reply);
    }
    this.pending.delete(id);
    reply.error === undefined ? p?.resolve(field ? { ...reply, bytes: field } : reply) : p?.reject(new Error(reply.error));
  }

  /** close ends the worker and rejects what it has not answered. @param {Error} [why] */
  close(why = new Error("cancelled")) {
    this.worker.terminate();
    this.scorer?.close();
    this.replicas?.end();
    for (const p of this.pending.values()) {
      p.reject(why);
    }
    this.pending.clear();
  }
}
