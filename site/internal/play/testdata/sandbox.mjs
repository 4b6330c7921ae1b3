// Replaces sandbox.js, which needs a page, by workers that are threads of Node.js.
import { Worker } from "node:worker_threads";

export class Sandbox {
  /** @param {URL} url @param {Promise<WebAssembly.Module>} module */
  constructor(url, module) {
    this.module = module;
  }

  start() {
    const waiting = [];
    const worker = { onmessage: null, onerror: null, postMessage: (...message) => waiting.push(message), terminate: () => (worker.ended = true) };
    this.module.then((module) => {
      if (worker.ended) {
        return;
      }
      const thread = new Worker(new URL("./playground/worker.mjs", import.meta.url), { workerData: module });
      thread.on("message", (data) => worker.onmessage({ data }));
      thread.on("error", (error) => worker.onerror({ message: String(error) }));
      worker.postMessage = (...message) => thread.postMessage(...message);
      worker.terminate = () => thread.terminate();
      waiting.forEach((message) => thread.postMessage(...message));
    });
    return worker;
  }
}
