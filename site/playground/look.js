// Colours and shapes of the classes, as in internal/chart/palette.go and internal/chart/marks.go, and helpers for elements.

const colours = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#4d4d4d", "#f0e442"];
const inDark = ["#3b9bdc", "#e8762b", "#1fbd8f", "#dc94bc", "#e9ab28", "#8fd0f5", "#b9bec6", "#f0e442"];
// The colours used if all classes are named after colours, in light and in dark mode.
/** @type {Record<string, [string, string]>} */
const named = {
  black: ["#222222", "#b9bec6"], blue: ["#0072b2", "#3b9bdc"], red: ["#ef3f50", "#ff7482"], green: ["#009e73", "#1fbd8f"],
  gray: ["#9a9a9a", "#8b9099"], orange: ["#e69f00", "#e9ab28"], crimson: ["#9b0f3a", "#d8567d"], brown: ["#7a4a1d", "#b98a5e"],
  purple: ["#6a3d9a", "#a98bd0"], teal: ["#56b4e9", "#8fd0f5"], olive: ["#8f8f1f", "#c2c24a"], pink: ["#f07fb8", "#f5a5cd"],
};
const circle = "M-1 0A1 1 0 1 1 1 0A1 1 0 1 1 -1 0Z";

/** shapes are outlines in a square from −1 to 1, with the scale at which each looks as large as a circle. @type {[string, number][]} */
const shapes = [
  [circle, 1],
  ["M0 -.9L1 .9L-1 .9Z", 1.1],
  ["M-1 -1L1 -1L1 1L-1 1Z", .87],
  ["M0 -1L1 0L0 1L-1 0Z", 1.15],
  ["M-.35 -1L.35 -1L.35 -.35L1 -.35L1 .35L.35 .35L.35 1L-.35 1L-.35 .35L-1 .35L-1 -.35L-.35 -.35Z", 1.1],
  ["M0 .9L1 -.9L-1 -.9Z", 1.1],
  ["M0 -.95L.23 -.29L.95 -.28L.38 .15L.59 .84L0 .43L-.59 .84L-.38 .15L-.95 -.28L-.23 -.29Z", 1.3],
  ["M-1 -1L1 -1L-1 1L1 1Z", .95],
];

const scheme = matchMedia("(prefers-color-scheme: dark)");
const motion = matchMedia("(prefers-reduced-motion: reduce)");

const finger = matchMedia("(pointer: coarse)");

/** touch reports whether the reader uses a touch screen. */
export const touch = () => finger.matches;
export const dark = () => scheme.matches;
export const calm = () => motion.matches;
/** @param {() => void} f */
export const onScheme = f => scheme.addEventListener("change", f);

/** namedBy returns the colours that the classes are named after, or an empty list unless all are. @param {string[]} names */
const namedBy = names => {
  const all = names.map(n => named[n.toLowerCase().replace(/^[\d_. -]+|[\d_. -]+$/g, "")]);
  return all.every(Boolean) ? all : [];
};
/** @type {[string, string][]} the colours of the current classes */
let worn = [];
/** wear sets the names of the classes and reports whether that changes their colours. @param {string[]} names */
export const wear = names => {
  const before = worn.join();
  worn = namedBy(names);
  return worn.join() !== before;
};
/** colour returns the colour of class c in the current scheme. @param {number} c @param {string[]} [names] of the classes, if not the current ones */
export const colour = (c, names) => (names ? namedBy(names) : worn)[c]?.[dark() ? 1 : 0] ?? (dark() ? inDark : colours)[c % 8];
/** outline returns the outline of class c. @param {number} c */
export const outline = c => shapes[c % 8][0];
/** sized returns the half width at which the mark of class c looks as large as a circle of radius r. @param {number} c @param {number} r */
export const sized = (c, r) => shapes[c % 8][1] * r;

/** ink returns the colours of everything except the classes. */
export const ink = () => dark()
  ? { text: "#e6e9ee", faint: "#a9b2bf", line: "#39414c", ground: "#181c22", rim: "#14171c", border: "#cfd5dd" }
  : { text: "#1d2229", faint: "#59626e", line: "#dde1e7", ground: "#ffffff", rim: "#ffffff", border: "#30363f" };

/** rgb parses "#rrggbb". @param {string} hex */
export const rgb = hex => [1, 3, 5].map(i => parseInt(hex.slice(i, i + 2), 16));

/**
 * el makes an element.
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} name
 * @param {Record<string, string | number | boolean>} [attributes] true sets an attribute without a value, false omits it
 * @param {...(Node | string)} inside
 */
export const el = (name, attributes = {}, ...inside) => {
  const e = document.createElement(name);
  for (const [k, v] of Object.entries(attributes)) if (v !== false) e.setAttribute(k, v === true ? "" : String(v));
  e.append(...inside);
  return e;
};

/** button makes a button. @param {string} text @param {() => unknown} press @param {Record<string, string | boolean>} [attributes] */
export const button = (text, press, attributes = {}) => {
  const b = el("button", { type: "button", ...attributes }, text);
  b.addEventListener("click", press);
  return b;
};

/** save offers a file for download. @param {string} name @param {BlobPart} content @param {string} [type] */
export const save = (name, content, type = "application/octet-stream") => {
  const a = el("a", { download: name, href: URL.createObjectURL(new Blob([content], { type })) });
  a.click();
  setTimeout(() => URL.revokeObjectURL(a.href), 60000);
};

/**
 * svg makes an SVG element.
 * @template {keyof SVGElementTagNameMap} K
 * @param {K} name
 * @param {Record<string, string | number>} [attributes]
 * @param {...(Node | string)} inside
 */
export const svg = (name, attributes = {}, ...inside) => {
  const e = document.createElementNS("http://www.w3.org/2000/svg", name);
  set(e, attributes);
  e.append(...inside);
  return e;
};

/** set sets the attributes that differ. @param {Element} e @param {Record<string, string | number>} attributes */
export const set = (e, attributes) => {
  for (const [k, v] of Object.entries(attributes)) if (e.getAttribute(k) !== String(v)) e.setAttribute(k, String(v));
};

/** mark draws the mark of class c as a small picture. @param {number} c @param {number} [size] */
export const mark = (c, size = 14) => svg("svg", { class: "mark", viewBox: "-1.35 -1.35 2.7 2.7", width: size, height: size, "aria-hidden": "true" },
  svg("path", { d: outline(c), transform: `scale(${sized(c, .95)})`, fill: colour(c), "data-class": c }));

/** by returns the element with an id. @template {Element} T @param {string} id @param {new () => T} type @returns {T} */
export const by = (id, type) => {
  const e = document.getElementById(id);
  if (!(e instanceof type)) throw new Error("no element " + id);
  return e;
};

const minus = /** @param {string} s */ s => s.replace("-", "−");
/** tenTo writes a power of ten. @param {number} e */
export const tenTo = e => "10" + String(e).replace("-", "⁻").replace(/\d/g, d => "⁰¹²³⁴⁵⁶⁷⁸⁹"[+d]);
/** short writes a number with a number of significant digits. @param {number} v @param {number} [digits] */
export const short = (v, digits = 3) => {
  if (!Number.isFinite(v)) return v === undefined || Number.isNaN(v) ? "–" : v > 0 ? "∞" : "−∞";
  if (Math.abs(v) < 1e-9) return "0";
  if (Math.abs(v) >= 1e-3 && Math.abs(v) < 1e5) return minus(String(+v.toPrecision(digits)));
  const [m, e] = v.toExponential(1).split("e");
  return (m === "1.0" ? "" : minus(m) + "·") + tenTo(+e);
};
/** chance writes a probability with three decimals. @param {number} p */
export const chance = p => p > .9995 ? "> 0.999" : p < .0005 ? "< 0.001" : p.toFixed(3);
/** sentence returns the message of an error as a sentence. @param {unknown} e */
export const sentence = e => {
  const text = e instanceof Error ? e.message : String(e);
  return text.charAt(0).toUpperCase() + text.slice(1) + (/[.!?…]$/.test(text) ? "" : ".");
};
/** signed writes a number with its sign. @param {number} v */
export const signed = v => (v < 0 ? "−" : "+") + short(Math.abs(v));
