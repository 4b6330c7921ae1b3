// Stands in a page unpacked, and unpacks what charts need; see assets.go.
(() => {
  const w = window;
  if (w.mpcvmLib) return;

  // What pack.go writes.
  const bytes = text => Uint8Array.from(atob(text), c => c.charCodeAt(0));
  const unpack = async text => new Response(new Blob([bytes(text)]).stream().pipeThrough(new DecompressionStream("gzip")));

  const text = async packed => (await unpack(packed)).text();
  w.mpcvmLib = Promise.all([text("ECHARTS"), text("PAGE")]).then(([library, page]) => {
    const module = { exports: {} };
    new Function("exports", "module", "define", library)(module.exports, module);
    return [module.exports, new Function("E", "unpack", page)(module.exports, unpack)];
  });
  let last = w.mpcvmLib;
  const run = packed => {
    const code = text(packed), before = last;
    last = w.mpcvmLib.then(async ([E, show]) => {
      await before;
      try {
        show.run(await code);
      } catch { // it has functions of a wrapped chart
        new Function("E", "show", await code)(E, show);
      }
    }).catch(e => console.warn("mpcvm chart:", e));
  };
  (w.mpcvmWait || []).forEach(run);
  w.mpcvmWait = { push: run };
})()
