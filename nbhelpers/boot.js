// Stands in a page as it is and unpacks what charts need, in the way that assets.go says.
(() => {
  const w = window;
  if (w.mpcvmLib) return;

  // What pack.go writes.
  const bytes = text => {
    const digit = i => (c => c - 32 - (c > 34) - (c > 39) - (c > 60) - (c > 92))(text.charCodeAt(i));
    const out = new Uint8Array(text.length);
    let bits = 0, n = 0, size = 0;
    for (let i = 0; i < text.length; i += 2) {
      const two = i + 1 < text.length, v = digit(i) + (two ? 91 * digit(i + 1) : 0);
      bits |= v << n;
      n += two ? (v & 8191) > 88 ? 13 : 14 : 7;
      for (; n > 7; n -= 8, bits >>= 8) out[size++] = bits;
    }
    return out.subarray(0, size);
  };
  const unpack = async text => new Response(new Blob([bytes(text)]).stream().pipeThrough(new DecompressionStream("gzip")));

  const text = async packed => (await unpack(packed)).text();
  w.mpcvmLib = Promise.all([text("LZMA"), text("PAGE")]).then(([lzma, page]) => {
    const module = { exports: {} }, library = new TextDecoder().decode(new Function("data", lzma)(bytes("ECHARTS")));
    new Function("exports", "module", "define", library)(module.exports, module);
    return [module.exports, new Function("E", "unpack", page)(module.exports, unpack)];
  });
  let last = w.mpcvmLib;
  const run = packed => {
    const code = text(packed), before = last;
    last = w.mpcvmLib.then(async ([E, show]) => {
      await before;
      new Function("E", "show", await code)(E, show);
    }).catch(e => console.warn("mpcvm chart:", e));
  };
  (w.mpcvmWait || []).forEach(run);
  w.mpcvmWait = { push: run };
})()
