// The worker that runs the program of one cell. The first message of the page starts the program. Later messages are for
// the program, {address, message}, or contain the packed data files, {pack}, which the worker requests by {want}. See
// kernel.js for its other messages.
import { unpacked } from "../unpack.js";
import { Files } from "./files.js";
import { run } from "./run.js";

/** The limit for the text that a program writes, in bytes. */
const mostText = 4 << 20;

/** @type {Map<string, (message: string) => void>} */
const listeners = new Map();

/**
 * @typedef {object} Start
 * @property {Uint8Array} bytes of the program
 * @property {[string, Uint8Array][]} files paths and contents
 * @property {[string, number, number][]} dataFiles paths of the data files, and their start and end in the pack
 * @property {string} cwd
 * @property {Record<string, string>} env
 * @property {boolean} interactive whether sliders wait for the reader
 */

/** Settles the promise of the packed data files. @type {{resolve: (bytes: ArrayBuffer) => void, reject: (error: Error) => void}} */
let arrived;
/** @type {Promise<ArrayBuffer>} */
const pack = new Promise((resolve, reject) => (arrived = { resolve, reject }));

self.onmessage = ({ ports: [page] }) => {
  page.onmessage = async ({ data }) => {
    if (data.address) {
      listeners.get(data.address)?.(data.message);
    } else if (data.pack) {
      arrived.resolve(await unpacked(data.pack).arrayBuffer());
    } else if (data.failed) {
      arrived.reject(new Error(data.failed));
    } else {
      try {
        page.postMessage({ status: await start(page, data) });
      } catch (error) {
        page.postMessage({ status: -1, error: String(error) });
      }
    }
  };
};

/** start runs the program and returns its exit status. @param {MessagePort} page @param {Start} s */
async function start(page, s) {
  let written = 0;
  const decoders = { stdout: new TextDecoder(), stderr: new TextDecoder() };
  const files = new Files((stream, bytes) => {
    const before = written;
    written += bytes.length;
    if (before < mostText) {
      const end = written < mostText ? "" : `\n… output truncated: the limit is ${mostText >> 20} MB per cell\n`;
      page.postMessage({ stream, text: decoders[stream].decode(bytes, { stream: true }) + end });
    }
  }, (path, bytes) => page.postMessage({ path, bytes }));
  let wanted = false;
  for (const [path, from, to] of s.dataFiles) {
    files.lazy(path, to - from, async () => {
      wanted ||= (page.postMessage({ want: "data" }), true);
      return new Uint8Array(await pack, from, to - from);
    });
  }
  files.folder(s.cwd);
  for (const [path, bytes] of s.files) {
    files.put(path, bytes);
  }
  files.cwd = s.cwd;
  Object.assign(globalThis, {
    mpcvmCell: {
      interactive: s.interactive,
      display: (/** @type {string} */ html) => page.postMessage({ html }),
      update: (/** @type {string} */ of, /** @type {string} */ html) => page.postMessage({ of, html }),
      listen: (/** @type {string} */ address, /** @type {(message: string) => void} */ heard) => listeners.set(address, heard),
    },
  });
  return run(await WebAssembly.compile(/** @type {BufferSource} */ (s.bytes)), files, ["cell"], s.env);
}
