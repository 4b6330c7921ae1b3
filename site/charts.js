// Makes the charts of a page live, with the modules of the playground.
// @ts-ignore the build makes this module
import E from "./playground/echarts.js";
// @ts-ignore the build makes this module
import page from "./playground/page.js";

/** unpack returns what nbhelpers/pack.go has packed, as a Response. @param {string} text */
const unpack = async text => {
  const bytes = Uint8Array.from(atob(text), c => c.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip")));
};

const show = page(E, unpack);

/**
 * run calls the code of each chart; a chart whose code fails stays a still picture.
 * @param {((echarts: any, show: any) => void)[]} codes
 */
export const run = codes => {
  for (const code of codes) {
    try {
      code(E, show);
    } catch (e) {
      console.error("chart:", e);
    }
  }
};
