// Returns [{Fault, Ink}], one for each chart on a page without scripts: the fault of its picture, and the share of the
// pixels that do not have the most common colour. A chart without a picture, as in a report, must show its
// alternative text.
[...document.querySelectorAll(".mpcvm-chart")].map(d => {
  const i = d.querySelector("img"), r = d.getBoundingClientRect();
  if (!i) return {Fault: d.clientHeight && d.innerText.trim() ? "" : "no picture and no text", Ink: 1};
  const Fault = !i.complete || !i.naturalWidth ? "the picture is broken" : r.width < 1 || r.height < 1 ? "the picture has no size" : "";
  if (Fault) return {Fault, Ink: 0};
  const canvas = Object.assign(document.createElement("canvas"), {width: i.naturalWidth, height: i.naturalHeight}), pen = canvas.getContext("2d");
  pen.drawImage(i, 0, 0);
  const count = new Map(), pixels = new Uint32Array(pen.getImageData(0, 0, canvas.width, canvas.height).data.buffer);
  for (const p of pixels) count.set(p, (count.get(p) || 0) + 1);
  return {Fault, Ink: 1 - Math.max(...count.values()) / pixels.length};
})
