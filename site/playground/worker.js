// The worker that runs the engine, Go compiled to WebAssembly. The first message contains the compiled module and the port
// to the page, which sends requests {id, ..., bytes}. Answers have the id of their request; see site/internal/play. A message
// {share} is for the other workers of the same computation; see site/internal/wire. One with neither means that the engine
// has ended.
import "./wasm_exec.js";
import { instantiate } from "../../mpcvm/internal/cpu/simd128.mjs";
// @ts-ignore the build adds the bytes of this file
import vectors from "../../mpcvm/internal/cpu/simd128.wasm";

// soon calls f in a separate task. setTimeout would wait for 4 ms.
const channel = new MessageChannel();
/** @type {(() => void)[]} */
const waiting = [];
channel.port1.onmessage = () => waiting.shift()?.();
const soon = (/** @type {() => void} */ f) => {
  waiting.push(f);
  channel.port2.postMessage(0);
};

// The names shared by the program and this file.
const shared = Object.assign(/** @type {any} */ (globalThis), { soon });

self.onmessage = ({ data: module, ports: [page] }) => {
  const ready = start(module, page);
  shared.tell = (/** @type {string} */ key, /** @type {Uint8Array | null} */ bytes) => page.postMessage({ share: { key, bytes } });
  page.onmessage = ({ data }) => data.share ? ready.then(() => shared.hear(data.share.key, data.share.bytes)) : answer(ready, page, data);
};

/** answer answers a request. @param {Promise<void>} ready @param {MessagePort} page @param {any} request */
async function answer(ready, page, { id, bytes, ...request }) {
  try {
    await ready;
  } catch (error) {
    page.postMessage({ id, reply: { error: `The engine could not start: ${error}` } });
    return;
  }
  const reply = (/** @type {string} */ json, /** @type {Float32Array | null} */ field, /** @type {Float64Array | null} */ weights) => {
    const buffers = [field, weights].flatMap((a) => (a ? [a.buffer] : []));
    page.postMessage({ id, reply: JSON.parse(json), field, weights }, buffers);
  };
  shared.play(JSON.stringify(request), bytes, reply);
}

/** start runs the program until it waits for requests. @param {WebAssembly.Module} module @param {MessagePort} page */
async function start(module, page) {
  const go = new shared.Go();
  const instance = await instantiate(module, go.importObject, vectors);
  go.run(instance).finally(() => page.postMessage({}));
}
