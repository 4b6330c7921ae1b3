// The script of the frame that sandbox.js creates: it starts and ends workers. The page's policy contains its digest.
(() => {
  /** @type {Map<number, Worker>} */
  const workers = new Map();
  /** @type {any} */
  let code;
  const policy = /** @type {any} */ (globalThis).trustedTypes?.createPolicy("frame", { createScriptURL: (/** @type {string} */ url) => url }) ?? { createScriptURL: (/** @type {string} */ url) => url };
  /** @type {Promise<WebAssembly.Module> | undefined} */
  let module;
  addEventListener("message", async ({ source, data, ports: [port] }) => {
    if (source !== parent) {
      return;
    }
    const { start, end, text, wasm } = data;
    if (text) {
      code = policy.createScriptURL(URL.createObjectURL(new Blob([text], { type: "text/javascript" })));
      module = wasm && WebAssembly.compileStreaming(new Response(new Blob([wasm]).stream().pipeThrough(new DecompressionStream("gzip")), { headers: { "Content-Type": "application/wasm" } }));
    } else if (start) {
      const worker = new Worker(code), fail = (/** @type {string} */ error) => parent.postMessage({ id: start, error }, "*");
      workers.set(start, worker);
      worker.onerror = e => fail(e.message);
      try {
        worker.postMessage(await module, [port]);
      } catch (error) {
        fail(String(error));
      }
    } else {
      workers.get(end)?.terminate();
      workers.delete(end);
    }
  });
})();
