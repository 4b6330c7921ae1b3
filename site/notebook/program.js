// The worker that runs the program of one cell, and ends with it. The page's first message starts it; another is for the
// program, {address, message}, or has the pack of data files, {pack}, which the program asks for by {want}. See kernel.js
// for what else it tells.
import { unpacked } from "../unpack.js";
import { Files } from "./files.js";
import { run } from "./run.js";

/** How much text a program may write, in bytes. */
const mostText = 4 << 20;

/** @type {Map<string, (message: string) => void>} */
const listeners = new Map();

/**
 * @typedef {object} Start
 * @property {Uint8Array} bytes of the program
 * @property {[string, Uint8Array][]} files paths and contents
 * @property {[string, number, number][]} dataFiles paths within the pack of data, and where they lie in it
 * @property {string} cwd
 * @property {Record<string, string>} env
 * @property {boolean} interactive whether a reader may move sliders
 */

/** The pack of data files, when it is there. @type {{resolve: (bytes: ArrayBuffer) => void, reject: (error: Error) => void}} */
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

/** start runs the program and gives its status. @param {MessagePort} page @param {Start} s */
async function start(page, s) {
  let written = 0;
  const decoders = { stdout: new TextDecoder(), stderr: new TextDecoder() };
  const files = new Files((stream, bytes) => {
    const before = written;
    written += bytes.length;
    if (before < mostText) {
      const end = written < mostText ? "" : `\n… what follows is not shown: a cell may write ${mostText >> 20} MB\n`;
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
