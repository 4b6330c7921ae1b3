// Runs worker.js in a thread of Node.js, which has no `self`.
import { parentPort } from "node:worker_threads";

globalThis.self = globalThis;
globalThis.postMessage = (data, options) => parentPort.postMessage(data, options?.transfer);
// Node.js handles up to 1000 messages of a port in one task, which is no pause.
globalThis.MessageChannel = class {
  port1 = {};
  port2 = { postMessage: () => setImmediate(() => this.port1.onmessage({})) };
};
await import("./worker.js");
parentPort.on("message", (data) => self.onmessage({ data }));
