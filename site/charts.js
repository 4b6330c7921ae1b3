// Makes the charts of a page live, with the modules of the playground.
// @ts-ignore the build makes this module
import E from "./playground/echarts.js";
// @ts-ignore the build makes this module
import page from "./playground/page.js";

/** unpack returns what internal/chart/pack.go has packed, as a Response. @param {string} text */
const unpack = async text => {
  const bytes = Uint8Array.from(atob(text), c => c.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip")));
};

/** What an option may not hold: a place outside of the chart, and addresses that a click would open. */
const barred = new Set(["appendTo", "appendToBody", "link", "sublink"]);

/** plain is an option without what is barred. @param {any} option @returns {any} */
const plain = option => {
  if (Array.isArray(option)) {
    return option.map(plain);
  }
  if (!option || Object.getPrototypeOf(option) !== Object.prototype) {
    return option;
  }
  return Object.fromEntries(Object.entries(option).filter(([key]) => !barred.has(key)).map(([key, value]) => [key, plain(value)]));
};

/** init is ECharts' function for charts whose options may come from anyone. @param {any[]} where */
const init = (...where) => {
  const chart = E.init(...where), { setOption } = chart;
  chart.setOption = (/** @type {any} */ option, /** @type {any[]} */ ...more) => setOption.call(chart, plain(option), ...more);
  return chart;
};

const show = page({ ...E, init }, unpack);

/** run runs the code of each chart; a chart whose code fails stays a picture or a text. @param {string[]} codes */
export const run = codes => {
  for (const code of codes) {
    try {
      show.run(code);
    } catch (e) {
      console.error("chart:", e);
    }
  }
};

/** activate brings the charts in HTML of nbhelpers to life, which is in the page without its scripts. @param {string} html */
export const activate = async html => {
  for (const [, packed] of html.matchAll(/mpcvmWait\|\|\[\]\)\.push\("([^"]*)"\)/g)) {
    run([await (await unpack(packed)).text()]);
  }
};
