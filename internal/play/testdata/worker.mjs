// Runs worker.js in a thread of Node.js, which has no `self`.
import { parentPort } from "node:worker_threads";

globalThis.self = globalThis;
globalThis.postMessage = (data, options) => parentPort.postMessage(data, options?.transfer);
await import("./worker.js");
parentPort.on("message", (data) => self.onmessage({ data }));
