// A model in a link: the part of an address after #, which browsers do not send.

/** Longer links are cut or refused by programs for messages. */
const longest = 30_000;
/** A packed model that becomes larger than this is not one of ours. */
const largest = 20e6;

/** through sends bytes through a stream. @param {Uint8Array} bytes @param {CompressionStream | DecompressionStream} stream @param {number} [most] */
const through = async (bytes, stream, most = Infinity) => {
  const parts = [];
  let length = 0;
  const reader = new Blob([/** @type {BlobPart} */ (bytes)]).stream().pipeThrough(/** @type {any} */ (stream)).getReader();
  for (let r; !(r = await reader.read()).done;) {
    parts.push(r.value);
    if ((length += r.value.length) > most) throw new Error("the link is too large");
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer());
};

/**
 * linkTo returns a link that opens a model with a row to change, or "" if it would be too long.
 * @param {Uint8Array} model a model file @param {[string, any][] | undefined} row its cells by column
 */
export const linkTo = async (model, row) => {
  const packed = await through(model, new CompressionStream("deflate-raw"));
  const text = btoa(Array.from(packed, b => String.fromCharCode(b)).join("")).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
  const link = new URL("./#model=" + text + (row ? "&row=" + encodeURIComponent(JSON.stringify(row)) : ""), import.meta.url).href;
  return link.length > longest ? "" : link;
};

/** modelIn returns the model file and the row in the part of an address after #, or null. @param {string} hash */
export const modelIn = async hash => {
  const [, text, row] = /^#model=([\w-]+)(?:&row=(.*))?$/.exec(hash) ?? [];
  if (!text) return null;
  try {
    const bytes = Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), c => c.charCodeAt(0));
    const model = await through(bytes, new DecompressionStream("deflate-raw"), largest);
    return { file: new File([model], "shared-model.json"), row: row ? JSON.parse(decodeURIComponent(row)) : [] };
  } catch {
    throw new Error("the link is damaged; ask for it again, or for the model as a file");
  }
};

/** isModel reports whether a file is a model. @param {Uint8Array} bytes */
export const isModel = bytes => /^\s*\{\s*"format"\s*:\s*"mpcvm-model"/.test(String.fromCharCode(...bytes.subarray(0, 200)));
