// Returns [{Fault, X, Y, Width, Height}], one for each chart on the page; Fault is empty when it is drawn.
(() => {
  const coloured = canvas => {
    const { width, height } = canvas;
    if (!width || !height) return false;
    const pixels = new Uint32Array(canvas.getContext("2d").getImageData(0, 0, width, height).data.buffer);
    return pixels.some(p => p !== pixels[0]);
  };
  const shaped = svg => svg.querySelectorAll("path, polyline, polygon, circle, text, image").length > 0;
  const fault = chart => {
    if (!chart.matches("[_echarts_instance_]") && !chart.querySelector("[_echarts_instance_]")) return "no ECharts instance";
    const canvases = [...chart.querySelectorAll("canvas")], svgs = [...chart.querySelectorAll("svg")];
    if (canvases.length + svgs.length === 0) return "no canvas or svg";
    if (!canvases.some(coloured) && !svgs.some(shaped)) return "nothing is drawn";
    const box = chart.getBoundingClientRect();
    return box.width < 1 || box.height < 1 ? "has no size" : "";
  };
  const charts = [...document.querySelectorAll(".mpcvm-chart")];
  const faults = charts.map(fault);
  charts.find((_, i) => faults[i])?.scrollIntoView(); // in case it is drawn only when visible
  return charts.map((chart, i) => {
    const { x, y, width, height } = chart.getBoundingClientRect();
    return { Fault: faults[i], X: x + scrollX, Y: y + scrollY, Width: width, Height: height };
  });
})()
