// Stands in a page unpacked, and unpacks what charts need; see assets.go.
(() => {
  const w = window;
  if (w.mpcvmLib) return;

  // What pack.go writes.
  const bytes = text => Uint8Array.from(atob(text), c => c.charCodeAt(0));
  const unpack = async text => new Response(new Blob([bytes(text)]).stream().pipeThrough(new DecompressionStream("gzip")));

  const text = async packed => (await unpack(packed)).text();

  // made gives a function with these parameters as a script of the page makes it: a policy can name its hash (page.go), and
  // pages that forbid eval may allow it.
  const made = (parameters, body) => {
    const script = document.createElement("script");
    script.textContent = "mpcvmMade=function(" + parameters + "){" + body + "\n}";
    document.head.append(script);
    script.remove();
    const f = w.mpcvmMade;
    w.mpcvmMade = null;
    return f;
  };
  w.mpcvmLib = Promise.all([text("ECHARTS"), text("PAGE")]).then(([library, page]) => {
    const module = { exports: {} };
    made("exports,module,define", library)(module.exports, module);
    return [module.exports, made("E,unpack", page)(module.exports, unpack)];
  });
  let last = w.mpcvmLib;
  const run = packed => {
    const code = text(packed), before = last;
    last = w.mpcvmLib.then(async ([E, show]) => {
      await before;
      try {
        show.run(await code);
      } catch { // it has functions of a wrapped chart
        made("E,show", await code)(E, show);
      }
    }).catch(e => console.warn("mpcvm chart:", e));
  };
  (w.mpcvmWait || []).forEach(run);
  w.mpcvmWait = { push: run };
  document.querySelectorAll(".mpcvm-code").forEach(data => run(data.textContent)); // of WritePage
})()
