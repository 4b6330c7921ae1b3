// The part of ECharts that internal/chart embeds. Keep the list in sync with internal/chart/wrap.go.
import { init, format, version, use } from "echarts/core";
import { LineChart, BarChart, ScatterChart, HeatmapChart, BoxplotChart, CustomChart } from "echarts/charts";
import {
  GridComponent, TitleComponent, LegendComponent, TooltipComponent, VisualMapContinuousComponent,
  MarkLineComponent,
} from "echarts/components";
import { SVGRenderer } from "echarts/renderers";

use([
  LineChart, BarChart, ScatterChart, HeatmapChart, BoxplotChart, CustomChart,
  GridComponent, TitleComponent, LegendComponent, TooltipComponent, VisualMapContinuousComponent,
  MarkLineComponent, SVGRenderer,
]);
export { init, format, version };
