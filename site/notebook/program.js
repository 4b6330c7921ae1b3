// The worker that runs the program of one cell. The first message of the page starts the program. Later messages are for
// the program, {address, message}, or contain the packed data files, {pack}, which the worker requests by {want}. See
// kernel.js for its other messages.
import { unpacked } from "../unpack.js";
import { Files } from "./files.js";
import { run } from "./run.js";

/** The limits of a cell: the bytes of its text, the characters of its HTML, and the number of its displays. */
const most = { text: 4 << 20, html: 64 << 20, displays: 1000 };

/** A program that computes cannot be asked to wait, so it sends text and updates at most this often, in milliseconds. */
const pause = 20;

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
  const written = { text: 0, html: 0, displays: 0 };
  /** counts adds to what is written and reports whether that was below the limit. Beyond it, it says so once. @param {keyof typeof most} what @param {number} n @param {string} said */
  const counts = (what, n, said) => {
    const before = written[what];
    written[what] += n;
    if (before < most[what] && written[what] >= most[what]) {
      later("stdout", `\n… output truncated: the limit is ${said} per cell\n`);
    }
    return before < most[what];
  };
  const decoders = { stdout: new TextDecoder(), stderr: new TextDecoder() };
  /** @type {{stream: string, text: string}[]} */
  const texts = [];
  /** @type {Map<string, string>} */
  const updates = new Map();
  let sent = -Infinity, timer = 0;
  const send = () => {
    clearTimeout(timer);
    timer = 0;
    sent = performance.now();
    texts.splice(0).forEach((t) => page.postMessage(t));
    updates.forEach((html, of) => page.postMessage({ of, html }));
    updates.clear();
  };
  const soon = () => {
    if (performance.now() - sent >= pause) {
      send();
    } else {
      timer ||= setTimeout(send, pause);
    }
  };
  const later = (/** @type {string} */ stream, /** @type {string} */ text) => {
    const last = texts.at(-1);
    if (last?.stream === stream) {
      last.text += text;
    } else {
      texts.push({ stream, text });
    }
  };
  const files = new Files((stream, bytes) => {
    if (written.text < most.text) {
      later(stream, decoders[stream].decode(bytes, { stream: true }));
      counts("text", bytes.length, `${most.text >> 20} MB of text`);
      soon();
    }
  }, (path, bytes) => page.postMessage({ path, bytes }));
  /** @type {Set<string>} */
  const ids = new Set();
  /** fits counts a new display. @param {string} html */
  const fits = (html) => counts("displays", 1, `${most.displays} outputs`) && counts("html", html.length, `${most.html >> 20} MB of HTML`);
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
      display: (/** @type {string} */ html) => {
        const fit = fits(html);
        send();
        fit && page.postMessage({ html });
      },
      update: (/** @type {string} */ of, /** @type {string} */ html) => {
        if (ids.has(of)) {
          updates.set(of, html);
          return soon();
        }
        const fit = fits(html);
        send();
        fit && ids.add(of) && page.postMessage({ of, html });
      },
      listen: (/** @type {string} */ address, /** @type {(message: string) => void} */ heard) => listeners.set(address, heard),
    },
  });
  try {
    return await run(await WebAssembly.compile(/** @type {BufferSource} */ (s.bytes)), files, ["cell"], s.env);
  } finally {
    send();
  }
}
