// The interface to the engine of the playground. Only this module uses the workers: one for each slot, which trains and
// keeps models, and one for each slot whose points do not come from a preset, which trains on a subset.

import { fetched } from "../fetch.js";
import { Sandbox } from "../sandbox.js";

/** The time that a cancelled fit has to end before its worker is replaced, in ms. */
const patience = 80;

/** Requests that do not depend on the state of a worker. */
const stateless = ["fit", "apart", "preset", "code"];

/** Requests that train a model and can be cancelled. */
const training = ["fit", "apart"];

/** The answer of a cancelled fit. */
const cancelled = { done: true, status: "cancelled", steps: [], seconds: 0, iterations: 0 };

/**
 * @typedef {Record<string, any>} Answer
 * @typedef {{request: Answer, resolve: (answer: any) => void, reject: (error: Error) => void, onSteps?: (steps: Step[]) => void, cancelled?: boolean}} Pending
 */

/** A Step of site/internal/play. `flat` contains the sample, class and value of each weight in turn. */
export class Step {
  /** @param {Answer} step @param {Float64Array} flat */
  constructor(step, flat) {
    Object.assign(this, step);
    this.flat = flat;
  }

  /** [sample, class, value] of each non-zero weight. */
  get weights() {
    return Array.from({ length: this.flat.length / 3 }, (_, i) => [this.flat[3 * i], this.flat[3 * i + 1], this.flat[3 * i + 2]]);
  }
}

/** load fetches the engine. It calls counted with the size of each chunk that arrives. @param {(bytes: number) => void} [counted] */
export const load = counted => fetched(new URL("./mpcvm.wasm.gz", import.meta.url), counted);

/**
 * Engine sends requests to the workers. Every method returns a promise of the answer, which is rejected with a message for
 * the user if the request fails. Iteration 0 means the last iteration.
 */
export class Engine {
  /**
   * @param {Promise<ArrayBuffer>} [wasm] the engine, from load
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
   * fit trains a model and calls onSteps with the steps as they arrive. The answer is {status, seconds, iterations,
   * partial, theta}. A running fit of the same slot is cancelled.
   *
   * @param {string} slot @param {Answer} setup @param {number[][]} points
   * @param {(steps: Step[]) => void} [onSteps]
   * @param {{keepAll?: boolean, within?: number}} [options] keepAll keeps every iteration (the default);
   * after within ms, the fit ends with the current model (0: no limit)
   * @returns {Promise<Answer>}
   */
  fit(slot, setup, points, onSteps, options = {}) {
    void this.cancel(slot);
    return this.channel(slot).ask({ op: "fit", slot, setup, points, keepAll: options.keepAll ?? true, within: options.within ?? 0 }, onSteps);
  }

  /** cancel cancels fit and apart of a slot. Their answers then have the status "cancelled". @param {string} slot */
  async cancel(slot) {
    this.channel(slot).cancel();
    this.channels.get(slot + " apart")?.cancel();
  }

  /**
   * fresh returns {points, errors, logLoss} for new points from the preset of the training points.
   * @param {string} slot @param {number} iteration @param {import("./state.js").Source} source @returns {Promise<Answer>}
   */
  async fresh(slot, iteration, source) {
    return this.channel(slot).ask({ op: "fresh", slot, iteration, name: source.preset, seed: source.seed, noise: source.noise });
  }

  /**
   * apart trains a model on four fifths of the points in a separate worker and returns {points, errors, logLoss, status}
   * for the remaining fifth. A running request of the same slot is cancelled.
   * @param {string} slot @param {Answer} setup @param {number[][]} points @returns {Promise<Answer>}
   */
  async apart(slot, setup, points) {
    const c = this.channel(slot + " apart");
    c.cancel();
    return c.ask({ op: "apart", slot, setup, points });
  }

  /**
   * field returns {nx, ny, classes, p}: probabilities, row by row from y0.
   * @param {string} slot @param {number} iteration @param {number[]} box x0, y0, x1, y1
   * @param {number} nx @param {number} ny @returns {Promise<Answer>}
   */
  async field(slot, iteration, box, nx, ny) {
    return this.channel(slot).ask({ op: "field", slot, iteration, box, nx, ny });
  }

  /**
   * proba returns {p, y, labels} at positions [x, y].
   * @param {string} slot @param {number} iteration @param {number[][]} at @returns {Promise<Answer>}
   */
  async proba(slot, iteration, at) {
    return this.channel(slot).ask({ op: "proba", slot, iteration, at });
  }

  /**
   * explain returns {label, p, y, bias, terms} at a position.
   * @param {string} slot @param {number} iteration @param {number[]} at @returns {Promise<Answer>}
   */
  async explain(slot, iteration, at) {
    return this.channel(slot).ask({ op: "explain", slot, iteration, at: [at] });
  }

  /** look returns {s, q, alpha}, each indexed [class][sample]. @param {string} slot @param {number} iteration @returns {Promise<Answer>} */
  async look(slot, iteration) {
    return this.channel(slot).ask({ op: "look", slot, iteration });
  }

  /** model returns {text}, the model file. @param {string} slot @param {number} iteration @returns {Promise<Answer>} */
  async model(slot, iteration) {
    return this.channel(slot).ask({ op: "model", slot, iteration });
  }

  /** preset returns {points}. @param {import("./state.js").Source} source @returns {Promise<Answer>} */
  async preset({ preset, seed, count, noise }) {
    return this.channel("a").ask({ op: "preset", name: preset, seed, count, noise });
  }

  /** code returns {text}, a notebook cell. @param {Answer} setup @param {number[][]} points @returns {Promise<Answer>} */
  async code(setup, points) {
    return this.channel("a").ask({ op: "code", setup, points });
  }

  /** close ends the workers. */
  close() {
    for (const c of this.channels.values()) {
      c.worker.terminate();
    }
    this.channels.clear();
  }
}

/** Channel is a worker with its unanswered requests. */
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

  /** run starts the worker and listens to it. */
  run() {
    const worker = this.worker;
    worker.onmessage = ({ data }) => this.answer(data);
    worker.onerror = (event) => this.fail(new Error(event.message || "the worker could not start"));
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

  /** send sends a request once the engine is loaded. @param {number} id @param {Answer} request */
  send(id, request) {
    const worker = this.worker;
    this.loaded.then(
      () => worker.postMessage({ id, ...request }),
      (error) => this.fail(error),
    );
  }

  /** answer handles a message of the worker. @param {Answer} message */
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

  /** cancel ends the current training, by replacing the worker if it does not end on its own. */
  cancel() {
    for (const [id, p] of this.pending) {
      if (training.includes(p.request.op) && !p.cancelled) {
        p.cancelled = true;
        this.ask({ op: "cancel", slot: p.request.slot }).catch(() => {});
        setTimeout(() => this.pending.has(id) && this.replace(), patience);
      }
    }
  }

  /** replace ends the worker and starts another, which takes over the requests that do not depend on state. */
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
        p.reject(new Error("the models of the cancelled fit are lost"));
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
