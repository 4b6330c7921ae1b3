// The engine of the playground as the page sees it. It is the only module that knows the
// workers: one for each slot, which trains and keeps models, one for files, and one for each
// slot whose points come from no preset, which trains on a part of them.

import { fetched } from "../fetch.js";
import { Sandbox } from "../sandbox.js";

/** How long a fit may take to obey a cancel before its worker is replaced, in ms. */
const patience = 80;

/** Requests that need nothing that a worker keeps. */
const stateless = ["fit", "apart", "preset", "code"];

/** Requests that train, and end by a cancel. */
const training = ["fit", "apart"];

/** What a fit that was cancelled answers. */
const cancelled = { done: true, status: "cancelled", steps: [], seconds: 0, iterations: 0 };

/**
 * @typedef {Record<string, any>} Answer
 * @typedef {{request: Answer, resolve: (answer: any) => void, reject: (error: Error) => void, onSteps?: (steps: Step[]) => void, cancelled?: boolean}} Pending
 */

/** A Step of site/internal/play. `flat` has sample, class and weight of each weight in turn. */
export class Step {
  /** @param {Answer} step @param {Float64Array} flat */
  constructor(step, flat) {
    Object.assign(this, step);
    this.flat = flat;
  }

  /** [sample, class, weight] of each weight that is not zero. */
  get weights() {
    return Array.from({ length: this.flat.length / 3 }, (_, i) => [this.flat[3 * i], this.flat[3 * i + 1], this.flat[3 * i + 2]]);
  }
}

/** load fetches the engine. It tells counted the size of each part that comes. @param {(bytes: number) => void} [counted] */
export const load = counted => fetched(new URL("./mpcvm.wasm.gz", import.meta.url), counted);

/**
 * Engine asks the workers. Every method returns a promise of the answer, a rejected one with a
 * sentence for the user if there is none. Iteration 0 is the last one.
 */
export class Engine {
  /**
   * @param {Promise<ArrayBuffer>} [wasm] the engine as load gives it
   */
  constructor(wasm = load()) {
    this.loaded = wasm;
    this.sandbox = new Sandbox(new URL("./worker.js", import.meta.url), wasm);
    /** @type {Map<string, Channel>} */
    this.channels = new Map();
  }

  /** @param {string} name */
  channel(name) {
    let c = this.channels.get(name);
    if (!c) {
      c = new Channel(this.loaded, () => this.sandbox.start());
      this.channels.set(name, c);
    }
    return c;
  }

  /**
   * fit trains a model and calls onSteps with the steps as they come. The promise has {status,
   * seconds, iterations, partial, theta}. A fit of the slot that still runs is cancelled.
   *
   * @param {string} slot @param {Answer} setup @param {number[][]} points
   * @param {(steps: Step[]) => void} [onSteps]
   * @param {{keepAll?: boolean, within?: number}} [options] whether to keep every iteration (true),
   * and the time in ms after which the fit ends with the model so far (0: never)
   * @returns {Promise<Answer>}
   */
  fit(slot, setup, points, onSteps, options = {}) {
    void this.cancel(slot);
    return this.channel(slot).ask({ op: "fit", slot, setup, points, keepAll: options.keepAll ?? true, within: options.within ?? 0 }, onSteps);
  }

  /** cancel ends the fit and the apart of the slot. Their promises then have the status "cancelled". @param {string} slot */
  async cancel(slot) {
    this.channel(slot).cancel();
    this.channels.get(slot + " apart")?.cancel();
  }

  /**
   * fresh gives {points, errors, logLoss} of new draws of the preset that the points of the fit are from.
   * @param {string} slot @param {number} iteration @param {import("./state.js").Source} source @returns {Promise<Answer>}
   */
  async fresh(slot, iteration, source) {
    return this.channel(slot).ask({ op: "fresh", slot, iteration, name: source.preset, seed: source.seed, noise: source.noise });
  }

  /**
   * apart gives {points, errors, logLoss, status} of a fifth of the points and a model of the others, in a worker of its
   * own. One of the slot that still runs is cancelled.
   * @param {string} slot @param {Answer} setup @param {number[][]} points @returns {Promise<Answer>}
   */
  async apart(slot, setup, points) {
    const c = this.channel(slot + " apart");
    c.cancel();
    return c.ask({ op: "apart", slot, setup, points });
  }

  /**
   * field gives {nx, ny, classes, p}: probabilities, row by row from y0.
   * @param {string} slot @param {number} iteration @param {number[]} box x0, y0, x1, y1
   * @param {number} nx @param {number} ny @returns {Promise<Answer>}
   */
  async field(slot, iteration, box, nx, ny) {
    return this.channel(slot).ask({ op: "field", slot, iteration, box, nx, ny });
  }

  /**
   * proba gives {p, y, labels} of places [x, y].
   * @param {string} slot @param {number} iteration @param {number[][]} at @returns {Promise<Answer>}
   */
  async proba(slot, iteration, at) {
    return this.channel(slot).ask({ op: "proba", slot, iteration, at });
  }

  /**
   * explain gives {label, p, y, bias, terms} of a place.
   * @param {string} slot @param {number} iteration @param {number[]} at @returns {Promise<Answer>}
   */
  async explain(slot, iteration, at) {
    return this.channel(slot).ask({ op: "explain", slot, iteration, at: [at] });
  }

  /** look gives {s, q, alpha}, [class][sample]. @param {string} slot @param {number} iteration @returns {Promise<Answer>} */
  async look(slot, iteration) {
    return this.channel(slot).ask({ op: "look", slot, iteration });
  }

  /**
   * model gives {text}, the model's file. from is that of read or axes; null if the points are not from a file.
   * @param {string} slot @param {number} iteration @param {Answer | null} [from] @returns {Promise<Answer>}
   */
  async model(slot, iteration, from = null) {
    return this.channel(slot).ask({ op: "model", slot, iteration, from });
  }

  /** preset gives {points}. @param {import("./state.js").Source} source @returns {Promise<Answer>} */
  async preset({ preset, seed, count, noise }) {
    return this.channel("a").ask({ op: "preset", name: preset, seed, count, noise });
  }

  /** code gives {text}, a notebook cell. @param {Answer} setup @param {number[][]} points @returns {Promise<Answer>} */
  async code(setup, points) {
    return this.channel("a").ask({ op: "code", setup, points });
  }

  /**
   * read gives {columns, rows, target, classes, x, y, note, plane} of a file; plane is as from axes.
   * @param {string} name @param {Uint8Array} bytes @returns {Promise<Answer>}
   */
  async read(name, bytes) {
    return this.channel("file").ask({ op: "read", name, bytes });
  }

  /** axes gives {points, names, classes, note, from} of the last file. @param {string} x @param {string} y @returns {Promise<Answer>} */
  async axes(x, y, target = "") {
    return this.channel("file").ask({ op: "axes", x, y, target });
  }

  /** close ends the workers. */
  close() {
    for (const c of this.channels.values()) {
      c.worker.terminate();
    }
    this.channels.clear();
  }
}

/** Channel is a worker with the requests that it has not answered. */
class Channel {
  /** @param {Promise<unknown>} loaded the engine @param {() => import("../sandbox.js").SandboxWorker} start */
  constructor(loaded, start) {
    this.loaded = loaded;
    this.start = start;
    this.worker = start();
    this.last = 0;
    /** @type {Map<number, Pending>} */
    this.pending = new Map();
    this.run();
  }

  /** run listens to the worker. */
  run() {
    const worker = this.worker;
    worker.onmessage = ({ data }) => this.answer(data);
    worker.onerror = (event) => this.fail(new Error(event.message || "the worker cannot be started"));
  }

  /**
   * ask sends a request.
   * @param {Answer} request @param {(steps: Step[]) => void} [onSteps] @returns {Promise<Answer>}
   */
  ask(request, onSteps) {
    return new Promise((resolve, reject) => {
      const id = ++this.last;
      this.pending.set(id, { request, resolve, reject, onSteps });
      this.send(id, request);
    });
  }

  /** send sends a request once the engine is there. @param {number} id @param {Answer} request */
  send(id, request) {
    const worker = this.worker;
    this.loaded.then(
      () => worker.postMessage({ id, ...request }),
      (error) => this.fail(error),
    );
  }

  /** answer takes a message of the worker. @param {Answer} message */
  answer({ id, reply, field, weights }) {
    if (id === undefined) {
      this.fail(new Error("the engine ended unexpectedly"));
      this.replace();
      return;
    }
    const p = this.pending.get(id);
    if (!p) {
      return;
    }
    if (reply.error !== undefined) {
      this.pending.delete(id);
      p.reject(new Error(reply.error));
      return;
    }
    if (reply.steps) {
      let at = 0;
      weights ??= new Float64Array();
      reply.steps = reply.steps.map((/** @type {Answer} */ s) => {
        const from = at;
        at += 3 * s.counts.reduce((/** @type {number} */ a, /** @type {number} */ b) => a + b, 0);
        return new Step(s, weights.subarray(from, at));
      });
      if (!p.cancelled && reply.steps.length > 0) {
        p.onSteps?.(reply.steps);
      }
      if (!reply.done) {
        return;
      }
    }
    this.pending.delete(id);
    p.resolve(field ? { ...reply, p: field } : reply);
  }

  /** cancel ends the training that runs, by force if it does not obey. */
  cancel() {
    for (const [id, p] of this.pending) {
      if (training.includes(p.request.op) && !p.cancelled) {
        p.cancelled = true;
        this.ask({ op: "cancel", slot: p.request.slot }).catch(() => {});
        setTimeout(() => this.pending.has(id) && this.replace(), patience);
      }
    }
  }

  /** replace ends the worker and starts another, which takes over the requests that it can. */
  replace() {
    this.worker.terminate();
    this.worker = this.start();
    this.run();
    for (const [id, p] of this.pending) {
      if (stateless.includes(p.request.op) && !p.cancelled) {
        this.send(id, p.request);
        continue;
      }
      this.pending.delete(id);
      if (p.cancelled || p.request.op === "cancel") {
        p.resolve({ ...cancelled });
      } else {
        p.reject(new Error("the models of a fit that was cancelled are lost"));
      }
    }
  }

  /** fail rejects all requests. @param {Error} error */
  fail(error) {
    for (const p of this.pending.values()) {
      p.reject(error);
    }
    this.pending.clear();
  }
}
