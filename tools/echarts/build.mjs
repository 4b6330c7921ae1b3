// Writes internal/chart/echarts/echarts.min.js to standard output: the part of ECharts imported by echarts.js, as a single
// CommonJS script without some unused modules.
import { build } from "esbuild";
import { minify } from "terser";

// Modules that are never used here: the Chinese texts and the dark theme; patterns (decals), tooltips and layers on a canvas;
// options of ECharts 2 to 4; series in large mode; heat maps on maps and labels of sectors; transforms of datasets;
// showLoading; animation in SVG as text.
const without = {
  "echarts/lib/i18n/langZH.js": "export default {}",
  "echarts/lib/theme/dark.js": "export default {}",
  "echarts/lib/preprocessor/backwardCompat.js": "export default () => null",
  "echarts/lib/util/decal.js": "export const createOrUpdatePatternFromDecal = () => null",
  "echarts/lib/component/tooltip/TooltipRichContent.js": "export default class {}",
  "zrender/lib/graphic/IncrementalDisplayable.js": "export default class {}",
  "echarts/lib/chart/helper/LargeSymbolDraw.js": "export default class {}",
  "echarts/lib/chart/heatmap/HeatmapLayer.js": "export default class {}",
  "echarts/lib/label/sectorLabel.js": "export const createSectorCalculateTextPosition = () => null, setSectorTextRotation = () => null",
  "echarts/lib/data/helper/transform.js": "export const registerExternalTransform = () => null, applyDataTransform = () => []",
  "echarts/lib/loading/default.js": "export default () => null",
  "zrender/lib/svg/cssAnimation.js": "export const createCSSAnimation = () => null",
};
const left = new Set(Object.keys(without));

const bundle = await build({
  absWorkingDir: import.meta.dirname,
  entryPoints: ["echarts.js"],
  bundle: true, minify: true, write: false, format: "cjs", target: "es2020",
  legalComments: "none", // internal/chart/echarts has LICENSE and NOTICE
  plugins: [{
    name: "without",
    setup: b => b.onLoad({ filter: /\.js$/ }, ({ path }) => {
      const name = path.replace(/^.*node_modules./, "").replaceAll("\\", "/");
      return left.delete(name) ? { contents: without[name] } : null;
    }),
  }],
});
if (left.size) throw new Error("modules not found: " + [...left]);
const { code } = await minify(bundle.outputFiles[0].text, {
  toplevel: true,
  compress: { passes: 3, unsafe_arrows: true, unsafe_methods: true, pure_getters: true },
});
process.stdout.write(code);
