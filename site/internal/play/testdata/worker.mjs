// Runs worker.js in a thread of Node.js, which has no `self`. The thread's port is the port to the page.
import { parentPort, workerData } from "node:worker_threads";

globalThis.self = globalThis;
// Node.js handles up to 1000 messages of a port in one task, without a pause.
globalThis.MessageChannel = class {
  port1 = {};
  port2 = { postMessage: () => setImmediate(() => this.port1.onmessage({})) };
};
await import("./worker.js");
const page = { postMessage: (data, transfer) => parentPort.postMessage(data, transfer) };
self.onmessage({ data: workerData, ports: [page] });
parentPort.on("message", (data) => page.onmessage({ data }));
