// Returns "!" and the alternative text of a chart or picture that is not drawn yet, or otherwise a number that changes
// while anything moves.
(() => {
  const all = s => [...document.querySelectorAll(s)].filter(e => e.closest("[data-shot]"));
  const charts = all(".mpcvm-chart");
  const missing = charts.find(c => !c.querySelector("svg")) ||
    all("img").find(i => !i.complete || !i.naturalWidth);
  if (missing) return "!" + (missing.alt || missing.getAttribute("aria-label"));
  let sum = 0;
  for (const b of new TextEncoder().encode(charts.map(c => c.innerHTML).join(""))) sum = sum * 31 + b | 0;
  return "" + sum;
})()
