// A map of the classes, which is drawn again when the search finds a better setting; see site/internal/analysis/map.go.
import { colour, el, ink, outline, sized } from "../playground/look.js";

const side = 480; // pixels

export class ClassMap {
  constructor() {
    this.canvas = el("canvas", { width: side, height: side, role: "img" });
    this.legend = el("p", { class: "legend" });
    this.element = el("figure", { class: "map", hidden: true }, this.canvas, this.legend, el("figcaption", { class: "hint" },
      "The best setting so far, trained on a few of the rows, along their two main directions. Rows can look wrong here because the other directions are not shown."));
  }

  /** draw draws a map, or hides the last one. @param {import("./engine.js").Answer | null} map */
  draw(map) {
    this.element.hidden = !map;
    if (!map) return;
    const { classes, cells, points } = map, context = /** @type {CanvasRenderingContext2D} */ (this.canvas.getContext("2d"));
    const across = Math.sqrt(cells.length), size = side / across, { ground, rim } = ink();
    context.fillStyle = ground;
    context.fillRect(0, 0, side, side);
    context.globalAlpha = .35;
    cells.forEach((/** @type {number} */ c, /** @type {number} */ i) => {
      context.fillStyle = c < 0 ? ground : colour(c, classes);
      context.fillRect(i % across * size, side - (Math.floor(i / across) + 1) * size, size, size);
    });
    context.globalAlpha = 1;
    context.strokeStyle = rim;
    context.lineWidth = .3;
    for (const [x, y, c] of points) {
      const r = sized(c, 6), mark = new Path2D(outline(c));
      context.setTransform(r, 0, 0, r, x * side, (1 - y) * side);
      context.fillStyle = colour(c, classes);
      context.fill(mark);
      context.stroke(mark);
    }
    context.resetTransform();
    const shown = classes.slice(0, 8);
    this.canvas.setAttribute("aria-label", `Map of the ${classes.length} classes`);
    this.legend.replaceChildren(...shown.flatMap((/** @type {string} */ name, /** @type {number} */ c) => {
      const dot = el("i", { "aria-hidden": "true" });
      dot.style.background = colour(c, classes);
      return [el("span", {}, dot, name)];
    }), classes.length > shown.length ? `and ${classes.length - shown.length} more, whose colours repeat` : "");
  }
}
