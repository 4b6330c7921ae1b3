// The state of the page, as stored in a link, with undo and redo.

/** @typedef {[x: number, y: number, c: number]} Point coordinates and class */
/** @typedef {[x0: number, y0: number, x1: number, y1: number]} Box */
/** @typedef {"a" | "b"} Slot */
/**
 * @typedef {object} Setup of a learner; fields that do not apply to its learner or kernel are ignored
 * @property {string} learner
 * @property {string} kernel
 * @property {number} theta kernel width; if 0, it is chosen by cross-validation
 * @property {number} alpha
 * @property {number} degree
 * @property {number} offset
 * @property {number} power
 * @property {number} additions if 0, the learner's default, as for the following numbers
 * @property {boolean} bias
 * @property {number} u1 u1 to v2 are shapes and rates of the Gamma priors of mPCVM₁
 * @property {number} v1
 * @property {number} u2
 * @property {number} v2
 * @property {number} prune
 * @property {number} scale
 * @property {number} keep
 * @property {number} c
 * @property {number} maxIterations
 * @property {number} seed
 */
/** @typedef {{preset: string, seed: number, count?: number, noise?: number}} Source a draw of a preset: count is the number of points, noise the standard deviation of the noise added to their coordinates */
/**
 * @typedef {object} Content
 * @property {Point[]} points
 * @property {Setup} a
 * @property {Setup | null} b the second learner, if there is one
 * @property {Box} box
 * @property {number} step the iteration that is shown; 0 means the last
 * @property {[lesson: number, step: number] | null} lesson
 * @property {Source | null} source of the points, until the reader changes one
 * @property {{axes: [string, string], classes: string[], from?: any}} names from is set in old links whose points come from a table
 */

/** @type {Setup} */
export const defaultSetup = {
  learner: "mpcvm2", kernel: "rbf", theta: 1, alpha: 1, degree: 2, offset: 1, power: 1, additions: 0, bias: false,
  u1: 0, v1: 0, u2: 0, v2: 0, prune: 0, scale: 100, keep: 0, c: 1, maxIterations: 0, seed: 0,
};
/** @type {Box} */
export const defaultBox = [-3.5, -3.5, 3.5, 3.5];
export const mostClasses = 8;
export const mostPoints = 2000;

/** @returns {Content} */
export const empty = () => ({
  points: [], a: { ...defaultSetup }, b: null, box: defaultBox, step: 0, lesson: null, source: null,
  names: { axes: ["x₁", "x₂"], classes: [] },
});

/** rounded rounds v to three decimals, the precision of links. @param {number} v */
export const rounded = v => Math.max(-32767, Math.min(32767, Math.round(v * 1000))) / 1000 || 0;

/** redrawn reports whether other points can be drawn from the source. @param {Content["source"]} source @returns {source is Source} */
export const redrawn = source => !!source?.preset && source.preset !== "petals";

/** boxOf returns a square around the points, with a margin. @param {Point[]} points @returns {Box} */
export const boxOf = points => {
  if (!points.length) return defaultBox;
  const range = /** @param {0 | 1} i */ i => {
    const all = points.map(p => p[i]), lo = Math.min(...all), hi = Math.max(...all);
    return [(lo + hi) / 2, (hi - lo) / 2];
  };
  const [[x, w], [y, h]] = [range(0), range(1)], half = Math.max(w, h, .5) * 1.15;
  return [rounded(x - half), rounded(y - half), rounded(x + half), rounded(y + half)];
};

const version = "1";

/** different returns the fields of setup that differ from the defaults. @param {Setup} setup */
const different = setup => Object.fromEntries(Object.entries(setup).filter(([k, v]) => v !== defaultSetup[/** @type {keyof Setup} */ (k)]));

/** encoded returns the text of a link: the version, the length of a JSON header, the header, and five bytes per point. @param {Content} s */
export const encoded = s => {
  const header = new TextEncoder().encode(JSON.stringify([different(s.a), s.b && different(s.b), s.box, s.step, s.lesson, s.source, s.names]));
  const bytes = new DataView(new ArrayBuffer(2 + header.length + 5 * s.points.length));
  bytes.setUint16(0, header.length);
  new Uint8Array(bytes.buffer).set(header, 2);
  s.points.forEach(([x, y, c], i) => {
    const at = 2 + header.length + 5 * i;
    bytes.setInt16(at, Math.round(x * 1000));
    bytes.setInt16(at + 2, Math.round(y * 1000));
    bytes.setUint8(at + 4, c);
  });
  let text = "";
  for (const b of new Uint8Array(bytes.buffer)) text += String.fromCharCode(b);
  return version + btoa(text).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
};

/** asked throws if a link is not valid. @param {unknown} ok */
const asked = ok => {
  if (!ok) throw new Error("This link is damaged or comes from another version of the page.");
};

/** setupFrom adds the defaults to the result of different. @param {any} parts @returns {Setup} */
const setupFrom = parts => {
  const setup = { ...defaultSetup };
  for (const k of /** @type {(keyof Setup)[]} */ (Object.keys(defaultSetup))) {
    if (!(k in parts)) continue;
    asked(typeof parts[k] === typeof defaultSetup[k]);
    Object.assign(setup, { [k]: parts[k] });
  }
  return setup;
};

/** decoded returns the state in a link. @param {string} text @returns {Content} */
export const decoded = text => {
  asked(text[0] === version);
  let header, points;
  try {
    const bytes = Uint8Array.from(atob(text.slice(1).replaceAll("-", "+").replaceAll("_", "/")), c => c.charCodeAt(0));
    const view = new DataView(bytes.buffer), from = 2 + view.getUint16(0);
    header = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes.subarray(2, from)));
    points = Array.from({ length: (bytes.length - from) / 5 }, (_, i) => /** @type {Point} */ (
      [view.getInt16(from + 5 * i) / 1000, view.getInt16(from + 5 * i + 2) / 1000, bytes[from + 5 * i + 4]]));
    asked((bytes.length - from) % 5 === 0);
  } catch {
    asked(false);
  }
  asked(points && points.length <= mostPoints && points.every(p => p[2] < mostClasses) && Array.isArray(header));
  const [a, b, box, step, lesson, source, names] = header;
  const numbers = /** @param {any} v @param {number} n */ (v, n) => Array.isArray(v) && v.length === n && v.every(Number.isFinite);
  const texts = /** @param {any} v */ v => Array.isArray(v) && v.every(s => typeof s === "string");
  asked(a && numbers(box, 4) && box[0] < box[2] && box[1] < box[3] && Number.isInteger(step) && step >= 0);
  asked(lesson === null || numbers(lesson, 2));
  asked(source === null || (typeof source.preset === "string" && Number.isInteger(source.seed) && Number.isFinite((source.count ?? 0) + (source.noise ?? 0))));
  asked(names && texts(names.axes) && names.axes.length === 2 && texts(names.classes) && typeof (names.from ?? {}) === "object");
  return { points: /** @type {Point[]} */ (points), a: setupFrom(a), b: b && setupFrom(b), box, step, lesson, source, names };
};

/**
 * State dispatches the event "change" with the names of the changed fields in its detail.
 */
export class State extends EventTarget {
  constructor() {
    super();
    this.now = empty();
    /** @type {string[]} */ this.past = [];
    /** @type {string[]} */ this.future = [];
    this.last = this.body = encoded(this.now);
  }

  /**
   * set changes fields. With underWay, as during a drag, the change is not a separate step for undo.
   * @param {Partial<Content>} fields
   * @param {{underWay?: boolean}} [how]
   */
  set(fields, { underWay = false } = {}) {
    Object.assign(this.now, fields);
    if (!underWay) this.keep();
    this.dispatchEvent(new CustomEvent("change", { detail: { fields: Object.keys(fields), underWay } }));
  }

  /** keep adds a step for undo and writes the state to the address. */
  keep() {
    const text = encoded(this.now);
    if (text === this.last) return;
    const body = encoded({ ...this.now, step: 0 });
    if (body !== this.body) { // changing the iteration is not a step
      this.body = body;
      this.past.push(this.last);
      this.past.splice(0, this.past.length - 200);
      this.future = [];
    }
    this.last = text;
    this.address();
  }

  address() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => history.replaceState(null, "", "#" + this.last), 250); // browsers limit the rate
  }

  /** @param {string} text */
  load(text) {
    this.now = decoded(text);
    this.last = text;
    this.body = encoded({ ...this.now, step: 0 });
    this.address();
    this.dispatchEvent(new CustomEvent("change", { detail: { fields: Object.keys(this.now), underWay: false } }));
  }

  undo() {
    const text = this.past.pop();
    if (!text) return;
    this.future.push(this.last);
    this.load(text);
  }

  redo() {
    const text = this.future.pop();
    if (!text) return;
    this.past.push(this.last);
    this.load(text);
  }
}
