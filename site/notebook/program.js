// The web worker that runs the program of one cell, and ends with it. The first message starts
// it; any other is for the program: {address, message}. See kernel.js for what it tells.
import { unpacked } from "../fetch.js";
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
 * @property {string} data address of that pack
 * @property {string} cwd
 * @property {Record<string, string>} env
 * @property {boolean} interactive whether a reader may move sliders
 */

self.onmessage = async ({ data }) => {
  if (data.address) {
    listeners.get(data.address)?.(data.message);
    return;
  }
  try {
    self.postMessage({ status: await start(data) });
  } catch (error) {
    self.postMessage({ status: -1, error: String(error) });
  }
};

/** start runs the program and gives its status. @param {Start} s */
async function start(s) {
  let written = 0;
  const decoders = { stdout: new TextDecoder(), stderr: new TextDecoder() };
  const files = new Files((stream, bytes) => {
    const before = written;
    written += bytes.length;
    if (before < mostText) {
      const end = written < mostText ? "" : `\n… what follows is not shown: a cell may write ${mostText >> 20} MB\n`;
      self.postMessage({ stream, text: decoders[stream].decode(bytes, { stream: true }) + end });
    }
  }, (path, bytes) => self.postMessage({ path, bytes }));
  /** @type {Promise<ArrayBuffer> | undefined} */
  let pack;
  const fetched = async () => (await unpacked(s.data)).arrayBuffer();
  for (const [path, from, to] of s.dataFiles) {
    files.lazy(path, to - from, async () => new Uint8Array(await (pack ??= fetched()), from, to - from));
  }
  files.folder(s.cwd);
  for (const [path, bytes] of s.files) {
    files.put(path, bytes);
  }
  files.cwd = s.cwd;
  Object.assign(globalThis, {
    mpcvmCell: {
      interactive: s.interactive,
      display: (/** @type {string} */ html) => self.postMessage({ html }),
      update: (/** @type {string} */ of, /** @type {string} */ html) => self.postMessage({ of, html }),
      listen: (/** @type {string} */ address, /** @type {(message: string) => void} */ heard) => listeners.set(address, heard),
    },
  });
  return run(await WebAssembly.compile(/** @type {BufferSource} */ (s.bytes)), files, ["cell"], s.env);
}
