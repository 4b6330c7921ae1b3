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

/** run runs the code of each chart; a chart whose code fails stays a still picture. @param {string[]} codes */
export const run = codes => {
  for (const code of codes) {
    try {
      show.run(code);
    } catch (e) {
      console.error("chart:", e);
    }
  }
};

/** activate brings the charts in HTML of nbhelpers to life. @param {HTMLElement} element */
export const activate = async element => {
  for (const script of element.querySelectorAll("script")) {
    const packed = /mpcvmWait\|\|\[\]\)\.push\("([^"]*)"\)/.exec(script.text)?.[1];
    script.remove();
    if (packed) {
      run([await (await unpack(packed)).text()]);
    }
  }
};
