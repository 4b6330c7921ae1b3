// The web worker that runs the engine, Go compiled to WebAssembly. The first message has the
// compiled module; every other is a request {id, ..., bytes}. Answers have the id of their
// request; see internal/play. A message without an id says that the engine has ended.
import "./wasm_exec.js";

// soon calls f in a task of its own. setTimeout would wait for 4 ms.
const channel = new MessageChannel();
/** @type {(() => void)[]} */
const waiting = [];
channel.port1.onmessage = () => waiting.shift()?.();
const soon = (/** @type {() => void} */ f) => {
  waiting.push(f);
  channel.port2.postMessage(0);
};

// The names that the program and this file know each other by.
const shared = Object.assign(/** @type {any} */ (globalThis), { soon });

/** @type {Promise<void>} */
let ready;

self.onmessage = async ({ data }) => {
  if (data.module) {
    ready = start(data.module);
    return;
  }
  const { id, bytes, ...request } = data;
  try {
    await ready;
  } catch (error) {
    self.postMessage({ id, reply: { error: `The engine cannot be started: ${error}` } });
    return;
  }
  const reply = (/** @type {string} */ json, /** @type {Float32Array | null} */ field, /** @type {Float64Array | null} */ weights) => {
    const buffers = [field, weights].flatMap((a) => (a ? [a.buffer] : []));
    self.postMessage({ id, reply: JSON.parse(json), field, weights }, { transfer: buffers });
  };
  shared.play(JSON.stringify(request), bytes, reply);
};

/** start runs the program until it waits for requests. @param {WebAssembly.Module} module */
async function start(module) {
  const go = new shared.Go();
  const instance = await WebAssembly.instantiate(module, go.importObject);
  go.run(instance).finally(() => self.postMessage({}));
}
