// Isolated workers, with access to neither the network nor the browser storage of this site. They run in a frame with an
// opaque origin, under the page's policy and a stricter policy of the frame, and communicate by messages only.
// @ts-ignore the build makes this module from frame.js
import script from "./framed.js";

/** The frame and its workers may only run a program that arrived in a message. */
const policy = "default-src 'none'; script-src 'unsafe-inline' 'wasm-unsafe-eval'; worker-src blob:";
const page = `<!DOCTYPE html><meta http-equiv="Content-Security-Policy" content="${policy}"><script>${script}</script>`;

/** The policy for pages that require trusted types. @type {{createHTML(text: string): any}} */
const trusted = /** @type {any} */ (globalThis).trustedTypes?.createPolicy("frame", { createHTML: (/** @type {string} */ s) => s }) ?? { createHTML: s => s };

/** SandboxWorker is a worker in a sandbox. It is used like a Worker. */
export class SandboxWorker {
  /** @param {MessagePort} port @param {() => void} terminate */
  constructor(port, terminate) {
    this.port = port;
    this.terminate = terminate;
    /** @type {((event: {message: string}) => void) | null} */
    this.onerror = null;
  }

  /** @param {((event: MessageEvent) => void) | null} f */
  set onmessage(f) {
    this.port.onmessage = f;
  }

  /** @param {any} message @param {Transferable[]} [transfer] */
  postMessage(message, transfer = []) {
    this.port.postMessage(message, transfer);
  }
}

/** Sandbox starts workers that all run the same script. */
export class Sandbox {
  /**
   * @param {URL} url of the script, which must not import anything. Its first message contains the port to the page.
   * @param {Promise<ArrayBuffer>} [wasm] a gzipped program, compiled once and sent in the first message to each worker
   */
  constructor(url, wasm) {
    this.last = 0;
    /** @type {Map<number, SandboxWorker>} */
    this.workers = new Map();
    /** The frame's window, created with the first worker. @type {Promise<Window> | undefined} */
    this.frame = undefined;
    this.make = () => this.open(url, wasm);
  }

  /** open creates the frame and returns its window. @param {URL} url @param {Promise<ArrayBuffer>} [wasm] */
  async open(url, wasm) {
    const frame = document.createElement("iframe");
    frame.hidden = true;
    frame.setAttribute("sandbox", "allow-scripts");
    frame.srcdoc = trusted.createHTML(page);
    const loaded = new Promise(done => (frame.onload = done));
    document.documentElement.append(frame);
    const response = await fetch(url);
    if (!response.ok) {
      throw new Error(`${url}: ${response.status} ${response.statusText}`);
    }
    const [text, bytes] = await Promise.all([response.text(), wasm, loaded]);
    const to = /** @type {Window} */ (frame.contentWindow);
    addEventListener("message", ({ source, data }) => source === to && this.workers.get(data.id)?.onerror?.({ message: data.error }));
    to.postMessage({ text, wasm: bytes }, "*", bytes ? [bytes] : []);
    return to;
  }

  /** start starts a worker. */
  start() {
    const id = ++this.last, { port1, port2 } = new MessageChannel(), frame = (this.frame ??= this.make());
    const worker = new SandboxWorker(port1, () => {
      port1.close();
      this.workers.delete(id);
      frame.then(to => to.postMessage({ end: id }, "*"), () => {});
    });
    this.workers.set(id, worker);
    frame.then(to => to.postMessage({ start: id }, "*", [port2]), error => worker.onerror?.(error));
    return worker;
  }
}
