// Writes nbhelpers/echarts/echarts.min.js to standard output: the part of ECharts that echarts.js names, as one
// CommonJS script. A few modules are left out.
import { build } from "esbuild";
import { minify } from "terser";

// What nothing here can reach: the Chinese texts, the dark theme, and patterns (decals), which draw on a canvas.
const without = {
  "echarts/lib/i18n/langZH.js": "export default {}",
  "echarts/lib/theme/dark.js": "export default {}",
  "echarts/lib/util/decal.js": "export const createOrUpdatePatternFromDecal = () => null",
};
const left = new Set(Object.keys(without));

const bundle = await build({
  absWorkingDir: import.meta.dirname,
  entryPoints: ["echarts.js"],
  bundle: true, minify: true, write: false, format: "cjs", target: "es2020",
  legalComments: "none", // nbhelpers/echarts has LICENSE and NOTICE
  plugins: [{
    name: "without",
    setup: b => b.onLoad({ filter: /(langZH|dark|decal)\.js$/ }, ({ path }) => {
      const name = path.replace(/^.*node_modules./, "").replaceAll("\\", "/");
      return left.delete(name) ? { contents: without[name] } : null;
    }),
  }],
});
if (left.size) throw new Error("not met: " + [...left]);
const { code } = await minify(bundle.outputFiles[0].text, {
  toplevel: true,
  compress: { passes: 3, unsafe_arrows: true, unsafe_methods: true, pure_getters: true },
});
process.stdout.write(code);
