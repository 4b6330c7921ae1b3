// Workers that reach nothing: neither a network, nor what the browser keeps for this site. They run in a frame whose origin
// is opaque, under the page's policy and a stricter one of the frame. Only messages go in and out.
// @ts-ignore the build makes this module of frame.js
import script from "./framed.js";

/** What the frame and its workers may do: run a program that came in a message. */
const policy = "default-src 'none'; script-src 'unsafe-inline' 'wasm-unsafe-eval'; worker-src blob:";
const page = `<!DOCTYPE html><meta http-equiv="Content-Security-Policy" content="${policy}"><script>${script}</script>`;

/** Where a page demands trusted types, this one is. @type {{createHTML(text: string): any}} */
const trusted = /** @type {any} */ (globalThis).trustedTypes?.createPolicy("frame", { createHTML: (/** @type {string} */ s) => s }) ?? { createHTML: s => s };

/** SandboxWorker is a worker of a sandbox, to be used like a Worker. */
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
   * @param {URL} url of the script, which imports nothing. Its first message has the port to the page.
   * @param {Promise<ArrayBuffer>} [wasm] a gzipped program: compiled once, it is in the first message of each worker
   */
  constructor(url, wasm) {
    this.last = 0;
    /** @type {Map<number, SandboxWorker>} */
    this.workers = new Map();
    /** The frame's window, made for the first worker. @type {Promise<Window> | undefined} */
    this.frame = undefined;
    this.make = () => this.open(url, wasm);
  }

  /** open makes the frame and gives its window. @param {URL} url @param {Promise<ArrayBuffer>} [wasm] */
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
