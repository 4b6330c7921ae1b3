// Makes the charts of a page interactive with the modules of the playground.
// @ts-ignore the build makes this module
import E from "./playground/echarts.js";
// @ts-ignore the build makes this module
import page from "./playground/page.js";

/** unpack decompresses a chart that internal/chart/pack.go packed, and returns a Response. @param {string} text */
const unpack = async text => {
  const bytes = Uint8Array.from(atob(text), c => c.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip")));
};

/** The keys removed from options: they would place elements outside the chart, give them styles, or open an address on a click. */
const barred = new Set(["appendTo", "appendToBody", "className", "extraCssText", "link", "sublink"]);

/** The style of every tooltip, as in internal/chart/echarts.go. */
const tip = { confine: true, extraCssText: "max-width:100%;box-sizing:border-box;white-space:normal;overflow-wrap:anywhere" };

/** plain returns an option without the barred keys, and with our style for tooltips. @param {any} option @returns {any} */
const plain = option => {
  if (Array.isArray(option)) {
    return option.map(plain);
  }
  if (!option || Object.getPrototypeOf(option) !== Object.prototype) {
    return option;
  }
  return Object.fromEntries(Object.entries(option).filter(([key]) => !barred.has(key)).map(([key, value]) => [key, key === "tooltip" ? styled(plain(value)) : plain(value)]));
};

/** styled returns the options of a tooltip, or of several, with our style. @param {any} option @returns {any} */
const styled = option => (Array.isArray(option) ? option.map(styled) : option && { ...single(option), ...tip });

/** single removes texts that are more than one value of a style, because ECharts writes colours and fonts of a tooltip into its style sheet. @param {any} option @returns {any} */
const single = option => Object.fromEntries(Object.entries(option).filter(([key, value]) => key === "formatter" || typeof value !== "string" || !value.includes(";"))
  .map(([key, value]) => [key, key === "textStyle" ? single(value) : value]));

/** init is the init function of ECharts for charts with untrusted options. @param {any[]} where */
const init = (...where) => {
  const chart = E.init(...where), { setOption } = chart;
  chart.setOption = (/** @type {any} */ option, /** @type {any[]} */ ...more) => setOption.call(chart, plain(option), ...more);
  return chart;
};

const show = page({ ...E, init }, unpack);

/** run runs the code of each chart in an element or the page. If the code fails, the static picture or text remains. @param {string[]} codes @param {Element} [box] */
export const run = (codes, box) => {
  for (const code of codes) {
    try {
      show.run(code, box);
    } catch (e) {
      console.error("chart:", e);
    }
  }
};

/** activate runs the charts in HTML of nbhelpers, which a box of the page shows without its scripts. @param {string} html @param {Element} box */
export const activate = async (html, box) => {
  for (const [, packed] of html.matchAll(/mpcvmWait\|\|\[\]\)\.push\("([^"]*)"\)/g)) {
    run([await (await unpack(packed)).text()], box);
  }
};
